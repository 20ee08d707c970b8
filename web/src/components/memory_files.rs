//! A memory as a file: chosen at its card, made by the core, saved by the editor's side.

use crate::client::Ask;
use crate::editor::save_promised;
use crate::protocol::{Answer, Question};
use js_sys::{Error, Uint8Array};
use warpgrid_view::memory_export::MemoryForm;
use warpgrid_view::model::GridRequest;
use wasm_bindgen::JsValue;

/// What a person can save: words, the form that the core makes, and whether it is painted as a picture (PNG).
pub(crate) const FILES: [(&str, MemoryForm, bool); 5] = [
    ("SVG image", MemoryForm::Svg, false),
    ("PNG image", MemoryForm::Svg, true),
    ("Animated SVG of the run", MemoryForm::Animation, false),
    ("CSV table", MemoryForm::Csv, false),
    ("NumPy array (.npy)", MemoryForm::Npy, false),
];

/// The ending of a file's name.
pub(crate) fn ending(form: MemoryForm, is_painted: bool) -> &'static str {
    match is_painted {
        true => "png",
        false => form.ending(),
    }
}

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
    let found = files.find(|(_, form, is_painted)| self::ending(*form, *is_painted) == ending);
    let Some((_, form, _)) = found else {
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
