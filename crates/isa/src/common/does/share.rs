//! Thread participation: whether one elected thread or all threads have to execute an instruction, for instructions whose documentation
//! specifies it.

use super::{AsyncOp, Does, LaunchOp, MbarrierOp, TensorMemoryOp, Transfer, UnitOp};

/// Threads that execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// One thread on behalf of all.
    OneThread,
    /// One thread or all threads.
    Either,
    /// Each thread individually, or all threads of a warp together.
    Lanes,
}

impl Does {
    /// Returns which threads execute the operation.
    pub const fn share(self) -> Share {
        match self {
            Does::Mbarrier(op) => op.share(),
            Does::Unit(op) => op.share(),
            Does::Async(op) => op.share(),
            Does::Move(_)
            | Does::Arithmetic(_)
            | Does::Carry(_)
            | Does::Compare(_)
            | Does::Control(_)
            | Does::Sync(_)
            | Does::Hint(_) => Share::Either,
            Does::Video(..)
            | Does::Memory(_)
            | Does::Matrix(_)
            | Does::Warp(_)
            | Does::Machine(_)
            | Does::Unknown => Share::Lanes,
        }
    }
}

impl MbarrierOp {
    const fn share(self) -> Share {
        match self {
            MbarrierOp::Init | MbarrierOp::Inval => Share::OneThread,
            MbarrierOp::Arrive
            | MbarrierOp::ArriveDrop
            | MbarrierOp::ExpectTx
            | MbarrierOp::CompleteTx
            | MbarrierOp::TestWait
            | MbarrierOp::TryWait
            | MbarrierOp::PendingCount
            | MbarrierOp::CheckLayout => Share::Either,
        }
    }
}

impl AsyncOp {
    const fn share(self) -> Share {
        match self.transfer() {
            Transfer::Bulk => Share::OneThread,
            Transfer::Registers | Transfer::Copy | Transfer::Arrival => Share::Lanes,
            Transfer::None => Share::Either,
        }
    }
}

impl UnitOp {
    const fn share(self) -> Share {
        match self {
            UnitOp::TensorCopy(_) | UnitOp::TensorMap(_) => Share::OneThread,
            UnitOp::Launch(LaunchOp::TryCancel) => Share::OneThread,
            UnitOp::Launch(LaunchOp::IsCanceled | LaunchOp::FirstBlock) => Share::Either,
            UnitOp::TensorMemory(op) => op.share(),
            UnitOp::Stack(_)
            | UnitOp::Multimem(_)
            | UnitOp::Warpgroup(_)
            | UnitOp::Texture(_)
            | UnitOp::Surface(_)
            | UnitOp::Fabric => Share::Lanes,
        }
    }
}

impl TensorMemoryOp {
    const fn share(self) -> Share {
        match self {
            TensorMemoryOp::Commit
            | TensorMemoryOp::Copy
            | TensorMemoryOp::Shift
            | TensorMemoryOp::Product
            | TensorMemoryOp::ScaledProduct
            | TensorMemoryOp::SparseProduct
            | TensorMemoryOp::SparseScaledProduct
            | TensorMemoryOp::StationaryProduct
            | TensorMemoryOp::StationarySparseProduct => Share::OneThread,
            TensorMemoryOp::Fence | TensorMemoryOp::Wait => Share::Either,
            TensorMemoryOp::Allocate
            | TensorMemoryOp::Free
            | TensorMemoryOp::Relinquish
            | TensorMemoryOp::Load
            | TensorMemoryOp::LoadReduce
            | TensorMemoryOp::Store => Share::Lanes,
        }
    }
}
