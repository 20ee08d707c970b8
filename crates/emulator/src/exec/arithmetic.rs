//! Execution of instructions that modify only registers.

pub(crate) mod alu;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float;
#[cfg(test)]
mod hardware_result_tests;
pub(crate) mod integer;
pub(crate) mod pack;
pub(crate) mod predicate;
pub(crate) mod sass;
pub(crate) mod select;
pub(crate) mod video;
