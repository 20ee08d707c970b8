//! Differential testing of assemblers. A random kernel runs as PTX and as the SASS that an installed assembler generates from the PTX. The
//! memory of both runs must be equal.
//!
//! - Input: the seed of the kernels, and the programs of an assembler and its disassembler. Output: the kernels whose memory differs, reduced
//!   to minimal test cases.
//! - Invariant: the checker accepts each generated kernel, and each kernel terminates and has no undefined behavior, so that a difference is
//!   an error of the assembler or of the emulator.
//! - Tests: `cargo test -p warpgrid-differential` (seconds, without an assembler).

pub mod assemble;
pub mod batch;
mod body;
mod constructs;
pub mod difference;
mod excluded;
pub mod files;
pub mod fuzz;
pub mod inputs;
mod instruction;
pub mod kernel;
pub mod launch;
pub mod random;
pub mod run;
pub mod shrink;
pub mod threads;

pub use excluded::KnownMiscompiles;

/// Result whose error is a sentence that states the cause.
pub type Result<T> = std::result::Result<T, String>;
