//! The facade for all hosts: a [`Session`] runs a [`Scenario`] and returns plain serializable data with the texts that hosts show.
//!
//! The types of [`model`] are deliberately serialisable: they cross from the worker to the page, to
//! JavaScript and to the command line as they are. No handle into the core leaks through them.

pub mod address;
pub mod analysis;
pub mod api;
pub mod assist;
pub mod blocks;
#[cfg(test)]
mod blocks_tests;
pub mod catalogue;
pub mod check;
mod document;
pub mod expect;
pub mod expression;
mod failure;
mod fault;
pub mod fields;
pub mod file;
pub mod find;
pub mod fragment;
pub mod front_ends;
pub mod grid;
mod held;
pub mod inspect;
pub mod language;
pub mod layout;
pub mod learn;
pub mod lens;
pub mod litmus;
pub mod mbarriers;
mod memories;
pub mod memory_id;
pub mod model;
pub mod order;
pub mod picture;
pub mod product;
pub mod reference;
pub mod session;
#[cfg(feature = "translate")]
pub mod shared;
pub mod start;
mod step;
mod terms;
mod traffic;
#[cfg(feature = "translate")]
pub mod translated;
pub mod until;

pub use check::{CheckOptions, CheckReport, check};
pub use document::Document;
pub use failure::Failure;
pub use held::HeldSession;
pub use language::{Language, Understanding};
pub use memory_id::MemoryId;
pub use reference::explain;
pub use session::Session;
pub use warpgrid_program::counted;
// Hosts see one door: what they need of launches comes through here.
pub use warpgrid_launch::{
    Front, Parameter, Scenario, annotations, catalogue::NO_SUCH_KERNEL, prepare::Writers, scenario,
    value,
};

/// Formats a source in the language that it shows: the same tokens and comments, one statement per line. Lines end as the
/// first one does.
pub fn format(source: &str) -> String {
    Language::from(Front::of_source(source)).format(source)
}

/// Whether the instructions of a text stand within something else: in source code, or among the lines of a log. Hosts without the feature
/// `paste` must not be given any such text.
pub fn is_wrapped(source: &str) -> bool {
    warpgrid_program::wrapped::Wrapping::of_source(source).is_some()
}

/// How much of a text is understood in the language that it shows: a text of which nothing is may be anything.
pub fn understanding(source: &str) -> Understanding {
    let front = Front::of_source(source);
    Language::from(front).understanding(source, &reference::opcodes(front))
}
