//! A run that a host steps through.

use crate::model::{DiagnosticView, Frame, FrameRequest, Grid, GridRequest, StoreView, WarpView};
use crate::scenario::Scenario;

/// Why a scenario cannot run: a code, a sentence, and the diagnostics of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionError {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

/// A scenario, checked and ready to be stepped forth and back.
pub struct Session {
    scenario: Scenario,
}

impl Session {
    /// Checks and launches; nothing has run yet.
    pub fn new(scenario: Scenario) -> Result<Session, SessionError> {
        Ok(Session { scenario })
    }

    /// What this session runs, with guessed parameters filled in.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Steps done.
    pub fn position(&self) -> u64 {
        0
    }

    /// Steps of the whole run, once it is known.
    pub fn length(&self) -> Option<u64> {
        None
    }

    /// One warp-instruction forward; false at the end.
    pub fn step(&mut self) -> bool {
        false
    }

    /// One warp-instruction back; false at the start.
    pub fn back(&mut self) -> bool {
        false
    }

    /// Goes to a position, or to the end if the run is shorter.
    pub fn seek(&mut self, _position: u64) {}

    /// Runs forward at most `max_steps`; true when the run is over. Call again to go on.
    pub fn run(&mut self, _max_steps: u64) -> bool {
        true
    }

    /// Runs forward to the next step that stores (or the end); at most `max_steps`.
    pub fn run_to_store(&mut self, _max_steps: u64) -> bool {
        true
    }

    /// Goes back to the previous step that stored (or the start).
    pub fn back_to_store(&mut self) -> bool {
        true
    }

    /// The bytes of a memory (see [`crate::model::MemoryView::id`]).
    pub fn memory(&self, _id: &str) -> Option<Vec<u8>> {
        None
    }

    /// A window of memory as cells.
    pub fn grid(&self, _request: &GridRequest) -> Option<Grid> {
        None
    }

    /// What the steps `from..to` stored; at most 10,000 stores.
    pub fn events(&mut self, _from: u64, _to: u64) -> Vec<StoreView> {
        Vec::new()
    }

    /// Lanes and registers of a warp (linear block index).
    pub fn lanes(&self, _block: u64, _warp: u32) -> Option<WarpView> {
        None
    }

    /// Everything a page shows at the present position.
    pub fn frame(&mut self, _request: &FrameRequest) -> Option<Frame> {
        None
    }
}
