//! How the kernel is launched, what of that was guessed, and the way into the text.

use super::Dispatch;
use super::pickers::Select;
use super::start_form::StartForm;
use crate::hooks::use_closing;
use crate::model::{Action, StartPage};
use crate::protocol::LaunchFacts;
use crate::{editor, format};
use std::rc::Rc;
use warpgrid_view::session::start::StartPlace;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) facts: Rc<LaunchFacts>,
    /// What was changed last of what the launch starts with.
    pub(crate) start: StartPage,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn LaunchPanel(props: &Props) -> Html {
    let panel = use_node_ref();
    use_closing(&panel);
    let facts = &props.facts;
    html! {
        <details class="pill launch" ref={panel}>
            <summary>
                { format::launch(facts) }
                if !facts.guesses.is_empty() {
                    <small>{ "inferred" }</small>
                }
            </summary>
            <div class="popover">
                if let Some(entry) = &facts.entry {
                    <p><code>{ entry }</code>{ others(facts) }</p>
                }
                if facts.guesses.is_empty() {
                    <ul>
                        { for facts.params.iter().map(|fact| fact_row(fact, StartPlace::Scalar, props)) }
                        { for facts.registers.iter().map(|fact| fact_row(fact, StartPlace::Register, props)) }
                    </ul>
                    if facts.dynamic_shared > 0 {
                        <p>{ format!("{} of dynamic shared memory", format::bytes(facts.dynamic_shared)) }</p>
                    }
                    if facts.rounds_addresses {
                        <p>{ "Misaligned addresses are rounded down. Set " }<code>{ "misaligned=fault" }</code>{ " to stop at misaligned accesses instead." }</p>
                    }
                    <p class="quiet">
                        { "The source configures the launch with the annotations " }<code>{ "//@ launch" }</code>{ ", " }<code>{ "//@ buffer" }</code>{ ", " }
                        <code>{ "//@ scalar" }</code>{ " and " }<code>{ "//@ register" }</code>{ "." }
                    </p>
                } else {
                    <p>{ "The page has inferred this launch configuration from the kernel:" }</p>
                    <pre>{ facts.guesses.join("\n") }</pre>
                    <p><button class="fix" onclick={write_guesses(facts)}>{ "Insert annotations" }</button></p>
                }
            </div>
        </details>
    }
}

/// A parameter or a register; with a field where its line states one value.
fn fact_row(fact: &str, place: fn(String) -> StartPlace, props: &Props) -> Html {
    let Some((left, value)) = fact.split_once(" = ") else {
        return html! { <li><code>{ fact }</code>{ fill(fact, props) }</li> };
    };
    let name = left.split(':').next().unwrap_or(left).to_owned();
    html! {
        <li key={name.clone()}>
            <StartForm label={left.to_owned()} name={format!("Value of {name}")} place={place(name)} value={AttrValue::from(value.to_owned())}
                start={props.start.clone()} dispatch={props.dispatch.clone()} />
        </li>
    }
}

/// What a buffer may start with, by rule; `Fill …` changes nothing.
const RULES: &[(&str, &str)] = &[
    ("", "Initialize…"),
    ("0", "zeros"),
    ("iota", "0, 1, 2, …"),
    ("random 1", "random"),
    ("nan", "NaN"),
    (FILE, "from file…"),
];

/// No rule: a file is chosen, and its elements become the line.
const FILE: &str = "file";

/// A list of rules that fill a buffer: the line of the text that states it changes.
fn fill(fact: &str, props: &Props) -> Html {
    // Only arrays have extents.
    let Some((name, _)) = fact.split_once(": ").filter(|_| fact.ends_with(']')) else {
        return Html::default();
    };
    let place = StartPlace::Buffer(name.to_owned());
    let on_choice = {
        let (place, dispatch) = (place.clone(), props.dispatch.clone());
        let name = name.to_owned();
        Callback::from(move |rule: String| match &*rule {
            "" => {}
            FILE => editor::choose_file(&name),
            _ => dispatch.dispatch(Action::EditStart(place.clone(), rule)),
        })
    };
    html! {
        <>
            <Select label={format!("Initial contents of {name}")} class="mini" value="" {on_choice}>
                { for RULES.iter().map(|(rule, words)| html! { <option value={*rule}>{ *words }</option> }) }
            </Select>
            if let Some(why) = props.start.why(&place) {
                <span class="bad" role="alert">{ why }</span>
            }
        </>
    }
}

/// That there are other kernels, which the list beside the launch chooses from.
fn others(facts: &LaunchFacts) -> Html {
    match facts.kernels.len() {
        0 | 1 => Html::default(),
        n => html! { { format!(" (1 of {n} kernels; select another kernel in the Kernel list)") } },
    }
}

/// States what was guessed, at the start of the text.
fn write_guesses(facts: &LaunchFacts) -> Callback<MouseEvent> {
    let lines = facts.guesses.clone();
    Callback::from(move |_| editor::insert_lines(&lines))
}
