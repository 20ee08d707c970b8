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
}

#[component]
pub(crate) fn FilledPlace(props: &Props) -> Html {
    let place = use_node_ref();
    {
        let (place, panel, fill) = (place.clone(), props.panel, props.fill.clone());
        use_effect_with((props.frame.clone(), props.how.clone()), move |_| {
            if let Some(place) = place.cast() {
                fill.emit((panel, place));
            }
        });
    }
    html! { <div class={props.panel.name()} ref={place} data-how={props.how.clone()}></div> }
}

#[derive(Properties, PartialEq)]
pub(crate) struct MapProps {
    pub(crate) frame: FrameRef,
    pub(crate) fill: Callback<(Panel, Element)>,
}

/// The map of a long memory, which follows the cells that it is a map of.
#[component]
pub(crate) fn MapPlace(props: &MapProps) -> Html {
    let (frame, _) = use_followed(&props.frame, Follows::NextFrame);
    html! { <FilledPlace panel={Panel::Map} {frame} fill={props.fill.clone()} /> }
}
