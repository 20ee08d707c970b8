//! The 32 lanes of a warp: which take part, and what they hold.

use super::pickers::Select;
use super::{Dispatch, FrameRef, say};
use crate::links::Links;
use crate::model::{Action, Focus};
use crate::theme::lane_css;
use std::rc::Rc;
use warpgrid_view::model::{LaneState, LaneView};
use yew::prelude::*;

/// Warps that the picker lists at most.
const MAX_LISTED: usize = 256;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) chosen: Option<(u64, u32)>,
    pub(crate) links: Rc<Links>,
    /// The register whose values the lanes show.
    pub(crate) register: Option<AttrValue>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn WarpCard(props: &Props) -> Html {
    let Some(warp) = &props.frame.warp else {
        return Html::default();
    };
    let n_present = warp
        .lanes
        .iter()
        .filter(|lane| lane.state != LaneState::Absent)
        .count();
    let register = props
        .register
        .as_ref()
        .and_then(|name| warp.registers.iter().find(|r| r.name == name.as_str()));
    let lane = |view: &LaneView| {
        let value = register
            .and_then(|r| r.values.get(usize::from(view.lane)))
            .cloned();
        tile(view, value, props)
    };
    html! {
        <section class="card warp" aria-label="Warp">
            <h2>
                { format!("Warp {}", warp.warp) }
                <small>{ format!("block {} · {} of {n_present} lanes active", warp.block, warp.active.count_ones()) }</small>
                <span class="spring"></span>
                { picker(props) }
            </h2>
            <div class="lanes" role="group" aria-label="Lanes">{ for warp.lanes.iter().map(lane) }</div>
        </section>
    }
}

fn tile(view: &LaneView, value: Option<String>, props: &Props) -> Html {
    let (word, off) = match view.state {
        LaneState::Active => ("active", false),
        LaneState::Inactive => ("on another path", true),
        LaneState::Waiting => ("waiting", true),
        LaneState::Exited => ("has returned", true),
        LaneState::Absent => ("no such thread", true),
    };
    let [x, y, z] = view.thread;
    let label = format!("lane {}, thread ({x}, {y}, {z}), {word}", view.lane);
    let focus = Some(Focus::Lane(view.lane));
    let linked = props.links.has_lane(view.lane);
    let class = classes!(
        "lane",
        off.then_some("off"),
        (view.state == LaneState::Waiting).then_some("waiting"),
        (view.state == LaneState::Exited).then_some("exited"),
        linked.then_some("linked")
    );
    html! {
        <button {class} style={format!("--lane: {}", lane_css(view.lane))} title={label.clone()} aria-label={label}
            onmouseenter={say(&props.dispatch, Action::Hover(focus.clone()))}
            onmouseleave={say(&props.dispatch, Action::Hover(None))}
            onfocus={say(&props.dispatch, Action::Hover(focus.clone()))}
            onblur={say(&props.dispatch, Action::Hover(None))}
            onclick={say(&props.dispatch, Action::Pin(focus))}>
            { view.lane }
            if let Some(value) = value {
                <span class="held">{ value }</span>
            }
        </button>
    }
}

fn picker(props: &Props) -> Html {
    if props.frame.warps.len() < 2 {
        return Html::default();
    }
    let dispatch = props.dispatch.clone();
    let on_choice = Callback::from(move |text: String| {
        let pair = text
            .split_once(':')
            .and_then(|(block, warp)| Some((block.parse().ok()?, warp.parse().ok()?)));
        dispatch.dispatch(Action::ShowWarp(pair));
    });
    let mut listed: Vec<(u64, u32)> = props.frame.warps.iter().copied().take(MAX_LISTED).collect();
    if let Some(chosen) = props.chosen.filter(|chosen| !listed.contains(chosen)) {
        listed.push(chosen);
    }
    let option = |(block, warp): (u64, u32)| {
        html! { <option value={format!("{block}:{warp}")}>{ format!("block {block}, warp {warp}") }</option> }
    };
    let value = props
        .chosen
        .map_or_else(String::new, |(block, warp)| format!("{block}:{warp}"));
    html! {
        <Select label="Warp" class="mini" {value} {on_choice}>
            <option value="">{ "follow" }</option>
            { for listed.into_iter().map(option) }
        </Select>
    }
}
