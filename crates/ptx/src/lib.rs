//! PTX text in, checked program out: tokens, an error-tolerant tree, and diagnostics as data.

pub mod check;
pub mod complete;
pub mod diagnostics;
mod format;
mod front_end;
pub mod hover;
mod lexer;
mod module;
mod opcode;
pub mod parser;
pub mod tokens;
pub mod tree;
pub mod visible;

pub use check::{Checked, check};
pub use complete::{complete, signature};
pub use format::format;
pub use front_end::Ptx;
pub use hover::hover;
pub use parser::{Parse, parse};
pub use tokens::tokens;
pub use tree::Tree;
