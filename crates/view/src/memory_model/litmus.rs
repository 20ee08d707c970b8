//! Analysis of litmus tests. The module takes a litmus test as text with `//@` lines (see [`parser`]) or as plain data (see [`test`]), and
//! returns all outcomes that the memory model allows (each with an execution), the forbidden outcomes (each with the violated axiom), the
//! data races, and repairs.

pub(crate) mod event_label;
pub(crate) mod extraction;
pub(crate) mod launch;
pub(crate) mod location;
pub(crate) mod parser;
pub(crate) mod printer;
pub(crate) mod query_builder;
pub(crate) mod repairs;
pub(crate) mod results_view;
pub(crate) mod test;
pub(crate) mod test_module;

pub use crate::memory_model::litmus::extraction::{ExtractionRequest, ExtractionThread};
pub use crate::memory_model::litmus::parser::{SAMPLE, read_text};
pub use crate::memory_model::litmus::printer::write_text;
pub use crate::memory_model::litmus::repairs::{LitmusEdit, LitmusEditOp, LitmusRepairs, apply};
pub use crate::memory_model::litmus::results_view::{
    Axiom, EdgeKind, EventKind, ForbiddenView, GraphView, LitmusView, NodeView, OutcomeView,
    RaceFrequency, ViolationView, WitnessEdge,
};
pub use crate::memory_model::litmus::test::{LitmusLocation, LitmusTest, LitmusThread};
pub use crate::memory_model::litmus::test_module::{LitmusError, PreparedTest, prepare};

use crate::memory_model::litmus::results_view::ViewBuilder;
use warpgrid_order::explore::{Explorer, MinimalRepairSearch};

/// Explores all outcomes of a litmus test.
pub fn explore(test: &LitmusTest) -> Result<LitmusView, LitmusError> {
    let prepared = prepare(test)?;
    let explorer = Explorer::new(prepared.question.clone());
    let answer = explorer.and_then(Explorer::run);
    let answer = answer.map_err(|error| prepared.error(test, &error))?;
    Ok(ViewBuilder::new(test, &prepared).view(&answer))
}

/// Incremental exploration of a litmus test. A host can abandon the exploration at any time.
pub struct ExplorationTask {
    test: LitmusTest,
    prepared: PreparedTest,
    explorer: Explorer,
}

impl ExplorationTask {
    /// Starts an exploration. Returns an error if the litmus test exceeds a limit.
    pub fn new(test: LitmusTest) -> Result<ExplorationTask, LitmusError> {
        let prepared = prepare(&test)?;
        let explorer = Explorer::new(prepared.question.clone());
        let explorer = explorer.map_err(|error| prepared.error(&test, &error))?;
        Ok(ExplorationTask {
            test,
            prepared,
            explorer,
        })
    }

    /// Examines approximately `candidates` candidate executions. Returns whether the exploration is complete.
    pub fn advance(&mut self, candidates: u64) -> Result<bool, LitmusError> {
        let done = self.explorer.advance(candidates);
        done.map_err(|error| self.prepared.error(&self.test, &error))
    }

    /// Returns the number of explored combinations of thread paths, and the number of all combinations.
    pub fn progress(&self) -> (usize, usize) {
        self.explorer.progress()
    }

    /// Returns the result of the exploration.
    pub fn finish(self) -> LitmusView {
        let answer = self.explorer.answer();
        ViewBuilder::new(&self.test, &self.prepared).view(&answer)
    }
}

/// Maximum number of sets of edits that a search for repairs evaluates before it ends.
const MAX_EVALUATED_SETS: u64 = 60_000;

/// Returns the outcomes that repairs must forbid: the bad outcomes that the test specifies, or the outcomes that no interleaving produces.
pub fn bad_outcomes(test: &LitmusTest, view: &LitmusView) -> Vec<Vec<u64>> {
    if !test.unwanted_outcomes.is_empty() {
        return test.unwanted_outcomes.clone();
    }
    let outcomes = view.outcomes.as_deref().unwrap_or(&[]);
    let bad = outcomes.iter().filter(|outcome| !outcome.is_interleaving);
    bad.map(|outcome| outcome.values.clone()).collect()
}

/// Incremental search for the weakest repairs of a litmus test. A host can abandon the search at any time.
pub struct RepairTask {
    test: LitmusTest,
    prepared: PreparedTest,
    bad: Vec<Vec<u64>>,
    weakest: MinimalRepairSearch,
}

impl RepairTask {
    /// Starts a search for repairs that forbid the outcomes `bad`.
    pub fn new(test: LitmusTest, bad: Vec<Vec<u64>>) -> Result<RepairTask, LitmusError> {
        let prepared = prepare(&test)?;
        let weakest = MinimalRepairSearch::new(prepared.question.clone(), &bad, MAX_EVALUATED_SETS);
        let weakest = weakest.map_err(|error| prepared.error(&test, &error))?;
        Ok(RepairTask {
            test,
            prepared,
            bad,
            weakest,
        })
    }

    /// Evaluates approximately `tries` sets of edits. Returns whether the search is complete.
    pub fn advance(&mut self, tries: u64) -> Result<bool, LitmusError> {
        let done = self.weakest.advance(tries);
        done.map_err(|error| self.prepared.error(&self.test, &error))
    }

    /// Returns the repairs that the search has found.
    pub fn finish(self) -> LitmusRepairs {
        let answer = self.weakest.answer();
        repairs::view(&self.test, &self.prepared, &answer, &self.bad)
    }
}

/// Returns the weakest repairs of a litmus test. `view` contains the outcomes of the test.
pub fn repairs(test: &LitmusTest, view: &LitmusView) -> Result<LitmusRepairs, LitmusError> {
    let bad = bad_outcomes(test, view);
    let mut search = RepairTask::new(test.clone(), bad)?;
    search.advance(u64::MAX)?;
    Ok(search.finish())
}
