//! Matrices that are spread over the lanes of a warp.

mod common;

use common::*;
use warpgrid_emulator::Limits;
use warpgrid_emulator::*;
use warpgrid_isa::fragment::{
    FragmentMap, FragmentOp, FragmentQuery, Matrix, Place, Shape, all_fragments, fragment,
};
use warpgrid_isa::*;
use warpgrid_program::*;

#[test]
fn movmatrix_gives_each_lane_two_neighbours_of_a_column() {
    let mut k = Kernel::new();
    let b32 = ScalarType::B32;
    let out = k.buffer("out", zeros(32));
    let i = global_index(&mut k);
    let address = k.element(out, reg(i), 4);
    // Elements are numbered row by row: lane `i` holds elements 2i and 2i + 1.
    let both = k.arith(ArithmeticOp::Mul, ScalarType::U32, &[reg(i), imm(0x2_0002)]);
    let both = k.arith(
        ArithmeticOp::Add,
        ScalarType::U32,
        &[reg(both), imm(0x1_0000)],
    );
    let d = k.register(b32);
    let does = Does::Warp(WarpOp::Movmatrix);
    k.op(
        does,
        typed(ScalarType::B16),
        &[to(d), Arg::One(value(reg(both)))],
    );
    k.store(StateSpace::Global, b32, address, reg(d));
    k.control(ControlOp::Return);
    let mut machine = k.launch([1, 1, 1], [32, 1, 1]);
    machine.run(1000);
    for (lane, word) in words(&machine, 0).into_iter().enumerate() {
        let number = |column: usize| (8 * column + lane / 4) as u32;
        let first = lane % 4 * 2;
        assert_eq!(word, number(first) | number(first + 1) << 16, "lane {lane}");
    }
}

/// Fragments by lane: every fragment map of these targets has its load or store here.
const TARGETS: [&str; 6] = ["sm_70", "sm_72", "sm_75", "sm_80", "sm_90", "sm_100"];

fn target(name: &str) -> &'static Target {
    Target::from_name(name).expect("a target")
}

fn wmma(op: MatrixOp, query: &FragmentQuery, space: StateSpace) -> (Does, Modifiers) {
    let modifiers = Modifiers {
        ty: Some(query.ty),
        layout: query.layout,
        shape: Some(MatrixShape {
            rows: query.shape.m,
            columns: query.shape.n,
            depth: query.shape.k,
        }),
        space: Some(space),
        ..Modifiers::default()
    };
    (Does::Matrix(op), modifiers)
}

/// Registers of a fragment: 64 bits for doubles.
fn registers(k: &mut Kernel, ty: ScalarType, n: usize) -> Vec<RegisterId> {
    let register = match ty {
        ScalarType::F64 => ScalarType::B64,
        _ => ScalarType::B32,
    };
    (0..n).map(|_| k.register(register)).collect()
}

fn written_list(registers: &[RegisterId]) -> Arg {
    Arg::List(registers.iter().copied().map(written).collect())
}

fn read_list(registers: &[RegisterId]) -> Arg {
    Arg::List(registers.iter().map(|id| value(reg(*id))).collect())
}

/// The register of lane `lane` goes to, or comes from, words `lane * n + index`, two words each for doubles.
fn register_places(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) -> Vec<Address> {
    let bytes = u64::from(type_of(k, registers[0]).width_bytes());
    let lane = k.mov(ScalarType::U32, special("%tid.x"));
    let start = k.element(base, reg(lane), bytes * registers.len() as u64);
    let start = base_of(start);
    (0..registers.len() as i64)
        .map(|index| at(start, index * bytes as i64))
        .collect()
}

fn type_of(k: &Kernel, register: RegisterId) -> ScalarType {
    let register = k.function.registers.get(register.0 as usize);
    register.expect("a register that was declared").ty
}

fn write_out(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) {
    for (register, address) in registers.iter().zip(register_places(k, base, registers)) {
        let ty = type_of(k, *register);
        k.store(StateSpace::Global, ty, address, reg(*register));
    }
}

fn read_in(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) {
    for (register, address) in registers.iter().zip(register_places(k, base, registers)) {
        let ty = type_of(k, *register);
        k.op(
            Does::Memory(MemoryOp::Load),
            access(StateSpace::Global, ty),
            &[to(*register), address.into(), ABSENT],
        );
    }
}

fn launch_on(k: Kernel, target: &'static Target, n_threads: u32) -> Machine {
    let (program, buffers, arguments) = k.program_for(target);
    let launch = launch([1, 1, 1], [n_threads, 1, 1], buffers, arguments, 0);
    Machine::new(program, &launch, Limits::default()).expect("a launch")
}

fn buffer_bytes(machine: &Machine, buffer: u32) -> Vec<u8> {
    let region = MemoryRegion::Buffer(BufferIndex(buffer));
    machine.memory(region).expect("a buffer").to_vec()
}

/// Bytes that differ from each other as far as bytes can.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

fn bits_at(bytes: &[u8], bit: u64, n_bits: u32) -> u64 {
    (0..u64::from(n_bits)).fold(0, |value, i| {
        let at = bit + i;
        let byte = bytes[(at / 8) as usize];
        value | u64::from(byte >> (at % 8) & 1) << i
    })
}

/// A stride that keeps every line aligned, and leaves a gap.
fn gap_stride(map: &FragmentMap, layout: MatrixLayout) -> u32 {
    map.default_stride_elements(layout) + 512 / map.element_bits()
}

#[test]
fn wmma_load_puts_each_element_where_the_map_says() {
    let mut n = 0;
    for target in TARGETS.map(target) {
        for query in all_fragments(target) {
            let op = match query.op {
                FragmentOp::LoadA => MatrixOp::WmmaLoadA,
                FragmentOp::LoadB => MatrixOp::WmmaLoadB,
                FragmentOp::LoadC => MatrixOp::WmmaLoadC,
                _ => continue,
            };
            let map = fragment(&query).expect("a fragment");
            let layout = query.layout.expect("a layout");
            let stride = gap_stride(&map, layout);
            let memory = noise(32 * 1024);
            let mut k = Kernel::new();
            let matrix = k.buffer("matrix", Contents::Bytes(memory.clone()));
            let out = k.buffer("out", zeros(64 * 16));
            let loaded = registers(&mut k, query.ty, map.n_registers.into());
            let (does, modifiers) = wmma(op, &query, StateSpace::Global);
            k.op(
                does,
                modifiers,
                &[
                    written_list(&loaded),
                    at(matrix, 0).into(),
                    imm(stride.into()).into(),
                ],
            );
            write_out(&mut k, out, &loaded);
            k.control(ControlOp::Return);
            let mut machine = launch_on(k, target, 32);
            assert_eq!(machine.run(10_000), Status::Finished, "{query:?}");
            let found = buffer_bytes(&machine, 1);
            let (bits, n_registers) = (map.element_bits(), u64::from(map.n_registers));
            let register_bits = if query.ty == ScalarType::F64 { 64 } else { 32 };
            for holder in map.holders() {
                let index = u64::from(holder.lane) * n_registers + u64::from(holder.register);
                let at = index * register_bits + u64::from(holder.element) * u64::from(bits);
                let from = map.offset_bits(map.place(holder), layout, stride);
                let expected = bits_at(&memory, from, bits);
                assert_eq!(bits_at(&found, at, bits), expected, "{query:?} {holder:?}");
            }
            n += 1;
        }
    }
    assert_eq!(n, 406);
}

#[test]
fn wmma_store_gives_back_what_wmma_load_took() {
    for target in TARGETS.map(target) {
        for query in all_fragments(target) {
            if query.op != FragmentOp::StoreD {
                continue;
            }
            let map = fragment(&query).expect("a fragment");
            let layout = query.layout.expect("a layout");
            let stride = gap_stride(&map, layout);
            let n_bytes = 16 * 1024;
            let mut k = Kernel::new();
            let matrix = k.buffer("matrix", Contents::Bytes(noise(n_bytes)));
            let out = k.buffer("out", zeros(n_bytes as u64 / 4));
            let loaded = registers(&mut k, query.ty, map.n_registers.into());
            let (does, modifiers) = wmma(MatrixOp::WmmaLoadC, &query, StateSpace::Generic);
            let from = [written_list(&loaded), at(matrix, 0).into(), ABSENT];
            k.op(does, modifiers, &from);
            let (does, modifiers) = wmma(MatrixOp::WmmaStore, &query, StateSpace::Global);
            let strides = k.mov(ScalarType::U32, imm(stride.into()));
            let into = [
                at(out, 0).into(),
                read_list(&loaded),
                Arg::One(value(reg(strides))),
            ];
            k.op(does, modifiers, &into);
            k.control(ControlOp::Return);
            let mut machine = launch_on(k, target, 32);
            assert_eq!(machine.run(10_000), Status::Finished, "{query:?}");
            let (dense, padded) = (buffer_bytes(&machine, 0), buffer_bytes(&machine, 1));
            let bits = map.element_bits();
            let mut n_written = 0;
            for holder in map.holders() {
                let place = map.place(holder);
                let from = map.offset_bits(place, layout, map.default_stride_elements(layout));
                let to = map.offset_bits(place, layout, stride);
                let (from, to) = (bits_at(&dense, from, bits), bits_at(&padded, to, bits));
                assert_eq!(to, from, "{query:?} {place:?}");
                n_written += u64::from(bits) / 8;
            }
            // Nothing is written between the lines.
            let n_zero = padded.iter().filter(|byte| **byte == 0).count() as u64;
            assert!(n_zero >= n_bytes as u64 - n_written, "{query:?}");
        }
    }
}

/// A product of small integers, which every type has exactly, through the registers of all lanes.
fn check_product(target: &'static Target, op: MatrixOp, shape: Shape, types: [ScalarType; 4]) {
    let [a_type, b_type, c_type, d_type] = types;
    let is_bits = a_type == ScalarType::B1;
    let modifiers = Modifiers {
        a_type: Some(a_type),
        b_type: Some(b_type),
        c_type: Some(c_type),
        d_type: Some(d_type),
        layout: Some(MatrixLayout::Row),
        b_layout: Some(MatrixLayout::Col),
        shape: Some(MatrixShape {
            rows: shape.m,
            columns: shape.n,
            depth: shape.k,
        }),
        combine: is_bits.then_some(BoolOp::And),
        kind: (target.name == "sm_120a").then_some(MmaKind::F8f6f4),
        ..Modifiers::default()
    };
    let map = |matrix, ty, layout| {
        let query = FragmentQuery {
            op: FragmentOp::of_operand(op, &modifiers, matrix).expect("a fragment"),
            shape,
            ty,
            layout,
            target: *target,
        };
        fragment(&query).unwrap_or_else(|error| panic!("{error}"))
    };
    let maps = [
        map(Matrix::A, a_type, Some(MatrixLayout::Row)),
        map(Matrix::B, b_type, Some(MatrixLayout::Col)),
        map(Matrix::C, c_type, None),
        map(Matrix::D, d_type, None),
    ];
    let number = |matrix: usize, place: Place| {
        let (x, y) = (u64::from(place.row), u64::from(place.column));
        let value = (x * 5 + y * 3 + u64::from(place.matrix) * 7 + matrix as u64) % 4;
        if is_bits && matrix < 2 {
            value & 1
        } else {
            value
        }
    };
    let mut k = Kernel::new();
    let mut operands = Vec::new();
    for (index, map) in maps.iter().enumerate().take(3) {
        let register_bits = if map.query.ty == ScalarType::F64 {
            64
        } else {
            32
        };
        let mut words = vec![0u64; 32 * usize::from(map.n_registers)];
        for holder in map.holders() {
            let at = usize::from(holder.lane) * usize::from(map.n_registers)
                + usize::from(holder.register);
            let bits = encoded(map.query.ty, number(index, map.place(holder)));
            words[at] |= bits << (u32::from(holder.element) * map.container_bits());
        }
        let bytes = words.iter().flat_map(|word| {
            let bytes = word.to_le_bytes();
            bytes[..register_bits / 8].to_vec()
        });
        let base = k.buffer("operand", Contents::Bytes(bytes.collect()));
        let held = registers(&mut k, map.query.ty, map.n_registers.into());
        read_in(&mut k, base, &held);
        operands.push(read_list(&held));
    }
    let out = k.buffer("out", zeros(2 * 32 * 16));
    let results = registers(&mut k, d_type, maps[3].n_registers.into());
    operands.insert(0, written_list(&results));
    k.op(Does::Matrix(op), modifiers, &operands);
    write_out(&mut k, out, &results);
    k.control(ControlOp::Return);
    let mut machine = launch_on(k, target, 32);
    let title = format!("{} {op:?} {shape} {types:?}", target.name);
    assert_eq!(
        machine.run(10_000),
        Status::Finished,
        "{title}: {:?}",
        machine.fault()
    );
    let found = buffer_bytes(&machine, 3);
    let map = &maps[3];
    let register_bits = if d_type == ScalarType::F64 { 64 } else { 32 };
    for holder in map.holders() {
        let place = map.place(holder);
        let at = |row, column| Place {
            matrix: place.matrix,
            row,
            column,
        };
        let products = (0..shape.k).map(|k| {
            let (a, b) = (number(0, at(place.row, k)), number(1, at(k, place.column)));
            if is_bits { a & b } else { a * b }
        });
        let sum = products.sum::<u64>() + number(2, place);
        let index =
            u64::from(holder.lane) * u64::from(map.n_registers) + u64::from(holder.register);
        let bit = index * register_bits + u64::from(holder.element) * u64::from(map.element_bits());
        let bits = bits_at(&found, bit, map.element_bits());
        assert_eq!(bits, encoded(d_type, sum), "{title} {place:?}");
    }
}

/// A small whole number in a type.
fn encoded(ty: ScalarType, number: u64) -> u64 {
    let single = u64::from((number as f32).to_bits());
    let small = |bias: u64, fraction: u32| match number {
        0 => 0,
        n => {
            let exponent = u64::from(n.ilog2());
            (exponent + bias) << fraction | (n << fraction >> exponent) & ((1 << fraction) - 1)
        }
    };
    match ty {
        ScalarType::F64 => (number as f64).to_bits(),
        ScalarType::F32 | ScalarType::Tf32 => single,
        ScalarType::Bf16 => single >> 16,
        ScalarType::F16 => small(15, 10),
        ScalarType::E4m3 => small(7, 3),
        ScalarType::E5m2 => small(15, 2),
        ScalarType::E3m2 => small(3, 2),
        ScalarType::E2m3 => small(1, 3),
        // In the middle of its byte.
        ScalarType::E2m1 => small(1, 1) << 2,
        _ => number,
    }
}

#[test]
fn products_of_whole_numbers_are_exact_in_every_shape_and_type() {
    use ScalarType::*;
    let shape = |name| Shape::from_name(name).expect("a shape");
    let halves = [[F16, F16, F16, F16], [F16, F16, F32, F32]];
    let mixed = [[F16, F16, F16, F32], [F16, F16, F32, F16]];
    for name in ["m16n16k16", "m8n32k16", "m32n8k16"] {
        for t in ["sm_70", "sm_75", "sm_80", "sm_90"].map(target) {
            for types in halves.into_iter().chain(mixed) {
                check_product(t, MatrixOp::WmmaMma, shape(name), types);
            }
        }
        for t in ["sm_72", "sm_75", "sm_80"].map(target) {
            for types in [[U8, U8, S32, S32], [S8, S8, S32, S32]] {
                check_product(t, MatrixOp::WmmaMma, shape(name), types);
            }
        }
        check_product(
            target("sm_80"),
            MatrixOp::WmmaMma,
            shape(name),
            [Bf16, Bf16, F32, F32],
        );
    }
    for (name, types) in [
        ("m16n16k8", [Tf32, Tf32, F32, F32]),
        ("m8n8k4", [F64, F64, F64, F64]),
        ("m8n8k32", [U4, U4, S32, S32]),
        ("m8n8k32", [S4, S4, S32, S32]),
        ("m8n8k128", [B1, B1, S32, S32]),
    ] {
        check_product(target("sm_80"), MatrixOp::WmmaMma, shape(name), types);
    }
    for t in ["sm_70", "sm_75", "sm_80"].map(target) {
        for types in [halves[0], halves[1], mixed[0]] {
            check_product(t, MatrixOp::Mma, shape("m8n8k4"), types);
        }
    }
    for (name, types) in [
        ("m16n8k8", halves[0]),
        ("m16n8k8", halves[1]),
        ("m16n8k16", halves[0]),
        ("m16n8k16", halves[1]),
        ("m16n8k8", [Bf16, Bf16, F32, F32]),
        ("m16n8k16", [Bf16, Bf16, F32, F32]),
        ("m16n8k4", [Tf32, Tf32, F32, F32]),
        ("m16n8k8", [Tf32, Tf32, F32, F32]),
        ("m8n8k4", [F64, F64, F64, F64]),
        ("m16n8k4", [F64, F64, F64, F64]),
        ("m16n8k8", [F64, F64, F64, F64]),
        ("m16n8k16", [F64, F64, F64, F64]),
        ("m8n8k16", [U8, S8, S32, S32]),
        ("m16n8k16", [S8, U8, S32, S32]),
        ("m16n8k32", [S8, S8, S32, S32]),
        ("m8n8k32", [U4, S4, S32, S32]),
        ("m16n8k32", [U4, U4, S32, S32]),
        ("m16n8k64", [S4, U4, S32, S32]),
        ("m8n8k128", [B1, B1, S32, S32]),
        ("m16n8k128", [B1, B1, S32, S32]),
        ("m16n8k256", [B1, B1, S32, S32]),
        ("m16n8k32", [E4m3, E5m2, F32, F32]),
        ("m16n8k16", [E5m2, E4m3, F16, F16]),
    ] {
        check_product(target("sm_90"), MatrixOp::Mma, shape(name), types);
    }
    for a in [E4m3, E5m2, E3m2, E2m3, E2m1] {
        for b in [E4m3, E5m2, E3m2, E2m3, E2m1] {
            for sum in [F16, F32] {
                let types = [a, b, sum, sum];
                check_product(target("sm_120a"), MatrixOp::Mma, shape("m16n8k32"), types);
            }
        }
    }
}

/// Lane `lane` gives the address of row `lane`; rows are 32 bytes apart.
#[test]
fn ldmatrix_and_stmatrix_move_rows_that_lanes_point_to() {
    for (count, n, is_transposed) in [
        (MatrixCount::X1, 1, false),
        (MatrixCount::X2, 2, false),
        (MatrixCount::X4, 4, false),
        (MatrixCount::X1, 1, true),
        (MatrixCount::X4, 4, true),
    ] {
        let mut modifiers = access(StateSpace::Shared, ScalarType::B16);
        modifiers.shape = Some(MatrixShape {
            rows: 8,
            columns: 8,
            depth: 0,
        });
        modifiers.count = Some(count);
        if is_transposed {
            modifiers.flags = modifiers.flags.with(Flag::Trans);
        }
        let mut k = Kernel::new();
        let out = k.buffer("out", zeros(32 * n as u64));
        let tile = k.shared(32 * 32, 16);
        let lane = k.mov(ScalarType::U32, special("%tid.x"));
        let base = k.mov(ScalarType::U64, address_of(tile));
        let row = k.element(base, reg(lane), 32);
        // Element (row, column) of the 32 rows is 256 * row + column.
        for pair in 0..4u64 {
            let first = ((2 * pair + 1) << 16) | (2 * pair);
            let both = k.arith(
                ArithmeticOp::Mul,
                ScalarType::U32,
                &[reg(lane), imm(0x0100_0100)],
            );
            let both = k.arith(ArithmeticOp::Add, ScalarType::U32, &[reg(both), imm(first)]);
            let address = at(base_of(row), 4 * pair as i64);
            k.store(StateSpace::Shared, ScalarType::B32, address, reg(both));
        }
        let held = registers(&mut k, ScalarType::B16, n);
        let does = Does::Matrix(MatrixOp::Ldmatrix);
        k.op(does, modifiers, &[written_list(&held), row.into()]);
        write_out(&mut k, out, &held);
        // Back to where the rows came from, which changes nothing.
        let does = Does::Matrix(MatrixOp::Stmatrix);
        k.op(does, modifiers, &[row.into(), read_list(&held)]);
        let again = registers(&mut k, ScalarType::B16, n);
        let does = Does::Matrix(MatrixOp::Ldmatrix);
        k.op(does, modifiers, &[written_list(&again), row.into()]);
        let second = k.buffer("second", zeros(32 * n as u64));
        write_out(&mut k, second, &again);
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_90"), 32);
        assert_eq!(
            machine.run(10_000),
            Status::Finished,
            "{:?}",
            machine.fault()
        );
        let found = words(&machine, 0);
        assert_eq!(found, words(&machine, 1));
        for (index, word) in found.iter().enumerate() {
            let (lane, matrix) = (index / n, index % n);
            let element = |part: usize| {
                let (row, column) = (lane / 4, lane % 4 * 2 + part);
                let (row, column) = match is_transposed {
                    true => (column, row),
                    false => (row, column),
                };
                (256 * (8 * matrix + row) + column) as u32
            };
            assert_eq!(
                *word,
                element(0) | element(1) << 16,
                "lane {lane} {count:?}"
            );
        }
    }
}

/// The words of `ldmatrix` and `stmatrix` for a fragment, and its registers.
fn rows_of(query: &FragmentQuery) -> Modifiers {
    let mut modifiers = access(StateSpace::Shared, query.ty);
    modifiers.shape = Some(MatrixShape {
        rows: query.shape.m,
        columns: query.shape.n,
        depth: 0,
    });
    modifiers.count = Some(match query.op.name().rsplit_once('x') {
        Some((_, "1")) => MatrixCount::X1,
        Some((_, "2")) => MatrixCount::X2,
        _ => MatrixCount::X4,
    });
    modifiers.unpacking = match query.ty.width_bits() {
        4 => Some(Unpacking::B4),
        6 => Some(Unpacking::B6),
        _ => None,
    };
    if modifiers.unpacking.is_some() {
        modifiers.ty = None;
    }
    if query.layout == Some(MatrixLayout::Col) {
        modifiers.flags = modifiers.flags.with(Flag::Trans);
    }
    modifiers
}

/// Bits from the first row to an element, for lines of 16 bytes that follow each other matrix by matrix.
fn bit_in_rows(map: &FragmentMap, place: Place) -> u64 {
    let (line, column) = map.layout.major_minor(place);
    let n_lines = map.layout.major_minor(Place {
        row: map.rows,
        column: map.columns,
        matrix: 0,
    });
    let line = u64::from(place.matrix * n_lines.0 + line);
    line * 128 + u64::from(column) * u64::from(map.element_bits())
}

/// Copies each lane's row of 16 bytes.
fn copy_rows(k: &mut Kernel, from: (StateSpace, Address), to: (StateSpace, Address)) {
    for word in 0..4 {
        let value = k.register(ScalarType::B32);
        let place = at(base_of(from.1), 4 * word);
        let modifiers = access(from.0, ScalarType::B32);
        let operands = [common::to(value), place.into(), ABSENT];
        k.op(Does::Memory(MemoryOp::Load), modifiers, &operands);
        k.store(
            to.0,
            ScalarType::B32,
            at(base_of(to.1), 4 * word),
            reg(value),
        );
    }
}

#[test]
fn ldmatrix_puts_each_element_where_the_map_says() {
    let mut n_packed = 0;
    for query in all_fragments(target("sm_100a")) {
        if !query.op.name().starts_with("ldmatrix") {
            continue;
        }
        let map = fragment(&query).expect("a fragment");
        let memory = noise(32 * 16);
        let mut k = Kernel::new();
        let source = k.buffer("source", Contents::Bytes(memory.clone()));
        let out = k.buffer("out", zeros(64 * 8));
        let tile = k.shared(32 * 16, 16);
        let lane = k.mov(ScalarType::U32, special("%tid.x"));
        let base = k.mov(ScalarType::U64, address_of(tile));
        let row = k.element(base, reg(lane), 16);
        let given = k.element(source, reg(lane), 16);
        copy_rows(
            &mut k,
            (StateSpace::Global, given),
            (StateSpace::Shared, row),
        );
        let held = registers(&mut k, ScalarType::B32, map.n_registers.into());
        let does = Does::Matrix(MatrixOp::Ldmatrix);
        k.op(does, rows_of(&query), &[written_list(&held), row.into()]);
        write_out(&mut k, out, &held);
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_100a"), 32);
        assert_eq!(machine.run(10_000), Status::Finished, "{query:?}");
        let found = buffer_bytes(&machine, 1);
        let container = map.container_bits();
        for holder in map.holders() {
            let index = u64::from(holder.lane) * u64::from(map.n_registers);
            let word = index + u64::from(holder.register);
            let at = word * 32 + u64::from(holder.element) * u64::from(container);
            let from = bit_in_rows(&map, map.place(holder));
            let expected = bits_at(&memory, from, map.element_bits());
            assert_eq!(
                bits_at(&found, at, container),
                expected,
                "{query:?} {holder:?}"
            );
        }
        n_packed += u32::from(container != map.element_bits());
    }
    assert!(n_packed >= 12, "{n_packed} fragments are unpacked");
}

#[test]
fn stmatrix_puts_each_element_where_the_map_says() {
    let mut n_bytes = 0;
    for query in all_fragments(target("sm_100a")) {
        if !query.op.name().starts_with("stmatrix") {
            continue;
        }
        let map = fragment(&query).expect("a fragment");
        let given = noise(32 * 16);
        let mut k = Kernel::new();
        let source = k.buffer("source", Contents::Bytes(given.clone()));
        let out = k.buffer("out", zeros(32 * 4));
        let tile = k.shared(32 * 16, 16);
        let held = registers(&mut k, ScalarType::B32, map.n_registers.into());
        read_in(&mut k, source, &held);
        let lane = k.mov(ScalarType::U32, special("%tid.x"));
        let base = k.mov(ScalarType::U64, address_of(tile));
        let row = k.element(base, reg(lane), 16);
        let does = Does::Matrix(MatrixOp::Stmatrix);
        k.op(does, rows_of(&query), &[row.into(), read_list(&held)]);
        let shown = k.element(out, reg(lane), 16);
        copy_rows(
            &mut k,
            (StateSpace::Shared, row),
            (StateSpace::Global, shown),
        );
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_100a"), 32);
        assert_eq!(machine.run(10_000), Status::Finished, "{query:?}");
        let found = buffer_bytes(&machine, 1);
        let bits = map.element_bits();
        for holder in map.holders() {
            let index = u64::from(holder.lane) * u64::from(map.n_registers);
            let word = index + u64::from(holder.register);
            let from = word * 32 + u64::from(holder.element) * u64::from(bits);
            let at = bit_in_rows(&map, map.place(holder));
            let expected = bits_at(&given, from, bits);
            assert_eq!(bits_at(&found, at, bits), expected, "{query:?} {holder:?}");
        }
        n_bytes += u32::from(bits == 8);
    }
    assert_eq!(n_bytes, 3, "one, two and four matrices of bytes");
}

/// A `wmma.store.d` of 16 by 16 words whose address and stride a test spoils.
fn spoiled(
    spoil: impl FnOnce(&mut Kernel, RegisterId, RegisterId) -> Address,
    n_threads: u32,
) -> Fault {
    let mut k = Kernel::new();
    let matrix = k.buffer("matrix", zeros(1024));
    let stride = k.mov(ScalarType::U32, imm(16));
    let address = spoil(&mut k, matrix, stride);
    let held = registers(&mut k, ScalarType::F32, 8);
    let query = FragmentQuery {
        op: FragmentOp::StoreD,
        shape: Shape::new(16, 16, 16),
        ty: ScalarType::F32,
        layout: Some(MatrixLayout::Row),
        target: *target("sm_90"),
    };
    let (does, modifiers) = wmma(MatrixOp::WmmaStore, &query, StateSpace::Global);
    k.op(
        does,
        modifiers,
        &[
            address.into(),
            read_list(&held),
            Arg::One(value(reg(stride))),
        ],
    );
    k.control(ControlOp::Return);
    let mut machine = launch_on(k, target("sm_90"), n_threads);
    assert_eq!(machine.run(1000), Status::Faulted);
    machine.fault().expect("a fault").clone()
}

fn lane_number(k: &mut Kernel) -> RegisterId {
    k.mov(ScalarType::U32, special("%tid.x"))
}

#[test]
fn lanes_that_do_not_agree_are_named() {
    let fault = spoiled(
        |k, matrix, _| {
            let lane = lane_number(k);
            let odd = k.arith(ArithmeticOp::And, ScalarType::B32, &[reg(lane), imm(1)]);
            k.element(matrix, reg(odd), 64)
        },
        32,
    );
    let mistake = MatrixMistake::UnequalAddresses;
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(fault.lanes, 0xaaaa_aaaa);

    let fault = spoiled(
        |k, matrix, stride| {
            let lane = lane_number(k);
            let last = k.arith(ArithmeticOp::Shr, ScalarType::U32, &[reg(lane), imm(4)]);
            let sum = [reg(stride), reg(last)];
            k.arith_to(stride, ArithmeticOp::Add, ScalarType::U32, &sum);
            at(matrix, 0)
        },
        32,
    );
    let mistake = MatrixMistake::UnequalStrides;
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(fault.lanes, 0xffff_0000);

    let fault = spoiled(|_, matrix, _| at(matrix, 0), 20);
    let missing = 0xfff0_0000;
    let mistake = MatrixMistake::MissingLanes { missing };
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(
        fault.to_string(),
        "in the warp of thread (0, 0, 0) of block (0, 0, 0): a matrix operation without lanes 0xfff00000: all 32 lanes of the warp take part, or the result is undefined"
    );
}

#[test]
fn address_and_stride_need_the_alignment_of_the_compiled_accesses() {
    let fault = spoiled(|_, matrix, _| at(matrix, 4), 32);
    assert_eq!(fault.kind, FaultKind::Misaligned);
    assert_eq!(fault.access.expect("an access").width_bytes, 8);

    // 17 words between lines: the compiled code would move some of them.
    let fault = spoiled(
        |k, matrix, stride| {
            let one = [reg(stride), imm(1)];
            k.arith_to(stride, ArithmeticOp::Add, ScalarType::U32, &one);
            at(matrix, 0)
        },
        32,
    );
    let mistake = MatrixMistake::MovedLines {
        stride: 17,
        needed_bytes: 8,
    };
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));

    // Beyond the end of the buffer: the last line does not fit, and nothing is written.
    let fault = spoiled(|_, matrix, _| at(matrix, 4 * (1024 - 240)), 32);
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(fault.access.expect("an access").kind, AccessKind::Store);
}
