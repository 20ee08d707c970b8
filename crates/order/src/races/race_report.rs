//! Detected races as plain data.

use crate::races::access_site::{AccessSite, ProxyKind, SiteAccessKind};
use crate::races::location::MemoryInstance;
use crate::scope::Strength;
use warpgrid_program::FunctionId;

/// Thread of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ThreadId {
    /// Linear index of its block.
    pub(crate) block: u64,
    /// Thread index in the block.
    pub(crate) thread: u32,
}

impl ThreadId {
    /// Returns the thread of a lane of a warp of a block.
    pub(crate) const fn of_lane(block: u64, warp: u32, lane: u32) -> ThreadId {
        ThreadId {
            block,
            thread: warp * 32 + lane,
        }
    }
}

/// One side of a race: the instruction, and an example thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceSide {
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// Linear index of the block.
    pub block: u64,
    /// Thread index in the block.
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

/// Lifetime violation of a block whose shared memory another block accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockLifetime {
    /// The access may precede the start of the block.
    Start(u64),
    /// The access may follow the exit of the block.
    Exit(u64),
}

/// Second side of a race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RaceCounterpart {
    Access(RaceSide),
    Life(BlockLifetime),
}

/// Missing condition between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RaceWhy"))]
pub enum RaceCause {
    /// No causality order.
    #[cfg_attr(feature = "serde", serde(rename = "order"))]
    NoHappensBefore,
    /// Both accesses are strong, but a scope does not include the other thread.
    #[cfg_attr(feature = "serde", serde(rename = "scope"))]
    InsufficientScope,
    /// Ordered, but without a fence between the proxies.
    #[cfg_attr(feature = "serde", serde(rename = "proxy"))]
    MissingProxyFence,
    /// One access is asynchronous, and no wait completes it before the other access.
    #[cfg_attr(feature = "serde", serde(rename = "completion"))]
    NotCompleted,
    /// The block may have exited, or may not have started.
    Lifetime,
    /// No fence between the initialization of an mbarrier and a copy that completes on it.
    #[cfg_attr(feature = "serde", serde(rename = "init"))]
    MissingInitFence,
}

/// Data race: a pair of instructions with one example.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    pub first: RaceSide,
    pub second: RaceCounterpart,
    pub memory: MemoryInstance,
    /// Address of the bytes that both accesses touch.
    pub address: u64,
    pub n_bytes: u32,
    pub why: RaceCause,
    /// Whether the second access left the bytes unchanged.
    pub same_value: bool,
    /// Step in which the second access was executed or started.
    pub step: u64,
    /// Whether a proxy fence separates the accesses, but in the block that owns the memory instead of the block that
    /// starts the operation.
    pub is_fenced_there: bool,
}

impl Race {
    /// Checks whether lanes of a warp store equal values to one address in one instruction. One of the lanes writes,
    /// and which one is unspecified (PTX ISA, "st"), so the memory contents do not depend on the order.
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

    /// Returns the sort key of an example: the least example of a pair is reported, so that the report hardly depends
    /// on the schedule. Races that existing code does not ignore precede others, then races of several warps, races
    /// that change the value, and the lowest address.
    pub(crate) fn report_priority(&self) -> (bool, bool, bool, MemoryInstance, u64) {
        (
            self.is_model_only(),
            self.is_equal_store_of_lanes(),
            self.same_value,
            self.memory,
            self.address,
        )
    }

    /// Checks whether the race follows from the axioms although existing code commonly omits the fence: a generic read
    /// before an asynchronous write, or a write to the shared memory of another block that executes the proxy fence
    /// itself.
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

/// Read of shared memory that was never written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UninitializedRead {
    pub reader: RaceSide,
    pub memory: MemoryInstance,
    pub address: u64,
    pub step: u64,
}
