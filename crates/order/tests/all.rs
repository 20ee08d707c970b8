//! Races, hangs and litmus tests, run through the facade `warpgrid-view`. All tests are in one program, so that the
//! emulator is linked once.

#[path = "../../view/tests/common/folders.rs"]
mod folders;

mod explorer;
mod files;
mod kernels;
mod repairs;
mod schedule_brute_force;
mod schedules;
