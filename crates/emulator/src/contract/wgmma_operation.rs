//! Asynchronous matrix multiplication of one warp in a warpgroup: the register operands that were read at issue (PTX
//! ISA, "wgmma.mma_async").

use crate::semantics::registers::{RegisterFileSizes, Row32};

/// Rows of a `wgmma` that one warp computes. The operation reads and writes the accumulators when it completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgmmaOperation {
    /// Index of the plan in the decoded code.
    pub(crate) plan: u32,
    /// First row of the warp's stack frame in each register bank.
    pub(crate) base: RegisterFileSizes,
    /// Number of `wgmma` instructions that the warp had issued before this `wgmma`.
    pub(crate) index: u32,
    /// Registers of operand matrix A. The list is empty if A is in shared memory.
    pub(crate) a: Vec<Row32>,
    /// Descriptors of A and B.
    pub(crate) descriptors: [u64; 2],
    /// Whether the result is added to the accumulators.
    pub(crate) adds: bool,
    /// Sparsity metadata of A.
    pub(crate) metadata: Row32,
}
