//! Who steps, and what a step did.

use crate::contract::fault::WaitReason;
use warpgrid_program::FunctionId;

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

/// A warp of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WarpId {
    /// Linear index of its block.
    pub block: u64,
    /// Its number in the block.
    pub warp: u32,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEvent {
    /// The number of the step (from 0): it leads from position `position` to `position + 1`. A group of lanes that
    /// begins to wait for lanes of its warp takes no step; its event has the number of the step that comes next.
    pub position: u64,
    pub agent: Agent,
    /// For an operation in flight: block, warp and instruction that started it. Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// Lanes that were at the instruction.
    pub lanes: u32,
    /// Those whose guard let it happen.
    pub executed: u32,
    pub what: Outcome,
    /// Whether the step changed memory.
    pub stored: bool,
}

impl StepEvent {
    /// The warp, or that which started the operation in flight.
    pub const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// How a step ended for its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They go on.
    Executed,
    /// They arrived at something that they wait for.
    Waits(WaitReason),
    /// They are done.
    Exited,
    /// The operation in flight has completed.
    Landed,
    /// The operation in flight has read its source.
    Read,
}
