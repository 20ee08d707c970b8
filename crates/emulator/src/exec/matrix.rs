//! Matrix multiplications, loads and stores of matrix operands, and tensor memory.

pub(crate) mod lines;
pub(crate) mod operand_tiles;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod shared_operand;
pub(crate) mod tcgen05_mma;
pub(crate) mod tensor_memory;
pub(crate) mod wgmma;
