//! Compact representation of the last step in the machine state.

use crate::code::DecodedCode;
use crate::contract::agent::Agent;
use crate::contract::step_event::{StepEvent, StepOutcome};

/// Last step of a run. Its function and instruction are derived from the program counter on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastStep {
    pub(crate) agent: Agent,
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) pc: u32,
    pub(crate) lanes: u32,
    pub(crate) executed: u32,
    pub(crate) what: StepOutcome,
    pub(crate) stored: bool,
}

impl LastStep {
    /// Returns the event that reports the step to the host application.
    pub(crate) fn event(&self, code: &DecodedCode, position: u64) -> StepEvent {
        let (function, instruction) = code.origin(self.pc);
        StepEvent {
            position,
            agent: self.agent,
            block: self.block,
            warp: self.warp,
            function,
            instruction,
            lanes: self.lanes,
            executed: self.executed,
            what: self.what,
            stored: self.stored,
        }
    }
}
