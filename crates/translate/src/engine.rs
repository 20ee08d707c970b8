//! Interface to WebAssembly engines. Input: the bytes of a module. Output: an instance with its memory and its exported
//! function `phase`. The module `wasmtime_engine` implements the interface with Wasmtime. The crate
//! `warpgrid-webassembly` uses the engine of a JavaScript host.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// Rounding of `relaxed_madd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaddRounding {
    /// One rounding: the instruction is a fused multiply-add.
    Fused,
    /// Two roundings, or the engine has no such instruction. The module emulates `fma`.
    Unfused,
}

/// Compiles and instantiates modules.
pub trait Engine {
    type Module;
    type Instance: ModuleInstance;

    /// Returns the rounding of `relaxed_madd`.
    fn products(&self) -> MaddRounding;

    /// Returns the time since a fixed point in time.
    fn now() -> Duration;

    /// Compiles a module. The error is a message fragment.
    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String>;

    /// Instantiates a module with zeroed memory. The error is a message fragment.
    fn instantiate(&self, module: &Self::Module) -> Result<Self::Instance, String>;
}

/// Linear memory of a module instance. Ranges must be within bounds.
pub trait LinearMemory {
    /// Returns the bytes of a range.
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]>;
}

/// Module instance.
pub trait ModuleInstance: LinearMemory {
    /// Calls `phase`. Returns the exit code, or zero. The error is a message fragment.
    fn run_interval(&mut self, begins: i32) -> Result<u32, String>;

    /// Modifies the bytes of a range.
    fn update<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R;

    /// Replaces the bytes that begin at address `start`.
    fn write(&mut self, start: usize, bytes: &[u8]);

    /// Zeroes a range.
    fn zero(&mut self, range: Range<usize>);
}
