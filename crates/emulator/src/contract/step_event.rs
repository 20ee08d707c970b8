//! Event that reports the effect of a step.

use crate::contract::agent::{Agent, WarpId};
use crate::contract::fault::WaitReason;
use warpgrid_program::FunctionId;

/// Effect of a step: the agent, the instruction, the lanes and the outcome. The interpreter reports it to observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEvent {
    /// Number of the step, from 0. The step leads from position `position` to `position + 1`. A group of lanes that
    /// starts to wait consumes a step only if it arrives at a barrier of the block ([`StepEvent::consumes_step`]).
    /// Otherwise, the event has the number of the following step.
    pub position: u64,
    pub agent: Agent,
    /// Linear index of the block. For an asynchronous operation, `block`, `warp`, `function` and `instruction` identify
    /// the instruction that issued the operation.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index of the instruction in the function.
    pub instruction: u32,
    /// Lanes of the executing group before the guard predicate is applied.
    pub lanes: u32,
    /// Lanes that are not predicated off.
    pub executed: u32,
    pub what: StepOutcome,
    /// Whether the step changed memory.
    pub stored: bool,
}

impl StepEvent {
    /// Checks whether the event consumes a step, so that the run continues at position `position + 1`.
    pub const fn consumes_step(&self) -> bool {
        match self.what {
            StepOutcome::Waits(WaitReason::Barrier { .. }) => true,
            StepOutcome::Waits(_) => false,
            StepOutcome::Executed
            | StepOutcome::Exited
            | StepOutcome::Landed
            | StepOutcome::Read => true,
        }
    }

    /// Returns the warp that executed the step or issued the asynchronous operation.
    pub const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// Outcome of a step for its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// The lanes continue with the next instruction.
    Executed,
    /// The lanes arrived at a synchronization point and wait.
    Waits(WaitReason),
    /// The lanes exited.
    Exited,
    /// The asynchronous operation completed.
    Landed,
    /// The asynchronous operation read its source.
    Read,
}
