//! Kernels translated to WebAssembly with SIMD. In comes a machine at its start; out comes memory at the end of the run, bit for bit what
//! the interpreter leaves, or why the interpreter must run it.

mod affine;
mod count;
mod emit;
mod flow;
mod helpers;
mod module;
mod place;
mod refusal;
mod run;

pub use refusal::Refusal;
pub use run::{Ended, run};
