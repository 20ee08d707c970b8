//! Detected races as plain data, which hosts convert to reports.

use crate::races::access_site::{AccessSite, ProxyKind, SiteAccessKind};
use crate::races::location::MemoryInstance;
use crate::scope::Strength;
use warpgrid_program::FunctionId;

/// Reference to a thread of the launch by its block and its index in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ThreadId {
    /// Linear index of the thread's block.
    pub(crate) block: u64,
    /// Thread index in the block.
    pub(crate) thread: u32,
}

impl ThreadId {
    /// Returns the thread that executes as the given lane of a warp of a block.
    pub(crate) const fn of_lane(block: u64, warp: u32, lane: u32) -> ThreadId {
        ThreadId {
            block,
            thread: warp * 32 + lane,
        }
    }
}

/// One side of a race: the instruction, its access, and an example thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceSide {
    pub function: FunctionId,
    /// Index of the instruction in its function.
    pub instruction: u32,
    /// Linear index of the block of the example thread.
    pub block: u64,
    /// Index of the example thread in its block.
    pub thread: u32,
    pub kind: SiteAccessKind,
    pub strength: Strength,
    pub proxy: ProxyKind,
    pub asynchronous: bool,
}

impl RaceSide {
    pub(crate) fn of(site: &AccessSite, by: ThreadId) -> RaceSide {
        RaceSide {
            function: site.function,
            instruction: site.instruction,
            block: by.block,
            thread: by.thread,
            kind: site.kind,
            strength: site.strength,
            proxy: site.proxy,
            asynchronous: site.asynchronous,
        }
    }
}

/// Start or exit of a block that is not ordered with an access by another block to the shared memory of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockLifetime {
    /// The access may precede the start of the block with this linear index.
    Start(u64),
    /// The access may follow the exit of the block with this linear index.
    Exit(u64),
}

/// Second side of a [`Race`]: an access, or the start or exit of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RaceCounterpart {
    Access(RaceSide),
    Life(BlockLifetime),
}

/// Unsatisfied condition because of which two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RaceWhy"))]
pub enum RaceCause {
    /// Neither access precedes the other in causality order.
    #[cfg_attr(feature = "serde", serde(rename = "order"))]
    NoHappensBefore,
    /// Both accesses are strong, but the scope of one access does not include the thread of the other access.
    #[cfg_attr(feature = "serde", serde(rename = "scope"))]
    InsufficientScope,
    /// The accesses are ordered, but no proxy fence separates their proxies.
    #[cfg_attr(feature = "serde", serde(rename = "proxy"))]
    MissingProxyFence,
    /// One access is asynchronous, and no wait for its completion precedes the other access.
    #[cfg_attr(feature = "serde", serde(rename = "completion"))]
    NotCompleted,
    /// The block that owns the shared memory may have exited, or may not have started.
    Lifetime,
    /// No fence separates the initialization of an mbarrier from a copy that completes on this mbarrier.
    #[cfg_attr(feature = "serde", serde(rename = "init"))]
    MissingInitFence,
}

/// Data race between two instructions, with one example of racing accesses. The [`RaceDetector`](crate::races::RaceDetector) reports it to
/// hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    pub first: RaceSide,
    pub second: RaceCounterpart,
    pub memory: MemoryInstance,
    /// Address of the first byte that both accesses of the example touch.
    pub address: u64,
    pub n_bytes: u32,
    pub why: RaceCause,
    /// Whether the second access left the bytes unchanged.
    pub same_value: bool,
    /// Step in which the second access was executed or started.
    pub step: u64,
    /// Whether the block that owns the memory has executed a proxy fence between the accesses, although the fence must be executed by the
    /// block that starts the asynchronous operation.
    pub is_fenced_there: bool,
}

impl Race {
    /// Checks whether lanes of a warp store equal values to one address in one instruction. The PTX ISA ("st") does not specify which of
    /// the lanes performs the write, but the memory contents do not depend on the choice, because the values are equal.
    pub fn is_equal_store_of_lanes(&self) -> bool {
        const LANES: u32 = 32;
        let RaceCounterpart::Access(second) = self.second else {
            return false;
        };
        let is_plain = |access: &RaceSide| {
            access.kind == SiteAccessKind::Write
                && access.proxy == ProxyKind::Generic
                && !access.asynchronous
        };
        let place = |access: &RaceSide| {
            let warp = access.thread / LANES;
            (access.function, access.instruction, access.block, warp)
        };
        let is_one_store = place(&self.first) == place(&second);
        self.same_value && is_one_store && is_plain(&self.first) && is_plain(&second)
    }

    /// Returns the sort key of an example. For each pair of instructions, the detector reports the example with the
    /// least key, so that the report is mostly independent of the schedule. The key prefers, in this order: races that
    /// are not [model-only](Race::is_model_only), races between different warps, races that change the value, and races
    /// at low addresses.
    pub(crate) fn report_priority(&self) -> (bool, bool, bool, MemoryInstance, u64) {
        (
            self.is_model_only(),
            self.is_equal_store_of_lanes(),
            self.same_value,
            self.memory,
            self.address,
        )
    }

    /// Checks whether the race follows from the axioms although existing code commonly omits the fence: a generic read before an
    /// asynchronous write, or a write to the shared memory of another block where this other block executes the proxy fence.
    pub fn is_model_only(&self) -> bool {
        let RaceCounterpart::Access(second) = self.second else {
            return false;
        };
        self.why == RaceCause::MissingProxyFence
            && self.first.proxy == ProxyKind::Generic
            && second.proxy == ProxyKind::Async
            && (self.first.kind == SiteAccessKind::Read || self.is_fenced_there)
    }
}

/// Read of shared memory to which no thread has written. The detector reports one example for each instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UninitializedRead {
    pub reader: RaceSide,
    pub memory: MemoryInstance,
    pub address: u64,
    pub step: u64,
}
