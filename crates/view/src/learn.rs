//! Puzzles and guided tours. The module takes Markdown files and answers of users, and returns the content that the page displays,
//! positions of a run, and the verdict on an answer.
//!
//! Each puzzle and each tour is one Markdown file. The page displays the files and calls this module to evaluate them. The tests solve
//! every puzzle and follow every tour. Only the WebAssembly module of the emulator that the page loads on demand contains this code.
//!
//! - `lesson_file` parses a file into fields, prose and a kernel. `prose` parses the prose.
//! - `lesson_position` parses the position of a run that a tour or puzzle specifies. `quantity` measures a quantity at this position, and
//!   compares the value with an answer.
//! - `puzzle` asks the user to predict a quantity or to write lines. `tour` guides the user through a sequence of positions, with facts
//!   that hold at these positions.
//! - `thumbnail` draws a small image of the stores of a kernel.

pub(crate) mod lesson_file;
pub(crate) mod lesson_position;
pub(crate) mod prose;
pub mod puzzle;
pub(crate) mod quantity;
pub(crate) mod thumbnail;
pub mod tour;

pub use crate::learn::lesson_position::LessonPosition;
pub use crate::learn::prose::{Inline, Prose};
pub use crate::learn::quantity::{Quantity, QuantityValue};
pub use crate::learn::thumbnail::thumbnail;

use crate::request_error::RequestError;
use crate::session::Session;
use crate::source::language::Language;
use warpgrid_emulator::WriterTracking;
use warpgrid_launch::{Scenario, SourceLanguage};

/// Step limit of runs in puzzles and tours.
pub const MAX_STEPS: u64 = 100_000;

/// Opens a session of the source, with the launch configuration that the source specifies.
pub(crate) fn launched(source: &str) -> Result<Session, RequestError> {
    let front = SourceLanguage::of_source(source);
    let scenario = Scenario {
        front,
        source: source.to_owned(),
        ..Scenario::default()
    };
    Language::from(front).session(scenario, WriterTracking::LastWriter)
}
