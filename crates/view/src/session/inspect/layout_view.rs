//! View of a memory in rows and columns according to a CuTe layout. The cell in row `r` and column `c` shows the element whose index the
//! layout computes from `r` and `c`. The module takes a position, a memory and a layout, and returns the cells.

use crate::diagnostics::no_such_memory;
use crate::model::grid::{GridCell, GridRequest, MemoryGrid};
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::memory_id::MemoryKey;
use warpgrid_launch::value::ElementType;
use warpgrid_layout::{ComposedLayout, parse};

/// Maximum number of rows and maximum number of columns that a view displays.
const MAX_EXTENT: u64 = 64;
/// Number of elements that one grid request returns. Each request returns several elements, because the elements in a row of the layout are
/// often adjacent.
const WINDOW: u32 = 32;
/// Maximum length of the text of a layout in bytes.
const MAX_LAYOUT: usize = 500;

/// Request of a host for a view of a memory in the rows and columns of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutViewRequest<'a> {
    pub memory: MemoryKey,
    /// Element type as which the view interprets the memory. The default is the element type of the memory.
    pub ty: Option<ElementType>,
    /// Text of the layout with an optional swizzle: `(8,16):(16,1)`.
    pub layout: &'a str,
}

/// View of a memory in the rows and columns of a layout, which the page displays.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutMemoryView {
    pub title: String,
    pub ty: ElementType,
    /// Text of the layout in normalized notation.
    pub layout: String,
    /// Numbers of rows and columns of the layout.
    pub rows: u64,
    pub columns: u64,
    /// Numbers of displayed rows and columns, at most [`MAX_EXTENT`] each.
    pub shown: [u64; 2],
    /// For each cell in row-major order, the index of its element, and the contents of the cell if the memory contains this element.
    pub cells: Vec<(i64, Option<GridCell>)>,
    /// Number of memory elements that the view displays in more than one cell.
    pub n_aliased: u64,
}

impl Session {
    /// Seeks to a position, and returns a view of a memory according to a layout.
    pub fn arranged(
        &mut self,
        position: u64,
        asked: &LayoutViewRequest<'_>,
    ) -> Result<LayoutMemoryView, String> {
        let text = asked.layout.trim();
        if text.len() > MAX_LAYOUT {
            let n = text.len();
            return Err(format!(
                "the text of the layout has {n} bytes, expected at most {MAX_LAYOUT}"
            ));
        }
        let layout = parse(text).map_err(|reason| reason.in_text(text))?;
        go_to(self, position)?;
        let memory = self.memory_with(&asked.memory);
        let memory = memory.ok_or_else(|| no_such_memory(&asked.memory.to_string()))?;
        let [rows, columns] = extents(&layout);
        let shown = [rows.min(MAX_EXTENT), columns.min(MAX_EXTENT)];
        let index = |row: u64, column: u64| layout.at((row + rows * column) as i64);
        let indices = (0..shown[0]).flat_map(|row| (0..shown[1]).map(move |column| (row, column)));
        let indices: Vec<i64> = indices.map(|(row, column)| index(row, column)).collect();
        let mut windows = WindowCache::new(self, asked);
        let cells: Vec<_> = indices
            .iter()
            .map(|index| (*index, windows.cell(*index)))
            .collect();
        Ok(LayoutMemoryView {
            title: memory.view.title,
            ty: asked.ty.unwrap_or(memory.element),
            layout: layout.to_string(),
            rows,
            columns,
            shown,
            n_aliased: n_aliased(&cells),
            cells,
        })
    }
}

/// Returns the numbers of rows and columns of a layout. The first mode of the shape determines the number of rows, and all other modes
/// determine the number of columns. A layout with only one mode has one row.
fn extents(layout: &ComposedLayout) -> [u64; 2] {
    let sizes: Vec<i64> = layout
        .layout
        .parts()
        .iter()
        .map(|part| part.size())
        .collect();
    let all: i64 = layout.layout.size();
    let rows = match sizes[..] {
        [] | [_] => 1,
        [rows, ..] => rows.max(1),
    };
    [rows as u64, (all / rows).max(0) as u64]
}

fn n_aliased(cells: &[(i64, Option<GridCell>)]) -> u64 {
    let existing = cells.iter().filter(|(_, cell)| cell.is_some());
    let mut indices: Vec<u64> = existing.map(|(index, _)| *index as u64).collect();
    indices.sort_unstable();
    let mut runs = indices.chunk_by(|one, other| one == other);
    runs.by_ref().filter(|run| run.len() > 1).count() as u64
}

/// Cache of the grid windows of a memory from which a layout view takes its cells.
struct WindowCache<'a> {
    session: &'a mut Session,
    asked: &'a LayoutViewRequest<'a>,
    known: Vec<(u64, Option<MemoryGrid>)>,
}

impl<'a> WindowCache<'a> {
    fn new(session: &'a mut Session, asked: &'a LayoutViewRequest<'a>) -> WindowCache<'a> {
        WindowCache {
            session,
            asked,
            known: Vec::new(),
        }
    }

    fn cell(&mut self, index: i64) -> Option<GridCell> {
        let index = u64::try_from(index).ok()?;
        let (row, column) = (index / u64::from(WINDOW), index % u64::from(WINDOW));
        // Search the latest window first, because it usually also contains the next element.
        let known = self.known.iter().rev().find(|(own, _)| *own == row);
        if known.is_none() {
            let request = GridRequest {
                memory: self.asked.memory.clone(),
                ty: self.asked.ty,
                columns: Some(WINDOW),
                first_row: row,
                n_rows: Some(1),
            };
            let grid = self.session.grid(&request);
            self.known.push((row, grid));
        }
        let grid = self.known.iter().rev().find(|(own, _)| *own == row);
        let grid = grid.and_then(|(_, grid)| grid.as_ref());
        // Ignore a grid with a different row, because the session returns the last row for a row outside of the memory.
        let grid = grid.filter(|grid| grid.first_row == row)?;
        grid.cells.get(column as usize).cloned()
    }
}
