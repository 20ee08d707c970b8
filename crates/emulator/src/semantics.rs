//! Arithmetic semantics of instructions, independent of decoded code: integer arithmetic, rounding, narrow
//! floating-point formats, special functions, Tensor Core arithmetic, and the register file of a warp.

pub(crate) mod alu_ops;
pub mod compare;
pub(crate) mod fma_emulation;
pub mod integer;
pub(crate) mod narrow_float;
pub(crate) mod registers;
pub(crate) mod rounding;
pub(crate) mod softfloat;
#[cfg(test)]
mod softfloat_tests;
pub(crate) mod sparse;
pub(crate) mod special_function;
pub(crate) mod special_function_tables;
pub mod tensor;
pub mod word;
