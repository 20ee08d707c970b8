//! The root component of the page.

use super::asm_blocks::asm_block_list;
use super::async_operations_card::async_operations_card;
use super::blocks_card::BlocksCard;
use super::cell_card::CellCard;
use super::code_objects::code_object_list;
use super::compare::compare_view;
use super::conflicts_card::conflicts_card;
use super::diagnostics::{Diagnostics, is_without_instructions};
use super::editor_pane::EditorPane;
use super::error_banner::error_banner;
use super::fault_card::FaultCard;
use super::fragment_card::FragmentCard;
use super::header::Header;
use super::help::Help;
use super::inspector_tabs::InspectorTabs;
use super::js_slot::JsSlot;
use super::layout_explorer::{Export, LayoutExplorer, save};
use super::layouts_card::{layouts_card, sectors_card};
use super::litmus::outcomes_view;
use super::mbarrier_card::mbarrier_card;
use super::memories::Memories;
use super::memory_export::{MemoryExport, save_memory};
use super::memory_traffic_card::memory_traffic_card;
use super::mma_arithmetic::mma_arithmetic_view;
use super::race_card::race_card;
use super::reference::Reference;
use super::register_stage::register_stage;
use super::registers_card::RegistersCard;
use super::run_until_card::RunUntilCard;
use super::schedule_card::schedule_card;
use super::splitter::Splitter;
use super::step_summary::{inline_code, step_summary};
use super::tensor_card::tensor_card;
use super::transport::Transport;
use super::warp_card::WarpCard;
use super::{Dispatch, FrameRef, State};
use crate::editor::JsPanelKind;
use crate::format::{count, decimal};
use crate::highlight::{Highlights, highlights_for};
use crate::hooks::{
    DeferUntil, use_assist, use_check, use_deferred, use_delayed_stale, use_editor, use_keys,
    use_palette, use_palette_entries, use_persisted_step, use_playback, use_share, use_size,
    use_texts, use_url_fragment, use_worker,
};
use crate::model::{
    ActiveView, Focus, InitialPosition, Model, PageError, RunFindings, ThemeChoice, place_of,
};
use crate::share::SharedView;
use crate::theme::Palette;
use crate::{editor, examples, share, storage};
use std::rc::Rc;
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::model::RunStatus;
use web_sys::Element;
use yew::prelude::*;

/// Returns the initial state of the page, which is restored from the browser storage and the URL.
fn open() -> State {
    let text = editor::text();
    let mut model = Model::new(&text, examples::with_source(&text));
    if let Some(step) = storage::persisted_step() {
        model.fresh = Some(InitialPosition::Step(step));
    }
    model.apply_shared_view(SharedView::read(&editor::linked_fact));
    model.theme = match storage::get("theme").as_deref() {
        Some("light") => ThemeChoice::Light,
        Some("dark") => ThemeChoice::Dark,
        _ => ThemeChoice::System,
    };
    State(model)
}

/// State of the page, and values that are shared by its cards.
#[derive(Clone)]
struct Page {
    state: UseReducerHandle<State>,
    dispatch: Dispatch,
    palette: Rc<Palette>,
    show_stale: bool,
    save_file: Callback<MemoryExport>,
    fill: Callback<(JsPanelKind, Element)>,
}

#[component]
pub(crate) fn App() -> Html {
    let state = use_reducer(open);
    let dispatch = state.dispatcher();
    let (ask, restart) = use_worker(&state);
    use_check(&state);
    use_playback(&state);
    let is_outdated = use_delayed_stale(&state);
    use_keys(&state);
    use_url_fragment(&state);
    let palette = use_palette(state.theme);
    let links = Rc::new(highlights_for(&state));
    use_editor(&state, &links, &ask);
    use_texts(&state);
    use_share(&state);
    use_persisted_step(&state);
    use_assist(&state, &ask);
    use_palette_entries(&state);
    let split = use_state(|| None::<f64>);
    let style = split.map(|share| format!("--split: {}%", decimal(share)));
    let set_split = Callback::from(move |share| split.set(Some(share)));
    let analysis_panel = use_memo((), |()| editor::create_analysis_panel());
    let export = use_callback((), {
        let ask = Rc::clone(&ask);
        move |export, ()| save(export, &ask)
    });
    let page = Page {
        dispatch: dispatch.clone(),
        palette,
        show_stale: is_outdated,
        save_file: use_callback((), move |file, ()| save_memory(file, &ask)),
        fill: use_fill(&state),
        state,
    };
    let state = &page.state;
    let is_covered = state.screen.hides_debugger();
    let trouble = state.trouble.as_ref();
    let banner = trouble.map(|trouble| error_banner(trouble, state.checked > 0, &dispatch));
    let matrix = state.screen.matrix();
    let is_embedded = matrix.is_some_and(|page| page.choice.embedded);
    let class = classes!(
        "page",
        is_covered.then_some("fullscreen-view"),
        is_embedded.then_some("embedded")
    );
    html! {
        <div {class} {style}>
            { create_portal(page.analysis(), (*analysis_panel).clone()) }
            { page.header() }
            <div class="views" role={is_covered.then_some("main")}>
                { banner.clone().filter(|_| is_covered) }
                { page.screen(export) }
            </div>
            <main>
                { page.source() }
                <Splitter on_change={set_split} />
                <section class={classes!("right", is_outdated.then_some("stale"))} aria-label="Memory">
                    { banner.filter(|_| !is_covered) }
                    { page.run(&links) }
                </section>
            </main>
            <div class="bottom-region">
                <div class="bottom-panel-slot"></div>
                { page.transport(restart) }
            </div>
            <Reference subject={state.reference.clone()} library={state.library.clone()} no_library={state.no_library.clone()} dispatch={dispatch.clone()} />
            <Help open={state.help} {dispatch} />
        </div>
    }
}

/// Returns a callback that renders a panel with the current state. The contents of a panel are computed only when it is opened.
#[hook]
fn use_fill(state: &UseReducerHandle<State>) -> Callback<(JsPanelKind, Element)> {
    let latest = use_mut_ref(|| state.clone());
    latest.replace(state.clone());
    use_callback((), move |(panel, place): (JsPanelKind, Element), ()| {
        editor::render_js_panel(panel, &place, &share::link_fields(&latest.borrow()));
    })
}

impl Page {
    fn header(&self) -> Html {
        let state = &self.state;
        html! {
            <Header
                example={state.example}
                saved_kernels={state.saved_kernels.clone()}
                current_kernel_id={state.current_kernel_id.clone()}
                front={state.front}
                target={state.target.clone()}
                ptx_version={state.ptx_version.clone()}
                report={state.report.clone()}
                facts={state.run.facts.clone()}
                start={state.start.clone()}
                fill={self.fill.clone()}
                theme={state.theme}
                stage={state.screen.stage()}
                dispatch={self.dispatch.clone()}
            />
        }
    }

    fn transport(&self, restart: Callback<()>) -> Html {
        let (state, is_outdated) = (&self.state, self.show_stale);
        html! {
            <Transport
                frame={frame_of(state)}
                known_length={state.run.known_length()}
                playing={state.playing}
                busy={state.run.busy}
                stale={state.is_stale()}
                show_stale={is_outdated}
                checked={state.checked}
                fill={self.fill.clone()}
                {restart}
                dispatch={self.dispatch.clone()}
            />
        }
    }

    /// Renders a view that replaces the kernel view.
    fn screen(&self, export: Callback<Export>) -> Html {
        let dispatch = &self.dispatch;
        match &self.state.screen {
            ActiveView::Kernel => Html::default(),
            ActiveView::Matrix(page) => html! {
                <LayoutExplorer page={page.clone()} palette={self.palette.clone()} {export} dispatch={dispatch.clone()} />
            },
            ActiveView::Product(page) => mma_arithmetic_view(page, dispatch),
            ActiveView::Beside(page) => compare_view(page, dispatch),
            ActiveView::Outcomes(page) => outcomes_view(page, dispatch),
        }
    }

    /// Renders the editor, and the controls that belong to the source.
    fn source(&self) -> Html {
        let (state, dispatch) = (&self.state, &self.dispatch);
        html! {
            <section class="left" aria-label="Source">
                <div class="source-panels">
                    { code_object_list(state.file.as_ref(), dispatch) }
                    <div class="compiler-explorer-slot"></div>
                    { asm_block_list(&state.report, shown_entry(state).as_deref(), dispatch) }
                    <div class="source-view-slot"></div>
                </div>
                <EditorPane />
                <Diagnostics
                    report={state.report.clone()}
                    refusal={state.run.refusal.clone()}
                    checked={state.checked > 0}
                    stopped={matches!(state.trouble, Some(PageError::EmulatorStopped(_)))}
                    dispatch={dispatch.clone()}
                />
            </section>
        }
    }

    /// Renders the run: the step summary and the cards of the run.
    fn run(&self, links: &Rc<Highlights>) -> Html {
        let (state, dispatch) = (&self.state, &self.dispatch);
        let Some(frame) = frame_of(state) else {
            return html! { <p class="placeholder">{ waiting(state) }</p> };
        };
        let order = state.run.analysis.as_deref().filter(|_| !state.is_stale());
        let column = {
            let page = self.clone();
            Callback::from(move |(frame, links): (FrameRef, Rc<Highlights>)| {
                page.side(&frame, &links)
            })
        };
        let stage = {
            let (page, frame, links) = (self.clone(), frame.clone(), links.clone());
            Callback::from(move |height| page.stage(&frame, &links, height))
        };
        html! {
            <>
                { about(state) }
                if frame.fault.is_some() {
                    <FaultCard frame={frame.clone()} hang={order.and_then(|found| found.hang.clone())} dispatch={dispatch.clone()} />
                } else {
                    { step_summary(&frame, self.show_stale, dispatch) }
                }
                if frame.length.is_none() && frame.status == RunStatus::Running && state.run.busy.is_none() {
                    <p class="hint">
                        { format!("The run is paused at step {} after one second, so that the page stays responsive. ", count(frame.position)) }
                        { "Select Run to end to continue the run. You can stop the run at any time." }
                    </p>
                }
                <CardArea stage={stage}>
                    <DeferredSidePanel frame={frame.clone()} links={links.clone()} {column} />
                </CardArea>
            </>
        }
    }

    /// Renders the stage: the memories, or the registers of the step if the kernel has no memory.
    fn stage(&self, frame: &FrameRef, links: &Rc<Highlights>, stage_height: f64) -> Html {
        let (state, dispatch) = (&self.state, &self.dispatch);
        html! {
            <div class="memory-cards">
                if !frame.memories.iter().any(|memory| frame.shows(&memory.id)) {
                    { register_stage(frame, links, dispatch) }
                }
                <Memories frame={frame.clone()} {stage_height} pinned={state.pinned.clone()} views={state.views.clone()} save_file={self.save_file.clone()} fill={self.fill.clone()}
                    links={links.clone()} palette={self.palette.clone()} dispatch={dispatch.clone()} />
                <div class="custom-layout-slot"></div>
            </div>
        }
    }

    /// Renders the cards of the analyses of the whole run, which a tab of the bottom panel shows.
    fn analysis(&self) -> Html {
        let (state, dispatch) = (&self.state, &self.dispatch);
        let Some(frame) = frame_of(state) else {
            return html! { <p class="placeholder">{ waiting(state) }</p> };
        };
        let shown = DisplayedAnalysis::of(state);
        let findings = &shown.findings;
        html! {
            <>
                { shown.cards(html! {
                    <>
                        if let Some(found) = &findings.order {
                            { race_card(found, &frame, dispatch) }
                        }
                        if let Some(report) = findings.orders.as_deref().filter(|report| has_schedule_dependence(report)) {
                            { schedule_card(report, state.run.facts.as_ref().map_or(0, |facts| facts.seed), dispatch) }
                        }
                        if let Some(found) = &findings.order {
                            { conflicts_card(&found.conflicts, &state.run.cure, &findings.text, dispatch) }
                            { sectors_card(&found.conflicts.sectors) }
                            { layouts_card(&found.layouts) }
                        }
                    </>
                }) }
                if let Some(traffic) = &state.run.traffic {
                    { memory_traffic_card(traffic, state.run.executed_steps().saturating_sub(traffic.steps), dispatch) }
                }
                { notes(&frame) }
            </>
        }
    }

    /// Renders the inspector: the groups of cards that its tabs select, and the card of a cell below each group.
    fn side(&self, frame: &FrameRef, links: &Rc<Highlights>) -> Html {
        let Page {
            state,
            dispatch,
            palette,
            fill,
            ..
        } = self;
        html! {
            <>
                <InspectorTabs />
                <div class="inspector-group" role="tabpanel" aria-label="Threads" data-tab="threads">
                <BlocksCard frame={frame.clone()} chosen={state.warp} dispatch={dispatch.clone()} />
                { mbarrier_card(frame, dispatch) }
                { tensor_card(frame, palette, dispatch) }
                { async_operations_card(frame, dispatch) }
                <FragmentCard frame={frame.clone()} links={links.clone()} palette={palette.clone()} dispatch={dispatch.clone()} />
                <WarpCard frame={frame.clone()} links={links.clone()}
                    register={focused_register(state)} dispatch={dispatch.clone()} />
                <RegistersCard frame={frame.clone()} links={links.clone()} hex={state.hex_registers}
                    dispatch={dispatch.clone()} />
                <RunUntilCard frame={frame.clone()} breakpoints={state.until.breakpoints.clone()}
                    said={state.until.message_at(frame.position).cloned()} dispatch={dispatch.clone()} />
                </div>
                <div class="inspector-group" role="tabpanel" aria-label="Watch" data-tab="watch">
                <JsSlot panel={JsPanelKind::Inspect} frame={frame.clone()} fill={fill.clone()} />
                </div>
                { cell_card(state, frame, dispatch) }
            </>
        }
    }
}

#[derive(Properties, PartialEq)]
struct LaterProps {
    frame: FrameRef,
    links: Rc<Highlights>,
    column: Callback<(FrameRef, Rc<Highlights>), Html>,
}

/// Renders the side column one frame after the memories, so that the stores of a step become visible first.
#[component]
fn DeferredSidePanel(props: &LaterProps) -> Html {
    let (before, is_present) = use_deferred(&props.frame, DeferUntil::NextFrame);
    let links = use_mut_ref(|| props.links.clone());
    let is_busy = !is_present && before.1 == props.frame.1;
    if !is_busy {
        links.replace(props.links.clone());
    }
    let frame = if is_busy { &before } else { &props.frame };
    let column = props.column.emit((frame.clone(), links.borrow().clone()));
    html! { <div class="side" aria-busy={is_busy.then_some("true")}>{ column }</div> }
}

#[derive(Properties, PartialEq)]
struct CardsProps {
    /// Renders the stage, whose visible height in pixels is the argument. The height is 0 until it has been measured.
    stage: Callback<f64, Html>,
    children: Children,
}

/// Renders the cards below the step summary. The side column scrolls separately within the height of this container. The height is
/// measured, because a CSS size container would require two layouts per step.
#[component]
fn CardArea(props: &CardsProps) -> Html {
    let node = use_node_ref();
    let (_, height) = use_size(&node);
    let style = (height > 0.0).then(|| format!("--side-height: {}px", decimal(height)));
    html! {
        <div class="cards" ref={node} {style}>{ props.stage.emit(height) }{ props.children.clone() }</div>
    }
}

/// Renders the `//@ title` and `//@ about` lines of the source, which may be scrolled out of view in the editor.
fn about(state: &State) -> Html {
    let stated = |word: &str| {
        let lines = state.text.lines().take_while(|line| line.starts_with("//"));
        let mut lines =
            lines.filter_map(|line| line.strip_prefix("//@")?.trim_start().strip_prefix(word));
        lines.next().map(|rest| rest.trim().to_owned())
    };
    let Some(title) = stated("title ") else {
        return Html::default();
    };
    html! { <p class="about"><b>{ title }</b>{ " · " }{ inline_code(&stated("about ").unwrap_or_default()) }</p> }
}

/// Returns the kernel or the block of inline assembly that is running or was selected.
fn shown_entry(state: &State) -> Option<String> {
    let facts = state.run.facts.as_ref();
    let runs = facts.and_then(|facts| facts.entry.clone());
    state.entry.clone().or(runs)
}

/// Findings of the current run. Until the current run has been analyzed, the findings of the previous run.
struct DisplayedAnalysis {
    findings: RunFindings,
    is_before: bool,
}

impl DisplayedAnalysis {
    fn of(state: &State) -> DisplayedAnalysis {
        let own = state.run.findings();
        let (findings, is_before) = match &state.run.previous_analysis {
            Some(before) if own.order.is_none() => (RunFindings::clone(before), true),
            _ => (own, state.is_stale()),
        };
        DisplayedAnalysis {
            findings,
            is_before,
        }
    }

    /// Renders the cards of findings. Cards with findings of the previous run are visible but inert.
    fn cards(&self, cards: Html) -> Html {
        let class = classes!(
            "analysis-cards",
            self.is_before.then_some("previous-analysis")
        );
        html! { <div {class} inert={self.is_before}>{ cards }</div> }
    }
}

/// Checks whether other schedules of a run produce a different result.
fn has_schedule_dependence(report: &SeedReport) -> bool {
    report.ends.len() > 1 && report.ends.iter().any(|end| end.fault.is_none())
}

fn frame_of(state: &State) -> Option<FrameRef> {
    let frame = state.run.frame.clone()?;
    Some(FrameRef(frame, state.run.frame_launch))
}

fn waiting(state: &State) -> &'static str {
    if state.text.trim().is_empty() {
        "Enter or paste a kernel, or open an example."
    } else if is_without_instructions(&state.report) {
        "The source contains no instructions."
    } else if state.checked > 0 && !state.can_run() {
        "Cannot run the kernel, because the source has errors. See the problems below the editor."
    } else if state.run.refusal.is_some() {
        "Cannot run the kernel, because the launch configuration is invalid. See the problems below the editor."
    } else if matches!(state.trouble, Some(PageError::EmulatorStopped(_))) {
        "Cannot run the kernel, because the emulator is not available."
    } else {
        "Launching the kernel…"
    }
}

fn focused_register(state: &State) -> Option<AttrValue> {
    match state.focus() {
        Some(Focus::Register(name)) => Some(name.clone().into()),
        _ => None,
    }
}

fn cell_card(state: &State, frame: &FrameRef, dispatch: &Dispatch) -> Html {
    let Some(Focus::Cell { memory, index }) = state.focus() else {
        return Html::default();
    };
    let step = state.cell(memory, *index).and_then(|(_, cell)| cell.step);
    let stores = step
        .and_then(|step| state.stores_of(step))
        .map(<[_]>::to_vec);
    let focus = state.focus();
    let is_pinned = focus == state.pinned.as_ref();
    let place = focus.and_then(|focus| place_of(state, focus));
    let history = place
        .as_ref()
        .and_then(|place| state.run.history.of(place).cloned());
    html! {
        <CellCard frame={frame.clone()} memory={memory.clone()} index={*index} {stores} {is_pinned} {place} {history}
            start={state.start.clone()} dispatch={dispatch.clone()} />
    }
}

/// Renders the diagnostics of the launch.
fn notes(frame: &FrameRef) -> Html {
    if frame.notes.is_empty() {
        return Html::default();
    }
    html! {
        <section class="card" aria-label="Notes">
            <h2>{ "Notes" }</h2>
            <ul class="notes">{ for frame.notes.iter().take(50).map(|note| html! { <li>{ inline_code(note) }</li> }) }</ul>
        </section>
    }
}
