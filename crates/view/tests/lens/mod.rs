//! Layout inspector on complete runs: bank conflicts with their fixes, and inferred layouts.

mod cures;
mod descriptors;
mod kernels;
mod layouts;
mod tables;
