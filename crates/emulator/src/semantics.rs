//! Results of operations on values, independent of decoded code: integer instructions, rounding, narrow formats,
//! approximations, tensor-core arithmetic, register rows.

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
