//! What a machine is at one position: memory, registers, warps, blocks. Nothing here knows an instruction.

pub(crate) mod block;
pub(crate) mod layout;
pub(crate) mod memory;
pub(crate) mod registers;
pub(crate) mod warp;
