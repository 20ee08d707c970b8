//! Snapshots of both runs of a comparison after the same number of stores. A snapshot contains the last executed step of each run, and one
//! grid per memory with the cells of both runs.

use crate::analysis::comparison::PairedRun;
use crate::model::grid::{GridRequest, MemoryGrid, MemoryView, WriteAge};
use crate::model::request::FrameRequest;
use crate::model::step::StepView;
use crate::model::store::StoreView;
use crate::model::{Phrase, RunStatus};
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// Snapshot of both runs at a position of the comparison, which the page displays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonFrame {
    /// Position of the comparison: at position `n`, both runs have executed `n` stores. At the last position, both runs have finished.
    pub position: u64,
    /// Last position of the comparison.
    pub length: u64,
    pub sides: [ComparisonStep; 2],
    pub grids: Vec<ComparisonGrid>,
}

/// Last executed step of one run in a [`ComparisonFrame`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonStep {
    /// Number of steps that the run has executed.
    pub position: u64,
    /// Number of stores that the run has executed.
    pub stores: u64,
    pub n_stores: u64,
    pub status: RunStatus,
    /// Last step that the run executed. The field is absent at the start of the run.
    pub last: Option<StepView>,
    /// Summary sentence of the last step that the run executed.
    pub sentence: Vec<Phrase>,
    pub store: Option<StoreView>,
}

/// Rows of a memory in a [`ComparisonFrame`], with the cells of both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonGrid {
    pub memory: MemoryView,
    pub ty: ElementType,
    pub columns: u32,
    pub first_row: u64,
    pub total_rows: u64,
    pub cells: Vec<ComparisonCell>,
    /// Number of elements of the complete memory that differ between the runs at this position.
    pub n_differing: u64,
}

/// Memory element in a [`ComparisonGrid`], with its values in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonCell {
    pub texts: [String; 2],
    pub mark: CellComparison,
    /// For each run, whether the store at this position wrote the element.
    pub now: [bool; 2],
    /// For each run, the lane of the last store to the element.
    pub lanes: [Option<u8>; 2],
}

/// Result of the comparison of an element between both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellComparison {
    /// No run has stored to the element.
    Untouched,
    /// The bytes of the element are identical in both runs.
    Equal,
    /// Only the first run has stored to the element, and the bytes of the element differ.
    First,
    /// Only the second run has stored to the element, and the bytes of the element differ.
    Second,
    /// Both runs have stored to the element, and the bytes of the element differ.
    Differs,
}

impl PairedRun {
    /// Returns the last position of the comparison: the larger number of stores of the two runs, plus one position for the end of both
    /// runs.
    pub fn length(&self) -> u64 {
        let longest = self.stops.iter().map(Vec::len).max();
        longest.unwrap_or(0) as u64 + 1
    }

    /// Seeks both runs to the same number of stores, or to their ends at the last position. The snapshot contains the rows of each memory
    /// that `windows` requests, or the first `n_rows` rows.
    pub fn frame(
        &mut self,
        position: u64,
        windows: &[(MemoryKey, u64)],
        n_rows: u32,
    ) -> ComparisonFrame {
        let length = self.length();
        let position = position.min(length);
        let sides = [0, 1].map(|side| self.step(side, position));
        let mut grids = Vec::new();
        for memory in self.compared.clone() {
            let window = windows.iter().find(|(of, _)| *of == memory);
            let first_row = window.map_or(0, |(_, row)| *row);
            grids.extend(self.grid(&memory, first_row, n_rows));
        }
        ComparisonFrame {
            position,
            length,
            sides,
            grids,
        }
    }

    fn step(&mut self, side: usize, position: u64) -> ComparisonStep {
        let (stops, last) = (&self.stops[side], self.length());
        let session = &mut self.sessions[side];
        let index = usize::try_from(position).unwrap_or(usize::MAX);
        let stores = index.min(stops.len());
        match index {
            0 => session.seek(0),
            _ if position == last => {
                session.run(self.max_steps.saturating_sub(session.position()));
            }
            // A run without further stores remains at the position after its last store.
            _ => session.seek(stores.checked_sub(1).map_or(0, |at| stops[at])),
        }
        let frame = session.frame(&FrameRequest::default());
        ComparisonStep {
            position: frame.position,
            stores: stores as u64,
            n_stores: stops.len() as u64,
            status: frame.status,
            last: frame.last,
            sentence: frame.sentence,
            store: frame.store,
        }
    }

    fn grid(&mut self, memory: &MemoryKey, first_row: u64, n_rows: u32) -> Option<ComparisonGrid> {
        let [first, second] = &mut self.sessions;
        let own = first.grid(&window(memory, None, None, first_row, n_rows))?;
        // The grids of both runs use the row length of the first run.
        let request = window(
            memory,
            Some(own.ty),
            Some(own.columns),
            own.first_row,
            own.n_rows,
        );
        let other = second.grid(&request)?;
        let bytes = [first.memory(memory)?, second.memory(memory)?];
        let width = own.ty.width_bytes().max(1);
        let differs = |index: usize| {
            let [a, b] = bytes.each_ref().map(|bytes| element(bytes, index, width));
            a != b
        };
        let n_elements = bytes[0].len().min(bytes[1].len()).div_ceil(width);
        let from = usize::try_from(own.first_row * u64::from(own.columns)).unwrap_or(0);
        let n_differing = (0..n_elements).filter(|index| differs(*index)).count() as u64;
        let cells = cells([&own, &other], |at| differs(from + at));
        Some(ComparisonGrid {
            cells,
            n_differing,
            ty: own.ty,
            columns: own.columns,
            first_row: own.first_row,
            total_rows: own.total_rows,
            memory: own.memory,
        })
    }
}

fn window(
    memory: &MemoryKey,
    ty: Option<ElementType>,
    columns: Option<u32>,
    first_row: u64,
    n_rows: u32,
) -> GridRequest {
    GridRequest {
        memory: memory.clone(),
        ty,
        columns,
        first_row,
        n_rows: Some(n_rows),
    }
}

fn element(bytes: &[u8], index: usize, width: usize) -> &[u8] {
    let start = (index * width).min(bytes.len());
    &bytes[start..(start + width).min(bytes.len())]
}

/// Combines the cells of two windows of one memory. The function `differs` returns whether the bytes of a cell differ between the runs,
/// given the index of the cell within the window.
fn cells(
    [first, second]: [&MemoryGrid; 2],
    differs: impl Fn(usize) -> bool,
) -> Vec<ComparisonCell> {
    let pairs = first.cells.iter().zip(&second.cells).enumerate();
    pairs
        .map(|(at, (a, b))| {
            let stored = [a, b].map(|cell| cell.written != WriteAge::Never);
            let mark = match (differs(at), stored) {
                (false, [false, false]) => CellComparison::Untouched,
                (false, _) => CellComparison::Equal,
                (true, [true, false]) => CellComparison::First,
                (true, [false, true]) => CellComparison::Second,
                (true, [true, true] | [false, false]) => CellComparison::Differs,
            };
            ComparisonCell {
                texts: [a.text.clone(), b.text.clone()],
                mark,
                now: [a, b].map(|cell| cell.written == WriteAge::Now),
                lanes: [a.lane, b.lane],
            }
        })
        .collect()
}
