//! The facade for all hosts: a [`Session`] runs a [`Scenario`] and returns plain serializable data with the texts that hosts display.
//!
//! The types of [`model`] are serializable, because hosts send the same types from the worker to the page, return them to JavaScript, and
//! print them on the command line. These types contain no references to the machine.

pub mod analysis;
pub mod api;
pub mod compiled_file;
pub mod diagnostics;
pub mod expression;
pub mod layouts;
pub mod learn;
pub mod memory_export;
pub mod memory_model;
pub mod model;
pub(crate) mod request_error;
pub mod session;
pub mod source;
pub mod url_encoding;

pub use crate::request_error::RequestError;
pub use crate::session::Session;
pub use crate::session::hybrid::HybridSession;
pub use crate::session::memory_id::MemoryKey;
pub use crate::source::check::{CheckOptions, CheckReport, check};
pub use crate::source::document::Document;
pub use crate::source::language::{Language, ParseCoverage};
pub use crate::source::reference::explain;
pub use warpgrid_program::counted;
// Hosts depend only on this crate, so it exports the types of launches that hosts use.
pub use warpgrid_emulator::WriterTracking;
pub use warpgrid_launch::{
    Parameter, Scenario, SourceLanguage, annotations, diagnostics::NO_SUCH_KERNEL, scenario, value,
};

/// Formats a source in its detected language. Tokens and comments are preserved, with one statement per line. All lines of the result have
/// the line ending of the first line.
pub fn format(source: &str) -> String {
    Language::from(SourceLanguage::of_source(source)).format(source)
}

/// Checks whether the instructions of a text are embedded in host source code or in the lines of a log. Hosts without the feature `paste`
/// must not pass such a text to this crate.
pub fn is_wrapped(source: &str) -> bool {
    warpgrid_program::container::ContainerFormat::of_source(source).is_some()
}

/// Returns how much of a text is valid in its detected language. A text without valid statements can be written in any language.
pub fn understanding(source: &str) -> ParseCoverage {
    let front = SourceLanguage::of_source(source);
    Language::from(front).understanding(source, &source::reference::opcodes(front))
}
