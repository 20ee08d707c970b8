//! Issue of asynchronous copies, and tensor map operations.

pub(crate) mod async_operation_builder;
pub(crate) mod start;
pub(crate) mod tensor_copy;
pub(crate) mod tensor_map;
