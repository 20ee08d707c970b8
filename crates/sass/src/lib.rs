//! SASS front end: converts disassembly listings into checked programs.
//!
//! - Input: the output of a disassembler (`cuobjdump`, `nvdisasm` and others), or a few lines of SASS, with an optional target.
//! - Output: diagnostics, semantic tokens, hover text, completion, reference pages, and a program.
//! - Main types: [`Sass`] implements [`FrontEnd`](warpgrid_program::FrontEnd). [`syntax::Tree`] is the syntax tree of a source, and
//!   [`listing::Listing`] contains its functions and sections.
//!
//! Modules:
//!
//! - `syntax`: parser and printer.
//! - `check`, `store_modifiers`: validation of the tree against the tables, for the architecture that the source specifies.
//! - `assist`: editor features.
//! - `diagnostics`: catalog of diagnostics.
//! - `listing`: assembles the statements of a tree into functions with addresses and sections with their bytes.
//! - `lower`: lowering of instructions to operations of the program, with one file per instruction family.
//! - `target_abi`: layout of the launch data in constant bank 0, by architecture.
//! - `lower_document`: builds a program from a tree.
//!
//! # Example
//!
//! Checks two instructions for `sm_90`.
//!
//! ```
//! use warpgrid_isa::Target;
//! use warpgrid_program::{FrontEnd, Overrides};
//! use warpgrid_sass::Sass;
//!
//! let overrides = Overrides { target: Target::from_name("sm_90"), ..Overrides::default() };
//! let result = Sass.check("IADD3 R0, R1, R2, RZ;\nEXIT;\n", &overrides);
//! assert!(result.program.is_some());
//! ```

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
