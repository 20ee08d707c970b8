//! Data of one step: the stores of each lane, matrices, tensor operations, and a summary sentence. Input: events of the machine, and
//! registers before and after the step. Output: plain data of [`model`](crate::model).

pub(crate) mod counterpart;
pub(crate) mod matrix;
pub(crate) mod pending;
#[cfg(test)]
mod pending_tests;
pub(crate) mod sentence;
pub(crate) mod stores;
pub(crate) mod tensor;
pub(crate) mod warp;
