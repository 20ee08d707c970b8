//! Reader of input formats that contain PTX or SASS: source code with inline assembly, assembler logs and compiled files.
//!
//! - The input is a text, or the bytes of a compiled file.
//! - The output is the contained instructions with a source map to the input, and the results of a front end with positions in the input.
//! - Main types: [`EmbeddedFrontEnd`] extends a front end to texts with embedded instructions. [`HostSource`] extracts the inline assembly
//!   blocks of a source as [`AsmBlock`]s. [`binary::open`] reads cubins, fatbins and host object files.
//! - The crate decompresses files within limits, and executes nothing.
//! - Tests: `cargo test -p warpgrid-paste`.
//!
//! # Example
//!
//! Extracts the inline assembly of a C++ function.
//!
//! ```
//! use warpgrid_paste::HostSource;
//!
//! let source = r#"__device__ void f(int a) { asm volatile("add.s32 %0, %0, 1;" : "+r"(a)); }"#;
//! let host = HostSource::read(source).expect("the source contains an `asm` statement");
//! assert_eq!(host.n_blocks(), 1);
//!
//! let block = host.block(0, &[]).expect("the block exists");
//! assert_eq!(block.name, "f");
//! assert!(block.is_volatile);
//! ```

mod argument;
mod assembly_language;
mod availability;
pub mod binary;
mod block;
mod calls;
mod constraint;
mod cpp;
pub mod diagnostics;
mod effects;
pub mod elementwise;
mod embedded;
mod escape;
mod fatbin;
mod front_end;
mod highlight;
mod host_document;
mod host_source;
pub mod initializer;
mod log;
mod log_document;
mod log_hints;
mod operand_names;
mod operands;
mod parsed_block;
mod python;
mod scan;
mod split_scope;
mod symbols;
mod template;
mod token_stream;

pub use block::{AsmBlock, AsmOperand, Purity, Unresolved, UnresolvedKind};
pub use constraint::{AsmDialect, ConstraintAccess, OperandKind};
pub use front_end::EmbeddedFrontEnd;
pub use host_source::{HostLanguage, HostSource};
pub use log_hints::explain_remark;
