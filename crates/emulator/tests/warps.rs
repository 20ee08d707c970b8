//! Divergence, barriers, collectives, calls, faults and the limits of a launch.

use crate::common::*;
use std::sync::Arc;
use warpgrid_emulator::Limits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

const U32: ScalarType = ScalarType::U32;

/// Runs one block and gives the words of the first buffer.
fn result(k: Kernel, threads: u32) -> Vec<u32> {
    let mut machine = k.launch([1, 1, 1], [threads, 1, 1]);
    assert_eq!(
        machine.run(1_000_000),
        Status::Finished,
        "{:?}",
        machine.fault()
    );
    words(&machine, 0)
}

/// Runs one block to its fault.
fn fault(k: Kernel, threads: u32) -> (Fault, Machine) {
    let mut machine = k.launch([1, 1, 1], [threads, 1, 1]);
    assert_eq!(machine.run(1_000_000), Status::Faulted);
    (machine.fault().unwrap().clone(), machine)
}

fn store_own(k: &mut Kernel, out: RegisterId, value: Source) {
    let tid = k.mov(U32, special("%tid.x"));
    let address = k.element(out, reg(tid), 4);
    k.store(StateSpace::Global, U32, address, value);
}

#[test]
fn both_sides_of_a_branch_meet_again() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(32));
    let tid = k.mov(U32, special("%tid.x"));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(10));
    let value = k.mov(U32, imm(1));
    let (other, end) = (k.label(), k.label());
    k.when(low, false).bra(other);
    k.arith_to(value, ArithmeticOp::Add, U32, &[reg(value), imm(1)]);
    k.bra(end);
    k.here(other);
    k.arith_to(value, ArithmeticOp::Add, U32, &[reg(value), imm(5)]);
    k.here(end);
    let mask = k.register(U32);
    k.op(Does::Warp(WarpOp::ActiveMask), typed(U32), &[to(mask)]);
    let all = k.setp(CompareOp::Eq, U32, reg(mask), imm(0xffff_ffff));
    k.when(all, true).control(ControlOp::Trap);
    store_own(&mut k, out, reg(value));
    let out = result(k, 32);
    assert!(
        out.iter()
            .enumerate()
            .all(|(i, v)| *v == if i < 10 { 6 } else { 2 })
    );
}

/// Lanes of one warp take a lock in turn; the one that has it must not be starved by those that spin.
#[test]
fn a_spin_lock_within_a_warp_ends() {
    let mut k = Kernel::new();
    let lock = k.buffer("lock", zeros(2));
    let atom =
        |k: &mut Kernel, op, sources: &[Source]| k.atom(op, ScalarType::B32, at(lock, 0), sources);
    let head = k.label();
    k.here(head);
    let seen = atom(&mut k, AtomicOp::Cas, &[imm(0), imm(1)]);
    let taken = k.setp(CompareOp::Ne, U32, reg(seen), imm(0));
    k.when(taken, false).bra(head);
    let count = k.load(StateSpace::Global, U32, at(lock, 4));
    k.arith_to(count, ArithmeticOp::Add, U32, &[reg(count), imm(1)]);
    k.store(StateSpace::Global, U32, at(lock, 4), reg(count));
    atom(&mut k, AtomicOp::Exch, &[imm(0)]);
    k.control(ControlOp::Return);
    assert_eq!(result(k, 96)[1], 96);
}

#[test]
fn lanes_wait_for_a_shuffle_that_names_them() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(32));
    let tid = k.mov(U32, special("%tid.x"));
    let odd = k.arith(ArithmeticOp::And, U32, &[reg(tid), imm(1)]);
    let p = k.setp(CompareOp::Ne, U32, reg(odd), imm(0));
    let join = k.label();
    k.when(p, false).bra(join);
    k.arith_to(tid, ArithmeticOp::Add, U32, &[reg(tid), imm(100)]);
    k.here(join);
    let d = k.register(U32);
    let modifiers = Modifiers {
        shuffle: Some(ShuffleMode::Bfly),
        ..typed(U32)
    };
    let mut operands = vec![pair(Some(d), None)];
    operands.extend([reg(tid), imm(1), imm(31), imm(0xffff_ffff)].map(Arg::from));
    k.op(Does::Warp(WarpOp::Shuffle), modifiers, &operands);
    store_own(&mut k, out, reg(d));
    let out = result(k, 32);
    let own = |i: u32| if i.is_multiple_of(2) { i + 100 } else { i };
    assert!((0..32).all(|i| out[i as usize] == own(i ^ 1)));
}

#[test]
fn a_warp_barrier_is_met_at_two_instructions() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(32));
    let tid = k.mov(U32, special("%tid.x"));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(7));
    let (other, end) = (k.label(), k.label());
    k.when(low, false).bra(other);
    warp_barrier(&mut k);
    k.bra(end);
    k.here(other);
    warp_barrier(&mut k);
    k.here(end);
    store_own(&mut k, out, reg(tid));
    assert_eq!(result(k, 32), (0..32).collect::<Vec<_>>());
}

#[test]
fn a_collective_without_its_lanes_is_a_deadlock() {
    let mut k = Kernel::new();
    let _ = k.buffer("out", zeros(32));
    let tid = k.mov(U32, special("%tid.x"));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(4));
    let skip = k.label();
    k.when(low, false).bra(skip);
    let d = k.register(U32);
    let modifiers = Modifiers {
        vote: Some(VoteMode::Ballot),
        ..typed(ScalarType::B32)
    };
    let operands = [to(d), holds(low, false), imm(0xffff_ffff).into()];
    k.op(Does::Warp(WarpOp::Vote), modifiers, &operands);
    k.here(skip);
    barrier(&mut k);
    let (fault, _) = fault(k, 32);
    let FaultKind::Deadlock { waiting } = &fault.kind else {
        panic!("{fault:?}");
    };
    assert_eq!(waiting.len(), 2);
    assert!(
        waiting.iter().any(
            |w| w.lanes == 0xffff_fff0 && w.waits_for == WaitReason::WarpLanes { missing: 0xf }
        )
    );
    assert!(
        waiting
            .iter()
            .any(|w| w.lanes == 0xf && w.waits_for == WaitReason::Barrier { id: 0 })
    );
}

#[test]
fn warps_that_end_do_not_hold_a_barrier() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(96));
    let tid = k.mov(U32, special("%tid.x"));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(40));
    k.when(low, false).control(ControlOp::Exit);
    barrier(&mut k);
    store_own(&mut k, out, reg(tid));
    let out = result(k, 96);
    assert!((0..96).all(|i| out[i] == if i < 40 { 0 } else { i as u32 }));
}

#[test]
fn a_barrier_counts_predicates() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(70));
    let tid = k.mov(U32, special("%tid.x"));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(41));
    let d = k.register(U32);
    let modifiers = Modifiers {
        ty: Some(U32),
        barrier_reduce: Some(BarrierReduce::Popc),
        ..flags(&[Flag::Red])
    };
    let operands = [to(d), imm(3).into(), ABSENT, holds(low, false)];
    k.op(Does::Sync(SyncOp::Bar), modifiers, &operands);
    store_own(&mut k, out, reg(d));
    assert_eq!(result(k, 70), vec![41; 70]);
}

/// fib(n) by recursion, with arguments and results in `.param` memory.
fn fibonacci() -> Kernel {
    let mut f = Kernel::new();
    f.function = function("fib", FunctionKind::Function);
    f.function.variables = vec![
        variable("n", StateSpace::ParamFunc, 4, 4),
        variable("result", StateSpace::ParamFunc, 4, 4),
        variable("argument", StateSpace::ParamFunc, 4, 4),
        variable("value", StateSpace::ParamFunc, 4, 4),
    ];
    f.function.parameters = vec![Parameter::Variable(0)];
    f.function.returns = vec![Parameter::Variable(1)];
    let own = VariableId::Function;
    let n = f.load(StateSpace::ParamFunc, U32, place(own(0)));
    let sum = f.mov(U32, reg(n));
    let small = f.setp(CompareOp::Lt, U32, reg(n), imm(2));
    f.when(small, false);
    f.store(StateSpace::ParamFunc, U32, place(own(1)), reg(n));
    f.when(small, false).control(ControlOp::Return);
    f.arith_to(sum, ArithmeticOp::Add, U32, &[imm(0), imm(0)]);
    for less in [1, 2] {
        let m = f.arith(ArithmeticOp::Sub, U32, &[reg(n), imm(less)]);
        f.store(StateSpace::ParamFunc, U32, place(own(2)), reg(m));
        f.call(FunctionId(1), own(2), own(3));
        let v = f.load(StateSpace::ParamFunc, U32, place(own(3)));
        f.arith_to(sum, ArithmeticOp::Add, U32, &[reg(sum), reg(v)]);
    }
    f.store(StateSpace::ParamFunc, U32, place(own(1)), reg(sum));
    f.control(ControlOp::Return);
    f
}

fn call_fibonacci(argument: impl Fn(&mut Kernel) -> RegisterId) -> Kernel {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(32));
    let n = argument(&mut k);
    let first = k.function.variables.len() as u32;
    k.function
        .variables
        .push(variable("argument", StateSpace::ParamFunc, 4, 4));
    k.function
        .variables
        .push(variable("value", StateSpace::ParamFunc, 4, 4));
    let own = VariableId::Function;
    k.store(StateSpace::ParamFunc, U32, place(own(first)), reg(n));
    k.call(FunctionId(1), own(first), own(first + 1));
    let v = k.load(StateSpace::ParamFunc, U32, place(own(first + 1)));
    store_own(&mut k, out, reg(v));
    k.control(ControlOp::Return);
    k.others.push(fibonacci());
    k
}

#[test]
fn recursion_of_each_lane_is_its_own() {
    let k = call_fibonacci(|k| {
        let tid = k.mov(U32, special("%tid.x"));
        k.arith(ArithmeticOp::Rem, U32, &[reg(tid), imm(11)])
    });
    let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55];
    assert!(
        result(k, 32)
            .iter()
            .enumerate()
            .all(|(i, v)| *v == fib[i % 11])
    );
}

#[test]
fn endless_recursion_is_a_stack_overflow() {
    let k = call_fibonacci(|k| k.mov(U32, imm(1_000_000)));
    let (fault, _) = fault(k, 32);
    assert_eq!(fault.kind, FaultKind::StackOverflow);
}

#[test]
fn a_misaligned_store_names_its_lowest_lane_and_writes_nothing() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(64));
    let tid = k.mov(U32, special("%tid.x"));
    let scaled = k.element(out, reg(tid), 4);
    k.store(StateSpace::Global, U32, scaled, imm(7));
    let shifted = k.element(out, reg(tid), 5);
    k.store(StateSpace::Global, U32, shifted, imm(9));
    let (fault, machine) = fault(k, 32);
    assert_eq!(fault.kind, FaultKind::Misaligned);
    assert_eq!(fault.thread, [1, 0, 0]);
    assert_eq!(fault.lanes & 0xff, 0b1110_1110);
    let access = fault.access.unwrap();
    assert_eq!((access.place.byte_offset, access.width_bytes), (5, 4));
    let expected: Vec<u32> = (0..64).map(|i| if i < 32 { 7 } else { 0 }).collect();
    assert_eq!(words(&machine, 0), expected);
}

#[test]
fn a_store_after_the_end_says_how_far() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(20));
    store_own(&mut k, out, imm(1));
    let (fault, _) = fault(k, 32);
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(
        fault.to_string(),
        "thread (20, 0, 0) of block (0, 0, 0): out-of-bounds store of 4 bytes at 0x7f0000000050, \
         just after the end of buffer `out` (80 bytes)"
    );
    assert_eq!(fault.lanes, 0xfff0_0000);
}

#[test]
fn generic_addresses_of_all_spaces_mix_in_one_access() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(64));
    let shared = k.shared(256, 8);
    let local = k.function.variables.len() as u32;
    k.function
        .variables
        .push(variable("local", StateSpace::Local, 16, 8));
    let generic = |variable| Source::VariableAddress {
        variable,
        offset: 0,
        generic: true,
    };
    let tid = k.mov(U32, special("%tid.x"));
    let a = k.element(out, reg(tid), 4);
    let address = base_of(a);
    let s = k.mov(ScalarType::U64, generic(shared));
    let l = k.mov(ScalarType::U64, generic(VariableId::Function(local)));
    let low = k.setp(CompareOp::Lt, U32, reg(tid), imm(8));
    let high = k.setp(CompareOp::Ge, U32, reg(tid), imm(24));
    k.when(low, false);
    k.arith_to(
        address,
        ArithmeticOp::Add,
        ScalarType::U64,
        &[reg(s), imm(0)],
    );
    k.when(high, false);
    k.arith_to(
        address,
        ArithmeticOp::Add,
        ScalarType::U64,
        &[reg(l), imm(0)],
    );
    k.store(StateSpace::Generic, U32, at(address, 0), reg(tid));
    let back = k.load(StateSpace::Generic, U32, at(address, 0));
    store_own(&mut k, out, reg(back));
    let out = result(k, 32);
    // The highest lane wins where several store to one place.
    assert!((0..32).all(|i| out[i] == if i < 8 { 7 } else { i as u32 }));
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let trace = |seed| {
        let mut machine = matmul_tiled(32).launch_seeded([2, 2, 1], [16, 16, 1], seed);
        let mut trace = Vec::new();
        while machine.status() == Status::Running {
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
    refused_within(Limits::default(), change)
}

fn refused_within(limits: Limits, change: impl Fn(&mut Launch)) -> LaunchError {
    let (program, buffers, arguments) = saxpy(64).program();
    let mut launch = launch([1, 1, 1], [64, 1, 1], buffers, arguments, 0);
    change(&mut launch);
    match Machine::new(Arc::clone(&program), &launch, limits) {
        Err(error) => error,
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn too_much_memory_is_refused_before_it_is_laid_out() {
    let two = refused(|l| {
        l.buffers[0].contents = Contents::Zeroed(600 << 20);
        l.buffers[1].contents = Contents::Zeroed(600 << 20);
    });
    assert!(
        matches!(
            two,
            LaunchError::BufferTooLarge { .. } | LaunchError::MemoryTooLarge { .. }
        ),
        "{two}"
    );
    let most = Limits::MOST_GLOBAL_BYTES;
    let within = |max_memory_bytes| Limits {
        max_memory_bytes,
        ..Limits::default()
    };
    let large = refused_within(within(most), |l| {
        l.buffers[0].contents = Contents::Zeroed(1 << 32)
    });
    assert!(matches!(large, LaunchError::BufferTooLarge { limit, .. } if limit == most));
    let beyond = refused_within(within(1 << 33), |_| {});
    assert_eq!(
        beyond.to_string(),
        "`max_memory_bytes` is 8589934592, more than the 4294901760 that a machine can have"
    );
}

#[test]
fn launches_that_cannot_be_are_refused() {
    let large = refused(|l| l.block = [1025, 1, 1]);
    assert_eq!(large.to_string(), "block.x is 1025, more than 1024");
    let many = refused(|l| l.block = [64, 64, 1]);
    assert_eq!(many.to_string(), "a block of 4096 threads, more than 1024");
    let zero = refused(|l| l.grid = [0, 1, 1]);
    assert_eq!(zero.to_string(), "grid 0x1x1 has an extent of zero");
    let tera = refused(|l| l.buffers[0].contents = Contents::Zeroed(1 << 40));
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
fn the_largest_grid_starts_at_once() {
    const MOST: u32 = i32::MAX as u32;
    let mut machine = saxpy(64).launch([MOST, 1, 1], [64, 1, 1]);
    assert_eq!(machine.n_blocks(), u64::from(MOST));
    assert_eq!(machine.run(10_000), Status::Running);
    assert_eq!(machine.position(), 10_000);
    assert!(machine.blocks().len() <= 64);
}
