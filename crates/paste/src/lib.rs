//! Reads input formats that contain PTX or SASS: source code with inline assembly, assembler logs and object files.
//!
//! - Input and output: a text or the bytes of a file; the contained instructions, with the position of each in the input.
//! - The crate decompresses files within limits, and executes nothing.
//! - Tests: `cargo test -p warpgrid-paste`.

mod argument;
mod availability;
pub mod binary;
mod block;
mod calls;
mod constraint;
mod cpp;
pub mod diagnostics;
mod effects;
mod embedded;
mod escape;
mod fatbin;
mod front_end;
mod highlight;
mod host_document;
mod host_source;
mod log;
mod log_document;
mod log_hints;
mod operand_names;
mod operands;
mod parsed_block;
mod python;
mod scan;
mod template;
mod token_stream;

pub use block::{AsmBlock, AsmOperand, Purity, Unresolved, UnresolvedKind};
pub use constraint::{AsmDialect, ConstraintAccess, OperandKind};
pub use front_end::EmbeddedFrontEnd;
pub use host_source::{HostLanguage, HostSource};
