//! Implements the worker module of development builds. The module supports both languages under every worker name and generates the
//! reference pages itself, so that a development build compiles one program instead of four.

use warpgrid_view::source::reference::pages;
use warpgrid_worker::extended_worker::ExtendedWorker;
use warpgrid_worker::message_loop::run_message_loop;
use warpgrid_worker::protocol::encode;
use warpgrid_worker::runner::SessionRunner;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Name that the page has assigned to the worker.
    #[wasm_bindgen(thread_local_v2, js_name = name)]
    static NAME: String;
    #[wasm_bindgen(js_name = postMessage)]
    fn post_message(message: bool);
}

/// Returns the contents of `reference.bin`, which is a separate file of the release site.
#[wasm_bindgen(js_name = writeReference)]
pub fn write_reference() -> Vec<u8> {
    encode(&pages())
}

fn main() {
    if NAME.with(|name| name.starts_with("extended")) {
        run_message_loop::<ExtendedWorker>();
    } else {
        run_message_loop::<SessionRunner>();
    }
    // As in `web/worker/start.js`, `true` reports that the module has loaded.
    post_message(true);
}
