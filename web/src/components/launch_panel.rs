//! Panel with the launch configuration, its inferred values, and the controls that write values to the source.

use super::Dispatch;
use super::initial_value_form::InitialValueForm;
use super::pickers::Select;
use crate::hooks::use_light_dismiss;
use crate::model::{Action, InitialValueState};
use crate::protocol::LaunchConfiguration;
use crate::{editor, format};
use std::rc::Rc;
use warpgrid_view::session::launch_edit::InitialValueTarget;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) facts: Rc<LaunchConfiguration>,
    /// State of the last change of an initial value.
    pub(crate) start: InitialValueState,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn LaunchPanel(props: &Props) -> Html {
    let panel = use_node_ref();
    use_light_dismiss(&panel);
    let facts = &props.facts;
    html! {
        <details class="pill launch" ref={panel}>
            <summary title={format!("Launch configuration (grid, block size and arguments): {}", format::launch(facts))}>
                { format::execution_configuration(facts) }
                if !facts.guesses.is_empty() {
                    <small>{ "inferred" }</small>
                }
            </summary>
            <div class="popover">
                <p>{ format::launch(facts) }</p>
                if let Some(entry) = &facts.entry {
                    <p><code>{ entry }</code>{ others(facts) }</p>
                }
                if facts.guesses.is_empty() {
                    <ul>
                        { for facts.params.iter().map(|fact| fact_row(fact, InitialValueTarget::Scalar, props)) }
                        { for facts.registers.iter().map(|fact| fact_row(fact, InitialValueTarget::Register, props)) }
                    </ul>
                    if facts.dynamic_shared > 0 {
                        <p>{ format!("{} of dynamic shared memory", format::bytes(facts.dynamic_shared)) }</p>
                    }
                    if facts.truncates_misaligned_addresses {
                        <p>{ "Misaligned addresses are rounded down. Set " }<code>{ "misaligned=fault" }</code>{ " to stop at misaligned accesses instead." }</p>
                    }
                    <p class="muted">
                        { "The source configures the launch with the annotations " }<code>{ "//@ launch" }</code>{ ", " }<code>{ "//@ buffer" }</code>{ ", " }
                        <code>{ "//@ scalar" }</code>{ " and " }<code>{ "//@ register" }</code>{ "." }
                    </p>
                } else {
                    <p>{ "The page has inferred this launch configuration from the kernel:" }</p>
                    <pre>{ facts.guesses.join("\n") }</pre>
                    <p><button class="action-button" onclick={write_guesses(facts)}>{ "Insert annotations" }</button></p>
                }
            </div>
        </details>
    }
}

/// Renders a parameter or a register. If its line in the source contains a single value, an input field is included.
fn fact_row(fact: &str, place: fn(String) -> InitialValueTarget, props: &Props) -> Html {
    let Some((left, value)) = fact.split_once(" = ") else {
        return html! { <li><code>{ fact }</code>{ fill(fact, props) }</li> };
    };
    let name = left.split(':').next().unwrap_or(left).to_owned();
    html! {
        <li key={name.clone()}>
            <InitialValueForm label={left.to_owned()} name={format!("Value of {name}")} place={place(name)} value={AttrValue::from(value.to_owned())}
                start={props.start.clone()} dispatch={props.dispatch.clone()} />
        </li>
    }
}

/// Rules for the initial contents of a buffer. The first entry is the title of the menu and has no effect.
const RULES: &[(&str, &str)] = &[
    ("", "Initialize…"),
    ("0", "zeros"),
    ("iota", "0, 1, 2, …"),
    ("random 1", "random"),
    ("nan", "NaN"),
    (FILE, "from file…"),
];

/// Value of the menu entry that is not an initialization rule. The entry opens a file picker, and writes the elements of the file to the
/// source line.
const FILE: &str = "file";

/// Renders the menu of initialization rules for a buffer. The selected rule is written to the source line that declares the buffer.
fn fill(fact: &str, props: &Props) -> Html {
    // Only descriptions of arrays contain extents in brackets.
    let Some((name, _)) = fact.split_once(": ").filter(|_| fact.ends_with(']')) else {
        return Html::default();
    };
    let place = InitialValueTarget::Buffer(name.to_owned());
    let on_choice = {
        let (place, dispatch) = (place.clone(), props.dispatch.clone());
        let name = name.to_owned();
        Callback::from(move |rule: String| match &*rule {
            "" => {}
            FILE => editor::choose_file(&name),
            _ => dispatch.dispatch(Action::EditInitialValue(place.clone(), rule)),
        })
    };
    html! {
        <>
            <Select label={format!("Initial contents of {name}")} class="mini" value="" {on_choice}>
                { for RULES.iter().map(|(rule, words)| html! { <option value={*rule}>{ *words }</option> }) }
            </Select>
            if let Some(reason) = props.start.error(&place) {
                <span class="bad" role="alert">{ reason }</span>
            }
        </>
    }
}

/// Renders a note if the module has other kernels, which can be selected in the kernel menu.
fn others(facts: &LaunchConfiguration) -> Html {
    match facts.kernels.len() {
        0 | 1 => Html::default(),
        n => html! { { format!(" (1 of {n} kernels; select another kernel in the Kernel list)") } },
    }
}

/// Inserts the inferred annotations at the start of the source.
fn write_guesses(facts: &LaunchConfiguration) -> Callback<MouseEvent> {
    let lines = facts.guesses.clone();
    Callback::from(move |_| editor::insert_lines(&lines))
}
