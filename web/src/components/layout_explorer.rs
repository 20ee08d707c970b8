//! The Layout Explorer view: shows the lane and the register that hold each element of a fragment, and the memory address of each element.

mod controls;
mod diagram;
mod export;
mod lanes;
mod properties;
mod tile_layout;

use super::step_summary::inline_code;
use super::{Dispatch, dispatching};
use crate::hooks::use_size;
use crate::layout_explorer::{
    CellLabels, DisplayList, LayoutExplorerState, LayoutFocus, describe, matrix_plan, memory_plan,
};
use crate::model::{Action, LayoutExplorerAction};
use crate::theme::Palette;
use controls::controls;
use diagram::LayoutDiagram;
use export::export_buttons;
pub(crate) use export::{Export, save};
use lanes::{lane_table, lanes};
use properties::properties_card;
use std::rc::Rc;
use tile_layout::TileLayoutPanel;
use warpgrid_view::layouts::fragment::FragmentPicture;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: LayoutExplorerState,
    pub(crate) palette: Rc<Palette>,
    /// Callback that creates an exported file and saves it.
    pub(crate) export: Callback<Export>,
    pub(crate) dispatch: Dispatch,
}

/// Inputs from which the diagrams are computed.
#[derive(PartialEq)]
struct Seen {
    pictures: Rc<Vec<FragmentPicture>>,
    labels: CellLabels,
    base_bytes: u64,
    /// Width in pixels.
    width: f64,
}

/// Values that depend only on the fragments, and not on the focus.
struct LaidOut {
    matrices: Vec<Rc<DisplayList>>,
    memory: Rc<DisplayList>,
    table: Html,
}

impl LaidOut {
    fn new(seen: &Seen) -> LaidOut {
        let pictures = &seen.pictures;
        let matrices = pictures
            .iter()
            .map(|picture| Rc::new(matrix_plan(picture, seen.labels, pictures.len())));
        let first = pictures.first();
        let memory = first.map(|picture| memory_plan(picture, seen.base_bytes, seen.width - 400.0));
        LaidOut {
            matrices: matrices.collect(),
            memory: Rc::new(memory.unwrap_or_default()),
            table: first.map(lane_table).unwrap_or_default(),
        }
    }
}

#[component]
pub(crate) fn LayoutExplorer(props: &Props) -> Html {
    let page = &props.page;
    let node = use_node_ref();
    let (width, _) = use_size(&node);
    // These values are recomputed when the inputs change, but not when the pointer moves.
    let seen = Seen {
        pictures: page.pictures.clone(),
        labels: page.labels,
        base_bytes: page.choice.base_bytes,
        width,
    };
    let laid_out = use_memo(seen, LaidOut::new);
    if let Some(picture) = &page.layout {
        return html! {
            <TileLayoutPanel page={page.clone()} picture={picture.clone()} palette={props.palette.clone()}
                export={props.export.clone()} dispatch={props.dispatch.clone()} />
        };
    }
    let Some(first) = page.pictures.first() else {
        return html! { <section class="explorer" ref={node}><p class="placeholder">{ "Loading the layout…" }</p></section> };
    };
    let plan = {
        let (picture, labels) = (first.clone(), page.labels);
        move || Rc::new(matrix_plan(&picture, labels, 1))
    };
    html! {
        <section class="explorer" ref={node} aria-label="Layout Explorer">
            <div class="explorer-side">
                { controls(&page.choice, &first.choices, &props.dispatch) }
                { properties_card(first) }
                { lanes(page, first, &props.dispatch) }
            </div>
            <div class="explorer-main">
                <div class="explorer-toolbar">
                    { labels(page, &props.dispatch) }
                    <p class="step-summary layout-summary" aria-live="polite">{ sentence(page) }</p>
                    <span class="spacer"></span>
                    { export_buttons(&first.request, &props.export, &props.palette, plan) }
                </div>
                { unknown_link_parameters(page) }
                <div class="explorer-diagrams">
                    { for page.pictures.iter().zip(&laid_out.matrices).enumerate().map(|(index, (picture, plan))| matrix(props, index, picture, plan)) }
                </div>
                // A single memory diagram is rendered for both targets, because the memory layout does not depend on the target.
                { memory(props, first, &laid_out.memory) }
                { laid_out.table.clone() }
            </div>
        </section>
    }
}

/// Renders a warning for unknown parameters of the link.
fn unknown_link_parameters(page: &LayoutExplorerState) -> Html {
    let unread = &page.choice.unknown_parameters;
    if unread.is_empty() {
        return Html::default();
    }
    let named: Vec<String> = unread.iter().map(|part| format!("`{part}`")).collect();
    let noun = if named.len() == 1 {
        "parameter"
    } else {
        "parameters"
    };
    let text = format!(
        "Unknown link {noun}: {}. The diagram shows default values.",
        named.join(", ")
    );
    html! { <p class="hint bad" role="status">{ inline_code(&text) }</p> }
}

/// Describes the focused element in a sentence.
fn sentence(page: &LayoutExplorerState) -> String {
    match page.focus() {
        None => "Hover over a cell, lane or register to highlight the corresponding elements."
            .to_owned(),
        Some(LayoutFocus::Cell { picture, cell }) => page
            .pictures
            .get(picture)
            .and_then(|picture| describe(picture, cell))
            .unwrap_or_default(),
        Some(LayoutFocus::Lane(lane)) => format!("All elements of lane {lane}"),
        Some(LayoutFocus::Register { lane, register }) => {
            format!("Register {register} of lane {lane}")
        }
    }
}

/// Renders the controls that select the labels of the cells.
fn labels(page: &LayoutExplorerState, dispatch: &Dispatch) -> Html {
    let button = |labels: CellLabels, name: &'static str, title: &'static str| {
        let pressed = (page.labels == labels).to_string();
        let set = dispatching::<MouseEvent>(
            dispatch,
            Action::Matrix(LayoutExplorerAction::SetLabels(labels)),
        );
        html! { <button aria-pressed={pressed} {title} onclick={set}>{ name }</button> }
    };
    html! {
        <div class="segmented-control" role="group" aria-label="Cell contents">
            { button(CellLabels::Holder, "lanes", "Show the lane and register of each element") }
            { button(CellLabels::Address, "bytes", "Show the byte offset of each element") }
        </div>
    }
}

fn matrix(props: &Props, index: usize, picture: &FragmentPicture, plan: &Rc<DisplayList>) -> Html {
    html! {
        <section class="card explorer-card" aria-label={format!("Matrix, {}", picture.title)}>
            <h2>{ picture.title.clone() }<small>{ size_text(picture) }</small></h2>
            { drawing(props, index, picture, plan, "Matrix") }
        </section>
    }
}

fn memory(props: &Props, picture: &FragmentPicture, plan: &Rc<DisplayList>) -> Html {
    if plan.marks.is_empty() {
        return Html::default();
    }
    html! {
        <section class="card explorer-card" aria-label="Matrix in memory">
            <h2>{ "Memory" }<small>{ format!("lines of {} bytes; each box is one element with the number of the lane that holds the element", picture.line_bytes) }</small></h2>
            { drawing(props, 0, picture, plan, "Memory") }
        </section>
    }
}

fn drawing(
    props: &Props,
    index: usize,
    picture: &FragmentPicture,
    plan: &Rc<DisplayList>,
    name: &'static str,
) -> Html {
    html! {
        <LayoutDiagram {name} {index} plan={plan.clone()} columns={usize::from(picture.columns.max(1))}
            page={props.page.clone()} palette={props.palette.clone()} dispatch={props.dispatch.clone()} />
    }
}

fn size_text(picture: &FragmentPicture) -> String {
    let (rows, columns) = (picture.rows, picture.columns);
    let size = match picture.n_matrices {
        1 => format!("{rows} × {columns}"),
        n => format!("{n} of {rows} × {columns}"),
    };
    match picture.copies {
        1 => size,
        copies => format!("{size}, with {copies} copies of each element"),
    }
}
