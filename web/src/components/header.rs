//! Header of the page: the source, the target, the launch, and the controls of the page itself.

use super::js_popover::JsPopover;
use super::launch_panel::LaunchPanel;
use super::pickers::{Select, target_picker, version_picker};
use super::stage_tabs::stage_tabs;
use super::text_picker::TextPicker;
use super::{Dispatch, dispatching};
use crate::editor::{self, JsPanelKind};
use crate::model::{Action, InitialValueState, SavedKernel, Stage, ThemeChoice};
use crate::protocol::LaunchConfiguration;
use crate::reference::ReferenceTopic;
use crate::theme::lane_css;
use std::rc::Rc;
use warpgrid_view::{CheckReport, SourceLanguage};
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) example: Option<usize>,
    /// Saved kernels of the user, and the ID of the kernel in the editor.
    pub(crate) saved_kernels: Rc<[SavedKernel]>,
    pub(crate) current_kernel_id: Option<String>,
    /// The language of the source.
    pub(crate) front: SourceLanguage,
    pub(crate) target: Option<String>,
    pub(crate) ptx_version: Option<String>,
    pub(crate) report: Rc<CheckReport>,
    pub(crate) facts: Option<Rc<LaunchConfiguration>>,
    /// State of the last change of an initial value.
    pub(crate) start: InitialValueState,
    /// Callback that renders a panel with the current state of the page.
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
    pub(crate) theme: ThemeChoice,
    pub(crate) stage: Stage,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Header(props: &Props) -> Html {
    let dispatch = &props.dispatch;
    let (next_theme, theme_name) = match props.theme {
        ThemeChoice::System => (ThemeChoice::Light, "system"),
        ThemeChoice::Light => (ThemeChoice::Dark, "light"),
        ThemeChoice::Dark => (ThemeChoice::System, "dark"),
    };
    html! {
        <header>
            <h1 class="brand">{ logo() }{ "Warpgrid" }</h1>
            { stage_tabs(props.stage, props.example, props.target.as_deref().or(props.report.target.as_deref()), dispatch) }
            <TextPicker example={props.example} saved_kernels={props.saved_kernels.clone()} current_kernel_id={props.current_kernel_id.clone()} dispatch={dispatch.clone()} />
            <span class="pill check-target">
                { target_picker(props.target.as_deref(), stated(&props.report.target, &props.report.assumed_target).as_deref(), dispatch) }
                if props.front == SourceLanguage::Ptx {
                    { version_picker(props.ptx_version.as_deref(), stated(&props.report.ptx_version, &props.report.assumed_ptx_version).as_deref(), dispatch) }
                }
            </span>
            // Blocks of inline assembly are selected above the editor instead.
            if props.report.parts.is_empty() {
                { kernels(props.facts.as_deref(), dispatch) }
            }
            if let Some(facts) = &props.facts {
                <LaunchPanel facts={facts.clone()} start={props.start.clone()} dispatch={props.dispatch.clone()} />
            }
            <span class="spacer"></span>
            <button class="icon search-button" title="Search views, commands, reference pages and diagnostics (Ctrl+K)" aria-label="Search" aria-haspopup="dialog"
                onclick={|_: MouseEvent| editor::open_palette()}>
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                    <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" />
                </svg>
            </button>
            <button class="text-button learn-button" aria-haspopup="dialog" title="Examples, guided tours and puzzles"
                onclick={|_: MouseEvent| editor::open_learn()}>{ "Learn" }</button>
            <JsPopover panel={JsPanelKind::Embed} label="Embed" title="Get the code to embed this view in a web page or in documentation" fill={props.fill.clone()} />
            <JsPopover panel={JsPanelKind::Share} label="Share" title="Copy a link to the current view (S), save the view to a file, or open a file" fill={props.fill.clone()} />
            <button class="text-button" aria-haspopup="dialog"
                onclick={dispatching(dispatch, Action::SetReference(Some(ReferenceTopic::Start)))}>{ "Reference" }</button>
            <button class="icon" title={format!("Theme: {theme_name} (switches between the system, light and dark themes)")} aria-label={format!("Theme: {theme_name}")}
                onclick={dispatching(dispatch, Action::SetTheme(next_theme))}>
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                    <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.4" />
                    <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
                </svg>
            </button>
            <button class="icon" title="Help and keyboard shortcuts" aria-label="Help and keyboard shortcuts"
                onclick={dispatching(dispatch, Action::SetHelp(true))}>{ "?" }</button>
        </header>
    }
}

/// Returns the value that the source specifies, or the inferred value with which the source is checked.
fn stated(stated: &Option<String>, assumed: &Option<String>) -> Option<String> {
    let assumed = assumed.as_ref().map(|name| format!("{name} (inferred)"));
    stated.clone().or(assumed)
}

/// Renders the kernel menu if the module has several kernels.
fn kernels(facts: Option<&LaunchConfiguration>, dispatch: &Dispatch) -> Html {
    let Some(facts) = facts.filter(|facts| facts.kernels.len() > 1) else {
        return Html::default();
    };
    let dispatch = dispatch.clone();
    let on_choice = Callback::from(move |name| dispatch.dispatch(Action::PickKernel(name)));
    let option = |name: &String| html! { <option value={name.clone()}>{ name }</option> };
    html! {
        <Select label="Kernel" class="pill kernels" value={facts.entry.clone().unwrap_or_default()} {on_choice}>
            { for facts.kernels.iter().map(option) }
        </Select>
    }
}

/// Renders the logo: nine cells in lane colors.
fn logo() -> Html {
    let cell = |(i, lane): (usize, u8)| {
        let (x, y) = ((i % 3) * 8, (i / 3) * 8);
        let style = format!("fill: {}", lane_css(lane));
        html! { <rect x={x.to_string()} y={y.to_string()} width="6" height="6" rx="1.5" {style} /> }
    };
    let lanes = [0, 9, 18, 4, 13, 22, 27, 31, 2];
    html! {
        <svg class="logo" viewBox="0 0 22 22" width="22" height="22" aria-hidden="true">
            { for lanes.into_iter().enumerate().map(cell) }
        </svg>
    }
}
