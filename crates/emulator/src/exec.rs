//! Execution of single instructions: the effects of an instruction on the machine state, with one module per
//! instruction family.

pub(crate) mod arithmetic;
pub(crate) mod barrier;
pub(crate) mod cluster;
pub(crate) mod collective;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod copy;
pub(crate) mod dispatch;
pub(crate) mod driver_calls;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod memory_context;
pub(crate) mod operand_rows;
pub(crate) mod simd_dispatch;
pub(crate) mod stack;
pub(crate) mod step;
pub(crate) mod texture;
pub(crate) mod wait_conditions;
