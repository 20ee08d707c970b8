//! Diagrams of the mbarriers in the shown cluster: a ring of arrivals around the phase parity, the tx-count, and the waiting threads.

use super::line_button::line_button;
use super::step_summary::inline_code;
use super::{Dispatch, dispatching};
use crate::format::{bytes, decimal, plural};
use crate::model::Action;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::SessionFrame;
use warpgrid_view::model::{MbarrierPhase, MbarrierView, PhaseWaiter};
use yew::prelude::*;

/// Maximum number of waits that are listed for each mbarrier. The card shows the number of the remaining waits.
const MAX_WAITS: usize = 3;
/// Maximum number of arrivals that the ring shows as separate segments.
const MAX_PARTS: u32 = 32;

/// Renders the card if the cluster contains mbarriers.
pub(crate) fn mbarrier_card(frame: &SessionFrame, dispatch: &Dispatch) -> Html {
    let shown = frame
        .mbarriers
        .iter()
        .filter(|object| frame.shows(&object.memory));
    let shown: Vec<&MbarrierView> = shown.collect();
    if shown.is_empty() {
        return Html::default();
    }
    html! {
        <section class="card mbarriers" aria-label="Mbarriers">
            <h2>{ "Mbarriers" }</h2>
            <ul>{ for shown.into_iter().map(|object| picture(object, frame, dispatch)) }</ul>
        </section>
    }
}

fn picture(object: &MbarrierView, frame: &SessionFrame, dispatch: &Dispatch) -> Html {
    let name = match &object.name {
        Some(name) => name.clone(),
        None => format!("byte {}", object.offset),
    };
    let block = match (&object.memory, &frame.cluster) {
        (MemoryKey::Shared(block), Some(_)) => format!("block {block}"),
        _ => String::new(),
    };
    html! {
        <li>
            { ring(object.phase.as_ref()) }
            <div>
                <p><b>{ name }</b><small>{ block }</small></p>
                { facts(object) }
                { for object.waiting.iter().take(MAX_WAITS).map(|waiter| wait(waiter, dispatch)) }
                if object.waiting.len() > MAX_WAITS {
                    <p class="muted">{ format!("and {}", plural((object.waiting.len() - MAX_WAITS) as u64, "more waiting warp")) }</p>
                }
            </div>
        </li>
    }
}

/// Renders the arrival ring of an mbarrier. Segments of completed arrivals are filled, and the phase parity is in the center.
fn ring(phase: Option<&MbarrierPhase>) -> Html {
    let Some(phase) = phase else {
        return html! { <span class="ring corrupted" role="img" aria-label="overwritten">{ "?" }</span> };
    };
    let all = phase.expected.max(phase.pending).max(1);
    let come = all - phase.pending.min(all);
    let part = if all <= MAX_PARTS {
        360.0 / f64::from(all)
    } else {
        360.0
    };
    let style = format!(
        "--completed: {}deg; --part: {}deg",
        decimal(360.0 * f64::from(come) / f64::from(all)),
        decimal(part)
    );
    let label = format!("phase parity {}: {come} of {all} arrivals", phase.parity);
    let class = classes!("ring", (part < 360.0).then_some("segmented"));
    html! { <span {class} {style} role="img" aria-label={label.clone()} title={label}><i>{ phase.parity }</i></span> }
}

fn facts(object: &MbarrierView) -> Html {
    let Some(phase) = &object.phase else {
        return html! { <p class="bad">{ "The mbarrier object was overwritten." }</p> };
    };
    let all = phase.expected.max(phase.pending);
    let come = all - phase.pending;
    html! {
        <>
            <p>{ format!("{come} of {all} arrivals") }</p>
            if phase.bytes > 0 || object.bytes_in_flight > 0 {
                <p>{ awaited(phase.bytes, object.bytes_in_flight) }</p>
            } else if phase.bytes < 0 {
                <p>{ inline_code(&format!("{} completed before `expect_tx`", bytes(u64::from(phase.bytes.unsigned_abs())))) }</p>
            } else if object.n_in_flight > 0 {
                <p>{ format!("{} in flight", plural(object.n_in_flight.into(), "arrival")) }</p>
            }
        </>
    }
}

/// Formats the tx-count, for example `tx-count: 512 bytes, 384 bytes in flight`.
fn awaited(awaited: i32, in_flight: u64) -> String {
    let awaited = u64::from(awaited.max(0).unsigned_abs());
    match (awaited, in_flight) {
        (0, coming) => format!("{} in flight", bytes(coming)),
        (n, 0) => format!("tx-count: {}", bytes(n)),
        (n, coming) if n == coming => format!("tx-count: {}, all in flight", bytes(n)),
        (n, coming) => format!("tx-count: {}, {} in flight", bytes(n), bytes(coming)),
    }
}

fn wait(waiter: &PhaseWaiter, dispatch: &Dispatch) -> Html {
    let show = dispatching::<MouseEvent>(
        dispatch,
        Action::ShowWarp(Some((waiter.block, waiter.warp))),
    );
    html! {
        <p class="wait">
            <button class="link" onclick={show}>{ format!("warp {}", waiter.warp) }</button>
            { format!(" waits for phase parity {}", waiter.parity) }
            { line_button(waiter.line) }
        </p>
    }
}
