//! Tests of the JavaScript API in a browser.
#![cfg(target_arch = "wasm32")]

mod boundary;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
