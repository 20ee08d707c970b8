//! Creates the launch of a checked program from a scenario.
//!
//! - Input: a program, a [`Scenario`], and the `//@` annotations of the source. The fields of the scenario take precedence over the
//!   annotations.
//! - Output: a machine at the start of its run, and the list of inferred values. The crate infers the parameters, buffers and launch
//!   dimensions that neither the scenario nor the source specifies, and validates the inferred values in trial runs.
//! - Main types: [`prepare`] creates a [`PreparedLaunch`]. [`Annotations`] contains the launch facts of a source, and [`Parameter`] is a
//!   kernel parameter of a scenario.
//! - After a run, [`expect`] and [`fault`] compare memory and faults with the expectations of a scenario.
//! - Tests: `cargo test -p warpgrid-launch`.
//!
//! # Example
//!
//! Parses the launch annotations of a PTX source.
//!
//! ```
//! use warpgrid_launch::Annotations;
//!
//! let source = "//@ launch grid=2 block=16x8\n//@ buffer out: f32[256] = 0\n";
//! let annotations = Annotations::parse(source, "//");
//! assert!(annotations.diagnostics.is_empty());
//! assert_eq!(annotations.scenario.grid, Some([2, 1, 1]));
//! assert_eq!(annotations.scenario.params[0].name(), "out");
//! ```

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
pub mod schedule;
mod trial_run;
pub mod value;

pub use annotations::Annotations;
pub use diagnostics::LaunchDiagnostic;
pub use parameter_matching::mistyped_names;
pub use prepare::{DEFAULT_BLOCK, PreparedLaunch, prepare};
pub use scenario::{Parameter, Scenario, SourceLanguage};
pub use schedule::Schedule;
