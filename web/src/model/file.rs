//! A file of a compiler that was dropped on the page: the list of its programs, and the one that becomes a text.

use super::{Model, Trouble};
use crate::protocol::{FileAnswer, FileRequest, RequestBody};
use std::rc::Rc;
use warpgrid_view::compiled_file::FileView;

/// The file as it is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedFile {
    pub name: Rc<str>,
    /// What it holds, once the core has looked into it.
    pub view: Option<Rc<FileView>>,
}

/// A program that was chosen, as a text on its way to the editor.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenProgram {
    /// Counts the choices, so that the same program can be chosen again.
    pub number: u32,
    pub text: Rc<str>,
}

/// Something happened to a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAction {
    /// It was dropped or chosen.
    Open(Rc<str>, Rc<[u8]>),
    /// A program of it was chosen, by its number.
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

/// The core has answered; what it says of a file that was closed since is dropped.
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
        FileAnswer::Refused(why) => {
            let name = &file.name;
            model.trouble = Some(Trouble::Open(format!("Cannot open “{name}”: {why}.")));
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
        Action::Heard(Response::new(1, 0, ResponseBody::File(answer)).into())
    }

    #[test]
    fn a_file_is_listed_and_its_program_becomes_a_text() {
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
        // The editor brings it as a change of its own.
        assert_eq!(&*model.text, "ret;");
        let model = reduce(model, heard(FileAnswer::Refused("it is broken".into())));
        assert_eq!(
            model.trouble,
            Some(Trouble::Open("Cannot open “a.cubin”: it is broken.".into()))
        );
        let model = reduce(model, heard(FileAnswer::Opened(FileView::default())));
        assert_eq!(model.file, None);
    }
}
