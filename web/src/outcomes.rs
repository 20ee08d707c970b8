//! Every outcome of a few threads: the test as it is written, what the core has said of it, and which outcome is shown;
//! `components::outcomes` shows it.

mod link;
mod plan;
mod samples;

pub use link::{read_link, write_link};
pub use plan::{Arrow, NodeBox, Plan, plan};
pub use samples::{SAMPLES, Sample};

use std::rc::Rc;
use warpgrid_view::memory_model::litmus::{GraphView, LitmusError, LitmusRepairs, LitmusView};

/// The view as it is set, and what the core has said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomesPage {
    pub text: Rc<str>,
    pub answer: Option<Rc<LitmusView>>,
    pub error: Option<Rc<LitmusError>>,
    /// The outcome whose execution is drawn, by its number among the allowed ones and then the forbidden ones.
    pub chosen: usize,
    pub repairs: Found,
    /// The request whose answer is awaited; 0 for none.
    pub asked: u32,
}

/// The weakest repairs, with the text that each makes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Found {
    #[default]
    Unasked,
    Asked,
    Repairs(Rc<(LitmusRepairs, Vec<String>)>),
}

impl OutcomesPage {
    /// A page that knows nothing yet.
    pub fn new(text: Rc<str>) -> OutcomesPage {
        OutcomesPage {
            text,
            answer: None,
            error: None,
            chosen: 0,
            repairs: Found::Unasked,
            asked: 0,
        }
    }

    /// The execution that is drawn, and why it cannot be where it is forbidden.
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

/// The outcome to show first: one that no interleaving reaches, or the first.
pub fn first_choice(answer: &LitmusView) -> usize {
    let allowed = answer.outcomes.as_deref().unwrap_or(&[]);
    let odd = allowed.iter().position(|outcome| !outcome.is_interleaving);
    odd.unwrap_or(match answer.forbidden.is_empty() {
        true => 0,
        false => allowed.len(),
    })
}
