//! The place of what is asked of a run beside what is shown: watched values, two moments compared. `web/editor/look.js` fills it with each frame.

use super::FrameRef;
use crate::editor::Panel;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) fill: Callback<(Panel, Element)>,
}

#[component]
pub(crate) fn InspectCards(props: &Props) -> Html {
    let place = use_node_ref();
    {
        let (place, fill) = (place.clone(), props.fill.clone());
        use_effect_with(props.frame.clone(), move |_| {
            if let Some(place) = place.cast() {
                fill.emit((Panel::Inspect, place));
            }
        });
    }
    html! { <div class="inspect" ref={place}></div> }
}
