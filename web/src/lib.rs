//! Implements the Warpgrid page, which shows a source as animated grids of its memory.
//!
//! ```text
//! editor ──► Model ──► Request ──► worker ──► Response ──► Model ──► components ──► canvas
//! ```
//!
//! [`model`], [`highlight`], [`layout_explorer`], [`compare`], [`grid_geometry`], [`share`] and [`reference`] do not use the browser and
//! are tested natively. [`components`], [`hooks`], [`canvas`], [`editor`], [`saved_kernels`], [`assist`] and [`worker_client`] use the
//! browser. The page does not link the emulator. The page uses the plain data types of the view crate and the worker protocol, so that the
//! WebAssembly module of the page stays small and no source can block the page.

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
