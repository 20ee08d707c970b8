//! Tests of MMA with small integers, in every shape and type.

use super::*;

/// Checks an MMA of small integers, which all types represent exactly, with the registers of all lanes.
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
        map(MatrixOperand::A, a_type, Some(MatrixLayout::Row)),
        map(MatrixOperand::B, b_type, Some(MatrixLayout::Col)),
        map(MatrixOperand::C, c_type, None),
        map(MatrixOperand::D, d_type, None),
    ];
    let number = |matrix: usize, place: ElementCoord| {
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
        let base = k.buffer("operand", BufferContents::Bytes(bytes.collect()));
        let held = registers(&mut k, map.query.ty, map.n_registers.into());
        read_in(&mut k, base, &held);
        operands.push(read_list(&held));
    }
    let out = k.buffer("out", zeros(2 * 32 * 16));
    let results = registers(&mut k, d_type, maps[3].n_registers.into());
    operands.insert(0, written_list(&results));
    k.op(Operation::Matrix(op), modifiers, &operands);
    write_out(&mut k, out, &results);
    k.control(ControlOp::Return);
    let mut machine = launch_on(k, target, 32);
    let title = format!("{} {op:?} {shape} {types:?}", target.name);
    assert_eq!(
        machine.run(10_000),
        MachineStatus::Finished,
        "{title}: {:?}",
        machine.fault()
    );
    let found = buffer_bytes(&machine, 3);
    let map = &maps[3];
    let register_bits = if d_type == ScalarType::F64 { 64 } else { 32 };
    for holder in map.holders() {
        let place = map.place(holder);
        let at = |row, column| ElementCoord {
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

/// Encodes a small integer in a type.
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
        // The value is in the middle bits of its byte.
        ScalarType::E2m1 => small(1, 1) << 2,
        _ => number,
    }
}

#[test]
fn mma_of_small_integers_is_exact_in_every_shape_and_type() {
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
