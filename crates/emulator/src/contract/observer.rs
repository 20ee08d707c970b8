//! Observation of a run: memory accesses per element, and the interface through which observers receive events. The
//! interpreter builds events only for observers that request them.

use crate::contract::agent::{Agent, WarpId};
use crate::contract::step_event::StepEvent;
use crate::contract::sync_event::SyncEvent;
use std::ops::Range;
use warpgrid_isa::{CacheOp, EvictionPriority, PrefetchSize, ScalarType, Scope, Sem, StateSpace};
use warpgrid_program::{Function, FunctionId, Operand};

/// Kind of a memory access: load, store, atomic or reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessAction {
    Load,
    Store,
    /// Atomic read-modify-write operation that returns the old value.
    Atomic,
    /// Atomic read-modify-write operation without a result.
    Reduction,
}

impl AccessAction {
    /// Checks whether the access can modify memory.
    pub const fn writes(self) -> bool {
        !matches!(self, AccessAction::Load)
    }

    /// Checks whether the access is an atomic read-modify-write operation.
    pub const fn is_atomic(self) -> bool {
        matches!(self, AccessAction::Atomic | AccessAction::Reduction)
    }

    /// Checks whether the access loads the contents of memory into registers.
    pub const fn reads(self) -> bool {
        matches!(self, AccessAction::Load | AccessAction::Atomic)
    }
}

/// Identifier of a memory by its kind and its owner, such as the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryId {
    /// Buffers and `.global` variables.
    Global,
    /// `.const` variables.
    Constant,
    /// Kernel parameters.
    Parameters,
    /// Shared memory of a block.
    Shared {
        /// Linear index of the block.
        block: u64,
    },
    /// Stack of a thread: `.local` variables and call parameters.
    Local {
        /// Linear index of the block.
        block: u64,
        warp: u32,
        lane: u32,
    },
}

impl MemoryId {
    /// Returns the state space of the memory.
    pub const fn space(self) -> StateSpace {
        match self {
            MemoryId::Global => StateSpace::Global,
            MemoryId::Constant => StateSpace::Const,
            MemoryId::Parameters => StateSpace::ParamEntry,
            MemoryId::Shared { .. } => StateSpace::Shared,
            MemoryId::Local { .. } => StateSpace::Local,
        }
    }
}

/// Index of an operand in [`Function::operands`](warpgrid_program::Function::operands).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperandIndex(pub u32);

impl OperandIndex {
    /// Returns the operand of `function` that has this index.
    pub fn of(self, function: &Function) -> Option<&Operand> {
        function.operands.get(self.0 as usize)
    }
}

/// Transfer of one element between a register of a lane and memory. Elements whose operand is the sink `_` are not
/// reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementAccess {
    /// Lane that supplied the address.
    pub address_lane: u8,
    /// Lane whose register is the source or destination of the data.
    pub data_lane: u8,
    /// Index of the element in the vector or fragment of the lane.
    pub element: u8,
    /// Size of the element in bytes.
    pub n_bytes: u32,
    /// Whether the access stored the new bytes. The field is `false` for loads, for failed comparisons, and for a
    /// minimum or maximum that memory already contained.
    pub written: bool,
    /// Type of the element.
    pub ty: ScalarType,
    /// Source operand of a store, or destination operand of a load. The field is `None` if an asynchronous operation
    /// performs the access.
    pub operand: Option<OperandIndex>,
    pub memory: MemoryId,
    /// Address of the first byte in the address space of the accessed [`MemoryId`]. Addresses in shared and local
    /// memory start at 0.
    pub address: u64,
    /// Offset of the element's bytes in the byte buffers of the event.
    start: u32,
}

impl ElementAccess {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.n_bytes as usize
    }
}

/// Cache modifiers of a memory instruction, which do not affect results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheHints {
    pub op: Option<CacheOp>,
    pub evict_l1: Option<EvictionPriority>,
    pub evict_l2: Option<EvictionPriority>,
    pub prefetch: Option<PrefetchSize>,
    /// Whether the instruction has a cache policy operand.
    pub policy: bool,
    /// Whether the instruction has the modifier `.nc`.
    pub non_coherent: bool,
    /// Whether the instruction has the modifier `.mmio`.
    pub mmio: bool,
}

/// Memory accesses of one agent in one step, which the interpreter reports to observers. The pieces are in the order in
/// which they took effect. If several lanes access the same address, the old bytes of each piece are the bytes that the
/// preceding piece wrote.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a> {
    /// Number of the step, from 0. The access takes place between the positions `step` and `step + 1`.
    pub step: u64,
    pub agent: Agent,
    /// Function of the instruction that performs or issued the access.
    pub function: FunctionId,
    /// Index of the instruction in the function.
    pub instruction: u32,
    pub action: AccessAction,
    /// State space that the instruction specifies.
    pub space: StateSpace,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub cache: CacheHints,
    /// Participating lanes, including lanes whose elements are all sinks.
    pub mask: u32,
    /// Number of bytes that each lane accesses, including bytes of sinks.
    pub width_bytes: u32,
    /// Number of bytes that each lane accesses in one hardware access. This number equals `width_bytes`, except for
    /// `wmma.load` and `wmma.store`, which compile to several accesses.
    pub access_bytes: u32,
    pub pieces: &'a [ElementAccess],
    bytes: &'a [u8],
    old: &'a [u8],
}

/// Bytes of consecutive pieces of one lane that are contiguous in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContiguousRun<'a> {
    pub lane: u8,
    pub memory: MemoryId,
    /// Address of the first byte.
    pub address: u64,
    pub pieces: &'a [ElementAccess],
    pub bytes: &'a [u8],
    /// Contents of memory before the access.
    pub before: &'a [u8],
}

impl<'a> AccessEvent<'a> {
    /// Returns the bytes of a piece: the loaded bytes of a load, or the operand bytes of a store or atomic.
    pub fn bytes(&self, piece: &ElementAccess) -> &'a [u8] {
        self.bytes.get(piece.range()).unwrap_or(&[])
    }

    /// Returns the contents of memory before the piece took effect.
    pub fn before(&self, piece: &ElementAccess) -> &'a [u8] {
        self.old.get(piece.range()).unwrap_or(&[])
    }

    /// Returns the contents of memory after the piece took effect.
    pub fn after(&self, piece: &ElementAccess) -> &'a [u8] {
        if piece.written {
            self.bytes(piece)
        } else {
            self.before(piece)
        }
    }

    /// Returns the pieces that modified memory.
    pub fn written(&self) -> impl Iterator<Item = &'a ElementAccess> {
        self.pieces.iter().filter(|piece| piece.written)
    }

    /// Merges consecutive pieces of one lane that are contiguous in memory into runs. A lane with gaps between its
    /// elements produces several runs.
    pub fn runs(&self) -> ContiguousRuns<'a> {
        ContiguousRuns {
            pieces: self.pieces,
            bytes: self.bytes,
            old: self.old,
        }
    }

    /// Returns the warp that executed the instruction, or `None` for an asynchronous operation.
    pub fn warp(&self) -> Option<WarpId> {
        match self.agent {
            Agent::Warp { block, warp } => Some(WarpId { block, warp }),
            Agent::InFlight(_) => None,
        }
    }
}

/// Iterator over the contiguous runs of an event; see [`AccessEvent::runs`].
#[derive(Clone, Debug)]
pub struct ContiguousRuns<'a> {
    pieces: &'a [ElementAccess],
    bytes: &'a [u8],
    old: &'a [u8],
}

impl<'a> Iterator for ContiguousRuns<'a> {
    type Item = ContiguousRun<'a>;

    fn next(&mut self) -> Option<ContiguousRun<'a>> {
        let first = *self.pieces.first()?;
        let follows = |pair: &&[ElementAccess]| {
            let [a, b] = pair else { return false };
            (a.address_lane, a.data_lane, a.memory, a.written)
                == (b.address_lane, b.data_lane, b.memory, b.written)
                && a.address.wrapping_add(u64::from(a.n_bytes)) == b.address
                && a.range().end == b.range().start
        };
        let n = 1 + self.pieces.windows(2).take_while(follows).count();
        let (pieces, rest) = self.pieces.split_at_checked(n)?;
        self.pieces = rest;
        let range = first.range().start..pieces.last().map_or(0, |piece| piece.range().end);
        Some(ContiguousRun {
            lane: first.data_lane,
            memory: first.memory,
            address: first.address,
            pieces,
            bytes: self.bytes.get(range.clone()).unwrap_or(&[]),
            before: self.old.get(range).unwrap_or(&[]),
        })
    }
}

/// Common fields of all access summaries of a warp. An observer may accept a summary in place of an [`AccessEvent`]
/// with pieces.
#[derive(Clone, Copy, Debug)]
pub struct WarpAccessSummary {
    pub step: u64,
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index of the instruction in the function.
    pub instruction: u32,
    pub action: AccessAction,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub lane_bytes: u32,
    pub element_bytes: u32,
    /// Whether the instruction has the modifier `.nc`.
    pub non_coherent: bool,
}

impl WarpAccessSummary {
    /// Returns the warp that performs the access.
    pub fn of(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// Access summary of a fully coalesced access: all lanes of a warp access consecutive elements of global memory.
#[derive(Clone, Copy, Debug)]
pub struct ContiguousAccess {
    pub access: WarpAccessSummary,
    /// Address of the first byte of lane 0.
    pub address: u64,
}

/// Access summary of a strided access: all lanes of a warp access one memory, with a constant stride within each
/// half-warp.
#[derive(Clone, Copy, Debug)]
pub struct HalfWarpAccess {
    pub access: WarpAccessSummary,
    pub memory: MemoryId,
    /// Address of the first byte of the first lane of each half-warp, in the address space of the memory.
    pub starts: [u64; 2],
    /// Stride in bytes between adjacent lanes of a half-warp: either the number of bytes per lane, or 0.
    pub step: u64,
}

impl HalfWarpAccess {
    /// Returns the address of the first byte of each lane.
    pub fn addresses(&self) -> [u64; 32] {
        let mut addresses = [0; 32];
        for (half, start) in addresses.chunks_exact_mut(16).zip(self.starts) {
            let mut address = start;
            for own in half {
                *own = address;
                address = address.wrapping_add(self.step);
            }
        }
        addresses
    }
}

/// Summary of a load or store of a warp with a separate address for each lane. An observer, such as the race detector, can accept the
/// summary in place of an [`AccessEvent`].
#[derive(Clone, Copy, Debug)]
pub struct PerLaneAccess<'a> {
    pub access: WarpAccessSummary,
    pub memory: MemoryId,
    /// Participating lanes.
    pub mask: u32,
    /// Address of the first byte of each participating lane, in the address space of the memory.
    pub addresses: &'a [u64; 32],
}

/// Builder for access events, which reuses its buffers in every step. A step allocates no memory once the buffers have
/// grown to the size of the largest access.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventBuffer {
    pieces: Vec<ElementAccess>,
    bytes: Vec<u8>,
    old: Vec<u8>,
}

/// Fields that are common to all pieces of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHeader {
    pub(crate) step: u64,
    pub(crate) agent: Agent,
    pub(crate) origin: (FunctionId, u32),
    pub(crate) action: AccessAction,
    pub(crate) space: StateSpace,
    pub(crate) sem: Sem,
    pub(crate) scope: Option<Scope>,
    pub(crate) cache: CacheHints,
    pub(crate) mask: u32,
    pub(crate) width_bytes: u32,
    pub(crate) access_bytes: u32,
}

impl EventBuffer {
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.bytes.clear();
        self.old.clear();
    }

    /// Appends a piece and its bytes. `bytes` and `old` must have the same length.
    pub(crate) fn add(&mut self, piece: ElementAccessHeader, bytes: &[u8], old: &[u8]) {
        let start = self.bytes.len() as u32;
        extend(&mut self.bytes, bytes);
        extend(&mut self.old, old);
        self.pieces.push(ElementAccess {
            address_lane: piece.address_lane,
            data_lane: piece.data_lane,
            element: piece.element,
            n_bytes: bytes.len() as u32,
            written: piece.written,
            ty: piece.ty,
            operand: piece.operand,
            memory: piece.memory,
            address: piece.address,
            start,
        });
    }

    pub(crate) fn event(&self, head: &EventHeader) -> AccessEvent<'_> {
        AccessEvent {
            step: head.step,
            agent: head.agent,
            function: head.origin.0,
            instruction: head.origin.1,
            action: head.action,
            space: head.space,
            sem: head.sem,
            scope: head.scope,
            cache: head.cache,
            mask: head.mask,
            width_bytes: head.width_bytes,
            access_bytes: head.access_bytes,
            pieces: &self.pieces,
            bytes: &self.bytes,
            old: &self.old,
        }
    }
}

/// Appends bytes to a buffer. Four bytes are a separate case, because an append with a constant length compiles to a
/// single store.
#[inline(always)]
fn extend(all: &mut Vec<u8>, bytes: &[u8]) {
    match <&[u8; 4]>::try_from(bytes) {
        Ok(word) => all.extend_from_slice(word),
        Err(_) => all.extend_from_slice(bytes),
    }
}

/// Fields of an [`ElementAccess`] without its size and its position in the buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementAccessHeader {
    pub(crate) address_lane: u8,
    pub(crate) data_lane: u8,
    pub(crate) element: u8,
    pub(crate) written: bool,
    pub(crate) ty: ScalarType,
    pub(crate) operand: Option<OperandIndex>,
    pub(crate) memory: MemoryId,
    pub(crate) address: u64,
}

/// Set of events that an observer requests with [`Observer::interest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventMask {
    /// Whether stores, atomics and reductions are received.
    pub stores: bool,
    /// Whether loads and atomics are received.
    pub loads: bool,
    /// Whether the effect of each step is received.
    pub steps: bool,
    /// Whether synchronization events are received: barriers, fences, mbarriers and asynchronous operations.
    pub syncs: bool,
    /// Whether mbarrier operations are reported only as synchronization events, and not as memory accesses.
    pub mbarriers_as_syncs: bool,
    /// Whether an observer of synchronization events also receives accesses to memory that only one thread can access. Such accesses need no
    /// order, so that most observers of synchronization events ignore them.
    pub private_accesses: bool,
}

impl EventMask {
    /// Mask without any events.
    pub const NONE: EventMask = EventMask {
        stores: false,
        loads: false,
        steps: false,
        syncs: false,
        mbarriers_as_syncs: false,
        private_accesses: false,
    };

    /// Mask of all memory accesses.
    pub const ACCESSES: EventMask = EventMask {
        stores: true,
        loads: true,
        ..EventMask::NONE
    };

    /// Mask of all memory accesses and synchronization events.
    pub const ORDER: EventMask = EventMask {
        syncs: true,
        ..EventMask::ACCESSES
    };

    /// Mask of the effect of each step, without memory accesses.
    pub const STEPS: EventMask = EventMask {
        steps: true,
        ..EventMask::NONE
    };

    /// Checks whether the observer receives events of any memory access.
    pub(crate) const fn includes_accesses(self) -> bool {
        self.stores || self.loads
    }

    /// Checks whether the observer receives events for accesses of this kind.
    pub const fn covers(self, action: AccessAction) -> bool {
        self.stores && action.writes() || self.loads && action.reads()
    }
}

/// Receiver of events during execution, such as the race detector. The step loop calls observers through a trait
/// object, so that the loop is compiled only once.
pub trait Observer {
    /// Returns the events that the observer requests. The method is called before the steps of a warp.
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            ..EventMask::NONE
        }
    }

    /// Receives an access that [`Observer::interest`] covers. The method is called after the access has taken effect.
    fn access(&mut self, _event: &AccessEvent<'_>) {}

    /// Receives the summary of a [`ContiguousAccess`], if [`Observer::interest`] includes synchronization events. The
    /// method is called before the access. Returns `true` to accept the summary in place of an [`AccessEvent`].
    fn row(&mut self, _access: &ContiguousAccess) -> bool {
        false
    }

    /// Receives the summary of an access that is a [`HalfWarpAccess`] but not a [`ContiguousAccess`]. The condition of
    /// the call and the result are those of [`Observer::row`].
    fn even(&mut self, _access: &HalfWarpAccess) -> bool {
        false
    }

    /// Receives the summary of any other load or store in a single memory. The condition of the call and the result are
    /// those of [`Observer::row`]. For a matrix, the method is called once for each row of elements.
    fn lanes(&mut self, _access: &PerLaneAccess<'_>) -> bool {
        false
    }

    /// Receives the effect of a step, if [`Observer::interest`] includes steps.
    fn step(&mut self, _event: &StepEvent) {}

    /// Receives a synchronization event after it has taken effect, if [`Observer::interest`] includes synchronization
    /// events.
    fn sync(&mut self, _event: &SyncEvent<'_>) {}

    /// Receives the number of each step that modifies memory, even if the observer does not request stores.
    fn store_step(&mut self, _step: u64) {}
}

/// Observer that ignores all events.
impl Observer for () {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }
}
