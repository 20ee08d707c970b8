//! Card with the properties of a fragment as a whole: its formula, its memory, and the accesses of the compiled code.

use crate::components::step_summary::inline_code;
use crate::format::plural;
use warpgrid_view::layouts::fragment::{AccessTraffic, FragmentPicture};
use yew::prelude::*;

/// Renders the card of properties.
pub(super) fn properties_card(picture: &FragmentPicture) -> Html {
    html! {
        <section class="card" aria-label="Facts">
            <h2>{ "Rule" }</h2>
            { for picture.replaced.iter().map(|text| html! { <p class="hint">{ inline_code(text) }</p> }) }
            <table class="property-table"><tbody>
                { fact("element", html! { <code>{ &picture.formula }</code> }) }
                if let Some(rule) = &picture.address_rule {
                    { fact("byte", html! { <code>{ rule }</code> }) }
                }
                { fact("also valid for", picture.same_targets.join(", ").into()) }
                { fact("source", picture.origin.clone().into()) }
                { for picture.global.iter().map(|traffic| fact("global", global(traffic, picture.sector_bytes))) }
                { for picture.shared.iter().map(|traffic| fact("shared", shared(traffic))) }
            </tbody></table>
            { for problems(picture).into_iter().map(|text| html! { <p class="hint bad">{ text }</p> }) }
        </section>
    }
}

fn fact(name: &'static str, value: Html) -> Html {
    html! { <tr><th scope="row">{ name }</th><td>{ value }</td></tr> }
}

/// Describes accesses, as in `4 accesses of 8 bytes per lane`.
fn accesses(traffic: &AccessTraffic) -> String {
    match (traffic.count, traffic.bytes) {
        (1, 1) => "1 access of 1 byte per lane".to_owned(),
        (1, bytes) => format!("1 access of {bytes} bytes per lane"),
        (count, 1) => format!("{count} accesses of 1 byte per lane"),
        (count, bytes) => format!("{count} accesses of {bytes} bytes per lane"),
    }
}

fn global(traffic: &AccessTraffic, sector_bytes: u32) -> Html {
    let all = u64::from(traffic.sectors) * u64::from(sector_bytes);
    html! {
        <>
            { accesses(traffic) }
            <br />
            { format!("{}, {} of {all} bytes used", plural(traffic.sectors.into(), "sector"), traffic.used_bytes) }
        </>
    }
}

fn shared(traffic: &AccessTraffic) -> Html {
    let passes = match traffic.wavefronts {
        None => "the lanes exchange elements before the access".to_owned(),
        Some(n) if n <= traffic.fewest_wavefronts => {
            format!(
                "{}, which is the minimum for this access size",
                plural(n.into(), "wavefront")
            )
        }
        Some(n) => format!(
            "{n} wavefronts instead of {}, due to bank conflicts",
            traffic.fewest_wavefronts
        ),
    };
    html! { <>{ accesses(traffic) }<br />{ passes }</> }
}

/// Returns descriptions of the problems that the selected stride and base cause.
fn problems(picture: &FragmentPicture) -> Vec<String> {
    let of_accesses = picture.global.iter().chain(&picture.shared);
    let mut found: Vec<String> = picture.stride_problem.iter().cloned().collect();
    for problem in of_accesses.filter_map(|traffic| traffic.problem.clone()) {
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    found
}
