//! Synchronization properties of operations: predicates for operations that transfer data asynchronously, arrive at an mbarrier, wait, or
//! synchronize threads.

use super::{
    AsyncOp, DeviceUnitOp, MbarrierOp, MemoryOp, MultimemOp, Operation, SyncOp, TensorMemoryOp,
};

/// Kind of transfer that an asynchronous operation performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncTransferKind {
    /// Bulk copy or reduction through the asynchronous proxy.
    Bulk,
    /// Store or reduction of register values.
    Registers,
    /// `cp.async`
    Copy,
    /// Arrival at an mbarrier that is triggered by the completion of preceding copies.
    Arrival,
    /// No transfer: a commit or a wait.
    None,
}

impl AsyncOp {
    /// Returns the kind of the asynchronous transfer.
    pub const fn transfer(self) -> AsyncTransferKind {
        match self {
            AsyncOp::BulkCopy | AsyncOp::BulkReduction => AsyncTransferKind::Bulk,
            AsyncOp::Store | AsyncOp::Reduction => AsyncTransferKind::Registers,
            AsyncOp::Copy => AsyncTransferKind::Copy,
            AsyncOp::CopyArrive => AsyncTransferKind::Arrival,
            _ => AsyncTransferKind::None,
        }
    }
}

impl MbarrierOp {
    /// Returns whether the operation is an arrive-on operation.
    pub const fn is_arrival(self) -> bool {
        matches!(self, MbarrierOp::Arrive | MbarrierOp::ArriveDrop)
    }

    /// Returns whether the operation tests for the completion of a phase.
    pub const fn is_test(self) -> bool {
        matches!(self, MbarrierOp::TestWait | MbarrierOp::TryWait)
    }
}

impl SyncOp {
    /// Returns whether the operation is a barrier among threads of a CTA.
    pub const fn is_block_barrier(self) -> bool {
        matches!(self, SyncOp::Bar | SyncOp::Barrier)
    }
}

impl MemoryOp {
    /// Returns whether the operation synchronously writes to memory, so that a spin loop of another thread may wait for the written value.
    pub const fn writes_elements(self) -> bool {
        matches!(
            self,
            MemoryOp::Store | MemoryOp::Atomic | MemoryOp::Reduction
        )
    }
}

impl DeviceUnitOp {
    /// Returns whether the operation accesses memory through the texture or surface proxy.
    pub const fn is_image(self) -> bool {
        matches!(self, DeviceUnitOp::Texture(_) | DeviceUnitOp::Surface(_))
    }

    /// Returns whether the operation is a matrix multiplication.
    pub const fn is_product(self) -> bool {
        match (self.warpgroup(), self.tensor_memory()) {
            (Some(op), _) => op.is_product(),
            (_, Some(op)) => op.is_product(),
            (None, None) => false,
        }
    }

    /// Returns whether the operation uses tensor memory.
    pub const fn uses_tensor_memory(self) -> bool {
        self.tensor_memory().is_some()
    }
}

impl Operation {
    /// Returns the kind of asynchronous transfer, or [`AsyncTransferKind::None`] for operations of other families.
    pub const fn transfer(self) -> AsyncTransferKind {
        match self {
            Operation::Async(op) => op.transfer(),
            _ => AsyncTransferKind::None,
        }
    }

    /// Returns the noun for an asynchronous operation, such as `copy`. Returns `None` for operations without a noun.
    pub const fn asynchronous_noun(self) -> Option<&'static str> {
        use MultimemOp as M;
        match self {
            Operation::Async(AsyncOp::Store) => Some("store"),
            Operation::Async(AsyncOp::Reduction | AsyncOp::BulkReduction) => Some("reduction"),
            Operation::Async(AsyncOp::CopyArrive) => Some("arrival"),
            Operation::Async(AsyncOp::Copy | AsyncOp::BulkCopy) => Some("copy"),
            Operation::Unit(DeviceUnitOp::Multimem(op)) => match op {
                M::AsyncStore => Some("store"),
                M::AsyncReduction | M::BulkReduction => Some("reduction"),
                M::BulkCopy => Some("copy"),
                M::LoadReduce | M::Reduction | M::Store => None,
            },
            Operation::Unit(DeviceUnitOp::ClusterLaunchControl(_)) => Some("cancellation request"),
            Operation::Unit(DeviceUnitOp::TensorMemory(TensorMemoryOp::Commit)) => Some("arrival"),
            Operation::Unit(DeviceUnitOp::TensorMemory(TensorMemoryOp::Shift)) => Some("shift"),
            _ => None,
        }
    }

    /// Returns the past participle of the verb for an operation that allocates or deallocates tensor memory, such as `allocated`. Returns
    /// `None` for other operations.
    pub const fn tensor_memory_verb(self) -> Option<&'static str> {
        match self {
            Operation::Unit(DeviceUnitOp::TensorMemory(TensorMemoryOp::Allocate)) => {
                Some("allocated")
            }
            Operation::Unit(DeviceUnitOp::TensorMemory(TensorMemoryOp::Deallocate)) => {
                Some("deallocated")
            }
            _ => None,
        }
    }

    /// Returns whether the operation waits for accesses to tensor memory.
    pub const fn is_tensor_memory_wait(self) -> bool {
        matches!(
            self,
            Operation::Unit(DeviceUnitOp::TensorMemory(TensorMemoryOp::Wait))
        )
    }

    /// Returns whether the operation is a barrier among threads of a CTA.
    pub const fn is_block_barrier(self) -> bool {
        match self.sync() {
            Some(op) => op.is_block_barrier(),
            None => false,
        }
    }

    /// Returns whether the operation is a comparison.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Operation::Compare(_))
    }

    /// Returns whether the operation is a matrix multiplication that reads its operands asynchronously.
    pub const fn is_asynchronous_product(self) -> bool {
        match self.unit() {
            Some(op) => op.is_product(),
            None => false,
        }
    }
}
