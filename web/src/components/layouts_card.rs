//! Card with the layouts that were inferred from the addresses of the accesses in a run, with links to their diagrams. Another card lists
//! accesses to global memory that transfer more sectors than necessary.

use super::line_button::line_button;
use super::step_summary::{capitalize, inline_code};
use crate::layout_explorer::layout_link;
use warpgrid_view::layouts::inspector::{InferredAccessLayout, SectorAdvice};
use yew::prelude::*;

/// Maximum number of listed accesses. The hover tooltip in the editor shows the layouts of all accesses.
const MAX_LISTED: usize = 24;

/// Renders the list of inferred layouts. The list is initially collapsed, because the hover tooltip of a source line shows the same layout.
pub(crate) fn layouts_card(layouts: &[InferredAccessLayout]) -> Html {
    if layouts.is_empty() {
        return Html::default();
    }
    let n_more = layouts.len().saturating_sub(MAX_LISTED);
    let title = match layouts.len() {
        1 => "Inferred layout of 1 access".to_owned(),
        n => format!("Inferred layouts of {n} accesses"),
    };
    html! {
        <section class="card layouts" aria-label="Inferred layouts">
            <details>
                <summary><h2>{ title }</h2><small>{ "derived from the addresses that the run accessed" }</small></summary>
                <ul class="finding-list">{ for layouts.iter().take(MAX_LISTED).map(layout) }</ul>
                if n_more > 0 {
                    <p class="muted">{ format!("and {n_more} more") }</p>
                }
            </details>
        </section>
    }
}

fn layout(found: &InferredAccessLayout) -> Html {
    html! {
        <li>
            { line_button(found.line) }{ " " }<code>{ &found.opcode }</code>{ ": " }{ inline_code(&found.text) }{ ". " }
            if let Some(layout) = &found.layout {
                <a class="link" href={layout_link(layout)}>{ "Show layout" }</a>
            }
        </li>
    }
}

/// Renders the accesses to global memory in ascending order of efficiency, each with the change that would reduce the number of sectors.
pub(crate) fn sectors_card(sectors: &[SectorAdvice]) -> Html {
    if sectors.is_empty() {
        return Html::default();
    }
    html! {
        <section class="card sectors" aria-label="Uncoalesced accesses">
            <div class="head">
                <h2>{ "Uncoalesced accesses" }</h2>
                <small>{ "accesses to global memory that transfer excessive sectors of 32 bytes" }</small>
            </div>
            <ul class="finding-list">{ for sectors.iter().map(sector) }</ul>
        </section>
    }
}

fn sector(found: &SectorAdvice) -> Html {
    html! {
        <li>
            { line_button(found.line) }{ " " }<code>{ &found.opcode }</code>
            { format!(": {} sectors of ", found.sectors) }<code>{ &found.buffer }</code>
            { format!(", {} ideal. ", found.ideal) }{ inline_code(&capitalize(&found.text)) }{ "." }
        </li>
    }
}
