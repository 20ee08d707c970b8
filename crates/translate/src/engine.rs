//! Interface to WebAssembly engines. The module takes the bytes of a module, and returns an instance with its memory
//! and its exported function `phase`. The module `wasmtime_engine` implements this interface with Wasmtime. The crate
//! `warpgrid-webassembly` implements it with the engine of a JavaScript host.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// Rounding of the WebAssembly instruction `relaxed_madd` in an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaddRounding {
    /// One rounding: `relaxed_madd` is a fused multiply-add.
    Fused,
    /// The engine rounds two times, or does not support `relaxed_madd`. For this engine, modules emulate `fma`.
    Unfused,
}

/// WebAssembly engine that compiles and instantiates modules.
pub trait Engine {
    type Module;
    type Instance: ModuleInstance;

    /// Returns the rounding of `relaxed_madd`.
    fn products(&self) -> MaddRounding;

    /// Returns the time since an arbitrary but fixed point in time.
    fn now() -> Duration;

    /// Compiles a module. An error is returned as a message fragment.
    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String>;

    /// Instantiates a module with zeroed memory. An error is returned as a message fragment.
    fn instantiate(&self, module: &Self::Module) -> Result<Self::Instance, String>;
}

/// Linear memory of a module instance, which the host reads. All accessed ranges must be within bounds.
pub trait LinearMemory {
    /// Returns the bytes of a range of linear memory.
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]>;
}

/// Instance of a translated module, whose exported function executes one barrier interval per call.
pub trait ModuleInstance: LinearMemory {
    /// Calls the exported function `phase`. Returns its exit code, which is zero on success. An error is returned as a
    /// message fragment.
    fn run_interval(&mut self, begins: i32) -> Result<u32, String>;

    /// Modifies the bytes of a range of linear memory with a closure, and returns the closure's result.
    fn update<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R;

    /// Replaces the bytes of linear memory from address `start` on.
    fn write(&mut self, start: usize, bytes: &[u8]);

    /// Fills a range of linear memory with zeros.
    fn zero(&mut self, range: Range<usize>);
}
