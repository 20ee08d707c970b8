//! What steps do to the order of other steps: barriers, fences, mbarriers, operations in flight. In: steps as they happen; out: events for
//! an observer that asks for them.

use crate::contract::event::WarpId;
use crate::contract::mbarrier::MbarrierState;
use crate::contract::observe::MemoryId;
use crate::contract::pending::{GroupKind, Pending};
use crate::contract::tiles::Tile;
use warpgrid_program::FunctionId;

/// A step that orders others, or that others can wait for.
#[derive(Clone, Copy, Debug)]
pub struct SyncEvent<'a> {
    /// The number of the step.
    pub step: u64,
    /// Linear index of the block; of an operation in flight, the block that started it.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// Lanes that take part.
    pub lanes: u32,
    pub what: SyncKind<'a>,
}

impl SyncEvent<'_> {
    /// The warp, or that which started the operation in flight.
    pub const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// What a step does to the order of others.
#[derive(Clone, Copy, Debug)]
pub enum SyncKind<'a> {
    /// A fence: the instruction says which.
    Fence,
    /// Lanes came to a barrier of the block.
    BarrierArrived {
        id: u32,
        waits: Waits,
    },
    /// A phase of a barrier of the block is over: those that wait for it go on.
    BarrierOpened {
        id: u32,
    },
    /// Lanes met at `bar.warp.sync`; each names lanes of its warp.
    WarpMet {
        masks: &'a [u32; 32],
    },
    /// Lanes arrived at the barrier of the cluster.
    ClusterArrived,
    /// A phase of the barrier of the cluster is over.
    ClusterOpened,
    /// Lanes have waited for it.
    ClusterPassed,
    /// Lanes used mbarriers, in this order.
    Mbarrier {
        act: MbarrierAct,
        touched: &'a [MbarrierTouch],
    },
    /// An operation was put in flight.
    Started(&'a Pending),
    /// The matrices that it reads and writes, where it has some: after its start.
    Matrices {
        pending: &'a Pending,
        tiles: &'a [Tile],
    },
    /// Lanes made a group of what they had started.
    Committed(GroupKind),
    /// Lanes have waited until at most `latest` of their groups are in flight, or for all that they started.
    Waited {
        kind: GroupKind,
        latest: Option<u32>,
        /// Only their sources have been read.
        reads: bool,
    },
    /// An operation in flight has landed.
    Landed {
        pending: &'a Pending,
        /// What the mbarrier held before and holds now that it completes on.
        signal: Option<[MbarrierState; 2]>,
    },
    /// Lanes used tensor maps, in this order.
    TensorMap {
        act: MapAct,
        touched: &'a [MapTouch],
    },
    Exited,
}

/// What an instruction does to tensor maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAct {
    /// Copies that it starts will read it; said before they are checked.
    Use,
    /// `tensormap.replace`.
    Replace,
    /// `tensormap.cp_fenceproxy` reads it.
    Load,
    /// `tensormap.cp_fenceproxy` writes it, and lets it go through a fence.
    Publish,
    /// `fence.proxy.tensormap::generic.acquire`.
    Acquire,
}

/// A tensor map that a lane used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapTouch {
    pub lane: u8,
    pub memory: MemoryId,
    pub address: u64,
}

/// Whether lanes wait where they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    Yes,
    No,
}

/// What an instruction does to mbarriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierAct {
    Init,
    Invalidate,
    /// Arrives; the bytes that it expects are in [`MbarrierTouch::value`] where it says so.
    Arrive,
    ArriveExpecting,
    Expect,
    Complete,
    /// Asks whether a phase is complete.
    Test,
    /// Asks what object it is.
    Look,
}

/// What a lane did to an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierTouch {
    pub lane: u8,
    /// Linear index of the block whose shared memory the object is in.
    pub block: u64,
    /// There.
    pub address: u64,
    /// The operand: a count, bytes, or a parity.
    pub value: u32,
    pub before: Option<MbarrierState>,
    pub after: Option<MbarrierState>,
    /// Whether the phase that a test asks about is complete.
    pub passed: bool,
}

impl MbarrierTouch {
    /// Whether it ended the phase of the object.
    pub fn ends_phase(&self) -> bool {
        ends_phase(self.before, self.after)
    }
}

/// Whether an object went to its next phase.
pub fn ends_phase(before: Option<MbarrierState>, after: Option<MbarrierState>) -> bool {
    before.zip(after).is_some_and(|(a, b)| a.parity != b.parity)
}
