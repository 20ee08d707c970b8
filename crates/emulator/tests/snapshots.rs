//! Tests of the contents of snapshots, of step events, and of the cost of steps back.

use crate::common::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;

/// A loop of stores in which even and odd lanes diverge, and reconverge at a warp barrier at two instructions.
fn storing(rounds: u64) -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(1024));
    let tid = k.mov(u32t, special("%tid.x"));
    let i = global_index(&mut k);
    let address = k.element(out, reg(i), 4);
    let round = k.mov(u32t, imm(0));
    let odd = k.arith(ArithmeticOp::And, u32t, &[reg(tid), imm(1)]);
    let is_odd = k.setp(CompareOp::Ne, u32t, reg(odd), imm(0));
    let (head, other, join) = (k.label(), k.label(), k.label());
    k.here(head);
    k.when(is_odd, false).bra(other);
    k.store(StateSpace::Global, u32t, address, reg(round));
    warp_barrier(&mut k);
    k.bra(join);
    k.here(other);
    warp_barrier(&mut k);
    k.here(join);
    k.when(is_odd, true);
    k.store(StateSpace::Global, u32t, address, reg(tid));
    k.arith_to(round, ArithmeticOp::Add, u32t, &[reg(round), imm(1)]);
    let more = k.setp(CompareOp::Lt, u32t, reg(round), imm(rounds));
    k.when(more, false).bra(head);
    k.control(ControlOp::Return);
    k
}

#[test]
fn next_step_predicts_executed_step() {
    for seed in 0..4 {
        let mut machine = storing(20).launch_seeded([2, 1, 1], [96, 1, 1], seed);
        while machine.status() == MachineStatus::Running {
            let next = machine.next_step();
            machine.step(&mut ());
            let last = machine.last_step();
            let next = next.map(|n| (n.agent, n.function, n.instruction, n.mask, n.executed));
            let last = last.map(|l| (l.agent, l.function, l.instruction, l.lanes, l.executed));
            assert_eq!(next, last, "position {}", machine.position());
        }
        assert_eq!(machine.next_step(), None);
    }
}

#[derive(Default)]
struct Steps(Vec<StepEvent>);

impl Observer for Steps {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &StepEvent) {
        self.0.push(*event);
    }
}

#[test]
fn each_step_is_observed_once_and_last_step_is_retained() {
    let mut all = Steps::default();
    let mut machine = storing(5).launch([2, 1, 1], [64, 1, 1]);
    machine.run_observed(u64::MAX, &mut all);
    let lanes = |reason| matches!(reason, StepOutcome::Waits(WaitReason::WarpLanes { .. }));
    let steps: Vec<_> = all.0.iter().filter(|e| !lanes(e.what)).collect();
    assert!(
        all.0.len() > steps.len(),
        "groups waited at the barrier of the warp"
    );
    assert_eq!(steps.len() as u64, machine.position());
    assert_eq!(machine.last_step().as_ref(), steps.last().copied());
    let stored = steps.iter().filter(|e| e.stored).count() as u64;
    assert_eq!(machine.stores_done(), stored);
    let mut forward = storing(5).launch([2, 1, 1], [64, 1, 1]);
    for (position, step) in steps.iter().enumerate() {
        assert_eq!(step.position, position as u64);
        forward.step(&mut ());
        assert_eq!(forward.last_step().as_ref(), Some(*step));
    }
}

#[test]
fn store_count_is_exact_beyond_tick_limit() {
    let limits = TimelineLimits {
        max_ticks: 64,
        ..TimelineLimits::default()
    };
    let mut timeline = Timeline::new(storing(3000).launch([1, 1, 1], [32, 1, 1]), limits);
    timeline.run_to_end(u64::MAX);
    let all = timeline.machine().stores_done();
    assert_eq!(all, 6000);
    assert_eq!(timeline.ticks().n_stores, all);
    let mut counted = all;
    for _ in 0..100 {
        let stored = timeline.machine().last_step().unwrap().stored;
        timeline.back();
        counted -= u64::from(stored);
        assert_eq!(timeline.machine().stores_done(), counted);
    }
    timeline.seek(0);
    assert_eq!(timeline.machine().stores_done(), 0);
}

/// The resident blocks and global memory make each snapshot large compared to the limit.
#[test]
fn step_back_cost_is_bounded_with_small_snapshot_budget() {
    let n = 1 << 18;
    let (program, buffers, arguments) = saxpy(n).program();
    let mut launch = launch([n / 256, 1, 1], [256, 1, 1], buffers, arguments, 0);
    launch.writer_tracking = WriterTracking::LastWriter;
    let machine = Machine::new(program, &launch, ResourceLimits::default()).unwrap();
    let limits = TimelineLimits {
        snapshot_bytes: 24 << 20,
        ..TimelineLimits::default()
    };
    let mut timeline = Timeline::new(machine, limits);
    let end = timeline.run_to_end(u64::MAX).position;
    for part in [4, 10, 2] {
        timeline.seek(end / part);
        timeline.back();
        let before = timeline.steps_run();
        for _ in 0..50 {
            timeline.back();
        }
        let per_step = (timeline.steps_run() - before) / 50;
        assert!(per_step < 5000, "{per_step} steps for each step back");
    }
    assert!(timeline.snapshot_bytes() < 48 << 20);
}
