//! Creates the launch of a checked program from a scenario.
//!
//! - Input and output: a [`Scenario`], whose fields take precedence over the `//@` annotations of the source; a machine at its start, and
//!   the list of inferred values. The crate infers the parameters, buffers and launch dimensions that neither specifies, and tries them
//!   in a trial run.
//! - The crate also compares memory with the expectations of a scenario after a run.
//! - Tests: `cargo test -p warpgrid-launch`.

pub mod annotations;
pub mod catalogue;
pub mod expect;
pub mod fault;
mod guess;
mod names;
pub mod pattern;
pub mod prepare;
pub mod reading;
pub mod registers;
mod rehearsal;
pub mod scenario;
pub mod value;

pub use annotations::Annotations;
pub use catalogue::LaunchDiagnostic;
pub use names::mistyped_names;
pub use prepare::{DEFAULT_BLOCK, PreparedLaunch, prepare};
pub use scenario::{Parameter, Scenario, SourceLanguage};
