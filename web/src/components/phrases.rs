//! Sentences: what the last step did, and texts with code in them.

use super::FrameRef;
use crate::format::code_pieces;
use warpgrid_view::model::Phrase;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) stale: bool,
}

#[component]
pub(crate) fn Sentence(props: &Props) -> Html {
    let phrase = |phrase: &Phrase| match phrase.strong {
        true => html! { <b>{ prose(&phrase.text) }</b> },
        false => html! { <span>{ prose(&phrase.text) }</span> },
    };
    html! {
        <p class="say" aria-live="polite">
            <span class="dot" aria-hidden="true"></span>
            <span>
                { for props.frame.sentence.iter().map(phrase) }
                if props.stale {
                    <small class="old">{ "from the last text that ran" }</small>
                }
            </span>
        </p>
    }
}

/// A text of the core: backticks enclose code.
pub(crate) fn prose(text: &str) -> Html {
    code_pieces(text)
        .map(|(piece, is_code)| match is_code {
            true => html! { <code>{ piece }</code> },
            false => html! { { piece } },
        })
        .collect()
}
