//! Common interface of all hosts, such as the page, the npm package and the command-line program, to checking and running kernels.
//!
//! - The input is a source in PTX or SASS, or a [`Scenario`], which contains a source and the parameters of its launch.
//! - The output is plain serializable data with the texts that hosts display, or a [`RequestError`].
//! - [`check()`] checks a source and returns a [`CheckReport`]. A [`Session`] runs a scenario, and returns the types of [`model`]. The
//!   functions of [`api`] execute requests of hosts with plain arguments.
//!
//! The types of [`model`] are serializable, because hosts send the same types from the worker to the page, return them to JavaScript, and
//! print them on the command line. These types contain no references to the machine.
//!
//! # Example
//!
//! Runs a kernel in which each thread stores its index, and reads the result.
//!
//! ```
//! use warpgrid_view::{MemoryKey, Scenario, Session};
//!
//! # fn main() -> Result<(), warpgrid_view::RequestError> {
//! let source = ".version 8.0
//! .target sm_80
//! .address_size 64
//! //@ launch grid=1 block=4
//! //@ buffer out: u32[4] = 0
//! .visible .entry k(.param .u64 out) {
//! .reg .b32 %t; .reg .b64 %q, %o;
//! mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
//! ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %t;
//! ret; }";
//! let scenario = Scenario { source: source.to_owned(), ..Scenario::default() };
//! let mut session = Session::new(scenario)?;
//! assert!(session.run(1_000));
//! let out = session.memory(&MemoryKey::Buffer("out".to_owned())).unwrap_or_default();
//! assert_eq!(out[4..8], 1u32.to_le_bytes());
//! # Ok(())
//! # }
//! ```

pub mod analysis;
pub mod api;
#[cfg(feature = "paste")]
pub mod assembler;
pub mod compiled_file;
pub mod diagnostics;
pub mod expression;
pub mod json;
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
#[cfg(feature = "paste")]
pub use crate::source::front_ends::host_tokens;
#[cfg(feature = "ptx")]
pub use crate::source::front_ends::starts_with_module_header;
pub use crate::source::language::{Language, ParseCoverage};
pub use crate::source::reference::explain;
pub use warpgrid_program::container::HostLanguage;
pub use warpgrid_program::counted;
// Export the launch types that hosts use, because hosts depend only on this crate.
pub use warpgrid_emulator::WriterTracking;
pub use warpgrid_launch::{
    Parameter, Scenario, Schedule, SourceLanguage, annotations, diagnostics::NO_SUCH_KERNEL,
    scenario, value,
};

/// Formats a source in its detected language. The result contains the same tokens and comments, with one statement per line. All
/// lines of the result have the line ending of the first line.
pub fn format(source: &str) -> String {
    Language::from(SourceLanguage::of_source(source)).format(source)
}

/// Checks whether the instructions of a text are embedded in host source code or in the lines of a log. Hosts without the feature `paste`
/// must not pass texts with embedded instructions to this crate.
pub fn is_wrapped(source: &str) -> bool {
    warpgrid_program::container::ContainerFormat::of_source(source).is_some()
}

/// Returns the number of valid and of invalid lines of a text in its detected language. If a text has no valid statements, its actual
/// language can differ from the detected language.
pub fn understanding(source: &str) -> ParseCoverage {
    let front = SourceLanguage::of_source(source);
    Language::from(front).understanding(source, &source::reference::opcodes(front))
}
