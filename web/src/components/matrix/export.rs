//! Files of a fragment: asked of the core where it writes them, and handed to the person.

use crate::client::Ask;
use crate::protocol::{Answer, Question};
use js_sys::encode_uri_component;
use warpgrid_view::fragment::FragmentRequest;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

/// A file that the core writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Svg,
    Table,
}

/// A file to save.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Export {
    File(FragmentRequest, FileKind),
    /// A PNG image that was painted already, as an address.
    Address(FragmentRequest, String),
}

/// Gets the file and offers it for download.
pub(crate) fn save(export: Export, ask: &Ask) {
    match export {
        Export::Address(request, address) => download(&file_name(&request, "png"), &address),
        Export::File(request, kind) => {
            let (question, ending, media) = match kind {
                FileKind::Svg => (
                    Question::FragmentSvg(request.clone()),
                    "svg",
                    "image/svg+xml",
                ),
                FileKind::Table => (
                    Question::FragmentTable(request.clone()),
                    "txt",
                    "text/plain",
                ),
            };
            let name = file_name(&request, ending);
            let answered = Closure::once_into_js(move |text: JsValue| {
                if let Some(text) = text.as_string() {
                    let text = String::from(encode_uri_component(&text));
                    download(&name, &format!("data:{media};charset=utf-8,{text}"));
                }
            });
            let promise = ask(question, |answer| match answer {
                Answer::FragmentSvg(Some(text)) | Answer::FragmentTable(Some(text)) => text.into(),
                _ => JsValue::NULL,
            });
            if let Some(answered) = answered.dyn_ref::<js_sys::Function>() {
                let then = js_sys::Reflect::get(&promise, &"then".into()).ok();
                let then = then.and_then(|then| then.dyn_into::<js_sys::Function>().ok());
                then.map(|then| then.call1(&promise, answered));
            }
        }
    }
}

/// `store.d-m16n16k16-f32-sm_80.svg`
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

/// Presses a link to the address, which is the only way to name a file.
fn download(name: &str, address: &str) {
    let link = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.create_element("a").ok());
    if let Some(link) = link {
        let _ = link.set_attribute("download", name);
        let _ = link.set_attribute("href", address);
        if let Ok(link) = link.dyn_into::<HtmlElement>() {
            link.click();
        }
    }
}
