//! What one instruction does to the state: a file a family.

pub(crate) mod access;
pub(crate) mod alu_float;
pub(crate) mod alu_int;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod cluster;
pub(crate) mod collective;
pub(crate) mod compare;
pub(crate) mod compute;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod copies;
pub(crate) mod elementary;
pub(crate) mod elements;
pub(crate) mod even;
pub(crate) mod fused;
#[cfg(test)]
mod known_tests;
pub(crate) mod machine;
mod matrix;
pub(crate) mod matrix_lines;
pub(crate) mod matrix_rows;
pub(crate) mod mbarrier;
pub(crate) mod memory_ops;
pub(crate) mod mode;
pub(crate) mod narrow;
pub(crate) mod pack;
pub(crate) mod partial_load;
pub(crate) mod predicate;
pub(crate) mod rare;
pub(crate) mod reach;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod select;
pub(crate) mod soft;
#[cfg(test)]
mod soft_tests;
pub(crate) mod started;
pub(crate) mod step;
pub(crate) mod system;
pub mod tensor;
pub(crate) mod vectors;
pub(crate) mod video;
pub(crate) mod waits;
pub(crate) mod write;
