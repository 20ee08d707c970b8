//! What people learn with: texts of puzzles and tours go in; what they show, where they lead, and whether an answer is right come out.
//!
//! A puzzle and a tour are one Markdown file each. The page shows them and asks here; so do the tests, which solve every puzzle and
//! follow every tour. Only the core that is loaded later links this.
//!
//! - `lesson_file`: a file as fields, prose and a kernel. `prose`: what is said, in pieces.
//! - `run_position`: a moment of a run. `quantity`: what can be asked of it, and whether an answer is right.
//! - `puzzle`: predict a quantity, or write lines; `tour`: stops of a run with facts that hold there.
//! - `thumbnail`: a small picture of what a text stores.

pub(crate) mod lesson_file;
pub(crate) mod prose;
pub mod puzzle;
pub(crate) mod quantity;
pub(crate) mod run_position;
pub(crate) mod thumbnail;
pub mod tour;

pub use crate::learn::prose::{Piece, Prose};
pub use crate::learn::quantity::{Found, Quantity};
pub use crate::learn::run_position::Moment;
pub use crate::learn::thumbnail::thumbnail;

use crate::request_error::Failure;
use crate::session::Session;
use crate::source::language::Language;
use warpgrid_launch::prepare::Writers;
use warpgrid_launch::{Front, Scenario};

/// Steps of a run that is learned from.
pub const MAX_STEPS: u64 = 100_000;

/// A launch of a text as it states it.
pub(crate) fn launched(source: &str) -> Result<Session, Failure> {
    let front = Front::of_source(source);
    let scenario = Scenario {
        front,
        source: source.to_owned(),
        ..Scenario::default()
    };
    Language::from(front).session(scenario, Writers::Tracked)
}
