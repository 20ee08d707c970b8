//! Tests of waits and wakeups that no test program can trigger with instructions. The tests use hand-assembled code.

use crate::code::decoded_op::DecodedOp;
use crate::code::plan_table::PlanId;
use crate::code::{DecodedCode, DecodedInstruction, FunctionCode};
use crate::contract::agent::Agent;
use crate::contract::fault::{FaultKind, WaitReason};
use crate::contract::inspect::{LastWriter, MachineStatus};
use crate::contract::launch::{Launch, MisalignedPolicy, ResourceLimits, WriterTracking};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::observer::{EventMask, Observer};
use crate::contract::pending::{
    AsyncEffect, AsyncOperation, AsyncOrigin, AsyncWrite, CompletionMechanism,
};
use crate::contract::step_event::StepOutcome;
use crate::run::machine::Machine;
use crate::run::setup::LaunchSetup;
use crate::semantics::registers::OperandSlot;
use crate::state::memory::GlobalMemory;
use crate::state::memory_layout::MemoryLayout;
use crate::state::warp::WarpSplitState;
use std::sync::Arc;
use warpgrid_isa::{StateSpace, Target, Version};
use warpgrid_program::{FunctionId, Module, Program};

const SHARED_BYTES: u64 = 64;

fn empty_program() -> Program {
    Program::from_checked(Module {
        version: Version::NEWEST,
        target: Target::from_name("sm_90").unwrap(),
        address_bits: 64,
        line_table: Default::default(),
        variables: Vec::new(),
        functions: Vec::new(),
        opcodes: Vec::new(),
    })
}

fn instruction(op: DecodedOp) -> DecodedInstruction {
    DecodedInstruction {
        op,
        guard: OperandSlot::NONE,
        negated: false,
        is_plain: true,
        reads_clock: false,
        continues_bundle: false,
    }
}

/// Creates a machine whose warps execute the given instructions.
fn machine(
    instructions: Vec<DecodedInstruction>,
    grid: u32,
    threads: u32,
    cluster: u32,
) -> Machine {
    machine_within(
        ResourceLimits::default(),
        instructions,
        grid,
        threads,
        cluster,
    )
}

fn machine_within(
    limits: ResourceLimits,
    instructions: Vec<DecodedInstruction>,
    grid: u32,
    threads: u32,
    cluster: u32,
) -> Machine {
    let launch = Launch {
        entry: FunctionId(0),
        grid: [grid, 1, 1],
        block: [threads, 1, 1],
        cluster: [cluster, 1, 1],
        dynamic_shared_bytes: SHARED_BYTES,
        images: Vec::new(),
        multicasts: Vec::new(),
        buffers: Vec::new(),
        arguments: Vec::new(),
        seed: 0,
        schedule: Arc::default(),
        writer_tracking: WriterTracking::Off,
        registers: Vec::new(),
        misaligned: MisalignedPolicy::default(),
    };
    let program = empty_program();
    let layout = MemoryLayout::new(&program, &launch);
    let code = DecodedCode {
        instructions,
        functions: vec![FunctionCode {
            id: FunctionId(0),
            start: 0,
            frame_bytes: 0,
            frame_addresses: Vec::new(),
            registers: Vec::new(),
        }],
        ..DecodedCode::default()
    };
    let setup = LaunchSetup::new(Arc::new(program), Arc::new(code), layout, &launch, limits);
    Machine::start(setup, GlobalMemory::default()).unwrap()
}

#[derive(Default)]
struct Steps(Vec<(Agent, StepOutcome, u32)>);

impl Observer for Steps {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &crate::contract::step_event::StepEvent) {
        self.0.push((event.agent, event.what, event.instruction));
    }
}

/// Stores an mbarrier object at address 16 of the shared memory of block 0. The current phase of the object completes
/// after 4 more bytes.
fn await_bytes(machine: &mut Machine) {
    let object = MbarrierState {
        parity: false,
        pending: 0,
        expected: 1,
        bytes: 4,
    };
    let writer = LastWriter { step: 0, lane: 0 };
    machine.state.shared[0].write(16, &object.word().to_le_bytes(), writer);
}

/// Returns an operation that writes a word to the shared memory of block 0 and completes a phase of the mbarrier at
/// address 16.
fn operation(earliest_step: u64) -> AsyncOperation {
    AsyncOperation {
        origin: AsyncOrigin {
            step: 0,
            block: 0,
            warp: 0,
            function: FunctionId(0),
            instruction: 0,
        },
        work: AsyncEffect::Pieces,
        pieces: vec![AsyncWrite {
            lane: 0,
            space: StateSpace::Shared,
            block: 0,
            address: 8,
            bytes: vec![7; 4].into(),
            source: None,
            reduces: None,
        }],
        completion: CompletionMechanism::Mbarrier {
            block: 0,
            address: 16,
            bytes: 4,
        },
        earliest_step,
        depends_on: Vec::new(),
    }
}

fn wait(machine: &mut Machine, reason: WaitReason) {
    for block in &mut machine.state.blocks {
        for warp in &mut block.warps {
            warp.splits.current_mut().state = WarpSplitState::Waiting(reason);
        }
    }
}

#[test]
fn cluster_barrier_releases_after_all_warps_of_cluster_arrive() {
    let code = [
        DecodedOp::ClusterArrive,
        DecodedOp::Nop,
        DecodedOp::ClusterWait,
        DecodedOp::Exit,
    ]
    .map(instruction);
    let mut machine = machine(code.to_vec(), 4, 64, 2);
    let mut steps = Steps::default();
    assert_eq!(
        machine.run_observed(u64::MAX, &mut steps),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    let in_cluster = |agent: Agent| matches!(agent, Agent::Warp { block: 0 | 1, .. });
    let cluster: Vec<_> = steps.0.iter().filter(|(a, ..)| in_cluster(*a)).collect();
    let position = |f: &dyn Fn(&(Agent, StepOutcome, u32)) -> bool| {
        let found = cluster.iter().map(|step| f(step));
        found.collect::<Vec<_>>()
    };
    let arrives = position(&|(_, _, at)| *at == 0);
    let passes = position(&|(_, what, at)| *at == 2 && *what == StepOutcome::Executed);
    let last_arrival = arrives.iter().rposition(|x| *x).unwrap();
    let first_pass = passes.iter().position(|x| *x).unwrap();
    assert!(last_arrival < first_pass, "{cluster:?}");
    let waits = |step: &&&(Agent, StepOutcome, u32)| {
        step.1 == StepOutcome::Waits(WaitReason::ClusterBarrier)
    };
    assert!(cluster.iter().filter(waits).count() >= 3);
}

#[test]
fn exited_warps_do_not_block_cluster_barrier() {
    // The block with rank 1 exits immediately.
    let code = [
        DecodedOp::ClusterArrive,
        DecodedOp::ClusterWait,
        DecodedOp::Exit,
        DecodedOp::Exit,
    ]
    .map(instruction);
    let mut machine = machine(code.to_vec(), 2, 32, 2);
    for split in machine.state.blocks[1].warps[0].splits.all_mut() {
        split.pc = 3;
    }
    assert_eq!(machine.run(u64::MAX), MachineStatus::Finished);
}

#[test]
fn deadlock_report_lists_waiting_warps_of_whole_cluster() {
    let code = [
        DecodedOp::ClusterArrive,
        DecodedOp::ClusterWait,
        DecodedOp::Exit,
    ]
    .map(instruction);
    let mut machine = machine(code.to_vec(), 2, 32, 2);
    wait(&mut machine, WaitReason::Barrier { id: 3 });
    machine.state.blocks[0].warps[0].splits.current_mut().state = WarpSplitState::Ready;
    assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
    let fault = machine.fault().unwrap();
    let FaultKind::Deadlock { waiting } = &fault.kind else {
        panic!("{fault}");
    };
    let reasons: Vec<_> = waiting.iter().map(|w| (w.block, w.waits_for)).collect();
    assert_eq!(
        reasons,
        [
            (0, WaitReason::ClusterBarrier),
            (1, WaitReason::Barrier { id: 3 })
        ]
    );
    let words = fault.to_string();
    assert!(words.contains("warp 0 of block 0"), "{words}");
    assert!(words.contains("cluster barrier"), "{words}");
}

#[test]
fn async_completion_wakes_only_mbarrier_waiters() {
    let code = [DecodedOp::Nop, DecodedOp::Exit].map(instruction);
    let waits_for = [
        (
            WaitReason::MbarrierPhase {
                address: 16,
                parity: false,
            },
            MachineStatus::Finished,
        ),
        (WaitReason::ClusterBarrier, MachineStatus::Faulted),
    ];
    for (reason, ends) in waits_for {
        let mut machine = machine(code.to_vec(), 1, 32, 1);
        await_bytes(&mut machine);
        wait(&mut machine, reason);
        machine.start_pending(operation(100)).unwrap();
        assert_eq!(machine.run(u64::MAX), ends);
        assert_eq!(machine.state.shared[0].contents()[8..12], [7; 4]);
    }
}

#[test]
fn async_write_without_mbarrier_object_faults_without_writing() {
    let code = [DecodedOp::Nop, DecodedOp::Exit].map(instruction);
    let mut machine = machine(code.to_vec(), 1, 32, 1);
    machine.start_pending(operation(100)).unwrap();
    assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
    let words = machine.fault().unwrap().to_string();
    assert!(
        words.contains("the address contains no mbarrier object"),
        "{words}"
    );
    assert_eq!(machine.state.shared[0].contents()[8..12], [0; 4]);
}

#[test]
fn memory_wait_faults_only_after_runnable_blocks_finish() {
    let code = vec![instruction(DecodedOp::Nop); 200]
        .into_iter()
        .chain([instruction(DecodedOp::Exit)]);
    let mut machine = machine(code.collect(), 2, 32, 1);
    machine.state.blocks[0].warps[0].splits.current_mut().state =
        WarpSplitState::Waiting(WaitReason::Memory);
    assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
    let fault = machine.fault().unwrap();
    assert!(matches!(fault.kind, FaultKind::Deadlock { .. }), "{fault}");
    assert_eq!(machine.blocks_done(), 1, "the other block came to its end");
    assert_eq!(machine.position(), 201);
}

#[test]
fn block_slot_is_not_reused_while_async_write_is_pending() {
    let limits = ResourceLimits {
        max_resident_blocks: 1,
        ..ResourceLimits::default()
    };
    let mut machine = machine_within(limits, vec![instruction(DecodedOp::Exit)], 3, 32, 1);
    await_bytes(&mut machine);
    machine.start_pending(operation(100)).unwrap();
    let block = |machine: &Machine| machine.state.blocks[0].index;
    machine.run(1);
    assert_eq!((machine.blocks_done(), block(&machine)), (1, 0));
    machine.run(1);
    let landed = machine.last_step().unwrap();
    assert_eq!(landed.what, StepOutcome::Landed);
    assert_eq!(block(&machine), 1);
    assert_eq!(machine.run(u64::MAX), MachineStatus::Finished);
    assert_eq!(machine.position(), 4);
}

#[test]
fn bundled_instructions_count_as_one_step() {
    let mut first = instruction(DecodedOp::Nop);
    first.continues_bundle = true;
    let code = vec![
        first,
        first,
        instruction(DecodedOp::Nop),
        instruction(DecodedOp::Exit),
    ];
    let mut machine = machine(code, 1, 32, 1);
    let mut steps = Steps::default();
    assert_eq!(machine.step(&mut steps), MachineStatus::Running);
    assert_eq!(machine.position(), 1);
    let places: Vec<u32> = steps.0.iter().map(|step| step.2).collect();
    assert_eq!(places, [2]);
    assert_eq!(machine.step(&mut ()), MachineStatus::Finished);
    assert_eq!(machine.position(), 2);
}

#[test]
fn invalid_decoded_code_raises_internal_fault() {
    let cases = [
        (
            vec![instruction(DecodedOp::Load(PlanId::new(9)))],
            "no execution plan for an operation",
        ),
        (
            vec![instruction(DecodedOp::Barrier(PlanId::new(9)))],
            "no execution plan for an operation",
        ),
        (
            vec![instruction(DecodedOp::Nop)],
            "no instruction at the program counter",
        ),
    ];
    for (code, what) in cases {
        let mut machine = machine(code, 1, 32, 1);
        assert_eq!(machine.run(10), MachineStatus::Faulted);
        let kind = machine.fault().map(|f| f.kind.clone());
        let what = what.to_owned();
        assert_eq!(kind, Some(FaultKind::Internal { what }));
    }
}

#[test]
fn cluster_shared_addresses_round_trip_through_rank_mapping() {
    for bits in [32, 64] {
        let map = crate::state::memory::AddressMap::for_address_bits(bits);
        assert_eq!(map.shared_place(0x40).rank, None);
        for rank in 0..16 {
            let there = map.map_to_rank(0x40, rank);
            let place = map.shared_place(there);
            assert_eq!((place.rank, place.offset), (Some(rank), 0x40));
            assert_eq!(map.map_to_rank(there, 3), map.map_to_rank(0x40, 3));
            assert!(map.in_shared_cluster(map.shared + there));
            assert!(!map.in_shared(map.shared + there));
            assert!(!map.in_local(map.shared + there));
        }
    }
}
