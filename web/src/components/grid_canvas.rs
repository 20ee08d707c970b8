//! Canvas of a memory grid, which scrolls through memories of any length and requests only the visible rows.

use super::memory_card::RovingTabindex;
use super::{Dispatch, FrameRef};
use crate::canvas::{GridScene, paint};
use crate::format::extent_css;
use crate::grid_geometry::{
    GridGeometry, HEADER_HEIGHT, ROW, cell_description, cell_for_key, is_pin_key,
};
use crate::highlight::Highlights;
use crate::hooks::use_size;
use crate::model::{Action, Focus, Overlay, Zoom};
use crate::theme::Palette;
use gloo_render::request_animation_frame;
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::MemoryGrid;
use warpgrid_view::model::TileView;
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

/// Number of rows above and below the visible rows that are requested for smooth scrolling.
const MARGIN_ROWS: u64 = 6;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) overlay: Overlay,
    pub(crate) zoom: Zoom,
    /// Element to which the grid scrolls once.
    pub(crate) scroll_to_element: Option<u64>,
    pub(crate) reachable: RovingTabindex,
    /// Width in pixels that is available for the cells.
    pub(crate) available: f64,
    /// Number of rows that the grid shows before it scrolls.
    pub(crate) max_rows: u64,
    pub(crate) links: Rc<Highlights>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

/// Visible part of the grid, which is determined by its scroll position and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct View {
    geometry: GridGeometry,
    left: f64,
    top: f64,
    size: (f64, f64),
    cursor: Option<u64>,
}

#[component]
pub(crate) fn GridCanvas(props: &Props) -> Html {
    let scroller = use_node_ref();
    let canvas = use_node_ref();
    let scroll = use_state_eq(|| (0.0, 0.0));
    let cursor = use_state_eq(|| None::<u64>);
    let hovered = use_mut_ref(|| None::<u64>);
    let size = use_size(&scroller);
    let frame = props.frame.clone();
    let Some(grid) = frame.grids.get(props.index) else {
        return Html::default();
    };
    let geometry = GridGeometry::of(grid, props.available, props.zoom);
    let (left, scroll_top) = *scroll;
    let view = View {
        geometry,
        left,
        top: geometry.content_offset(scroll_top, size.1),
        size,
        cursor: *cursor,
    };
    use_paint(props, &canvas, view);
    use_window(props, grid, geometry, view.top, size.1);
    use_follow(&frame, grid, &view, &scroller);
    use_reveal(props.scroll_to_element, geometry, size.1, &scroller);
    let memory = grid.memory.id.clone();
    let focus = move |index: Option<u64>| {
        let memory = memory.clone();
        index.map(|index| Focus::Cell { memory, index })
    };
    let pointer = pointer(props, &canvas, view, hovered, focus.clone());
    let onkeydown = keys(props, grid, geometry, &cursor, &scroller, focus);
    let spoken = cursor_description(grid, *cursor);
    let onblur = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: FocusEvent| {
            cursor.set(None);
            dispatch.dispatch(Action::Hover(None));
        })
    };
    let onscroll = on_scroll(&scroller, scroll);
    let shown_height = HEADER_HEIGHT + grid.total_rows.min(props.max_rows) as f64 * ROW;
    let label = format!(
        "{}, grid of {} elements: use the arrow keys to move, Enter to pin the cell, and Shift+Up to move to the toolbar",
        grid.memory.title, grid.ty
    );
    html! {
        <>
        <p class="visually-hidden" aria-live="polite">{ spoken }</p>
        <div class="scroller" ref={scroller} tabindex={props.reachable.cells()} role="group" aria-label={label}
            style={extent_css(geometry.width(), shown_height)} {onscroll} {onkeydown} {onblur}>
            <div style={extent_css(geometry.width(), geometry.height())}>
                <canvas ref={canvas} style={extent_css(size.0, size.1)} onmousemove={pointer.on_move}
                    onmouseleave={pointer.on_leave} onclick={pointer.on_click} aria-hidden="true" />
            </div>
        </div>
        </>
    }
}

/// Returns the scroll handler, which stores the scroll position.
fn on_scroll(scroller: &NodeRef, scroll: UseStateHandle<(f64, f64)>) -> Callback<Event> {
    let scroller = scroller.clone();
    Callback::from(move |_: Event| {
        if let Some(element) = scroller.cast::<Element>() {
            let (left, top) = (element.scroll_left(), element.scroll_top());
            scroll.set((f64::from(left), f64::from(top)));
        }
    })
}

/// Describes the cell under the keyboard cursor for screen readers.
fn cursor_description(grid: &MemoryGrid, cursor: Option<u64>) -> String {
    let found = cursor.and_then(|index| {
        let first = grid.first_row * u64::from(grid.columns);
        let cell = grid
            .cells
            .get(usize::try_from(index.checked_sub(first)?).ok()?)?;
        Some(cell_description(grid, index, cell))
    });
    found.unwrap_or_default()
}

/// Paints the changes of the visible part in the next animation frame. Painting earlier would be slow: other effects are still changing the
/// page, so that each drawn text would recompute the styles of the page.
#[hook]
fn use_paint(props: &Props, canvas: &NodeRef, view: View) {
    let canvas = canvas.clone();
    let shown = use_mut_ref(|| None::<(HtmlCanvasElement, Seen)>);
    let seen = Seen {
        frame: props.frame.clone(),
        index: props.index,
        links: props.links.clone(),
        palette: props.palette.clone(),
        overlay: props.overlay,
        view,
    };
    use_effect_with(seen, move |seen| {
        let seen = seen.clone();
        let request = request_animation_frame(move |_| {
            let canvas = canvas.cast::<HtmlCanvasElement>();
            let (Some(canvas), Some(scene)) = (canvas, seen.scene()) else {
                return;
            };
            let before = shown.take().filter(|(on, _)| *on == canvas);
            let before = before.as_ref().and_then(|(_, seen)| seen.scene());
            paint(&canvas, before.as_ref(), &scene);
            shown.replace(Some((canvas, seen.clone())));
        });
        // If the inputs change before the animation frame, a new animation frame request replaces this request.
        move || drop(request)
    });
}

/// Inputs with which the canvas was painted last.
#[derive(Clone, PartialEq)]
struct Seen {
    frame: FrameRef,
    index: usize,
    links: Rc<Highlights>,
    palette: Rc<Palette>,
    overlay: Overlay,
    view: View,
}

impl Seen {
    fn scene(&self) -> Option<GridScene<'_>> {
        let view = &self.view;
        Some(GridScene {
            grid: self.frame.grids.get(self.index)?,
            geometry: view.geometry,
            overlay: self.overlay,
            links: &self.links,
            palette: &self.palette,
            left: view.left,
            top: view.top,
            width: view.size.0,
            height: view.size.1,
            cursor: view.cursor,
        })
    }
}

/// Pointer event handlers of the canvas.
struct Pointer {
    on_move: Callback<MouseEvent>,
    on_leave: Callback<MouseEvent>,
    on_click: Callback<MouseEvent>,
}

/// Returns the pointer handlers: the cell under the pointer is hovered, and a click pins the cell. `hovered` contains the last hovered
/// cell, so that an action is dispatched only when the hovered cell changes.
fn pointer(
    props: &Props,
    canvas: &NodeRef,
    view: View,
    hovered: Rc<RefCell<Option<u64>>>,
    focus: impl Fn(Option<u64>) -> Option<Focus> + Clone + 'static,
) -> Pointer {
    let canvas = canvas.clone();
    let at = move |event: &MouseEvent| {
        let rect = canvas.cast::<Element>()?.get_bounding_client_rect();
        let x = f64::from(event.client_x()) - rect.left();
        let y = f64::from(event.client_y()) - rect.top();
        let is_cell = x >= view.geometry.row_head && y >= HEADER_HEIGHT;
        let (x, y) = (x + view.left, y + view.top);
        is_cell.then(|| view.geometry.element_at(x, y)).flatten()
    };
    let dispatch = props.dispatch.clone();
    let on_move = {
        let (dispatch, at) = (dispatch.clone(), at.clone());
        let (focus, hovered) = (focus.clone(), hovered.clone());
        Callback::from(move |event: MouseEvent| {
            let index = at(&event);
            if hovered.replace(index) != index {
                dispatch.dispatch(Action::Hover(focus(index)));
            }
        })
    };
    let on_leave = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| {
            if hovered.replace(None).is_some() {
                dispatch.dispatch(Action::Hover(None));
            }
        })
    };
    let on_click =
        Callback::from(move |event: MouseEvent| dispatch.dispatch(Action::Pin(focus(at(&event)))));
    Pointer {
        on_move,
        on_leave,
        on_click,
    }
}

/// Requests the visible rows of a memory if the frame does not contain all of them.
#[hook]
fn use_window(props: &Props, grid: &MemoryGrid, geometry: GridGeometry, top: f64, height: f64) {
    let (first, n_rows) = geometry.visible_rows(top, height);
    let last = first + u64::from(n_rows);
    let held = grid.first_row..grid.first_row + u64::from(grid.n_rows);
    let missing = height > 0.0 && n_rows > 0 && (first < held.start || last > held.end);
    let (dispatch, memory) = (props.dispatch.clone(), grid.memory.id.clone());
    use_effect_with(
        (missing, first, n_rows, memory),
        move |(missing, first, n_rows, memory)| {
            if *missing {
                let above = (*first).min(MARGIN_ROWS);
                dispatch.dispatch(Action::Window {
                    memory: memory.clone(),
                    first_row: first - above,
                    n_rows: n_rows + (above + MARGIN_ROWS) as u32,
                });
            }
        },
    );
}

/// Returns the first element of a tile of the current step in a memory. The written tile takes precedence over other tiles.
fn tile_start(frame: &FrameRef, memory: &MemoryKey) -> Option<u64> {
    let step = frame.tensor.as_ref()?;
    let start = |tile: &TileView| {
        let mut found = tile.memories.iter().zip(&tile.starts);
        found.find(|(id, _)| *id == memory).map(|(_, start)| *start)
    };
    let written = step.tiles.iter().filter(|tile| tile.is_written);
    written.chain(&step.tiles).find_map(start)
}

/// Scrolls to the stores or the tiles of the current step if no store or tile is visible.
#[hook]
fn use_follow(frame: &FrameRef, grid: &MemoryGrid, view: &View, scroller: &NodeRef) {
    let (geometry, top, height) = (view.geometry, view.top, view.size.1);
    let stores = frame.store.iter();
    let pieces = stores
        .flat_map(|store| &store.lanes)
        .flat_map(|lane| &lane.pieces);
    let offset = pieces
        .filter(|piece| piece.memory.as_ref() == Some(&grid.memory.id))
        .filter_map(|piece| piece.offset)
        .min();
    let offset = offset.or_else(|| tile_start(frame, &grid.memory.id));
    let row =
        offset.map(|offset| offset / grid.ty.width_bytes() as u64 / u64::from(geometry.columns));
    let scroller = scroller.clone();
    use_effect_with((frame.1, frame.position, row), move |(_, _, row)| {
        let (Some(row), Some(element)) = (row, scroller.cast::<Element>()) else {
            return;
        };
        // The last known scroll position and size are used, because reading them from the element would force a layout.
        let height = match height {
            0.0 => f64::from(element.client_height()),
            known => known,
        };
        let y = *row as f64 * ROW;
        if y < top || y + ROW > top + height - HEADER_HEIGHT {
            element.set_scroll_top(geometry.scroll_offset((y - ROW).max(0.0), height) as i32);
        }
    });
}

/// Scrolls to an element once the grid has its size.
#[hook]
fn use_reveal(cell: Option<u64>, geometry: GridGeometry, height: f64, scroller: &NodeRef) {
    let scroller = scroller.clone();
    use_effect_with((cell, height > 0.0), move |(cell, is_laid_out)| {
        let (Some(cell), true) = (cell, is_laid_out) else {
            return;
        };
        let y = (cell / u64::from(geometry.columns)) as f64 * ROW;
        if let Some(element) = scroller.cast::<Element>()
            && y + ROW > height - HEADER_HEIGHT
        {
            element.set_scroll_top(geometry.scroll_offset((y - ROW).max(0.0), height) as i32);
        }
    });
}

/// Returns the keyboard handler: arrow keys move a cursor over the cells.
fn keys(
    props: &Props,
    grid: &MemoryGrid,
    geometry: GridGeometry,
    cursor: &UseStateHandle<Option<u64>>,
    scroller: &NodeRef,
    focus: impl Fn(Option<u64>) -> Option<Focus> + 'static,
) -> Callback<KeyboardEvent> {
    let (cursor, scroller, dispatch) = (cursor.clone(), scroller.clone(), props.dispatch.clone());
    let columns = u64::from(geometry.columns);
    let n_elements = grid.memory.size_bytes / grid.ty.width_bytes() as u64;
    Callback::from(move |event: KeyboardEvent| {
        let key = event.key();
        // In the first row, Up moves the focus to the controls of the card. In all rows, Shift+Up does the same.
        let is_first = cursor.is_none_or(|cell| cell < columns);
        if key == "ArrowUp" && (is_first || event.shift_key()) {
            return;
        }
        let target_cell = cell_for_key(&key, *cursor, columns);
        if target_cell.is_none() && !is_pin_key(&key) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        let Some(target_cell) = target_cell else {
            return dispatch.dispatch(Action::Pin(focus(*cursor)));
        };
        let target_cell = target_cell.min(n_elements.saturating_sub(1));
        cursor.set(Some(target_cell));
        dispatch.dispatch(Action::Hover(focus(Some(target_cell))));
        if let Some(element) = scroller.cast::<Element>() {
            let y = (target_cell / columns) as f64 * ROW;
            let (top, height) = (
                f64::from(element.scroll_top()),
                f64::from(element.client_height()) - HEADER_HEIGHT,
            );
            if y < top {
                element.set_scroll_top(y as i32);
            } else if y + ROW > top + height {
                element.set_scroll_top((y + ROW - height) as i32);
            }
        }
    })
}
