//! List of the inline assembly blocks in a source. The list selects the block that runs, and shows the operands of each block and the
//! effects of its constraints on the compiler.

use super::Dispatch;
use super::step_summary::inline_code;
use crate::editor;
use crate::format::plural;
use crate::model::Action;
use warpgrid_view::CheckReport;
use warpgrid_view::model::{InlineAsmView, SnippetOperand, SourceRange};
use yew::prelude::*;

/// Renders the list of asm blocks. `entry` is the block that runs.
pub(crate) fn asm_block_list(
    report: &CheckReport,
    entry: Option<&str>,
    dispatch: &Dispatch,
) -> Html {
    let parts = &report.parts;
    let shown = parts.iter().find(|part| entry == Some(part.name.as_str()));
    let shown = shown.or_else(|| parts.iter().find(|part| part.accept));
    let choice = |part: &InlineAsmView| choice(part, shown, dispatch);
    html! {
        if !parts.is_empty() {
            <section class="asm-blocks" aria-label="asm blocks">
                <ol>{ for parts.iter().map(choice) }</ol>
                if let Some(part) = shown {
                    <details>
                        <summary>{ summary(part) }</summary>
                        if !part.operands.is_empty() {
                            <table>{ for part.operands.iter().map(operand) }</table>
                        }
                        if let Some(note) = &part.note {
                            <p class="muted">{ inline_code(note) }</p>
                        }
                    </details>
                }
            </section>
        }
    }
}

fn choice(part: &InlineAsmView, shown: Option<&InlineAsmView>, dispatch: &Dispatch) -> Html {
    let is_shown = shown.is_some_and(|shown| shown.name == part.name);
    let range = SourceRange {
        line: part.line,
        column: part.column,
        end_line: part.line,
        end_column: part.column,
    };
    let (name, dispatch) = (part.name.clone(), dispatch.clone());
    let choose = Callback::from(move |_: MouseEvent| {
        editor::go_to(range);
        dispatch.dispatch(Action::PickKernel(name.clone()));
    });
    let class = classes!("action-button", (!part.accept).then_some("bad"));
    html! {
        <li>
            <button {class} aria-pressed={is_shown.to_string()} onclick={choose}>
                { &part.name }<small>{ format!(" line {}", part.line) }</small>
                if !part.accept {
                    <small>{ ", rejected" }</small>
                }
            </button>
        </li>
    }
}

fn summary(part: &InlineAsmView) -> String {
    let operands = match part.operands.len() {
        0 => "no operands".to_owned(),
        n => plural(n as u64, "operand"),
    };
    let target = part
        .target
        .as_ref()
        .map_or(String::new(), |name| format!(", for {name}"));
    format!("{}: {operands}{target}", part.name)
}

fn operand(operand: &SnippetOperand) -> Html {
    html! {
        <tr>
            <td><code>{ &operand.name }</code></td>
            <td>{ &operand.ty }</td>
            <td><code>{ format!("\"{}\"({})", operand.constraint, operand.expression) }</code></td>
        </tr>
    }
}
