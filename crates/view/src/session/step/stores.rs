//! Stores of a step. The module collects the stored elements while the emulator executes a step, and converts these elements to the form
//! that hosts display.

use crate::analysis::traffic::access::{LaneBytes, count_accesses};
use crate::analysis::traffic::counter::wavefront_mode;
use crate::model::MemorySpace;
use crate::model::store::{LaneStore, PieceView, StoreAction, StoreView};
use crate::model::text::SourceRange;
use crate::model::traffic::Traffic;
use crate::session::memory_list::{MemoryDescriptor, element_of, locate};
use warpgrid_emulator::{
    AccessAction, AccessEvent, Agent, CacheHints, ElementAccess, EventMask, MemoryId, Observer,
    StepEvent, WarpId,
};
use warpgrid_isa::{MemoryGeometry, ScalarType, Scope, Sem, StateSpace};
use warpgrid_program::Function;

/// Owned copy of one element that a store writes, with its values before and after the store.
#[derive(Clone, Debug)]
pub(crate) struct PieceRecord {
    pub(crate) piece: ElementAccess,
    /// Value that the lane provides as the operand of the store.
    pub(crate) bytes: Vec<u8>,
    /// Value of the element in memory before the store.
    pub(crate) old: Vec<u8>,
    /// Value of the element in memory after the store.
    pub(crate) new: Vec<u8>,
}

impl PieceRecord {
    /// Returns the addresses of the bytes of the element within its memory.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> {
        let first = self.piece.address;
        (0..self.bytes.len() as u64).map(move |byte| first.wrapping_add(byte))
    }
}

/// Owned copy of a store or load that the emulator reports to the [`StoreCollector`].
#[derive(Clone, Debug)]
pub(crate) struct StoreRecord {
    pub(crate) step: u64,
    agent: Agent,
    /// Warp that issued the store instruction.
    issued_by: WarpId,
    pub(crate) function: u32,
    pub(crate) instruction: u32,
    action: AccessAction,
    sem: Sem,
    scope: Option<Scope>,
    cache: CacheHints,
    /// State space that the store instruction specifies.
    space: StateSpace,
    mask: u32,
    /// Number of bytes that the instruction transfers per lane, including elements whose operand is the sink `_`.
    pub(crate) width_bytes: u32,
    /// Number of bytes that one access of the compiled code transfers per lane.
    access_bytes: u32,
    pub(crate) pieces: Vec<PieceRecord>,
}

impl From<&AccessEvent<'_>> for StoreRecord {
    fn from(event: &AccessEvent<'_>) -> StoreRecord {
        let piece = |piece: &ElementAccess| PieceRecord {
            piece: *piece,
            bytes: event.bytes(piece).to_vec(),
            old: event.before(piece).to_vec(),
            new: event.after(piece).to_vec(),
        };
        StoreRecord {
            step: event.step,
            agent: event.agent,
            issued_by: event.warp().unwrap_or_default(),
            function: event.function.0,
            instruction: event.instruction,
            action: event.action,
            sem: event.sem,
            scope: event.scope,
            cache: event.cache,
            space: event.space,
            mask: event.mask,
            width_bytes: event.width_bytes,
            access_bytes: event.access_bytes,
            pieces: event.pieces.iter().map(piece).collect(),
        }
    }
}

/// Observer that collects stores, up to a maximum number of stores.
#[derive(Debug)]
pub(crate) struct StoreCollector {
    pub(crate) stores: Vec<StoreRecord>,
    /// Loads of the step, if their collection is enabled.
    pub(crate) loads: Vec<StoreRecord>,
    listens_to_loads: bool,
    limit: usize,
}

impl StoreCollector {
    pub(crate) fn new(limit: usize) -> StoreCollector {
        StoreCollector {
            stores: Vec::new(),
            loads: Vec::new(),
            listens_to_loads: false,
            limit,
        }
    }

    /// Enables the collection of loads.
    pub(crate) fn with_loads(self) -> StoreCollector {
        StoreCollector {
            listens_to_loads: true,
            ..self
        }
    }
}

impl Observer for StoreCollector {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            loads: self.listens_to_loads,
            steps: true,
            ..EventMask::NONE
        }
    }

    fn step(&mut self, event: &StepEvent) {
        // A store by a completing asynchronous operation does not identify a warp, so add the warp that started the operation, which the
        // step event identifies.
        let landed = self.stores.iter_mut().rev();
        for record in landed.take_while(|record| record.step == event.position) {
            record.issued_by = event.warp_id();
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let records = match event.action.writes() {
            true => &mut self.stores,
            false => &mut self.loads,
        };
        if records.len() < self.limit {
            records.push(event.into());
        }
    }
}

/// Source location of a store, and properties of its instruction that the conversion to a [`StoreView`] requires.
pub(crate) struct StoreContext<'a> {
    pub(crate) range: SourceRange,
    pub(crate) instruction: &'a str,
    pub(crate) opcode: &'a str,
    pub(crate) function: Option<&'a Function>,
    /// Returns the source text of an operand.
    pub(crate) text: &'a dyn Fn(warpgrid_program::Span) -> String,
    pub(crate) shape: MemoryGeometry,
    /// Element type that the store instruction specifies.
    pub(crate) ty: ScalarType,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) memories: &'a [MemoryDescriptor],
}

impl<'a> StoreContext<'a> {
    /// Returns the memory that contains an address, and the byte offset of the address from the start of this memory.
    pub(crate) fn locate_address(
        &self,
        place: MemoryId,
        address: u64,
    ) -> Option<(&'a MemoryDescriptor, u64)> {
        locate(self.memories, place, address)
    }

    fn locate(&self, piece: &ElementAccess) -> Option<(&MemoryDescriptor, u64)> {
        self.locate_address(piece.memory, piece.address)
    }

    fn source_text(&self, piece: &ElementAccess) -> Option<String> {
        let operand = piece.operand?.of(self.function?)?;
        let text = (self.text)(operand.span);
        (!text.is_empty()).then_some(text)
    }
}

impl StoreRecord {
    /// Checks whether the access is a store according to the definition that all hosts use. A store modifies memory. A write to call
    /// parameters is not a store, because call parameters are registers, and neither is an atomic that leaves memory unmodified.
    pub(crate) fn is_store(&self) -> bool {
        let is_written = self.pieces.iter().any(|record| record.piece.written);
        self.space != StateSpace::ParamFunc && (is_written || self.pieces.is_empty())
    }

    /// Returns the warp that issued the store instruction.
    pub(crate) fn issued_by(&self) -> WarpId {
        self.issued_by
    }

    /// Checks whether the store is the completion of an asynchronous operation.
    pub(crate) fn has_landed(&self) -> bool {
        matches!(self.agent, Agent::InFlight(_))
    }

    /// Converts the record of the store to the form that hosts display.
    pub(crate) fn view(&self, place: &StoreContext<'_>) -> StoreView {
        let lanes: Vec<LaneStore> = (0..32)
            .filter(|lane| self.mask >> lane & 1 == 1)
            .map(|lane| self.lane(lane, place))
            .collect();
        let mut memories = Vec::new();
        for found in self
            .pieces
            .iter()
            .filter_map(|piece| place.locate(&piece.piece))
        {
            if !memories.contains(&found.0.view.id) {
                memories.push(found.0.view.id.clone());
            }
        }
        let WarpId { block, warp } = self.issued_by;
        // Include all elements in the traffic, because an atomic that leaves memory unmodified causes the same traffic as other atomics.
        let traffic = self.traffic(self.pieces.iter(), self.access_bytes, place.shape);
        // Compute the number of written bytes separately, because accesses to overlapping rows of a matrix write some bytes several times.
        let written = self.traffic(self.written(), self.width_bytes, place.shape);
        let n_bytes = written.global.bytes + written.shared.bytes + written.local.bytes;
        StoreView {
            step: self.step,
            block: unravel(block, place.grid),
            warp,
            has_landed: self.has_landed(),
            action: self.action(),
            range: place.range,
            instruction: place.instruction.to_owned(),
            opcode: place.opcode.to_owned(),
            memory: match &memories[..] {
                [only] => Some(only.clone()),
                _ => None,
            },
            memories,
            space: match (self.space, self.pieces.first()) {
                // Show call parameters as parameters, although the emulator stores them in local memory.
                (StateSpace::ParamFunc, _) => MemorySpace::Param,
                (_, Some(record)) => record.piece.memory.space().into(),
                (_, None) => MemorySpace::Generic,
            },
            ty: element_of(place.ty),
            n_elements: self.width_bytes / place.ty.width_bytes().max(1),
            n_bytes: n_bytes as u32,
            traffic,
            order: self.sem.name().to_owned(),
            scope: self.scope.map(|scope| scope.name().to_owned()),
            hints: hints(&self.cache),
            lost: self.overwritten_lanes(),
            lanes,
        }
    }

    fn action(&self) -> StoreAction {
        match self.action {
            AccessAction::Load | AccessAction::Store => StoreAction::Store,
            AccessAction::Atomic => StoreAction::Atomic,
            AccessAction::Reduction => StoreAction::Reduction,
        }
    }

    /// Returns the elements of the store that modified memory.
    fn written(&self) -> impl Iterator<Item = &PieceRecord> + Clone {
        self.pieces.iter().filter(|piece| piece.piece.written)
    }

    /// Returns the memory traffic of the elements `pieces` if one access transfers `access_bytes` bytes per lane.
    fn traffic<'p>(
        &self,
        pieces: impl Iterator<Item = &'p PieceRecord>,
        access_bytes: u32,
        shape: MemoryGeometry,
    ) -> Traffic {
        let parts: Vec<LaneBytes> = pieces.map(|piece| LaneBytes::from(&piece.piece)).collect();
        count_accesses(
            &parts,
            self.mask.count_ones(),
            self.width_bytes,
            access_bytes,
            wavefront_mode(self.action),
            shape,
        )
    }

    /// Returns the number of lanes of a plain store for which another lane overwrote a byte with a different value. The number does not
    /// include lanes that write equal values, and is 0 for atomics, because they are serialized.
    fn overwritten_lanes(&self) -> u32 {
        if self.action() != StoreAction::Store {
            return 0;
        }
        let pieces: Vec<&PieceRecord> = self.written().collect();
        let overwrites = |early: &PieceRecord, late: &PieceRecord| {
            early.piece.data_lane != late.piece.data_lane
                && early.piece.memory == late.piece.memory
                && early.addresses().zip(&early.bytes).any(|(address, byte)| {
                    let at = address.wrapping_sub(late.piece.address) as usize;
                    late.bytes.get(at).is_some_and(|other| other != byte)
                })
        };
        let mut lanes = 0u32;
        for (index, early) in pieces.iter().enumerate() {
            let bit = 1 << early.piece.data_lane;
            if lanes & bit == 0
                && pieces[index + 1..]
                    .iter()
                    .any(|late| overwrites(early, late))
            {
                lanes |= bit;
            }
        }
        lanes.count_ones()
    }

    fn lane(&self, lane: u8, place: &StoreContext<'_>) -> LaneStore {
        let own: Vec<&PieceRecord> = self
            .pieces
            .iter()
            .filter(|piece| piece.piece.data_lane == lane)
            .collect();
        let pieces: Vec<PieceView> = own.iter().map(|piece| view_piece(piece, place)).collect();
        let first = own.first().map(|piece| piece.piece.address);
        let n_elements = self.width_bytes / place.ty.width_bytes().max(1);
        let text = |element: u32| {
            let found = pieces
                .iter()
                .find(|piece| u32::from(piece.element) == element);
            found.map_or("_", |piece| piece.value.as_str())
        };
        LaneStore {
            lane,
            thread: unravel(
                u64::from(self.issued_by.warp) * 32 + u64::from(lane),
                place.block,
            ),
            address: first.map_or_else(String::new, |address| format!("{address:#x}")),
            offset: pieces.first().and_then(|piece| piece.offset),
            bytes: own
                .iter()
                .flat_map(|piece| piece.new.iter().copied())
                .collect(),
            value: (0..n_elements).map(text).collect::<Vec<_>>().join(", "),
            pieces,
        }
    }
}

/// Returns the cache hints of a store in the notation of the program.
fn hints(cache: &CacheHints) -> Vec<String> {
    let flag = |is_there: bool, name: &str| is_there.then(|| name.to_owned());
    [
        cache.op.map(|op| op.name().to_owned()),
        cache.evict_l1.map(|evict| format!("L1::{}", evict.name())),
        cache.evict_l2.map(|evict| format!("L2::{}", evict.name())),
        cache.prefetch.map(|size| size.name().to_owned()),
        flag(cache.policy, "L2::cache_hint"),
        flag(cache.non_coherent, "nc"),
        flag(cache.mmio, "mmio"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn view_piece(record: &PieceRecord, place: &StoreContext<'_>) -> PieceView {
    let piece = &record.piece;
    let element = element_of(piece.ty);
    let text = |bytes: &[u8]| element.text(element.bits(bytes));
    let found = place.locate(piece);
    PieceView {
        element: piece.element,
        address_lane: piece.address_lane,
        memory: found.map(|(memory, _)| memory.view.id.clone()),
        address: format!("{:#x}", piece.address),
        offset: found.map(|(_, offset)| offset),
        n_bytes: piece.n_bytes,
        ty: element,
        value: text(&record.new),
        before: text(&record.old),
        stored_value: text(&record.bytes),
        written: piece.written,
        source: place.source_text(piece),
    }
}

/// Converts a linear index to coordinates. The x coordinate varies fastest.
pub(crate) fn unravel(index: u64, extents: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(extents[0].max(1)), u64::from(extents[1].max(1))];
    [
        (index % x) as u32,
        (index / x % y) as u32,
        (index / x / y) as u32,
    ]
}
