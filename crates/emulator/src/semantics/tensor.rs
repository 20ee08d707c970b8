//! Bit-exact model of the Tensor Cores: computes one element of D = A * B + C for a given generation.
//!
//! A [`MmaDescription`] (instruction, types, generation) is compiled to a [`TensorCoreModel`]. The plan computes an element of D from a
//! row of A, a column of B and an element of C. [`TensorCoreModel::explain`] performs the same computation and records each step.
//!
//! The PTX ISA does not define precision, order and NaN handling of floating-point products. The rules in this module
//! are those of F. A. Khattak and M. Mikaitis, "Accurate Models of NVIDIA Tensor Cores" (arXiv 2512.07004), and P. Xie
//! et al., "MMA-Sim" (arXiv 2511.10909), which were compared with GPUs, and those of the instructions that the
//! reference assembler generates.
//!
//! - `rule`: number of products per fused sum, and precision, for each generation.
//! - `number`, `fused`: the fused sum of a block.
//! - `ieee`: chains of IEEE operations (`f64`, and products that are implemented in software).
//! - `scaled`: scale factors of rows and columns.
//! - `integer`: exact sums.
//! - `explain`: the steps as data.
//! - `value`: numbers of these types.

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
