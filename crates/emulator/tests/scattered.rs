//! Tests of seeks in runs whose stores modify many pages, so that copies of the modified pages would be large.

use crate::common::*;
use proptest::prelude::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;

/// Number of words of the buffer.
const N_WORDS: u64 = 1 << 18;

/// Returns a kernel in which each thread stores words and half words to pseudorandom addresses, and each warp stores a
/// row.
fn scattering() -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(N_WORDS));
    let tid = k.mov(u32t, special("%tid.x"));
    let i = global_index(&mut k);
    let x = k.arith(mad(MulPart::Lo), u32t, &[reg(i), imm(747_796_405), imm(1)]);
    let round = k.mov(u32t, imm(0));
    let head = k.label();
    k.here(head);
    k.arith_to(
        x,
        mad(MulPart::Lo),
        u32t,
        &[reg(x), imm(1_664_525), imm(1_013_904_223)],
    );
    let high = k.arith(ArithmeticOp::Shr, u32t, &[reg(x), imm(9)]);
    let place = k.arith(ArithmeticOp::And, u32t, &[reg(high), imm(N_WORDS - 1)]);
    let address = k.element(out, reg(place), 4);
    k.store(StateSpace::Global, u32t, address, reg(x));
    k.store(StateSpace::Global, ScalarType::U16, address, reg(i));
    let row = k.arith(mad(MulPart::Lo), u32t, &[reg(round), imm(8192), reg(tid)]);
    let address = k.element(out, reg(row), 4);
    k.store(StateSpace::Global, u32t, address, reg(round));
    k.arith_to(round, ArithmeticOp::Add, u32t, &[reg(round), imm(1)]);
    let more = k.setp(CompareOp::Lt, u32t, reg(round), imm(30));
    k.when(more, false).bra(head);
    k.control(ControlOp::Return);
    k
}

fn machine() -> Machine {
    let (program, buffers, arguments) = scattering().program();
    let mut launch = launch([6, 1, 1], [64, 1, 1], buffers, arguments, 7);
    launch.writer_tracking = WriterTracking::LastWriter;
    Machine::new(program, &launch, ResourceLimits::default()).unwrap()
}

/// A snapshot of all memory that this launch changes exceeds these limits.
const LIMITS: TimelineLimits = TimelineLimits {
    snapshot_bytes: 2 << 20,
    max_snapshots: 64,
    max_ticks: 256,
    min_interval: 64,
};

fn assert_same(timeline: &Timeline, forward: &Machine) {
    let region = MemoryRegion::Buffer(BufferIndex(0));
    let machine = timeline.machine();
    assert_eq!(machine.position(), forward.position());
    assert!(machine.memory(region) == forward.memory(region));
    let writers = |machine: &Machine| -> Vec<_> {
        let writers = machine.writers(region).unwrap();
        (0..writers.len())
            .step_by(2)
            .map(|byte| (writers.of(byte), writers.is_written(byte)))
            .collect()
    };
    assert!(writers(machine) == writers(forward));
    for block in forward.blocks() {
        for warp in 0..block.n_warps {
            assert_eq!(
                machine.warp(block.index, warp),
                forward.warp(block.index, warp)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn state_after_seeks_and_steps_matches_forward_run(walk in prop::collection::vec((0.0..1.0f64, 0..90u32), 1..6)) {
        let mut timeline = Timeline::new(machine(), LIMITS);
        timeline.run_to_end(u64::MAX);
        let length = timeline.position();
        for (to, n_back) in walk {
            timeline.seek((length as f64 * to) as u64);
            for _ in 0..n_back {
                timeline.back();
            }
            let mut forward = machine();
            forward.run(timeline.position());
            assert_same(&timeline, &forward);
            for _ in 0..n_back / 2 {
                timeline.step(&mut ());
                forward.step(&mut ());
            }
            assert_same(&timeline, &forward);
        }
    }
}

#[test]
fn step_back_after_seek_replays_at_most_min_interval_steps() {
    let mut timeline = Timeline::new(machine(), LIMITS);
    timeline.run_to_end(u64::MAX);
    let length = timeline.position();
    assert!(length > 64 * LIMITS.min_interval, "{length}");
    for goal in [length, length / 4, length * 3 / 4, length / 2] {
        timeline.seek(goal);
        for back in 0..50 {
            let before = timeline.steps_run();
            timeline.back();
            let ran = timeline.steps_run() - before;
            assert!(
                ran <= LIMITS.min_interval,
                "{ran} steps, {back} before {goal}"
            );
        }
        assert_eq!(timeline.position(), goal - 50);
    }
}

#[test]
fn snapshot_memory_is_bounded_by_limit_plus_buffer_size() {
    let mut timeline = Timeline::new(machine(), LIMITS);
    timeline.run_to_end(u64::MAX);
    // The initial snapshot and the last position of the recent past are always kept.
    let most = 4 * N_WORDS + LIMITS.snapshot_bytes;
    let takes = timeline.snapshot_bytes();
    assert!(takes <= most, "{takes} bytes of {most}");
}
