//! What people paste that is not PTX or machine code itself: source code with inline assembly, logs of an assembler, object files. A text or
//! a file goes in; the instructions in it come out, each with the place that it comes from. Knows no browser, and runs nothing.

mod advice;
mod argument;
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
mod gates;
mod highlight;
mod host;
mod host_document;
mod log;
mod log_document;
mod names;
mod operands;
mod pieces;
mod python;
mod raw;
mod scan;
mod template;

pub use block::{Block, BlockOperand, Missing, Unknown};
pub use constraint::{Dialect, OperandKind, Role};
pub use front_end::Pasted;
pub use host::{HostLanguage, HostText};
