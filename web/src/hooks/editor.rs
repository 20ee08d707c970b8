//! Synchronizes the editor with the model.

use crate::components::State;
use crate::editor::{self, EditorMarkers};
use crate::highlight::Highlights;
use crate::model::{Action, Focus, Model, RunUntilAction, ZoomStep};
use crate::saved_kernels;
use crate::share::read_focus;
use crate::worker_client::RequestFn;
use std::rc::Rc;
use yew::prelude::*;

/// Synchronizes the source, the diagnostics and the line markers of the editor with the model.
#[hook]
pub(crate) fn use_editor(state: &UseReducerHandle<State>, links: &Rc<Highlights>, ask: &RequestFn) {
    use_listeners(state, ask);
    use_effect_with((state.example, state.text.clone()), |(example, text)| {
        if example.is_some() && editor::text() != **text {
            saved_kernels::show_example(text);
        }
    });
    use_effect_with(state.start.answer.clone(), |answer| {
        if let Some(Ok(edit)) = answer.as_deref() {
            editor::apply_start(&edit.edits);
        }
    });
    use_effect_with(state.chosen.clone(), |chosen| {
        if let Some(chosen) = chosen {
            editor::set_text(&chosen.text);
        }
    });
    // This effect must run after each report, even if it is identical to the previous report, because the two reports belong to different
    // sources.
    let report = state.report.clone();
    use_effect_with(state.checked, move |_| {
        editor::set_diagnostics(&report.diagnostics)
    });
    let traffic = state.run.traffic.clone().filter(|_| !state.is_stale());
    use_effect_with(traffic, |traffic| {
        editor::set_cost_markers(traffic.as_ref().map_or(&[], |traffic| &traffic.marks));
    });
    let order = state.run.analysis.clone().filter(|_| !state.is_stale());
    use_effect_with(order, |order| {
        editor::set_layouts(order.as_ref().map_or(&[], |order| &order.layouts));
        editor::set_race_markers(order.as_ref().map_or(&[], |order| &order.marks));
    });
    let marks = marks(state, links);
    let follow = state.playing || state.run.frame.is_some();
    use_effect_with(marks, move |marks| {
        editor::set_editor_markers(marks);
        if follow && marks.done > 0 {
            editor::reveal(marks.done);
        }
    });
}

/// Dispatches changes of the source, the hovered line and breakpoints from the editor.
#[hook]
fn use_listeners(state: &UseReducerHandle<State>, ask: &RequestFn) {
    let (dispatch, ask) = (state.dispatcher(), Rc::clone(ask));
    use_effect_with((), move |()| {
        let (on_line, on_header) = (dispatch.clone(), dispatch.clone());
        let on_breaks = dispatch.clone();
        editor::on_breakpoints_changed(move |lines| {
            on_breaks.dispatch(Action::Until(RunUntilAction::SetBreakpoints(lines.into())));
        });
        let on_pin = dispatch.clone();
        editor::on_pin_requested(move |words| {
            let action = match words.split_once(' ') {
                Some(("find", text)) => Some(Action::Find(text.to_owned())),
                Some(("closer", cell)) => zoom(ZoomStep::In, cell),
                Some(("farther", cell)) => zoom(ZoomStep::Out, cell),
                _ => Some(Action::PinAndReveal(read_focus(&words))),
            };
            if let Some(action) = action {
                on_pin.dispatch(action);
            }
        });
        editor::listen(
            ask,
            move |text, is_another| {
                dispatch.dispatch(Action::Edited {
                    text: text.into(),
                    replaces_source: is_another,
                });
            },
            move |line| on_line.dispatch(Action::Hover((line > 0).then_some(Focus::Line(line)))),
            move || on_header.dispatch(Action::ClearOverrides),
        );
    });
}

/// Returns the action that zooms a grid and keeps an element such as `cell 3 of out` in view.
fn zoom(step: ZoomStep, cell: &str) -> Option<Action> {
    match read_focus(cell)? {
        Focus::Cell { memory, index } => Some(Action::Zoom(memory, step, Some(index))),
        _ => None,
    }
}

/// Synchronizes the list of saved kernels.
#[hook]
pub(crate) fn use_texts(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let on_trouble = dispatch.clone();
        saved_kernels::listen(
            move |texts, own| {
                dispatch.dispatch(Action::ListTexts {
                    saved_kernels: texts,
                    current_kernel_id: own,
                })
            },
            move |reason| on_trouble.dispatch(Action::KeepFailed(reason)),
        );
    });
}

fn marks(model: &Model, links: &Highlights) -> EditorMarkers {
    let Some(frame) = model.run.frame.as_deref().filter(|_| !model.is_stale()) else {
        return EditorMarkers::default();
    };
    EditorMarkers {
        done: frame.last.as_ref().map_or(0, |step| step.range.line),
        next: frame.next.as_ref().map_or(0, |step| step.range.line),
        faulted: frame.fault.as_ref().map_or(0, |fault| fault.range.line),
        linked: links.lines.clone(),
    }
}
