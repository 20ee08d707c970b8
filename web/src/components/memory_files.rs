//! A memory as a file: chosen at its card, made by the core, saved by the editor's side.

use crate::client::Ask;
use crate::editor::save_promised;
use crate::protocol::{Answer, Question};
use js_sys::{Error, Uint8Array};
use warpgrid_view::memory_export::MemoryForm;
use warpgrid_view::model::GridRequest;
use wasm_bindgen::JsValue;

/// A file that a person can save.
pub(crate) struct FileChoice {
    pub(crate) label: &'static str,
    /// The form that the core makes.
    form: MemoryForm,
    /// The ending of the name of a painted picture (PNG).
    painted: Option<&'static str>,
}

impl FileChoice {
    const fn of_form(label: &'static str, form: MemoryForm) -> FileChoice {
        FileChoice {
            label,
            form,
            painted: None,
        }
    }

    /// The ending of the file's name.
    pub(crate) fn ending(&self) -> &'static str {
        self.painted.unwrap_or_else(|| self.form.ending())
    }
}

pub(crate) const FILES: [FileChoice; 5] = [
    FileChoice::of_form("SVG image", MemoryForm::Svg),
    FileChoice {
        painted: Some("png"),
        ..FileChoice::of_form("PNG image", MemoryForm::Svg)
    },
    FileChoice::of_form("Animated SVG of the run", MemoryForm::Animation),
    FileChoice::of_form("CSV table", MemoryForm::Csv),
    FileChoice::of_form("NumPy array (.npy)", MemoryForm::Npy),
];

/// A memory, and the ending of the file that it becomes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryFile {
    pub(crate) request: GridRequest,
    pub(crate) ending: String,
}

/// Has the file made and saved.
pub(crate) fn save_memory(file: MemoryFile, ask: &Ask) {
    let MemoryFile { request, ending } = file;
    let mut files = FILES.iter();
    let Some(FileChoice { form, .. }) = files.find(|file| file.ending() == ending) else {
        return;
    };
    // `shared:0` is no name of a file on every system.
    let name = request.memory.to_string().replace(':', "-");
    let promise = ask(
        Question::MemoryFile(request, *form),
        |answer| match answer {
            Answer::MemoryFile(Ok(bytes)) => Uint8Array::from(&bytes[..]).into(),
            Answer::MemoryFile(Err(why)) => Error::new(&why).into(),
            _ => JsValue::NULL,
        },
    );
    save_promised(&format!("{name}.{ending}"), &promise);
}
