//! Transport controls at the bottom of the page: start, back, play, step and end, and the position of the run.

use super::scrubber::Scrubber;
use super::{Dispatch, FrameRef, dispatching};
use crate::editor::JsPanelKind;
use crate::format::count;
use crate::model::{Action, PendingMove};
use crate::protocol::MoveTarget;
use warpgrid_view::model::RunStatus;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: Option<FrameRef>,
    pub(crate) known_length: u64,
    pub(crate) playing: bool,
    /// Requested move of the run that has not completed.
    pub(crate) busy: Option<PendingMove>,
    /// Whether the frame belongs to an older version of the source.
    pub(crate) stale: bool,
    /// Whether the frame has been stale for longer than the delay.
    pub(crate) show_stale: bool,
    /// Number of checks of the source. Each check changes the findings.
    pub(crate) checked: u32,
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
    /// Callback that terminates the worker if it does not respond.
    pub(crate) restart: Callback<()>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Transport(props: &Props) -> Html {
    let dispatch = &props.dispatch;
    let disabled = props.frame.is_none() || props.show_stale;
    let at_start = props.frame.as_ref().is_none_or(|frame| frame.position == 0);
    let at_end = props
        .frame
        .as_ref()
        .is_none_or(|frame| frame.status != RunStatus::Running);
    // Unavailable buttons remain focusable, so that keyboard users do not lose their position.
    let button = |label: &'static str, icon: &'static str, goal: MoveTarget, off: bool| {
        let off = disabled || off;
        let onclick = (!off).then(|| dispatching::<MouseEvent>(dispatch, Action::Move(goal)));
        html! {
            <button class="icon" title={label} aria-label={label.split(" (").next()} aria-disabled={off.to_string()}
                {onclick}>{ glyph(icon) }</button>
        }
    };
    let play = (!disabled).then(|| dispatching::<MouseEvent>(dispatch, Action::TogglePlay));
    // Scripts that follow the run read this attribute, because the handle of the timeline is updated later than the text.
    let shown = props.frame.as_ref().map(|frame| frame.position.to_string());
    let stop = {
        let (dispatch, restart) = (dispatch.clone(), props.restart.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Stop);
            restart.emit(());
        })
    };
    let is_ready = props.frame.is_some() && !props.stale && props.busy.is_none();
    html! {
        <footer aria-label="Transport">
            <div class="buttons" role="group" aria-label="Steps">
                { button("Go to start (Home)", "start", MoveTarget::Start, at_start) }
                { button("Previous store (←)", "back", MoveTarget::StoreBack, at_start) }
                { button("Step back one instruction (Shift+←)", "back-one", MoveTarget::StepBack, at_start) }
                if progress_of(props).is_some() {
                    <button class="icon play" title="Stop (Esc)" aria-label="Stop" onclick={stop}>{ glyph("stop") }</button>
                } else {
                    <button class="icon play" title="Play (Space)" aria-label={if props.playing { "Pause" } else { "Play" }}
                        aria-disabled={disabled.to_string()} onclick={play}>
                        { glyph(if props.playing { "pause" } else { "play" }) }
                    </button>
                }
                { button("Step one instruction (Shift+→)", "step-one", MoveTarget::StepForward, at_end) }
                { button("Next store (→)", "step", MoveTarget::Stores(1), at_end) }
                { button("Run to end (End)", "end", MoveTarget::End, at_end) }
            </div>
            <Scrubber frame={props.frame.clone()} length={props.known_length} {disabled} dispatch={dispatch.clone()} />
            <PanelButtons checked={props.checked} fill={props.fill.clone()} />
            <div class="position-text" role="status" data-ready={is_ready.to_string()} data-position={shown}>{ position(props) }</div>
            <div class="shortcut-hint" aria-hidden="true">
                <kbd>{ "→" }</kbd>{ " store " }<kbd>{ "⇧→" }</kbd>{ " step " }<kbd>{ "Ctrl+K" }</kbd>{ " commands " }<kbd>{ "?" }</kbd>{ " help" }
            </div>
        </footer>
    }
}

#[derive(Properties, PartialEq)]
struct PanelButtonsProps {
    checked: u32,
    fill: Callback<(JsPanelKind, Element)>,
}

/// Container of the buttons that open the list of findings and the timeline. `web/editor/inspector-loader.js` renders the buttons after each
/// check of the source.
#[component]
fn PanelButtons(props: &PanelButtonsProps) -> Html {
    let place = use_node_ref();
    {
        let (place, fill) = (place.clone(), props.fill.clone());
        use_effect_with(props.checked, move |_| {
            if let Some(place) = place.cast() {
                fill.emit((JsPanelKind::BottomPanel, place));
            }
        });
    }
    html! { <div class={JsPanelKind::BottomPanel.name()} role="group" aria-label="Panels" ref={place}></div> }
}

/// Returns the current position of a move that has been in progress for a long time.
fn progress_of(props: &Props) -> Option<u64> {
    props.busy.and_then(|busy| busy.position)
}

/// Formats the position of the run, as in `store 6 of 9 · step 214 of 251`.
fn position(props: &Props) -> String {
    if let Some(position) = progress_of(props) {
        return format!("running · step {}", count(position));
    }
    let Some(frame) = &props.frame else {
        return "not started".into();
    };
    let (stores, steps) = (count(frame.stores_done), count(frame.position));
    let place = match frame.length {
        Some(length) => {
            let known = count(frame.stores_known);
            format!(
                "store {stores} of {known} · step {steps} of {}",
                count(length)
            )
        }
        None => format!("store {stores} · step {steps} · running"),
    };
    let end = match frame.status {
        RunStatus::Running => "",
        RunStatus::Finished => " · finished",
        RunStatus::Faulted => " · faulted",
    };
    format!("{place}{end}")
}

fn glyph(name: &str) -> Html {
    let path = match name {
        "start" => "M3 3v10M13 3l-7 5 7 5z",
        "back" => "M13 3L6 8l7 5zM4 3v10",
        "back-one" => "M11 3L5 8l6 5z",
        "play" => "M4 2.5l9 5.5-9 5.5z",
        "pause" => "M5 3v10M11 3v10",
        "stop" => "M4 4h8v8H4z",
        "step-one" => "M5 3l6 5-6 5z",
        "step" => "M3 3l7 5-7 5zM12 3v10",
        _ => "M2 3l6 5-6 5zM8 3l6 5-6 5z",
    };
    html! {
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class={classes!("glyph", name.to_owned())}>
            <path d={path} />
        </svg>
    }
}
