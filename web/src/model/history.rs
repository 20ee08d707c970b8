//! Write history of the pinned cell: determines when the history is requested, and computes the byte range of the cell.

use super::{Focus, Model};
use crate::protocol::RequestBody;
use warpgrid_view::analysis::cell_history::CellLocation;

/// Returns the byte range of a focused cell if the current frame contains its row.
pub fn place_of(model: &Model, focus: &Focus) -> Option<CellLocation> {
    let Focus::Cell { memory, index } = focus else {
        return None;
    };
    let (grid, _) = model.cell(memory, *index)?;
    let size = grid.ty.width_bytes() as u64;
    let offset = index.checked_mul(size)?;
    let left = grid.memory.size_bytes.checked_sub(offset)?;
    Some(CellLocation {
        memory: memory.clone(),
        offset,
        // The last cell of a memory may be truncated.
        n_bytes: size.min(left),
        ty: grid.ty,
    })
}

/// Requests the stores to the pinned cell, unless the complete list is already known.
pub(super) fn ask_history(model: &mut Model) {
    if model.is_stale() || model.playing || model.run.busy.is_some() {
        return;
    }
    let place = model
        .pinned
        .as_ref()
        .and_then(|focus| place_of(model, focus));
    let (Some(place), Some(frame)) = (place, &model.run.frame) else {
        return;
    };
    let (steps, position) = (model.run.executed_steps(), frame.position);
    if let Some((asked, asked_steps, asked_position)) = &model.run.history.requested {
        // A truncated list contains the stores around its position.
        let found = model.run.history.of(&place);
        let is_cut =
            found.is_some_and(|found| found.n_before + found.n_after > found.writes.len() as u64);
        let is_same = *asked == place && *asked_steps >= steps;
        if is_same && (*asked_position == position || !is_cut) {
            return;
        }
    }
    model.run.history.requested = Some((place.clone(), steps, position));
    model.send(RequestBody::History(place));
}
