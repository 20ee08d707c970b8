//! Card of conditional runs, which stop at a condition or a breakpoint: a form, the list of breakpoints, and the last result.

use super::line_button::line_button;
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, FrameRef, dispatching};
use crate::editor;
use crate::model::{Action, RunUntilAction};
use std::rc::Rc;
use warpgrid_view::session::stop_conditions::{
    Direction, StopCondition, StopConditionError, StopResult,
};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Maximum number of listed breakpoints. The card shows the number of breakpoints that are not listed.
const MAX_LISTED: usize = 12;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) breakpoints: Rc<[u32]>,
    /// Result of the last conditional run, if it stopped at the current position.
    pub(crate) said: Option<Result<StopResult, StopConditionError>>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn RunUntilCard(props: &Props) -> Html {
    let text = use_state_eq(String::new);
    let go = |direction: Direction| {
        let (dispatch, text) = (props.dispatch.clone(), text.clone());
        move || {
            let until = StopCondition::Predicate((*text).clone());
            dispatch.dispatch(Action::Until(RunUntilAction::Go(until, direction)));
        }
    };
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let onsubmit = {
        let forward = go(Direction::Forward);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            forward();
        })
    };
    let onkeydown = {
        let back = go(Direction::Reverse);
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && event.shift_key() {
                event.prevent_default();
                back();
            }
        })
    };
    let back = go(Direction::Reverse);
    let is_wrong = matches!(&props.said, Some(Err(reason)) if reason.at != (0, 0));
    html! {
        <section class="card run-until" aria-label="Run until">
            <h2>{ "Run until" }<small>{ "a condition or a breakpoint" }</small></h2>
            <form {onsubmit}>
                <input type="text" aria-label="Condition on a register" placeholder={example(&props.frame)} spellcheck="false" autocomplete="off"
                    autocapitalize="off" value={(*text).clone()} aria-invalid={is_wrong.to_string()} {oninput} {onkeydown} />
                <button type="button" class="action-button" title="Run back to the previous match (Shift+Enter)" aria-label="Run back" onclick={move |_: MouseEvent| back()}>{ "Back" }</button>
                <button class="action-button" title="Run to the next match (Enter)" aria-label="Run forward">{ "Forward" }</button>
            </form>
            { breakpoints(&props.breakpoints, &props.dispatch) }
            <p class="status-text" aria-live="polite">{ for props.said.as_ref().map(|said| answer(said, &text)) }</p>
        </section>
    }
}

/// Returns an example condition for a register of the warp.
fn example(frame: &FrameRef) -> String {
    let registers = frame.warp.iter().flat_map(|warp| &warp.registers);
    let changed = registers.clone().find(|register| register.changed);
    let register = changed.or(registers.clone().next());
    let name = register.map_or("%r5", |register| register.name.as_str());
    format!("lane 3: {name} == 7")
}

fn breakpoints(breaks: &Rc<[u32]>, dispatch: &Dispatch) -> Html {
    let add = Callback::from(|_: MouseEvent| editor::toggle_breakpoint());
    let toggle = html! {
        <button class="mini" title="Toggle breakpoint at the cursor line (F9)" onclick={add}>{ "Toggle at cursor" }</button>
    };
    if breaks.is_empty() {
        return html! { <p class="breakpoint-list muted">{ "Click a line number, or set a breakpoint " }{ toggle }</p> };
    }
    let to = |direction| {
        dispatching::<MouseEvent>(
            dispatch,
            Action::Until(RunUntilAction::GoToBreakpoint(direction)),
        )
    };
    let clear = Callback::from(|_: MouseEvent| editor::clear_breaks());
    let n_more = breaks.len().saturating_sub(MAX_LISTED);
    html! {
        <div class="breakpoint-list" role="group" aria-label="Breakpoints">
            <i class="breakpoint-marker" aria-hidden="true"></i>
            { for breaks.iter().take(MAX_LISTED).map(|line| line_button(*line)) }
            if n_more > 0 {
                <span class="muted">{ format!("and {n_more} more") }</span>
            }
            <span class="spacer"></span>
            <button class="mini" title="Previous breakpoint (Shift+B)" aria-label="Previous breakpoint" onclick={to(Direction::Reverse)}>{ "◂" }</button>
            <button class="mini" title="Next breakpoint (B)" aria-label="Next breakpoint" onclick={to(Direction::Forward)}>{ "▸" }</button>
            { toggle }
            <button class="mini" onclick={clear}>{ "Clear all" }</button>
        </div>
    }
}

/// Renders the result of a conditional run. An error in the condition is marked in the text of the condition.
fn answer(said: &Result<StopResult, StopConditionError>, text: &str) -> Html {
    match said {
        Ok(reached) => html! { { format!("{}.", capitalize(&reached.text)) } },
        Err(reason) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            let (from, to) = (
                reason.at.0 as usize,
                (reason.at.1 as usize).min(units.len()),
            );
            let part = |range: std::ops::Range<usize>| {
                units
                    .get(range)
                    .map(String::from_utf16_lossy)
                    .unwrap_or_default()
            };
            let has_place = from < to;
            html! {
                <>
                    if has_place {
                        <code>{ part(0..from) }<mark>{ part(from..to) }</mark>{ part(to..units.len()) }</code>{ " " }
                    }
                    { inline_code(&reason.message) }
                </>
            }
        }
    }
}
