//! A matrix product of a warp of a warpgroup, while it is in flight: what its registers held when it was started (PTX ISA,
//! "wgmma.mma_async").

use crate::semantics::registers::{BankSizes, Row32};

/// The rows of a product that belong to one warp. Sums are read and written when it lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpgroupProduct {
    /// Which plan of the code it follows.
    pub(crate) plan: u32,
    /// Where the frame of the warp starts in its banks.
    pub(crate) base: BankSizes,
    /// How many products the warp had started before.
    pub(crate) index: u32,
    /// A where it is in registers.
    pub(crate) a: Vec<Row32>,
    /// Descriptors of A and B.
    pub(crate) descriptors: [u64; 2],
    /// Whether the sums go on from what the registers hold.
    pub(crate) adds: bool,
    /// Which elements a sparse A has.
    pub(crate) metadata: Row32,
}
