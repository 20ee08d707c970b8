//! The person's own texts, which `web/editor/texts.js` keeps, seen from Rust.

use crate::examples::EXAMPLES;
use crate::model::OwnText;
use js_sys::{Array, Function};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = fetchExamples)]
    fn fetch_examples(files: &Array, done: &JsValue);
    /// Shows an example; what was there is kept.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = showExample)]
    pub fn show_example(text: &str);
    /// Shows one of the person's texts.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openText)]
    pub fn open(id: &str);
    /// Deletes one of them for good.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = removeText)]
    pub fn remove(id: &str);
    /// Says what the text in the editor is called in the list of texts.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = nameText)]
    pub fn name(name: &str);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectTexts)]
    fn connect(list: &Function, trouble: &Function);
}

/// Calls `then` with the texts of these examples, in order, or with the reason why one could not be loaded.
pub fn fetch(examples: &[usize], then: impl FnOnce(Result<Vec<Rc<str>>, String>) + 'static) {
    let files = examples.iter().filter_map(|index| EXAMPLES.get(*index));
    let files: Array = files
        .map(|example| JsValue::from_str(example.file))
        .collect();
    let done = Closure::once_into_js(move |texts: Array, why: String| {
        let texts = texts.iter().filter_map(|text| text.as_string());
        then(match why.is_empty() {
            true => Ok(texts.map(Rc::from).collect()),
            false => Err(why),
        });
    });
    fetch_examples(&files, &done);
}

/// Calls `list` with all texts, newest first, and the id of the one in the editor, whenever either changes; `trouble` with the
/// reason why a text could not be kept, or with an empty one when it is kept again. For the life of the page.
pub fn listen(
    list: impl Fn(Rc<[OwnText]>, Option<String>) + 'static,
    trouble: impl Fn(String) + 'static,
) {
    let on_list = Closure::<dyn Fn(Array, String)>::new(move |texts: Array, own: String| {
        let text = |entry: JsValue| {
            let entry: Array = entry.dyn_into().ok()?;
            Some(OwnText {
                id: entry.get(0).as_string()?,
                label: entry.get(1).as_string()?,
            })
        };
        let texts = texts.iter().filter_map(text).collect();
        list(texts, Some(own).filter(|own| !own.is_empty()));
    });
    let on_trouble = Closure::<dyn Fn(String)>::new(trouble);
    connect(
        on_list.as_ref().unchecked_ref(),
        on_trouble.as_ref().unchecked_ref(),
    );
    on_list.forget();
    on_trouble.forget();
}
