//! SASS front end: converts disassembly listings into checked programs.
//!
//! The input is the output of a disassembler, or a few lines of SASS. The output consists of diagnostics, tokens, help, and a program.
//!
//! - `syntax`: parser and printer.
//! - `check`: validates the tree against the tables, for the architecture that the source specifies.
//! - `assist`: editor features.
//! - `diagnostics`: catalog of diagnostics.
//! - `listing`: assembles the statements of a tree into functions with addresses and sections with their bytes.
//! - `lower`: lowering of instructions to operations of the program, one file per family.
//! - `program`: builds a program from a tree.

mod assist;
mod check;
mod diagnostics;
mod front_end;
pub mod listing;
mod lower;
mod lower_document;
mod store_modifiers;
pub mod syntax;
mod target_abi;

pub use front_end::Sass;
