//! Listening to a run. What nobody wants to hear is not even put together.

use crate::run::event::{Agent, StepEvent};
use warpgrid_isa::{Scope, Sem, StateSpace};
use warpgrid_program::FunctionId;

/// What one warp-instruction did to memory, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a> {
    /// The warp, or the operation in flight that lands.
    pub agent: Agent,
    /// The number of the step (from 0): the access happens between positions `step` and `step + 1`.
    pub step: u64,
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// As the instruction names it.
    pub space: StateSpace,
    /// Where each lane's address lies; for a space that is named, that space.
    pub resolved: &'a [StateSpace; 32],
    /// Lanes that take part.
    pub mask: u32,
    /// Address of each lane's first byte, in its resolved space.
    pub addresses: &'a [u64; 32],
    /// Bytes a lane.
    pub width_bytes: u32,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// `width_bytes` bytes a lane, lane after lane (32 times, also for lanes that take no part).
    pub bytes: &'a [u8],
    /// Bit i: element i is written; all ones but for vector stores with a sink.
    pub elements: u32,
    pub sem: Sem,
    pub scope: Option<Scope>,
}

/// What an observer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// Stores, and the writes of atomics.
    pub stores: bool,
    /// Loads, and the reads of atomics.
    pub loads: bool,
    /// What each step did.
    pub steps: bool,
}

/// Receives what happens, while it happens. Called through a pointer: the steps exist once, and a step
/// with a listener costs a call more.
pub trait Observer {
    /// Asked before the steps of a warp.
    fn interest(&self) -> Interest {
        Interest {
            stores: true,
            loads: false,
            steps: false,
        }
    }

    /// A store, before its bytes are in memory.
    fn store(&mut self, _event: &AccessEvent<'_>) {}

    /// A step that stores, told in any case: what costs nothing where nobody looks.
    fn store_step(&mut self, _step: u64) {}

    /// What a step did, after it did it.
    fn step(&mut self, _event: &StepEvent) {}

    /// A load, after its bytes were read.
    fn load(&mut self, _event: &AccessEvent<'_>) {}
}

/// Nobody looks.
impl Observer for () {
    fn interest(&self) -> Interest {
        Interest {
            stores: false,
            loads: false,
            steps: false,
        }
    }
}
