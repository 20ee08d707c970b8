//! The Warpgrid page: a text goes in, moving grids come out.
//!
//! ```text
//! editor ──► Model ──► Request ──► worker: the core ──► Response ──► Model ──► components ──► canvas
//! ```
//! [`model`], [`links`], [`matrix`], [`beside`], [`layout`], [`share`] and [`reference`] know no browser and are tested natively;
//! [`components`], [`hooks`], [`canvas`], [`editor`], [`texts`], [`assist`] and [`client`] are the only ones that do.
//! Nothing here calls the core: it names view's plain data and the worker's protocol, so that the page's own
//! wasm stays small and is never kept waiting by a text.

pub mod assist;
pub mod beside;
pub mod canvas;
pub mod client;
pub mod components;
pub mod editor;
pub mod examples;
pub mod format;
pub mod hooks;
pub mod layout;
pub mod links;
pub mod matrix;
pub mod model;
pub mod outcomes;
pub mod product;
pub mod reference;
pub mod share;
pub mod storage;
pub mod texts;
pub mod theme;

pub use warpgrid_worker::protocol;
