//! What a tensor core computes, bit for bit: one element of D = A * B + C, by generation.
//!
//! A [`Product`] (instruction, types, generation) goes in and becomes a [`Plan`]; a row of A, a column of B and an element of C become
//! the bits of an element of D. [`Plan::explain`] does the same and keeps every step.
//!
//! The manual leaves precision, order and NaN of floating-point products to the hardware. The rules here are those of
//! F. A. Khattak and M. Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004), and P. Xie et al., "MMA-Sim"
//! (arXiv 2511.10909), which were compared with GPUs, and of the instructions that the reference assembler makes.
//!
//! - `rule`: which generation adds how many products at once, with how many bits.
//! - `number`, `fused`: the fused sum of a block.
//! - `ieee`: chains of IEEE operations (`f64`, and where products are software).
//! - `scaled`: factors of rows and columns.
//! - `integer`: exact sums.
//! - `explain`: the steps as data.
//! - `value`: numbers of these types.

pub(crate) mod explain;
pub(crate) mod fused;
pub(crate) mod ieee;
pub(crate) mod integer;
pub(crate) mod number;
pub(crate) mod plan;
pub(crate) mod rule;
pub(crate) mod scaled;
pub(crate) mod value;

pub use crate::semantics::tensor::explain::{
    BlockStep, Explanation, Special, Step, TermSource, TermStep,
};
pub use crate::semantics::tensor::plan::Plan;
pub use crate::semantics::tensor::rule::{
    BitOp, Overflow, Product, ProductOp, SumRule, UnsupportedProduct,
};
pub use crate::semantics::tensor::scaled::{FactorType, ScaledLine};
pub use crate::semantics::tensor::value::{ProductValues, nearest_bits, value_of};
