//! Summary of the last step, and helper functions for text with inline code.

use super::fragment_card::open_fragment;
use super::step_details::step_details;
use super::{Dispatch, FrameRef, dispatching, memories};
use crate::format::code_pieces;
use crate::mma_arithmetic::product_of;
use crate::model::{Action, MmaArithmeticAction};
use warpgrid_view::model::{Phrase, PhraseLink};
use yew::prelude::*;

/// Renders the summary of the last step. `stale` states whether the frame belongs to the previous run.
pub(crate) fn step_summary(frame: &FrameRef, stale: bool, dispatch: &Dispatch) -> Html {
    let phrase = |phrase: &Phrase| match (&phrase.link, phrase.strong) {
        (Some(link), _) => {
            html! { <button class="link" onclick={phrase_link(link, dispatch)}>{ inline_code(&phrase.text) }</button> }
        }
        (None, true) => html! { <b>{ inline_code(&phrase.text) }</b> },
        (None, false) => html! { <span>{ inline_code(&phrase.text) }</span> },
    };
    html! {
        <p class="step-summary" aria-live="polite">
            <span class="dot" aria-hidden="true"></span>
            <span>
                { for frame.sentence.iter().map(phrase) }
                { fragment(frame, dispatch) }
                if stale {
                    <small class="stale-note">{ "showing the previous run" }</small>
                }
                { frame.last.as_ref().map(step_details) }
            </span>
        </p>
    }
}

/// Renders links from a matrix instruction to its fragment layout and to the Tensor Core arithmetic of its result.
fn fragment(frame: &FrameRef, dispatch: &Dispatch) -> Html {
    let Some(step) = &frame.matrix else {
        return Html::default();
    };
    let open = dispatching::<MouseEvent>(dispatch, open_fragment(step, 0));
    let product = step.product.as_ref().and_then(|product| {
        let cell = product.first_odd.unwrap_or(0) as usize;
        let action = Action::Product(MmaArithmeticAction::Open(product_of(step, cell)?));
        let name = match product.n_odd {
            0 => "Show Tensor Core accumulation",
            _ => "Explain rounding",
        };
        let reason = dispatching::<MouseEvent>(dispatch, action);
        Some(html! { <>{ " " }<button class="link" onclick={reason}>{ name }</button></> })
    });
    html! { <>{ product }{ " " }<button class="link" onclick={open}>{ "Show fragment layout" }</button></> }
}

/// Returns the click handler of a link in the step summary.
fn phrase_link(link: &PhraseLink, dispatch: &Dispatch) -> Callback<MouseEvent> {
    match link {
        PhraseLink::Warp(block, warp) => {
            dispatching(dispatch, Action::ShowWarp(Some((*block, *warp))))
        }
        PhraseLink::Memory(id) => {
            let id = id.clone();
            Callback::from(move |_| memories::go_to(&id))
        }
    }
}

/// Renders a message, in which backticks enclose code.
pub(crate) fn inline_code(text: &str) -> Html {
    code_pieces(text)
        .map(|(piece, is_code)| match is_code {
            true => html! { <code>{ piece }</code> },
            false => html! { { piece } },
        })
        .collect()
}

/// Returns a message with an uppercase first letter, unless the message begins with code: a backtick, a register, a symbol or an array
/// element.
pub(crate) fn capitalize(message: &str) -> String {
    let first_word = message.split_whitespace().next().unwrap_or_default();
    if message.starts_with(['%', '_', '$', '`']) || first_word.contains('[') {
        return message.to_owned();
    }
    let mut characters = message.chars();
    let first = characters.next().into_iter();
    first
        .flat_map(char::to_uppercase)
        .chain(characters)
        .collect()
}
