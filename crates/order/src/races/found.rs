//! What was found: races as plain data.

use crate::races::location::Memory;
use crate::races::site::{Kind, ProxyKind, Site};
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
    /// The thread of a lane of a warp of a block.
    pub(crate) const fn of_lane(block: u64, warp: u32, lane: u32) -> ThreadId {
        ThreadId {
            block,
            thread: warp * 32 + lane,
        }
    }
}

/// One side of a race: where in the code, and an example of who.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// Linear index of the block.
    pub block: u64,
    /// Thread index in the block.
    pub thread: u32,
    pub kind: Kind,
    pub strength: Strength,
    pub proxy: ProxyKind,
    pub asynchronous: bool,
}

impl Access {
    pub(crate) fn of(site: &Site, by: ThreadId) -> Access {
        Access {
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

/// The other side of an access to the memory of another block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lifetime {
    /// Nothing says that the block is there already.
    Start(u64),
    /// Nothing says that the block is still there.
    Exit(u64),
}

/// What an access races with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Access(Access),
    Life(Lifetime),
}

/// Missing condition between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RaceWhy"))]
pub enum Why {
    /// Nothing orders them.
    Order,
    /// Both are strong, and a scope does not take in the other thread.
    Scope,
    /// They are ordered, though not across the proxies.
    Proxy,
    /// One is asynchronous, and no thread waited for it.
    Completion,
    /// The block may be gone, or not there yet.
    Lifetime,
    /// An mbarrier was set up without a fence before a copy completes on it.
    Init,
}

/// A race: two places in the code, with one example of what happened there.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub first: Access,
    pub second: End,
    pub memory: Memory,
    /// Of the bytes that both touch, in the memory.
    pub address: u64,
    pub n_bytes: u32,
    pub why: Why,
    /// Whether the bytes were the same before and after the second access.
    pub same_value: bool,
    /// The number of the step in which the second access was made or started.
    pub step: u64,
    /// Whether a fence between the proxies lies between, though in the block whose memory it is, not in the one that starts the operation.
    pub is_fenced_there: bool,
}

impl Found {
    /// Whether lanes of a warp store equal values to one address by one instruction. One of the lanes writes, and which one is
    /// unspecified (PTX ISA, "st"), so that memory holds the same value whatever the order.
    pub fn is_equal_store_of_lanes(&self) -> bool {
        const LANES: u32 = 32;
        let End::Access(second) = self.second else {
            return false;
        };
        let is_plain = |access: &Access| {
            access.kind == Kind::Write && access.proxy == ProxyKind::Generic && !access.asynchronous
        };
        let place = |access: &Access| {
            let warp = access.thread / LANES;
            (access.function, access.instruction, access.block, warp)
        };
        let is_one_store = place(&self.first) == place(&second);
        self.same_value && is_one_store && is_plain(&self.first) && is_plain(&second)
    }

    /// Of two examples of one pair the lesser is shown, so that the order of the run matters little: what is certain, then races of several
    /// warps, then other values, then the first place.
    pub(crate) fn rank(&self) -> (bool, bool, bool, Memory, u64) {
        (
            self.is_of_axiom(),
            self.is_equal_store_of_lanes(),
            self.same_value,
            self.memory,
            self.address,
        )
    }

    /// Whether it follows from the axioms of the model though common code leaves the fence out: a generic read, then an asynchronous write; or
    /// a write to another block, which has the fence.
    pub fn is_of_axiom(&self) -> bool {
        let End::Access(second) = self.second else {
            return false;
        };
        self.why == Why::Proxy
            && self.first.proxy == ProxyKind::Generic
            && second.proxy == ProxyKind::Async
            && (self.first.kind == Kind::Read || self.is_fenced_there)
    }
}

/// A read of shared memory that nothing had written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unwritten {
    pub reader: Access,
    pub memory: Memory,
    pub address: u64,
    pub step: u64,
}
