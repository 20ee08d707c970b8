//! Card of bank conflicts in a run: the lanes that access each bank, and the rewrite that removes the conflicts of a buffer.

use super::line_button::line_button;
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, dispatching};
use crate::editor;
use crate::format::{bytes, plural};
use crate::model::{Action, RewriteState};
use crate::theme::lane_css;
use warpgrid_view::layouts::inspector::{
    AccessConflicts, BankConflictFix, BankPhase, BufferConflicts, ConflictReport, ProfilerCount,
};
use warpgrid_view::model::{EditView, FixView};
use yew::prelude::*;

/// Maximum number of wavefronts that a diagram shows.
const MAX_PASSES: usize = 8;
/// Number of shared-memory banks.
const BANKS: u32 = 32;

/// Renders the card if any access has bank conflicts. `text` is the source of the run, to which the rewrite applies.
pub(crate) fn conflicts_card(
    found: &ConflictReport,
    cure: &RewriteState,
    text: &str,
    dispatch: &Dispatch,
) -> Html {
    if found.accesses.is_empty() {
        return Html::default();
    }
    let is_curable = found
        .buffers
        .iter()
        .any(|buffer| !buffer.proposals.is_empty());
    html! {
        <section class="card conflicts" aria-label="Bank conflicts">
            <div class="head"><h2>{ "Bank conflicts" }</h2></div>
            { for found.accesses.iter().map(access) }
            <ul class="finding-list">{ for found.buffers.iter().map(buffer) }</ul>
            if is_curable {
                { rewrite_status(cure, text, dispatch) }
            }
        </section>
    }
}

fn access(access: &AccessConflicts) -> Html {
    let phase = access.phases.iter().max_by_key(|phase| phase.wavefronts);
    html! {
        <div class="access">
            <p>
                { line_button(access.line) }{ " " }
                <code>{ &access.opcode }</code>
                { format!(": {} wavefronts, {} ideal. ", access.wavefronts, access.ideal) }
                if let Some(collision) = &access.collision {
                    { inline_code(&capitalize(&collision.text)) }{ "." }
                }
            </p>
            { for phase.map(punch_card) }
            { profiler(access) }
        </div>
    }
}

/// Renders the Nsight Compute metrics that correspond to the counts of an access, and the reasons why a profiler may report other values.
fn profiler(access: &AccessConflicts) -> Html {
    let count = |found: &ProfilerCount| {
        html! {
            <li>
                <code>{ &found.name }</code>{ format!(" {}", found.count) }
                if !found.beside.is_empty() {
                    { format!("; {}", found.beside) }
                }
            </li>
        }
    };
    html! {
        <details class="muted">
            <summary>{ "Nsight Compute metrics" }</summary>
            <ul class="finding-list">{ for access.profiler.iter().map(count) }</ul>
        </details>
    }
}

/// Renders a grid with one row per wavefront and one column per bank, in which each cell contains lanes.
fn punch_card(phase: &BankPhase) -> Html {
    let n_passes = phase
        .banks
        .iter()
        .map(|bank| bank.words.len())
        .max()
        .unwrap_or(0);
    let lanes_at = |bank: u32, pass: usize| {
        let cell = phase.banks.iter().find(|cell| cell.bank == bank)?;
        cell.words.get(pass).map(|word| word.lanes.as_slice())
    };
    let label = format!(
        "Shared-memory banks accessed by lanes {} to {}, one row per wavefront",
        phase.first_lane, phase.last_lane
    );
    html! {
        <div class="bank-grid" role="img" aria-label={label}>
            { for (0..n_passes.min(MAX_PASSES)).map(|pass| html! {
                <div>{ for (0..BANKS).map(|bank| hole(bank, lanes_at(bank, pass))) }</div>
            }) }
            if n_passes > MAX_PASSES {
                <p class="muted">{ format!("and {}", plural((n_passes - MAX_PASSES) as u64, "more wavefront")) }</p>
            }
        </div>
    }
}

/// Renders the lanes that access a word of a bank, in the color of the lowest lane.
fn hole(bank: u32, lanes: Option<&[u8]>) -> Html {
    let Some((lanes, first)) = lanes.and_then(|lanes| Some((lanes, *lanes.first()?))) else {
        return html! { <i></i> };
    };
    let names: Vec<String> = lanes.iter().map(u8::to_string).collect();
    let title = format!("bank {bank}: lanes {}", names.join(", "));
    html! { <i class="lane-at" style={format!("--lane: {}", lane_css(first))} {title}>{ first }</i> }
}

fn buffer(buffer: &BufferConflicts) -> Html {
    let name = html! { <code>{ &buffer.name }</code> };
    match (buffer.proposals.first(), &buffer.impossible) {
        (Some(change), _) => html! {
            <li>
                { name }{ ": conflict-free with " }<code>{ &change.change }</code>
                { format!(" (additional cost: {}, and {} per access)", bytes(change.more_bytes.into()), plural(change.instructions.into(), "instruction")) }
            </li>
        },
        (None, Some(reason)) => {
            html! { <li class="muted">{ name }{ ": " }{ inline_code(reason) }</li> }
        }
        (None, None) => {
            html! { <li class="muted">{ name }{ ": no conflict-free layout found" }</li> }
        }
    }
}

fn rewrite_status(cure: &RewriteState, text: &str, dispatch: &Dispatch) -> Html {
    match cure {
        RewriteState::NotRequested => html! {
            <button class="action-button" onclick={dispatching(dispatch, Action::RewriteBankConflicts)}>{ "Apply conflict-free rewrite" }</button>
        },
        RewriteState::Pending => {
            html! { <p class="muted" role="status">{ "Rewriting the kernel and running both versions of the kernel…" }</p> }
        }
        RewriteState::Refused(reason) => {
            html! { <p class="muted">{ inline_code(&capitalize(reason)) }{ "." }</p> }
        }
        RewriteState::Found(cured) => verified_rewrite(cured, text),
    }
}

/// Renders the result of verifying a rewrite, and the button that applies the rewrite to the editor.
fn verified_rewrite(cured: &BankConflictFix, text: &str) -> Html {
    let fix = replace_all_fix(text, &cured.source);
    let apply = Callback::from(move |_: MouseEvent| editor::apply(&fix));
    let same = match cured.same.is_empty() {
        true => "Both versions of the kernel run to completion.".to_owned(),
        false => format!(
            "Both versions of the kernel produce identical contents of {}.",
            cured.same.join(", ")
        ),
    };
    html! {
        <div class="code-fix">
            <p>{ format!("Bank conflicts: {} before the rewrite, {} after the rewrite. {same}", cured.before, cured.after) }</p>
            <ul>{ for cured.changes.iter().map(|change| html! { <li>{ inline_code(change) }</li> }) }</ul>
            <button class="action-button" onclick={apply}>{ "Apply to editor" }</button>
        </div>
    }
}

/// Returns a fix that replaces the whole source in one undoable change.
fn replace_all_fix(text: &str, other: &str) -> FixView {
    let lines: Vec<&str> = text.split('\n').collect();
    let last = lines.last().map_or(0, |line| line.encode_utf16().count());
    FixView {
        title: "Apply to editor".to_owned(),
        is_header: false,
        edits: vec![EditView {
            line: 1,
            column: 1,
            end_line: lines.len() as u32,
            end_column: last as u32 + 1,
            text: other.to_owned(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replace_all_fix_covers_whole_source() {
        let fix = replace_all_fix("a;\nb;\n", "c;\n");
        let edit = &fix.edits[0];
        assert_eq!((edit.line, edit.column), (1, 1));
        assert_eq!((edit.end_line, edit.end_column), (3, 1));
    }
}
