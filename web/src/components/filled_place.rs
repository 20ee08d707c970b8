//! A place that `web/editor/look.js` fills with each frame: with watched values and two moments compared, with the map of a long memory, or with cells too
//! small for a text.

use super::FrameRef;
use crate::editor::Panel;
use crate::hooks::{Follows, use_followed};
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) panel: Panel,
    pub(crate) frame: FrameRef,
    /// How a memory is shown: names and values as `cell=4 shows=lane`.
    #[prop_or_default]
    pub(crate) how: Option<AttrValue>,
    pub(crate) fill: Callback<(Panel, Element)>,
    #[prop_or(Follows::AtOnce)]
    pub(crate) follows: Follows,
}

#[component]
pub(crate) fn FilledPlace(props: &Props) -> Html {
    let place = use_node_ref();
    let (frame, _) = use_followed(&props.frame, props.follows);
    {
        let (place, panel, fill) = (place.clone(), props.panel, props.fill.clone());
        use_effect_with((frame, props.how.clone()), move |_| {
            if let Some(place) = place.cast() {
                fill.emit((panel, place));
            }
        });
    }
    html! { <div class={props.panel.name()} ref={place} data-how={props.how.clone()}></div> }
}
