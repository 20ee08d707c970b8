//! Synchronization events: effects of steps that order other steps, such as barriers, fences, mbarrier operations and
//! asynchronous operations. The interpreter builds events only for observers that request them.

use crate::contract::agent::WarpId;
use crate::contract::mbarrier::MbarrierState;
use crate::contract::observer::MemoryId;
use crate::contract::pending::{AsyncGroupKind, GroupWait, InFlightOperation};
use crate::contract::tiles::Tile;
use warpgrid_program::FunctionId;

/// Effect of a step that orders other steps, or for which other steps can wait. The interpreter reports it to observers
/// such as the race detector.
#[derive(Clone, Copy, Debug)]
pub struct SyncEvent<'a> {
    /// Number of the step that produced the event.
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

/// Kind of a synchronization event, with the affected barriers, mbarriers or operations.
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
    /// Lanes converged at `bar.warp.sync`. `masks` contains the member mask that each lane specified.
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
    /// Matrices that an issued operation reads and writes. The event follows [`SyncKind::Started`] if the operation
    /// accesses matrices.
    Matrices {
        pending: &'a InFlightOperation,
        tiles: &'a [Tile],
    },
    /// Lanes committed their uncommitted operations as an async-group.
    Committed(AsyncGroupKind),
    /// Lanes completed a wait for async-groups.
    Waited(GroupWait),
    /// An asynchronous operation completed.
    Completed {
        pending: &'a InFlightOperation,
        /// State of the completion mbarrier before and after the completion, if there is an mbarrier.
        signal: Option<[MbarrierState; 2]>,
    },
    /// Lanes accessed tensor maps, in the order of `touched`.
    TensorMap {
        act: TensorMapAction,
        touched: &'a [TensorMapAccess],
    },
    Exited,
}

/// Kind of access to tensor maps in a [`SyncKind::TensorMap`] event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMapAction {
    /// Copies that the instruction issues will read the tensor map. The interpreter reports the event before it checks
    /// the copies.
    Use,
    /// `tensormap.replace`.
    Replace,
    /// `tensormap.cp_fenceproxy` reads the tensor map.
    Load,
    /// `tensormap.cp_fenceproxy` writes the tensor map, and releases it with a fence.
    CopyFenceProxy,
    /// `fence.proxy.tensormap::generic.acquire`.
    Acquire,
}

/// Tensor map that a lane accessed, identified by its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapAccess {
    pub lane: u8,
    pub memory: MemoryId,
    pub address: u64,
}

/// Whether lanes that arrive at a barrier also wait at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalMode {
    Yes,
    No,
}

/// Kind of operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierOperation {
    Init,
    Invalidate,
    /// Arrival at an mbarrier. For [`MbarrierOperation::ArriveExpecting`], [`MbarrierAccess::value`] contains the
    /// expected bytes.
    Arrive,
    ArriveExpecting,
    Expect,
    Complete,
    /// Tests whether a phase is complete.
    Test,
    /// Reads the state of the mbarrier object without testing a phase.
    Query,
}

/// Operation of one lane on an mbarrier, with the state of the object before and after the operation.
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
    /// Whether the tested phase was complete. The field is meaningful only for tests.
    pub passed: bool,
}

impl MbarrierAccess {
    /// Checks whether the operation completed the phase of the mbarrier.
    pub fn ends_phase(&self) -> bool {
        ends_phase(self.before, self.after)
    }
}

/// Checks whether an mbarrier advanced to its next phase between two states.
pub fn ends_phase(before: Option<MbarrierState>, after: Option<MbarrierState>) -> bool {
    before.zip(after).is_some_and(|(a, b)| a.parity != b.parity)
}
