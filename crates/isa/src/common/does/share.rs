//! How many threads an instruction is written for, where the manual says so: one that is chosen, or all of them.

use super::{AsyncOp, Does, LaunchOp, MbarrierOp, TensorMemoryOp, UnitOp};

/// Who executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// One thread, for all of them.
    OneThread,
    /// One or all.
    Either,
    /// Each thread for itself, or all of a warp together.
    Lanes,
}

impl Does {
    /// How many threads execute it.
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

impl Does {
    /// Whether it is a bulk copy or reduction between two addresses.
    pub const fn is_bulk(self) -> bool {
        match self {
            Does::Async(op) => match op {
                AsyncOp::BulkCopy | AsyncOp::BulkReduction => true,
                AsyncOp::Store
                | AsyncOp::Reduction
                | AsyncOp::Copy
                | AsyncOp::CopyCommit
                | AsyncOp::CopyWait
                | AsyncOp::CopyWaitAll
                | AsyncOp::CopyArrive
                | AsyncOp::BulkCommit
                | AsyncOp::BulkWait => false,
            },
            Does::Arithmetic(_)
            | Does::Carry(_)
            | Does::Video(..)
            | Does::Compare(_)
            | Does::Move(_)
            | Does::Memory(_)
            | Does::Mbarrier(_)
            | Does::Matrix(_)
            | Does::Control(_)
            | Does::Sync(_)
            | Does::Warp(_)
            | Does::Hint(_)
            | Does::Unit(_)
            | Does::Machine(_)
            | Does::Unknown => false,
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
        match self {
            AsyncOp::CopyCommit
            | AsyncOp::CopyWait
            | AsyncOp::CopyWaitAll
            | AsyncOp::BulkCommit
            | AsyncOp::BulkWait => Share::Either,
            AsyncOp::BulkCopy | AsyncOp::BulkReduction => Share::OneThread,
            AsyncOp::Store | AsyncOp::Reduction | AsyncOp::Copy | AsyncOp::CopyArrive => {
                Share::Lanes
            }
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
