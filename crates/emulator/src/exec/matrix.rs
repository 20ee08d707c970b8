//! Matrix multiplications, their operands in memory, and tensor memory.

pub(crate) mod factor;
pub(crate) mod lines;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod tensor_memory;
pub(crate) mod tensor_product;
pub(crate) mod tiles;
pub(crate) mod warpgroup;
