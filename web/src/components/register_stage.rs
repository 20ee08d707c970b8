//! Registers of the current step in the stage, for a kernel without memory: the value of each lane in the type of the register and its bits.

use super::{Dispatch, FrameRef, dispatching};
use crate::format;
use crate::highlight::Highlights;
use crate::model::{Action, Focus};
use crate::theme::lane_css;
use warpgrid_view::model::{LaneState, LaneView, RegisterView, WarpView};
use yew::prelude::*;

/// Maximum number of registers in the stage.
const MAX_REGISTERS: usize = 8;

/// Renders the registers of the step.
pub(crate) fn register_stage(frame: &FrameRef, links: &Highlights, dispatch: &Dispatch) -> Html {
    let Some(warp) = &frame.warp else {
        return Html::default();
    };
    let card = |register: &&RegisterView| register_card(register, warp, links, dispatch);
    html! { <div class="flow">{ for registers_of_step(frame, warp).iter().take(MAX_REGISTERS).map(card) }</div> }
}

/// Returns the registers that the last step wrote, otherwise the registers that its instruction references, otherwise all registers.
fn registers_of_step<'a>(frame: &FrameRef, warp: &'a WarpView) -> Vec<&'a RegisterView> {
    let names = frame.last.as_ref().map_or(&[][..], |step| &step.names);
    let select = |is_shown: &dyn Fn(&RegisterView) -> bool| -> Vec<&'a RegisterView> {
        let registers = warp.registers.iter();
        registers.filter(|register| is_shown(register)).collect()
    };
    let selections = [
        select(&|register| register.changed),
        select(&|register| names.contains(&register.name)),
        select(&|_| true),
    ];
    let mut selections = selections.into_iter();
    selections
        .find(|selected| !selected.is_empty())
        .unwrap_or_default()
}

fn register_card(
    register: &RegisterView,
    warp: &WarpView,
    links: &Highlights,
    dispatch: &Dispatch,
) -> Html {
    let lanes = warp.lanes.iter();
    let lanes: Vec<&LaneView> = lanes
        .filter(|lane| lane.state != LaneState::Absent)
        .collect();
    let value_of = |lane: &LaneView| {
        let index = usize::from(lane.lane);
        Some((register.values.get(index)?, register.hex.get(index)?))
    };
    let mut values = lanes.iter().filter_map(|lane| value_of(lane));
    let first = values.next();
    let is_uniform = first.is_some() && values.all(|value| Some(value) == first);
    html! {
        <section class="card register-stage" key={register.name.clone()} aria-label={format!("Register {}", register.name)}>
            <div class="head">
                <h2>{ &register.name }</h2>
                <small>{ format!("{}{}", register.ty.name(), if register.changed { " · written by this step" } else { "" }) }</small>
            </div>
            if let Some((value, hex)) = first.filter(|_| is_uniform) {
                <p class="uniform-value"><b>{ value }</b><code>{ hex }</code><small>{ format!("in {}", format::plural(lanes.len() as u64, "lane")) }</small></p>
            } else {
                <ol class="lane-values">
                    { for lanes.iter().filter_map(|lane| Some(lane_value(lane, value_of(lane)?, links, dispatch))) }
                </ol>
            }
        </section>
    }
}

fn lane_value(
    lane: &LaneView,
    (value, hex): (&String, &String),
    links: &Highlights,
    dispatch: &Dispatch,
) -> Html {
    let focus = Some(Focus::Lane(lane.lane));
    let is_linked = links.highlights_lane(lane.lane);
    html! {
        <li class={is_linked.then_some("linked")} style={format!("--lane: {}", lane_css(lane.lane))} title={format!("lane {}: {value}, {hex}", lane.lane)}
            onmouseenter={dispatching(dispatch, Action::Hover(focus))}
            onmouseleave={dispatching(dispatch, Action::Hover(None))}>
            <i>{ lane.lane }</i><b>{ value }</b><small>{ hex }</small>
        </li>
    }
}
