//! Source listing that scrolls to the line of the current step.

use crate::compare::lines;
use std::rc::Rc;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) text: Rc<str>,
    /// The line of the step, starting at 1.
    pub(super) line: Option<u32>,
}

/// Renders the lines of a source. The lines are rendered once, and a step only moves the marker.
#[component]
pub(super) fn SourceListing(props: &Props) -> Html {
    let list = use_node_ref();
    let shown = use_memo(props.text.clone(), |text| {
        let line = |(number, line): (u32, String)| {
            html! { <li data-line={number.to_string()}><i>{ number }</i>{ line }</li> }
        };
        html! { <>{ for lines(text).into_iter().map(line) }</> }
    });
    {
        let list = list.clone();
        use_effect_with((props.line, props.text.clone()), move |(line, _)| {
            if let Some(list) = list.cast::<HtmlElement>() {
                mark(&list, *line);
            }
        });
    }
    html! {
        <ol class="compare-listing" ref={list} tabindex="0" aria-label="Source">{ (*shown).clone() }</ol>
    }
}

/// Marks a line and scrolls the list to it. The page itself does not scroll.
fn mark(list: &HtmlElement, line: Option<u32>) -> Option<()> {
    if let Ok(Some(before)) = list.query_selector(".current") {
        before.class_list().remove_1("current").ok()?;
        before.remove_attribute("aria-current").ok()?;
    }
    let found = list.query_selector(&format!("[data-line='{}']", line?));
    let found: HtmlElement = wasm_bindgen::JsCast::dyn_into(found.ok()??).ok()?;
    found.class_list().add_1("current").ok()?;
    found.set_attribute("aria-current", "step").ok()?;
    let middle = found.offset_top() - list.client_height() / 2;
    list.set_scroll_top(middle.max(0));
    Some(())
}
