//! Synchronization events: the effects of steps that order other steps, such as barriers, fences, mbarrier operations
//! and asynchronous operations. Events are created only for observers that request them.

use crate::contract::mbarrier::MbarrierState;
use crate::contract::observer::MemoryId;
use crate::contract::pending::{AsyncGroupKind, GroupWait, InFlightOperation};
use crate::contract::step_event::WarpId;
use crate::contract::tiles::Tile;
use warpgrid_program::FunctionId;

/// Step that orders other steps, or for which other steps can wait.
#[derive(Clone, Copy, Debug)]
pub struct SyncEvent<'a> {
    /// Number of the step.
    pub step: u64,
    /// Linear index of the block. For an asynchronous operation, the block that issued the operation.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index of the instruction in the function.
    pub instruction: u32,
    /// Participating lanes.
    pub lanes: u32,
    pub what: SyncKind<'a>,
}

impl SyncEvent<'_> {
    /// Returns the warp that executed the step or issued the asynchronous operation.
    pub const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// Kind of a synchronization event.
#[derive(Clone, Copy, Debug)]
pub enum SyncKind<'a> {
    /// The lanes executed a fence. The instruction specifies the kind of the fence.
    Fence,
    /// Lanes arrived at a barrier of the block.
    BarrierArrived {
        id: u32,
        waits: ArrivalMode,
    },
    /// A phase of a barrier of the block completed, which releases its waiting threads.
    BarrierCompleted {
        id: u32,
    },
    /// Lanes converged at `bar.warp.sync`. `masks` contains the member mask of each lane.
    WarpBarrierCompleted {
        masks: &'a [u32; 32],
    },
    /// Lanes arrived at the barrier of the cluster.
    ClusterArrived,
    /// A phase of the cluster barrier completed.
    ClusterOpened,
    /// Lanes completed a wait at the cluster barrier.
    ClusterPassed,
    /// Lanes accessed mbarriers, in the order of `touched`.
    Mbarrier {
        act: MbarrierOperation,
        touched: &'a [MbarrierAccess],
    },
    /// An asynchronous operation was issued.
    Started(&'a InFlightOperation),
    /// Matrices that an issued operation reads and writes. The event follows [`SyncKind::Started`] if the operation has
    /// matrices.
    Matrices {
        pending: &'a InFlightOperation,
        tiles: &'a [Tile],
    },
    /// Lanes committed their uncommitted operations as an asynchronous group.
    Committed(AsyncGroupKind),
    /// Lanes completed a wait for their groups.
    Waited(GroupWait),
    /// An asynchronous operation completed.
    Completed {
        pending: &'a InFlightOperation,
        /// State of the completion mbarrier before and after the completion.
        signal: Option<[MbarrierState; 2]>,
    },
    /// Lanes accessed tensor maps, in the order of `touched`.
    TensorMap {
        act: TensorMapAction,
        touched: &'a [TensorMapAccess],
    },
    Exited,
}

/// How an instruction accesses tensor maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMapAction {
    /// Copies that the instruction issues will read the map. The event is reported before the copies are checked.
    Use,
    /// `tensormap.replace`.
    Replace,
    /// `tensormap.cp_fenceproxy` reads the map.
    Load,
    /// `tensormap.cp_fenceproxy` writes the map and releases it with a fence.
    CopyFenceProxy,
    /// `fence.proxy.tensormap::generic.acquire`.
    Acquire,
}

/// Tensor map that a lane accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapAccess {
    pub lane: u8,
    pub memory: MemoryId,
    pub address: u64,
}

/// Whether lanes wait at the barrier at which they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalMode {
    Yes,
    No,
}

/// How an instruction accesses mbarriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierOperation {
    Init,
    Invalidate,
    /// Arrival. For [`MbarrierOperation::ArriveExpecting`], [`MbarrierAccess::value`] contains the expected bytes.
    Arrive,
    ArriveExpecting,
    Expect,
    Complete,
    /// Tests whether a phase is complete.
    Test,
    /// Reads the state of the object, without a test.
    Query,
}

/// Access of a lane to an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierAccess {
    pub lane: u8,
    /// Linear index of the block whose shared memory contains the object.
    pub block: u64,
    /// Address of the object in shared memory.
    pub address: u64,
    /// Operand of the operation: an arrival count, a number of bytes, or a parity.
    pub value: u32,
    pub before: Option<MbarrierState>,
    pub after: Option<MbarrierState>,
    /// Whether the tested phase is complete.
    pub passed: bool,
}

impl MbarrierAccess {
    /// Checks whether the operation completed the phase of the object.
    pub fn ends_phase(&self) -> bool {
        ends_phase(self.before, self.after)
    }
}

/// Checks whether an object advanced to its next phase.
pub fn ends_phase(before: Option<MbarrierState>, after: Option<MbarrierState>) -> bool {
    before.zip(after).is_some_and(|(a, b)| a.parity != b.parity)
}
