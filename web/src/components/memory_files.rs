//! A memory as a file: chosen at its card, made by the core, saved by the editor's side.

use crate::client::Ask;
use crate::editor::save_promised;
use crate::protocol::{Answer, Question};
use js_sys::{Error, Uint8Array};
use warpgrid_view::model::GridRequest;
use warpgrid_view::picture::MemoryForm;
use wasm_bindgen::JsValue;

/// What a person can save: words, the ending of the file, and what the core makes; a PNG is painted from the drawing.
pub(crate) const FILES: [(&str, &str, MemoryForm); 5] = [
    ("drawing (SVG)", "svg", MemoryForm::Svg),
    ("picture (PNG)", "png", MemoryForm::Svg),
    (
        "run so far, moving (SVG)",
        "animated.svg",
        MemoryForm::Animation,
    ),
    ("table (CSV)", "csv", MemoryForm::Csv),
    ("array for NumPy", "npy", MemoryForm::Npy),
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
    let Some((_, _, form)) = FILES.iter().find(|(_, of, _)| *of == ending) else {
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
