//! Handling of worker responses.

use super::actions::{clear_previous_results, request_analysis, request_writers, show};
use super::history::ask_history;
use super::{
    Focus, InitialPosition, MAX_KNOWN_STORES, Model, PageError, RewriteState, compare, file,
    layout_explorer, litmus, mma_arithmetic, run_until,
};
use crate::protocol::{LaunchRejection, Response, ResponseBody, decode};
use crate::reference::ReferenceIndex;
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_view::model::{SessionFrame, StoreView};
use warpgrid_view::session::memory_search::CellMatch;
use warpgrid_view::source::reference::ReferencePages;

/// Worker response in an action. Components clone actions, and a frame is large. Therefore, the clones of an action share the response, and
/// the first call of `SharedResponse::take` returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedResponse(Rc<RefCell<Option<Response>>>);

impl SharedResponse {
    /// Returns the response, or `None` if an earlier call has already returned it.
    pub(super) fn take(&self) -> Option<Response> {
        self.0.take()
    }
}

impl From<Response> for SharedResponse {
    fn from(response: Response) -> SharedResponse {
        SharedResponse(Rc::new(RefCell::new(Some(response))))
    }
}

/// Maximum number of repeated requests for the stores to one focused cell.
const MAX_ASKED_AGAIN: u8 = 24;

pub(super) fn handle_response(model: &mut Model, response: Response) {
    match response.body {
        ResponseBody::Checked { revision, report } if revision == model.revision => {
            model.report = Rc::new(report);
            model.report_revision = revision;
            model.checked += 1;
            if !model.can_run() {
                clear_previous_results(model);
            }
            // The worker has recovered.
            if let Some(PageError::EmulatorStopped(_)) = model.trouble {
                model.trouble = None;
            }
        }
        ResponseBody::Fragments(pictures) => layout_explorer::show(model, response.id, pictures),
        ResponseBody::Layout(picture) => layout_explorer::show_layout(model, response.id, *picture),
        ResponseBody::Product(answer) => mma_arithmetic::show(model, response.id, *answer),
        ResponseBody::Litmus(answer) => litmus::show(model, response.id, answer),
        ResponseBody::File(answer) => file::show(model, answer),
        ResponseBody::Beside(answer) => compare::show(model, response.id, answer),
        ResponseBody::Reference(file) => match file.and_then(|bytes| read_pages(&bytes)) {
            Ok(pages) => model.library = Some(Rc::new(ReferenceIndex::new(pages))),
            Err(reason) => model.no_library = Some(reason),
        },
        _ => handle_run_response(model, response),
    }
}

/// Deserializes the reference pages from the reference file.
fn read_pages(bytes: &[u8]) -> Result<ReferencePages, String> {
    decode(bytes)
        .ok_or_else(|| "the loaded file belongs to a different version of Warpgrid".to_owned())
}

fn handle_run_response(model: &mut Model, response: Response) {
    if response.launch != model.run.launch {
        return;
    }
    let (id, launch) = (response.id, response.launch);
    match response.body {
        // Report for an older source, or response to an editor request.
        ResponseBody::Checked { .. }
        | ResponseBody::Reference(_)
        | ResponseBody::Fragments(_)
        | ResponseBody::Layout(_)
        | ResponseBody::Product(_)
        | ResponseBody::Beside(_)
        | ResponseBody::Litmus(_)
        | ResponseBody::File(_)
        | ResponseBody::Answer(_) => {}
        ResponseBody::Launched(mut facts) => {
            // The launch configuration in a link was also inferred.
            if facts.guesses.is_empty() {
                let lines = model.inferred_annotations.lines();
                facts.guesses.extend(lines.map(str::to_owned));
            }
            model.run.facts = Some(Rc::new(facts));
            model.run.refusal = None;
        }
        ResponseBody::LaunchFailed(refusal) => refused(model, refusal),
        ResponseBody::Traffic(traffic) => model.run.traffic = Some(Rc::new(traffic)),
        ResponseBody::Analysis(found) => {
            model.run.analysis = Some(Rc::from(found));
            model.run.previous_analysis = None;
        }
        ResponseBody::ConflictRewrite(found) => {
            model.run.cure = match found {
                Ok(cured) => RewriteState::Found(Rc::new(cured)),
                Err(reason) => RewriteState::Refused(reason.into()),
            };
        }
        ResponseBody::Found(Ok(cell)) => {
            let CellMatch { memory, index } = cell;
            show(model, Some(Focus::Cell { memory, index }));
        }
        ResponseBody::Found(Err(reason)) => model.trouble = Some(PageError::OpenFailed(reason)),
        ResponseBody::EditInitialValue(answer) => model.start.answer = Some(Rc::new(answer)),
        ResponseBody::Until(answer) => run_until::heard(model, response.id, answer),
        ResponseBody::History(found) => model.run.history.found = Some(Rc::from(found)),
        ResponseBody::ScheduleReport(report) => model.run.schedules = Some(Rc::new(report)),
        ResponseBody::Progress { position } => {
            if let Some(busy) = model
                .run
                .busy
                .as_mut()
                .filter(|busy| busy.id == response.id)
            {
                busy.position = Some(position);
            }
        }
        ResponseBody::Frame(frame) => show_frame(model, *frame, id, launch),
        ResponseBody::Writers(known) => note_writers(model, known),
    }
}

fn refused(model: &mut Model, refusal: LaunchRejection) {
    model.run.refusal = Some(Rc::new(refusal));
    model.run.busy = None;
    clear_previous_results(model);
    model.run.launched_revision = 0;
    model.run.is_launching = false;
    model.playing = false;
}

fn show_frame(model: &mut Model, frame: SessionFrame, id: u32, launch: u32) {
    if model.run.busy.is_none_or(|busy| id >= busy.id) {
        model.run.busy = None;
    }
    model.run.refusal = None;
    model.run.is_launching = false;
    model.run.frame = Some(Rc::new(frame));
    model.run.frame_launch = launch;
    request_analysis(model);
    ask_history(model);
    // A frame of the previous run may still arrive after a new source has been pasted.
    if model.run.launched_revision == model.revision {
        // The stores to a cell that a link has pinned have not been requested yet.
        if let Some(initial) = model.fresh.take() {
            let is_default = !matches!(initial, InitialPosition::Step(_));
            let frame = model.run.frame.as_ref().filter(|_| is_default);
            model.default_step = frame.map(|frame| frame.position);
            let focus = model.focus().cloned();
            request_writers(model, focus.as_ref());
        }
    }
}

fn note_writers(model: &mut Model, known: Vec<(u64, Vec<StoreView>)>) {
    for (step, stores) in known {
        if model.known_stores.len() >= MAX_KNOWN_STORES {
            model.known_stores.pop_first();
        }
        model.known_stores.insert(step, Rc::new(stores));
    }
    // A response covers as many steps as fit into one slice. The remaining steps are requested again, up to a limit.
    if model.writer_retries < MAX_ASKED_AGAIN {
        model.writer_retries += 1;
        let focus = model.focus().cloned();
        request_writers(model, focus.as_ref());
    }
}
