//! Diagnostics of the source, with buttons for their fixes.

use super::step_summary::inline_code;
use super::{Dispatch, dispatching};
use crate::layout_explorer::LayoutQuery;
use crate::model::{Action, LayoutExplorerAction};
use crate::protocol::LaunchRejection;
use crate::reference::ReferenceTopic;
use crate::{assist, editor};
use std::rc::Rc;
use warpgrid_view::CheckReport;
use warpgrid_view::diagnostics::{BARE_CONSTANT, EMPTY, OTHER_LANGUAGE};
use warpgrid_view::model::{DiagnosticView, FixView, LabelView, Severity};
use yew::prelude::*;

/// Maximum number of diagnostics that are shown. Only the number of the remaining diagnostics is shown.
const MAX_SHOWN: usize = 40;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) report: Rc<CheckReport>,
    pub(crate) refusal: Option<Rc<LaunchRejection>>,
    pub(crate) checked: bool,
    /// Whether the worker has stopped, so that the source cannot be checked.
    pub(crate) stopped: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Diagnostics(props: &Props) -> Html {
    // Errors precede warnings, so that the first error is visible without scrolling.
    let mut list: Vec<&DiagnosticView> = props.report.diagnostics.iter().collect();
    list.sort_by_key(|diagnostic| diagnostic.severity);
    let refusal = props.refusal.as_deref().filter(|_| props.report.accept);
    let article = |diagnostic: &DiagnosticView| article(diagnostic, &props.dispatch);
    let n_more = list.len().saturating_sub(MAX_SHOWN);
    html! {
        <section class="problems" aria-label="Problems" aria-live="polite">
            <div class="verdict-row">
                <p class={classes!("verdict", is_bad(props).then_some("bad"))}>
                    { verdict(props, refusal) }
                </p>
                <button class="text-button" title="Format source (Shift+Alt+F)" onclick={|_: MouseEvent| assist::format()}>
                    { "Format" }
                </button>
            </div>
            if props.report.accept && props.checked && !props.stopped {
                <p class="muted limits">
                    { "The emulator interleaves whole instructions. For reordered memory accesses, see Memory model." }
                </p>
            }
            if let Some(refusal) = refusal {
                // A rejection that the source has caused is already listed as a diagnostic with a line.
                if !refusal.diagnostics.iter().any(|diagnostic| diagnostic.message == refusal.message) {
                    <article class="diag error">
                        <h2>{ inline_code(&refusal.message) }{ code(&refusal.code, &props.dispatch) }</h2>
                    </article>
                }
                { for refusal.diagnostics.iter().filter(|d| !list.contains(d)).take(MAX_SHOWN).map(article) }
            }
            { for list.iter().copied().filter(|_| !is_without_instructions(&props.report)).take(MAX_SHOWN).map(article) }
            if n_more > 0 {
                <p class="verdict">{ format!("and {n_more} more") }</p>
            }
        </section>
    }
}

/// Checks whether the source contains no instructions. Such a source is not an error.
pub(crate) fn is_without_instructions(report: &CheckReport) -> bool {
    matches!(report.diagnostics.as_slice(), [only] if only.code == EMPTY)
}

fn is_bad(props: &Props) -> bool {
    let is_refused =
        !props.report.accept && props.checked && !is_without_instructions(&props.report);
    props.stopped || is_refused
}

fn verdict(props: &Props, refusal: Option<&LaunchRejection>) -> String {
    if props.checked && is_without_instructions(&props.report) {
        return "No kernel".into();
    }
    if props.stopped {
        return "Not checked, because the emulator has stopped".into();
    }
    if !props.checked {
        return "Checking…".into();
    }
    let count = |severity: Severity| {
        let word = severity.name();
        let n = props
            .report
            .diagnostics
            .iter()
            .filter(|d| d.severity == severity)
            .count();
        match n {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{n} {word}s")),
        }
    };
    let counts = [count(Severity::Error), count(Severity::Warning)];
    let more = match props.report.is_truncated() {
        true => " and further problems that are not listed",
        false => "",
    };
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    match (counts.is_empty(), refusal) {
        (true, None) => "No source errors".into(),
        (true, Some(_)) => "Valid, but the kernel cannot be launched".into(),
        _ => counts.join(", ") + more,
    }
}

/// Renders the code of a diagnostic as a button that opens its reference page.
fn code(code: &str, dispatch: &Dispatch) -> Html {
    let open = dispatching::<MouseEvent>(
        dispatch,
        Action::SetReference(Some(ReferenceTopic::Code(code.to_owned()))),
    );
    html! {
        <button class="code" title={format!("Explain {code}")} aria-haspopup="dialog" onclick={open}>{ code }</button>
    }
}

fn article(diagnostic: &DiagnosticView, dispatch: &Dispatch) -> Html {
    let range = diagnostic.range();
    let go = Callback::from(move |_: MouseEvent| editor::go_to(range));
    let label = |label: &LabelView| {
        html! { <li>{ format!("line {}: ", label.line) }{ inline_code(&label.text) }</li> }
    };
    html! {
        <article class={classes!("diag", diagnostic.severity.name())}>
            <h2>
                { inline_code(&diagnostic.message) }
                { code(&diagnostic.code, dispatch) }
                <button class="line-link" onclick={go}>{ format!("line {}", range.line) }</button>
            </h2>
            if let Some(needs) = &diagnostic.needs {
                <p>{ inline_code(needs) }</p>
            }
            if let Some(help) = &diagnostic.help {
                <p>{ inline_code(help) }</p>
            }
            if !diagnostic.labels.is_empty() {
                <ul>{ for diagnostic.labels.iter().map(label) }</ul>
            }
            if diagnostic.fix.is_some() {
                <div class="fixes">{ for diagnostic.fixes().map(fix) }</div>
            }
            if diagnostic.code == OTHER_LANGUAGE && editor::is_cuda() {
                <div class="fixes">
                    <button class="action-button" onclick={|_: MouseEvent| editor::open_compiler()}>{ "Compile with Compiler Explorer" }</button>
                </div>
            }
            if diagnostic.code == BARE_CONSTANT {
                <div class="fixes">
                    <button class="action-button" onclick={decode_descriptor(dispatch)}>{ "Decode matrix descriptor" }</button>
                </div>
            }
        </article>
    }
}

/// Returns a callback that opens the source, which consists of one constant, as a matrix descriptor in the Layout Explorer.
fn decode_descriptor(dispatch: &Dispatch) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| {
        let descriptor = LayoutQuery::of_descriptor(editor::text().trim());
        dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Open(descriptor)));
    })
}

fn fix(fix: &FixView) -> Html {
    let taken = fix.clone();
    let apply = Callback::from(move |_: MouseEvent| editor::apply(&taken));
    html! { <button class="action-button" onclick={apply}>{ inline_code(&fix.title) }</button> }
}
