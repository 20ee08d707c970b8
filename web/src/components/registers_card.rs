//! The registers of one lane.

use super::{Dispatch, FrameRef, say};
use crate::links::Links;
use crate::model::{Action, Focus};
use std::rc::Rc;
use warpgrid_view::model::{RegisterView, WarpView};
use yew::prelude::*;

/// Registers that are listed at most.
const MAX_LISTED: usize = 256;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) links: Rc<Links>,
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
    let (lane, why) = lane(props, warp);
    let button = |hex: bool, name: &'static str| {
        let onclick = say(&props.dispatch, Action::SetHexRegisters(hex));
        html! { <button aria-pressed={(props.hex == hex).to_string()} {onclick}>{ name }</button> }
    };
    html! {
        <section class="card" aria-label="Registers">
            <h3>
                { "Registers" }
                <small>{ format!("lane {lane}{why}") }</small>
                <span class="spring"></span>
                <span class="seg" role="group" aria-label="Registers as">
                    { button(false, "typed") }{ button(true, "hex") }
                </span>
            </h3>
            <dl class="registers" tabindex="0" aria-label={format!("Registers of lane {lane}")}>
                { for warp.registers.iter().take(MAX_LISTED).map(|r| register(r, lane, props)) }
            </dl>
        </section>
    }
}

/// The lane under the pointer, else the lowest that takes part.
fn lane(props: &Props, warp: &WarpView) -> (u8, &'static str) {
    match (props.links.lanes, warp.active) {
        (0, 0) => (0, ""),
        (0, active) => (active.trailing_zeros() as u8, ", the lowest active"),
        (lanes, _) => (lanes.trailing_zeros() as u8, ", pointed at"),
    }
}

fn register(register: &RegisterView, lane: u8, props: &Props) -> Html {
    let values = if props.hex {
        &register.hex
    } else {
        &register.values
    };
    let value = values.get(usize::from(lane)).cloned().unwrap_or_default();
    let focus = Some(Focus::Register(register.name.clone()));
    let linked = props
        .links
        .registers
        .iter()
        .any(|name| *name == register.name);
    let class = classes!(
        register.changed.then_some("changed"),
        linked.then_some("linked")
    );
    html! {
        <div {class} title={register.ty.clone()}
            onmouseenter={say(&props.dispatch, Action::Hover(focus.clone()))}
            onmouseleave={say(&props.dispatch, Action::Hover(None))}>
            <dt>{ &register.name }</dt>
            <dd>{ value }</dd>
        </div>
    }
}
