//! Tests of the JavaScript API in Node.js.
#![cfg(target_arch = "wasm32")]

mod boundary;
