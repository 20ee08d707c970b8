//! The tests of this room: one program, a module for each file.

#[path = "all/hosts.rs"]
mod hosts;
