//! PTX front end: converts PTX source into a checked [`Program`](warpgrid_program::Program).
//!
//! - Input: source text, with an optional override of the target and the PTX ISA version.
//! - Output: diagnostics with fixes, semantic tokens, hover text, completion and reference pages. If no diagnostic is an error, the output
//!   also contains a program.
//! - Main types: [`Ptx`] implements [`FrontEnd`](warpgrid_program::FrontEnd). [`parse()`] returns a [`Parse`] with the syntax [`Tree`], and
//!   [`check()`] converts the tree to a [`CheckedSource`].
//! - The parser accepts any text: it represents malformed statements by error nodes in the tree.
//! - Tests: `cargo test -p warpgrid-ptx`.
//!
//! # Example
//!
//! Checks a kernel that consists of one instruction.
//!
//! ```
//! use warpgrid_program::Overrides;
//! use warpgrid_ptx::{check, parse};
//!
//! let source = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
//! let checked = check(source, &parse(source), &Overrides::default());
//! assert!(checked.accept());
//! assert!(checked.program.is_some());
//! ```

pub mod check;
pub mod complete;
pub mod diagnostics;
pub(crate) mod edit;
pub(crate) mod format;
pub(crate) mod front_end;
pub mod hover;
pub(crate) mod lexer;
pub mod name_completion;
pub(crate) mod opcode;
pub mod parser;
pub mod reduce;
pub(crate) mod symbols;
pub(crate) mod target_context;
pub mod tokens;
pub mod tree;

pub use crate::check::{CheckedSource, check};
pub use crate::complete::{complete, signature};
pub use crate::edit::Editor;
pub use crate::format::format;
pub use crate::front_end::{Ptx, starts_with_module_header};
pub use crate::hover::hover;
pub use crate::parser::{Parse, parse};
pub use crate::tokens::tokens;
pub use crate::tree::Tree;
