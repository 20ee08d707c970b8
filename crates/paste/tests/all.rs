//! Integration tests of the crate: one binary with a module per file.

#[path = "all/binaries.rs"]
mod binaries;
#[path = "all/hosts.rs"]
mod hosts;
#[path = "all/properties.rs"]
mod properties;
#[path = "all/verdicts.rs"]
mod verdicts;
