//! Handling of worker responses.

use super::actions::{ask_order, ask_writer, leave_other_text, show};
use super::history::ask_history;
use super::{
    Cure, Focus, MAX_KNOWN_STORES, Model, Trouble, beside, file, matrix, outcomes, product, until,
};
use crate::protocol::{Refusal, Response, ResponseBody, decode};
use crate::reference::Library;
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_view::model::{Frame, StoreView};
use warpgrid_view::session::memory_search::FoundCell;
use warpgrid_view::source::reference::Pages;

/// A worker response in an action. Components clone actions and a frame is large, so the clones share the response, and the first call of
/// `Letter::open` takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter(Rc<RefCell<Option<Response>>>);

impl Letter {
    /// Returns the response, or `None` if it was taken before.
    pub(super) fn open(&self) -> Option<Response> {
        self.0.take()
    }
}

impl From<Response> for Letter {
    fn from(response: Response) -> Letter {
        Letter(Rc::new(RefCell::new(Some(response))))
    }
}

/// Maximum number of repeated requests for the stores of one focus.
const MAX_ASKED_AGAIN: u8 = 24;

pub(super) fn heard(model: &mut Model, response: Response) {
    match response.body {
        ResponseBody::Checked { revision, report } if revision == model.revision => {
            model.report = Rc::new(report);
            model.report_revision = revision;
            model.checked += 1;
            if !model.can_run() {
                leave_other_text(model);
            }
            // The worker has recovered.
            if let Some(Trouble::Core(_)) = model.trouble {
                model.trouble = None;
            }
        }
        ResponseBody::Fragments(pictures) => matrix::show(model, response.id, pictures),
        ResponseBody::Layout(picture) => matrix::show_layout(model, response.id, *picture),
        ResponseBody::Product(answer) => product::show(model, response.id, *answer),
        ResponseBody::Litmus(answer) => outcomes::show(model, response.id, answer),
        ResponseBody::File(answer) => file::show(model, answer),
        ResponseBody::Beside(answer) => beside::show(model, response.id, answer),
        ResponseBody::Reference(file) => match file.and_then(|bytes| read_pages(&bytes)) {
            Ok(pages) => model.library = Some(Rc::new(Library::new(pages))),
            Err(why) => model.no_library = Some(why),
        },
        _ => heard_of_run(model, response),
    }
}

/// Deserializes the pages of the reference file.
fn read_pages(bytes: &[u8]) -> Result<Pages, String> {
    decode(bytes)
        .ok_or_else(|| "the loaded file belongs to a different version of Warpgrid".to_owned())
}

fn heard_of_run(model: &mut Model, response: Response) {
    if response.launch != model.run.launch {
        return;
    }
    let (id, launch) = (response.id, response.launch);
    match response.body {
        // A report for an older source, or a response for the editor.
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
            // The launch configuration in a link was inferred as well.
            if facts.guesses.is_empty() {
                let lines = model.guessed.lines();
                facts.guesses.extend(lines.map(str::to_owned));
            }
            model.run.facts = Some(Rc::new(facts));
            model.run.refusal = None;
        }
        ResponseBody::Refused(refusal) => refused(model, refusal),
        ResponseBody::Traffic(traffic) => model.run.traffic = Some(Rc::new(traffic)),
        ResponseBody::Order(found) => {
            model.run.order = Some(Rc::from(found));
            model.run.before = None;
        }
        ResponseBody::Cured(found) => {
            model.run.cure = match found {
                Ok(cured) => Cure::Found(Rc::new(cured)),
                Err(why) => Cure::Refused(why.into()),
            };
        }
        ResponseBody::Found(Ok(cell)) => {
            let FoundCell { memory, index } = cell;
            show(model, Some(Focus::Cell { memory, index }));
        }
        ResponseBody::Found(Err(why)) => model.trouble = Some(Trouble::Open(why)),
        ResponseBody::EditStart(answer) => model.start.answer = Some(Rc::new(answer)),
        ResponseBody::Until(answer) => until::heard(model, response.id, answer),
        ResponseBody::History(found) => model.run.history.found = Some(Rc::from(found)),
        ResponseBody::Orders(report) => model.run.orders = Some(Rc::new(report)),
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

fn refused(model: &mut Model, refusal: Refusal) {
    model.run.refusal = Some(Rc::new(refusal));
    model.run.busy = None;
    leave_other_text(model);
    model.run.launched_revision = 0;
    model.run.waiting_for_launch = false;
    model.playing = false;
}

fn show_frame(model: &mut Model, frame: Frame, id: u32, launch: u32) {
    if model.run.busy.is_none_or(|busy| id >= busy.id) {
        model.run.busy = None;
    }
    model.run.refusal = None;
    model.run.waiting_for_launch = false;
    model.run.frame = Some(Rc::new(frame));
    model.run.frame_launch = launch;
    ask_order(model);
    ask_history(model);
    // A frame of the previous run can still arrive after a source was pasted.
    if model.run.launched_revision == model.revision {
        // The stores to a cell that a link has pinned are not known yet.
        if model.fresh.take().is_some() {
            let focus = model.focus().cloned();
            ask_writer(model, focus.as_ref());
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
    if model.asked_again < MAX_ASKED_AGAIN {
        model.asked_again += 1;
        let focus = model.focus().cloned();
        ask_writer(model, focus.as_ref());
    }
}
