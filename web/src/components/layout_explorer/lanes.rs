//! Fragment layout by lane: the 32 lanes, the registers of the focused lane, and a table of all lanes.

use crate::components::{Dispatch, dispatching};
use crate::layout_explorer::{
    LayoutExplorerState, LayoutFocus, offset_text, position, register_label,
};
use crate::model::{Action, LayoutExplorerAction};
use crate::theme::lane_css;
use warpgrid_view::layouts::fragment::{CellHolder, FragmentPicture};
use yew::prelude::*;

/// Renders the 32 lanes, and the contents of the focused lane.
pub(super) fn lanes(
    page: &LayoutExplorerState,
    picture: &FragmentPicture,
    dispatch: &Dispatch,
) -> Html {
    let chosen = page.lane();
    let tile = |lane: u8| {
        let focus = Some(LayoutFocus::Lane(lane));
        let class = classes!("lane", (chosen == Some(lane)).then_some("linked"));
        html! {
            <button {class} style={format!("--lane: {}", lane_css(lane))} aria-label={format!("lane {lane}")}
                onmouseenter={hover(dispatch, focus)} onmouseleave={hover(dispatch, None)}
                onfocus={hover(dispatch, focus)} onblur={hover(dispatch, None)}
                onclick={dispatching::<MouseEvent>(dispatch, Action::Matrix(LayoutExplorerAction::Pin(focus)))}>
                { lane }
            </button>
        }
    };
    html! {
        <section class="card" aria-label="Lanes of the fragment">
            <h2>{ "Lanes" }<small>{ registers_text(picture) }</small></h2>
            <div class="lanes" role="group" aria-label="Lanes">{ for (0..32).map(tile) }</div>
            if let Some(lane) = chosen {
                { registers(lane, picture, dispatch) }
            }
        </section>
    }
}

fn hover<E>(dispatch: &Dispatch, focus: Option<LayoutFocus>) -> Callback<E> {
    dispatching(dispatch, Action::Matrix(LayoutExplorerAction::Hover(focus)))
}

fn registers_text(picture: &FragmentPicture) -> String {
    match (picture.n_registers, picture.elements_per_register) {
        (1, 1) => "1 register per lane".to_owned(),
        (n, 1) => format!("{n} registers per lane"),
        (1, elements) => format!("1 register with {elements} elements per lane"),
        (n, elements) => format!("{n} registers with {elements} elements each per lane"),
    }
}

/// Returns the cells that a lane holds, in the order of registers and elements.
fn held(lane: u8, picture: &FragmentPicture) -> Vec<(CellHolder, usize)> {
    let of_cell = |(cell, found): (usize, &warpgrid_view::layouts::fragment::PictureCell)| {
        let holders = found.holders.iter().filter(|holder| holder.lane == lane);
        holders.map(|holder| (*holder, cell)).collect::<Vec<_>>()
    };
    let cells = picture.cells.iter().enumerate();
    let mut held: Vec<(CellHolder, usize)> = cells.flat_map(of_cell).collect();
    held.sort_by_cached_key(|(holder, _)| {
        u64::from(holder.register) << 8 | u64::from(holder.element)
    });
    held
}

fn registers(lane: u8, picture: &FragmentPicture, dispatch: &Dispatch) -> Html {
    let line = |(holder, cell): (CellHolder, usize)| {
        let focus = Some(LayoutFocus::Register {
            lane,
            register: holder.register,
        });
        let place = picture.address_rule.as_ref().and_then(|_| {
            let found = picture.cells.get(cell)?;
            Some(offset_text(found.offset_bits, picture.element_bits))
        });
        html! {
            <tr onmouseenter={hover::<MouseEvent>(dispatch, focus)} onmouseleave={hover::<MouseEvent>(dispatch, Some(LayoutFocus::Lane(lane)))}>
                <th scope="row">{ register_label(picture, &holder) }</th>
                <td>{ place_text(picture, cell) }</td>
                <td>{ place }</td>
            </tr>
        }
    };
    html! {
        <div class="explorer-registers">
            <table class="property-table">
                <caption class="visually-hidden">{ format!("Registers of lane {lane}") }</caption>
                <tbody>{ for held(lane, picture).into_iter().map(line) }</tbody>
            </table>
        </div>
    }
}

/// Returns the position of a cell as `(row, column)`, preceded by the matrix if there are several matrices.
fn place_text(picture: &FragmentPicture, cell: usize) -> String {
    let (matrix, row, column) = position(picture, cell);
    match picture.n_matrices {
        1 => format!("({row}, {column})"),
        _ => format!("#{matrix} ({row}, {column})"),
    }
}

/// Renders a table with a row per lane and a column per register.
pub(super) fn lane_table(picture: &FragmentPicture) -> Html {
    let head = |register: u8| html! { <th scope="col">{ format!("r{register}") }</th> };
    let row = |lane: u8| {
        let held = held(lane, picture);
        let of_register = |register: u8| {
            let cells = held
                .iter()
                .filter(|(holder, _)| holder.register == register);
            let places: Vec<String> = cells.map(|(_, cell)| place_text(picture, *cell)).collect();
            html! { <td>{ places.join(" ") }</td> }
        };
        html! { <tr><th scope="row">{ lane }</th>{ for (0..picture.n_registers).map(of_register) }</tr> }
    };
    html! {
        <details class="card explorer-table">
            <summary>{ "Table of the elements (row, column) by lane and register" }</summary>
            <div class="accessible-grid"><table>
                <thead><tr><th scope="col">{ "lane" }</th>{ for (0..picture.n_registers).map(head) }</tr></thead>
                <tbody>{ for (0..32).map(row) }</tbody>
            </table></div>
        </details>
    }
}
