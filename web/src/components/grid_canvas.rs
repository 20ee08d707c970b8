//! A grid as pixels: scrolls through memories of any length and asks only for the rows it shows.

use super::{Dispatch, FrameRef};
use crate::canvas::{Scene, paint};
use crate::hooks::use_size;
use crate::layout::{Geometry, HEAD, ROW, SHOWN_ROWS};
use crate::links::Links;
use crate::model::{Action, Focus, Overlay};
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::model::Grid;
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

/// Rows asked for above and below the visible ones, so that scrolling is smooth.
const MARGIN_ROWS: u64 = 6;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) overlay: Overlay,
    /// Width that the cells may take.
    pub(crate) available: f64,
    pub(crate) links: Rc<Links>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn GridCanvas(props: &Props) -> Html {
    let scroller = use_node_ref();
    let canvas = use_node_ref();
    let scroll = use_state_eq(|| (0.0, 0.0));
    let cursor = use_state_eq(|| None::<u64>);
    let size = use_size(&scroller);
    let frame = props.frame.clone();
    let Some(grid) = frame.grids.get(props.index) else {
        return Html::default();
    };
    let available = props.available;
    let geometry = Geometry::of(grid, available);
    let (left, scroll_top) = *scroll;
    let top = geometry.top_of(scroll_top, size.1);
    {
        let canvas = canvas.clone();
        let (frame, index, overlay) = (props.frame.clone(), props.index, props.overlay);
        let (links, palette, cursor) = (props.links.clone(), props.palette.clone(), *cursor);
        let seen = (
            frame,
            links,
            palette,
            overlay,
            (left, top),
            size,
            (cursor, available),
        );
        use_effect_with(
            seen,
            move |(frame, links, palette, overlay, (left, top), size, (cursor, available))| {
                let (Some(canvas), Some(grid)) =
                    (canvas.cast::<HtmlCanvasElement>(), frame.grids.get(index))
                else {
                    return;
                };
                let scene = Scene {
                    grid,
                    geometry: Geometry::of(grid, *available),
                    overlay: *overlay,
                    links,
                    palette,
                    left: *left,
                    top: *top,
                    width: size.0,
                    height: size.1,
                    cursor: *cursor,
                };
                paint(&canvas, &scene);
            },
        );
    }
    use_window(props, grid, geometry, top, size.1);
    use_follow(&frame, grid, geometry, &scroller);
    let onscroll = {
        let (scroll, scroller) = (scroll.clone(), scroller.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = scroller.cast::<Element>() {
                scroll.set((
                    f64::from(element.scroll_left()),
                    f64::from(element.scroll_top()),
                ));
            }
        })
    };
    let at = {
        let canvas = canvas.clone();
        move |event: &MouseEvent| {
            let rect = canvas.cast::<Element>()?.get_bounding_client_rect();
            let (x, y) = (
                f64::from(event.client_x()) - rect.left(),
                f64::from(event.client_y()) - rect.top(),
            );
            (x >= geometry.row_head && y >= HEAD)
                .then(|| geometry.element_at(x + left, y + top))
                .flatten()
        }
    };
    let hovered = use_mut_ref(|| None::<u64>);
    let focus = {
        let memory = grid.memory.id.clone();
        move |index: Option<u64>| {
            index.map(|index| Focus::Cell {
                memory: memory.clone(),
                index,
            })
        }
    };
    let onmousemove = {
        let (dispatch, at, focus, hovered) = (
            props.dispatch.clone(),
            at.clone(),
            focus.clone(),
            hovered.clone(),
        );
        Callback::from(move |event: MouseEvent| {
            let index = at(&event);
            if hovered.replace(index) != index {
                dispatch.dispatch(Action::Hover(focus(index)));
            }
        })
    };
    let onmouseleave = {
        let (dispatch, hovered) = (props.dispatch.clone(), hovered.clone());
        Callback::from(move |_: MouseEvent| {
            if hovered.replace(None).is_some() {
                dispatch.dispatch(Action::Hover(None));
            }
        })
    };
    let onclick = {
        let (dispatch, focus) = (props.dispatch.clone(), focus.clone());
        Callback::from(move |event: MouseEvent| dispatch.dispatch(Action::Pin(focus(at(&event)))))
    };
    let onkeydown = keys(props, grid, geometry, &cursor, &scroller, focus);
    let onblur = {
        let (cursor, dispatch) = (cursor.clone(), props.dispatch.clone());
        Callback::from(move |_: FocusEvent| {
            cursor.set(None);
            dispatch.dispatch(Action::Hover(None));
        })
    };
    let shown_rows = grid.total_rows.min(SHOWN_ROWS) as f64;
    let style = format!(
        "width: {:.0}px; height: {:.0}px",
        geometry.width(),
        HEAD + shown_rows * ROW
    );
    let space = format!(
        "width: {:.0}px; height: {:.0}px",
        geometry.width(),
        geometry.height()
    );
    let canvas_style = format!("width: {:.0}px; height: {:.0}px", size.0, size.1);
    let label = format!(
        "{}, cells of {}: arrow keys move, Enter pins",
        grid.memory.title, grid.ty
    );
    html! {
        <div class="scroller" ref={scroller} tabindex="0" role="group" aria-label={label}
            {style} {onscroll} {onkeydown} {onblur}>
            <div style={space}>
                <canvas ref={canvas} style={canvas_style} {onmousemove} {onmouseleave} {onclick} aria-hidden="true" />
            </div>
        </div>
    }
}

/// Asks for the visible rows when they are not all there.
#[hook]
fn use_window(props: &Props, grid: &Grid, geometry: Geometry, top: f64, height: f64) {
    let (first, n_rows) = geometry.window(top, height);
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

/// Scrolls to what the present step stored, when none of it is in sight.
#[hook]
fn use_follow(frame: &FrameRef, grid: &Grid, geometry: Geometry, scroller: &NodeRef) {
    let offset = frame
        .store
        .as_ref()
        .filter(|store| store.memory.as_ref() == Some(&grid.memory.id))
        .and_then(|store| store.lanes.iter().filter_map(|lane| lane.offset).min());
    let row =
        offset.map(|offset| offset / grid.ty.width_bytes() as u64 / u64::from(geometry.columns));
    let scroller = scroller.clone();
    use_effect_with((frame.position, row), move |(_, row)| {
        let (Some(row), Some(element)) = (row, scroller.cast::<Element>()) else {
            return;
        };
        let height = f64::from(element.client_height());
        let top = geometry.top_of(f64::from(element.scroll_top()), height);
        let y = *row as f64 * ROW;
        if y < top || y + ROW > top + height - HEAD {
            element.set_scroll_top(geometry.scroll_for((y - ROW).max(0.0), height) as i32);
        }
    });
}

/// Arrow keys move a cursor over the cells.
fn keys(
    props: &Props,
    grid: &Grid,
    geometry: Geometry,
    cursor: &UseStateHandle<Option<u64>>,
    scroller: &NodeRef,
    focus: impl Fn(Option<u64>) -> Option<Focus> + 'static,
) -> Callback<KeyboardEvent> {
    let (cursor, scroller, dispatch) = (cursor.clone(), scroller.clone(), props.dispatch.clone());
    let columns = u64::from(geometry.columns);
    let n_elements = grid.memory.size_bytes / grid.ty.width_bytes() as u64;
    Callback::from(move |event: KeyboardEvent| {
        let here = cursor.unwrap_or(0);
        let there = match event.key().as_str() {
            "ArrowRight" => here.saturating_add(u64::from(cursor.is_some())),
            "ArrowLeft" => here.saturating_sub(1),
            "ArrowDown" => here.saturating_add(columns),
            "ArrowUp" => here.saturating_sub(columns),
            "Home" => here - here % columns,
            "End" => here - here % columns + columns - 1,
            "Enter" | " " => {
                event.prevent_default();
                event.stop_propagation();
                return dispatch.dispatch(Action::Pin(focus(*cursor)));
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let there = there.min(n_elements.saturating_sub(1));
        cursor.set(Some(there));
        dispatch.dispatch(Action::Hover(focus(Some(there))));
        if let Some(element) = scroller.cast::<Element>() {
            let y = (there / columns) as f64 * ROW;
            let (top, height) = (
                f64::from(element.scroll_top()),
                f64::from(element.client_height()) - HEAD,
            );
            if y < top {
                element.set_scroll_top(y as i32);
            } else if y + ROW > top + height {
                element.set_scroll_top((y + ROW - height) as i32);
            }
        }
    })
}
