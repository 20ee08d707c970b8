//! Listening to a run. An observer that does not care costs nothing: `()` compiles away.

use warpgrid_isa::{Scope, Sem, StateSpace};
use warpgrid_program::FunctionId;

/// What one warp-instruction did to memory, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a> {
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

/// Receives what happens, while it happens.
pub trait Observer {
    /// Whether stores and the writes of atomics are told.
    const STORES: bool = true;
    /// Whether loads and the reads of atomics are told.
    const LOADS: bool = false;

    /// A store, before its bytes are in memory.
    fn store(&mut self, _event: &AccessEvent<'_>) {}

    /// A step that stores, told in any case: what costs nothing where nobody looks.
    #[inline(always)]
    fn store_step(&mut self, _step: u64) {}

    /// A load, after its bytes were read.
    fn load(&mut self, _event: &AccessEvent<'_>) {}
}

/// Nobody looks.
impl Observer for () {
    const STORES: bool = false;
}
