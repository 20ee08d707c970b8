//! Agents of the scheduler.

/// Number of an asynchronous operation. Operations are numbered in the order of their issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AsyncOperationId(pub u64);

/// Unit that the scheduler selects for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agent {
    /// Warp of a block. `block` is the linear index of the block.
    Warp { block: u64, warp: u32 },
    /// Asynchronous operation that was issued in an earlier step. Its completion is a separate step.
    InFlight(AsyncOperationId),
}

impl Agent {
    /// Returns the warp, or `None` for an asynchronous operation.
    pub const fn warp(self) -> Option<WarpId> {
        match self {
            Agent::Warp { block, warp } => Some(WarpId { block, warp }),
            Agent::InFlight(_) => None,
        }
    }
}

/// Identifies a warp of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WarpId {
    /// Linear index of the block.
    pub block: u64,
    /// Index of the warp within its block.
    pub warp: u32,
}
