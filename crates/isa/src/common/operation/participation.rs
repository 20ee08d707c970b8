//! Thread participation: whether one elected thread or all threads must execute an instruction, for instructions whose documentation
//! specifies the participating threads.

use super::{
    AsyncOp, AsyncTransferKind, ClusterLaunchControlOp, DeviceUnitOp, MbarrierOp, Operation,
    TensorMemoryOp,
};

/// Threads that execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadParticipation {
    /// One thread executes the instruction on behalf of all threads.
    SingleThread,
    /// One thread executes the instruction, or all threads execute it.
    SingleOrAll,
    /// Each thread individually, or all threads of a warp together.
    PerLane,
}

impl Operation {
    /// Returns which threads execute the operation.
    pub const fn share(self) -> ThreadParticipation {
        match self {
            Operation::Mbarrier(op) => op.share(),
            Operation::Unit(op) => op.share(),
            Operation::Async(op) => op.share(),
            Operation::Move(_)
            | Operation::Arithmetic(_)
            | Operation::Carry(_)
            | Operation::Compare(_)
            | Operation::Control(_)
            | Operation::Sync(_)
            | Operation::Hint(_) => ThreadParticipation::SingleOrAll,
            Operation::Video(..)
            | Operation::Memory(_)
            | Operation::Matrix(_)
            | Operation::Warp(_)
            | Operation::Machine(_)
            | Operation::Unknown => ThreadParticipation::PerLane,
        }
    }
}

impl MbarrierOp {
    const fn share(self) -> ThreadParticipation {
        match self {
            MbarrierOp::Init | MbarrierOp::Inval => ThreadParticipation::SingleThread,
            MbarrierOp::Arrive
            | MbarrierOp::ArriveDrop
            | MbarrierOp::ExpectTx
            | MbarrierOp::CompleteTx
            | MbarrierOp::TestWait
            | MbarrierOp::TryWait
            | MbarrierOp::PendingCount
            | MbarrierOp::CheckLayout => ThreadParticipation::SingleOrAll,
        }
    }
}

impl AsyncOp {
    const fn share(self) -> ThreadParticipation {
        match self.transfer() {
            AsyncTransferKind::Bulk => ThreadParticipation::SingleThread,
            AsyncTransferKind::Registers | AsyncTransferKind::Copy | AsyncTransferKind::Arrival => {
                ThreadParticipation::PerLane
            }
            AsyncTransferKind::None => ThreadParticipation::SingleOrAll,
        }
    }
}

impl DeviceUnitOp {
    const fn share(self) -> ThreadParticipation {
        match self {
            DeviceUnitOp::TensorCopy(_) | DeviceUnitOp::TensorMap(_) => {
                ThreadParticipation::SingleThread
            }
            DeviceUnitOp::ClusterLaunchControl(ClusterLaunchControlOp::TryCancel) => {
                ThreadParticipation::SingleThread
            }
            DeviceUnitOp::ClusterLaunchControl(
                ClusterLaunchControlOp::IsCanceled | ClusterLaunchControlOp::FirstBlock,
            ) => ThreadParticipation::SingleOrAll,
            DeviceUnitOp::TensorMemory(op) => op.share(),
            DeviceUnitOp::Stack(_)
            | DeviceUnitOp::Multimem(_)
            | DeviceUnitOp::Warpgroup(_)
            | DeviceUnitOp::Texture(_)
            | DeviceUnitOp::Surface(_)
            | DeviceUnitOp::Fabric => ThreadParticipation::PerLane,
        }
    }
}

impl TensorMemoryOp {
    const fn share(self) -> ThreadParticipation {
        match self {
            TensorMemoryOp::Commit
            | TensorMemoryOp::Copy
            | TensorMemoryOp::Shift
            | TensorMemoryOp::Mma
            | TensorMemoryOp::MmaBlockScaled
            | TensorMemoryOp::MmaSparse
            | TensorMemoryOp::MmaSparseBlockScaled
            | TensorMemoryOp::MmaWeightStationary
            | TensorMemoryOp::MmaWeightStationarySparse => ThreadParticipation::SingleThread,
            TensorMemoryOp::Fence | TensorMemoryOp::Wait => ThreadParticipation::SingleOrAll,
            TensorMemoryOp::Allocate
            | TensorMemoryOp::Deallocate
            | TensorMemoryOp::Relinquish
            | TensorMemoryOp::Load
            | TensorMemoryOp::LoadReduce
            | TensorMemoryOp::Store => ThreadParticipation::PerLane,
        }
    }
}
