//! The facade that every host holds, and what it shows: a [`Scenario`] goes in, a [`Session`] runs it,
//! plain data in the screen's words comes out.
//!
//! The types of [`model`] are deliberately serialisable: they cross from the worker to the page, to
//! JavaScript and to the command line as they are. No handle into the core leaks through them.

pub mod annotations;
pub mod assist;
mod catalogue;
pub mod check;
pub mod expect;
mod fault;
pub mod fragment;
pub mod grid;
mod guess;
pub mod launch;
mod memories;
pub mod model;
pub mod reference;
mod rehearsal;
pub mod scenario;
mod sentence;
pub mod session;
mod stores;
pub mod value;
pub mod warp;

pub use check::{CheckOptions, CheckReport, check};
pub use reference::explain;
pub use scenario::{Front, Parameter, Scenario};
pub use session::{Session, SessionError};

/// A PTX source, formatted: the same tokens and comments, one statement a line.
pub fn format(source: &str) -> String {
    warpgrid_ptx::format(source)
}
