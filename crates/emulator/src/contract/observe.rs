//! Listening to a run: what each access did to memory, piece by piece. In: accesses as they happen; out: events.
//! Nothing is put together for an observer that has no interest in it.

use crate::contract::event::{Agent, StepEvent, WarpId};
use crate::contract::sync_event::SyncEvent;
use std::ops::Range;
use warpgrid_isa::{CacheOp, EvictionPriority, PrefetchSize, ScalarType, Scope, Sem, StateSpace};
use warpgrid_program::{Function, FunctionId, Operand};

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessAction {
    Load,
    Store,
    /// Reads and writes in one, and returns what was read.
    Atomic,
    /// Reads and writes in one, and returns nothing.
    Reduction,
}

impl AccessAction {
    /// Whether pieces of it can change memory.
    pub const fn writes(self) -> bool {
        !matches!(self, AccessAction::Load)
    }

    /// Whether it reads and writes in one.
    pub const fn is_atomic(self) -> bool {
        matches!(self, AccessAction::Atomic | AccessAction::Reduction)
    }

    /// Whether it tells registers what memory held.
    pub const fn reads(self) -> bool {
        matches!(self, AccessAction::Load | AccessAction::Atomic)
    }
}

/// A memory that bytes are in, by what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryId {
    /// Buffers and `.global` variables.
    Global,
    /// `.const` variables.
    Constant,
    /// Parameters of the kernel.
    Parameters,
    /// The shared memory of a block.
    Shared {
        /// Linear index of the block.
        block: u64,
    },
    /// The stack of a thread: `.local` variables and the parameters of calls.
    Local {
        /// Linear index of the block.
        block: u64,
        warp: u32,
        lane: u32,
    },
}

impl MemoryId {
    /// The state space of the memory.
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

/// An operand by its place in [`Function::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperandIndex(pub u32);

impl OperandIndex {
    /// The operand in its function.
    pub fn of(self, function: &Function) -> Option<&Operand> {
        function.operands.get(self.0 as usize)
    }
}

/// One element that went between a lane and memory. An element that is not stored (a sink) makes no piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Lane that supplied the address.
    pub asked: u8,
    /// The lane whose register the data comes from or goes to.
    pub gave: u8,
    /// Which element of the lane's vector or fragment it is.
    pub element: u8,
    /// Bytes of the element.
    pub n_bytes: u32,
    /// Whether memory holds the new bytes from then on: false for loads, for a comparison that failed, and for a
    /// minimum or maximum that memory held already.
    pub written: bool,
    /// Of the element.
    pub ty: ScalarType,
    /// Where the data comes from or goes to: the source operand of what is stored, the destination of what is loaded.
    /// `None` where an operation in flight brings it.
    pub operand: Option<OperandIndex>,
    pub memory: MemoryId,
    /// Of the first byte, as [`MemoryId`]'s own space counts: from 0 in shared and local memory.
    pub address: u64,
    /// Of its bytes in the event's buffers.
    start: u32,
}

impl Piece {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.n_bytes as usize
    }
}

/// What the modifiers say to the caches. Hints change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CacheHints {
    pub op: Option<CacheOp>,
    pub evict_l1: Option<EvictionPriority>,
    pub evict_l2: Option<EvictionPriority>,
    pub prefetch: Option<PrefetchSize>,
    /// Whether a cache policy is among the operands.
    pub policy: bool,
    /// `.nc`
    pub non_coherent: bool,
    /// `.mmio`
    pub mmio: bool,
}

/// What one agent did to memory in one step. Pieces have the order in which they took effect: where lanes meet at one
/// address, each piece's old bytes are those that the piece before it left.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a> {
    /// The number of the step (from 0): the access happens between positions `step` and `step + 1`.
    pub step: u64,
    pub agent: Agent,
    /// The instruction that it comes from.
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    pub action: AccessAction,
    /// As the instruction names it.
    pub space: StateSpace,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub cache: CacheHints,
    /// Lanes that take part, also where all of their elements are sinks.
    pub mask: u32,
    /// Bytes per lane, sinks included.
    pub width_bytes: u32,
    /// Bytes per lane that compiled code moves at once: as many, but for `wmma.load` and `wmma.store`, which become several
    /// accesses.
    pub access_bytes: u32,
    pub pieces: &'a [Piece],
    bytes: &'a [u8],
    old: &'a [u8],
}

/// Pieces of one lane that follow each other in memory without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    pub lane: u8,
    pub memory: MemoryId,
    /// Of the first byte.
    pub address: u64,
    pub pieces: &'a [Piece],
    pub bytes: &'a [u8],
    /// What memory held there before.
    pub before: &'a [u8],
}

impl<'a> AccessEvent<'a> {
    /// The bytes of a piece: those that were read by a load, those that were offered to memory otherwise.
    pub fn bytes(&self, piece: &Piece) -> &'a [u8] {
        self.bytes.get(piece.range()).unwrap_or(&[])
    }

    /// What memory held before the piece took effect.
    pub fn before(&self, piece: &Piece) -> &'a [u8] {
        self.old.get(piece.range()).unwrap_or(&[])
    }

    /// What memory holds after the piece took effect.
    pub fn after(&self, piece: &Piece) -> &'a [u8] {
        if piece.written {
            self.bytes(piece)
        } else {
            self.before(piece)
        }
    }

    /// Pieces that memory took.
    pub fn written(&self) -> impl Iterator<Item = &'a Piece> {
        self.pieces.iter().filter(|piece| piece.written)
    }

    /// Pieces of one lane that follow each other in memory, together; a lane with a gap between its elements gives
    /// several runs.
    pub fn runs(&self) -> Runs<'a> {
        Runs {
            pieces: self.pieces,
            bytes: self.bytes,
            old: self.old,
        }
    }

    /// The warp that executed the instruction; `None` for an operation in flight.
    pub fn warp(&self) -> Option<WarpId> {
        match self.agent {
            Agent::Warp { block, warp } => Some(WarpId { block, warp }),
            Agent::InFlight(_) => None,
        }
    }
}

/// See [`AccessEvent::runs`].
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    pieces: &'a [Piece],
    bytes: &'a [u8],
    old: &'a [u8],
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let first = *self.pieces.first()?;
        let follows = |pair: &&[Piece]| {
            let [a, b] = pair else { return false };
            (a.asked, a.gave, a.memory, a.written) == (b.asked, b.gave, b.memory, b.written)
                && a.address.wrapping_add(u64::from(a.n_bytes)) == b.address
                && a.range().end == b.range().start
        };
        let n = 1 + self.pieces.windows(2).take_while(follows).count();
        let (pieces, rest) = self.pieces.split_at_checked(n)?;
        self.pieces = rest;
        let range = first.range().start..pieces.last().map_or(0, |piece| piece.range().end);
        Some(Run {
            lane: first.gave,
            memory: first.memory,
            address: first.address,
            pieces,
            bytes: self.bytes.get(range.clone()).unwrap_or(&[]),
            before: self.old.get(range).unwrap_or(&[]),
        })
    }
}

/// A load or store of a warp, as far as an observer may be content with it in place of an event of pieces.
#[derive(Clone, Copy, Debug)]
pub struct WarpAccess {
    pub step: u64,
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    pub action: AccessAction,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub lane_bytes: u32,
    pub element_bytes: u32,
    /// `.nc`
    pub non_coherent: bool,
}

impl WarpAccess {
    /// The warp that accesses memory.
    pub fn of(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// A load or store of global memory by all lanes of a warp, each the bytes that follow those of the lane before.
#[derive(Clone, Copy, Debug)]
pub struct RowAccess {
    pub access: WarpAccess,
    /// Of the first byte of lane 0.
    pub address: u64,
}

/// A load or store of all lanes of a warp in one memory, evenly within each half of them.
#[derive(Clone, Copy, Debug)]
pub struct EvenAccess {
    pub access: WarpAccess,
    pub memory: MemoryId,
    /// Of the first byte of the first lane of each half, as the memory counts.
    pub starts: [u64; 2],
    /// Bytes from each lane to the next one of its half: those of a lane, or none.
    pub step: u64,
}

impl EvenAccess {
    /// Of the first byte of each lane.
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

/// A load or store of lanes in one memory.
#[derive(Clone, Copy, Debug)]
pub struct LanesAccess<'a> {
    pub access: WarpAccess,
    pub memory: MemoryId,
    /// Lanes that take part.
    pub mask: u32,
    /// Of the first byte of each lane that takes part, as its memory counts.
    pub addresses: &'a [u64; 32],
}

/// Where events are put together. It is used again by every step, so that a step allocates nothing once the buffers
/// have the size of the largest access.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventBuffer {
    pieces: Vec<Piece>,
    bytes: Vec<u8>,
    old: Vec<u8>,
}

/// What an event says of all its pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHead {
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

    /// Adds a piece with its bytes; `bytes` and `old` have the same length.
    pub(crate) fn add(&mut self, piece: PieceHead, bytes: &[u8], old: &[u8]) {
        let start = self.bytes.len() as u32;
        extend(&mut self.bytes, bytes);
        extend(&mut self.old, old);
        self.pieces.push(Piece {
            asked: piece.asked,
            gave: piece.gave,
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

    pub(crate) fn event(&self, head: &EventHead) -> AccessEvent<'_> {
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

/// Adds bytes; those of a word cost less where it is known how many they are.
#[inline(always)]
fn extend(all: &mut Vec<u8>, bytes: &[u8]) {
    match <&[u8; 4]>::try_from(bytes) {
        Ok(word) => all.extend_from_slice(word),
        Err(_) => all.extend_from_slice(bytes),
    }
}

/// A [`Piece`] without its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceHead {
    pub(crate) asked: u8,
    pub(crate) gave: u8,
    pub(crate) element: u8,
    pub(crate) written: bool,
    pub(crate) ty: ScalarType,
    pub(crate) operand: Option<OperandIndex>,
    pub(crate) memory: MemoryId,
    pub(crate) address: u64,
}

/// Which events an observer receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// Stores, atomics and reductions.
    pub stores: bool,
    /// Loads, and atomics.
    pub loads: bool,
    /// What each step did.
    pub steps: bool,
    /// What orders steps: barriers, fences, mbarriers, operations in flight.
    pub syncs: bool,
    /// Of operations on mbarriers what orders steps alone, and no accesses.
    pub mbarriers_as_syncs: bool,
}

impl Interest {
    /// Nothing.
    pub const NONE: Interest = Interest {
        stores: false,
        loads: false,
        steps: false,
        syncs: false,
        mbarriers_as_syncs: false,
    };

    /// Every access to memory, whether it reads or writes.
    pub const ACCESSES: Interest = Interest {
        stores: true,
        loads: true,
        ..Interest::NONE
    };

    /// Every access to memory, and what orders them.
    pub const ORDER: Interest = Interest {
        syncs: true,
        ..Interest::ACCESSES
    };

    /// What each step did, and no access.
    pub const STEPS: Interest = Interest {
        steps: true,
        ..Interest::NONE
    };

    /// Whether events of any access are received.
    pub(crate) const fn hears_accesses(self) -> bool {
        self.stores || self.loads
    }

    /// Whether events of this kind are received.
    pub const fn covers(self, action: AccessAction) -> bool {
        self.stores && action.writes() || self.loads && action.reads()
    }
}

/// Receives what happens, while it happens. Called through a pointer: the steps exist once, and a step that is observed
/// costs one call more.
pub trait Observer {
    /// Asked before the steps of a warp.
    fn interest(&self) -> Interest {
        Interest {
            stores: true,
            ..Interest::NONE
        }
    }

    /// Called for every access that [`Observer::interest`] covers, after it took effect.
    fn access(&mut self, _event: &AccessEvent<'_>) {}

    /// Asked before an access that is a [`RowAccess`], if [`Observer::interest`] has what orders steps: true where no event of it is needed.
    fn row(&mut self, _access: &RowAccess) -> bool {
        false
    }

    /// Asked before any other access that is an [`EvenAccess`], likewise.
    fn even(&mut self, _access: &EvenAccess) -> bool {
        false
    }

    /// Asked before any other load or store of one memory, likewise; of a matrix, of each row of its elements.
    fn lanes(&mut self, _access: &LanesAccess<'_>) -> bool {
        false
    }

    /// Called for every step after it happened, if [`Observer::interest`] has steps.
    fn step(&mut self, _event: &StepEvent) {}

    /// Called for what orders steps, after it took effect, if [`Observer::interest`] has it.
    fn sync(&mut self, _event: &SyncEvent<'_>) {}

    /// Called for every step that changes memory, even if the observer has no interest in stores.
    fn store_step(&mut self, _step: u64) {}
}

/// An observer that ignores every event.
impl Observer for () {
    fn interest(&self) -> Interest {
        Interest::NONE
    }
}
