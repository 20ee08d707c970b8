//! Every outcome of a few threads, for the screen. A test goes in, as a text with `//@` lines ([`text`]) or as plain data ([`test`]); out
//! come all outcomes that the memory model allows with an execution of each, those it forbids with the axiom, races, and repairs.

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

pub use crate::memory_model::litmus::extraction::{CutRequest, CutThread};
pub use crate::memory_model::litmus::parser::{SAMPLE, read_text};
pub use crate::memory_model::litmus::printer::write_text;
pub use crate::memory_model::litmus::repairs::{LitmusEdit, LitmusEditOp, LitmusRepairs, apply};
pub use crate::memory_model::litmus::results_view::{
    Axiom, Edge, EdgeKind, ForbiddenView, GraphView, LitmusView, NodeKind, NodeView, OutcomeView,
    Races, ViolationView,
};
pub use crate::memory_model::litmus::test::{LitmusLocation, LitmusTest, LitmusThread};
pub use crate::memory_model::litmus::test_module::{LitmusError, Prepared, prepare};

use crate::memory_model::litmus::results_view::Viewer;
use warpgrid_order::explore::{Explorer, Weakest};

/// Answers a test, from start to end.
pub fn explore(test: &LitmusTest) -> Result<LitmusView, LitmusError> {
    let prepared = prepare(test)?;
    let explorer = Explorer::new(prepared.question.clone());
    let answer = explorer.and_then(Explorer::run);
    let answer = answer.map_err(|error| prepared.error(test, &error))?;
    Ok(Viewer::new(test, &prepared).view(&answer))
}

/// A search that a host advances, and may leave.
pub struct LitmusSearch {
    test: LitmusTest,
    prepared: Prepared,
    explorer: Explorer,
}

impl LitmusSearch {
    /// Starts a search; says what is too much before it does.
    pub fn new(test: LitmusTest) -> Result<LitmusSearch, LitmusError> {
        let prepared = prepare(&test)?;
        let explorer = Explorer::new(prepared.question.clone());
        let explorer = explorer.map_err(|error| prepared.error(&test, &error))?;
        Ok(LitmusSearch {
            test,
            prepared,
            explorer,
        })
    }

    /// Looks at about this many candidates; true when all are done.
    pub fn advance(&mut self, candidates: u64) -> Result<bool, LitmusError> {
        let done = self.explorer.advance(candidates);
        done.map_err(|error| self.prepared.error(&self.test, &error))
    }

    /// How much of the search is done: combinations of ways through the threads.
    pub fn progress(&self) -> (usize, usize) {
        self.explorer.progress()
    }

    /// What has been found.
    pub fn finish(self) -> LitmusView {
        let answer = self.explorer.answer();
        Viewer::new(&self.test, &self.prepared).view(&answer)
    }
}

/// Sets of changes that a search for repairs evaluates at most.
const MOST_TRIES: u64 = 60_000;

/// The outcomes of a test that repairs are to forbid: those that it names, or those that no interleaving reaches.
pub fn bad_outcomes(test: &LitmusTest, view: &LitmusView) -> Vec<Vec<u64>> {
    if !test.bad.is_empty() {
        return test.bad.clone();
    }
    let outcomes = view.outcomes.as_deref().unwrap_or(&[]);
    let bad = outcomes.iter().filter(|outcome| !outcome.is_interleaving);
    bad.map(|outcome| outcome.values.clone()).collect()
}

/// A search for the weakest repairs that a host advances, and may leave.
pub struct RepairSearch {
    test: LitmusTest,
    prepared: Prepared,
    bad: Vec<Vec<u64>>,
    weakest: Weakest,
}

impl RepairSearch {
    /// Starts a search for what forbids these outcomes.
    pub fn new(test: LitmusTest, bad: Vec<Vec<u64>>) -> Result<RepairSearch, LitmusError> {
        let prepared = prepare(&test)?;
        let weakest = Weakest::new(prepared.question.clone(), &bad, MOST_TRIES);
        let weakest = weakest.map_err(|error| prepared.error(&test, &error))?;
        Ok(RepairSearch {
            test,
            prepared,
            bad,
            weakest,
        })
    }

    /// Tries about this many sets of changes; true when all are done.
    pub fn advance(&mut self, tries: u64) -> Result<bool, LitmusError> {
        let done = self.weakest.advance(tries);
        done.map_err(|error| self.prepared.error(&self.test, &error))
    }

    /// What has been found.
    pub fn finish(self) -> LitmusRepairs {
        let answer = self.weakest.answer();
        repairs::view(&self.test, &self.prepared, &answer, &self.bad)
    }
}

/// The weakest repairs of a test, from start to end.
pub fn repairs(test: &LitmusTest, view: &LitmusView) -> Result<LitmusRepairs, LitmusError> {
    let bad = bad_outcomes(test, view);
    let mut search = RepairSearch::new(test.clone(), bad)?;
    search.advance(u64::MAX)?;
    Ok(search.finish())
}
