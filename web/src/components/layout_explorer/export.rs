//! Export of a fragment to a file: requests the file contents from the worker, and saves them.

use crate::canvas::png;
use crate::editor::save_promised;
use crate::layout_explorer::DisplayList;
use crate::protocol::{EditorRequest, EditorResponse};
use crate::theme::Palette;
use crate::worker_client::RequestFn;
use std::rc::Rc;
use warpgrid_view::layouts::fragment::FragmentRequest;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Kind of exported file that the worker creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Svg,
    Table,
}

/// Exported file that is to be saved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Export {
    File(FragmentRequest, FileKind),
    /// PNG image that the page has painted, as a data URL.
    Address(FragmentRequest, String),
}

/// Renders the export buttons of a diagram. `plan` computes the diagram of the PNG image.
pub(super) fn export_buttons(
    request: &FragmentRequest,
    export: &Callback<Export>,
    palette: &Rc<Palette>,
    plan: impl Fn() -> Rc<DisplayList> + 'static,
) -> Html {
    let file = |kind: FileKind| {
        let (export, request) = (export.clone(), request.clone());
        Callback::from(move |_: MouseEvent| export.emit(Export::File(request.clone(), kind)))
    };
    let on_png = {
        let (export, request, palette) = (export.clone(), request.clone(), palette.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(address) = png(&plan(), &palette) {
                export.emit(Export::Address(request.clone(), address));
            }
        })
    };
    html! {
        <>
            <button class="pill" onclick={file(FileKind::Svg)}>{ "SVG" }</button>
            <button class="pill" onclick={on_png}>{ "PNG" }</button>
            <button class="pill" onclick={file(FileKind::Table)}>{ "Text" }</button>
        </>
    }
}

/// Creates an exported file and offers it for download.
pub(crate) fn save(export: Export, ask: &RequestFn) {
    match export {
        Export::Address(request, address) => {
            save_promised(&file_name(&request, "png"), &address.into());
        }
        Export::File(request, kind) => {
            let (question, ending) = match kind {
                FileKind::Svg => (EditorRequest::FragmentSvg(request.clone()), "svg"),
                FileKind::Table => (EditorRequest::FragmentTable(request.clone()), "txt"),
            };
            let promise = ask(question, |answer| match answer {
                EditorResponse::FragmentSvg(Some(text))
                | EditorResponse::FragmentTable(Some(text)) => text.into(),
                _ => JsValue::NULL,
            });
            save_promised(&file_name(&request, ending), &promise);
        }
    }
}

/// Returns a file name such as `store.d-m16n16k16-f32-sm_80.svg`.
fn file_name(request: &FragmentRequest, ending: &str) -> String {
    let FragmentRequest {
        op,
        shape,
        ty,
        target,
        ..
    } = request;
    format!("{op}-{shape}-{ty}-{target}.{ending}")
}
