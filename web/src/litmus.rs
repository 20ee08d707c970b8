//! State of the litmus test view: the source of the test, the responses of the worker, and the selected outcome. `components::litmus`
//! renders it.

mod graph_layout;
mod link;
mod samples;

pub use graph_layout::{Arrow, GraphLayout, NodeBox, layout_graph};
pub use link::{read_link, write_link};
pub use samples::{SAMPLES, Sample};

use std::rc::Rc;
use warpgrid_view::memory_model::litmus::{GraphView, LitmusError, LitmusRepairs, LitmusView};

/// Settings of the litmus test view, and the last responses of the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct LitmusState {
    pub text: Rc<str>,
    pub answer: Option<Rc<LitmusView>>,
    pub error: Option<Rc<LitmusError>>,
    /// Index of the outcome whose execution graph is shown. The forbidden outcomes are numbered after the allowed outcomes.
    pub chosen: usize,
    pub repairs: RepairState,
    /// ID of the pending request to the worker. 0 if there is no pending request.
    pub asked: u32,
}

/// Search for the weakest fixes, each with the text of the fixed test.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RepairState {
    #[default]
    Unasked,
    Asked,
    Repairs(Rc<(LitmusRepairs, Vec<String>)>),
}

impl LitmusState {
    /// Returns the view of a test without results.
    pub fn new(text: Rc<str>) -> LitmusState {
        LitmusState {
            text,
            answer: None,
            error: None,
            chosen: 0,
            repairs: RepairState::Unasked,
            asked: 0,
        }
    }

    /// Returns the shown execution graph. If the outcome of the graph is forbidden, also returns the violated rule.
    pub fn shown(&self) -> Option<(&GraphView, Option<&str>)> {
        let answer = self.answer.as_deref()?;
        let allowed = answer.outcomes.as_deref().unwrap_or(&[]);
        match allowed.get(self.chosen) {
            Some(outcome) => Some((&outcome.graph, None)),
            None => {
                let forbidden = answer.forbidden.get(self.chosen - allowed.len())?;
                Some((&forbidden.graph, Some(&forbidden.violation.sentence)))
            }
        }
    }
}

/// Returns the outcome that is shown first: an outcome that is not sequentially consistent, otherwise the first forbidden outcome,
/// otherwise the first allowed outcome.
pub fn first_choice(answer: &LitmusView) -> usize {
    let allowed = answer.outcomes.as_deref().unwrap_or(&[]);
    let odd = allowed.iter().position(|outcome| !outcome.is_interleaving);
    odd.unwrap_or(match answer.forbidden.is_empty() {
        true => 0,
        false => allowed.len(),
    })
}
