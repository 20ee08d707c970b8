//! Compiles kernels to WebAssembly modules with SIMD instructions, and runs the modules.
//!
//! - Input: a [`Plain`](warpgrid_emulator::plain::Plain) view of a machine that has not executed a step.
//! - Output: the memory at the end of the run, which is identical to the result of the interpreter, or a [`BailoutReason`],
//!   the reason for a bailout to the interpreter.
//! - An [`Engine`] executes the module: Wasmtime in native hosts, or the engine of a JavaScript host.
//! - Tests: `cargo test -p warpgrid-translate` compares both engines with the corpus and with random kernels (two
//!   minutes).
//!
//! The comments use these terms: a *lane vector* (`gang`; *lane group* in the README) consists of four adjacent lanes
//! of a warp, which execute in one SIMD vector; a *region* (`strip`) is the code between two synchronization points; a
//! *barrier interval* (`phase`) is the execution of a block between two barriers; a *record* is the saved context of a
//! suspended lane vector; an *epoch* (`name`) identifies the accesses of a lane vector between two synchronizations in
//! *shadow memory* (`notes`).

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

pub use crate::engine::{Engine, LinearMemory, MaddRounding, ModuleInstance};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::native::{WasmtimeEngine, WasmtimeInstance};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::parts::run_on_threads;
pub use crate::parts::{
    AnyPartition, FinishedRun, Partition, PartitionSummary, PartitionedRun, run, split_evenly,
};
pub use crate::probe::detect_madd_rounding;
pub use crate::refusal::BailoutReason;
pub use crate::run::{ReplayBlock, RunLimits};
