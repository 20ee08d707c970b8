//! A panel that `web/editor` fills while somebody looks: with a link to what is seen, or the lines that show it in a document.

use crate::editor::Panel;
use crate::hooks::use_closing;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) panel: Panel,
    /// What it is called, and what it is for.
    pub(crate) label: &'static str,
    pub(crate) title: &'static str,
    /// Fills a panel that is open.
    pub(crate) fill: Callback<(Panel, Element)>,
}

#[component]
pub(crate) fn FilledPanel(props: &Props) -> Html {
    let node = use_node_ref();
    use_closing(&node);
    let ontoggle = {
        let (node, panel, fill) = (node.clone(), props.panel, props.fill.clone());
        Callback::from(move |_: Event| {
            if let Some(details) = node.cast() {
                fill.emit((panel, details));
            }
        })
    };
    html! {
        <details class={classes!("launch", "filled", props.panel.name())} ref={node} {ontoggle}>
            <summary class="text-button" title={props.title}>{ props.label }</summary>
            <div class="popover"></div>
        </details>
    }
}
