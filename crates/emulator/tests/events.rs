//! Tests of memory events: their pieces with lanes, memories, types, operands, and old and new bytes.

use crate::common::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

const U32: ScalarType = ScalarType::U32;

/// An owned copy of an event.
#[derive(Clone, Debug)]
struct Heard {
    agent: Agent,
    action: AccessAction,
    space: StateSpace,
    sem: Sem,
    cache: CacheHints,
    mask: u32,
    pieces: Vec<ElementAccess>,
    old: Vec<u64>,
    offered: Vec<u64>,
    new: Vec<u64>,
    runs: Vec<(u8, u64, usize)>,
}

#[derive(Default)]
struct Ears(Vec<Heard>);

impl Observer for Ears {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let number = |bytes: &[u8]| {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(all)
        };
        let each = |f: &dyn Fn(&ElementAccess) -> u64| event.pieces.iter().map(f).collect();
        self.0.push(Heard {
            agent: event.agent,
            action: event.action,
            space: event.space,
            sem: event.sem,
            cache: event.cache,
            mask: event.mask,
            pieces: event.pieces.to_vec(),
            old: each(&|piece| number(event.before(piece))),
            offered: each(&|piece| number(event.bytes(piece))),
            new: each(&|piece| number(event.after(piece))),
            runs: event
                .runs()
                .map(|run| (run.lane, run.address, run.bytes.len()))
                .collect(),
        });
    }
}

/// Returns the events of a block of `threads` threads except parameter loads, and the program.
fn hear(k: Kernel, threads: u32) -> (Vec<Heard>, std::sync::Arc<Program>) {
    let (program, buffers, arguments) = k.program();
    let launch = launch([1, 1, 1], [threads, 1, 1], buffers, arguments, 0);
    let mut machine = Machine::new(program.clone(), &launch, ResourceLimits::default()).unwrap();
    let mut ears = Ears::default();
    machine.run_observed(10_000, &mut ears);
    assert_eq!(
        machine.status(),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    let heard = ears.0.into_iter();
    let heard = heard
        .filter(|e| e.space != StateSpace::ParamEntry)
        .collect();
    (heard, program)
}

#[test]
fn sink_element_of_store_emits_no_piece_and_splits_run() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(64));
    let tid = k.mov(U32, special("%tid.x"));
    let address = k.element(out, reg(tid), 16);
    let elements = [reg(tid), imm(7), Source::Sink, imm(9)].map(value);
    let modifiers = Modifiers {
        vector: Some(VectorWidth::V4),
        cache: Some(CacheOp::Cs),
        ..access(StateSpace::Global, ScalarType::S32)
    };
    let operands = [address.into(), Arg::List(elements.to_vec()), ABSENT];
    k.op(Operation::Memory(MemoryOp::Store), modifiers, &operands);
    let (heard, program) = hear(k, 3);
    let [event] = &heard[..] else {
        panic!("{heard:?}")
    };
    assert_eq!(event.agent, Agent::Warp { block: 0, warp: 0 });
    assert_eq!(event.action, AccessAction::Store);
    assert_eq!((event.sem, event.mask), (Sem::Weak, 0b111));
    assert_eq!(event.cache.op, Some(CacheOp::Cs));
    let elements: Vec<(u8, u8)> = event
        .pieces
        .iter()
        .map(|p| (p.address_lane, p.element))
        .collect();
    let expected: Vec<(u8, u8)> = (0..3)
        .flat_map(|lane| [0, 1, 3].map(|element| (lane, element)))
        .collect();
    assert_eq!(elements, expected);
    assert_eq!(event.new[..6], [0, 7, 9, 1, 7, 9]);
    let start = event.pieces[0].address;
    assert_eq!(
        event.runs[..3],
        [(0, start, 8), (0, start + 12, 4), (1, start + 16, 8)]
    );
    assert!(event.pieces.iter().all(|p| p.ty == ScalarType::S32
        && p.memory == MemoryId::Global
        && p.written
        && p.n_bytes == 4));
    let first = event.pieces[0]
        .operand
        .unwrap()
        .of(&program.functions[0])
        .unwrap();
    assert_eq!(first.value, value(reg(tid)));
}

#[test]
fn accesses_to_same_address_are_serialized_in_lane_order() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(4));
    let tid = k.mov(U32, special("%tid.x"));
    k.atom(AtomicOp::Add, U32, at(out, 0), &[imm(5)]);
    k.atom(
        AtomicOp::Cas,
        ScalarType::B32,
        at(out, 4),
        &[imm(0), reg(tid)],
    );
    k.atom(AtomicOp::Max, U32, at(out, 8), &[reg(tid)]);
    k.store(StateSpace::Global, U32, at(out, 12), reg(tid));
    let (heard, program) = hear(k, 3);
    let [add, cas, max, store] = &heard[..] else {
        panic!("{heard:?}")
    };
    assert_eq!(
        (&add.old[..], &add.new[..]),
        (&[0, 5, 10][..], &[5, 10, 15][..])
    );
    // Lane 0 stores 0. Lane 1 then loads 0 and replaces it.
    assert_eq!(
        (&cas.old[..], &cas.new[..]),
        (&[0, 0, 1][..], &[0, 1, 1][..])
    );
    assert_eq!(cas.offered, [0, 1, 2]);
    let took = |e: &Heard| e.pieces.iter().map(|p| p.written).collect::<Vec<_>>();
    assert_eq!(took(cas), [true, true, false]);
    assert_eq!(
        (took(max), &max.new[..]),
        (vec![false, true, true], &[0, 1, 2][..])
    );
    assert_eq!(
        (&store.old[..], &store.new[..]),
        (&[0, 0, 1][..], &[0, 1, 2][..])
    );
    let offered = cas.pieces[0]
        .operand
        .unwrap()
        .of(&program.functions[0])
        .unwrap();
    assert_eq!(
        offered.value,
        value(reg(tid)),
        "the value that is swapped in"
    );
    assert_eq!((add.action, add.sem), (AccessAction::Atomic, Sem::Relaxed));
}

#[test]
fn memory_ids_identify_owning_block_and_lane() {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(64));
    let shared = k.shared(64, 8);
    let local = VariableId::Function(k.function.variables.len() as u32);
    let declared = variable("local", StateSpace::Local, 16, 8);
    k.function.variables.push(declared);
    let generic = |variable| Source::VariableAddress {
        variable,
        offset: 4,
        generic: true,
    };
    let s = k.mov(ScalarType::U64, generic(shared));
    let l = k.mov(ScalarType::U64, generic(local));
    for base in [out, s, l] {
        k.store(StateSpace::Generic, U32, at(base, 0), imm(1));
    }
    k.load(StateSpace::Local, U32, place(local));
    let (heard, _) = hear(k, 40);
    let of = |event: &Heard| (event.pieces[1].memory, event.pieces[1].address);
    let memories: Vec<_> = heard
        .iter()
        .filter(|e| e.agent == Agent::Warp { block: 0, warp: 1 })
        .map(of)
        .collect();
    let lane = MemoryId::Local {
        block: 0,
        warp: 1,
        lane: 1,
    };
    assert_eq!(memories[0].0, MemoryId::Global);
    assert_eq!(
        memories[1..],
        [(MemoryId::Shared { block: 0 }, 4), (lane, 4), (lane, 0)]
    );
    assert_eq!(memories[1].0.space(), StateSpace::Shared);
}
