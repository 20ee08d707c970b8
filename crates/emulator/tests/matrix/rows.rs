//! Tests of `ldmatrix`, `stmatrix` and `movmatrix`.

use super::*;

#[test]
fn movmatrix_transposes_8x8_matrix() {
    let mut k = Kernel::new();
    let b32 = ScalarType::B32;
    let out = k.buffer("out", zeros(32));
    let i = global_index(&mut k);
    let address = k.element(out, reg(i), 4);
    // Elements are numbered in row-major order: lane `i` contains elements 2i and 2i + 1.
    let both = k.arith(ArithmeticOp::Mul, ScalarType::U32, &[reg(i), imm(0x2_0002)]);
    let both = k.arith(
        ArithmeticOp::Add,
        ScalarType::U32,
        &[reg(both), imm(0x1_0000)],
    );
    let d = k.register(b32);
    let operation = Operation::Warp(WarpOp::Movmatrix);
    k.op(
        operation,
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

/// Lane `lane` provides the address of row `lane`; the row stride is 32 bytes.
#[test]
fn ldmatrix_and_stmatrix_access_rows_at_lane_addresses() {
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
        // Element (row, column) of the 32 rows has the value 256 * row + column.
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
        let operation = Operation::Matrix(MatrixOp::Ldmatrix);
        k.op(operation, modifiers, &[written_list(&held), row.into()]);
        write_out(&mut k, out, &held);
        // Storing the rows to their source changes nothing.
        let operation = Operation::Matrix(MatrixOp::Stmatrix);
        k.op(operation, modifiers, &[row.into(), read_list(&held)]);
        let again = registers(&mut k, ScalarType::B16, n);
        let operation = Operation::Matrix(MatrixOp::Ldmatrix);
        k.op(operation, modifiers, &[written_list(&again), row.into()]);
        let second = k.buffer("second", zeros(32 * n as u64));
        write_out(&mut k, second, &again);
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_90"), 32);
        assert_eq!(
            machine.run(10_000),
            MachineStatus::Finished,
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

/// Returns the modifiers of `ldmatrix` or `stmatrix` for a fragment.
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

/// Returns the bit offset of an element from the first row. The 16-byte lines of all matrices are consecutive.
fn bit_in_rows(map: &FragmentMap, place: ElementCoord) -> u64 {
    let (line, column) = map.layout.major_minor(place);
    let n_lines = map.layout.major_minor(ElementCoord {
        row: map.rows,
        column: map.columns,
        matrix: 0,
    });
    let line = u64::from(place.matrix * n_lines.0 + line);
    line * 128 + u64::from(column) * u64::from(map.element_bits())
}

/// Copies the 16-byte row of each lane.
fn copy_rows(k: &mut Kernel, from: (StateSpace, Address), to: (StateSpace, Address)) {
    for word in 0..4 {
        let value = k.register(ScalarType::B32);
        let place = at(base_of(from.1), 4 * word);
        let modifiers = access(from.0, ScalarType::B32);
        let operands = [crate::common::to(value), place.into(), ABSENT];
        k.op(Operation::Memory(MemoryOp::Load), modifiers, &operands);
        k.store(
            to.0,
            ScalarType::B32,
            at(base_of(to.1), 4 * word),
            reg(value),
        );
    }
}

#[test]
fn ldmatrix_matches_fragment_map() {
    let mut n_packed = 0;
    for query in all_fragments(target("sm_100a")) {
        if !query.op.name().starts_with("ldmatrix") {
            continue;
        }
        let map = fragment(&query).expect("a fragment");
        let memory = noise(32 * 16);
        let mut k = Kernel::new();
        let source = k.buffer("source", BufferContents::Bytes(memory.clone()));
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
        let operation = Operation::Matrix(MatrixOp::Ldmatrix);
        k.op(
            operation,
            rows_of(&query),
            &[written_list(&held), row.into()],
        );
        write_out(&mut k, out, &held);
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_100a"), 32);
        assert_eq!(machine.run(10_000), MachineStatus::Finished, "{query:?}");
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
fn stmatrix_matches_fragment_map() {
    let mut n_bytes = 0;
    for query in all_fragments(target("sm_100a")) {
        if !query.op.name().starts_with("stmatrix") {
            continue;
        }
        let map = fragment(&query).expect("a fragment");
        let given = noise(32 * 16);
        let mut k = Kernel::new();
        let source = k.buffer("source", BufferContents::Bytes(given.clone()));
        let out = k.buffer("out", zeros(32 * 4));
        let tile = k.shared(32 * 16, 16);
        let held = registers(&mut k, ScalarType::B32, map.n_registers.into());
        read_in(&mut k, source, &held);
        let lane = k.mov(ScalarType::U32, special("%tid.x"));
        let base = k.mov(ScalarType::U64, address_of(tile));
        let row = k.element(base, reg(lane), 16);
        let operation = Operation::Matrix(MatrixOp::Stmatrix);
        k.op(operation, rows_of(&query), &[row.into(), read_list(&held)]);
        let shown = k.element(out, reg(lane), 16);
        copy_rows(
            &mut k,
            (StateSpace::Shared, row),
            (StateSpace::Global, shown),
        );
        k.control(ControlOp::Return);
        let mut machine = launch_on(k, target("sm_100a"), 32);
        assert_eq!(machine.run(10_000), MachineStatus::Finished, "{query:?}");
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
