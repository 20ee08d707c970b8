//! Card of pending asynchronous operations: their destinations, and a button that completes each operation.

use super::step_summary::capitalize;
use super::{Dispatch, FrameRef, dispatching};
use crate::editor;
use crate::format::{bytes, count, plural};
use crate::model::Action;
use crate::protocol::MoveTarget;
use warpgrid_view::model::AsyncOperationView;
use yew::prelude::*;

/// Maximum number of listed operations. The card shows the number of operations that are not listed.
const MAX_LISTED: usize = 12;

/// Renders the card of the pending asynchronous operations.
pub(crate) fn async_operations_card(frame: &FrameRef, dispatch: &Dispatch) -> Html {
    let pending = &frame.pending;
    if pending.is_empty() {
        return Html::default();
    }
    let n_more = pending.len().saturating_sub(MAX_LISTED);
    html! {
        <section class="card in-flight" aria-label="In flight">
            <h2>{ "In flight" }<small>{ plural(pending.len() as u64, "operation") }</small></h2>
            <ul>{ for pending.iter().take(MAX_LISTED).map(|operation| entry(operation, dispatch)) }</ul>
            if n_more > 0 {
                <p class="muted">{ format!("and {n_more} more") }</p>
            }
        </section>
    }
}

fn entry(operation: &AsyncOperationView, dispatch: &Dispatch) -> Html {
    let range = operation.range;
    let go = Callback::from(move |_: MouseEvent| editor::go_to(range));
    let land = dispatching::<MouseEvent>(
        dispatch,
        Action::Move(MoveTarget::CompleteOperation(operation.id)),
    );
    html! {
        <li>
            <p><code>{ &operation.opcode }</code><button class="line-link" onclick={go}>{ format!("line {}", range.line) }</button></p>
            <p class="muted">{ words(operation) }</p>
            <button class="action-button" onclick={land}>{ "Complete now" }</button>
        </li>
    }
}

/// Describes an operation, for example `4 bytes from lane 7 to out; completes before step 12`.
fn words(operation: &AsyncOperationView) -> String {
    let n_bytes: usize = operation.pieces.iter().map(|piece| piece.bytes.len()).sum();
    let mut lanes: Vec<u8> = operation.pieces.iter().map(|piece| piece.lane).collect();
    lanes.dedup();
    let who = match lanes[..] {
        [] => String::new(),
        [lane] => format!(" from lane {lane}"),
        _ => format!(" from {} lanes", lanes.len()),
    };
    let mut memories = operation
        .pieces
        .iter()
        .filter_map(|piece| piece.memory.as_ref());
    let to = memories
        .next()
        .map_or_else(String::new, |id| format!(" to {id}"));
    let landing = match operation.lands_at {
        None => "completes after all warps of the warpgroup have issued the operation".to_owned(),
        Some(step) => format!("completes before step {}", count(step)),
    };
    match n_bytes {
        0 => capitalize(&landing),
        _ => format!("{}{who}{to}; {landing}", bytes(n_bytes as u64)),
    }
}
