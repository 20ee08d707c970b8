//! Export of a memory: the user selects a format in the memory card, the worker creates the file, and the editor script saves it.

use crate::editor::save_promised;
use crate::protocol::{EditorRequest, EditorResponse};
use crate::worker_client::RequestFn;
use js_sys::{Error, Uint8Array};
use warpgrid_view::memory_export::ExportFormat;
use warpgrid_view::model::GridRequest;
use wasm_bindgen::JsValue;

/// File format in which a memory is exported.
pub(crate) struct FileChoice {
    pub(crate) label: &'static str,
    /// File format that the worker creates.
    form: ExportFormat,
    /// File extension of the image to which the page converts the file of the worker (PNG).
    painted: Option<&'static str>,
}

impl FileChoice {
    const fn of_form(label: &'static str, form: ExportFormat) -> FileChoice {
        FileChoice {
            label,
            form,
            painted: None,
        }
    }

    /// Returns the file extension.
    pub(crate) fn ending(&self) -> &'static str {
        self.painted.unwrap_or_else(|| self.form.file_extension())
    }
}

pub(crate) const EXPORT_FORMATS: [FileChoice; 5] = [
    FileChoice::of_form("SVG image", ExportFormat::Svg),
    FileChoice {
        painted: Some("png"),
        ..FileChoice::of_form("PNG image", ExportFormat::Svg)
    },
    FileChoice::of_form("Animated SVG of the run", ExportFormat::Animation),
    FileChoice::of_form("CSV table", ExportFormat::Csv),
    FileChoice::of_form("NumPy array (.npy)", ExportFormat::Npy),
];

/// Memory to export, and the file extension of the export.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryExport {
    pub(crate) request: GridRequest,
    pub(crate) ending: String,
}

/// Requests the exported file from the worker, and saves it.
pub(crate) fn save_memory(file: MemoryExport, ask: &RequestFn) {
    let MemoryExport { request, ending } = file;
    let mut files = EXPORT_FORMATS.iter();
    let Some(FileChoice { form, .. }) = files.find(|file| file.ending() == ending) else {
        return;
    };
    // Colons are replaced, because a name such as `shared:0` is not a valid file name on every system.
    let name = request.memory.to_string().replace(':', "-");
    let promise = ask(
        EditorRequest::MemoryFile(request, *form),
        |answer| match answer {
            EditorResponse::MemoryFile(Ok(bytes)) => Uint8Array::from(&bytes[..]).into(),
            EditorResponse::MemoryFile(Err(reason)) => Error::new(&reason).into(),
            _ => JsValue::NULL,
        },
    );
    save_promised(&format!("{name}.{ending}"), &promise);
}
