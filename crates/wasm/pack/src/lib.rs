//! The wasm of the npm package, and of its widget: what `wasm-pack build` compiles.

pub use warpgrid_wasm::*;
