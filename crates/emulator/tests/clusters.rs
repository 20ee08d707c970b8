//! Tests of clusters: co-resident blocks and accesses to the shared memory of other blocks.

use crate::common::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

/// Distance between the shared memory windows of the blocks of a cluster for 64-bit addresses.
const STRIDE: u64 = 0x0100_0000;

fn start(
    k: Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
    limits: ResourceLimits,
) -> Result<Machine, LaunchError> {
    let (program, buffers, arguments) = k.program();
    let mut launch = launch(grid, block, buffers, arguments, 0);
    launch.cluster = cluster;
    Machine::new(program, &launch, limits)
}

fn finish(mut machine: Machine) -> Machine {
    assert_eq!(
        machine.run(u64::MAX),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    machine
}

/// Returns a kernel in which each block stores special registers to its part of the buffer.
fn specials(names: &[&str]) -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(1024));
    let x = k.mov(u32t, special("%ctaid.x"));
    let y = k.mov(u32t, special("%ctaid.y"));
    let nx = k.mov(u32t, special("%nctaid.x"));
    let index = k.arith(mad(MulPart::Lo), u32t, &[reg(y), reg(nx), reg(x)]);
    let address = k.element(out, reg(index), 4 * names.len() as u64);
    let base = base_of(address);
    for (i, name) in names.iter().enumerate() {
        let value = k.mov(u32t, special(name));
        k.store(StateSpace::Global, u32t, at(base, 4 * i as i64), reg(value));
    }
    k.control(ControlOp::Return);
    k
}

#[test]
fn special_registers_report_cluster_coordinates() {
    let names = [
        "%cluster_ctaid.x",
        "%cluster_ctaid.y",
        "%cluster_ctarank",
        "%cluster_nctarank",
        "%clusterid.x",
        "%clusterid.y",
        "%nclusterid.x",
    ];
    let k = specials(&names);
    let machine = start(
        k,
        [6, 4, 1],
        [1, 1, 1],
        [2, 2, 1],
        ResourceLimits::default(),
    )
    .unwrap();
    let out = words(&finish(machine), 0);
    for (index, found) in out.chunks(names.len()).take(24).enumerate() {
        let (x, y) = (index as u32 % 6, index as u32 / 6);
        let expected = [x % 2, y % 2, x % 2 + 2 * (y % 2), 4, x / 2, y / 2, 3];
        assert_eq!(found, expected, "block ({x}, {y})");
    }
}

#[test]
fn all_blocks_of_cluster_are_co_resident() {
    let limits = ResourceLimits {
        max_resident_blocks: 6,
        ..ResourceLimits::default()
    };
    let k = specials(&["%ctaid.x"]);
    let mut machine = start(k, [8, 2, 1], [32, 1, 1], [2, 2, 1], limits).unwrap();
    while machine.status() == MachineStatus::Running {
        let blocks = machine.blocks();
        assert_eq!(blocks.len(), 4, "six places hold one whole cluster of four");
        let cluster = |b: &BlockView| (b.position[0] / 2, b.position[1] / 2);
        assert!(blocks.iter().all(|b| cluster(b) == cluster(&blocks[0])));
        machine.step(&mut ());
    }
    assert_eq!(machine.blocks_done(), 16);
}

/// Returns a kernel in which the block with rank 1 waits until its word of shared memory is nonzero, and stores the
/// word to a buffer. The block with rank 0 writes the word through an address that `address` derives from the address
/// of the corresponding word in its shared memory.
fn handing_over(
    ty: ScalarType,
    generic: bool,
    space: StateSpace,
    address: impl Fn(&mut Kernel, RegisterId) -> RegisterId,
) -> Kernel {
    let mut k = Kernel::new();
    let u32t = ScalarType::U32;
    let out = k.buffer("out", zeros(4));
    let shared = k.shared(64, 4);
    let own = |generic| Source::VariableAddress {
        variable: shared,
        offset: 8,
        generic,
    };
    let rank = k.mov(u32t, special("%cluster_ctarank"));
    let receives = k.setp(CompareOp::Eq, u32t, reg(rank), imm(1));
    let (wait, end) = (k.label(), k.label());
    k.when(receives, false).bra(wait);
    let base = k.mov(ty, own(generic));
    let there = address(&mut k, base);
    let value = k.mov(u32t, imm(77));
    k.store(space, u32t, at(there, 0), reg(value));
    k.bra(end);
    k.here(wait);
    let base = k.mov(u32t, own(false));
    let found = k.load(StateSpace::Shared, u32t, at(base, 0));
    let none = k.setp(CompareOp::Eq, u32t, reg(found), imm(0));
    k.when(none, false).bra(wait);
    k.store(StateSpace::Global, u32t, at(out, 0), reg(found));
    k.here(end);
    k.control(ControlOp::Return);
    k
}

fn to_rank(rank: u64) -> impl Fn(&mut Kernel, RegisterId) -> RegisterId {
    move |k, base| {
        let ty = k.function.registers[base.0 as usize].ty;
        k.arith(
            ArithmeticOp::Add,
            ty,
            &[reg(base), imm((rank + 1) * STRIDE)],
        )
    }
}

#[test]
fn store_reaches_shared_memory_of_another_block() {
    let of_cluster = handing_over(
        ScalarType::U32,
        false,
        StateSpace::SharedCluster,
        to_rank(1),
    );
    let generic = handing_over(ScalarType::U64, true, StateSpace::Generic, to_rank(1));
    for k in [of_cluster, generic] {
        let machine = start(
            k,
            [2, 1, 1],
            [1, 1, 1],
            [2, 1, 1],
            ResourceLimits::default(),
        )
        .unwrap();
        assert_eq!(words(&finish(machine), 0)[0], 77);
    }
}

#[test]
fn access_to_rank_outside_cluster_faults_out_of_bounds() {
    for space in [StateSpace::SharedCluster, StateSpace::Generic] {
        let generic = space == StateSpace::Generic;
        let ty = if generic {
            ScalarType::U64
        } else {
            ScalarType::U32
        };
        let k = handing_over(ty, generic, space, to_rank(2));
        let mut machine = start(
            k,
            [2, 1, 1],
            [1, 1, 1],
            [2, 1, 1],
            ResourceLimits::default(),
        )
        .unwrap();
        assert_eq!(machine.run(u64::MAX), MachineStatus::Faulted);
        let fault = machine.fault().unwrap();
        assert_eq!(fault.kind, FaultKind::OutOfBounds);
    }
}

#[test]
fn seeks_restore_writes_to_remote_shared_memory() {
    let make = || {
        let k = handing_over(ScalarType::U64, true, StateSpace::Generic, to_rank(1));
        start(
            k,
            [4, 1, 1],
            [1, 1, 1],
            [2, 1, 1],
            ResourceLimits::default(),
        )
        .unwrap()
    };
    let limits = TimelineLimits {
        min_interval: 4,
        max_snapshots: 6,
        ..TimelineLimits::default()
    };
    let see = |machine: &Machine| -> Vec<_> {
        let blocks = machine.blocks();
        let shared = |b: &BlockView| machine.memory(MemoryRegion::Shared { block: b.index });
        let bytes = blocks.iter().map(|b| shared(b).map(<[u8]>::to_vec));
        blocks.iter().copied().zip(bytes).collect()
    };
    let mut timeline = Timeline::new(make(), limits);
    let end = timeline.run_to_end(u64::MAX).position;
    for position in (0..=end).rev().step_by(3).chain([end, 0, end / 2]) {
        timeline.seek(position);
        let mut forward = make();
        forward.run(position);
        assert_eq!(see(timeline.machine()), see(&forward), "at {position}");
    }
}

#[test]
fn invalid_cluster_launches_are_rejected_with_message() {
    let few = ResourceLimits {
        max_resident_blocks: 4,
        ..ResourceLimits::default()
    };
    for (grid, cluster, limits, words) in [
        (
            [9, 1, 1],
            [2, 1, 1],
            ResourceLimits::default(),
            "the grid size 9x1x1 is not divisible by the cluster size 2x1x1",
        ),
        (
            [32, 2, 1],
            [16, 2, 1],
            ResourceLimits::default(),
            "the launch has 32 blocks per cluster, expected at most 16",
        ),
        (
            [8, 1, 1],
            [8, 1, 1],
            few,
            "the launch has 8 blocks per cluster, expected at most 4",
        ),
    ] {
        let refused = start(specials(&["%ctaid.x"]), grid, [1, 1, 1], cluster, limits);
        assert_eq!(refused.err().map(|e| e.to_string()).as_deref(), Some(words));
    }
}
