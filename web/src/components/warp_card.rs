//! Card with the 32 lanes of a warp: their states, and the values of one register.

use super::{Dispatch, FrameRef, dispatching};
use crate::highlight::Highlights;
use crate::model::{Action, Focus};
use crate::theme::lane_css;
use std::rc::Rc;
use warpgrid_view::model::{LaneState, LaneView, WarpView};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Number of lanes in a row of the card.
const LANES_PER_ROW: i32 = 8;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) links: Rc<Highlights>,
    /// Register whose value is shown in each lane.
    pub(crate) register: Option<AttrValue>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn WarpCard(props: &Props) -> Html {
    let group = use_node_ref();
    // The tab order contains only one lane, and arrow keys move the focus to the other lanes.
    let reachable = use_state_eq(|| 0_u8);
    let Some(warp) = &props.frame.warp else {
        return Html::default();
    };
    let register = props
        .register
        .as_ref()
        .and_then(|name| warp.registers.iter().find(|r| r.name == name.as_str()));
    let onkeydown = {
        let (group, reachable) = (group.clone(), reachable.clone());
        Callback::from(move |event: KeyboardEvent| {
            let Some(lane) = neighbour(&event.key(), i32::from(*reachable)) else {
                return;
            };
            event.prevent_default();
            reachable.set(lane);
            let lanes = group.cast::<Element>().map(|group| group.children());
            let lane = lanes.and_then(|lanes| lanes.item(u32::from(lane)));
            if let Some(lane) = lane.and_then(|lane| lane.dyn_into::<HtmlElement>().ok()) {
                // If the lane cannot be focused, the focus remains unchanged.
                let _ = lane.focus();
            }
        })
    };
    let lane = |view: &LaneView| {
        let value = register
            .and_then(|r| r.values.get(usize::from(view.lane)))
            .cloned();
        tile(view, value, *reachable, props)
    };
    html! {
        <section class="card warp" aria-label="Warp">
            <h2>{ format!("Warp {}", warp.warp) }<small>{ facts(warp) }</small></h2>
            <div class="lanes" ref={group} role="group" aria-label="Lanes: use the arrow keys to move and Enter to pin the lane" {onkeydown}>
                { for warp.lanes.iter().map(lane) }
            </div>
            { waits(warp) }
        </section>
    }
}

/// Returns the lane to which an arrow key moves the focus.
fn neighbour(key: &str, lane: i32) -> Option<u8> {
    let to = match key {
        "ArrowRight" => lane + 1,
        "ArrowLeft" => lane - 1,
        "ArrowDown" => lane + LANES_PER_ROW,
        "ArrowUp" => lane - LANES_PER_ROW,
        "Home" => 0,
        "End" => 31,
        _ => return None,
    };
    Some(to.clamp(0, 31) as u8)
}

/// Returns the number of lanes in each state, as in `block 3 · 30 active, 2 faulted`.
fn facts(warp: &WarpView) -> String {
    let states = [
        LaneState::Active,
        LaneState::Faulted,
        LaneState::Ready,
        LaneState::Waiting,
        LaneState::Guarded,
        LaneState::Inactive,
        LaneState::Exited,
    ];
    let count = |state: &LaneState| {
        let n = warp
            .lanes
            .iter()
            .filter(|lane| lane.state == *state)
            .count();
        (n > 0).then(|| format!("{n} {}", word(*state)))
    };
    let counts: Vec<String> = states.iter().filter_map(count).collect();
    format!("block {} · {}", warp.block, counts.join(", "))
}

/// Renders the reasons why lanes of the warp wait.
fn waits(warp: &WarpView) -> Html {
    let mut reasons: Vec<&str> = warp
        .lanes
        .iter()
        .filter_map(|lane| lane.waits.as_deref())
        .collect();
    reasons.dedup();
    reasons.truncate(2);
    if reasons.is_empty() {
        return Html::default();
    }
    html! { <p class="muted">{ format!("Waiting {}.", reasons.join("; ")) }</p> }
}

const fn word(state: LaneState) -> &'static str {
    match state {
        LaneState::Active => "active",
        LaneState::Ready => "ready",
        LaneState::Guarded => "predicated off",
        LaneState::Inactive => "inactive (divergent path)",
        LaneState::Waiting => "waiting",
        LaneState::Faulted => "faulted",
        LaneState::Exited => "exited",
        LaneState::Absent => "no thread",
    }
}

const fn class(state: LaneState) -> Option<&'static str> {
    match state {
        LaneState::Active => None,
        LaneState::Ready => Some("ready"),
        LaneState::Guarded => Some("guarded"),
        LaneState::Inactive => Some("inactive"),
        LaneState::Waiting => Some("waiting"),
        LaneState::Faulted => Some("faulted"),
        LaneState::Exited => Some("exited"),
        LaneState::Absent => Some("absent"),
    }
}

fn tile(view: &LaneView, value: Option<String>, reachable: u8, props: &Props) -> Html {
    let [x, y, z] = view.thread;
    let label = format!(
        "lane {}, thread ({x}, {y}, {z}), {}",
        view.lane,
        word(view.state)
    );
    let focus = Some(Focus::Lane(view.lane));
    let linked = props.links.highlights_lane(view.lane);
    let class = classes!("lane", class(view.state), linked.then_some("linked"));
    html! {
        <button {class} style={format!("--lane: {}", lane_css(view.lane))} title={label.clone()} aria-label={label}
            tabindex={if view.lane == reachable { "0" } else { "-1" }}
            onmouseenter={dispatching(&props.dispatch, Action::Hover(focus.clone()))}
            onmouseleave={dispatching(&props.dispatch, Action::Hover(None))}
            onfocus={dispatching(&props.dispatch, Action::Hover(focus.clone()))}
            onblur={dispatching(&props.dispatch, Action::Hover(None))}
            onclick={dispatching(&props.dispatch, Action::Pin(focus))}>
            { view.lane }
            if let Some(value) = value {
                <span class="register-value">{ value }</span>
            }
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warp(states: [LaneState; 4]) -> WarpView {
        let lane = |(lane, state): (usize, LaneState)| LaneView {
            lane: lane as u8,
            thread: [lane as u32, 0, 0],
            state,
            line: None,
            waits: None,
        };
        WarpView {
            block: 2,
            block_id: [2, 0, 0],
            warp: 1,
            active: 1,
            lanes: states.into_iter().enumerate().map(lane).collect(),
            registers: Vec::new(),
        }
    }

    #[test]
    fn lanes_are_counted_per_state() {
        let [active, waiting] = [LaneState::Active, LaneState::Waiting];
        let mixed = warp([
            active,
            LaneState::Faulted,
            LaneState::Exited,
            LaneState::Absent,
        ]);
        assert_eq!(facts(&mixed), "block 2 · 1 active, 1 faulted, 1 exited");
        assert_eq!(facts(&warp([waiting; 4])), "block 2 · 4 waiting");
    }

    #[test]
    fn arrow_keys_clamp_to_lanes() {
        assert_eq!(neighbour("ArrowDown", 3), Some(11));
        assert_eq!(neighbour("ArrowDown", 30), Some(31));
        assert_eq!(neighbour("ArrowLeft", 0), Some(0));
        assert_eq!(neighbour("Enter", 0), None);
    }
}
