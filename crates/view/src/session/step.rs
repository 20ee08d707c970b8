//! What one step was: which lanes stored what and where, its matrices, its part on the tensor units, and one sentence about it. In:
//! events of the machine and registers before and after; out: plain data of [`model`](crate::model).

pub(crate) mod counterpart;
pub(crate) mod matrix;
pub(crate) mod pending;
#[cfg(test)]
mod pending_tests;
pub(crate) mod sentence;
pub(crate) mod stores;
pub(crate) mod tensor;
pub(crate) mod warp;
