//! Events of one execution path of a thread.

use std::ops::Range;
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::ActionId;

/// Memory ordering of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    pub sem: Sem,
    /// Scope of a strong operation.
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

/// Relation of an event to the program order of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// Ordered by program order.
    Program,
    /// Follows the earlier events of its thread, and precedes only the events that depend on its completion.
    Started,
    /// Follows the accesses that it completes.
    Completed,
}

/// Proxy of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// Memory that a proxy fence covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Covers {
    All,
    Global,
    Shared,
}

/// Identity of a barrier between threads.
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
    /// Exchange between lanes of a warp, which orders no memory accesses.
    Exchange {
        block: u64,
        warp: u32,
        mask: u32,
    },
    Cluster {
        cluster: u64,
    },
}

/// Values that a thread supplies to other lanes of its warp on arrival, or receives on departure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Exchange {
    pub(crate) action: ActionId,
    /// Number of earlier exchanges of the same lanes.
    pub(crate) number: usize,
    /// Other participating threads.
    pub(crate) others: Vec<usize>,
    pub(crate) values: Exchanged,
}

/// Values of an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exchanged {
    Given(u64),
    /// Received values by thread; only values that affect the result.
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
    /// Initial value of a location.
    Init,
    Read,
    Write,
    /// Read-modify-write operation.
    Atomic,
    Fence,
    ProxyFence,
    /// Arrival at a barrier.
    Arrive,
    /// Departure from a barrier.
    Leave,
    /// Wait for asynchronous copies.
    GroupWait,
}

/// Whether an atomic returns the old value to its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Learns {
    Yes,
    No,
}

/// Event of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) kind: NodeKind,
    pub(crate) instruction: u32,
    /// Unordered events of one instruction have the same number.
    pub(crate) instance: u32,
    pub(crate) words: Words,
    /// Whether the memory ordering of the event differs from that of the instruction, as in failed tests and
    /// completions.
    pub(crate) own_words: bool,
    pub(crate) cells: Range<usize>,
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    pub(crate) proxy: Proxy,
    pub(crate) entry: Entry,
    pub(crate) learns: Learns,
    /// Whether the value that an atomic writes depends on the value that it reads.
    pub(crate) passes_on: bool,
    /// Reads of the thread on which the event depends, as bits of event numbers.
    pub(crate) depends: u64,
    /// Earlier events that precede the event although program order does not order them.
    pub(crate) after: Vec<usize>,
    pub(crate) fence_of_proxies: Option<Covers>,
    pub(crate) barrier: Option<Barrier>,
    /// Explicit thread count of a barrier.
    pub(crate) count: Option<u32>,
    /// Exchange between lanes.
    pub(crate) exchange: Option<Box<Exchange>>,
    /// Whether the event is a fence site without a fence in the source.
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

    /// Returns the value that the event supplies to other lanes.
    pub(crate) fn given(&self) -> Option<(&Exchange, u64)> {
        match self.exchange.as_deref() {
            Some(exchange) => match exchange.values {
                Exchanged::Given(value) => Some((exchange, value)),
                Exchanged::Taken(_) => None,
            },
            None => None,
        }
    }

    /// Returns the values that the event receives from other lanes.
    pub(crate) fn taken(&self) -> Option<(&Exchange, &[(usize, u64)])> {
        match self.exchange.as_deref() {
            Some(exchange) => match &exchange.values {
                Exchanged::Taken(values) => Some((exchange, values)),
                Exchanged::Given(_) => None,
            },
            None => None,
        }
    }

    /// Checks whether other threads can observe the event. Such events of an abandoned path have happened nevertheless.
    pub(crate) fn tells_others(&self) -> bool {
        !self.writes.is_empty() || self.given().is_some()
    }

    /// Checks whether the event has no effect except that the thread has read a value. A polling loop has iterations of
    /// such events only.
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

/// Trace of one execution path of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
    /// Final values of the observed registers, in the order of observation.
    pub(crate) registers: Vec<u64>,
}
