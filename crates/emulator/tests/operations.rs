//! Tests of arithmetic, comparisons and conversions, with one case per line and values as bits.

use crate::common::*;
use warpgrid_emulator::*;
use warpgrid_isa::ArithmeticOp as A;
use warpgrid_isa::*;
use warpgrid_program::*;

/// Runs one warp that computes a value, and returns the 64 bits of lane 3. The sources are loaded from memory, so that
/// they are not known when the program is decoded.
fn run(sources: &[(ScalarType, u64)], emit: impl Fn(&mut Kernel, &[Source]) -> RegisterId) -> u64 {
    let mut k = Kernel::new();
    let out = k.buffer("out", zeros(64));
    let sources: Vec<warpgrid_program::Source> = sources
        .iter()
        .map(|(ty, value)| reg(k.scalar(*ty, *value)))
        .collect();
    let d = emit(&mut k, &sources);
    let ty = k.function.registers[d.0 as usize].ty;
    let tid = k.mov(ScalarType::U32, special("%tid.x"));
    let address = k.element(out, reg(tid), 8);
    k.store(StateSpace::Global, ty.to_bits(), address, reg(d));
    let mut machine = k.launch([1, 1, 1], [32, 1, 1]);
    assert_eq!(
        machine.run(1000),
        MachineStatus::Finished,
        "{:?}",
        machine.fault()
    );
    let words = words(&machine, 0);
    u64::from(words[6]) | u64::from(words[7]) << 32
}

fn check(form: impl Into<Calc>, ty: ScalarType, sources: &[u64], expected: u64) {
    let form = form.into();
    let wide = form.modifiers.part == Some(MulPart::Wide);
    let typed: Vec<(ScalarType, u64)> = sources
        .iter()
        .enumerate()
        .map(|(i, v)| match (form.op, i) {
            (A::Shl | A::Shr, 1) => (ScalarType::U32, *v),
            (A::Bfe, 1..) => (ScalarType::U32, *v),
            (A::Mad, 2) if wide && ty == ScalarType::S32 => (ScalarType::S64, *v),
            (A::Mad, 2) if wide => (ScalarType::U64, *v),
            _ => (ty, *v),
        })
        .collect();
    let found = run(&typed, |k, s| k.arith(form, ty, s));
    assert_eq!(
        found, expected,
        "{form:?} {ty} {sources:x?}: found {found:x}, expected {expected:x}"
    );
}

use ScalarType::{F16x2, F32, F64, S16, S32, S64, U16, U32, U64};
const B32: ScalarType = ScalarType::B32;
const B64: ScalarType = ScalarType::B64;
const LO: MulPart = MulPart::Lo;
const HI: MulPart = MulPart::Hi;

fn shf(direction: Flag, mode: OverflowMode) -> Calc {
    Calc::from(A::Shf).flag(direction).overflow(mode)
}

fn permute(mode: PermuteMode) -> Calc {
    Calc::from(A::Prmt).with(|m| m.permute = Some(mode))
}

fn dot(op: A, a: ScalarType, b: ScalarType, part: MulPart) -> Calc {
    let types = |m: &mut Modifiers| (m.a_type, m.b_type) = (Some(a), Some(b));
    Calc::from(op).part(part).with(types)
}

#[test]
fn integer_arithmetic_produces_expected_bits() {
    check(A::Add, U32, &[0xffff_ffff, 2], 1);
    check(A::Sub, U16, &[1, 2], 0xffff);
    check(mul(HI), S32, &[0xffff_ffff, 2], 0xffff_ffff);
    check(mul(HI), U32, &[0xffff_ffff, 2], 1);
    check(mul(HI), S64, &[u64::MAX, 2], u64::MAX);
    check(mul(HI), U16, &[0xffff, 0xffff], 0xfffe);
    check(mul(MulPart::Wide), S32, &[0xffff_ffff, 3], (-3i64) as u64);
    check(mul(MulPart::Wide), U16, &[0xffff, 0xffff], 0xfffe_0001);
    check(mad(MulPart::Wide), U32, &[0xffff_ffff, 2, 5], 0x2_0000_0003);
    check(mad(HI), S32, &[0x8000_0000, 2, 7], 6);
    check(
        Calc::from(A::Mul24).part(LO),
        S32,
        &[0xff_ffff, 5],
        0xffff_fffb,
    );
    check(
        Calc::from(A::Mul24).part(HI),
        U32,
        &[0xff_ffff, 0xff_ffff],
        0xffff_fe00,
    );
    check(A::Sad, S32, &[0xffff_ffff, 5, 10], 16);
    check(A::Abs, S32, &[0x8000_0000], 0x8000_0000);
    check(A::Neg, S16, &[1], 0xffff);
    check(A::Min, S32, &[0xffff_ffff, 1], 0xffff_ffff);
    check(A::Min, U32, &[0xffff_ffff, 1], 1);
    check(A::Max, S64, &[u64::MAX, 1], 1);
    let saturate = |op: A| Calc::from(op).flag(Flag::Sat);
    check(saturate(A::Add), S32, &[0x7fff_ffff, 1], 0x7fff_ffff);
    check(saturate(A::Sub), S32, &[0x8000_0000, 1], 0x8000_0000);
    check(
        saturate(A::Add),
        U32,
        &[0xffff_fff0, 0x20],
        u64::from(u32::MAX),
    );
}

#[test]
fn packed_integer_elements_are_computed_independently() {
    use ScalarType::{S8x4, S16x2, U8x4, U16x2};
    let saturate = |op: A| Calc::from(op).flag(Flag::Sat);
    check(A::Add, U8x4, &[0xff01_8000, 0x0102_8001], 0x0003_0001);
    check(A::Sub, S8x4, &[0x0080_0100, 0x0101_0200], 0xff7f_ff00);
    check(
        saturate(A::Add),
        S8x4,
        &[0x7f80_01ff, 0x01ff_01ff],
        0x7f80_02fe,
    );
    check(
        saturate(A::Sub),
        U8x4,
        &[0x0001_ff02, 0x0101_0102],
        0x0000_fe00,
    );
    check(
        saturate(A::Add),
        S16x2,
        &[0x7fff_8000, 0x0001_ffff],
        0x7fff_8000,
    );
    check(
        saturate(A::Add),
        U16x2,
        &[0xffff_0001, 0x0001_0001],
        0xffff_0002,
    );
    check(A::Neg, S8x4, &[0x0180_ff00], 0xff80_0100);
    check(A::Min, S8x4, &[0xff01_7f80, 0x0002_8000], 0xff01_8080);
    check(A::Max, U8x4, &[0xff01_7f80, 0x0002_8000], 0xff02_8080);
    let above_zero = Calc::from(A::Max).flag(Flag::Relu);
    check(above_zero, S8x4, &[0xff01_7f80, 0xfe02_8081], 0x0002_7f00);
}

/// The NaN that marks an out-of-bounds tensor element makes the complete sum zero; other NaNs do not.
#[test]
fn fma_oob_returns_zero_if_multiplicand_is_oob_nan() {
    let inside = Calc::from(A::Fma).flag(Flag::Oob).round(Rounding::Rn);
    check(inside, ScalarType::F16, &[0x7ff7, 0x3c00, 0x3c00], 0);
    check(inside, ScalarType::F16, &[0x3c00, 0xfff7, 0x3c00], 0);
    check(inside, ScalarType::F16, &[0x3c00, 0x3c00, 0x7ff7], 0x7fff);
    check(inside, ScalarType::F16, &[0x3c00, 0x4000, 0x3c00], 0x4200);
    check(inside, ScalarType::F16, &[0x3c00, 0x4000, 0x7e00], 0x7fff);
    check(inside, ScalarType::Bf16, &[0x3f80, 0x7ff7, 0x3f80], 0);
}

#[test]
fn integer_division_handles_zero_divisor_overflow_and_sign() {
    check(A::Div, U32, &[7, 0], 0xffff_ffff);
    check(A::Div, S32, &[7, 0], 0xffff_ffff);
    check(A::Div, U64, &[7, 0], u64::MAX);
    check(A::Div, S32, &[0x8000_0000, 0xffff_ffff], 0x8000_0000);
    check(A::Rem, S32, &[0xffff_fff9, 3], 0xffff_ffff);
    check(A::Rem, S64, &[(-7i64) as u64, 3], (-1i64) as u64);
    check(A::Div, S16, &[0xfff9, 2], 0xfffd);
}

#[test]
fn shift_amounts_clamp_or_wrap_at_operand_width() {
    check(A::Shl, B32, &[1, 31], 0x8000_0000);
    check(A::Shl, B32, &[1, 32], 0);
    check(A::Shl, B64, &[1, 40], 1 << 40);
    check(A::Shl, B64, &[1, 64], 0);
    check(A::Shl, ScalarType::B16, &[1, 15], 0x8000);
    check(A::Shl, ScalarType::B16, &[3, 16], 0);
    check(A::Shr, S32, &[0x8000_0000, 200], 0xffff_ffff);
    check(A::Shr, U32, &[0x8000_0000, 32], 0);
    check(A::Shr, S16, &[0x8000, 4], 0xf800);
    check(A::Shr, U16, &[0x8000, 4], 0x0800);
    check(A::Shr, S64, &[1 << 63, 70], u64::MAX);
    check(
        shf(Flag::Left, OverflowMode::Wrap),
        B32,
        &[0x8000_0001, 0xf, 33],
        0x1f,
    );
    check(
        shf(Flag::Left, OverflowMode::Clamp),
        B32,
        &[0x8000_0001, 0xf, 33],
        0x8000_0001,
    );
    check(
        shf(Flag::Right, OverflowMode::Wrap),
        B32,
        &[0x10, 1, 4],
        0x1000_0001,
    );
    check(
        shf(Flag::Right, OverflowMode::Clamp),
        B32,
        &[0x10, 7, 40],
        7,
    );
}

#[test]
fn bit_field_and_permute_operations_produce_expected_bits() {
    check(A::Bfe, U32, &[0x1234_5678, 8, 8], 0x56);
    check(A::Bfe, S32, &[0x0000_8000, 8, 8], 0xffff_ff80);
    check(A::Bfe, S32, &[0x8000_0000, 28, 10], 0xffff_fff8);
    check(A::Bfe, U32, &[0xffff_ffff, 40, 8], 0);
    check(A::Bfe, S32, &[0x8000_0000, 40, 8], 0xffff_ffff);
    check(A::Bfe, U64, &[0x1234_5678_9abc_def0, 32, 16], 0x5678);
    check(A::Popc, B64, &[u64::MAX], 64);
    check(A::Clz, B32, &[0], 32);
    check(A::Clz, B64, &[1], 63);
    check(A::Brev, B32, &[1], 0x8000_0000);
    check(A::Bfind, U32, &[0x100], 8);
    check(
        Calc::from(A::Bfind).flag(Flag::ShiftAmount),
        U32,
        &[0x100],
        23,
    );
    check(A::Bfind, S32, &[0xffff_ff00], 7);
    check(A::Bfind, U32, &[0], 0xffff_ffff);
    check(
        A::Prmt,
        B32,
        &[0x3322_1100, 0x7766_5544, 0x7410],
        0x7744_1100,
    );
    check(A::Prmt, B32, &[0x0000_0080, 0, 0x8888], 0xffff_ffff);
    check(
        permute(PermuteMode::F4e),
        B32,
        &[0x3322_1100, 0x7766_5544, 1],
        0x4433_2211,
    );
    check(
        permute(PermuteMode::B4e),
        B32,
        &[0x3322_1100, 0x7766_5544, 1],
        0x6677_0011,
    );
    check(
        Calc::from(A::Lop3).table(0x96),
        B32,
        &[0b1100, 0b1010, 0b0110],
        0b0000,
    );
    check(
        Calc::from(A::Lop3).table(0xe8),
        B32,
        &[0b1100, 0b1010, 0b0110],
        0b1110,
    );
    check(A::Cnot, B32, &[0], 1);
    check(
        Calc::from(A::Bmsk).overflow(OverflowMode::Clamp),
        B32,
        &[4, 8],
        0xff0,
    );
    check(
        Calc::from(A::Szext).overflow(OverflowMode::Clamp),
        S32,
        &[0x80, 8],
        0xffff_ff80,
    );
    check(
        dot(A::Dp4a, S32, S32, LO),
        U32,
        &[0xff01_0203, 0x0102_0304, 100],
        100 + 3 * 4 + 2 * 3 + 2 - 1,
    );
}

#[test]
fn bfi_inserts_bit_field_at_position() {
    let insert = |ty, a: u64, b: u64, position, length| {
        run(
            &[(ty, a), (ty, b), (U32, position), (U32, length)],
            |k, s| {
                let d = k.register(ty);
                k.arith_to(d, A::Bfi, ty, s);
                d
            },
        )
    };
    assert_eq!(insert(B32, 0xab, 0x1111_1111, 8, 8), 0x1111_ab11);
    assert_eq!(insert(B32, 0xff, 0, 28, 8), 0xf000_0000);
    assert_eq!(insert(B32, 0xff, 5, 40, 8), 5);
    assert_eq!(insert(B64, 0xab, 0, 60, 8), 0xb << 60);
}

#[test]
fn carry_chain_propagates_between_32_bit_halves() {
    // Sum of two 64-bit numbers in 32-bit parts.
    let chain = |first, second, a: [u64; 2], b: [u64; 2]| {
        run(
            &[(U32, a[0]), (U32, a[1]), (U32, b[0]), (U32, b[1])],
            |k, s| {
                let mut halves = Vec::new();
                for i in 0..2 {
                    let d = k.register(U32);
                    let (op, flags) = match i {
                        0 => (first, flags(&[Flag::Cc])),
                        _ => (second, Modifiers::default()),
                    };
                    let modifiers = Modifiers {
                        ty: Some(U32),
                        ..flags
                    };
                    let operands = [to(d), s[i].into(), s[2 + i].into()];
                    k.op(Operation::Carry(op), modifiers, &operands);
                    halves.push(value(reg(d)));
                }
                let d = k.register(B64);
                let operands = [to(d), Arg::List(halves)];
                k.op(Operation::Move(MoveOp::Mov), typed(B64), &operands);
                d
            },
        )
    };
    assert_eq!(
        chain(CarryOp::Add, CarryOp::Addc, [0xffff_ffff, 1], [1, 2]),
        0x4_0000_0000
    );
    assert_eq!(
        chain(CarryOp::Sub, CarryOp::Subc, [0, 5], [1, 2]),
        0x2_ffff_ffff
    );
}

fn f32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

const NAN_32: u64 = 0x7fff_ffff;

#[test]
fn float_operations_round_flush_and_saturate() {
    let ftz = |form: Calc| form.flag(Flag::Ftz);
    let saturate = |op: A| Calc::from(op).flag(Flag::Sat);
    check(
        Calc::from(A::Add).round(Rounding::Rp),
        F32,
        &[f32(1.0), f32(1e-20)],
        0x3f80_0001,
    );
    check(
        Calc::from(A::Add).round(Rounding::Rm),
        F32,
        &[f32(1.0), f32(-1e-20)],
        0x3f7f_ffff,
    );
    check(
        Calc::from(A::Add).round(Rounding::Rz),
        F32,
        &[f32(-1.0), f32(1e-20)],
        0xbf7f_ffff,
    );
    check(
        Calc::from(A::Add).round(Rounding::Rm),
        F32,
        &[f32(1.0), f32(-1.0)],
        0x8000_0000,
    );
    check(
        Calc::from(A::Add).round(Rounding::Rp),
        F64,
        &[1f64.to_bits(), 1e-300f64.to_bits()],
        0x3ff0_0000_0000_0001,
    );
    check(ftz(mul(LO)), F32, &[f32(1e-30), f32(1e-10)], 0);
    check(ftz(mul(LO)), F32, &[1, f32(1e30)], 0);
    check(saturate(A::Add), F32, &[f32(0.75), f32(0.75)], f32(1.0));
    check(saturate(A::Add), F32, &[NAN_32, f32(0.75)], 0);
    check(
        A::Add,
        F32,
        &[f32(f32::INFINITY), f32(f32::NEG_INFINITY)],
        NAN_32,
    );
    check(A::Add, F32, &[0xffc1_2345, f32(1.0)], NAN_32);
    check(
        A::Add,
        F64,
        &[0x7ff0_0000_0000_1234, 1f64.to_bits()],
        0x7ff8_0000_0000_1234,
    );
    check(
        A::Sub,
        F64,
        &[f64::INFINITY.to_bits(), f64::INFINITY.to_bits()],
        0xfff8_0000_0000_0000,
    );
    // Rounding the sum to `f64` yields a halfway case of `f32`, although the exact sum is none.
    check(
        A::Fma,
        F32,
        &[0x3f80_0001, 0x3f80_0001, f32(2f32.powi(-60))],
        f32(1.0f32.next_up().mul_add(1.0f32.next_up(), 2f32.powi(-60))),
    );
    check(A::Min, F32, &[NAN_32, f32(3.0)], f32(3.0));
    check(A::Min, F32, &[f32(0.0), f32(-0.0)], f32(-0.0));
    check(A::Max, F32, &[f32(0.0), f32(-0.0)], f32(0.0));
    check(A::Abs, F32, &[f32(-2.5)], f32(2.5));
    check(A::Neg, F64, &[1f64.to_bits()], (-1f64).to_bits());
    check(
        Calc::from(A::Div).round(Rounding::Rn),
        F32,
        &[f32(1.0), f32(3.0)],
        f32(1.0 / 3.0),
    );
    check(
        Calc::from(A::Rcp).flag(Flag::Approx),
        F32,
        &[f32(4.0)],
        f32(0.25),
    );
    check(
        Calc::from(A::Ex2).flag(Flag::Approx),
        F32,
        &[f32(10.0)],
        f32(1024.0),
    );
    check(
        Calc::from(A::Lg2).flag(Flag::Approx),
        F32,
        &[f32(8.0)],
        f32(3.0),
    );
    check(
        Calc::from(A::Rsqrt).flag(Flag::Approx),
        F32,
        &[f32(16.0)],
        f32(0.25),
    );
    check(A::Add, F16x2, &[0x3c00_4000, 0x3c00_3c00], 0x4000_4200);
}

fn convert(
    to: ScalarType,
    from: ScalarType,
    rounding: Option<Rounding>,
    saturate: bool,
    value: u64,
) -> u64 {
    run(&[(from, value)], |k, s| {
        let d = k.register(to);
        let sat: &[Flag] = if saturate { &[Flag::Sat] } else { &[] };
        let modifiers = Modifiers {
            d_type: Some(to),
            a_type: Some(from),
            rounding,
            ..flags(sat)
        };
        let operands = [crate::common::to(d), s[0].into()];
        k.op(Operation::Move(MoveOp::Cvt), modifiers, &operands);
        d
    })
}

#[test]
fn scalar_conversions_produce_expected_bits() {
    use Rounding::{Rmi, Rn, Rni, Rpi, Rz, Rzi};
    assert_eq!(convert(S32, F32, Some(Rzi), false, f32(-1.9)), 0xffff_ffff);
    assert_eq!(convert(S32, F32, Some(Rni), false, f32(2.5)), 2);
    assert_eq!(convert(S32, F32, Some(Rmi), false, f32(-1.1)), 0xffff_fffe);
    assert_eq!(convert(S32, F32, Some(Rpi), false, f32(1.1)), 2);
    assert_eq!(convert(S32, F32, Some(Rzi), false, f32(1e20)), 0x7fff_ffff);
    assert_eq!(convert(U32, F32, Some(Rzi), false, f32(-5.0)), 0);
    assert_eq!(convert(S32, F32, Some(Rzi), false, NAN_32), 0);
    assert_eq!(
        convert(F32, S32, Some(Rn), false, 0x0100_0001),
        f32(16_777_216.0)
    );
    assert_eq!(
        convert(F32, U64, Some(Rz), false, u64::MAX),
        f32(1.844_674_3e19)
    );
    assert_eq!(
        convert(F64, S64, Some(Rn), false, (-3i64) as u64),
        (-3f64).to_bits()
    );
    assert_eq!(convert(F32, F32, Some(Rni), false, f32(-2.5)), f32(-2.0));
    assert_eq!(convert(F64, F32, None, false, f32(1.5)), 1.5f64.to_bits());
    assert_eq!(
        convert(F32, F64, Some(Rz), false, 1.999_999_999_9f64.to_bits()),
        f32(2.0f32.next_down())
    );
    assert_eq!(
        convert(ScalarType::F16, F32, Some(Rn), false, f32(65520.0)),
        0x7c00
    );
    assert_eq!(
        convert(ScalarType::Bf16, F32, Some(Rn), false, 0x3f80_8000),
        0x3f80
    );
    assert_eq!(
        convert(F32, ScalarType::F16, None, false, 0x0001),
        f32(2f32.powi(-24))
    );
    assert_eq!(convert(S64, S32, None, false, 0xffff_fffe), (-2i64) as u64);
    assert_eq!(convert(U64, U32, None, false, 0xffff_fffe), 0xffff_fffe);
    assert_eq!(convert(U32, U64, None, false, 0x1_0000_0002), 2);
    assert_eq!(convert(S32, S16, None, false, 0x8000), 0xffff_8000);
    assert_eq!(convert(U16, S32, None, true, 0xffff_ffff), 0);
    assert_eq!(convert(S16, S32, None, true, 0x0001_0000), 0x7fff);
}

#[test]
fn ordered_and_unordered_comparisons_handle_nan() {
    let compare = |op, ty, a, b| {
        run(&[(ty, a), (ty, b)], |k, s| {
            let p = k.setp(op, ty, s[0], s[1]);
            let d = k.register(U32);
            let operands = [to(d), imm(1).into(), imm(0).into(), holds(p, false)];
            k.op(
                Operation::Compare(ComparisonOp::Selp),
                typed(U32),
                &operands,
            );
            d
        }) == 1
    };
    use CompareOp as C;
    for (op, with_nan) in [
        (C::Eq, false),
        (C::Ne, false),
        (C::Lt, false),
        (C::Neu, true),
        (C::Equ, true),
        (C::Geu, true),
        (C::Num, false),
        (C::Nan, true),
    ] {
        assert_eq!(compare(op, F32, NAN_32, f32(1.0)), with_nan, "{op:?}");
    }
    assert!(compare(C::Lt, S32, 0xffff_ffff, 0));
    assert!(!compare(C::Lo, U32, 0xffff_ffff, 0));
    assert!(compare(C::Gt, U16, 0xffff, 1));
    assert!(compare(C::Lt, S64, u64::MAX, 0));
    assert!(compare(C::Eq, F64, 0, 1 << 63));
    assert!(compare(C::Geu, F32, f32(2.0), f32(1.0)));
    assert!(!compare(C::Ltu, F32, f32(2.0), f32(1.0)));
}

#[test]
fn atomics_return_old_value_and_store_new_value() {
    let atomic = |op, ty: ScalarType, old: u64, b: u64, c: Option<u64>| {
        let mut k = Kernel::new();
        let mut bytes = old.to_le_bytes().to_vec();
        bytes.extend([0; 8]);
        let memory = k.buffer("memory", BufferContents::Bytes(bytes));
        let sources: Vec<_> = [Some(b), c].into_iter().flatten().map(imm).collect();
        let d = k.atom(op, ty, at(memory, 0), &sources);
        k.store(StateSpace::Global, ty.to_bits(), at(memory, 8), reg(d));
        let mut machine = k.launch([1, 1, 1], [1, 1, 1]);
        assert_eq!(
            machine.run(100),
            MachineStatus::Finished,
            "{:?}",
            machine.fault()
        );
        let words = words(&machine, 0);
        assert_eq!(u64::from(words[2]) | u64::from(words[3]) << 32, old);
        u64::from(words[0]) | u64::from(words[1]) << 32
    };
    assert_eq!(atomic(AtomicOp::Add, U32, 5, 0xffff_ffff, None), 4);
    assert_eq!(
        atomic(AtomicOp::Add, F32, f32(1.5), f32(2.0), None),
        f32(3.5)
    );
    assert_eq!(
        atomic(AtomicOp::Min, S32, 3, 0xffff_ffff, None),
        0xffff_ffff
    );
    assert_eq!(atomic(AtomicOp::Max, U64, 3, 1 << 40, None), 1 << 40);
    assert_eq!(atomic(AtomicOp::Inc, U32, 7, 7, None), 0);
    assert_eq!(atomic(AtomicOp::Dec, U32, 0, 7, None), 7);
    assert_eq!(atomic(AtomicOp::Exch, B64, 1, 2, None), 2);
    assert_eq!(atomic(AtomicOp::Cas, B32, 1, 1, Some(9)), 9);
    assert_eq!(atomic(AtomicOp::Cas, B32, 1, 2, Some(9)), 1);
    assert_eq!(atomic(AtomicOp::Xor, B32, 6, 3, None), 5);
}

#[test]
fn shfl_stays_within_segments() {
    let shuffle = |mode, b: u64, c: u64| -> Vec<u32> {
        let mut k = Kernel::new();
        let out = k.buffer("out", zeros(32));
        let tid = k.mov(U32, special("%tid.x"));
        let (d, p) = (k.register(U32), k.register(ScalarType::Pred));
        let modifiers = Modifiers {
            shuffle: Some(mode),
            ..typed(B32)
        };
        let mut operands = vec![pair(Some(d), Some(p))];
        operands.extend([reg(tid), imm(b), imm(c), imm(0xffff_ffff)].map(Arg::from));
        k.op(Operation::Warp(WarpOp::Shuffle), modifiers, &operands);
        k.when(p, true);
        k.arith_to(d, A::Add, U32, &[reg(d), imm(100)]);
        let address = k.element(out, reg(tid), 4);
        k.store(StateSpace::Global, U32, address, reg(d));
        let mut machine = k.launch([1, 1, 1], [32, 1, 1]);
        assert_eq!(machine.run(100), MachineStatus::Finished);
        words(&machine, 0)
    };
    // Segments of 8 lanes: the high bits of `c` are the segment mask, and the low bits are the clamp value.
    let down = shuffle(ShuffleMode::Down, 3, 0x1807 | 7);
    assert_eq!(down[..8], [3, 4, 5, 6, 7, 105, 106, 107]);
    let up = shuffle(ShuffleMode::Up, 2, 0);
    assert_eq!(up[..4], [100, 101, 0, 1]);
    let index = shuffle(ShuffleMode::Idx, 5, 0x181f);
    assert_eq!((index[0], index[12], index[31]), (5, 13, 29));
    let butterfly = shuffle(ShuffleMode::Bfly, 16, 31);
    assert_eq!((butterfly[0], butterfly[17]), (16, 1));
}
