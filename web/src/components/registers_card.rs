//! Card with the registers of one lane.

use super::{Dispatch, FrameRef, dispatching};
use crate::format;
use crate::highlight::Highlights;
use crate::model::{Action, Focus};
use std::rc::Rc;
use warpgrid_view::layouts::tensor::{
    descriptor_link, descriptor_operand, instruction_descriptor_link,
};
use warpgrid_view::model::{LaneState, RegisterView, StepView, WarpView};
use yew::prelude::*;

/// Maximum number of digits of a decimal integer. Longer integers are shown in hexadecimal.
const MAX_DIGITS: usize = 11;
/// Maximum length of a value in a column. Longer values occupy the whole width of the card.
const MAX_IN_COLUMN: usize = 18;
/// Maximum number of listed registers.
const MAX_LISTED: usize = 256;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) links: Rc<Highlights>,
    pub(crate) hex: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn RegistersCard(props: &Props) -> Html {
    let Some(warp) = props
        .frame
        .warp
        .as_ref()
        .filter(|warp| !warp.registers.is_empty())
    else {
        return Html::default();
    };
    let (lane, reason) = lane(props, warp);
    let mut registers: Vec<&RegisterView> = warp.registers.iter().collect();
    // The registers that the instruction of the step references are listed first.
    let used = props
        .frame
        .last
        .as_ref()
        .map_or(&[][..], |step| &step.names);
    registers.sort_by_key(|register| (!used.contains(&register.name), natural_key(&register.name)));
    let button = |hex: bool, name: &'static str| {
        let onclick = dispatching(&props.dispatch, Action::SetHexRegisters(hex));
        html! { <button aria-pressed={(props.hex == hex).to_string()} {onclick}>{ name }</button> }
    };
    html! {
        <section class="card" aria-label="Registers">
            <h2>
                { "Registers" }
                <small>{ format!("lane {lane}{reason}") }</small>
                <span class="spacer"></span>
                <span class="segmented-control" role="group" aria-label="Register format">
                    { button(false, "typed") }{ button(true, "hex") }
                </span>
            </h2>
            <dl class="registers" tabindex="0" aria-label={format!("Registers of lane {lane}")}>
                { for registers.into_iter().take(MAX_LISTED).map(|r| register(r, lane, used, props)) }
            </dl>
        </section>
    }
}

/// Returns a sort key that orders `%r2` before `%r10` and separates register classes.
fn natural_key(name: &str) -> (&str, u64) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0))
}

/// Returns the lane whose registers are shown: the lane under the pointer, otherwise the first lane with a fault, otherwise the first
/// active lane.
fn lane(props: &Props, warp: &WarpView) -> (u8, &'static str) {
    let mut lanes = warp.lanes.iter();
    let faulted = lanes.find(|lane| lane.state == LaneState::Faulted);
    match (props.links.lanes, faulted, warp.active) {
        (0, Some(faulted), _) => (faulted.lane, ", faulted"),
        (0, None, 0) => (0, ""),
        (0, None, active) => (active.trailing_zeros() as u8, ""),
        (lanes, ..) => (lanes.trailing_zeros() as u8, ", hovered"),
    }
}

/// Returns the link to the layout diagram of a register that contains a descriptor. A descriptor is recognized by its bits, or because the
/// matrix instruction of the step uses the register as a descriptor.
fn register_diagram_link(register: &RegisterView, lane: u8, props: &Props) -> Option<String> {
    let hex = register.hex.get(usize::from(lane))?;
    let bits = u64::from_str_radix(hex.trim_start_matches("0x"), 16).ok()?;
    let step = props.frame.last.as_ref();
    let taken = step.and_then(|step| descriptor_operand(&step.instruction));
    match (taken, bits > u64::from(u32::MAX)) {
        // The bits alone are not sufficient to recognize a descriptor, because addresses may have the same bits.
        (_, true) if step.is_some_and(|step| takes_descriptor(step, &register.name)) => {
            let link = descriptor_link(bits)?;
            let is_b = step.is_some_and(|step| is_second_factor(&step.instruction, &register.name));
            Some(match is_b {
                true => link.replacen(".tile.a", ".tile.b", 1),
                false => link,
            })
        }
        (Some(taken), false) if taken.operand == register.name => {
            Some(instruction_descriptor_link(taken.kind, bits))
        }
        _ => None,
    }
}

/// Checks whether the instruction of a step takes a shared-memory descriptor in a register.
fn takes_descriptor(step: &StepView, name: &str) -> bool {
    let takes = ["wgmma.mma_async", "tcgen05.mma", "tcgen05.cp"];
    takes.iter().any(|opcode| step.opcode.starts_with(opcode))
        && step.names.iter().any(|other| other == name)
}

/// Checks whether a register is operand B of a matrix instruction: `{…}, a, b` or `[d], a, b`.
fn is_second_factor(instruction: &str, name: &str) -> bool {
    let factors = instruction.split_once(['}', ']']);
    let b = factors.and_then(|(_, rest)| rest.split(',').nth(2));
    b.is_some_and(|b| b.trim() == name)
}

fn register(register: &RegisterView, lane: u8, used: &[String], props: &Props) -> Html {
    let values = if props.hex {
        &register.hex
    } else {
        &register.values
    };
    let mut value = values.get(usize::from(lane)).cloned().unwrap_or_default();
    // Addresses and masks are more readable in hexadecimal than as decimal numbers with twelve or more digits.
    let is_long = value.len() > MAX_DIGITS
        && value
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'x');
    if let Some(hex) = register
        .hex
        .get(usize::from(lane))
        .filter(|_| is_long && !props.hex)
    {
        value = format::short_hex(hex);
    }
    let focus = Some(Focus::Register(register.name.clone()));
    let linked = props.links.registers.contains(&register.name);
    let class = classes!(
        register.changed.then_some("changed"),
        used.contains(&register.name).then_some("used"),
        (value.len() > MAX_IN_COLUMN).then_some("long"),
        linked.then_some("linked")
    );
    html! {
        <div {class} title={format!("{} {value}", register.ty.name())}
            onmouseenter={dispatching(&props.dispatch, Action::Hover(focus.clone()))}
            onmouseleave={dispatching(&props.dispatch, Action::Hover(None))}>
            <dt>{ &register.name }</dt>
            <dd>
                { value }
                if let Some(link) = register_diagram_link(register, lane, props) {
                    { " " }<a class="link" href={link} title="Decode the descriptor and show the tile that the descriptor addresses">{ "descriptor" }</a>
                }
            </dd>
        </div>
    }
}
