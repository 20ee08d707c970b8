//! Integration tests of the emulator. All tests except the allocation test share this binary.

mod common;

mod clusters;
mod events;
mod kernels;
mod launches;
mod machine_code;
mod matrix;
mod operations;
mod pending;
mod scattered;
mod snapshots;
mod tensor;
mod time_travel;
