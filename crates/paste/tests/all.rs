//! The tests of this room: one program, a module for each file.

#[path = "all/binaries.rs"]
mod binaries;
#[path = "all/hosts.rs"]
mod hosts;
#[path = "all/properties.rs"]
mod properties;
#[path = "all/verdicts.rs"]
mod verdicts;
