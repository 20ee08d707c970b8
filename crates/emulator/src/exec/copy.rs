//! Starts of asynchronous copies, and tensor maps.

pub(crate) mod start;
pub(crate) mod started;
pub(crate) mod tensor_copy;
pub(crate) mod tensor_map;
