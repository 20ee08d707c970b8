//! Outlines of instructions without a row: names, words, gates and kinds of operands, as assembler 13.5 has them. A row in
//! `forms` takes the place of an outline.

use crate::form::outline::Outline;

pub mod texture;

/// Every outline.
pub static OUTLINES: &[&[Outline]] = &[texture::OUTLINES];
