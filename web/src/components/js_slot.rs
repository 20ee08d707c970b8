//! Container whose content is rendered by `web/editor/inspector-loader.js` after each frame: watched values and the comparison of two
//! steps, the minimap of a long memory, or the pixel grid.

use super::FrameRef;
use crate::editor::JsPanelKind;
use crate::hooks::{DeferUntil, use_deferred};
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) panel: JsPanelKind,
    pub(crate) frame: FrameRef,
    /// View options of a memory, for example `cell=4 shows=lane`.
    #[prop_or_default]
    pub(crate) view_options: Option<AttrValue>,
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
    #[prop_or(DeferUntil::AtOnce)]
    pub(crate) follows: DeferUntil,
}

#[component]
pub(crate) fn JsSlot(props: &Props) -> Html {
    let place = use_node_ref();
    let (frame, _) = use_deferred(&props.frame, props.follows);
    {
        let (place, panel, fill) = (place.clone(), props.panel, props.fill.clone());
        use_effect_with((frame, props.view_options.clone()), move |_| {
            if let Some(place) = place.cast() {
                fill.emit((panel, place));
            }
        });
    }
    html! { <div class={props.panel.name()} ref={place} data-view-options={props.view_options.clone()}></div> }
}
