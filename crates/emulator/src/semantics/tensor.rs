//! Bit-exact model of the Tensor Cores: computes the elements of D = A * B + C for a given Tensor Core generation.
//!
//! A [`MmaDescription`] (instruction, types, generation) is compiled to a [`TensorCoreModel`]. The model computes an
//! element of D from a row of A, a column of B and an element of C. [`TensorCoreModel::explain`] performs the same
//! computation and records each step.
//!
//! The PTX ISA does not define the precision, the order of summation and the NaN handling of floating-point products.
//! The rules in this module combine two sources: the models of F. A. Khattak and M. Mikaitis, "Accurate Models of
//! NVIDIA Tensor Cores" (arXiv 2512.07004), and P. Xie et al., "MMA-Sim" (arXiv 2511.10909), which were compared with
//! GPUs; and the instruction sequences that the reference assembler generates.
//!
//! - `algorithm`: number of products per fused sum, and precision, for each generation.
//! - `unpacked_float`, `fused_sum`: the fused sum of a block.
//! - `ieee`: IEEE operations for `f64` products and for products that are implemented in software.
//! - `block_scaling`: scale factors of rows and columns.
//! - `integer`: exact sums of integer products.
//! - `model`: the compiled computation of elements and matrices.
//! - `trace`: the steps of a computation as data.
//! - `float_conversion`: conversions between operand bits and values.

pub(crate) mod algorithm;
pub(crate) mod block_scaling;
pub(crate) mod float_conversion;
pub(crate) mod fused_sum;
pub(crate) mod ieee;
pub(crate) mod integer;
pub(crate) mod model;
pub(crate) mod trace;
pub(crate) mod unpacked_float;

pub use crate::semantics::tensor::algorithm::{
    BitOp, Fp16SumRule, IntegerOverflow, MmaDescription, MmaInstruction, UnsupportedMma,
};
pub use crate::semantics::tensor::block_scaling::{ScaleType, ScaledOperandLine};
pub use crate::semantics::tensor::float_conversion::{MmaOperandValues, nearest_bits, value_of};
pub use crate::semantics::tensor::model::TensorCoreModel;
pub use crate::semantics::tensor::trace::{
    BlockStep, MmaStep, MmaTrace, SpecialSum, TermSource, TermStep,
};
