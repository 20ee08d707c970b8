//! Linked highlights: computes which cells, lanes, registers and source lines are highlighted together.

use crate::model::{Focus, Model};
use std::ops::Range;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::{ElementView, MatrixOperandView, MatrixStep};
use warpgrid_view::model::{GridCell, MemoryGrid, PieceView, StoreView};

/// Items of the page that are highlighted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlights {
    /// Bit mask of the highlighted lanes.
    pub lanes: u32,
    pub lines: Vec<u32>,
    pub registers: Vec<String>,
    /// Cell that has the focus.
    pub cell: Option<(MemoryKey, u64)>,
    /// Lane and step, whose written cells are highlighted.
    pub writer: Option<(u8, u64)>,
    /// Lane whose written cells are highlighted, regardless of the step.
    pub lane: Option<u8>,
    /// Positions of the run. The cells that were written directly before these positions are highlighted.
    pub steps: Vec<u64>,
    /// Focused element of a matrix that the last step accessed: the index of the operand, and the index of the cell in the operand.
    pub element: Option<(usize, usize)>,
    /// Cells that the last step transferred as elements of a matrix.
    pub moved: Vec<(MemoryKey, u64)>,
    /// Byte ranges of data races and uninitialized reads.
    pub raced: Vec<(MemoryKey, Range<u64>)>,
}

impl Highlights {
    /// Checks whether a cell is highlighted.
    pub fn highlights_cell(&self, memory: &MemoryKey, index: u64, cell: &GridCell) -> bool {
        if self
            .cell
            .as_ref()
            .is_some_and(|(m, i)| m == memory && *i == index)
        {
            return true;
        }
        if self.moved.iter().any(|(m, i)| *i == index && m == memory) {
            return true;
        }
        let Some(step) = cell.step else { return false };
        self.lane.is_some_and(|lane| cell.lane == Some(lane))
            || self
                .writer
                .is_some_and(|(lane, at)| at == step && cell.lane == Some(lane))
            || self.steps.contains(&step)
    }

    /// Checks whether a cell is part of a data race or an uninitialized read.
    pub fn is_in_race(&self, grid: &MemoryGrid, index: u64) -> bool {
        let own = bytes_of(grid, index);
        self.raced.iter().any(|(memory, bytes)| {
            *memory == grid.memory.id && bytes.start < own.end && own.start < bytes.end
        })
    }

    /// Checks whether a matrix element is highlighted because of its lanes, or, if no lane is highlighted, because of its registers.
    pub fn highlights_element(&self, operand: &MatrixOperandView, element: &ElementView) -> bool {
        element.holders.iter().any(|holder| {
            let name = operand.registers.get(usize::from(holder.register));
            match self.lanes {
                0 => name.is_some_and(|name| self.registers.contains(name)),
                lanes => lanes >> (holder.lane & 31) & 1 == 1,
            }
        })
    }

    /// Checks whether a lane is highlighted.
    pub fn highlights_lane(&self, lane: u8) -> bool {
        self.lanes >> lane & 1 == 1
    }
}

/// Computes the highlights for the current focus of the model.
pub fn highlights_for(model: &Model) -> Highlights {
    let order = model.run.analysis.as_deref().filter(|_| !model.is_stale());
    let marks = order.map_or(&[][..], |order| &order.marks);
    let mut links = focus_links(model);
    links.raced = marks
        .iter()
        .map(|mark| (mark.memory.clone(), mark.bytes.clone()))
        .collect();
    // The line under the pointer is not highlighted, whereas a line that a tour has pinned is highlighted.
    if let (None, Some(Focus::Line(line))) = (&model.hover, &model.pinned) {
        links.lines.push(*line);
    }
    links
}

fn focus_links(model: &Model) -> Highlights {
    match model.focus() {
        None => Highlights::default(),
        Some(Focus::Cell { memory, index }) => cell_links(model, memory, *index),
        Some(Focus::Lane(lane)) => Highlights {
            lanes: 1 << (lane & 31),
            lane: Some(*lane),
            lines: lane_line(model, *lane).into_iter().collect(),
            moved: moved_by(model, 1 << (lane & 31)),
            ..Highlights::default()
        },
        Some(Focus::Line(line)) => line_links(model, *line),
        Some(Focus::Register(name)) => Highlights {
            registers: vec![name.clone()],
            ..Highlights::default()
        },
        Some(Focus::Element { operand, cell }) => element_links(model, *operand, *cell),
    }
}

fn cell_links(model: &Model, memory: &MemoryKey, index: u64) -> Highlights {
    let mut links = Highlights {
        cell: Some((memory.clone(), index)),
        ..Highlights::default()
    };
    let Some((grid, cell)) = model.cell(memory, index) else {
        return links;
    };
    let bytes = bytes_of(grid, index);
    if let Some((place, operand, element)) = element_at(model, memory, &bytes) {
        links.element = Some(place);
        links.hold(model, operand, element);
        return links;
    }
    let (Some(lane), Some(step)) = (cell.lane, cell.step) else {
        return links;
    };
    links.writer = Some((lane, step));
    if let Some((store, piece)) =
        writer_of(model.stores_of(step).unwrap_or(&[]), memory, lane, &bytes)
    {
        links.lines.push(store.range.line);
        // Lanes and registers are highlighted only if they belong to the shown warp.
        if is_shown(model, store) {
            links.lanes = 1 << (lane & 31);
            links.registers.extend(piece.source.clone());
        }
    }
    links
}

/// Checks whether the shown warp executed a store.
fn is_shown(model: &Model, store: &StoreView) -> bool {
    let frame = model.run.frame.as_deref();
    let warp = frame.and_then(|frame| frame.warp.as_ref());
    warp.is_some_and(|warp| warp.block_id == store.block && warp.warp == store.warp)
}

fn step_of(model: &Model) -> Option<&MatrixStep> {
    model.run.frame.as_deref()?.matrix.as_ref()
}

/// Returns the highlights of a matrix element: its lane, its register, its memory cell, and the line of the step.
fn element_links(model: &Model, operand: usize, cell: usize) -> Highlights {
    let mut links = Highlights {
        element: Some((operand, cell)),
        ..Highlights::default()
    };
    let found = step_of(model).and_then(|step| {
        let operand = step.operands.get(operand)?;
        Some((operand, operand.cells.get(cell)?))
    });
    let Some((operand, element)) = found else {
        return links;
    };
    links.hold(model, operand, element);
    links.cell = place_of(model, element);
    links
}

impl Highlights {
    /// Highlights the lanes and the register that hold a matrix element of the last step, and the line of the step.
    fn hold(&mut self, model: &Model, operand: &MatrixOperandView, element: &ElementView) {
        self.lanes = lanes_holding(element);
        self.registers.extend(register_of(operand, element));
        self.moved = moved_by(model, self.lanes);
        let frame = model.run.frame.as_deref();
        let last = frame.and_then(|frame| frame.last.as_ref());
        self.lines.extend(last.map(|step| step.range.line));
    }
}

fn lanes_holding(element: &ElementView) -> u32 {
    let holders = element.holders.iter();
    holders.fold(0, |lanes, holder| lanes | 1 << (holder.lane & 31))
}

fn register_of(operand: &MatrixOperandView, element: &ElementView) -> Option<String> {
    let holder = element.holders.first()?;
    operand.registers.get(usize::from(holder.register)).cloned()
}

/// Returns the memory cell from which a matrix element is loaded, or to which it is stored.
fn place_of(model: &Model, element: &ElementView) -> Option<(MemoryKey, u64)> {
    let (memory, offset) = (element.memory.as_ref()?, element.offset?);
    let frame = model.run.frame.as_deref()?;
    let grid = frame.grids.iter().find(|grid| grid.memory.id == *memory)?;
    Some((
        memory.clone(),
        offset / (grid.ty.width_bytes() as u64).max(1),
    ))
}

/// Returns the cells that the last step transferred between memory and registers of the given lanes.
fn moved_by(model: &Model, lanes: u32) -> Vec<(MemoryKey, u64)> {
    let operands = step_of(model).map_or(&[][..], |step| &step.operands);
    let cells = operands.iter().flat_map(|operand| &operand.cells);
    cells
        .filter(|element| lanes_holding(element) & lanes != 0)
        .filter_map(|element| place_of(model, element))
        .collect()
}

/// Returns the matrix element of the last step that is stored in the given bytes: the index of its operand, the index of its cell, the
/// operand and the element.
fn element_at<'a>(
    model: &'a Model,
    memory: &MemoryKey,
    bytes: &Range<u64>,
) -> Option<((usize, usize), &'a MatrixOperandView, &'a ElementView)> {
    let operands = step_of(model)?.operands.iter().enumerate();
    operands
        .flat_map(|(at, operand)| {
            let cells = operand.cells.iter().enumerate();
            cells.map(move |(cell, element)| ((at, cell), operand, element))
        })
        .find(|(_, _, element)| {
            let is_here = element.offset.is_some_and(|offset| bytes.contains(&offset));
            is_here && element.memory.as_ref() == Some(memory)
        })
}

/// Returns the byte range of an element, relative to the start of its memory.
pub fn bytes_of(grid: &MemoryGrid, index: u64) -> Range<u64> {
    let size = grid.ty.width_bytes() as u64;
    let start = index.saturating_mul(size);
    start..start.saturating_add(size)
}

/// Returns the store in which a lane wrote some of the given bytes, and the stored element.
pub fn writer_of<'a>(
    stores: &'a [StoreView],
    memory: &MemoryKey,
    lane: u8,
    bytes: &Range<u64>,
) -> Option<(&'a StoreView, &'a PieceView)> {
    stores.iter().find_map(|store| {
        let of_lane = store.lanes.iter().filter(|of_lane| of_lane.lane == lane);
        // If several elements of the store have the same address, the last element determines the value.
        let mut pieces = of_lane.flat_map(|of_lane| &of_lane.pieces);
        Some((store, pieces.rfind(|piece| wrote(piece, memory, bytes))?))
    })
}

/// Returns the lanes that wrote some of the given bytes, in ascending order.
pub fn lanes_of(stores: &[StoreView], memory: &MemoryKey, bytes: &Range<u64>) -> Vec<u8> {
    let mut found = 0_u32;
    for lane in stores.iter().flat_map(|store| &store.lanes) {
        if lane.pieces.iter().any(|piece| wrote(piece, memory, bytes)) {
            found |= 1_u32.checked_shl(lane.lane.into()).unwrap_or(0);
        }
    }
    (0..32).filter(|lane| found >> lane & 1 == 1).collect()
}

/// Checks whether an element of a store overlaps the given bytes.
fn wrote(piece: &PieceView, memory: &MemoryKey, bytes: &Range<u64>) -> bool {
    let overlaps = piece.offset.is_some_and(|start| {
        start < bytes.end && bytes.start < start.saturating_add(u64::from(piece.n_bytes))
    });
    piece.written && piece.memory.as_ref() == Some(memory) && overlaps
}

fn line_links(model: &Model, line: u32) -> Highlights {
    let mut links = Highlights::default();
    let shown = model
        .run
        .frame
        .as_deref()
        .and_then(|frame| frame.store.as_ref());
    let known = model.known_stores.values().flat_map(|stores| stores.iter());
    for store in shown.into_iter().chain(known) {
        if (store.range.line..=store.range.end_line.max(store.range.line)).contains(&line) {
            links.steps.push(store.step + 1);
        }
    }
    let visible_store = shown.filter(|store| is_shown(model, store));
    if let Some(store) = visible_store.filter(|store| links.steps.contains(&(store.step + 1))) {
        links.lanes = store
            .lanes
            .iter()
            .fold(0, |mask, of_lane| mask | 1 << (of_lane.lane & 31));
    }
    links
}

fn lane_line(model: &Model, lane: u8) -> Option<u32> {
    let warp = model.run.frame.as_deref()?.warp.as_ref()?;
    warp.lanes.iter().find(|view| view.lane == lane)?.line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixture;
    use std::rc::Rc;

    fn model(focus: Focus) -> Model {
        let mut model = Model::new("", None);
        model.run.frame = Some(Rc::new(fixture::frame()));
        model.hover = Some(focus);
        model
    }

    #[test]
    fn cell_highlights_lane_line_and_register() {
        let cell = Focus::Cell {
            memory: "out".into(),
            index: 1,
        };
        let links = highlights_for(&model(cell));
        assert_eq!(
            (links.lanes, links.lines, links.registers),
            (0b10, vec![8], vec!["%r2".to_owned()])
        );
    }

    #[test]
    fn cell_written_by_other_warp_highlights_only_line() {
        let cell = Focus::Cell {
            memory: "out".into(),
            index: 1,
        };
        let mut model = model(cell);
        let mut frame = fixture::frame();
        frame.warp.as_mut().expect("a warp").warp = 1;
        model.run.frame = Some(Rc::new(frame));
        let links = highlights_for(&model);
        assert_eq!((links.lanes, links.lines), (0, vec![8]));
        assert!(links.registers.is_empty());
    }

    #[test]
    fn all_lanes_writing_cell_bytes_are_listed() {
        let mut store = fixture::store();
        let mut second = store.lanes[0].clone();
        second.lane = 5;
        // A store of one byte of a word that another store has written.
        (second.pieces[0].offset, second.pieces[0].n_bytes) = (Some(7), 1);
        store.lanes.push(second);
        let (stores, out) = ([store], "out".into());
        assert_eq!(lanes_of(&stores, &out, &(4..8)), [1, 5]);
        assert_eq!(lanes_of(&stores, &out, &(0..4)), [] as [u8; 0]);
        let (_, piece) = writer_of(&stores, &out, 5, &(4..8)).expect("it wrote the last byte");
        assert_eq!(piece.offset, Some(7));
    }

    #[test]
    fn pinned_line_is_highlighted() {
        let mut model = model(Focus::Line(8));
        assert_eq!(highlights_for(&model).lines, [] as [u32; 0]);
        model.pinned = model.hover.take();
        assert_eq!(highlights_for(&model).lines, [8]);
    }

    #[test]
    fn line_highlights_stored_cells() {
        let model = model(Focus::Line(8));
        let links = highlights_for(&model);
        let frame = fixture::frame();
        let lit: Vec<_> = (0..4)
            .filter(|i| {
                links.highlights_cell(&"out".into(), *i, &frame.grids[0].cells[*i as usize])
            })
            .collect();
        assert_eq!((lit, links.lanes), (vec![1], 0b10));
    }

    /// Returns a model with a store by lane 1 of one element from register `%r2` to the second cell of `out`.
    fn with_matrix(focus: Focus) -> Model {
        let mut frame = fixture::frame();
        frame.matrix = Some(fixture::matrix_step());
        let mut model = model(focus);
        model.run.frame = Some(Rc::new(frame));
        model
    }

    #[test]
    fn fragment_element_highlights_lane_register_and_cell() {
        let links = highlights_for(&with_matrix(Focus::Element {
            operand: 0,
            cell: 1,
        }));
        assert_eq!(
            (links.lanes, &links.registers[..]),
            (0b10, &["%r2".to_owned()][..])
        );
        assert_eq!(links.cell, Some(("out".into(), 1)));
        assert_eq!(links.moved, [("out".into(), 1)]);
    }

    #[test]
    fn cell_lane_or_register_highlights_fragment_elements() {
        let lit = |focus: Focus| {
            let model = with_matrix(focus);
            let links = highlights_for(&model);
            let step = fixture::matrix_step();
            let operand = &step.operands[0];
            let cells = 0..operand.cells.len();
            let found: Vec<usize> = cells
                .filter(|cell| links.highlights_element(operand, &operand.cells[*cell]))
                .collect();
            (found, links.element)
        };
        let cell = Focus::Cell {
            memory: "out".into(),
            index: 1,
        };
        assert_eq!(lit(cell), (vec![1], Some((0, 1))));
        assert_eq!(lit(Focus::Lane(0)), (vec![0], None));
        assert_eq!(lit(Focus::Register("%r2".into())), (vec![0, 1], None));
    }

    #[test]
    fn lane_highlights_stored_cells() {
        let model = model(Focus::Lane(0));
        let frame = fixture::frame();
        let links = highlights_for(&model);
        assert!(links.highlights_cell(&"out".into(), 0, &frame.grids[0].cells[0]));
        assert!(!links.highlights_cell(&"out".into(), 1, &frame.grids[0].cells[1]));
    }
}
