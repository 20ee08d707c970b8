//! SASS, the machine code, to the contract of the front ends. A listing of a disassembler goes in as it is printed, or a few
//! lines that a person wrote; diagnostics, tokens and help come out.
//!
//! - `syntax`: text to a tree, and back.
//! - `check`: the tree against the tables, for the architecture that the text states.
//! - `assist`: what an editor asks about a text.
//! - `diagnostics`: the catalogue of findings.

mod assist;
mod check;
mod diagnostics;
mod front_end;
mod mnemonic;
pub mod syntax;

pub use front_end::Sass;
