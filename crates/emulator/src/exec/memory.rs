//! Loads, stores and atomic operations.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod even;
pub(crate) mod load;
pub(crate) mod multimem;
pub(crate) mod partial_load;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod resolve;
pub(crate) mod store;
