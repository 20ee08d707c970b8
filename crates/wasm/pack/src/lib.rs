//! WebAssembly module of the npm package and of its widget, which `wasm-pack build` compiles.

pub use warpgrid_wasm::*;
