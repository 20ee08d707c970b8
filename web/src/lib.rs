//! The Warpgrid page: a text goes in, moving grids come out.
//!
//! ```text
//! editor ──► Model ──► Request ──► worker: Runner over view::Session ──► Response ──► Model ──► components ──► canvas
//! ```
//! [`model`], [`links`], [`layout`], [`protocol`], [`reference`] and [`runner`] know no browser and are tested natively;
//! [`components`], [`hooks`], [`canvas`], [`editor`], [`assist`], [`client`] and [`worker`] are the only ones that do.

pub mod assist;
pub mod canvas;
pub mod client;
pub mod components;
pub mod editor;
pub mod examples;
pub mod format;
pub mod hooks;
pub mod layout;
pub mod links;
pub mod model;
pub mod protocol;
pub mod reference;
pub mod runner;
pub mod storage;
pub mod theme;
pub mod worker;

use wasm_bindgen::JsCast;

/// Starts the role that fits the place: a worker has no window.
pub fn start() {
    if js_sys::global().dyn_ref::<web_sys::Window>().is_some() {
        components::mount();
    } else {
        worker::serve();
    }
}
