//! Compiles kernels to WebAssembly with SIMD instructions.
//!
//! - Input and output: a machine at its start; the memory at the end of the run, which is identical to the result of the interpreter,
//!   or the reason why the interpreter must execute the launch.
//! - An [`Engine`] runs the module: the engine that is linked in, or the engine of a JavaScript host.
//! - Tests: `cargo test -p warpgrid-translate` compares both engines with the corpus and with random kernels (two minutes).

pub(crate) mod affine;
pub(crate) mod changed;
pub(crate) mod code;
pub(crate) mod detour;
pub(crate) mod emit;
pub(crate) mod engine;
pub(crate) mod flow;
pub(crate) mod helpers;
pub(crate) mod instructions;
pub(crate) mod merge;
pub(crate) mod module;
pub(crate) mod nan;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod native;
pub(crate) mod parts;
pub(crate) mod place;
pub(crate) mod primitive;
pub(crate) mod probe;
pub(crate) mod refusal;
pub(crate) mod registers;
pub(crate) mod run;
pub(crate) mod scalar;
pub(crate) mod serve;
pub(crate) mod stride;
pub(crate) mod value;

pub use crate::engine::{Engine, Instance, Memory, Products};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::native::{Native, NativeInstance};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::parts::run_on_threads;
pub use crate::parts::{AnyPart, Ended, Part, PartFacts, Parted, run, shares};
pub use crate::probe::measure_products;
pub use crate::refusal::Refusal;
pub use crate::run::{Counts, Limits};
