//! Events of one execution path of a thread.

use std::ops::Range;
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::OpcodeId;

/// Memory ordering of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOrdering {
    pub sem: Sem,
    /// Scope of a strong operation.
    pub scope: Scope,
}

impl MemoryOrdering {
    pub(crate) const WEAK: MemoryOrdering = MemoryOrdering {
        sem: Sem::Weak,
        scope: Scope::Cta,
    };

    pub(crate) const fn new(sem: Sem, scope: Scope) -> MemoryOrdering {
        MemoryOrdering { sem, scope }
    }
}

/// Relation of an event to the program order of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OrderingRole {
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
pub(crate) enum FenceCoverage {
    All,
    Global,
    Shared,
}

/// Identity of a barrier between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum BarrierId {
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
pub(crate) struct LaneExchange {
    pub(crate) action: OpcodeId,
    /// Number of earlier exchanges of the same lanes.
    pub(crate) number: usize,
    /// Other participating threads.
    pub(crate) others: Vec<usize>,
    pub(crate) values: ExchangeValues,
}

/// Values of an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExchangeValues {
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
pub enum EventKind {
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
pub(crate) enum ReturnsValue {
    Yes,
    No,
}

/// Event of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TraceEvent {
    pub(crate) kind: EventKind,
    pub(crate) instruction: u32,
    /// Unordered events of one instruction have the same number.
    pub(crate) instance: u32,
    pub(crate) words: MemoryOrdering,
    /// Whether the memory ordering of the event differs from that of the instruction, as in failed tests and
    /// completions.
    pub(crate) overrides_ordering: bool,
    pub(crate) cells: Range<usize>,
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    pub(crate) proxy: Proxy,
    pub(crate) entry: OrderingRole,
    pub(crate) learns: ReturnsValue,
    /// Whether the value that an atomic writes depends on the value that it reads.
    pub(crate) writes_depend_on_read: bool,
    /// Reads of the thread on which the event depends, as bits of event numbers.
    pub(crate) depends: u64,
    /// Earlier events that precede the event although program order does not order them.
    pub(crate) after: Vec<usize>,
    pub(crate) fence_of_proxies: Option<FenceCoverage>,
    pub(crate) barrier: Option<BarrierId>,
    /// Explicit thread count of a barrier.
    pub(crate) count: Option<u32>,
    /// Exchange between lanes.
    pub(crate) exchange: Option<Box<LaneExchange>>,
    /// Whether the event is a fence site without a fence in the source.
    pub(crate) is_fence_slot: bool,
}

impl TraceEvent {
    pub(crate) fn new(kind: EventKind, instruction: u32, instance: u32) -> TraceEvent {
        TraceEvent {
            kind,
            instruction,
            instance,
            words: MemoryOrdering::WEAK,
            overrides_ordering: false,
            cells: 0..0,
            reads: Vec::new(),
            writes: Vec::new(),
            proxy: Proxy::Generic,
            entry: OrderingRole::Program,
            learns: ReturnsValue::Yes,
            writes_depend_on_read: true,
            depends: 0,
            after: Vec::new(),
            fence_of_proxies: None,
            barrier: None,
            count: None,
            exchange: None,
            is_fence_slot: false,
        }
    }

    /// Returns the value that the event supplies to other lanes.
    pub(crate) fn given(&self) -> Option<(&LaneExchange, u64)> {
        match self.exchange.as_deref() {
            Some(exchange) => match exchange.values {
                ExchangeValues::Given(value) => Some((exchange, value)),
                ExchangeValues::Taken(_) => None,
            },
            None => None,
        }
    }

    /// Returns the values that the event receives from other lanes.
    pub(crate) fn taken(&self) -> Option<(&LaneExchange, &[(usize, u64)])> {
        match self.exchange.as_deref() {
            Some(exchange) => match &exchange.values {
                ExchangeValues::Taken(values) => Some((exchange, values)),
                ExchangeValues::Given(_) => None,
            },
            None => None,
        }
    }

    /// Checks whether other threads can observe the event. Such events of an abandoned path have happened nevertheless.
    pub(crate) fn is_visible_to_others(&self) -> bool {
        !self.writes.is_empty() || self.given().is_some()
    }

    /// Checks whether the event has no effect except that the thread has read a value. A polling loop has iterations of
    /// such events only.
    pub(crate) fn is_side_effect_free(&self) -> bool {
        match self.kind {
            EventKind::Read | EventKind::Fence => self.entry == OrderingRole::Program,
            EventKind::Atomic => self.entry == OrderingRole::Program && self.reads == self.writes,
            EventKind::Init
            | EventKind::Write
            | EventKind::ProxyFence
            | EventKind::Arrive
            | EventKind::Leave
            | EventKind::GroupWait => self.is_fence_slot,
        }
    }
}

/// Trace of one execution path of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ThreadTrace {
    pub(crate) steps: Vec<TraceEvent>,
    /// Final values of the observed registers, in the order of observation.
    pub(crate) registers: Vec<u64>,
}
