//! The core while one works on the page: whatever its worker is named, it reads both languages, and it writes the pages of the reference
//! itself. So one program is compiled in place of four.

use warpgrid_view::source::reference::pages;
use warpgrid_worker::later::Later;
use warpgrid_worker::listen::listen;
use warpgrid_worker::protocol::encode;
use warpgrid_worker::runner::Runner;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// What the page called the worker.
    #[wasm_bindgen(thread_local_v2, js_name = name)]
    static NAME: String;
}

/// The bytes of `reference.bin`, which the release site has as a file.
#[wasm_bindgen(js_name = writeReference)]
pub fn write_reference() -> Vec<u8> {
    encode(&pages())
}

fn main() {
    if NAME.with(|name| name.starts_with("both")) {
        listen::<Later>();
    } else {
        listen::<Runner>();
    }
}
