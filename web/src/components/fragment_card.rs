//! Card with the fragment layout of a matrix that the last step accessed: the lane that holds each element. Elements, memory cells, lanes
//! and registers are highlighted together.

use super::{Dispatch, FrameRef, dispatching};
use crate::canvas::{cell_under, paint_highlights};
use crate::format::extent_css;
use crate::grid_geometry::{cell_for_key, is_pin_key};
use crate::highlight::Highlights;
use crate::hooks::{use_diagram_canvas, use_size};
use crate::layout_explorer::{DisplayList, LayoutQuery, element_description, fragment_plan};
use crate::mma_arithmetic::product_of;
use crate::model::{Action, Focus, LayoutExplorerAction, MmaArithmeticAction};
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::model::{MatrixOperandView, MatrixStep};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) links: Rc<Highlights>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn FragmentCard(props: &Props) -> Html {
    let node = use_node_ref();
    let boxes = use_node_ref();
    let lit = use_node_ref();
    let (width, _) = use_size(&node);
    let chosen = use_state_eq(|| 0_usize);
    let step = props.frame.matrix.as_ref();
    // If the highlighted element belongs to another matrix, show that matrix.
    let index = props.links.element.map_or(*chosen, |(operand, _)| operand);
    let index = index.min(step.map_or(0, |step| step.operands.len().saturating_sub(1)));
    let plan = use_memo(
        (props.frame.clone(), index, width),
        |(frame, index, width)| {
            let step = frame.matrix.as_ref();
            let operand = step.and_then(|step| step.operands.get(*index));
            operand.map_or_else(DisplayList::default, |operand| {
                fragment_plan(operand, *width)
            })
        },
    );
    use_paint(props, &plan, index, &boxes, &lit);
    let Some((step, operand)) = step.and_then(|step| Some((step, step.operands.get(index)?)))
    else {
        return html! { <div ref={node} hidden=true /> };
    };
    let at = {
        let (plan, lit) = (plan.clone(), lit.clone());
        move |event: &MouseEvent| cell_under(&plan, &lit, event)
    };
    let onmousemove = {
        let (at, hover) = (at.clone(), hover(props, index));
        Callback::from(move |event: MouseEvent| hover.emit(at(&event)))
    };
    let leave = dispatching::<MouseEvent>(&props.dispatch, Action::Hover(None));
    let onblur = dispatching::<FocusEvent>(&props.dispatch, Action::Hover(None));
    let choose = choose(props, index);
    let onkeydown = keys(props, operand, index, choose.clone());
    let onclick = Callback::from(move |event: MouseEvent| choose.emit(at(&event)));
    let size = extent_css(plan.width, plan.height);
    html! {
        <section class="card fragment" aria-label="Fragment layout" ref={node}>
            <h2>
                { "Fragment layout" }
                <small>{ format!("{} {}, {} × {}", operand.name, operand.fragment.ty, operand.rows, operand.columns) }</small>
                <span class="spacer"></span>
                { operands(step, index, &chosen) }
            </h2>
            <div class="scroller explorer-canvas" tabindex="0" role="group"
                aria-label={format!("Elements of matrix {}: use the arrow keys to move and Enter to select", operand.name)} {onkeydown} {onblur}>
                <div style={size.clone()}>
                    <canvas ref={boxes} style={size.clone()} aria-hidden="true" />
                    <canvas ref={lit} style={size} {onmousemove} onmouseleave={leave} {onclick} aria-hidden="true" />
                </div>
            </div>
            <p class="muted" aria-live="polite">{ words(props, step, index) }</p>
            <button class="link" onclick={dispatching::<MouseEvent>(&props.dispatch, open_fragment(step, index))}>{ "Open in Layout Explorer" }</button>
        </section>
    }
}

/// Returns the focus on a cell of an operand.
fn element(operand: usize, cell: usize) -> Focus {
    Focus::Element { operand, cell }
}

/// Returns the hover handler, which focuses the element under the pointer.
fn hover(props: &Props, index: usize) -> Callback<Option<usize>> {
    let hovered_cell = props.links.element.map(|(_, cell)| cell);
    let dispatch = props.dispatch.clone();
    Callback::from(move |cell: Option<usize>| {
        if cell != hovered_cell {
            dispatch.dispatch(Action::Hover(cell.map(|cell| element(index, cell))));
        }
    })
}

/// Returns the click handler. A click on an element of D opens the explanation of its computation, and a click on any other element pins
/// it.
fn choose(props: &Props, index: usize) -> Callback<Option<usize>> {
    let (frame, dispatch) = (props.frame.clone(), props.dispatch.clone());
    Callback::from(move |cell: Option<usize>| {
        let step = frame.matrix.as_ref();
        let of_product = step.and_then(|step| explained(step, index, cell?));
        dispatch.dispatch(match of_product {
            Some(action) => action,
            None => Action::Pin(cell.map(|cell| element(index, cell))),
        });
    })
}

/// Returns the keyboard handler: arrow keys move the focus between elements, and Enter selects an element.
fn keys(
    props: &Props,
    operand: &MatrixOperandView,
    index: usize,
    choose: Callback<Option<usize>>,
) -> Callback<KeyboardEvent> {
    let dispatch = props.dispatch.clone();
    let hovered_cell = props.links.element.map(|(_, cell)| cell);
    let (columns, n_cells) = (u64::from(operand.columns), operand.cells.len());
    Callback::from(move |event: KeyboardEvent| {
        let key = event.key();
        let target_cell = cell_for_key(&key, hovered_cell.map(|cell| cell as u64), columns);
        if target_cell.is_none() && !is_pin_key(&key) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        match target_cell {
            Some(target_cell) => {
                let target_cell = usize::try_from(target_cell).unwrap_or(usize::MAX);
                let target_cell = target_cell.min(n_cells.saturating_sub(1));
                dispatch.dispatch(Action::Hover(Some(element(index, target_cell))));
            }
            None => choose.emit(hovered_cell),
        }
    })
}

/// Paints the boxes when they change, and the highlights on a second canvas.
#[hook]
fn use_paint(props: &Props, plan: &Rc<DisplayList>, index: usize, boxes: &NodeRef, lit: &NodeRef) {
    use_diagram_canvas(boxes, plan, &props.palette);
    let lit = lit.clone();
    let seen = (
        plan.clone(),
        props.palette.clone(),
        props.links.clone(),
        props.frame.clone(),
        index,
    );
    use_effect_with(seen, move |(plan, palette, links, frame, index)| {
        let step = frame.matrix.as_ref();
        let operand = step.and_then(|step| step.operands.get(*index));
        if let (Some(canvas), Some(operand)) = (lit.cast::<HtmlCanvasElement>(), operand) {
            let element = links.element.filter(|(of, _)| of == index);
            let is_lit = |cell: usize| {
                let element = operand.cells.get(cell);
                element.is_some_and(|element| links.highlights_element(operand, element))
            };
            paint_highlights(
                &canvas,
                plan,
                palette,
                is_lit,
                element.map(|(_, cell)| cell),
            );
        }
    });
}

/// Renders one button for each matrix of the instruction.
fn operands(step: &MatrixStep, index: usize, chosen: &UseStateHandle<usize>) -> Html {
    if step.operands.len() < 2 {
        return Html::default();
    }
    let button = |at: usize, name: &str| {
        let set = {
            let chosen = chosen.clone();
            Callback::from(move |_: MouseEvent| chosen.set(at))
        };
        html! { <button aria-pressed={(at == index).to_string()} onclick={set}>{ name }</button> }
    };
    html! {
        <span class="segmented-control" role="group" aria-label="Matrix">
            { for step.operands.iter().enumerate().map(|(at, operand)| button(at, &operand.name)) }
        </span>
    }
}

/// Describes the focused element. Without a focused element, describes the available interactions.
fn words(props: &Props, step: &MatrixStep, index: usize) -> String {
    let operand = step.operands.get(index);
    let of_element = props.links.element.filter(|(of, _)| *of == index);
    let found = of_element.and_then(|(_, cell)| element_description(operand?, cell));
    found.unwrap_or_else(|| {
        let explains = step.product.is_some() && operand.is_some_and(|operand| operand.name == "D");
        match explains {
            true => {
                "Select an element to show how the Tensor Core accumulated the element.".to_owned()
            }
            false => {
                "Hover over an element to highlight the lane, register and address of the element."
                    .to_owned()
            }
        }
    })
}

/// Returns the action that explains how the Tensor Core computed an element of D.
fn explained(step: &MatrixStep, operand: usize, cell: usize) -> Option<Action> {
    step.operands
        .get(operand)
        .filter(|operand| operand.name == "D")?;
    let request = product_of(step, cell)?;
    Some(Action::Product(MmaArithmeticAction::Open(request)))
}

/// Returns the action that opens the fragment of a matrix in the Layout Explorer, with its stride and base.
pub(crate) fn open_fragment(step: &MatrixStep, operand: usize) -> Action {
    let choice = step
        .operands
        .get(operand)
        .map_or_else(LayoutQuery::default, |operand| LayoutQuery {
            base_bytes: operand.base_bytes.into(),
            ..LayoutQuery::of_fragment(operand.fragment.clone())
        });
    Action::Matrix(LayoutExplorerAction::Open(choice))
}
