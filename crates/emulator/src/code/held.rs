//! Registers of pending `wgmma` operations, and undefined accesses to these registers (PTX ISA, "wgmma.mma_async").

use warpgrid_program::RegisterId;

/// Registers that a `wgmma` uses while it is in flight, which other instructions must not access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InFlightRegisters {
    /// Accumulator registers. Any access to an accumulator is undefined while the `wgmma` is in flight.
    pub(crate) sums: Vec<RegisterId>,
    /// Registers of A and of its metadata. A write to one of these registers is undefined while the `wgmma` is in
    /// flight.
    pub(crate) factors: Vec<RegisterId>,
}

/// Registers of `wgmma` operations that another instruction reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TouchedRegisters {
    pub(crate) read: Vec<RegisterId>,
    pub(crate) written: Vec<RegisterId>,
}

impl TouchedRegisters {
    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.written.is_empty()
    }

    /// Returns the registers whose access is undefined while `product` is in flight.
    pub(crate) fn held_by(&self, product: &InFlightRegisters) -> Vec<RegisterId> {
        let is_sum = |id: &RegisterId| product.sums.contains(id);
        let read = self.read.iter().filter(|id| is_sum(id));
        let written = self.written.iter();
        let written = written.filter(|id| is_sum(id) || product.factors.contains(id));
        let mut held: Vec<RegisterId> = read.chain(written).copied().collect();
        held.sort();
        held.dedup();
        held
    }
}
