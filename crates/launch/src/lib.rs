//! Creates the launch of a checked program from a scenario.
//!
//! - Input and output: a [`Scenario`], whose fields take precedence over the `//@` annotations of the source; a machine at its start, and
//!   the list of inferred values. The crate infers the parameters, buffers and launch dimensions that neither the scenario nor the
//!   source specifies, and validates the inferred values in trial runs.
//! - The crate also compares memory with the expectations of a scenario after a run.
//! - Tests: `cargo test -p warpgrid-launch`.

pub mod annotations;
pub mod diagnostics;
pub mod expect;
pub mod fault;
mod inference;
pub mod initial_registers;
pub mod instruction_summary;
mod parameter_matching;
pub mod pattern;
pub mod prepare;
pub mod scenario;
mod trial_run;
pub mod value;

pub use annotations::Annotations;
pub use diagnostics::LaunchDiagnostic;
pub use parameter_matching::mistyped_names;
pub use prepare::{DEFAULT_BLOCK, PreparedLaunch, prepare};
pub use scenario::{Parameter, Scenario, SourceLanguage};
