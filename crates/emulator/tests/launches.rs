//! Tests of the seed and the limits of a launch. The tests in `view/tests/warps` run textual kernels and check the
//! execution of warps.

use crate::common::*;
use std::sync::Arc;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;

#[test]
fn same_seed_reproduces_schedule_and_other_seed_differs() {
    let trace = |seed| {
        let mut machine = matmul_tiled(32).launch_seeded([2, 2, 1], [16, 16, 1], seed);
        let mut trace = Vec::new();
        while machine.status() == MachineStatus::Running {
            trace.push(
                machine
                    .next_step()
                    .map(|n| (n.block, n.warp, n.instruction)),
            );
            machine.step(&mut ());
        }
        (trace, words(&machine, 2))
    };
    assert_eq!(trace(7), trace(7));
    assert_ne!(trace(7).0, trace(8).0);
    assert_eq!(trace(7).1, trace(0).1);
}

fn refused(change: impl Fn(&mut Launch)) -> LaunchError {
    refused_within(ResourceLimits::default(), change)
}

fn refused_within(limits: ResourceLimits, change: impl Fn(&mut Launch)) -> LaunchError {
    let (program, buffers, arguments) = saxpy(64).program();
    let mut launch = launch([1, 1, 1], [64, 1, 1], buffers, arguments, 0);
    change(&mut launch);
    match Machine::new(Arc::clone(&program), &launch, limits) {
        Err(error) => error,
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn launch_exceeding_memory_limits_is_rejected() {
    let two = refused(|l| {
        l.buffers[0].contents = BufferContents::Zeroed(600 << 20);
        l.buffers[1].contents = BufferContents::Zeroed(600 << 20);
    });
    assert!(
        matches!(
            two,
            LaunchError::BufferTooLarge { .. } | LaunchError::MemoryTooLarge { .. }
        ),
        "{two}"
    );
    let most = ResourceLimits::MAX_GLOBAL_BYTES;
    let within = |max_memory_bytes| ResourceLimits {
        max_memory_bytes,
        ..ResourceLimits::default()
    };
    let large = refused_within(within(most), |l| {
        l.buffers[0].contents = BufferContents::Zeroed(1 << 32)
    });
    assert!(matches!(large, LaunchError::BufferTooLarge { limit, .. } if limit == most));
    let beyond = refused_within(within(1 << 33), |_| {});
    assert_eq!(
        beyond.to_string(),
        "`max_memory_bytes` is 8589934592, expected at most 4294901760"
    );
}

#[test]
fn invalid_launch_parameters_are_rejected() {
    let large = refused(|l| l.block = [1025, 1, 1]);
    assert_eq!(large.to_string(), "block.x is 1025, expected at most 1024");
    let many = refused(|l| l.block = [64, 64, 1]);
    assert_eq!(
        many.to_string(),
        "the launch has 4096 threads per block, expected at most 1024"
    );
    let zero = refused(|l| l.grid = [0, 1, 1]);
    assert_eq!(
        zero.to_string(),
        "the grid size 0x1x1 has an extent of zero"
    );
    let tera = refused(|l| l.buffers[0].contents = BufferContents::Zeroed(1 << 40));
    assert!(matches!(tera, LaunchError::BufferTooLarge { bytes, .. } if bytes == 1 << 40));
    assert!(matches!(
        refused(|l| l.arguments.truncate(1)),
        LaunchError::ArgumentCount {
            expected: 4,
            found: 1
        }
    ));
    assert!(matches!(
        refused(|l| l.arguments[2].bytes.push(0)),
        LaunchError::ArgumentSize {
            index: 2,
            expected: 4,
            found: 5,
            ..
        }
    ));
    assert!(matches!(
        refused(|l| l.grid = [1 << 31, 1, 1]),
        LaunchError::ExtentTooLarge {
            what: "grid",
            axis: 0,
            ..
        }
    ));
    assert!(matches!(
        refused(|l| l.dynamic_shared_bytes = 1 << 20),
        LaunchError::SharedTooLarge { .. }
    ));
}

#[test]
fn maximum_grid_size_starts_with_bounded_resident_blocks() {
    const MAX: u32 = i32::MAX as u32;
    let mut machine = saxpy(64).launch([MAX, 1, 1], [64, 1, 1]);
    assert_eq!(machine.n_blocks(), u64::from(MAX));
    assert_eq!(machine.run(10_000), MachineStatus::Running);
    assert_eq!(machine.position(), 10_000);
    assert!(machine.blocks().len() <= 64);
}
