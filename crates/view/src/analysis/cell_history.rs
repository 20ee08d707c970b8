//! History of the stores to a memory cell. The module takes the byte range of the cell in a memory, and a position of the run, and returns
//! the stores to the cell near the position, and the total number of stores to the cell. An observer collects the stores while the session
//! executes its steps again. The steps are executed in slices, so that the host stays responsive.

use crate::model::history::{CellHistory, CellWrite};
use crate::model::store::StoreAction;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::{MemoryDescriptor, locate};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ops::Range;
use warpgrid_emulator::{
    AccessAction, AccessEvent, Agent, ElementAccess, EventMask, MemoryRegion, Observer, StepEvent,
    WarpId,
};
use warpgrid_launch::value::ElementType;
use warpgrid_program::FunctionId;

/// Maximum size in bytes of a cell whose store history is requested.
pub const MAX_CELL_BYTES: u64 = 64;
/// Maximum number of stores that a history lists before the position of the run, and maximum number of stores that it lists after the
/// position.
pub const LISTED: usize = 64;

/// Memory, byte range and element type of a memory cell whose store history a host requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellLocation {
    pub memory: MemoryKey,
    /// Offset of the cell from the start of the memory, in bytes.
    pub offset: u64,
    pub n_bytes: u64,
    /// Type in which hosts display the values of the cell.
    pub ty: ElementType,
}

impl CellLocation {
    /// Checks whether all bytes of the cell are within a memory of `size_bytes` bytes.
    pub(crate) fn is_within(&self, size_bytes: u64) -> bool {
        let end = self.offset.checked_add(self.n_bytes);
        self.n_bytes > 0 && end.is_some_and(|end| end <= size_bytes)
    }
}

/// Store to the cell whose history a [`HistorySearch`] collects.
#[derive(Clone, Debug)]
struct CellStore {
    step: u64,
    issued_by: WarpId,
    lane: Option<u8>,
    /// Mask of the lanes that wrote the cell in this store.
    lanes: u32,
    function: FunctionId,
    instruction: u32,
    action: AccessAction,
    has_landed: bool,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// State of a search for the stores to a cell. [`Session::search_history`] starts the search.
#[derive(Debug)]
pub struct HistorySearch {
    place: CellLocation,
    memory: MemoryDescriptor,
    /// Position of the run to which the listed stores are nearest.
    position: u64,
    /// Number of steps that the search has examined.
    done: u64,
    initial: Vec<u8>,
    /// Contents of the cell after the steps that the search has examined.
    bytes: Vec<u8>,
    before: VecDeque<CellStore>,
    n_before: u64,
    after: Vec<CellStore>,
    n_after: u64,
    /// Last store that the search has counted but does not list.
    cut: Option<CellStore>,
}

impl CellStore {
    fn is_same_store(&self, other: &CellStore) -> bool {
        (self.step, self.function, self.instruction)
            == (other.step, other.function, other.instruction)
    }
}

impl HistorySearch {
    /// Adds a store to the list of the search. The function merges writes of several lanes in one step into one store.
    fn keep(&mut self, write: CellStore) {
        let is_after = write.step >= self.position;
        let last = match is_after {
            true => self
                .after
                .last_mut()
                .filter(|_| self.n_after <= LISTED as u64),
            false => self.before.back_mut(),
        };
        if let Some(last) = last.filter(|last| last.is_same_store(&write)) {
            last.lanes |= write.lanes;
            (last.lane, last.after) = (write.lane, write.after);
            return;
        }
        if is_after
            && self
                .cut
                .as_ref()
                .is_some_and(|cut| cut.is_same_store(&write))
        {
            return;
        }
        if is_after {
            self.n_after += 1;
            match self.after.len() < LISTED {
                true => self.after.push(write),
                false => self.cut = Some(write),
            }
            return;
        }
        self.n_before += 1;
        if self.before.len() == LISTED {
            self.before.pop_front();
        }
        self.before.push_back(write);
    }

    fn listed_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut CellStore> {
        self.before.iter_mut().chain(&mut self.after)
    }

    /// Returns the range of bytes of the cell that the access `piece` overlaps, and the offset of these bytes within the access.
    fn shared_with(&self, piece: &ElementAccess) -> Option<(Range<usize>, usize)> {
        let memories = std::slice::from_ref(&self.memory);
        let size = u64::from(piece.n_bytes);
        // The access can start before the memory of the cell only if the complete access is outside of this memory.
        let (_, start) = locate(memories, piece.memory, piece.address)?;
        let from = start.max(self.place.offset);
        let to = (start + size).min(self.place.offset + self.place.n_bytes);
        if from >= to {
            return None;
        }
        let cell = (from - self.place.offset) as usize..(to - self.place.offset) as usize;
        Some((cell, (from - start) as usize))
    }
}

impl Observer for HistorySearch {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            steps: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for piece in event.written() {
            let Some((cell, at)) = self.shared_with(piece) else {
                continue;
            };
            let in_piece = at..at + cell.len();
            let (Some(old), Some(new)) = (
                event.before(piece).get(in_piece.clone()),
                event.after(piece).get(in_piece),
            ) else {
                continue;
            };
            let Some(bytes) = self.bytes.get_mut(cell.clone()) else {
                continue;
            };
            bytes.copy_from_slice(old);
            let before = self.bytes.clone();
            self.bytes[cell].copy_from_slice(new);
            self.keep(CellStore {
                step: event.step,
                issued_by: event.warp().unwrap_or_default(),
                lane: Some(piece.data_lane),
                lanes: 1 << (piece.data_lane & 31),
                function: event.function,
                instruction: event.instruction,
                action: event.action,
                has_landed: event.warp().is_none(),
                before,
                after: self.bytes.clone(),
            });
        }
    }

    fn step(&mut self, event: &StepEvent) {
        if !matches!(event.agent, Agent::InFlight(_)) {
            return;
        }
        // A store by a completing asynchronous operation does not identify a warp, so add the warp that started the operation, which the
        // step event identifies.
        let landed = self.listed_mut().rev();
        for write in landed.take_while(|write| write.step == event.position) {
            write.issued_by = event.warp_id();
        }
    }
}

impl Session {
    /// Starts a search for the stores to a cell. Returns `None` if the memory does not exist or does not contain the cell.
    /// [`Session::continue_history`] continues the search, and [`Session::history_found`] returns the result.
    pub fn search_history(&mut self, place: &CellLocation) -> Option<HistorySearch> {
        let memory = self.memory_with(&place.memory)?;
        if !place.is_within(memory.view.size_bytes) || place.n_bytes > MAX_CELL_BYTES {
            return None;
        }
        let position = self.position();
        self.seek(0);
        let initial = self.cell_bytes(memory.region, place);
        self.seek(position);
        Some(HistorySearch {
            place: place.clone(),
            memory,
            position,
            done: 0,
            bytes: initial.clone(),
            initial,
            before: VecDeque::new(),
            n_before: 0,
            after: Vec::new(),
            n_after: 0,
            cut: None,
        })
    }

    /// Continues the search over at most `budget` more executed steps. Returns whether the search has examined all executed steps.
    pub fn continue_history(&mut self, search: &mut HistorySearch, budget: u64) -> bool {
        let seen = self.steps_seen();
        let to = seen.min(search.done.saturating_add(budget));
        if search.done < to {
            match search.memory.region {
                MemoryRegion::Tensor { .. } => self.compare_steps(search, to),
                _ => self.timeline.replay(search.done, to, search),
            }
            search.done = to;
        }
        search.done >= seen
    }

    /// Finds stores to tensor memory. The machine does not report accesses to tensor memory to observers, so the function compares the
    /// bytes of the cell before and after each step.
    fn compare_steps(&mut self, search: &mut HistorySearch, to: u64) {
        let stood = self.position();
        self.seek(search.done);
        while self.position() < to && self.step() {
            let now = self.cell_bytes(search.memory.region, &search.place);
            if now == search.bytes {
                continue;
            }
            let Some(event) = self.timeline.machine().last_step() else {
                continue;
            };
            let before = std::mem::replace(&mut search.bytes, now);
            let write = CellStore {
                step: event.position,
                issued_by: event.warp_id(),
                lane: None,
                lanes: 0,
                function: event.function,
                instruction: event.instruction,
                action: AccessAction::Store,
                has_landed: matches!(event.agent, Agent::InFlight(_)),
                before,
                after: search.bytes.clone(),
            };
            search.keep(write);
        }
        self.seek(stood);
    }

    /// Returns the bytes of a cell at the present position, or `None` if the block that owns the memory is not resident on the machine.
    pub(crate) fn cell_now(&self, region: MemoryRegion, place: &CellLocation) -> Option<&[u8]> {
        let memory = self.timeline.machine().memory(region)?;
        memory.get(place.offset as usize..(place.offset + place.n_bytes) as usize)
    }

    /// Returns the bytes of a cell at the present position, or zeros if the block that owns the memory is not resident on the machine.
    fn cell_bytes(&self, region: MemoryRegion, place: &CellLocation) -> Vec<u8> {
        let now = self.cell_now(region, place);
        now.map_or_else(|| vec![0; place.n_bytes as usize], <[u8]>::to_vec)
    }

    /// Returns the stores that the search has found so far.
    pub fn history_found(&self, search: &HistorySearch) -> CellHistory {
        let HistorySearch { place, .. } = search;
        let listed = search.before.iter().chain(&search.after);
        CellHistory {
            memory: place.memory.clone(),
            offset: place.offset,
            n_bytes: place.n_bytes,
            ty: place.ty,
            initial: text(place.ty, &search.initial),
            position: search.position,
            n_before: search.n_before,
            n_after: search.n_after,
            steps: search.done,
            writes: listed
                .map(|write| self.write_view(write, place.ty))
                .collect(),
        }
    }

    fn write_view(&self, write: &CellStore, ty: ElementType) -> CellWrite {
        let WarpId { block, warp } = write.issued_by;
        CellWrite {
            position: write.step + 1,
            block,
            warp,
            lane: write.lane,
            n_lanes: write.lanes.count_ones(),
            range: self.range_of(write.function, write.instruction),
            instruction: self.text_of(write.function, write.instruction).to_owned(),
            action: match write.action {
                AccessAction::Load | AccessAction::Store => StoreAction::Store,
                AccessAction::Atomic => StoreAction::Atomic,
                AccessAction::Reduction => StoreAction::Reduction,
            },
            has_landed: write.has_landed,
            before: text(ty, &write.before),
            after: text(ty, &write.after),
        }
    }

    /// Returns the executed stores to a cell: the latest [`LISTED`] stores up to the present position, and the first [`LISTED`] stores
    /// after it. Returns `None` if the memory does not exist or does not contain the cell.
    pub fn history(&mut self, place: &CellLocation) -> Option<CellHistory> {
        let mut search = self.search_history(place)?;
        while !self.continue_history(&mut search, u64::MAX) {}
        Some(self.history_found(&search))
    }
}

/// Formats the elements of a cell as values of type `ty`, separated by commas.
fn text(ty: ElementType, bytes: &[u8]) -> String {
    let elements = bytes.chunks(ty.width_bytes());
    let texts: Vec<String> = elements.map(|bytes| ty.text(ty.bits(bytes))).collect();
    texts.join(", ")
}
