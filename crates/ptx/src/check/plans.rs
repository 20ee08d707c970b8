//! What is found out once for each distinct opcode. In: its words; out: the plan that its instructions are compared with.

pub(crate) mod convert;
pub(crate) mod families;
pub(crate) mod judge;
pub(crate) mod load;
pub(crate) mod offer;
pub(crate) mod plan;
pub(crate) mod rules;
pub(crate) mod store;
pub(crate) mod store_async;
pub(crate) mod wmma_store;
