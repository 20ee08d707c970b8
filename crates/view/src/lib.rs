//! The facade that every host holds, and what it shows: a [`Scenario`] goes in, a [`Session`] runs it,
//! plain data in the screen's words comes out.
//!
//! The types of [`model`] are deliberately serialisable: they cross from the worker to the page, to
//! JavaScript and to the command line as they are. No handle into the core leaks through them.

pub mod annotations;
pub mod check;
pub mod expect;
pub mod guess;
pub mod model;
pub mod scenario;
pub mod session;
pub mod value;

pub use check::{CheckOptions, CheckReport, check};
pub use scenario::{Front, Parameter, Scenario};
pub use session::{Session, SessionError};
