//! Tests of complete kernels that are built by hand.

use crate::common::*;
use warpgrid_emulator::*;

#[test]
fn saxpy_matches_host_result() {
    let mut machine = saxpy(1000).launch([4, 1, 1], [256, 1, 1]);
    assert_eq!(machine.run(u64::MAX), MachineStatus::Finished);
    for (i, word) in words(&machine, 1).into_iter().enumerate() {
        let x = i as f32 * 0.5;
        assert_eq!(f32::from_bits(word), 2.5f32.mul_add(x, i as f32));
    }
}

#[test]
fn tiled_matmul_matches_host_result() {
    let n = 32;
    let mut machine = matmul_tiled(n).launch([2, 2, 1], [16, 16, 1]);
    assert_eq!(
        machine.run(u64::MAX),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    let c = words(&machine, 2);
    for row in 0..n {
        for col in 0..n {
            let expected: f32 = (0..n)
                .map(|k| ((row * n + k) % 7) as f32 * ((k * n + col) % 5) as f32)
                .sum();
            assert_eq!(f32::from_bits(c[(row * n + col) as usize]), expected);
        }
    }
}
