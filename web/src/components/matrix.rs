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
use lanes::{LaneTable, lanes};
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
                    { for (0..page.pictures.len()).map(|index| html! {
                        <MatrixCard page={page.clone()} {index} {width} palette={props.palette.clone()} dispatch={props.dispatch.clone()} />
                    }) }
                </div>
                // A second memory is the same, since the layout does not depend on the target.
                <MemoryOfMatrix page={page.clone()} index={0} {width} palette={props.palette.clone()} dispatch={props.dispatch.clone()} />
                <LaneTable pictures={page.pictures.clone()} />
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

#[derive(Properties, PartialEq)]
struct PictureProps {
    page: MatrixPage,
    index: usize,
    /// Of the view.
    width: f64,
    palette: Rc<Palette>,
    dispatch: Dispatch,
}

/// A picture as a matrix. The boxes are laid out when the picture changes, not when the pointer moves.
#[component]
fn MatrixCard(props: &PictureProps) -> Html {
    let seen = (props.page.pictures.clone(), props.index, props.page.labels);
    let plan = use_memo(seen, |(pictures, index, labels)| {
        let picture = pictures.get(*index);
        picture.map_or_else(Plan::default, |picture| {
            matrix_plan(picture, *labels, pictures.len() > 1)
        })
    });
    let Some(picture) = props.page.pictures.get(props.index) else {
        return Html::default();
    };
    html! {
        <section class="card matrix-card" aria-label={format!("Matrix, {}", picture.title)}>
            <h2>{ picture.title.clone() }<small>{ size_text(picture) }</small></h2>
            { drawing(props, picture, plan, "Matrix") }
        </section>
    }
}

/// The memory of a picture.
#[component]
fn MemoryOfMatrix(props: &PictureProps) -> Html {
    let base_bytes = props.page.choice.base_bytes;
    let seen = (
        props.page.pictures.clone(),
        props.index,
        base_bytes,
        props.width,
    );
    let plan = use_memo(seen, |(pictures, index, base_bytes, width)| {
        let picture = pictures.get(*index);
        picture.map_or_else(Plan::default, |picture| {
            memory_plan(picture, *base_bytes, width - 400.0)
        })
    });
    let picture = props.page.pictures.get(props.index);
    let Some(picture) = picture.filter(|_| !plan.marks.is_empty()) else {
        return Html::default();
    };
    html! {
        <section class="card matrix-card" aria-label="Memory of the matrix">
            <h2>{ "Memory" }<small>{ format!("lines of {} bytes; each box an element, with its lane", picture.line_bytes) }</small></h2>
            { drawing(props, picture, plan, "Memory") }
        </section>
    }
}

fn drawing(
    props: &PictureProps,
    picture: &FragmentPicture,
    plan: Rc<Plan>,
    name: &'static str,
) -> Html {
    html! {
        <Drawing {name} index={props.index} {plan} columns={usize::from(picture.columns.max(1))}
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
