//! Programs run, lane by lane. One program holds every test of this room but the one that counts allocations.

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
