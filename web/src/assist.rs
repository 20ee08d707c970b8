//! What `web/editor/assist.js` asks while a person reads and writes: view's answers, laid out as arrays.

use js_sys::{Array, Function};
use std::rc::Rc;
use warpgrid_view::CheckOptions;
use warpgrid_view::assist::{self, CompletionView, HoverView, SignatureView};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectAssist)]
    fn connect_assist(
        hover: &Function,
        complete: &Function,
        signature: &Function,
        format: &Function,
    );
    /// Formats the text as one change that can be undone.
    #[wasm_bindgen(js_namespace = warpgridEditor)]
    pub fn format();
}

type Question = Closure<dyn Fn(String, u32) -> JsValue>;

/// Answers for the life of the page, for the target and version that `options` gives at that time.
pub fn serve(options: impl Fn() -> CheckOptions + 'static) {
    let options = Rc::new(options);
    let asked = Rc::clone(&options);
    let hover = Question::new(move |text: String, at: u32| {
        assist::hover(&text, &asked(), at).map_or(JsValue::NULL, |found| hover_array(&found))
    });
    let complete = Question::new(move |text: String, at: u32| {
        let found = assist::complete(&text, &options(), at);
        found.iter().map(completion_array).collect::<Array>().into()
    });
    let signature = Question::new(|text: String, at: u32| {
        assist::signature(&text, at)
            .and_then(|found| signature_array(&found))
            .unwrap_or(JsValue::NULL)
    });
    let format =
        Closure::<dyn Fn(String) -> String>::new(|text: String| warpgrid_view::format(&text));
    connect_assist(
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

/// `[start, end, title, lines]`.
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

/// `[start, text, sort, help, needs or null]`.
fn completion_array(found: &CompletionView) -> JsValue {
    Array::of5(
        &found.start.into(),
        &JsValue::from_str(&found.text),
        &JsValue::from_str(&found.sort),
        &JsValue::from_str(&found.help),
        &found
            .needs
            .as_deref()
            .map_or(JsValue::NULL, JsValue::from_str),
    )
    .into()
}

/// `[syntax, help, name of the operand being written]`; nothing while the opcode is written.
fn signature_array(found: &SignatureView) -> Option<JsValue> {
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
