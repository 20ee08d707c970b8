//! The lines that show the present text and step in a document of one's own: `web/editor/embed.js` writes them while somebody looks.

use crate::editor;
use crate::hooks::use_closing;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What a widget has to know beside the text.
    pub(crate) shown: editor::Shown,
}

#[component]
pub(crate) fn EmbedPanel(props: &Props) -> Html {
    let panel = use_node_ref();
    use_closing(&panel);
    let ontoggle = {
        let (panel, shown) = (panel.clone(), props.shown.clone());
        Callback::from(move |_: Event| {
            if let Some(details) = panel.cast() {
                editor::show_embed(&details, &shown);
            }
        })
    };
    html! {
        <details class="launch embed" ref={panel} {ontoggle}>
            <summary class="text-button">{ "Embed" }</summary>
            <div class="popover"></div>
        </details>
    }
}
