//! Effects of one instruction on the state, with one module per instruction family.

pub(crate) mod arithmetic;
pub(crate) mod barrier;
pub(crate) mod cluster;
pub(crate) mod collective;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod copy;
pub(crate) mod dispatch;
pub(crate) mod elements;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod reach;
pub(crate) mod stack;
pub(crate) mod step;
pub(crate) mod system;
pub(crate) mod texture;
pub(crate) mod vectors;
pub(crate) mod waits;
