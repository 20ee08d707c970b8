//! The PTX front end: converts PTX source into a checked [`Program`](warpgrid_program::Program).
//!
//! - Input and output: source text with target and version overrides; diagnostics with fixes, tokens, hover, completion, reference
//!   pages, and a program if no diagnostic is an error.
//! - The parser never fails: it produces a tree with error nodes for any text.
//! - Tests: `cargo test -p warpgrid-ptx`.

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
pub(crate) mod target_context;
pub mod tokens;
pub mod tree;

pub use crate::check::{CheckedSource, check};
pub use crate::complete::{complete, signature};
pub use crate::edit::Editor;
pub use crate::format::format;
pub use crate::front_end::Ptx;
pub use crate::hover::hover;
pub use crate::parser::{Parse, parse};
pub use crate::tokens::tokens;
pub use crate::tree::Tree;
