//! Tests of asynchronous operations: they complete later, in separate steps, and seeks restore them.

use crate::common::*;
use proptest::prelude::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

const OUT: MemoryRegion = MemoryRegion::Buffer(BufferIndex(0));

/// Returns a machine whose kernel stores the number of each of 40 rounds to a word. The kernel issues no asynchronous
/// operation.
fn counting(seed: u64, writer_tracking: WriterTracking) -> Machine {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(256));
    let i = global_index(&mut k);
    let address = k.element(out, reg(i), 4);
    let round = k.mov(u32t, imm(0));
    let head = k.label();
    k.here(head);
    k.store(StateSpace::Global, u32t, address, reg(round));
    k.arith_to(round, ArithmeticOp::Add, u32t, &[reg(round), imm(1)]);
    let more = k.setp(CompareOp::Lt, u32t, reg(round), imm(40));
    k.when(more, false).bra(head);
    k.control(ControlOp::Return);
    let (program, buffers, arguments) = k.program();
    let mut launch = launch([2, 1, 1], [64, 1, 1], buffers, arguments, seed);
    launch.writer_tracking = writer_tracking;
    Machine::new(program, &launch, ResourceLimits::default()).unwrap()
}

/// Returns an operation in which lane 3 writes 0x11 to the four bytes of word 200 of the buffer.
fn operation(machine: &Machine, earliest_step: u64) -> AsyncOperation {
    AsyncOperation {
        work: AsyncEffect::Pieces,
        origin: AsyncOrigin {
            step: machine.position(),
            block: 0,
            warp: 1,
            function: FunctionId(0),
            instruction: 2,
        },
        pieces: vec![AsyncWrite {
            lane: 3,
            space: StateSpace::Global,
            block: 0,
            address: machine.address(OUT).unwrap() + 800,
            bytes: vec![0x11; 4].into(),
            source: None,
            reduces: None,
        }],
        completion: CompletionMechanism::None,
        earliest_step,
        depends_on: Vec::new(),
    }
}

fn word(machine: &Machine) -> u32 {
    words(machine, 0)[200]
}

#[derive(Default)]
struct Heard {
    stores: Vec<(Agent, u64, u32, Vec<u8>)>,
    steps: Vec<StepEvent>,
}

impl Observer for Heard {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            loads: false,
            steps: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if matches!(event.agent, Agent::InFlight(_)) {
            let bytes = event.bytes(&event.pieces[0]).to_vec();
            self.stores
                .push((event.agent, event.step, event.mask, bytes));
        }
    }

    fn step(&mut self, event: &StepEvent) {
        self.steps.push(*event);
    }
}

#[test]
fn async_operation_completes_later_in_separate_step() {
    let mut machine = counting(0, WriterTracking::LastWriter);
    machine.run(50);
    let asked = operation(&machine, 60);
    let id = machine.start_pending(asked.clone()).unwrap();
    assert_eq!(machine.pending().len(), 1);
    assert_eq!(machine.pending()[0].operation, asked);
    let lands_at = machine.pending()[0].completes_at;
    assert!(lands_at >= 60);
    machine.run(lands_at - 50);
    assert_eq!((machine.position(), word(&machine)), (lands_at, 0));
    assert_eq!(machine.next_step().unwrap().agent, Agent::InFlight(id));
    let stores = machine.stores_done();
    let mut heard = Heard::default();
    machine.step(&mut heard);
    assert_eq!(word(&machine), 0x1111_1111);
    assert_eq!(machine.stores_done(), stores + 1);
    assert!(machine.pending().is_empty());
    let agent = Agent::InFlight(id);
    assert_eq!(heard.stores, [(agent, lands_at, 8, vec![0x11; 4])]);
    let event = machine.last_step().unwrap();
    assert_eq!(heard.steps, [event]);
    assert_eq!((event.agent, event.what), (agent, StepOutcome::Landed));
    assert_eq!((event.block, event.warp, event.instruction), (0, 1, 2));
    let writers = machine.writers(OUT).unwrap();
    let writer = LastWriter {
        step: lands_at,
        lane: 3,
    };
    assert_eq!(writers.of(800), Some(writer));
}

#[test]
fn run_finishes_only_after_pending_operations_complete() {
    let mut machine = counting(0, WriterTracking::Off);
    let late = operation(&machine, 1 << 40);
    machine.start_pending(late).unwrap();
    assert_eq!(machine.run(u64::MAX), MachineStatus::Finished);
    // The operation completes when no warp is runnable, regardless of its due step.
    assert_eq!(word(&machine), 0x1111_1111);
    assert_eq!(machine.last_step().unwrap().what, StepOutcome::Landed);
}

#[test]
fn seed_determines_async_completion_step() {
    let landing = |seed| {
        let mut machine = counting(seed, WriterTracking::Off);
        let asked = operation(&machine, 1);
        machine.start_pending(asked).unwrap();
        machine.pending()[0].completes_at
    };
    let landings: Vec<u64> = (1..6).map(landing).collect();
    assert_eq!(landings, (1..6).map(landing).collect::<Vec<_>>());
    assert!(landings.iter().any(|at| *at != landings[0]), "{landings:?}");
}

#[test]
fn forced_completion_changes_timeline_and_survives_seeks() {
    let machine = counting(0, WriterTracking::Off);
    let mut timeline = Timeline::new(machine, limits());
    timeline.run_to_end(u64::MAX);
    let (length, stores) = (timeline.length().unwrap(), timeline.ticks().n_stores);
    timeline.seek(100);
    let asked = operation(timeline.machine(), 1 << 40);
    let id = timeline.start_pending(asked).unwrap();
    assert_eq!(timeline.length(), None);
    timeline.seek(120);
    assert!(timeline.complete_now(id, &mut ()));
    assert_eq!(timeline.position(), 121);
    assert_eq!(word(timeline.machine()), 0x1111_1111);
    timeline.run_to_end(u64::MAX);
    assert_eq!(timeline.length(), Some(length + 1));
    assert_eq!(timeline.ticks().n_stores, stores + 1);
    timeline.seek(120);
    assert_eq!(word(timeline.machine()), 0);
    assert_eq!(timeline.machine().pending().len(), 1);
    timeline.seek(121);
    assert_eq!(word(timeline.machine()), 0x1111_1111);
    timeline.seek(99);
    assert!(timeline.machine().pending().is_empty());
    assert!(!timeline.complete_now(id, &mut ()));
}

#[test]
fn out_of_bounds_async_write_faults_at_issuing_instruction() {
    let mut machine = counting(0, WriterTracking::Off);
    let mut asked = operation(&machine, 10);
    asked.pieces[0].address += 4096;
    let id = machine.start_pending(asked).unwrap();
    assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
    let fault = machine.fault().unwrap();
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(fault.agent, Agent::InFlight(id));
    assert_eq!((fault.warp, fault.instruction, fault.lanes), (1, 2, 8));
}

#[test]
fn deadlock_is_reported_only_after_pending_operations_complete() {
    let mut k = Kernel::new();
    k.buffer("out", zeros(256));
    let tid = k.mov(ScalarType::U32, special("%tid.x"));
    let first = k.setp(CompareOp::Lt, ScalarType::U32, reg(tid), imm(32));
    k.when(first, false);
    k.op(
        Operation::Sync(SyncOp::Barrier),
        flags(&[Flag::Sync, Flag::Aligned]),
        &[imm(1).into(), imm(64).into()],
    );
    k.control(ControlOp::Return);
    let mut machine = k.launch([1, 1, 1], [64, 1, 1]);
    let late = operation(&machine, 1 << 40);
    machine.start_pending(late).unwrap();
    assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
    assert_eq!(word(&machine), 0x1111_1111);
    assert_eq!(machine.last_step().unwrap().what, StepOutcome::Landed);
    let Some(FaultKind::Deadlock { waiting }) = machine.fault().map(|f| &f.kind) else {
        panic!("{:?}", machine.fault());
    };
    assert_eq!(waiting[0].waits_for, WaitReason::Barrier { id: 1 });
}

fn limits() -> TimelineLimits {
    TimelineLimits {
        min_interval: 16,
        max_snapshots: 12,
        ..TimelineLimits::default()
    }
}

/// Position, bytes, last writers, number of operations in flight, last step, number of stores.
type Seen = (
    u64,
    Vec<u32>,
    Vec<Option<LastWriter>>,
    usize,
    Option<StepEvent>,
    u64,
);

/// Returns the observable state that operations in flight affect.
fn see(machine: &Machine) -> Seen {
    (
        machine.position(),
        words(machine, 0),
        machine.writers(OUT).unwrap().iter().collect(),
        machine.pending().len(),
        machine.last_step(),
        machine.stores_done(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn seek_and_step_back_across_completions_restore_state(
        seed in 0u64..4,
        starts in prop::collection::vec((0u64..500, 0u64..300), 1..6),
        places in prop::collection::vec(0u64..900, 1..12),
    ) {
        let mut starts = starts;
        starts.sort_unstable();
        let mut forward = counting(seed, WriterTracking::LastWriter);
        let mut timeline = Timeline::new(counting(seed, WriterTracking::LastWriter), limits());
        for (at, delay) in &starts {
            timeline.seek(*at);
            let asked = operation(timeline.machine(), at + delay);
            timeline.start_pending(asked);
        }
        let mut seen = Vec::new();
        for step in 0..1000 {
            for (_, delay) in starts.iter().filter(|(at, _)| *at == step) {
                let asked = operation(&forward, step + delay);
                forward.start_pending(asked);
            }
            seen.push(see(&forward));
            forward.step(&mut ());
        }
        for place in places {
            timeline.seek(place);
            let at = timeline.position() as usize;
            prop_assert_eq!(&see(timeline.machine()), &seen[at]);
            for _ in 0..3 {
                if timeline.back() {
                    let at = timeline.position() as usize;
                    prop_assert_eq!(&see(timeline.machine()), &seen[at]);
                }
            }
        }
    }
}
