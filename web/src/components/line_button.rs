//! Button that refers to a line of the source.

use crate::editor;
use yew::prelude::*;

/// Renders a button such as `line 12`, which moves the editor cursor to the line.
pub(crate) fn line_button(line: u32) -> Html {
    let go = Callback::from(move |_: MouseEvent| editor::go_to_line(line));
    html! { <button class="line-link" onclick={go}>{ format!("line {line}") }</button> }
}
