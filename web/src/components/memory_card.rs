//! A memory as a card: its name and facts, how it is shown, and the grid.

use super::grid_canvas::GridCanvas;
use super::grid_table::GridTable;
use super::pickers::Select;
use super::{Dispatch, FrameRef, say};
use crate::format;
use crate::links::Links;
use crate::model::{Action, GridChoice, Overlay};
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::MemoryId;
use warpgrid_view::model::{Grid, MemoryView};
use warpgrid_view::value::ElementType;
use yew::prelude::*;

const COLUMNS: [u32; 7] = [1, 4, 8, 16, 32, 64, 128];

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) choice: GridChoice,
    /// Width that the cells may take.
    pub(crate) available: f64,
    pub(crate) links: Rc<Links>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn MemoryCard(props: &Props) -> Html {
    let Some(grid) = props.frame.grids.get(props.index) else {
        return Html::default();
    };
    let (choice, dispatch) = (&props.choice, &props.dispatch);
    let id = grid.memory.id.clone();
    let title = grid.memory.title.clone();
    html! {
        <section class="card memory" aria-label={title.clone()} data-memory={id.to_string()}>
            <div class="head">
                <h2><button class="fold" aria-expanded={(!choice.folded).to_string()} title={title.clone()}
                    onclick={say(dispatch, Action::ToggleFold(id.clone()))}>{ &title }</button></h2>
                <small title={facts(&grid.memory)}>{ facts(&grid.memory) }</small>
                <span class="controls">
                { overlays(&id, choice.overlay, dispatch) }
                { types(grid, choice, dispatch) }
                { columns(grid, choice, dispatch) }
                <button class="icon small" aria-pressed={choice.table.to_string()} title="Show as a table"
                    aria-label="Show as a table" onclick={say(dispatch, Action::ToggleTable(id.clone()))}>
                    <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
                        <path d="M1.5 2.5h11v9h-11zM1.5 5.5h11M1.5 8.5h11M5.5 2.5v9" fill="none" stroke="currentColor" />
                    </svg>
                </button>
                </span>
            </div>
            if !choice.folded {
                if !choice.table {
                    <GridCanvas frame={props.frame.clone()} available={props.available} index={props.index} overlay={choice.overlay}
                        links={props.links.clone()} palette={props.palette.clone()} dispatch={dispatch.clone()} />
                }
                <GridTable frame={props.frame.clone()} index={props.index} shown={choice.table} />
            }
        </section>
    }
}

/// Space, type, extents and address of a memory.
pub(crate) fn facts(memory: &MemoryView) -> String {
    let extents = match memory.shape.is_empty() {
        true => format!("{} {}", memory.ty, format::bytes(memory.size_bytes)),
        false => {
            let extents: String = memory.shape.iter().map(|n| format!("[{n}]")).collect();
            format!("{} {extents}", memory.ty)
        }
    };
    format!("{} · {extents} · {}", memory.space.name(), memory.address)
}

fn overlays(id: &MemoryId, present: Overlay, dispatch: &Dispatch) -> Html {
    let names = [
        (Overlay::Value, "value"),
        (Overlay::Lane, "lane"),
        (Overlay::Age, "step"),
    ];
    let button = |(overlay, name): (Overlay, &'static str)| {
        let onclick = say(dispatch, Action::SetOverlay(id.clone(), overlay));
        html! { <button aria-pressed={(overlay == present).to_string()} {onclick}>{ name }</button> }
    };
    html! { <span class="seg" role="group" aria-label="Cells show">{ for names.into_iter().map(button) }</span> }
}

fn types(grid: &Grid, choice: &GridChoice, dispatch: &Dispatch) -> Html {
    let (dispatch, id) = (dispatch.clone(), grid.memory.id.clone());
    let on_choice = Callback::from(move |name: String| {
        let ty = ElementType::from_name(&name);
        dispatch.dispatch(Action::SetType(id.clone(), ty));
    });
    let label = |ty: ElementType| match ty.is_bits() {
        true => format!("hex {}", ty.width_bytes() * 8),
        false => ty.name().to_owned(),
    };
    let option = |(name, ty): &(&'static str, ElementType)| {
        html! { <option value={*name}>{ label(*ty) }</option> }
    };
    let chosen = choice.ty.map_or("", ElementType::name);
    html! {
        <Select label="Value type" class="mini" value={chosen} {on_choice}>
            <option value="">{ label(grid.memory.ty) }</option>
            { for ElementType::ALL.iter().filter(|(_, ty)| *ty != grid.memory.ty).map(option) }
        </Select>
    }
}

fn columns(grid: &Grid, choice: &GridChoice, dispatch: &Dispatch) -> Html {
    let (dispatch, id) = (dispatch.clone(), grid.memory.id.clone());
    let on_choice = Callback::from(move |n: String| {
        dispatch.dispatch(Action::SetColumns(id.clone(), n.parse().ok()));
    });
    let option = |n: u32| {
        html! { <option value={n.to_string()}>{ format!("× {n}") }</option> }
    };
    let natural = match choice.columns {
        None => format!("× {}", grid.columns),
        Some(_) => "× auto".into(),
    };
    html! {
        <Select label="Columns" class="mini" value={choice.columns.map(|n| n.to_string()).unwrap_or_default()} {on_choice}>
            <option value="">{ natural }</option>
            { for COLUMNS.into_iter().filter(|n| choice.columns.is_some() || *n != grid.columns).map(option) }
        </Select>
    }
}
