//! Properties of seeks: the state at a position does not depend on the path to it.

use crate::common::*;
use proptest::prelude::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

/// Returns a kernel whose lanes diverge depending on data, execute loops, store to global and shared memory, and wait
/// at barriers.
fn divergent(seed: u64) -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(4 * 96));
    let shared = k.shared(4 * 96, 4);
    let tid = k.mov(u32t, special("%tid.x"));
    let i = global_index(&mut k);
    let x = k.arith(mad(MulPart::Lo), u32t, &[reg(i), imm(seed | 1), imm(27)]);
    k.arith_to(x, ArithmeticOp::And, u32t, &[reg(x), imm(63)]);
    let steps = k.mov(u32t, imm(0));
    let head = k.label();
    let odd = k.label();
    let next = k.label();
    let end = k.label();
    k.here(head);
    let done = k.setp(CompareOp::Le, u32t, reg(x), imm(1));
    k.when(done, false).bra(end);
    k.arith_to(steps, ArithmeticOp::Add, u32t, &[reg(steps), imm(1)]);
    let address = k.element(out, reg(i), 4);
    k.store(StateSpace::Global, u32t, address, reg(x));
    let low = k.arith(ArithmeticOp::And, u32t, &[reg(x), imm(1)]);
    let is_odd = k.setp(CompareOp::Ne, u32t, reg(low), imm(0));
    k.when(is_odd, false).bra(odd);
    k.arith_to(x, ArithmeticOp::Shr, u32t, &[reg(x), imm(1)]);
    k.bra(next);
    k.here(odd);
    k.arith_to(x, mad(MulPart::Lo), u32t, &[reg(x), imm(3), imm(1)]);
    k.here(next);
    k.bra(head);
    k.here(end);
    let offset = k.arith(mul(MulPart::Lo), u32t, &[reg(tid), imm(4)]);
    let base = k.mov(u32t, address_of(shared));
    let place = k.arith(ArithmeticOp::Add, u32t, &[reg(base), reg(offset)]);
    k.store(StateSpace::Shared, u32t, at(place, 0), reg(steps));
    barrier(&mut k);
    let other = k.arith(ArithmeticOp::Sub, u32t, &[imm(95 * 4), reg(offset)]);
    let place = k.arith(ArithmeticOp::Add, u32t, &[reg(base), reg(other)]);
    let found = k.load(StateSpace::Shared, u32t, at(place, 0));
    let address = k.element(out, reg(i), 4);
    k.store(StateSpace::Global, u32t, address, reg(found));
    k.control(ControlOp::Return);
    k
}

fn small_limits() -> TimelineLimits {
    TimelineLimits {
        min_interval: 16,
        max_snapshots: 12,
        ..TimelineLimits::default()
    }
}

/// Everything that a host can observe.
#[derive(Debug, PartialEq)]
struct Seen {
    position: u64,
    status: MachineStatus,
    memory: Vec<u8>,
    warps: Vec<Option<WarpView>>,
    shared: Vec<Vec<u8>>,
    next: Option<NextStep>,
    registers: Vec<Option<[u128; 32]>>,
}

fn see(machine: &Machine) -> Seen {
    let blocks = machine.blocks();
    Seen {
        position: machine.position(),
        status: machine.status(),
        memory: machine
            .memory(MemoryRegion::Buffer(BufferIndex(0)))
            .unwrap()
            .to_vec(),
        warps: blocks
            .iter()
            .flat_map(|b| (0..b.n_warps).map(|w| machine.warp(b.index, w)))
            .collect(),
        shared: blocks
            .iter()
            .filter_map(|b| machine.memory(MemoryRegion::Shared { block: b.index }))
            .map(<[u8]>::to_vec)
            .collect(),
        next: machine.next_step(),
        registers: blocks
            .iter()
            .flat_map(|b| (0..b.n_warps).map(move |w| (b.index, w)))
            .flat_map(|(b, w)| {
                (0..12).map(move |r| machine.register_row(b, w, FunctionId(0), RegisterId(r)))
            })
            .collect(),
    }
}

/// Returns the observable state after `n` steps without seeks.
fn plain(seed: u64, n: u64) -> Seen {
    let mut machine = divergent(seed).launch_seeded([4, 1, 1], [96, 1, 1], seed);
    for _ in 0..n {
        machine.step(&mut ());
    }
    see(&machine)
}

fn timeline(seed: u64) -> Timeline {
    let machine = divergent(seed).launch_seeded([4, 1, 1], [96, 1, 1], seed);
    Timeline::new(machine, small_limits())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn state_after_seeks_matches_forward_run(
        seed in 0u64..6,
        places in prop::collection::vec(0u64..9000, 1..12),
    ) {
        let mut timeline = timeline(seed);
        for place in places {
            timeline.seek(place);
            let place = timeline.position();
            prop_assert_eq!(see(timeline.machine()), plain(seed, place));
        }
    }

    #[test]
    fn stepping_forward_then_back_restores_state(
        seed in 0u64..6, start in 0u64..6000, n in 0u64..200,
    ) {
        let mut timeline = timeline(seed);
        timeline.seek(start);
        let before = see(timeline.machine());
        let mut done = 0;
        for _ in 0..n {
            let at = timeline.position();
            timeline.step(&mut ());
            done += timeline.position() - at;
        }
        for _ in 0..done {
            prop_assert!(timeline.back());
        }
        prop_assert_eq!(see(timeline.machine()), before);
    }

    #[test]
    fn run_in_slices_matches_single_run(seed in 0u64..6, slices in prop::collection::vec(1u64..700, 1..40)) {
        let mut timeline = timeline(seed);
        for slice in slices {
            timeline.run_to_end(slice);
        }
        let position = timeline.position();
        prop_assert_eq!(see(timeline.machine()), plain(seed, position));
    }
}

#[test]
fn length_is_known_at_end_and_ticks_match_stores() {
    let mut timeline = timeline(0);
    assert_eq!(timeline.length(), None);
    let end = timeline.run_to_end(u64::MAX);
    assert_eq!(end.status, MachineStatus::Finished);
    assert_eq!(timeline.length(), Some(end.position));
    let ticks = timeline.ticks().clone();
    assert_eq!(ticks.known_to, end.position);

    #[derive(Default)]
    struct Steps(Vec<u64>);
    impl Observer for Steps {
        fn access(&mut self, event: &AccessEvent<'_>) {
            self.0.push(event.step);
        }
    }
    let mut steps = Steps::default();
    timeline.replay(0, end.position, &mut steps);
    assert_eq!(ticks.steps, steps.0);
    assert_eq!(ticks.n_stores, steps.0.len() as u64);
    assert_eq!(timeline.position(), end.position);
}

#[test]
fn ticks_beyond_limit_are_thinned() {
    let machine = divergent(1).launch([4, 1, 1], [96, 1, 1]);
    let limits = TimelineLimits {
        max_ticks: 16,
        ..small_limits()
    };
    let mut timeline = Timeline::new(machine, limits);
    timeline.run_to_end(u64::MAX);
    let ticks = timeline.ticks();
    assert!(ticks.steps.len() <= 16, "{ticks:?}");
    assert!(ticks.n_stores > 100 && ticks.one_in > 1);
    assert!(ticks.steps.is_sorted());
}

#[test]
fn snapshot_memory_stays_near_limit() {
    let limits = TimelineLimits {
        snapshot_bytes: 4 << 20,
        max_snapshots: 1000,
        min_interval: 64,
        ..TimelineLimits::default()
    };
    let machine = matmul_tiled(64).launch([4, 4, 1], [16, 16, 1]);
    let mut timeline = Timeline::new(machine, limits);
    timeline.run_to_end(u64::MAX);
    assert!(timeline.snapshot_bytes() <= 5 << 20);
    let end = timeline.position();
    for _ in 0..50 {
        assert!(timeline.back());
    }
    assert_eq!(timeline.position(), end - 50);
}

/// Apart from the steps themselves, copying bytes for snapshots takes most of the time of a run.
#[test]
fn snapshots_copy_at_most_16_bytes_per_step() {
    let machine = matmul_tiled(128).launch([8, 8, 1], [16, 16, 1]);
    let mut timeline = Timeline::new(machine, TimelineLimits::default());
    let before = timeline.snapshot_bytes();
    timeline.run_to_end(u64::MAX);
    let (bytes, steps) = (timeline.snapshot_bytes() - before, timeline.position());
    assert!(steps > 200_000, "{steps}");
    assert!(bytes <= 16 * steps, "{bytes} bytes in {steps} steps");
}

#[test]
fn seeking_back_to_end_reproduces_fault() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(4));
    let tid = k.mov(ScalarType::U32, special("%tid.x"));
    let address = k.element(out, reg(tid), 4);
    k.store(StateSpace::Global, ScalarType::U32, address, reg(tid));
    let mut timeline = Timeline::new(k.launch([1, 1, 1], [32, 1, 1]), small_limits());
    assert_eq!(timeline.seek(u64::MAX), MachineStatus::Faulted);
    let fault = timeline.machine().fault().cloned().unwrap();
    let end = timeline.position();
    assert_eq!(timeline.length(), Some(end));
    assert!(timeline.back());
    assert_eq!(timeline.status(), MachineStatus::Running);
    assert_eq!(timeline.seek(end), MachineStatus::Faulted);
    assert_eq!(timeline.machine().fault(), Some(&fault));
}

#[test]
fn seeks_restore_last_writers() {
    let (program, buffers, arguments) = divergent(3).program();
    let mut launch = launch([4, 1, 1], [96, 1, 1], buffers, arguments, 0);
    launch.writer_tracking = WriterTracking::LastWriter;
    let machine = || Machine::new(program.clone(), &launch, ResourceLimits::default()).unwrap();
    let region = MemoryRegion::Buffer(BufferIndex(0));
    let mut timeline = Timeline::new(machine(), small_limits());
    timeline.run_to_end(u64::MAX);
    for n in [700, 1500, 300, 0] {
        timeline.seek(n);
        let mut forward = machine();
        forward.run(n);
        assert_eq!(timeline.machine().writers(region), forward.writers(region));
    }
    timeline.seek(u64::MAX);
    let writers = timeline.machine().writers(region).unwrap();
    for (byte, entry) in writers.iter().enumerate() {
        let writer = entry.unwrap();
        assert_eq!(writer.lane as usize, byte / 4 % 32);
    }
}
