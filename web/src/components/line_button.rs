//! A button that leads to a line of the text.

use crate::editor;
use yew::prelude::*;

/// `line 12`, which moves the editor there.
pub(crate) fn line_button(line: u32) -> Html {
    let go = Callback::from(move |_: MouseEvent| editor::go_to_line(line));
    html! { <button class="place" onclick={go}>{ format!("line {line}") }</button> }
}
