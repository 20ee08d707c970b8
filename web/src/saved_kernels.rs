//! Rust bindings for the saved kernels of `web/editor/kernel-store.js`.

use crate::examples::EXAMPLES;
use crate::model::SavedKernel;
use js_sys::{Array, Function};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = fetchExamples)]
    fn fetch_examples(files: &Array, done: &JsValue);
    /// Shows the source of an example. The previous source is saved.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = showExample)]
    pub fn show_example(text: &str);
    /// Opens a saved kernel.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = openKernel)]
    pub fn open(id: &str);
    /// Deletes a saved kernel permanently.
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = removeKernel)]
    pub fn remove(id: &str);
    #[wasm_bindgen(js_namespace = warpgridEditor, js_name = connectKernelStore)]
    fn connect(list: &Function, trouble: &Function);
}

/// Calls `then` with the sources of the given examples, in the given order, or with the reason why a source could not be loaded.
pub fn fetch(examples: &[usize], then: impl FnOnce(Result<Vec<Rc<str>>, String>) + 'static) {
    let files = examples.iter().filter_map(|index| EXAMPLES.get(*index));
    let files: Array = files
        .map(|example| JsValue::from_str(example.file))
        .collect();
    let done = Closure::once_into_js(move |texts: Array, reason: String| {
        let texts = texts.iter().filter_map(|text| text.as_string());
        then(match reason.is_empty() {
            true => Ok(texts.map(Rc::from).collect()),
            false => Err(reason),
        });
    });
    fetch_examples(&files, &done);
}

/// Registers callbacks for the lifetime of the page. After each change, `list` receives all saved kernels, newest first, and the ID of the
/// kernel in the editor. `trouble` receives the reason why a kernel could not be saved, or an empty string when saving succeeds again.
pub fn listen(
    list: impl Fn(Rc<[SavedKernel]>, Option<String>) + 'static,
    trouble: impl Fn(String) + 'static,
) {
    let on_list = Closure::<dyn Fn(Array, String)>::new(move |texts: Array, own: String| {
        let text = |entry: JsValue| {
            let entry: Array = entry.dyn_into().ok()?;
            Some(SavedKernel {
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
