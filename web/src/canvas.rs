//! Rendering of memory grids and layout diagrams on canvases. No other module than this one and [`plan`] draws on a canvas.

mod plan;

pub use plan::{paint_display_list, paint_highlights, paint_offscreen_labels, png};

use crate::grid_geometry::{GAP, GridGeometry, HEADER_HEIGHT, ROW, Rect, row_label, short};
use crate::highlight::Highlights;
use crate::layout_explorer::DisplayList;
use crate::model::Overlay;
use crate::theme::Palette;
use warpgrid_view::model::{GridCell, MemoryGrid, WriteAge};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, MouseEvent};
use yew::NodeRef;

/// Returns the cell of a diagram that is under the pointer.
pub fn cell_under(plan: &DisplayList, canvas: &NodeRef, event: &MouseEvent) -> Option<usize> {
    let rect = canvas.cast::<Element>()?.get_bounding_client_rect();
    let x = f64::from(event.client_x()) - rect.left();
    let y = f64::from(event.client_y()) - rect.top();
    plan.cell_at(x, y)
}

const CELL_FONT: &str = "10.5px";
const HEAD_FONT: &str = "10px";
/// Corner radius of a cell.
const RADIUS: f64 = 2.5;

/// Grid with its view options, and the part of the grid that is visible.
#[derive(Clone, Copy, Debug)]
pub struct GridScene<'a> {
    pub grid: &'a MemoryGrid,
    pub geometry: GridGeometry,
    pub overlay: Overlay,
    pub links: &'a Highlights,
    pub palette: &'a Palette,
    /// Horizontal position of the visible part, in coordinates of the whole grid.
    pub left: f64,
    /// Vertical position of the visible part, in coordinates of the whole grid.
    pub top: f64,
    pub width: f64,
    pub height: f64,
    /// Element that contains the keyboard cursor.
    pub cursor: Option<u64>,
}

/// Draws the loaded rows of a grid as a picture of the given size in pixels. Each cell has the color of the lane that wrote it last. Initial
/// values other than zero are gray.
pub fn paint_thumbnail(
    canvas: &HtmlCanvasElement,
    grid: &MemoryGrid,
    palette: &Palette,
    (width, height): (f64, f64),
) {
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let Some(context) = empty(canvas, width, height, ratio) else {
        return;
    };
    let n_rows = u64::from(grid.n_rows).clamp(1, 32);
    let n_columns = u64::from(grid.columns).max(1);
    let (cell_width, cell_height) = (width / n_columns as f64, height / n_rows as f64);
    let cells = grid.cells.iter().take((n_rows * n_columns) as usize);
    for (index, cell) in (0..).zip(cells) {
        let color = match (cell.written, cell.lane) {
            (WriteAge::Never, _) if cell.is_zero => &palette.empty,
            (WriteAge::Never, _) => &palette.sector,
            (_, Some(lane)) => palette.lane(lane),
            (_, None) => &palette.faint,
        };
        context.set_fill_style_str(color);
        let (row, column) = (index / n_columns, index % n_columns);
        let (x, y) = (column as f64 * cell_width, row as f64 * cell_height);
        context.fill_rect(x, y, cell_width, cell_height);
    }
}

/// Draws the visible part of a grid at the resolution of the screen. If the canvas already shows `before`, only the rows that differ
/// between the two scenes are redrawn.
pub fn paint(canvas: &HtmlCanvasElement, before: Option<&GridScene<'_>>, scene: &GridScene<'_>) {
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let has_size = size_of(scene.width, scene.height, ratio) == (canvas.width(), canvas.height());
    match before.filter(|before| has_size && before.differs_in_rows(scene)) {
        None => {
            if let Some(context) = empty(canvas, scene.width, scene.height, ratio) {
                cells(&context, scene, &|_| true);
                heads(&context, scene, &|_| true);
            }
        }
        Some(before) => {
            let rows = rows_that_differ(before, scene);
            if let Some(context) = context_of(canvas).filter(|_| !rows.is_empty()) {
                for row in &rows {
                    let band = scene.place_of(*row, 0);
                    context.clear_rect(0.0, band.y, scene.width, band.height);
                }
                let is_drawn = |row: u64| rows.contains(&row);
                cells(&context, scene, &is_drawn);
                heads(&context, scene, &is_drawn);
            }
        }
    }
}

impl GridScene<'_> {
    /// Returns the rectangle of a grid cell on the canvas.
    fn place_of(&self, row: u64, column: u32) -> Rect {
        let rect = self.geometry.cell(row, column);
        Rect {
            x: rect.x - self.left,
            y: rect.y - self.top,
            ..rect
        }
    }

    /// Checks whether another scene differs only in some rows. Scenes with the age overlay differ in all rows, because the age of every
    /// cell changes.
    fn differs_in_rows(&self, other: &GridScene<'_>) -> bool {
        let window = |scene: &GridScene<'_>| {
            let MemoryGrid {
                ty,
                columns,
                first_row,
                n_rows,
                total_rows,
                sector_bytes,
                ..
            } = *scene.grid;
            let GridScene {
                geometry,
                overlay,
                left,
                top,
                width,
                height,
                ..
            } = *scene;
            let shape = (ty, columns, first_row, n_rows, total_rows, sector_bytes);
            let texts = (scene.grid.cells.len(), max_text_length(scene));
            (
                shape,
                texts,
                (geometry, overlay),
                (left, top, width, height),
            )
        };
        self.overlay != Overlay::LastStep
            && std::ptr::eq(self.palette, other.palette)
            && self.grid.memory.id == other.grid.memory.id
            && window(self) == window(other)
    }
}

/// Returns the rows in which two scenes with the same window differ.
fn rows_that_differ(before: &GridScene<'_>, scene: &GridScene<'_>) -> Vec<u64> {
    let columns = u64::from(scene.grid.columns.max(1));
    let first = scene.grid.first_row * columns;
    let tiles = [before, scene].map(|scene| tiles_of(scene.grid));
    let look = |scene: &GridScene<'_>, tiles: &[u8], i: usize| {
        let index = first + i as u64;
        let cell = scene.grid.cells.get(i)?;
        let is_linked = scene
            .links
            .highlights_cell(&scene.grid.memory.id, index, cell);
        let is_raced = scene.links.is_in_race(scene.grid, index);
        let has_cursor = scene.cursor == Some(index);
        Some((is_linked, is_raced, has_cursor, tiles.get(i).copied()))
    };
    let mut rows = Vec::new();
    for (i, (old, new)) in before.grid.cells.iter().zip(&scene.grid.cells).enumerate() {
        let row = (first + i as u64) / columns;
        if rows.last() != Some(&row)
            && (old != new || look(before, &tiles[0], i) != look(scene, &tiles[1], i))
        {
            rows.push(row);
        }
    }
    rows
}

/// Converts a canvas size from CSS pixels to device pixels.
fn size_of(width: f64, height: f64, ratio: f64) -> (u32, u32) {
    (
        (width * ratio).ceil() as u32,
        (height * ratio).ceil() as u32,
    )
}

fn context_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    let context = canvas.get_context("2d").ok().flatten()?;
    context.dyn_into::<CanvasRenderingContext2d>().ok()
}

/// Clears the canvas, sets its size in CSS pixels, and returns its context with centered text alignment.
fn empty(
    canvas: &HtmlCanvasElement,
    width: f64,
    height: f64,
    ratio: f64,
) -> Option<CanvasRenderingContext2d> {
    let size = size_of(width, height, ratio);
    if (canvas.width(), canvas.height()) != size {
        canvas.set_width(size.0);
        canvas.set_height(size.1);
    }
    let context = context_of(canvas)?;
    context
        .set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0)
        .ok()?;
    context.clear_rect(0.0, 0.0, width, height);
    context.set_text_align("center");
    context.set_text_baseline("middle");
    Some(context)
}

/// Draws the cells of the given rows.
fn cells(
    context: &CanvasRenderingContext2d,
    scene: &GridScene<'_>,
    is_drawn: &dyn Fn(u64) -> bool,
) {
    let grid = scene.grid;
    let columns = u64::from(grid.columns.max(1));
    let first = grid.first_row * columns;
    context.set_font(&format!("{CELL_FONT} {}", scene.palette.mono));
    let newest = grid
        .cells
        .iter()
        .filter_map(|cell| cell.step)
        .max()
        .unwrap_or(0);
    let squeeze = text_scale(context, scene);
    let tiles = tiles_of(grid);
    for (i, cell) in grid.cells.iter().enumerate() {
        let index = first + i as u64;
        if !is_drawn(index / columns) {
            continue;
        }
        let rect = scene.place_of(index / columns, (index % columns) as u32);
        let hidden = rect.y + ROW < HEADER_HEIGHT
            || rect.y > scene.height
            || rect.x + rect.width < 0.0
            || rect.x > scene.width;
        if !hidden {
            let ink = paint_cell(context, scene, cell, rect, newest);
            context.set_fill_style_str(ink);
            write(context, &cell_text(cell, scene.overlay), rect, squeeze);
            paint_markers(context, scene, cell, index, rect);
            let tile = tiles.get(i).and_then(|tile| tile.checked_sub(1));
            if let Some(colour) = tile.and_then(|tile| scene.palette.tiles.get(usize::from(tile))) {
                context.set_fill_style_str(colour);
                context.fill_rect(rect.x, rect.y + rect.height - 3.5, rect.width, 3.5);
            }
        }
    }
}

/// Returns for each cell the number of the current step's tile that contains the cell, plus one. A cell without a tile has the number 0.
/// The result is empty if the grid has no tiles.
fn tiles_of(grid: &MemoryGrid) -> Vec<u8> {
    if grid.tiles.is_empty() {
        return Vec::new();
    }
    let first = grid.first_row * u64::from(grid.columns);
    let mut tiles = vec![0; grid.cells.len()];
    for cells in &grid.tiles {
        let from = cells.first.saturating_sub(first) as usize;
        let own = tiles.iter_mut().skip(from).take(cells.n as usize);
        own.for_each(|tile| *tile = cells.tile + 1);
    }
    tiles
}

/// Returns the horizontal scale of the text in the grid, which is the scale at which the longest text fits into a cell.
fn text_scale(context: &CanvasRenderingContext2d, scene: &GridScene<'_>) -> f64 {
    let longest = max_text_length(scene);
    let digit = context.measure_text("0").map_or(0.0, |text| text.width());
    let room = scene.geometry.cell_width - GAP - 2.0;
    (room / (longest as f64 * digit).max(1.0)).min(1.0)
}

/// Returns the length of the longest text of the grid in characters.
fn max_text_length(scene: &GridScene<'_>) -> usize {
    let texts = scene.grid.cells.iter();
    let lengths = texts.map(|cell| cell_text(cell, scene.overlay).chars().count());
    lengths.max().unwrap_or(0)
}

/// Writes centered text into a cell.
fn write(context: &CanvasRenderingContext2d, text: &str, rect: Rect, squeeze: f64) {
    let (x, y) = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0 + 0.5);
    context.save();
    // These calls fail only for infinite coordinates, and the size of the canvas is always finite.
    let _ = context.translate(x, y);
    let _ = context.scale(squeeze, 1.0);
    let _ = context.fill_text(text, 0.0, 0.0);
    context.restore();
}

/// Fills a cell and returns the color of its text.
fn paint_cell<'a>(
    context: &CanvasRenderingContext2d,
    scene: &GridScene<'a>,
    cell: &GridCell,
    rect: Rect,
    newest: u64,
) -> &'a str {
    let palette = scene.palette;
    rounded(context, rect, 0.0);
    let written = cell.written != WriteAge::Never;
    let lane = cell.lane.filter(|_| written);
    let mut ink = palette.faint.as_str();
    context.set_fill_style_str(&palette.empty);
    match (lane, scene.overlay) {
        (Some(_), Overlay::LastStep) => {
            context.fill();
            let age = newest.saturating_sub(cell.step.unwrap_or(0)) as f64;
            context.set_global_alpha(0.75 / (1.0 + age / (newest as f64 / 6.0).max(1.0)) + 0.08);
            context.set_fill_style_str(&palette.accent);
            context.fill();
            context.set_global_alpha(1.0);
            ink = &palette.now;
        }
        (Some(lane), _) => {
            context.set_fill_style_str(palette.lane(lane));
            context.fill();
            ink = &palette.lane_ink;
        }
        (None, _) => context.fill(),
    }
    if cell.has_conflict {
        paint_hatching(context, palette, rect);
    }
    ink
}

/// Returns the text that an overlay shows in a cell.
fn cell_text(cell: &GridCell, overlay: Overlay) -> String {
    let untouched = cell.written == WriteAge::Never;
    match overlay {
        _ if untouched && overlay != Overlay::Value => "·".into(),
        Overlay::Value if untouched && cell.is_zero => "·".into(),
        Overlay::Value => short(&cell.text).into(),
        Overlay::Lane => cell
            .lane
            .map_or_else(|| "·".into(), |lane| lane.to_string()),
        Overlay::LastStep => cell
            .step
            .map_or_else(|| "·".into(), |step| step.to_string()),
    }
}

/// Draws the outlines of the current store, of linked cells and of the keyboard cursor, and the sector boundaries.
fn paint_markers(
    context: &CanvasRenderingContext2d,
    scene: &GridScene<'_>,
    cell: &GridCell,
    index: u64,
    rect: Rect,
) {
    let (grid, palette) = (scene.grid, scene.palette);
    let starts_sector = grid.sector_bytes.is_some_and(|bytes| {
        let n_elements = u64::from(bytes) / grid.ty.width_bytes() as u64;
        index.is_multiple_of(n_elements.max(1))
    });
    if starts_sector && !index.is_multiple_of(u64::from(grid.columns.max(1))) {
        context.set_fill_style_str(&palette.sector);
        context.fill_rect(rect.x - GAP - 0.25, rect.y, 1.5, rect.height);
    }
    if scene.links.is_in_race(grid, index) {
        paint_race_marker(context, palette, rect);
    }
    if cell.pending {
        paint_pending_marker(context, palette, rect);
    }
    if cell.written == WriteAge::Now {
        outline(context, rect, &palette.now, 1.6);
    }
    if scene.links.highlights_cell(&grid.memory.id, index, cell) {
        let width = if rect.width < 20.0 { 1.6 } else { 2.5 };
        outline(context, rect, &palette.link, width);
    }
    if scene.cursor == Some(index) {
        outline(context, rect, &palette.link, 3.5);
    }
}

fn outline(context: &CanvasRenderingContext2d, rect: Rect, colour: &str, width: f64) {
    rounded(context, rect, width / 2.0);
    context.set_line_width(width);
    context.set_stroke_style_str(colour);
    context.stroke();
}

/// Draws a filled corner, which marks a data race or an uninitialized read.
fn paint_race_marker(context: &CanvasRenderingContext2d, palette: &Palette, rect: Rect) {
    let side = (rect.width / 3.0).clamp(5.0, 9.0);
    context.set_fill_style_str(&palette.bad);
    context.begin_path();
    context.move_to(rect.x, rect.y);
    context.line_to(rect.x + side, rect.y);
    context.line_to(rect.x, rect.y + side);
    context.fill();
}

/// Draws a dashed outline and an empty corner, which mark the destination of a pending store.
fn paint_pending_marker(context: &CanvasRenderingContext2d, palette: &Palette, rect: Rect) {
    context.save();
    let dashes = js_sys::Array::of2(&3.into(), &2.into());
    // Browsers without dashed lines draw a solid line instead.
    let _ = context.set_line_dash(&dashes);
    outline(context, rect, &palette.accent, 1.6);
    context.set_fill_style_str(&palette.accent);
    context.begin_path();
    context.move_to(rect.x + rect.width, rect.y);
    context.line_to(rect.x + rect.width, rect.y + 7.0);
    context.line_to(rect.x + rect.width - 7.0, rect.y);
    context.fill();
    context.restore();
}

/// Draws diagonal strokes, which mark a cell that several lanes wrote.
fn paint_hatching(context: &CanvasRenderingContext2d, palette: &Palette, rect: Rect) {
    context.save();
    rounded(context, rect, 0.0);
    context.clip();
    context.set_stroke_style_str(&palette.bad);
    context.set_line_width(1.5);
    context.begin_path();
    let mut x = rect.x - rect.height;
    while x < rect.x + rect.width {
        context.move_to(x, rect.y + rect.height);
        context.line_to(x + rect.height, rect.y);
        x += 6.0;
    }
    context.stroke();
    context.restore();
}

fn rounded(context: &CanvasRenderingContext2d, rect: Rect, inset: f64) {
    context.begin_path();
    let (x, y) = (rect.x + inset, rect.y + inset);
    let (width, height) = (rect.width - 2.0 * inset, rect.height - 2.0 * inset);
    if context
        .round_rect_with_f64(x, y, width, height, RADIUS)
        .is_err()
    {
        context.rect(x, y, width, height);
    }
}

/// Draws the column numbers above the cells and some row numbers at the left. The numbers do not move while the cells scroll.
fn heads(
    context: &CanvasRenderingContext2d,
    scene: &GridScene<'_>,
    is_drawn: &dyn Fn(u64) -> bool,
) {
    let (grid, geometry) = (scene.grid, &scene.geometry);
    let n_rows = u64::from(grid.n_rows).min(grid.total_rows.saturating_sub(grid.first_row));
    let rows = (grid.first_row..grid.first_row + n_rows).filter(|row| is_drawn(*row));
    context.clear_rect(0.0, 0.0, scene.width, HEADER_HEIGHT);
    for row in rows.clone() {
        let band = scene.place_of(row, 0);
        context.clear_rect(0.0, band.y, geometry.row_head, band.height);
    }
    context.set_font(&format!("{HEAD_FONT} {}", scene.palette.mono));
    context.set_fill_style_str(&scene.palette.faint);
    for column in 0..grid.columns {
        let rect = geometry.cell(0, column);
        let x = rect.x - scene.left + rect.width / 2.0;
        if x > geometry.row_head && x < scene.width {
            let _ = context.fill_text(&column.to_string(), x, HEADER_HEIGHT / 2.0);
        }
    }
    context.set_text_align("right");
    for row in rows {
        let band = scene.place_of(row, 0);
        let y = band.y + band.height / 2.0;
        if y > HEADER_HEIGHT {
            let _ = context.fill_text(&row_label(grid, row), geometry.row_head - 6.0, y + 0.5);
        }
    }
    context.set_text_align("center");
}
