//! State of a compiled file that was dropped on the page: the list of its code objects, and the code object that is opened as a source.

use super::{Model, PageError};
use crate::protocol::{FileAnswer, FileRequest, RequestBody};
use std::rc::Rc;
use warpgrid_view::compiled_file::FileView;

/// Compiled file that is open in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedFile {
    pub name: Rc<str>,
    /// Contents of the file. `None` until the worker has read the file.
    pub view: Option<Rc<FileView>>,
}

/// Selected code object as text, which is inserted into the editor.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenProgram {
    /// Number of selections so far, so that selecting the same code object again is also a change.
    pub number: u32,
    pub text: Rc<str>,
}

/// Action that concerns a compiled file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAction {
    /// A file was dropped or selected.
    Open(Rc<str>, Rc<[u8]>),
    /// A code object was selected, by index.
    Choose(usize),
    Close,
}

pub(super) fn act(model: &mut Model, action: FileAction) {
    match action {
        FileAction::Open(name, bytes) => {
            model.file = Some(OpenedFile { name, view: None });
            model.trouble = None;
            model.send(RequestBody::File(FileRequest::Open(bytes.to_vec())));
        }
        FileAction::Choose(program) => {
            model.send(RequestBody::File(FileRequest::Text(program)));
        }
        FileAction::Close => {
            model.file = None;
            model.send(RequestBody::File(FileRequest::Close));
        }
    }
}

/// Handles a response of the worker. Responses for a file that has been closed are dropped.
pub(super) fn show(model: &mut Model, answer: FileAnswer) {
    let Some(file) = &mut model.file else {
        return;
    };
    match answer {
        FileAnswer::Opened(view) => file.view = Some(Rc::new(view)),
        FileAnswer::Text(text) => {
            let number = model.chosen.as_ref().map_or(1, |chosen| chosen.number + 1);
            let text = text.into();
            model.chosen = Some(ChosenProgram { number, text });
        }
        FileAnswer::Refused(reason) => {
            let name = &file.name;
            model.trouble = Some(PageError::OpenFailed(format!(
                "Cannot open “{name}”: {reason}."
            )));
            model.file = None;
        }
        FileAnswer::Closed => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, reduce};
    use crate::protocol::{Response, ResponseBody};

    fn heard(answer: FileAnswer) -> Action {
        Action::ResponseReceived(Response::new(1, 0, ResponseBody::File(answer)).into())
    }

    #[test]
    fn opened_file_lists_programs_and_provides_chosen_source() {
        let open = || Action::File(FileAction::Open("a.cubin".into(), Rc::from([1, 2])));
        let model = reduce(Model::new("ret;", None), open());
        let sent = model.outbox.last().map(|request| request.body.clone());
        assert_eq!(sent, Some(RequestBody::File(FileRequest::Open(vec![1, 2]))));
        let model = reduce(model, heard(FileAnswer::Opened(FileView::default())));
        assert!(model.file.as_ref().is_some_and(|file| file.view.is_some()));
        let model = reduce(model, Action::File(FileAction::Choose(0)));
        let model = reduce(model, heard(FileAnswer::Text("exit;".into())));
        assert_eq!(
            model.chosen.as_ref().map(|chosen| &*chosen.text),
            Some("exit;")
        );
        // The editor inserts the text and then reports the change.
        assert_eq!(&*model.text, "ret;");
        let model = reduce(model, heard(FileAnswer::Refused("it is broken".into())));
        assert_eq!(
            model.trouble,
            Some(PageError::OpenFailed(
                "Cannot open “a.cubin”: it is broken.".into()
            ))
        );
        let model = reduce(model, heard(FileAnswer::Opened(FileView::default())));
        assert_eq!(model.file, None);
    }
}
