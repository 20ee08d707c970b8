//! Tests of program features that PTX does not express: register pairs, source modifiers, negated predicates, composed
//! addresses, several instructions per step, and errors for unsupported operations.

use crate::common::*;
use warpgrid_emulator::*;
use warpgrid_isa::*;
use warpgrid_program::*;

const U32: ScalarType = ScalarType::U32;
const U64: ScalarType = ScalarType::U64;

/// Returns the first word of a buffer after one thread has executed the instructions of `emit` and stored the register
/// that `emit` returns.
fn word(emit: impl Fn(&mut Kernel, RegisterId) -> RegisterId) -> u32 {
    let mut k = Kernel::new();
    let out = k.buffer("out", bytes_of(&[0, 11, 12, 13, 14]));
    let d = emit(&mut k, out);
    k.store(StateSpace::Global, U32, at(out, 0), reg(d));
    let mut machine = k.launch([1, 1, 1], [1, 1, 1]);
    assert_eq!(
        machine.run(1000),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    words(&machine, 0)[0]
}

/// Returns a run of two consecutive registers.
fn registers(k: &mut Kernel, low: u64, high: u64) -> RegisterTuple {
    let first = k.mov(U32, imm(low));
    k.mov(U32, imm(high));
    RegisterTuple { first, n: 2 }
}

fn modified(source: Source, negate: bool, absolute: bool, invert: bool) -> Arg {
    let modifiers = SourceModifiers {
        negate,
        absolute,
        invert,
        part: SubregisterSelector::Whole,
    };
    Arg::One(OperandValue::Source(source, modifiers))
}

#[test]
fn register_pairs_are_read_and_written_as_64_bit_values() {
    let sum = |high: bool| {
        word(|k, _| {
            let a = registers(k, 0xffff_ffff, 1);
            let b = registers(k, 2, 3);
            let d = registers(k, 0, 0);
            let operands = [
                Arg::One(OperandValue::Destination(Some(d))),
                Source::Register(a).into(),
                Source::Register(b).into(),
            ];
            k.op(
                Operation::Arithmetic(ArithmeticOp::Add),
                typed(U64),
                &operands,
            );
            let second = RegisterId(d.first.0 + 1);
            if high { second } else { d.first }
        })
    };
    assert_eq!((sum(false), sum(true)), (1, 5));
}

#[test]
fn source_modifiers_apply_negation_magnitude_and_inversion() {
    let add = |ty: ScalarType, a: u64, arg: &dyn Fn(Source) -> Arg| {
        word(|k, _| {
            let a = k.mov(ty, imm(a));
            let d = k.register(ty);
            let operands = [to(d), arg(reg(a)), imm(0).into()];
            k.op(
                Operation::Arithmetic(ArithmeticOp::Add),
                typed(ty),
                &operands,
            );
            d
        })
    };
    let minus = |s| modified(s, true, false, false);
    let minus_magnitude = |s| modified(s, true, true, false);
    let inverted = |s| modified(s, false, false, true);
    assert_eq!(add(ScalarType::S32, 7, &minus), -7i32 as u32);
    assert_eq!(
        add(ScalarType::S32, -7i64 as u64, &minus_magnitude),
        -7i32 as u32
    );
    assert_eq!(add(U32, 0xff, &inverted), !0xff);
    let bits = |v: f32| u64::from(v.to_bits());
    assert_eq!(add(ScalarType::F32, bits(2.5), &minus), (-2.5f32).to_bits());
    assert_eq!(
        add(ScalarType::F32, bits(-2.5), &minus_magnitude),
        (-2.5f32).to_bits()
    );
}

#[test]
fn register_offset_source_adds_offset() {
    let found = word(|k, _| {
        let register = k.mov(U32, imm(40));
        k.mov(
            U32,
            Source::RegisterOffset {
                register,
                offset: -3,
            },
        )
    });
    assert_eq!(found, 37);
}

#[test]
fn address_adds_scaled_index_and_uniform_base() {
    let found = word(|k, out| {
        let index = k.mov(U32, imm(3));
        let address = Address {
            base: AddressBase::Register(RegisterTuple::one(index)),
            scale_log2: 2,
            uniform: Some(RegisterTuple::one(out)),
            offset: 4,
        };
        k.load(StateSpace::Global, U32, address)
    });
    assert_eq!(found, 14);
}

#[test]
fn predicate_operations_and_selp_honor_negated_operands() {
    let holds_now = |op: ArithmeticOp, a: (bool, bool), b: (bool, bool)| {
        word(|k, _| {
            let mut predicate =
                |value: bool| k.setp(CompareOp::Eq, U32, imm(u64::from(value)), imm(1));
            let (p, q) = (predicate(a.0), predicate(b.0));
            let (r, d) = (k.register(ScalarType::Pred), k.register(U32));
            let operands = [to(r), holds(p, a.1), holds(q, b.1)];
            let n = if op == ArithmeticOp::Not { 2 } else { 3 };
            k.op(
                Operation::Arithmetic(op),
                typed(ScalarType::Pred),
                &operands[..n],
            );
            // `selp` with the negated predicate.
            let operands = [to(d), imm(0).into(), imm(1).into(), holds(r, true)];
            k.op(
                Operation::Compare(ComparisonOp::Selp),
                typed(U32),
                &operands,
            );
            d
        }) == 1
    };
    for bits in 0..16 {
        let bit = |i: u32| bits >> i & 1 != 0;
        let (a, b) = ((bit(0), bit(1)), (bit(2), bit(3)));
        let (x, y) = (a.0 ^ a.1, b.0 ^ b.1);
        // `selp` above negates the result twice.
        assert_eq!(holds_now(ArithmeticOp::And, a, b), x && y);
        assert_eq!(holds_now(ArithmeticOp::Or, a, b), x || y);
        assert_eq!(holds_now(ArithmeticOp::Xor, a, b), x != y);
        assert_eq!(holds_now(ArithmeticOp::Not, a, b), !x);
    }
}

#[test]
fn bundled_instructions_count_as_one_step() {
    let positions = |shares: bool| {
        let mut k = Kernel::new();
        let out = k.buffer("out", zeros(1));
        let a = k.mov(U32, imm(3));
        if shares {
            k.with_next();
        }
        k.arith_to(a, ArithmeticOp::Add, U32, &[reg(a), imm(4)]);
        k.store(StateSpace::Global, U32, at(out, 0), reg(a));
        let mut machine = k.launch([1, 1, 1], [1, 1, 1]);
        let mut seen = vec![machine.next_step().map(|n| n.instruction)];
        while machine.step(&mut ()) == MachineStatus::Running {
            seen.push(machine.next_step().map(|n| n.instruction));
        }
        assert_eq!(words(&machine, 0), [7]);
        seen
    };
    assert_eq!(positions(false).len(), positions(true).len() + 1);
}

#[test]
fn f32x2_fma_computes_both_elements() {
    let found = word(|k, _| {
        let two = |a: f32, b: f32| imm(u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32);
        let fma = Calc::from(ArithmeticOp::Fma).round(Rounding::Rn);
        let sources = [two(2.0, 3.0), two(4.0, 5.0), two(0.5, 0.25)];
        let pair = k.arith(fma, ScalarType::F32x2, &sources);
        let (low, high) = (k.register(U32), k.register(U32));
        let operands = [
            Arg::List(vec![written(low), written(high)]),
            reg(pair).into(),
        ];
        k.op(
            Operation::Move(MoveOp::Mov),
            typed(ScalarType::B64),
            &operands,
        );
        k.arith(ArithmeticOp::Add, ScalarType::F32, &[reg(low), reg(high)])
    });
    assert_eq!(f32::from_bits(found), 8.5 + 15.25);
}

fn fault(operation: Operation, modifiers: Modifiers, operands: &[Arg]) -> FaultKind {
    let mut k = Kernel::new();
    k.buffer("out", zeros(1));
    k.op(operation, modifiers, operands);
    let mut machine = k.launch([1, 1, 1], [1, 1, 1]);
    assert_eq!(machine.run(100), MachineStatus::Faulted);
    machine.fault().unwrap().kind.clone()
}

#[test]
fn unsupported_operation_is_predicted_and_faults_with_opcode() {
    for operation in [
        Operation::Arithmetic(ArithmeticOp::Tanh),
        Operation::Unknown,
    ] {
        let action = OpcodeInfo {
            operation,
            modifiers: typed(ScalarType::B32),
            opcode: format!("{operation:?}"),
        };
        assert!(!supports(&action).runs());
        let opcode = action.opcode;
        let found = fault(operation, action.modifiers, &[]);
        assert_eq!(found, FaultKind::Unsupported { opcode, why: None });
    }
}

#[test]
fn operand_kind_mismatch_is_internal_fault_naming_operand() {
    let add = Operation::Arithmetic(ArithmeticOp::Add);
    let operands = [to(RegisterId(0)), imm(1).into(), ABSENT];
    let FaultKind::Internal { what } = fault(add, typed(U64), &operands) else {
        panic!("no internal fault");
    };
    assert_eq!(
        what,
        "`Arithmetic(Add)`: operand 2: found no operand, expected a source"
    );
}
