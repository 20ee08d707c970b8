//! The layout lens on whole runs: conflicts explained and cured, layouts read back.

mod cures;
mod descriptors;
mod kernels;
mod layouts;
mod tables;
