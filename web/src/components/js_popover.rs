//! Popover whose content is rendered by the scripts of `web/editor` while it is open: a link to the current view, or the embedding code.

use crate::editor::JsPanelKind;
use crate::hooks::use_light_dismiss;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) panel: JsPanelKind,
    /// Label of the button, and its tooltip.
    pub(crate) label: &'static str,
    pub(crate) title: &'static str,
    /// Callback that renders the content of the open popover.
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
}

#[component]
pub(crate) fn JsPopover(props: &Props) -> Html {
    let node = use_node_ref();
    use_light_dismiss(&node);
    let ontoggle = {
        let (node, panel, fill) = (node.clone(), props.panel, props.fill.clone());
        Callback::from(move |_: Event| {
            if let Some(details) = node.cast() {
                fill.emit((panel, details));
            }
        })
    };
    html! {
        <details class={classes!("launch", "js-popover", props.panel.name())} ref={node} {ontoggle}>
            <summary class="text-button" title={props.title}>{ props.label }</summary>
            <div class="popover"></div>
        </details>
    }
}
