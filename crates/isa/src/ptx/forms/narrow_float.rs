//! Conversions to and from narrow and packed floats (PTX ISA, "cvt"). The gates are those of assembler 13.5.

use super::form_macros::{form, operands, set, since, types};
use super::modifier_sets::{RN, RNA, RP, RS, RZ};
use crate::form::rule::{Rule, RuleKind::*, any, assembler};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::Flag::{Relu, Satfinite};
use crate::operation::MoveOp::{Cvt, CvtPack, CvtPacked};
use crate::target::TargetRequirement::{self, Family, OneOf, Only};
use crate::types::ScalarType::{B16, B32, S16, S32, U32};

const ASSEMBLER: &str = "13.5";
/// Targets with conversions to and from 4-bit and 6-bit floats.
const NARROW: TargetRequirement = OneOf(&[Family(100), Family(101), Family(120)]);
const BRAIN: Gate = since(7, 0).sm(80);
/// Gate of 8-bit floats. The checker separately enforces that 8-bit floats require PTX 8.1 on `sm_89`.
const EIGHT: Gate = since(7, 8).sm(89).assembler(ASSEMBLER);
const SIX: Gate = since(8, 6).on(NARROW).assembler(ASSEMBLER);
const MIXED: Gate = since(9, 1).on(NARROW).assembler(ASSEMBLER);
const WIDENED: Gate = since(9, 2).on(NARROW).assembler(ASSEMBLER);
const RANDOM: Gate = since(8, 7)
    .on(OneOf(&[Only(100), Only(103), Only(107)]))
    .assembler(ASSEMBLER);
const FIXED_POINT: Gate = since(9, 1)
    .on(OneOf(&[
        Only(100),
        Only(101),
        Only(103),
        Only(107),
        Only(110),
        Only(120),
        Only(121),
    ]))
    .assembler(ASSEMBLER);
const TRUNCATING: Gate = since(9, 4).on(Family(107)).assembler(ASSEMBLER);
const TENSOR_ROUNDED: Gate = since(7, 8).sm(90);

types!(TO_HALF, DType, F16; BRAIN => Bf16);
types!(TO_HALVES, DType; BRAIN => F16x2 Bf16x2);
types!(TO_EIGHT, DType; EIGHT => E4m3x2 E5m2x2);
types!(TO_SIX, DType; SIX => E2m1x2 E2m3x2 E3m2x2);
types!(TO_SMALL, DType; MIXED => E2m1x2 E2m3x2 E3m2x2);
types!(TO_NARROW, DType; MIXED => E4m3x2 E5m2x2 E2m1x2 E2m3x2 E3m2x2);
types!(TO_FOUR, DType; RANDOM => E4m3x4 E5m2x4 E2m1x4 E2m3x4 E3m2x4);
types!(TO_EXPONENTS, DType; SIX => Ue8m0x2);
types!(TO_FIXED, DType; FIXED_POINT => S2f6x2);
types!(TO_TENSOR, DType; BRAIN => Tf32);
types!(TO_F16X2, DType, F16x2);
types!(TO_BF16X2, DType, Bf16x2);
types!(FROM_F32, AType, F32);
const PACKING: Gate = since(6, 5).sm(72);
const SMALL_PACKING: Gate = since(6, 5).sm(75);
types!(PACKED_HALVES, DType, U16 S16);
types!(PACKED_PARTS, DType, U8 S8; SMALL_PACKING => U4 S4 U2 S2);
types!(FROM_S32, AType, S32);
types!(ABOVE, CType, B32);
types!(FROM_F16X2, AType, F16x2);
types!(FROM_BF16X2, AType, Bf16x2);
types!(FROM_EIGHT, AType; EIGHT => E4m3x2 E5m2x2);
types!(FROM_SIX, AType; SIX => E2m1x2 E2m3x2 E3m2x2);
types!(FROM_NARROW, AType; WIDENED => E4m3x2 E5m2x2 E2m1x2 E2m3x2 E3m2x2);
types!(FROM_EXPONENTS, AType; SIX => Ue8m0x2);
types!(FROM_FIXED, AType; FIXED_POINT => S2f6x2);

set! { NEAREST: Round "rounding"; RN; }
set! { HALF_ROUND: Round "rounding"; RN; RZ; }
set! { NARROW_ROUND: Round "rounding"; RN; (RZ.since(TRUNCATING)); }
set! { FIXED_ROUND: Round "rounding"; RN; (RZ.since(since(9, 4).arch_specific(107).assembler(ASSEMBLER))); }
set! { EXPONENT_ROUND: Round "rounding"; RZ; RP; }
set! { RANDOM_ROUND: Round "rounding"; (RS.since(RANDOM)); }
set! { AWAY: Round "rounding"; RNA; }
set! { TENSOR_ROUND: Round "rounding"; (RN.since(TENSOR_ROUNDED)); (RZ.since(TENSOR_ROUNDED)); }

operands! {
    PACKED: "d" Wider(U32), "a" Wider(S32), "b" Wider(S32);
    PACKED_BELOW: "d" Wider(U32), "a" Wider(S32), "b" Wider(S32), "c" Wider(B32);
    LOOSE: "d" SlotOrWider(DType), "a" SlotOrWider(AType);
    LOOSE_PAIR: "d" SlotOrWider(DType), "a" SlotOrWider(AType), "b" SlotOrWider(AType);
    RANDOM_BITS: "d" Slot(DType), "a" Slot(AType), "b" Slot(AType), "rbits" Untyped(32);
    EXACT: "d" Slot(DType), "a" Slot(AType);
    EXACT_PAIR: "d" Slot(DType), "a" Slot(AType), "b" Slot(AType);
    SCALED: "d" Slot(DType), "a" Slot(AType), "scale" Fixed(B16);
    FOUR: "d" Slot(DType), "a" List(AType, 4), "rbits" Untyped(32);
    FIXED_POINT_PAIR: "d" Fixed(S16), "a" Slot(AType), "b" Slot(AType);
    FIXED_POINT_OF: "d" Fixed(S16), "a" Slot(AType);
    SCALED_FIXED_PAIR: "d" Fixed(S16), "a" Slot(AType), "b" Slot(AType), "scale" Fixed(B16);
    SCALED_FIXED: "d" Fixed(S16), "a" Slot(AType), "scale" Fixed(B16);
    AS_SINGLE: "d" Slot(DType), "a" SingleOf(AType);
}

/// Gates of `.satfinite` and `.relu` on conversions that did not support these modifiers in their first PTX version.
#[rustfmt::skip]
const FINITE: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(Satfinite)), b: any(S::DType), gate: since(8, 1).sm(70) }, "saturating conversions to half precision were introduced in PTX 8.1 for `sm_70`"),
    assembler(CombinationGate { a: any(S::Literal(Relu)), b: any(S::DType), gate: BRAIN }, "`.relu` was introduced in PTX 7.0 for `sm_80`"),
];
/// Rules for destination types without infinity, to which conversions must saturate.
#[rustfmt::skip]
const SATURATED: &[Rule] = &[
    assembler(Requires { when: any(S::DType), slot: S::Literal(Satfinite), among: &[] }, "the destination type cannot represent infinity"),
];
#[rustfmt::skip]
const FINITE_TENSOR: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(Satfinite)), b: any(S::DType), gate: since(8, 1).sm(80) }, "saturating conversions to `.tf32` were introduced in PTX 8.1 for `sm_80`"),
];
#[rustfmt::skip]
const FINITE_TENSOR_ROUNDED: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(Satfinite)), b: any(S::DType), gate: since(8, 6).sm(100) }, "saturating conversions to `.tf32` with this rounding were introduced in PTX 8.6 for `sm_100`"),
];
/// Instruction forms of conversions to and from narrow floats.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("cvt.pack.sat.dtype.atype d, a, b", [PACKED_HALVES, FROM_S32], Move(CvtPack), gate: PACKING, n_name_modifiers: 1, types: PACKED;
        "Converts two integers to 16 bits with saturation and packs the results, with a in the high half.", "data-movement-and-conversion-instructions-cvt-pack";
        accepted_examples: &["cvt.pack.sat.u16.s32 r, r, r;"], rejected_examples: &[("cvt.pack.u16.s32 r, r, r;", "W0105"), ("cvt.pack.sat.u8.s32 r, r, r;", "W0105")]),
    form!("cvt.pack.sat.dtype.atype.ctype d, a, b, c", [PACKED_PARTS, FROM_S32, ABOVE], Move(CvtPack), gate: PACKING, n_name_modifiers: 1, types: PACKED_BELOW;
        "Converts a and b to a narrow integer type with saturation and packs the results into the low bits of d. The other bits of d are the low bits of c.", "data-movement-and-conversion-instructions-cvt-pack";
        accepted_examples: &["cvt.pack.sat.u8.s32.b32 r, r, r, r;", "cvt.pack.sat.s2.s32.b32 r, r, r, 0;"], rejected_examples: &[("cvt.pack.sat.u8.s32.b32 r, r, r;", "W0108")]),
    form!("cvt.rnd{.relu}{.satfinite}.dtype.atype d, a", [HALF_ROUND, TO_HALF, FROM_F32], Move(Cvt), types: LOOSE, rules: FINITE;
        "Converts a single-precision value to half precision.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.relu.f16.f32 h, f;", "cvt.rz.satfinite.bf16.f32 h, f;"], rejected_examples: &[("cvt.rm.relu.f16.f32 h, f;", "W0102")]),
    form!("cvt.rnd{.relu}{.satfinite}.dtype.atype d, a, b", [HALF_ROUND, TO_HALVES, FROM_F32], Move(CvtPacked), types: LOOSE_PAIR, rules: FINITE;
        "Converts two single-precision values and packs the results, with a in the high half.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.f16x2.f32 r, f, f;", "cvt.rz.relu.bf16x2.f32 r, f, f;"]),
    form!("cvt.rnd{.relu}{.satfinite}.dtype.atype d, a, b, rbits", [RANDOM_ROUND, TO_HALVES, FROM_F32], Move(CvtPacked), types: RANDOM_BITS, rules: FINITE;
        "Converts two single-precision values with stochastic rounding and packs the results.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a, b", [NARROW_ROUND, TO_EIGHT, FROM_F32], Move(CvtPacked), types: EXACT_PAIR, rules: SATURATED;
        "Converts two single-precision values to 8-bit floats and packs the results, with a in the high half.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.satfinite.e4m3x2.f32 h, f, f;"], rejected_examples: &[("cvt.rn.e4m3x2.f32 h, f, f;", "W0301")]),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [NARROW_ROUND, TO_EIGHT, FROM_F16X2], Move(Cvt), types: EXACT, rules: SATURATED;
        "Converts two half-precision values to 8-bit floats.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.satfinite.e5m2x2.f16x2 h, r;"]),
    form!("cvt.rnd{.relu}.dtype.atype d, a", [NEAREST, TO_F16X2, FROM_EIGHT], Move(Cvt), types: EXACT;
        "Converts two 8-bit floats to half-precision values.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.relu.f16x2.e4m3x2 r, h;"]),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a, b", [NARROW_ROUND, TO_SIX, FROM_F32], Move(CvtPacked), types: EXACT_PAIR, rules: SATURATED;
        "Converts two single-precision values to 4-bit or 6-bit floats and packs the results, with a in the high half.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.relu}.dtype.atype d, a", [NEAREST, TO_F16X2, FROM_SIX], Move(Cvt), types: EXACT;
        "Converts two 4-bit or 6-bit floats to half-precision values.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [NARROW_ROUND, TO_SMALL, FROM_F16X2], Move(Cvt), types: EXACT, rules: SATURATED;
        "Converts two half-precision values to 4-bit or 6-bit floats.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [NARROW_ROUND, TO_NARROW, FROM_BF16X2], Move(Cvt), types: AS_SINGLE, operand_extensions: &[FourWords], rules: SATURATED;
        "Converts two bfloat16 values to narrow floats.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [NEAREST, TO_BF16X2, FROM_NARROW], Move(Cvt), types: EXACT;
        "Converts two narrow floats to bfloat16 values.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}.dtype.atype d, a, b", [EXPONENT_ROUND, TO_EXPONENTS, FROM_F32], Move(CvtPacked), types: EXACT_PAIR;
        "Converts two single-precision values to 8-bit exponents.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}.dtype.atype d, a", [EXPONENT_ROUND, TO_EXPONENTS, FROM_BF16X2], Move(Cvt), types: EXACT;
        "Converts two bfloat16 values to 8-bit exponents.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd.dtype.atype d, a", [NEAREST, TO_BF16X2, FROM_EXPONENTS], Move(Cvt), types: EXACT;
        "Converts two 8-bit exponents to powers of two.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a, rbits", [RANDOM_ROUND, TO_FOUR, FROM_F32], Move(CvtPacked), types: FOUR, rules: SATURATED;
        "Converts four single-precision values to narrow floats with stochastic rounding.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a, b", [FIXED_ROUND, TO_FIXED, FROM_F32], Move(CvtPacked), types: FIXED_POINT_PAIR, rules: SATURATED;
        "Converts two single-precision values to fixed-point numbers.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.scaled::n2::ue8m0.dtype.atype d, a, b, scale", [FIXED_ROUND, TO_FIXED, FROM_F32], Move(CvtPacked), types: SCALED_FIXED_PAIR, rules: SATURATED;
        "Scales two single-precision values and converts the results to fixed-point numbers.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [FIXED_ROUND, TO_FIXED, FROM_BF16X2], Move(Cvt), types: FIXED_POINT_OF, rules: SATURATED;
        "Converts two bfloat16 values to fixed-point numbers.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.scaled::n2::ue8m0.dtype.atype d, a, scale", [FIXED_ROUND, TO_FIXED, FROM_BF16X2], Move(Cvt), types: SCALED_FIXED, rules: SATURATED;
        "Scales two bfloat16 values and converts the results to fixed-point numbers.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.dtype.atype d, a", [NEAREST, TO_BF16X2, FROM_FIXED], Move(Cvt), types: EXACT;
        "Converts two fixed-point numbers to bfloat16 values.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.scaled::n2::ue8m0.dtype.atype d, a, scale", [NEAREST, TO_BF16X2, FROM_FIXED], Move(Cvt), types: SCALED;
        "Scales two fixed-point numbers and converts the results to bfloat16 values.", "data-movement-and-conversion-instructions-cvt"),
    form!("cvt.rnd{.satfinite}{.relu}.scaled::n2::ue8m0.dtype.atype d, a, scale", [NEAREST, TO_BF16X2, FROM_NARROW], Move(Cvt), types: SCALED;
        "Scales two narrow floats and converts the results to bfloat16 values.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e4m3x2 r, h, h;"]),
    form!("cvt.rnd{.satfinite}.dtype.atype d, a", [AWAY, TO_TENSOR, FROM_F32], Move(Cvt), types: AS_SINGLE, rules: FINITE_TENSOR;
        "Rounds a single-precision value to `.tf32`.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rna.tf32.f32 r, f;", "cvt.rna.tf32.f32 r, 0f3F800000;"], rejected_examples: &[("cvt.rna.tf32.f32 r, 1.0;", "W0116"), ("cvt.rna.relu.tf32.f32 r, f;", "W0102")]),
    form!("cvt.rnd{.relu}{.satfinite}.dtype.atype d, a", [TENSOR_ROUND, TO_TENSOR, FROM_F32], Move(Cvt), types: EXACT, rules: FINITE_TENSOR_ROUNDED;
        "Rounds a single-precision value to `.tf32`.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.rz.relu.tf32.f32 r, f;"]),
];
