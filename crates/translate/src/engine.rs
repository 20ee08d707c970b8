//! What runs a module. In: the bytes of a module; out: an instance, with its memory and its function `phase`. Natively that is
//! `native`; where JavaScript is the host, the room `webassembly` has the host's own.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

/// How an engine computes `relaxed_madd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// It rounds once, so that it is `fma`.
    Fused,
    /// It rounds twice, or there is no such instruction: `fma` is written with others.
    Separate,
}

/// Compiles modules and makes instances of them.
pub trait Engine {
    type Module;
    type Instance: Instance;

    /// How it computes `relaxed_madd`.
    fn products(&self) -> Products;

    /// The time since some moment, which is the same for all calls.
    fn now() -> Duration;

    /// Compiles a module; the error is a part of a sentence.
    fn compile(&self, wasm: &[u8]) -> Result<Self::Module, String>;

    /// Makes an instance, whose memory is all zeros; the error is a part of a sentence.
    fn instantiate(&self, module: &Self::Module) -> Result<Self::Instance, String>;
}

/// The memory of a module. Ranges are bytes of it and lie inside it.
pub trait Memory {
    /// The bytes of a range.
    fn look(&self, range: Range<usize>) -> Cow<'_, [u8]>;
}

/// A module with its memory.
pub trait Instance: Memory {
    /// Calls `phase`: why the run stops, or zero. The error is a part of a sentence.
    fn phase(&mut self, begins: i32) -> Result<u32, String>;

    /// Changes the bytes of a range.
    fn edit<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R;

    /// Replaces bytes from `start` on.
    fn write(&mut self, start: usize, bytes: &[u8]);

    /// Makes zeros of a range.
    fn clear(&mut self, range: Range<usize>);
}
