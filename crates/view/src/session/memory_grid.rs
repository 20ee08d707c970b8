//! Computation of a window of a memory as a grid of cells. Each cell contains its value, its last writer, and marks for bytes that the last
//! step wrote.

use crate::model::MemorySpace;
use crate::model::grid::{GridCell, GridRequest, MemoryGrid, WriteAge};
use crate::model::store::{AsyncOperationView, StoreView};
use crate::session::memory_list::MemoryDescriptor;
use crate::session::step::async_operations;
use warpgrid_emulator::LastWriters;
use warpgrid_isa::MemoryGeometry;
use warpgrid_launch::value::ElementType;

/// Maximum number of rows in a window of a memory.
pub const MAX_ROWS: u32 = 512;
/// Maximum number of cells in each row of a window.
pub const MAX_COLUMNS: u32 = 1024;
/// Maximum number of cells in a window of a memory.
const MAX_CELLS: u64 = 1 << 16;

/// Contents and last writers of a memory at a position of the run, from which a grid is computed.
pub(crate) struct MemoryState<'a> {
    pub(crate) position: u64,
    pub(crate) bytes: &'a [u8],
    /// Last writer of each byte, if the session tracks last writers.
    pub(crate) writers: Option<LastWriters<'a>>,
    /// Stores that the last step performed.
    pub(crate) current_stores: &'a [StoreView],
    pub(crate) pending: &'a [AsyncOperationView],
}

/// Returns the window of a memory that `request` describes.
pub(crate) fn layout(
    memory: &MemoryDescriptor,
    request: &GridRequest,
    held: MemoryState<'_>,
    shape: MemoryGeometry,
) -> MemoryGrid {
    let bytes = held.bytes;
    let element = request.ty.unwrap_or(memory.element);
    let width = element.width_bytes();
    let n_elements = (bytes.len() as u64).div_ceil(width as u64);
    let columns = request
        .columns
        .filter(|n| (1..=MAX_COLUMNS).contains(n))
        .unwrap_or_else(|| natural_columns(memory, element, n_elements));
    let total_rows = n_elements.div_ceil(columns.into());
    let first_row = request.first_row.min(total_rows.saturating_sub(1));
    let most = u64::from(request.n_rows.unwrap_or(MAX_ROWS).min(MAX_ROWS))
        .min(MAX_CELLS / u64::from(columns))
        .max(1);
    let n_rows = (total_rows - first_row).min(most) as u32;
    let from = first_row * u64::from(columns);
    let to = (from + u64::from(n_rows) * u64::from(columns)).min(n_elements);
    let touched = StoredRanges::new(memory, held.current_stores, held.pending, held.position);
    let cells = (from..to)
        .map(|index| cell(element, index, bytes, held.writers.as_ref(), &touched))
        .collect();
    MemoryGrid {
        memory: memory.view.clone(),
        ty: element,
        columns,
        first_row,
        n_rows,
        total_rows,
        sector_bytes: (memory.view.space == MemorySpace::Global).then_some(shape.sector_bytes),
        cells,
        tiles: Vec::new(),
    }
}

fn cell(
    element: ElementType,
    index: u64,
    bytes: &[u8],
    writers: Option<&LastWriters<'_>>,
    touched: &StoredRanges,
) -> GridCell {
    let start = index as usize * element.width_bytes();
    let end = (start + element.width_bytes()).min(bytes.len());
    let bits = element.bits(bytes.get(start..end).unwrap_or(&[]));
    // Select the latest writer among the last writers of the bytes in the cell.
    let writer = writers.and_then(|writers| writers.latest(start..end));
    let is_written = || writers.is_some_and(|w| (start..end).any(|byte| w.is_written(byte)));
    let n_pieces = touched.n_pieces(start as u64, end as u64);
    let written = match n_pieces {
        0 if writer.is_some_and(|writer| touched.by_writer == Some(writer.step)) => WriteAge::Now,
        0 if writer.is_some() || is_written() => WriteAge::Before,
        0 => WriteAge::Never,
        _ => WriteAge::Now,
    };
    GridCell {
        text: element.text(bits),
        is_zero: bits == 0,
        lane: writer.map(|writer| writer.lane as u8),
        step: writer.map(|writer| writer.step + 1),
        written,
        has_conflict: n_pieces > 1 && touched.conflicts(start as u64, end as u64),
        pending: touched.is_async_target(start as u64, end as u64),
    }
}

/// Byte range of a memory that the last step wrote.
struct StoredRange {
    start: u64,
    end: u64,
    /// Whether another lane of the same step wrote a different value to at least one byte of the range.
    has_conflict: bool,
}

/// Byte ranges of a memory that the last step wrote, sorted by start.
struct StoredRanges {
    ranges: Vec<StoredRange>,
    longest: u64,
    /// Byte ranges that pending asynchronous operations will write. A linear search in this list is sufficient, because it is short.
    pending: Vec<(u64, u64)>,
    /// Index of the last step. The field is present only if the bytes that this step wrote are known only from the last writers, as in
    /// tensor memory.
    by_writer: Option<u64>,
}

impl StoredRanges {
    fn new(
        memory: &MemoryDescriptor,
        now: &[StoreView],
        pending: &[AsyncOperationView],
        position: u64,
    ) -> StoredRanges {
        let found = now
            .iter()
            .flat_map(|store| store.lanes.iter().map(move |lane| (store, lane)))
            .flat_map(|(store, lane)| lane.pieces.iter().map(move |piece| (store, piece)))
            .filter(|(_, piece)| piece.written && piece.memory.as_ref() == Some(&memory.view.id))
            .filter_map(|(store, piece)| {
                let start = piece.offset?;
                Some(StoredRange {
                    start,
                    end: start + u64::from(piece.n_bytes),
                    has_conflict: store.lost > 0,
                })
            });
        let mut ranges: Vec<StoredRange> = Vec::new();
        for range in found {
            let before = |other: &StoredRange| (other.start, other.end) <= (range.start, range.end);
            ranges.insert(ranges.partition_point(before), range);
        }
        let longest = ranges.iter().map(|range| range.end - range.start).max();
        StoredRanges {
            longest: longest.unwrap_or(0),
            ranges,
            pending: async_operations::ranges(pending, &memory.view.id),
            by_writer: position
                .checked_sub(1)
                .filter(|_| memory.view.space == MemorySpace::Tensor),
        }
    }

    fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = &StoredRange> {
        let first = self
            .ranges
            .partition_point(|range| range.start + self.longest <= start);
        self.ranges
            .iter()
            .skip(first)
            .take_while(move |range| range.start < end)
            .filter(move |range| range.end > start)
    }

    fn n_pieces(&self, start: u64, end: u64) -> usize {
        self.overlapping(start, end).count()
    }

    /// Checks whether a pending asynchronous operation will write at least one of the bytes `start..end`.
    fn is_async_target(&self, start: u64, end: u64) -> bool {
        self.pending
            .iter()
            .any(|(from, to)| *from < end && start < *to)
    }

    /// Checks whether two lanes wrote different values to the same byte of a cell. Writes of two lanes to different bytes of a cell are not
    /// a conflict.
    fn conflicts(&self, start: u64, end: u64) -> bool {
        let mut reach = 0;
        for range in self
            .overlapping(start, end)
            .filter(|range| range.has_conflict)
        {
            if range.start < reach {
                return true;
            }
            reach = reach.max(range.end);
        }
        false
    }
}

/// Returns the default number of columns of a memory. If the memory has a declared shape, the number is the innermost extent of the shape.
/// Otherwise, the number depends on the size of the elements.
fn natural_columns(memory: &MemoryDescriptor, element: ElementType, n_elements: u64) -> u32 {
    if let Some(extent) = memory
        .view
        .shape
        .last()
        .filter(|_| memory.view.shape.len() > 1)
    {
        let bytes = extent * memory.element.width_bytes() as u64;
        return bytes
            .div_ceil(element.width_bytes() as u64)
            .clamp(1, u64::from(MAX_COLUMNS)) as u32;
    }
    let n_columns = match element.width_bytes() {
        1 | 2 => 32,
        4 if memory.view.space == MemorySpace::Shared => 32,
        4 => 16,
        // Use fewer columns for bit types, because hosts display their values with all digits.
        8 if element.is_bits() => 4,
        16 => 2,
        _ => 8,
    };
    n_elements.clamp(1, n_columns) as u32
}
