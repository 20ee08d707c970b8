//! Function bodies. In: instructions and their plans; out: instructions of the program with their operands.

pub(crate) mod address;
pub(crate) mod call;
pub(crate) mod control;
pub(crate) mod elements;
pub(crate) mod function;
pub(crate) mod lower;
pub(crate) mod moves;
pub(crate) mod operand;
pub(crate) mod prologue;
pub(crate) mod snippet;
pub(crate) mod statement;
pub(crate) mod store;
pub(crate) mod store_async;
pub(crate) mod store_async_sources;
pub(crate) mod wmma_store;
