//! Compares the exploration of schedules with an explorer that executes every interleaving of random kernels. The kernels use only strong
//! accesses, barriers and mbarriers, so that each run is free of data races. `BRUTE_FORCE_KERNELS` sets the number of kernels.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use warpgrid_emulator::{
    Agent, BufferIndex, EventMask, Machine, MachineStatus, MemoryRegion, Observer, WriterTracking,
};
use warpgrid_launch::prepare::prepare;
use warpgrid_launch::{Annotations, Scenario};
use warpgrid_order::races::ObservedLaunchShape;
use warpgrid_order::schedules::{
    ExplorationLimits, NotCovered, ScheduleExplorer, ScheduleReport, WitnessKind,
};
use warpgrid_program::{FrontEnd, Overrides, RegisterId};
use warpgrid_ptx::Ptx;

/// Number of random kernels of a test run.
const N_KERNELS: u64 = 150;
/// Maximum number of states of a kernel. Kernels with more states are skipped.
const MAX_STATES: usize = 8_000;

/// Deterministic generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Random kernel with its launch.
struct RandomKernel {
    source: String,
    n_blocks: u32,
    n_warps: u32,
}

/// Generates a kernel in which lane 0 of each warp executes a random sequence of operations on three words. All branches are uniform.
fn random_kernel(seed: u64) -> RandomKernel {
    let mut random = Random(seed);
    let (n_blocks, n_warps) = [(2, 1), (1, 2), (3, 1), (1, 3), (2, 2)][random.below(5) as usize];
    let has_mbarrier = n_blocks == 1 && random.below(2) == 0;
    let mut lines = Vec::new();
    if has_mbarrier {
        let count = 1 + random.below(u64::from(n_warps));
        lines.push(format!("@%first mbarrier.init.shared.b64 [bar], {count};"));
    }
    lines.push("bar.sync 0;".to_owned());
    for warp in 0..n_blocks * n_warps {
        lines.push(format!("setp.ne.u32 %p1, %agent, {warp};"));
        lines.push(format!("@%p1 bra END{warp};"));
        for index in 0..1 + random.below(3) {
            let label = format!("L{warp}_{index}");
            add_operation(&mut lines, &mut random, &label, has_mbarrier);
        }
        if random.below(4) == 0 {
            lines.push("bar.sync 0;".to_owned());
        }
        lines.push(format!("END{warp}:"));
    }
    RandomKernel {
        source: kernel_source(&lines, n_blocks, n_warps),
        n_blocks,
        n_warps,
    }
}

fn add_operation(lines: &mut Vec<String>, random: &mut Random, label: &str, has_mbarrier: bool) {
    let word = 4 * random.below(3);
    let value = 1 + random.below(2);
    let mut add = |line: &str| {
        let line = line
            .replace("WORD", &format!("[%x+{word}]"))
            .replace("VALUE", &value.to_string())
            .replace("LABEL", label);
        lines.push(line);
    };
    let broadcast = "shfl.sync.idx.b32 %r1, %r1, 0, 31, 0xffffffff;";
    match random.below(if has_mbarrier { 13 } else { 11 }) {
        0 | 1 => add("@%lead st.relaxed.gpu.global.u32 WORD, VALUE;"),
        2 | 3 => {
            add("@%lead ld.relaxed.gpu.global.u32 %r1, WORD;");
            add("add.u32 %sum, %sum, %r1;");
        }
        4 => {
            add("@%lead atom.relaxed.gpu.global.add.u32 %r1, WORD, VALUE;");
            add("mad.lo.u32 %sum, %r1, 4, %sum;");
        }
        5 => add("@%lead red.relaxed.gpu.global.add.u32 WORD, VALUE;"),
        6 => {
            add("@%lead atom.relaxed.gpu.global.exch.b32 %r1, WORD, VALUE;");
            add("mad.lo.u32 %sum, %r1, 16, %sum;");
        }
        7 => {
            add("@%lead atom.relaxed.gpu.global.cas.b32 %r1, WORD, 0, VALUE;");
            add("mad.lo.u32 %sum, %r1, 64, %sum;");
        }
        8 => {
            add("LABEL:");
            add("@%lead ld.relaxed.gpu.global.u32 %r1, WORD;");
            add(broadcast);
            add("setp.eq.u32 %p2, %r1, 0;");
            add("@%p2 bra LABEL;");
        }
        9 => {
            add("LABEL:");
            add("@%lead atom.relaxed.gpu.global.exch.b32 %r1, WORD, 1;");
            add(broadcast);
            add("setp.ne.u32 %p2, %r1, 0;");
            add("@%p2 bra LABEL;");
            if random.below(4) > 0 {
                add("@%lead st.relaxed.gpu.global.u32 WORD, 0;");
            }
        }
        10 => {
            add("@!%lead bra LABEL;");
            add("atom.acq_rel.gpu.global.add.u32 %r2, WORD, 1;");
            add("setp.ne.u32 %p2, %r2, VALUE;");
            add("@%p2 bra LABEL;");
            add("add.u32 %sum, %sum, 256;");
            add("LABEL:");
        }
        11 => add("@%lead mbarrier.arrive.shared.b64 _, [bar];"),
        _ => {
            add("LABEL:");
            add("mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;");
            add("@!%p2 bra LABEL;");
        }
    }
}

fn kernel_source(lines: &[String], n_blocks: u32, n_warps: u32) -> String {
    let body = lines.join("\n    ");
    let n_threads = 32 * n_warps;
    format!(
        "//@ launch grid={n_blocks} block={n_threads}
//@ buffer x: u32[3] = 0
//@ buffer out: u32[8] = 0
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p_x, .param .u64 p_out)
{{
    .reg .pred %p<3>, %first, %lead;
    .reg .b32 %r<4>, %t, %b, %agent, %sum;
    .reg .b64 %x, %o, %w;
    .shared .b64 bar;
    ld.param.u64 %x, [p_x];
    ld.param.u64 %o, [p_out];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mov.u32 %r1, 0;
    mov.u32 %sum, 0;
    setp.eq.u32 %first, %t, 0;
    and.b32 %agent, %t, 31;
    setp.eq.u32 %lead, %agent, 0;
    shr.u32 %agent, %t, 5;
    mad.lo.u32 %agent, %b, {n_warps}, %agent;
    mul.wide.u32 %w, %agent, 4;
    add.u64 %o, %o, %w;
    {body}
    @%lead st.global.u32 [%o], %sum;
    ret;
}}
"
    )
}

fn machine_of(source: &str) -> Machine {
    let checked = Ptx.check(source, &Overrides::default());
    let program = Arc::new(checked.program.expect("a program without errors"));
    let annotations = Annotations::parse(source, "//");
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let prepared = prepare(
        scenario,
        annotations,
        &program,
        "//@",
        WriterTracking::Off,
        None,
    );
    prepared.expect("a launch").machine
}

/// Observer that notes whether a step accessed memory or synchronized.
#[derive(Default)]
struct AccessNote(bool);

impl Observer for AccessNote {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            loads: true,
            syncs: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &warpgrid_emulator::AccessEvent<'_>) {
        let is_private = event.space == warpgrid_isa::StateSpace::ParamEntry;
        self.0 |= !is_private;
    }

    fn sync(&mut self, _event: &warpgrid_emulator::SyncEvent<'_>) {
        self.0 = true;
    }
}

/// Result of the execution of all interleavings.
#[derive(Debug, PartialEq, Eq)]
struct AllInterleavings {
    memories: BTreeSet<Vec<u8>>,
    /// Whether a state exists from which no interleaving finishes.
    hangs: bool,
    has_fault: bool,
}

fn memory_of(machine: &Machine) -> Vec<u8> {
    let buffers = (0..2).map(|index| MemoryRegion::Buffer(BufferIndex(index)));
    buffers
        .flat_map(|region| machine.memory(region).expect("a buffer").to_vec())
        .collect()
}

/// Returns the complete state of a machine: memory, mbarriers, and the registers of all warps.
fn key_of(machine: &Machine, kernel: &RandomKernel) -> (Vec<u8>, Vec<Option<u64>>) {
    let mut memory = memory_of(machine);
    for block in 0..kernel.n_blocks {
        let shared = machine.memory(MemoryRegion::Shared {
            block: u64::from(block),
        });
        memory.extend_from_slice(shared.unwrap_or(&[]));
    }
    let n_registers = machine.program().functions[0].registers.names().count() as u32;
    let all: Arc<[RegisterId]> = (0..n_registers).map(RegisterId).collect();
    let warps = (0..kernel.n_blocks).flat_map(|block| {
        let all = &all;
        (0..kernel.n_warps).map(move |warp| {
            machine.warp_fingerprint(u64::from(block), warp, &mut |_, _| Arc::clone(all))
        })
    });
    (memory, warps.collect())
}

/// Executes every interleaving of the memory accesses. Returns `None` if the kernel has too many states.
fn run_all(start: Machine, kernel: &RandomKernel) -> Option<AllInterleavings> {
    let mut result = AllInterleavings {
        memories: BTreeSet::new(),
        hangs: false,
        has_fault: false,
    };
    let mut known = HashMap::from([(key_of(&start, kernel), 0)]);
    let mut successors: Vec<Vec<usize>> = vec![Vec::new()];
    let mut finished = vec![false];
    let mut pending = vec![(0, start)];
    while let Some((index, machine)) = pending.pop() {
        match machine.status() {
            MachineStatus::Running => {}
            MachineStatus::Finished => {
                result.memories.insert(memory_of(&machine));
                finished[index] = true;
                continue;
            }
            MachineStatus::Faulted => {
                result.has_fault = true;
                continue;
            }
        }
        for agent in machine.runnable_agents() {
            let mut next = machine.clone();
            step_to_access(&mut next, agent);
            let n_known = known.len();
            let number = *known.entry(key_of(&next, kernel)).or_insert(n_known);
            successors[index].push(number);
            if number == n_known {
                if n_known == MAX_STATES {
                    return None;
                }
                successors.push(Vec::new());
                finished.push(false);
                pending.push((number, next));
            }
        }
    }
    let mut can_finish = finished;
    loop {
        let reaches = |index: usize| successors[index].iter().any(|next| can_finish[*next]);
        let new: Vec<usize> = (0..successors.len())
            .filter(|index| !can_finish[*index] && reaches(*index))
            .collect();
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|index| can_finish[*index] = true);
    }
    result.hangs = !result.has_fault && can_finish.contains(&false);
    Some(result)
}

/// Executes steps of a warp until the warp has accessed memory, synchronized, waited or exited.
fn step_to_access(machine: &mut Machine, agent: Agent) {
    let mut note = AccessNote::default();
    for _ in 0..1000 {
        if note.0 || !machine.can_step(agent) {
            break;
        }
        let before = machine.position();
        machine.step_agent(agent, &mut note);
        if machine.position() == before {
            break;
        }
    }
}

fn explore(start: Machine, kernel: &RandomKernel) -> ScheduleReport {
    let shape = ObservedLaunchShape {
        grid: [kernel.n_blocks, 1, 1],
        block: [32 * kernel.n_warps, 1, 1],
        cluster: [1; 3],
    };
    let mut explorer = ScheduleExplorer::new(start, shape, ExplorationLimits::default());
    while !explorer.advance(1 << 16) {}
    explorer.report()
}

/// Describes the difference between the results of both explorers.
fn difference(all: &AllInterleavings, report: &ScheduleReport) -> Option<String> {
    let kind = report.witness.as_ref().map(|witness| witness.kind);
    let expected = match all {
        AllInterleavings { hangs: true, .. } => Some(WitnessKind::Hang),
        AllInterleavings {
            has_fault: true, ..
        } => Some(WitnessKind::Fault),
        AllInterleavings { memories, .. } if memories.len() > 1 => Some(WitnessKind::Memory),
        AllInterleavings { .. } => None,
    };
    let is_same = match (kind, expected) {
        // A deadlock at a barrier is a fault of the machine.
        (Some(WitnessKind::Hang), Some(WitnessKind::Fault)) => true,
        (kind, expected) => kind == expected,
    };
    let only_reorderings = report
        .not_covered
        .iter()
        .all(|reason| matches!(reason, NotCovered::Reordering(_)));
    (!is_same || !only_reorderings).then(|| {
        format!(
            "expected {expected:?} ({} memories), found {kind:?}, {:?}",
            all.memories.len(),
            report.not_covered
        )
    })
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "the test prints statistics for runs with `--nocapture`"
)]
fn exploration_agrees_with_all_interleavings_of_random_kernels() {
    let given = std::env::var("BRUTE_FORCE_KERNELS").ok();
    let n_kernels = given.and_then(|n| n.parse().ok()).unwrap_or(N_KERNELS);
    let mut counts = [0; 5];
    let (mut n_classes, mut n_partial) = (0, 0);
    let mut wrong = Vec::new();
    for seed in 0..n_kernels {
        let kernel = random_kernel(seed);
        let Some(all) = run_all(machine_of(&kernel.source), &kernel) else {
            counts[4] += 1;
            continue;
        };
        let report = explore(machine_of(&kernel.source), &kernel);
        n_classes += report.n_executions;
        n_partial += report.n_partial;
        counts[match &report.witness {
            None => 0,
            Some(witness) if witness.kind == WitnessKind::Memory => 1,
            Some(witness) if witness.kind == WitnessKind::Hang => 2,
            Some(_) => 3,
        }] += 1;
        wrong.extend(
            difference(&all, &report).map(|text| format!("seed {seed}: {text}\n{}", kernel.source)),
        );
    }
    println!(
        "random kernels: {} deterministic, {} with different memories, {} hangs, {} other, {} skipped; {n_classes} executions, {n_partial} partial",
        counts[0], counts[1], counts[2], counts[3], counts[4]
    );
    let first = wrong.first().cloned().unwrap_or_default();
    assert!(wrong.is_empty(), "{} kernels differ; {first}", wrong.len());
}
