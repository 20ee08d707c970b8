//! Kernels translated to WebAssembly with SIMD. In comes a machine at its start; out comes memory at the end of the run, bit for bit what
//! the interpreter leaves, or why the interpreter must run it. An [`Engine`] runs the module: the one that is linked in, or that of a
//! JavaScript host.

mod affine;
mod changed;
mod code;
mod detour;
mod emit;
mod engine;
mod flow;
mod helpers;
mod merge;
mod module;
mod nan;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod parts;
mod place;
mod probe;
mod refusal;
mod run;
mod scalar;
mod serve;
mod stride;

pub use engine::{Engine, Instance, Memory, Products};
#[cfg(not(target_arch = "wasm32"))]
pub use native::{Native, NativeInstance};
#[cfg(not(target_arch = "wasm32"))]
pub use parts::run_on_threads;
pub use parts::{AnyPart, Ended, Part, PartFacts, Parted, run, shares};
pub use probe::measure_products;
pub use refusal::Refusal;
pub use run::{Counts, Limits};
