//! Bindings for the language features of `web/editor/language-features.js`: converts the editor responses of the worker to JavaScript
//! arrays.

use crate::protocol::{EditorRequest, EditorResponse};
use crate::worker_client::{DecodeFn, RequestFn};
use js_sys::{Array, Function, Promise};
use std::rc::Rc;
use warpgrid_view::CheckOptions;
use warpgrid_view::source::editor_assist::{CompletionView, HoverView, SignatureHelp};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectLanguageFeatures)]
    fn connect_js(hover: &Function, complete: &Function, signature: &Function, format: &Function);
    /// Formats the source as one undoable change.
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn format();
}

/// JavaScript function that sends a request about an offset in a source.
type AboutPlace = Closure<dyn Fn(String, u32) -> Promise>;

/// Returns a JavaScript function that sends a request about an offset with the current options. The function converts the response for
/// JavaScript.
fn about_place(
    ask: &RequestFn,
    options: &Rc<impl Fn() -> CheckOptions + 'static>,
    question: fn(String, CheckOptions, u32) -> EditorRequest,
    convert: DecodeFn,
) -> AboutPlace {
    let (ask, options) = (Rc::clone(ask), Rc::clone(options));
    AboutPlace::new(move |source: String, at: u32| ask(question(source, options(), at), convert))
}

/// Connects the language features of the editor for the lifetime of the page. `options` returns the target and the version at the time of
/// each request.
pub fn connect(ask: RequestFn, options: impl Fn() -> CheckOptions + 'static) {
    let options = Rc::new(options);
    let hover = about_place(
        &ask,
        &options,
        |source, options, at| EditorRequest::Hover {
            source,
            options,
            at,
        },
        |answer| match answer {
            EditorResponse::Hover(Some(found)) => hover_array(&found),
            _ => JsValue::NULL,
        },
    );
    let complete = about_place(
        &ask,
        &options,
        |source, options, at| EditorRequest::Complete {
            source,
            options,
            at,
        },
        |answer| match answer {
            EditorResponse::Complete(found) => {
                found.iter().map(completion_array).collect::<Array>().into()
            }
            _ => JsValue::NULL,
        },
    );
    let signature = about_place(
        &ask,
        &options,
        |source, options, at| EditorRequest::Signature {
            source,
            options,
            at,
        },
        |answer| match answer {
            EditorResponse::Signature(Some(found)) => {
                signature_array(&found).unwrap_or(JsValue::NULL)
            }
            _ => JsValue::NULL,
        },
    );
    let format = Closure::<dyn Fn(String) -> Promise>::new(move |source: String| {
        ask(EditorRequest::Format { source }, |answer| match answer {
            EditorResponse::Format(text) => text.into(),
            _ => JsValue::NULL,
        })
    });
    connect_js(
        hover.as_ref().unchecked_ref(),
        complete.as_ref().unchecked_ref(),
        signature.as_ref().unchecked_ref(),
        format.as_ref().unchecked_ref(),
    );
    hover.forget();
    complete.forget();
    signature.forget();
    format.forget();
}

/// Converts a hover response to `[start, end, title, lines]`.
fn hover_array(found: &HoverView) -> JsValue {
    let lines: Array = found
        .lines
        .iter()
        .map(|line| JsValue::from_str(line))
        .collect();
    Array::of4(
        &found.start.into(),
        &found.end.into(),
        &JsValue::from_str(&found.title),
        &lines,
    )
    .into()
}

/// Converts a completion to `[start, text, sort, help, needs or null]`.
fn completion_array(found: &CompletionView) -> JsValue {
    Array::of5(
        &found.start.into(),
        &JsValue::from_str(&found.text),
        &JsValue::from_str(found.sort.name()),
        &JsValue::from_str(&found.help),
        &found
            .needs
            .as_deref()
            .map_or(JsValue::NULL, JsValue::from_str),
    )
    .into()
}

/// Converts signature help to `[syntax, help, name of the active operand]`. Returns `None` while the cursor is in the opcode.
fn signature_array(found: &SignatureHelp) -> Option<JsValue> {
    let active = found.active? as usize;
    let operand = found.operands.get(active).map_or("", String::as_str);
    Some(
        Array::of3(
            &JsValue::from_str(&found.syntax),
            &JsValue::from_str(&found.help),
            &JsValue::from_str(operand),
        )
        .into(),
    )
}
