//! Races, hangs and litmus tests, run through the facade `view`. One program contains all tests, so that the emulator is linked once.

#[path = "../../view/tests/common/folders.rs"]
mod folders;

mod explorer;
mod files;
mod kernels;
mod repairs;
