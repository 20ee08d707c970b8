//! Container of the editor. The editor element is created before the application, which only moves the element into this container.

use crate::editor;
use web_sys::Element;
use yew::prelude::*;

#[component]
pub(crate) fn EditorPane() -> Html {
    let host = use_node_ref();
    {
        let host = host.clone();
        use_effect_with((), move |()| {
            if let Some(element) = host.cast::<Element>() {
                editor::attach(&element);
            }
        });
    }
    html! { <div class="editor" ref={host}></div> }
}
