//! Compiles kernels to WebAssembly modules with SIMD instructions, and runs the modules.
//!
//! - The input is a [`TranslationView`](warpgrid_emulator::translation_view::TranslationView) of a machine that has not
//!   executed a step.
//! - The output is the memory at the end of the run, which is identical to the result of the interpreter, or a
//!   [`BailoutReason`] if the interpreter must execute the launch.
//! - An [`Engine`] executes the module: Wasmtime in native hosts, or the engine of a JavaScript host.
//! - Tests: `cargo test -p warpgrid-translate` compares compiled runs with interpreted runs, for the kernels of the
//!   corpus and for random kernels (two minutes).
//!
//! The comments use the following terms. A *subwarp* consists of four adjacent lanes of a warp, which execute in one
//! SIMD vector. A *region* is the code between two synchronization points. A *barrier interval* is the execution of a
//! block between two barriers. A *context record* (`record`) contains the saved context of a suspended subwarp. An
//! *epoch* (`name` in some identifiers) identifies the accesses of a subwarp between two synchronizations in *shadow
//! memory* (`notes` in some identifiers).
//!
//! # Example
//!
//! The example compiles and runs the kernel of a machine, and passes the result to a timeline.
//!
//! ```
//! use warpgrid_emulator::{Machine, Timeline, TimelineLimits};
//! use warpgrid_translate::{BailoutReason, RunLimits, WasmtimeEngine, run};
//!
//! fn run_compiled(machine: &Machine) -> Result<Timeline, BailoutReason> {
//!     let limits = RunLimits {
//!         max_steps: 1_000_000,
//!         min_steps_per_second: None,
//!     };
//!     let view = machine.translation_view().ok_or(BailoutReason::Launch)?;
//!     let finished = run(WasmtimeEngine::get(), view, limits)?;
//!     let mut timeline = Timeline::new(machine.clone(), TimelineLimits::default());
//!     assert!(finished.with_result(|result| timeline.adopt_result(result)));
//!     Ok(timeline)
//! }
//! ```

pub(crate) mod affine;
pub(crate) mod bailout;
pub(crate) mod control_flow_graph;
pub(crate) mod dirty_registers;
pub(crate) mod emit;
pub(crate) mod engine;
pub(crate) mod fma_probe;
pub(crate) mod host_calls;
pub(crate) mod if_conversion;
pub(crate) mod inlined_code;
pub(crate) mod instructions;
pub(crate) mod lane_stride;
pub(crate) mod layout;
pub(crate) mod module;
pub(crate) mod nan_canonicalization;
pub(crate) mod partition;
pub(crate) mod partition_merge;
pub(crate) mod partition_runner;
pub(crate) mod primitive;
pub(crate) mod registers;
pub(crate) mod runtime;
pub(crate) mod uniform_registers;
pub(crate) mod value;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod wasmtime_engine;

pub use crate::bailout::BailoutReason;
pub use crate::engine::{Engine, LinearMemory, MaddRounding, ModuleInstance};
pub use crate::fma_probe::detect_madd_rounding;
#[cfg(not(target_arch = "wasm32"))]
pub use crate::partition::run_on_threads;
pub use crate::partition::{
    AnyPartition, FinishedRun, Partition, PartitionSummary, PartitionedRun, run, split_evenly,
};
pub use crate::partition_runner::{ReplayBlock, RunLimits};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::wasmtime_engine::{WasmtimeEngine, WasmtimeInstance};
