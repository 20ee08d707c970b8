//! The Warpgrid page: shows a source as animated grids of its memory.
//!
//! ```text
//! editor ──► Model ──► Request ──► worker ──► Response ──► Model ──► components ──► canvas
//! ```
//!
//! [`model`], [`links`], [`matrix`], [`beside`], [`layout`], [`share`] and [`reference`] do not use the browser and are tested natively;
//! [`components`], [`hooks`], [`canvas`], [`editor`], [`texts`], [`assist`] and [`client`] do. The page does not link the emulator: it uses
//! the plain data types of the view crate and the worker protocol, so that its own wasm module stays small and no source can block it.

pub mod assist;
pub mod canvas;
pub mod compare;
pub mod components;
pub mod editor;
pub mod examples;
pub mod format;
pub mod grid_geometry;
pub mod highlight;
pub mod hooks;
pub mod layout_explorer;
pub mod litmus;
pub mod mma_arithmetic;
pub mod model;
pub mod reference;
pub mod saved_kernels;
pub mod share;
pub mod storage;
pub mod theme;
pub mod worker_client;

pub use warpgrid_worker::protocol;
