//! Cells of a memory grid as an HTML table, for screen readers, tests and printing.

use super::FrameRef;
use super::memory_card::RovingTabindex;
use crate::grid_geometry::{cell_description, row_label};
use crate::hooks::{DeferUntil, use_deferred};
use crate::theme::lane_css;
use warpgrid_view::model::{GridCell, MemoryGrid, WriteAge};
use yew::prelude::*;

/// Maximum number of table rows. The visible part of a grid rarely has more rows.
const MAX_ROWS: usize = 64;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) reachable: RovingTabindex,
    /// Whether the table is visible. Otherwise, only screen readers can access it.
    pub(crate) shown: bool,
}

/// Renders the table. A table that is only for screen readers is updated when the frame no longer changes, because rendering its cells
/// takes as long as rendering all other parts of a frame.
#[component]
pub(crate) fn GridTable(props: &Props) -> Html {
    let (rested, is_present) = use_deferred(&props.frame, DeferUntil::AtRest);
    let memory = |frame: &FrameRef| {
        frame
            .grids
            .get(props.index)
            .map(|grid| grid.memory.id.clone())
    };
    let may_wait = !props.shown && memory(&rested) == memory(&props.frame);
    let (frame, is_busy) = match may_wait {
        true => (rested, !is_present),
        false => (props.frame.clone(), false),
    };
    html! {
        <div class={classes!("accessible-grid", (!props.shown).then_some("visually-hidden"))} aria-busy={is_busy.then_some("true")}
            tabindex={props.shown.then(|| props.reachable.cells())}>
            <Cells {frame} index={props.index} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct CellsProps {
    frame: FrameRef,
    index: usize,
}

#[component]
fn Cells(props: &CellsProps) -> Html {
    let Some(grid) = props.frame.grids.get(props.index) else {
        return Html::default();
    };
    let columns = grid.columns.max(1) as usize;
    let rows = grid
        .cells
        .chunks(columns)
        .take(MAX_ROWS)
        .enumerate()
        .map(|(i, cells)| {
            let row = grid.first_row + i as u64;
            html! {
                <tr role="row" aria-rowindex={(row + 2).to_string()}>
                    <th role="rowheader" scope="row">{ row_label(grid, row) }</th>
                    { for cells.iter().enumerate().map(|(column, cell)| entry(grid, row * columns as u64 + column as u64, cell)) }
                </tr>
            }
        });
    let heads = (0..grid.columns)
        .map(|column| html! { <th role="columnheader" scope="col">{ column }</th> });
    html! {
        <table role="grid" aria-label={grid.memory.title.clone()} aria-readonly="true"
            aria-rowcount={(grid.total_rows + 1).to_string()} aria-colcount={(grid.columns + 1).to_string()}
            data-memory={grid.memory.id.to_string()} data-type={grid.ty.name()}>
            <thead>
                <tr role="row" aria-rowindex="1">
                    <th role="columnheader" scope="col"><span class="visually-hidden">{ "row" }</span></th>
                    { for heads }
                </tr>
            </thead>
            <tbody>{ for rows }</tbody>
        </table>
    }
}

fn entry(grid: &MemoryGrid, index: u64, cell: &GridCell) -> Html {
    let written = match cell.written {
        WriteAge::Never => "never",
        WriteAge::Before => "before",
        WriteAge::Now => "now",
    };
    let words = cell_description(grid, index, cell);
    html! {
        <td role="gridcell" data-written={written} data-lane={cell.lane.map(|lane| lane.to_string())}
            data-step={cell.step.map(|step| step.to_string())} data-pending={cell.pending.then_some("true")}
            aria-label={words.clone()} title={words}
            style={cell.lane.map(|lane| format!("--lane: {}", lane_css(lane)))}
            class={classes!(cell.has_conflict.then_some("conflict"))}>{ &cell.text }</td>
    }
}
