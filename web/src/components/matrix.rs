//! The matrix view: which lane and register holds which element, and where it lies in memory.

mod controls;
mod drawing;
mod export;
mod facts;
mod lanes;

use super::{Dispatch, say};
use crate::canvas::png;
use crate::hooks::use_size;
use crate::matrix::{
    CellLabels, MatrixFocus, MatrixPage, Plan, describe, matrix_plan, memory_plan,
};
use crate::model::{Action, MatrixAction};
use crate::theme::Palette;
use controls::Controls;
use drawing::Drawing;
use export::FileKind;
pub(crate) use export::{Export, save};
use facts::facts;
use lanes::{lane_table, lanes};
use std::rc::Rc;
use warpgrid_view::fragment::FragmentPicture;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: MatrixPage,
    pub(crate) palette: Rc<Palette>,
    /// Asks the core for a file and hands it to the person.
    pub(crate) export: Callback<Export>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn MatrixView(props: &Props) -> Html {
    let page = &props.page;
    let node = use_node_ref();
    let (width, _) = use_size(&node);
    let Some(first) = page.pictures.first() else {
        return html! { <section class="matrix" ref={node}><p class="placeholder">{ "The map is coming." }</p></section> };
    };
    let on_png = {
        let (picture, palette, labels) = (first.clone(), props.palette.clone(), page.labels);
        let export = props.export.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(address) = png(&matrix_plan(&picture, labels, false), &palette) {
                export.emit(Export::Address(picture.request.clone(), address));
            }
        })
    };
    let file = |kind: FileKind| {
        let (export, request) = (props.export.clone(), first.request.clone());
        Callback::from(move |_: MouseEvent| export.emit(Export::File(request.clone(), kind)))
    };
    html! {
        <section class="matrix" ref={node} aria-label="Matrix view">
            <div class="matrix-side">
                <Controls choice={page.choice.clone()} choices={first.choices.clone()} dispatch={props.dispatch.clone()} />
                { facts(first) }
                { lanes(page, first, &props.dispatch) }
            </div>
            <div class="matrix-main">
                <div class="matrix-bar">
                    { labels(page, &props.dispatch) }
                    <p class="say matrix-say" aria-live="polite">{ sentence(page) }</p>
                    <span class="spring"></span>
                    <button class="pill" onclick={file(FileKind::Svg)}>{ "SVG" }</button>
                    <button class="pill" onclick={on_png}>{ "PNG" }</button>
                    <button class="pill" onclick={file(FileKind::Table)}>{ "Text" }</button>
                </div>
                <div class="matrix-pair">
                    { for page.pictures.iter().enumerate().map(|(index, picture)| matrix(props, index, picture)) }
                </div>
                { for page.pictures.iter().enumerate().map(|(index, picture)| memory(props, index, picture, width)) }
                { lane_table(first) }
            </div>
        </section>
    }
}

/// The element in focus, in words.
fn sentence(page: &MatrixPage) -> String {
    match page.focus() {
        None => "Point at a cell, a lane or a register.".to_owned(),
        Some(MatrixFocus::Cell { picture, cell }) => page
            .pictures
            .get(picture)
            .and_then(|picture| describe(picture, cell))
            .unwrap_or_default(),
        Some(MatrixFocus::Lane(lane)) => format!("All elements of lane {lane}"),
        Some(MatrixFocus::Register { lane, register }) => {
            format!("Register {register} of lane {lane}")
        }
    }
}

/// What the cells say.
fn labels(page: &MatrixPage, dispatch: &Dispatch) -> Html {
    let button = |labels: CellLabels, name: &'static str, title: &'static str| {
        let pressed = (page.labels == labels).to_string();
        let set = say::<MouseEvent>(dispatch, Action::Matrix(MatrixAction::SetLabels(labels)));
        html! { <button aria-pressed={pressed} {title} onclick={set}>{ name }</button> }
    };
    html! {
        <div class="seg" role="group" aria-label="Cells show">
            { button(CellLabels::Holder, "lanes", "Cells show lane and register") }
            { button(CellLabels::Address, "bytes", "Cells show the byte at which the element lies") }
        </div>
    }
}

fn matrix(props: &Props, index: usize, picture: &FragmentPicture) -> Html {
    let plan = matrix_plan(picture, props.page.labels, props.page.pictures.len() > 1);
    html! {
        <section class="card matrix-card" aria-label={format!("Matrix, {}", picture.title)}>
            <h2>{ picture.title.clone() }<small>{ size_text(picture) }</small></h2>
            { drawing(props, index, picture, plan, "Matrix") }
        </section>
    }
}

fn memory(props: &Props, index: usize, picture: &FragmentPicture, width: f64) -> Html {
    let plan = memory_plan(picture, props.page.choice.base_bytes, width - 400.0);
    // A second memory is the same, since the layout does not depend on the target.
    if plan.marks.is_empty() || index > 0 {
        return Html::default();
    }
    html! {
        <section class="card matrix-card" aria-label="Memory of the matrix">
            <h2>{ "Memory" }<small>{ format!("lines of {} bytes; each box an element, with its lane", picture.line_bytes) }</small></h2>
            { drawing(props, index, picture, plan, "Memory") }
        </section>
    }
}

fn drawing(
    props: &Props,
    index: usize,
    picture: &FragmentPicture,
    plan: Plan,
    name: &'static str,
) -> Html {
    html! {
        <Drawing {name} {index} plan={Rc::new(plan)} columns={usize::from(picture.columns.max(1))}
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
        copies => format!("{size}, each element in {copies} places"),
    }
}
