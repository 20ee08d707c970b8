//! Who steps, and what a step did.

/// The number of an operation in flight, in the order in which they were started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingId(pub u64);

/// What the scheduler chooses among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agent {
    /// A warp of a block (by linear index).
    Warp { block: u64, warp: u32 },
    /// An operation that an earlier step started, and that completes in a step of its own.
    InFlight(PendingId),
}
