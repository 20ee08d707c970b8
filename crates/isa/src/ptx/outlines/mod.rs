//! Outlines of instructions without a row: names, words, gates and kinds of operands, as assembler 13.5 has them. A row in
//! `forms` takes the place of an outline.

use crate::form::outline::Outline;
use crate::target::TargetGate::{self, Family, OneOf};

pub mod matrix;
pub mod memory;
pub mod tensor;
pub mod texture;

/// Targets with tensor memory.
const TENSOR: TargetGate = OneOf(&[Family(100), Family(101)]);
/// Targets with the specific features of their family from `sm_100` on.
const BLACKWELL: TargetGate = OneOf(&[Family(100), Family(101), Family(120)]);

/// Every outline.
pub static OUTLINES: &[&[Outline]] = &[
    matrix::OUTLINES,
    tensor::OUTLINES,
    texture::OUTLINES,
    memory::OUTLINES,
];
