//! Lane-instructions a second on one core, for saxpy and a tiled matrix product built by hand.
//! `cargo run --release -p warpgrid-emulator --example lane_bench`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;
use warpgrid_emulator::{Machine, Status};

fn measure(name: &str, make: impl Fn() -> Machine) {
    let mut best = f64::MAX;
    let mut steps = 0;
    for _ in 0..5 {
        let mut machine = make();
        let start = Instant::now();
        let status = machine.run(u64::MAX);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(status, Status::Finished, "{:?}", machine.fault());
        best = best.min(seconds);
        steps = machine.position();
    }
    let rate = steps as f64 * 32.0 / best / 1e6;
    println!(
        "{name:24} {steps:10} steps {best:8.4} s {rate:8.1} M lane-instructions/s {:6.1} ns/step",
        best * 1e9 / steps as f64
    );
}

fn main() {
    measure("saxpy 1 Mi", || {
        common::saxpy(1 << 20).launch([4096, 1, 1], [256, 1, 1])
    });
    measure("matmul_tiled 256", || {
        common::matmul_tiled(256).launch([16, 16, 1], [16, 16, 1])
    });
}
