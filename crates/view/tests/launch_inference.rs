//! Inferred launches of compiled kernels whose intended block size is known. `data/launches.jsonl` contains kernels of 22 families in CUDA C++ and
//! their PTX (NVRTC 12.9, `compute_80`), which contains no launch configuration.

use serde::Deserialize;
use std::collections::BTreeMap;
use warpgrid_view::{Scenario, Session};

#[derive(Deserialize)]
struct Kernel {
    name: String,
    /// Block for which the programmer wrote the kernel.
    block: [u32; 3],
    ptx: String,
}

fn kernels() -> Vec<Kernel> {
    let lines = include_str!("data/launches.jsonl").lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a kernel"))
        .collect()
}

fn session(kernel: &Kernel) -> Session {
    let scenario = Scenario {
        source: kernel.ptx.clone(),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{}: {error:?}", kernel.name))
}

/// Kernels whose inferred block is smaller than the intended block, although it executes all instructions. In the kernels of the family
/// `special`, only the size of the output determines the number of consumer warps. In the kernel `warpgroup-2`, two warpgroups already execute
/// both cases of a `switch` statement over the warpgroups.
const SMALLER: &[(&str, [u32; 3])] = &[
    ("special-2", [64, 1, 1]),
    ("special-4", [64, 1, 1]),
    ("warpgroup-2", [256, 1, 1]),
];

#[test]
fn inferred_block_equals_intended_block() {
    let smaller: BTreeMap<&str, [u32; 3]> = SMALLER.iter().copied().collect();
    let kernels = kernels();
    assert_eq!(kernels.len(), 66);
    for kernel in kernels {
        let expected = smaller.get(&*kernel.name).unwrap_or(&kernel.block);
        let block = session(&kernel).scenario().block;
        assert_eq!(block, Some(*expected), "{}", kernel.name);
    }
}

#[test]
fn inferred_launch_of_correct_kernel_has_no_race_and_no_hang() {
    for kernel in kernels() {
        let mut session = session(&kernel);
        let report = session.detect_races(1_000_000);
        assert!(
            report.races.is_empty(),
            "{}: {:?}",
            kernel.name,
            report.races
        );
        assert!(
            report.unwritten.is_empty(),
            "{}: {:?}",
            kernel.name,
            report.unwritten
        );
        assert!(
            session.fault().is_none(),
            "{}: {:?}",
            kernel.name,
            session.fault()
        );
    }
}

#[test]
fn missing_synchronization_is_found_with_inferred_launch() {
    let removable = [
        "reduce",
        "reverse",
        "scan",
        "transpose",
        "bitonic",
        "matmul",
        "stencil",
    ];
    let mut n_checked = 0;
    for mut kernel in kernels() {
        let family = kernel.name.split('-').next().unwrap_or_default().to_owned();
        // A block of one warp runs in lockstep, and some of these kernels need no barrier within a warp.
        if !removable.contains(&&*family) || kernel.block[0] * kernel.block[1] <= 32 {
            continue;
        }
        kernel.ptx = kernel.ptx.replace("bar.sync \t0;", "");
        let mut session = session(&kernel);
        let report = session.detect_races(1_000_000);
        let is_found = !report.races.is_empty() || !report.unwritten.is_empty();
        assert!(is_found, "{}", kernel.name);
        n_checked += 1;
    }
    assert!(n_checked >= 15, "{n_checked}");
}
