//! What the page knows of the run in the worker.

use crate::protocol::{LaunchFacts, OrderAnswer, Refusal};
use std::rc::Rc;
use warpgrid_view::analysis::cell_history::CellPlace;
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::layouts::inspector::Cured;
use warpgrid_view::model::{CellHistory, Frame};
use warpgrid_worker::traffic::TrafficWords;

/// The run as last reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Counts the launches.
    pub launch: u32,
    /// The text that the frame belongs to.
    pub launched_revision: u32,
    /// A launch was asked for and no frame of it has come yet.
    pub waiting_for_launch: bool,
    pub facts: Option<Rc<LaunchFacts>>,
    pub frame: Option<Rc<Frame>>,
    /// The launch that the frame belongs to.
    pub frame_launch: u32,
    pub refusal: Option<Rc<Refusal>>,
    /// What the run cost, as far as it is counted.
    pub traffic: Option<Rc<TrafficWords>>,
    /// What other orders end with, once they were tried.
    pub orders: Option<Rc<SeedReport>>,
    /// Data races and hangs, once they were looked for.
    pub order: Option<Rc<OrderAnswer>>,
    /// They were asked for since the launch.
    pub order_asked: bool,
    /// The text that was launched.
    pub text: Rc<str>,
    /// What was found of the launch before, until this one is looked through.
    pub before: Option<Rc<Findings>>,
    /// The text without bank conflicts, or why there is none; once it was asked for.
    pub cure: Cure,
    /// The stores to the pinned cell, once they were asked for.
    pub history: History,
    pub busy: Option<Busy>,
}

/// What was found of a launch beside its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub text: Rc<str>,
    pub order: Option<Rc<OrderAnswer>>,
    pub orders: Option<Rc<SeedReport>>,
}

/// The stores to a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// What was asked last: of which cell, in how many steps, at which position.
    pub asked: Option<(CellPlace, u64, u64)>,
    pub found: Option<Rc<CellHistory>>,
}

impl History {
    /// What was found of a cell.
    pub fn of(&self, place: &CellPlace) -> Option<&Rc<CellHistory>> {
        let found = self.found.as_ref()?;
        let is_same = (&found.memory, found.offset) == (&place.memory, place.offset)
            && (found.n_bytes, found.ty) == (place.n_bytes, place.ty);
        is_same.then_some(found)
    }
}

/// The text without bank conflicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cure {
    /// Not asked for yet.
    #[default]
    Unasked,
    /// The core looks for it.
    Asked,
    Found(Rc<Cured>),
    /// There is none, and why.
    Refused(Rc<str>),
}

/// A move that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    pub id: u32,
    /// How far it has come, once it has taken long enough to be reported.
    pub position: Option<u64>,
}

impl Run {
    /// What is known of this launch.
    pub fn findings(&self) -> Findings {
        Findings {
            text: Rc::clone(&self.text),
            order: self.order.clone(),
            orders: self.orders.clone(),
        }
    }

    /// Whether a run takes so long that a person may stop it.
    pub fn is_long(&self) -> bool {
        self.busy.is_some_and(|busy| busy.position.is_some())
    }

    /// Steps that have been taken, however far the page has gone back.
    pub fn steps_seen(&self) -> u64 {
        self.frame
            .as_ref()
            .map_or(0, |frame| frame.length.unwrap_or(frame.position))
    }

    /// The end of the scrubber: the length of the run, or the farthest known place.
    pub fn known_length(&self) -> u64 {
        let Some(frame) = &self.frame else { return 0 };
        let last_tick = frame.store_steps.last().copied().unwrap_or(0);
        frame
            .length
            .unwrap_or_else(|| frame.position.max(last_tick))
    }
}
