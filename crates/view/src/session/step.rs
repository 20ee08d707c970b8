//! Collection and conversion of the data of one step: the stores of each lane, matrices, tensor operations, and a summary sentence. The
//! module takes events of the machine, and the register contents before and after the step, and returns plain data of
//! [`model`](crate::model).

pub(crate) mod async_operations;
pub(crate) mod compact_store;
pub(crate) mod counterpart;
pub(crate) mod effects;
pub(crate) mod matrix;
#[cfg(test)]
mod pending_tests;
pub(crate) mod results;
pub(crate) mod stores;
pub(crate) mod summary_sentence;
pub(crate) mod tensor;
pub(crate) mod tensor_memory_access;
pub(crate) mod warp;
