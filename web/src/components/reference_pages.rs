//! Reference page of an instruction form, a diagnostic or a term.

use super::step_summary::inline_code;
use warpgrid_view::source::reference::{
    CodePage, FormPage, ModifierDoc, OperandDoc, SlotDoc, TermDoc,
};
use yew::prelude::*;

/// Renders the page of an instruction form: syntax, description, modifiers, rules and examples.
pub(crate) fn form_page(form: &FormPage) -> Html {
    html! {
        <>
            <h3><code>{ &form.title }</code></h3>
            <p>{ inline_code(&form.help) }</p>
            <pre class="syntax">{ syntax(&form.syntax) }</pre>
            if let Some(needs) = &form.needs {
                <p class="muted">{ inline_code(needs) }</p>
            }
            if !form.operands.is_empty() {
                <h4>{ "Operands" }</h4>
                <table class="term-table operands"><tbody>{ for form.operands.iter().map(operand_row) }</tbody></table>
            }
            { for form.slots.iter().filter(|slot| !slot.values.is_empty()).map(slot_table) }
            if !form.rules.is_empty() {
                <h4>{ "Rules" }</h4>
                <ul>{ for form.rules.iter().map(|rule| html! { <li>{ inline_code(rule) }</li> }) }</ul>
            }
            if !form.examples.is_empty() {
                <h4>{ "Examples" }</h4>
                <pre>{ form.examples.join("\n") }</pre>
            }
            if !form.section.is_empty() {
                <p class="muted">{ "PTX ISA manual: " }<span class="anchor">{ &form.section }</span></p>
            }
        </>
    }
}

/// Renders a syntax line with line break opportunities before each modifier and operand.
fn syntax(text: &str) -> Html {
    let mut pieces = vec![String::new()];
    for c in text.chars() {
        let last_is_brace = pieces.last().is_some_and(|piece| piece.ends_with('{'));
        if c == '{' || (c == '.' && !last_is_brace) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
        .into_iter()
        .map(|piece| html! { <>{ piece }<wbr /></> })
        .collect()
}

fn slot_table(slot: &SlotDoc) -> Html {
    html! {
        <>
            <h4>
                <code>{ format!(".{}", slot.name) }</code>{ " " }{ &slot.title }
                if !slot.required {
                    <small>{ "optional" }</small>
                }
            </h4>
            <table class="term-table"><tbody>{ for slot.values.iter().map(value_row) }</tbody></table>
        </>
    }
}

fn operand_row(operand: &OperandDoc) -> Html {
    html! {
        <tr>
            <th scope="row"><code>{ &operand.name }</code></th>
            <td>
                { inline_code(&operand.help) }
                if !operand.required {
                    <small>{ "optional" }</small>
                }
            </td>
        </tr>
    }
}

fn value_row(value: &ModifierDoc) -> Html {
    html! {
        <tr>
            <th scope="row"><code>{ format!(".{}", value.text) }</code></th>
            <td>
                { inline_code(&value.help) }
                if let Some(needs) = &value.needs {
                    <small>{ inline_code(needs) }</small>
                }
            </td>
            <td class="origin">{ inline_code(&value.origin) }</td>
        </tr>
    }
}

/// Renders the page of a term.
pub(crate) fn term_page(page: &TermDoc) -> Html {
    html! {
        <>
            <h3><code>{ &page.name }</code></h3>
            <p>{ inline_code(&page.help) }</p>
            if let Some(needs) = &page.needs {
                <p class="muted">{ inline_code(needs) }</p>
            }
        </>
    }
}

/// Renders the page of a diagnostic: the error, its explanation, and the correct code.
pub(crate) fn code_page(page: &CodePage) -> Html {
    html! {
        <>
            <h3><code>{ &page.code }</code>{ " " }{ inline_code(&page.title) }</h3>
            <p>{ inline_code(&page.explanation) }</p>
            if !page.wrong.is_empty() {
                <h4>{ "Incorrect" }</h4>
                <pre class="incorrect-code">{ &page.wrong }</pre>
            }
            if !page.right.is_empty() {
                <h4>{ "Correct" }</h4>
                <pre class="correct-code">{ &page.right }</pre>
            }
        </>
    }
}
