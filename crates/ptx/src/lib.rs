//! PTX text in, checked program out: tokens, an error-tolerant tree, and diagnostics as data.

pub mod check;
pub mod complete;
pub mod diagnostics;
pub(crate) mod format;
pub(crate) mod front_end;
pub mod hover;
pub(crate) mod lexer;
pub(crate) mod module;
pub(crate) mod opcode;
pub mod parser;
pub mod tokens;
pub mod tree;
pub mod visible;

pub use crate::check::{Checked, check};
pub use crate::complete::{complete, signature};
pub use crate::format::format;
pub use crate::front_end::Ptx;
pub use crate::hover::hover;
pub use crate::parser::{Parse, parse};
pub use crate::tokens::tokens;
pub use crate::tree::Tree;
