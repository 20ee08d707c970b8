//! Tests of bit-exact results for operations that the PTX ISA leaves undefined or describes ambiguously. The expected
//! results were derived from SASS code.

use crate::code::{CompareType, Comparison, RegisterBank, RegisterOperand, SelectCondition};
use crate::exec::arithmetic::compare::set_predicate;
use crate::exec::arithmetic::convert::convert;
use crate::exec::arithmetic::float::{op_half, op32};
use crate::exec::arithmetic::integer::carry;
use crate::exec::arithmetic::select::select_sign;
use crate::exec::operand_rows::read64;
use crate::semantics::alu_ops::{CarryMode, CarryOp, Float32Op, FloatOp, HalfOp};
use crate::semantics::registers::{
    FULL, LANES, LaneRegisters, OperandSlot, RegisterFile, RegisterFileSizes,
};
use crate::semantics::rounding::{ArithmeticMode, Conversion};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use warpgrid_isa::{CompareOp, FloatFormat, Rounding, ScalarType, Signedness};

/// Calls `f` with four registers per bank. The first registers of each bank are initialized with the given values.
fn with_lanes<T>(r32: [u32; 3], r64: u64, f: impl FnOnce(&mut LaneRegisters<'_>) -> T) -> T {
    let mut banks = RegisterFile::default();
    banks.grow(RegisterFileSizes {
        r32: 4,
        r64: 4,
        r128: 0,
        predicates: 2,
    });
    for (row, value) in banks.r32.iter_mut().zip(r32) {
        *row = [value; LANES];
    }
    banks.r64[0] = [r64; LANES];
    f(&mut LaneRegisters {
        banks: &mut banks,
        constants: &RegisterFile::default(),
        specials: &RegisterFile::default(),
        base: RegisterFileSizes::default(),
        mask: FULL,
        carry: &mut 0,
    })
}

/// Computes `first.cc` of a and b, then `second` of 0 and 0 with the resulting carry flag.
fn chain(first: CarryOp, second: CarryOp, a: u32, b: u32) -> (u32, u32) {
    with_lanes([a, b, 0], 0, |l| {
        let mut row = [0; LANES];
        let slots = |d, a, b| [d, a, b, 2].map(OperandSlot::register);
        let mode = |reads| CarryMode {
            sign: Signedness::Unsigned,
            reads,
            writes: !reads,
        };
        carry(l, &mut row, first, mode(false), slots(3, 0, 1));
        let low = row[0];
        carry(l, &mut row, second, mode(true), slots(3, 2, 2));
        (low, row[0])
    })
}

#[test]
fn sub_cc_sets_carry_flag_if_no_borrow_occurs() {
    assert_eq!(chain(CarryOp::Sub, CarryOp::Sub, 5, 3), (2, 0));
    assert_eq!(
        chain(CarryOp::Sub, CarryOp::Sub, 3, 5),
        (u32::MAX - 1, u32::MAX)
    );
    // The subtraction has no borrow, so the carry flag is set.
    assert_eq!(chain(CarryOp::Sub, CarryOp::Add, 5, 3), (2, 1));
    assert_eq!(chain(CarryOp::Sub, CarryOp::Add, 3, 5), (u32::MAX - 1, 0));
    assert_eq!(chain(CarryOp::Add, CarryOp::Add, u32::MAX, 1), (0, 1));
    assert_eq!(chain(CarryOp::Add, CarryOp::Sub, 1, 1), (2, u32::MAX));
}

fn converted(from: ScalarType, to: ScalarType, bits: u64, rounding: Option<Rounding>) -> u64 {
    let element = |slot, ty: ScalarType| RegisterOperand {
        slot: OperandSlot::register(slot),
        bank: if ty.width_bits() == 64 {
            RegisterBank::B64
        } else {
            RegisterBank::B32
        },
        bits: ty.width_bits(),
    };
    let mode = ArithmeticMode {
        rounding,
        ..ArithmeticMode::default()
    };
    with_lanes([bits as u32, 0, 0], bits, |l| {
        let d = element(3, to);
        convert(l, &Conversion { to, from, mode }, d, element(0, from));
        read64(l, d)[0]
    })
}

#[test]
fn nan_converts_to_sign_bit_if_either_type_is_64_bit() {
    use ScalarType as T;
    const NAN_F64: u64 = 0x7ff8 << 48;
    for (from, to, nan, expected) in [
        (T::F64, T::S16, NAN_F64, 0x8000),
        (T::F64, T::S32, NAN_F64, 0x8000_0000),
        (T::F64, T::U32, NAN_F64, 0x8000_0000),
        (T::F64, T::S64, NAN_F64, 1 << 63),
        (T::F32, T::S32, 0x7fff_ffff, 0),
        (T::F32, T::U64, 0x7fff_ffff, 1 << 63),
        (T::F16, T::S32, 0x7fff, 0),
        (T::F16, T::S64, 0x7fff, 1 << 63),
        (T::Bf16, T::U64, 0x7fff, 1 << 63),
    ] {
        for rounding in [Rounding::Rzi, Rounding::Rni, Rounding::Rmi] {
            let found = converted(from, to, nan, Some(rounding));
            assert_eq!(found, expected, "{from:?} to {to:?}");
        }
    }
}

#[test]
fn half_precision_neg_abs_and_cvt_yield_hardware_nan_bits() {
    for op in [FloatOp::Neg, FloatOp::Abs] {
        for (format, nan) in [
            (FloatFormat::F16, 0x7e05),
            (FloatFormat::F16, 0xfe00),
            (FloatFormat::BF16, 0xffc5),
        ] {
            let found = op_half(HalfOp::Plain(op), FloatMode::default(), format, [nan, 0, 0]);
            assert_eq!(found, 0x7fff, "{op:?} {nan:x}");
        }
    }
    // The conversion to `f32` is a shift, which preserves the NaN bits.
    assert_eq!(
        converted(ScalarType::Bf16, ScalarType::F32, 0xffc5, None),
        0xffc5_0000
    );
    assert_eq!(
        converted(ScalarType::F16, ScalarType::F32, 0xfe05, None),
        0x7fff_ffff
    );
}

fn approximate(f: Float32Op, bits: u32) -> u32 {
    let mode = FloatMode {
        round: RoundingMode::Approximate,
        ..FloatMode::default()
    };
    op32(f, mode, f32::from_bits(bits), 0.0, 0.0)
}

#[test]
fn sin_and_tanh_preserve_sign_of_zero() {
    for f in [Float32Op::Sin, Float32Op::Tanh] {
        assert_eq!(approximate(f, 0), 0, "{f:?}");
        assert_eq!(approximate(f, 1 << 31), 1 << 31, "{f:?}");
    }
}

#[test]
fn setp_f16_flushes_subnormals_only_with_ftz() {
    for (ftz, equal) in [(false, 0), (true, FULL)] {
        let compare = Comparison {
            kind: CompareType::F16,
            op: CompareOp::Eq,
            ftz,
            a: OperandSlot::register(0),
            b: OperandSlot::register(1),
        };
        let found = with_lanes([0x03ff, 0x8000, 0], 0, |l| {
            set_predicate(
                l,
                &compare,
                OperandSlot::register(0),
                OperandSlot::NONE,
                None,
            );
            l.predicate(OperandSlot::register(0))
        });
        assert_eq!(found, equal);
    }
}

#[test]
fn slct_ftz_treats_negative_subnormal_as_zero() {
    let (yes, no, c) = (1, 2, 0x8000_0001);
    for (sign, expected) in [
        (SelectCondition::Integer, no),
        (SelectCondition::Float, no),
        (SelectCondition::Flushed, yes),
    ] {
        let d = RegisterOperand {
            slot: OperandSlot::register(3),
            bank: RegisterBank::B32,
            bits: 32,
        };
        let found = with_lanes([yes, no, c], 0, |l| {
            select_sign(l, d, [0, 1, 2].map(OperandSlot::register), sign);
            l.r32(d.slot)[0]
        });
        assert_eq!(found, expected, "{sign:?}");
    }
}
