//! A launch in progress.

use crate::fault::Fault;
use crate::inspect::*;
use crate::launch::{Launch, LaunchError, Limits};
use crate::observe::Observer;
use std::sync::Arc;
use warpgrid_program::{FunctionId, Program, RegisterId};

/// A launch in progress: one step is one instruction of one group of lanes of one warp.
#[derive(Clone)]
pub struct Machine {
    program: Arc<Program>,
}

impl Machine {
    /// Lays out memory and decodes; refuses what cannot run.
    pub fn new(
        program: Arc<Program>,
        _launch: &Launch,
        _limits: Limits,
    ) -> Result<Machine, LaunchError> {
        Ok(Machine { program })
    }
    /// One instruction of one warp.
    pub fn step<O: Observer>(&mut self, _observer: &mut O) -> Status {
        Status::Finished
    }
    /// Up to so many steps, as fast as they go.
    pub fn run(&mut self, _max_steps: u64) -> Status {
        Status::Finished
    }
    /// As [`Machine::run`], with somebody listening.
    pub fn run_observed<O: Observer>(&mut self, _max_steps: u64, _observer: &mut O) -> Status {
        Status::Finished
    }
    /// Steps done.
    pub fn position(&self) -> u64 {
        0
    }
    pub fn status(&self) -> Status {
        Status::Finished
    }
    pub fn fault(&self) -> Option<&Fault> {
        None
    }
    /// What the program printed so far.
    pub fn notes(&self) -> &[Note] {
        &[]
    }
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }
    /// Total number of blocks of the grid.
    pub fn n_blocks(&self) -> u64 {
        0
    }
    /// The bytes of a region; `None` when it is not there (any more).
    pub fn memory(&self, _region: MemoryRegion) -> Option<&[u8]> {
        None
    }
    /// The address of a region's first byte in its own space.
    pub fn address(&self, _region: MemoryRegion) -> Option<u64> {
        None
    }
    /// Who wrote each byte last (one entry a byte: 0 for nobody, else see [`Writer::unpack`]); only when the launch asked to track.
    pub fn writers(&self, _region: MemoryRegion) -> Option<&[u64]> {
        None
    }
    /// Where the shared variables lie in the memory of each block.
    pub fn shared_variables(&self) -> &[SharedVariable] {
        &[]
    }
    /// Blocks that have a place now, in the order of their places.
    pub fn blocks(&self) -> Vec<BlockView> {
        Vec::new()
    }
    pub fn warp(&self, _block: u64, _warp: u32) -> Option<WarpView> {
        None
    }
    /// Which warp runs next, and what.
    pub fn next_step(&self) -> Option<NextStep> {
        None
    }
    /// The bits of a register of a lane, in the innermost frame if `function` is where the lane is.
    pub fn register(
        &self,
        _block: u64,
        _warp: u32,
        _lane: u32,
        _function: FunctionId,
        _register: RegisterId,
    ) -> Option<u128> {
        None
    }
}
