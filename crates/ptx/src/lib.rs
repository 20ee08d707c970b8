//! PTX text in, checked program out: tokens, an error-tolerant tree, and diagnostics as data.

pub mod check;
pub mod diagnostics;
mod format;
mod lexer;
pub mod parser;
pub mod tokens;
pub mod tree;

pub use check::{Checked, Options, check};
pub use format::format;
pub use parser::{Parse, parse};
pub use tokens::{Token, TokenClass, tokens};
pub use tree::Tree;
