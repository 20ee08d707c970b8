//! What instructions have to do with the order of others: which transfer without waiting, arrive, wait, or make threads meet.

use super::{AsyncOp, Does, MbarrierOp, MemoryOp, SyncOp, UnitOp};

/// What an asynchronous operation does to memory and to whom it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// A bulk copy or reduction, through the asynchronous proxy.
    Bulk,
    /// A store or reduction of registers.
    Registers,
    /// `cp.async`
    Copy,
    /// An arrival after copies.
    Arrival,
    /// A commit or a wait.
    None,
}

impl AsyncOp {
    /// What it transfers.
    pub const fn transfer(self) -> Transfer {
        match self {
            AsyncOp::BulkCopy | AsyncOp::BulkReduction => Transfer::Bulk,
            AsyncOp::Store | AsyncOp::Reduction => Transfer::Registers,
            AsyncOp::Copy => Transfer::Copy,
            AsyncOp::CopyArrive => Transfer::Arrival,
            _ => Transfer::None,
        }
    }
}

impl MbarrierOp {
    /// Whether threads arrive.
    pub const fn is_arrival(self) -> bool {
        matches!(self, MbarrierOp::Arrive | MbarrierOp::ArriveDrop)
    }

    /// Whether it asks if a phase is complete.
    pub const fn is_test(self) -> bool {
        matches!(self, MbarrierOp::TestWait | MbarrierOp::TryWait)
    }
}

impl SyncOp {
    /// Whether threads of a block meet there.
    pub const fn is_block_barrier(self) -> bool {
        matches!(self, SyncOp::Bar | SyncOp::Barrier)
    }
}

impl MemoryOp {
    /// Whether it writes, in its step, what other threads may wait for.
    pub const fn writes_elements(self) -> bool {
        matches!(
            self,
            MemoryOp::Store | MemoryOp::Atomic | MemoryOp::Reduction
        )
    }
}

impl UnitOp {
    /// Whether it goes through the proxy of textures or that of surfaces.
    pub const fn is_image(self) -> bool {
        matches!(self, UnitOp::Texture(_) | UnitOp::Surface(_))
    }

    /// Checks whether it is a matrix product.
    pub const fn is_product(self) -> bool {
        match (self.warpgroup(), self.tensor_memory()) {
            (Some(op), _) => op.is_product(),
            (_, Some(op)) => op.is_product(),
            (None, None) => false,
        }
    }

    /// Whether it is one of tensor memory.
    pub const fn uses_tensor_memory(self) -> bool {
        self.tensor_memory().is_some()
    }
}

impl Does {
    /// The asynchronous transfer; none for what is no such operation.
    pub const fn transfer(self) -> Transfer {
        match self {
            Does::Async(op) => op.transfer(),
            _ => Transfer::None,
        }
    }

    /// Whether threads of a block meet there.
    pub const fn is_block_barrier(self) -> bool {
        match self.sync() {
            Some(op) => op.is_block_barrier(),
            None => false,
        }
    }

    /// Whether it compares.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Does::Compare(_))
    }

    /// Checks whether it is a matrix product that reads its operands asynchronously.
    pub const fn is_asynchronous_product(self) -> bool {
        match self.unit() {
            Some(op) => op.is_product(),
            None => false,
        }
    }
}
