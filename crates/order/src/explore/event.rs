//! Events that a thread executes on one of its execution paths.

use std::ops::Range;
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::OpcodeId;

/// Memory ordering of an event: its semantics (weak, relaxed, acquire, release) and its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOrdering {
    pub sem: Sem,
    /// Scope, which applies only to strong operations.
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

/// Role of an event in the program order of its thread, which differs for asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OrderingRole {
    /// The event is ordered by program order.
    Program,
    /// The event belongs to an asynchronous operation. The event follows the earlier events of its thread, and precedes
    /// only the events that wait for the completion of the operation.
    Started,
    /// The event is the completion of asynchronous accesses, and follows only these accesses.
    Completed,
}

/// Proxy through which a memory access is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proxy {
    Generic,
    Async,
}

/// State spaces that a proxy fence covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FenceCoverage {
    All,
    Global,
    Shared,
}

/// Identity of a barrier or of an exchange between lanes, by which the arrivals of different threads are matched.
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
    /// Exchange of values between lanes of a warp, which does not order memory accesses.
    Exchange {
        block: u64,
        warp: u32,
        mask: u32,
    },
    Cluster {
        cluster: u64,
    },
}

/// Exchange of an arrival or departure event, with the values that the thread supplies to or receives from other lanes of its warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LaneExchange {
    pub(crate) action: OpcodeId,
    /// Number of earlier exchanges between these lanes.
    pub(crate) number: usize,
    /// Other threads that participate in the exchange.
    pub(crate) others: Vec<usize>,
    pub(crate) values: ExchangeValues,
}

/// Values that a thread supplies or receives in an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExchangeValues {
    Given(u64),
    /// Received values, each with the supplying thread. The list contains only values that affect the result.
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
    /// Operation that atomically reads, modifies and writes a location.
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

/// Whether an atomic returns the old value of the location to its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReturnsValue {
    Yes,
    No,
}

/// Event of a trace: a memory access, fence, barrier operation or exchange, with its memory ordering and its dependencies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TraceEvent {
    pub(crate) kind: EventKind,
    pub(crate) instruction: u32,
    /// Number of the executed instruction instance. Events with the same number belong to one instruction and are
    /// unordered.
    pub(crate) instance: u32,
    pub(crate) words: MemoryOrdering,
    /// Whether the memory ordering of the event differs from the ordering of its instruction, as in failed tests and
    /// completions.
    pub(crate) overrides_ordering: bool,
    pub(crate) cells: Range<usize>,
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    pub(crate) proxy: Proxy,
    pub(crate) entry: OrderingRole,
    pub(crate) learns: ReturnsValue,
    /// Whether the value that an atomic writes depends on the value that the atomic reads.
    pub(crate) writes_depend_on_read: bool,
    /// Bit mask of the read events of the same thread on which the event depends.
    pub(crate) depends: u64,
    /// Earlier events of the thread that precede this event although program order does not order the two events.
    pub(crate) after: Vec<usize>,
    pub(crate) fence_of_proxies: Option<FenceCoverage>,
    pub(crate) barrier: Option<BarrierId>,
    /// Thread count that the barrier instruction specifies.
    pub(crate) count: Option<u32>,
    /// Exchange between lanes of a warp in which the event participates.
    pub(crate) exchange: Option<Box<LaneExchange>>,
    /// Whether the event represents a site at which a fence can be inserted, and not a fence of the source.
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

    /// Returns the exchange of the event and the value that the event supplies to other lanes.
    pub(crate) fn given(&self) -> Option<(&LaneExchange, u64)> {
        match self.exchange.as_deref() {
            Some(exchange) => match exchange.values {
                ExchangeValues::Given(value) => Some((exchange, value)),
                ExchangeValues::Taken(_) => None,
            },
            None => None,
        }
    }

    /// Returns the exchange of the event and the values that the event receives from other lanes.
    pub(crate) fn taken(&self) -> Option<(&LaneExchange, &[(usize, u64)])> {
        match self.exchange.as_deref() {
            Some(exchange) => match &exchange.values {
                ExchangeValues::Taken(values) => Some((exchange, values)),
                ExchangeValues::Given(_) => None,
            },
            None => None,
        }
    }

    /// Checks whether other threads can observe the event. An observable event remains in effect even if the
    /// exploration abandons its path later.
    pub(crate) fn is_visible_to_others(&self) -> bool {
        !self.writes.is_empty() || self.given().is_some()
    }

    /// Checks whether the only effect of the event is that the thread reads a value. The failed iterations of a polling
    /// loop consist only of such events.
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

/// Trace of one execution path of a thread: the events of the thread and its final register values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ThreadTrace {
    pub(crate) steps: Vec<TraceEvent>,
    /// Final values of the observed registers, in the order in which the test lists them.
    pub(crate) registers: Vec<u64>,
}
