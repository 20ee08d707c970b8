//! Layout inspector on complete runs: bank conflicts with their fixes, and inferred layouts.

mod bank_conflict_fixes;
mod descriptors;
mod kernels;
mod layouts;
mod tables;
