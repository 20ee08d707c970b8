//! Layout diagram on two canvases. The lower canvas shows the boxes and is painted when they change. The upper canvas shows the highlights
//! and is painted on each pointer move.

use crate::canvas::{cell_under, paint_highlights};
use crate::components::Dispatch;
use crate::format::extent_css;
use crate::grid_geometry::{cell_for_key, is_pin_key};
use crate::hooks::use_diagram_canvas;
use crate::layout_explorer::{DisplayList, LayoutExplorerState, LayoutFocus};
use crate::model::{Action, LayoutExplorerAction};
use crate::theme::Palette;
use std::rc::Rc;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) name: &'static str,
    /// Index of the diagram among the diagrams of the view.
    pub(crate) index: usize,
    pub(crate) plan: Rc<DisplayList>,
    /// Number of matrix columns, which determines the cells that arrow keys select.
    pub(crate) columns: usize,
    pub(crate) page: LayoutExplorerState,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn LayoutDiagram(props: &Props) -> Html {
    let boxes = use_node_ref();
    let lit = use_node_ref();
    use_diagram_canvas(&boxes, &props.plan, &props.palette);
    use_lit(props, &lit);
    let at = {
        let (plan, lit, picture) = (props.plan.clone(), lit.clone(), props.index);
        move |event: &MouseEvent| {
            let cell = cell_under(&plan, &lit, event)?;
            Some(LayoutFocus::Cell { picture, cell })
        }
    };
    let onmousemove = {
        let (at, now, dispatch) = (at.clone(), props.page.hover, props.dispatch.clone());
        Callback::from(move |event: MouseEvent| {
            let focus = at(&event);
            if focus != now {
                dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Hover(focus)));
            }
        })
    };
    let leave = {
        let dispatch = props.dispatch.clone();
        move || dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Hover(None)))
    };
    let onmouseleave = {
        let leave = leave.clone();
        Callback::from(move |_: MouseEvent| leave())
    };
    let onblur = Callback::from(move |_: FocusEvent| leave());
    let onclick = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: MouseEvent| {
            dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Pin(at(&event))));
        })
    };
    let label = format!(
        "{} grid: use the arrow keys to move and Enter to pin the cell",
        props.name
    );
    let size = extent_css(props.plan.width, props.plan.height);
    html! {
        <div class="scroller explorer-canvas" tabindex="0" role="group" aria-label={label} onkeydown={keys(props)} {onblur}>
            <div style={size.clone()}>
                <canvas ref={boxes} style={size.clone()} aria-hidden="true" />
                <canvas ref={lit} style={size} {onmousemove} {onmouseleave} {onclick} aria-hidden="true" />
            </div>
        </div>
    }
}

/// Paints the highlighted cells above the boxes.
#[hook]
fn use_lit(props: &Props, lit: &NodeRef) {
    let (lit, index) = (lit.clone(), props.index);
    let seen = (
        props.plan.clone(),
        props.palette.clone(),
        props.page.focus(),
        props.page.clone(),
    );
    use_effect_with(seen, move |(plan, palette, focus, page)| {
        if let Some(canvas) = lit.cast::<HtmlCanvasElement>() {
            let of_this = match focus {
                Some(LayoutFocus::Cell { picture, cell }) if *picture == index => Some(*cell),
                _ => None,
            };
            let is_lit = |cell| page.is_lit_at(index, cell);
            paint_highlights(&canvas, plan, palette, is_lit, of_this);
        }
    });
}

/// Returns the keyboard handler: arrow keys move between the cells of the matrix, even in the memory diagram.
fn keys(props: &Props) -> Callback<KeyboardEvent> {
    let (dispatch, columns, index) = (props.dispatch.clone(), props.columns, props.index);
    let n_cells = props.page.n_cells(index);
    let here = match props.page.hover {
        Some(LayoutFocus::Cell { picture, cell }) if picture == index => Some(cell),
        _ => None,
    };
    Callback::from(move |event: KeyboardEvent| {
        let key = event.key();
        let target_cell = cell_for_key(&key, here.map(|cell| cell as u64), columns as u64);
        if target_cell.is_none() && !is_pin_key(&key) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        let focus = |cell| LayoutFocus::Cell {
            picture: index,
            cell,
        };
        let action = match target_cell {
            Some(target_cell) => {
                let target_cell = usize::try_from(target_cell).unwrap_or(usize::MAX);
                LayoutExplorerAction::Hover(Some(focus(target_cell.min(n_cells.saturating_sub(1)))))
            }
            None => LayoutExplorerAction::Pin(here.map(focus)),
        };
        dispatch.dispatch(Action::Matrix(action));
    })
}
