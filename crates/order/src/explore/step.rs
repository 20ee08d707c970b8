//! What one thread does, event by event, in one way through it.

use std::ops::Range;
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::ActionId;

/// How an event orders others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    pub sem: Sem,
    /// Of strong operations.
    pub scope: Scope,
}

impl Words {
    pub(crate) const WEAK: Words = Words {
        sem: Sem::Weak,
        scope: Scope::Cta,
    };

    pub(crate) const fn new(sem: Sem, scope: Scope) -> Words {
        Words { sem, scope }
    }
}

/// How an event is ordered with its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// In program order.
    Program,
    /// Comes after what its thread did before, and before nothing but what it completes on.
    Started,
    /// Comes after the accesses that it completes.
    Completed,
}

/// Ways to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// The memory that a proxy fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Covers {
    All,
    Global,
    Shared,
}

/// A barrier of several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Barrier {
    Block {
        block: u64,
        id: u64,
    },
    Warp {
        block: u64,
        warp: u32,
        mask: u32,
    },
    /// What lanes of a warp tell each other: they meet, and it orders nothing.
    Exchange {
        block: u64,
        warp: u32,
        mask: u32,
    },
    Cluster {
        cluster: u64,
    },
}

/// What a thread gives to other lanes of its warp as it arrives, or takes from them as it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Exchange {
    pub(crate) action: ActionId,
    /// How many exchanges of the same lanes came before it.
    pub(crate) number: usize,
    /// The other threads that take part.
    pub(crate) others: Vec<usize>,
    pub(crate) values: Exchanged,
}

/// The values of an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exchanged {
    Given(u64),
    /// By thread; those alone that make a difference.
    Taken(Vec<(usize, u64)>),
}

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "NodeName"))]
pub enum NodeKind {
    /// What a place holds at the start.
    Init,
    Read,
    Write,
    /// Reads and writes in one.
    Atomic,
    Fence,
    ProxyFence,
    /// Arrives at a barrier.
    Arrive,
    /// Leaves a barrier.
    Leave,
    /// Waits for asynchronous copies.
    GroupWait,
}

/// Whether a thread learns what an atomic reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Learns {
    Yes,
    No,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) kind: NodeKind,
    pub(crate) instruction: u32,
    /// Events of one instruction that has no order among its parts have the same number.
    pub(crate) instance: u32,
    pub(crate) words: Words,
    /// Whether the words of the instruction are not those of the event: failed tests, completions.
    pub(crate) own_words: bool,
    pub(crate) cells: Range<usize>,
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    pub(crate) proxy: Proxy,
    pub(crate) entry: Entry,
    pub(crate) learns: Learns,
    /// Whether what an atomic writes comes from what it reads.
    pub(crate) passes_on: bool,
    /// Reads of the thread that it depends on, by number of the event.
    pub(crate) depends: u64,
    /// Earlier events that it comes after though it is not in program order with them.
    pub(crate) after: Vec<usize>,
    pub(crate) fence_of_proxies: Option<Covers>,
    pub(crate) barrier: Option<Barrier>,
    /// Threads that a barrier waits for, where it says so.
    pub(crate) count: Option<u32>,
    /// What is exchanged between lanes.
    pub(crate) exchange: Option<Box<Exchange>>,
    /// A place for a fence that is not in the text.
    pub(crate) is_open_place: bool,
}

impl Step {
    pub(crate) fn new(kind: NodeKind, instruction: u32, instance: u32) -> Step {
        Step {
            kind,
            instruction,
            instance,
            words: Words::WEAK,
            own_words: false,
            cells: 0..0,
            reads: Vec::new(),
            writes: Vec::new(),
            proxy: Proxy::Generic,
            entry: Entry::Program,
            learns: Learns::Yes,
            passes_on: true,
            depends: 0,
            after: Vec::new(),
            fence_of_proxies: None,
            barrier: None,
            count: None,
            exchange: None,
            is_open_place: false,
        }
    }

    /// What it gives to other lanes.
    pub(crate) fn given(&self) -> Option<(&Exchange, u64)> {
        match self.exchange.as_deref() {
            Some(exchange) => match exchange.values {
                Exchanged::Given(value) => Some((exchange, value)),
                Exchanged::Taken(_) => None,
            },
            None => None,
        }
    }

    /// What it takes from other lanes.
    pub(crate) fn taken(&self) -> Option<(&Exchange, &[(usize, u64)])> {
        match self.exchange.as_deref() {
            Some(exchange) => match &exchange.values {
                Exchanged::Taken(values) => Some((exchange, values)),
                Exchanged::Given(_) => None,
            },
            None => None,
        }
    }

    /// Whether others wait for what it does: a way that goes no further has done it all the same.
    pub(crate) fn tells_others(&self) -> bool {
        !self.writes.is_empty() || self.given().is_some()
    }

    /// Whether leaving it out changes nothing but what the thread has read: a round of a loop that waits has such events alone.
    pub(crate) fn is_quiet(&self) -> bool {
        match self.kind {
            NodeKind::Read | NodeKind::Fence => self.entry == Entry::Program,
            NodeKind::Atomic => self.entry == Entry::Program && self.reads == self.writes,
            NodeKind::Init
            | NodeKind::Write
            | NodeKind::ProxyFence
            | NodeKind::Arrive
            | NodeKind::Leave
            | NodeKind::GroupWait => self.is_open_place,
        }
    }
}

/// One way through a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
    /// What observed registers hold at the end, in the order in which they are observed.
    pub(crate) registers: Vec<u64>,
}
