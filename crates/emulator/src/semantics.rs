//! Results of operations on values, independent of decoded code: integer instructions, rounding, narrow formats,
//! approximations, tensor-core arithmetic, register rows.

pub(crate) mod approximate;
pub(crate) mod approximate_tables;
pub mod compare;
pub(crate) mod fused;
pub mod integer;
pub(crate) mod mode;
pub(crate) mod narrow;
pub(crate) mod ops;
pub(crate) mod registers;
pub(crate) mod soft;
#[cfg(test)]
mod soft_tests;
pub(crate) mod sparse;
pub mod tensor;
pub mod word;
