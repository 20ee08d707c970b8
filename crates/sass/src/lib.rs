//! The SASS front end: converts listings of machine code into checked programs.
//!
//! The input is the output of a disassembler, or a few lines of SASS. The output consists of diagnostics, tokens, help, and a program.
//!
//! - `syntax`: text to a tree, and back.
//! - `check`: the tree against the tables, for the architecture that the text states.
//! - `assist`: what an editor asks about a text.
//! - `diagnostics`: the catalogue of findings.
//! - `listing`: the statements of a tree put together: functions with addresses, sections with their bytes.
//! - `lower`: instructions to those of the contract, one file a family.
//! - `program`: a tree to a program.

mod assist;
mod check;
mod diagnostics;
mod environment;
mod front_end;
pub mod listing;
mod lower;
mod mnemonic;
mod program;
pub mod syntax;

pub use front_end::Sass;
