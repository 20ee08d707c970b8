//! Floating-point arithmetic in every width (PTX ISA, "Floating Point Instructions", "Half Precision Floating Point
//! Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{F32_ONLY, F64_ONLY, RN, ROUND_FLOAT, ROUND_NEAREST, RZ};
use crate::form::rule::{Rule, RuleKind::*, any, assembler, of};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{
    Flag::{Abs, NaN, Xorsign},
    FloatTest::*,
};
use crate::operation::{
    ArithmeticOp::{
        Abs as Magnitude, Add, Copysign, Cos, Div, Ex2, Fma, Lg2, Mad, Max, Min, Mul, Neg, Rcp,
        Rsqrt, Sin, Sqrt, Sub, Tanh,
    },
    ComparisonOp::Testp,
};

const HALF: Gate = since(4, 2).sm(53);
const AMPERE: Gate = since(7, 0).sm(80);
const HOPPER: Gate = since(7, 8).sm(90);

types!(HALVES, Type; HALF => F16 F16x2);
types!(NEW_HALVES, Type; AMPERE => F16 F16x2);
types!(BRAINS, Type; AMPERE => Bf16 Bf16x2);
types!(HOPPER_BRAINS, Type; HOPPER => Bf16 Bf16x2);
types!(OOB_HALVES, Type; since(8, 1).sm(90).assembler("13.5") => F16 Bf16 F16x2 Bf16x2);
types!(PAIRS, Type; since(8, 6).sm(100) => F32x2);
types!(EX2_HALVES, Type; since(7, 0).sm(75) => F16 F16x2);
types!(TANH_BRAINS, Type; HOPPER => Bf16 Bf16x2);
types!(F32_F64, Type, F32 F64);
set! { TESTS: Op "test";
    "finite",     Test(Finite),     ALWAYS, "true if a is neither infinity nor NaN";
    "infinite",   Test(Infinite),   ALWAYS, "true if a is infinity";
    "number",     Test(Number),     ALWAYS, "true if a is not NaN";
    "notanumber", Test(NotANumber), ALWAYS, "true if a is NaN";
    "normal",     Test(Normal),     ALWAYS, "true if a is a normal number: neither zero, subnormal, infinity nor NaN";
    "subnormal",  Test(Subnormal),  ALWAYS, "true if a is a subnormal number: nonzero, but below the range of normal numbers";
}

/// Rules between the modifiers of `rsqrt`.
#[rustfmt::skip]
const FLUSHED_ROOT: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(crate::modifier::Flag::Ftz)), b: of(S::Type, &["f64"]), gate: since(4, 0) }, "`ptxas` accepts `.ftz` with `.f64` from PTX 4.0 on"),
];

/// Rules for `.xorsign`, which requires `.abs`. Both modifiers are available from `sm_86` on.
#[rustfmt::skip]
const SIGNS: &[Rule] = &[
    assembler(Requires { when: any(S::Literal(Abs)), slot: S::Literal(Xorsign), among: &[] }, "`min` and `max` of this type compare absolute values only in combination with `.xorsign`"),
    assembler(Requires { when: any(S::Literal(Xorsign)), slot: S::Literal(Abs), among: &[] }, "`.xorsign` combines the signs of operands that are compared by absolute value, so `.abs` is required"),
    assembler(CombinationGate { a: any(S::Literal(Xorsign)), b: any(S::Type), gate: since(7, 2).sm(86) }, "`.xorsign` was introduced in PTX 7.2 for `sm_86`"),
];
#[rustfmt::skip]
const SINGLE_SIGNS: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(Xorsign)), b: any(S::Type), gate: since(7, 2).sm(86) }, "`.xorsign` was introduced in PTX 7.2 for `sm_86`"),
    assembler(CombinationGate { a: any(S::Literal(NaN)), b: any(S::Type), gate: AMPERE }, "`.NaN` was introduced in PTX 7.0 for `sm_80`"),
];

types!(TO_SINGLE, DType, F32);
types!(FROM_HALF, AType, F16 Bf16);
set! { NEAREST_OR_ZERO: Round "rounding"; RN; RZ; }
const MIXED: Gate = since(8, 6).sm(100);

operands! {
    MIXED_SUM: "d" Slot(DType), "a" Slot(AType), "c" Slot(DType);
    MIXED_PRODUCT: "d" Slot(DType), "a" Slot(AType), "b" Slot(AType), "c" Slot(DType);
    PREDICATE: "p" Predicate;
}

/// Instruction forms of floating-point arithmetic.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("add{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(Add);
        "Adds a and b with a single rounding.", "floating-point-instructions-add";
        accepted_examples: &["add.f32 f, f, 0f3F800000;", "add.rn.ftz.sat.f32 f, f, f;"], rejected_examples: &[("add.f32 f, f, 1;", "W0116"), ("add.f32 f, f, g;", "W0109")]),
    form!("add{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(Add);
        "Adds a and b with a single rounding.", "floating-point-instructions-add";
        accepted_examples: &["add.rz.f64 g, g, g;"]),
    form!("add{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(Add);
        "Adds packed single-precision values.", "floating-point-instructions-add";
        accepted_examples: &["add.f32x2 d, d, d;"]),
    form!("add{.rnd}{.sat}.dtype.atype d, a, c", [ROUND_FLOAT, TO_SINGLE, FROM_HALF], Arithmetic(Add), gate: MIXED, types: MIXED_SUM;
        "Adds a half-precision and a single-precision value with a single rounding.", "mixed-precision-floating-point-instructions-add";
        accepted_examples: &["add.rz.sat.f32.bf16 f, h, 1.0;"], rejected_examples: &[("add.f32.f16 f, h, 1;", "W0116")]),
    form!("add{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(Add);
        "Adds half-precision values with a single rounding.", "half-precision-floating-point-instructions-add";
        accepted_examples: &["add.f16 h, h, h;", "add.rn.ftz.f16x2 r, r, r;"]),
    form!("add{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(Add);
        "Adds bfloat16 values with a single rounding.", "half-precision-floating-point-instructions-add";
        accepted_examples: &["add.bf16x2 r, r, r;"]),
    form!("sub{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(Sub);
        "Subtracts b from a with a single rounding.", "floating-point-instructions-sub";
        accepted_examples: &["sub.f32 f, f, f;"]),
    form!("sub{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(Sub);
        "Subtracts b from a with a single rounding.", "floating-point-instructions-sub";
        accepted_examples: &["sub.f64 g, g, g;"]),
    form!("sub{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(Sub);
        "Subtracts packed single-precision values.", "floating-point-instructions-sub";
        accepted_examples: &["sub.f32x2 d, d, d;"]),
    form!("sub{.rnd}{.sat}.dtype.atype d, a, c", [ROUND_FLOAT, TO_SINGLE, FROM_HALF], Arithmetic(Sub), gate: MIXED, types: MIXED_SUM;
        "Subtracts a single-precision value from a half-precision value with a single rounding.", "mixed-precision-floating-point-instructions-sub";
        accepted_examples: &["sub.rz.sat.f32.bf16 f, h, 1.0;"], rejected_examples: &[("sub.f32.f16 f, h, 1;", "W0116")]),
    form!("sub{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(Sub);
        "Subtracts half-precision values with a single rounding.", "half-precision-floating-point-instructions-sub";
        accepted_examples: &["sub.f16 h, h, h;"]),
    form!("sub{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(Sub);
        "Subtracts bfloat16 values with a single rounding.", "half-precision-floating-point-instructions-sub";
        accepted_examples: &["sub.bf16 h, h, h;"]),
    form!("mul{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(Mul);
        "Multiplies a and b with a single rounding.", "floating-point-instructions-mul";
        accepted_examples: &["mul.f32 f, f, 2.5;"]),
    form!("mul{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(Mul);
        "Multiplies a and b with a single rounding.", "floating-point-instructions-mul";
        accepted_examples: &["mul.f64 g, g, g;"]),
    form!("mul{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(Mul);
        "Multiplies packed single-precision values.", "floating-point-instructions-mul";
        accepted_examples: &["mul.f32x2 d, d, d;"]),
    form!("mul{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(Mul);
        "Multiplies half-precision values with a single rounding.", "half-precision-floating-point-instructions-mul";
        accepted_examples: &["mul.f16x2 r, r, r;"]),
    form!("mul{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(Mul);
        "Multiplies bfloat16 values with a single rounding.", "half-precision-floating-point-instructions-mul";
        accepted_examples: &["mul.bf16 h, h, h;"]),
    form!("fma.rnd{.ftz}{.sat}.type d, a, b, c", [ROUND_FLOAT, F32_ONLY], Arithmetic(Fma), gate: since(2, 0).sm(20);
        "Computes the fused multiply-add a * b + c with a single rounding.", "floating-point-instructions-fma";
        accepted_examples: &["fma.rn.f32 f, f, f, f;"], rejected_examples: &[("fma.f32 f, f, f, f;", "W0105")]),
    form!("fma.rnd.type d, a, b, c", [ROUND_FLOAT, F64_ONLY], Arithmetic(Fma);
        "Computes the fused multiply-add a * b + c with a single rounding.", "floating-point-instructions-fma";
        accepted_examples: &["fma.rn.f64 g, g, g, g;"]),
    form!("fma.rnd{.ftz}.type d, a, b, c", [ROUND_FLOAT, PAIRS], Arithmetic(Fma);
        "Computes the fused multiply-add of packed single-precision values.", "floating-point-instructions-fma";
        accepted_examples: &["fma.rn.f32x2 d, d, d, d;"]),
    form!("fma.rnd{.sat}.dtype.atype d, a, b, c", [ROUND_FLOAT, TO_SINGLE, FROM_HALF], Arithmetic(Fma), gate: MIXED, types: MIXED_PRODUCT;
        "Computes the fused multiply-add of half-precision factors and a single-precision addend with a single rounding.", "mixed-precision-floating-point-instructions-fma";
        accepted_examples: &["fma.rn.f32.f16 f, h, h, f;"], rejected_examples: &[("fma.f32.f16 f, h, h, f;", "W0105")]),
    form!("fma.rnd.oob{.relu}.type d, a, b, c", [ROUND_NEAREST, OOB_HALVES], Arithmetic(Fma);
        "Computes the fused multiply-add of half-precision values and treats out-of-bounds NaN factors as zero.", "half-precision-floating-point-instructions-fma";
        accepted_examples: &["fma.rn.oob.relu.bf16 h, h, h, h;"]),
    form!("fma.rnd{.ftz}{.sat}.type d, a, b, c", [ROUND_NEAREST, HALVES], Arithmetic(Fma);
        "Computes the fused multiply-add of half-precision values with a single rounding.", "half-precision-floating-point-instructions-fma";
        accepted_examples: &["fma.rn.f16 h, h, h, h;"]),
    form!("fma.rnd{.ftz}.relu.type d, a, b, c", [ROUND_NEAREST, NEW_HALVES], Arithmetic(Fma);
        "Computes the fused multiply-add of half-precision values with a single rounding and clamps negative results to zero.", "half-precision-floating-point-instructions-fma";
        accepted_examples: &["fma.rn.relu.f16x2 r, r, r, r;"]),
    form!("fma.rnd{.relu}.type d, a, b, c", [NEAREST_OR_ZERO, BRAINS], Arithmetic(Fma);
        "Computes the fused multiply-add of bfloat16 values with a single rounding.", "half-precision-floating-point-instructions-fma";
        accepted_examples: &["fma.rn.bf16x2 r, r, r, r;"]),
    form!("mad{.rnd}{.ftz}{.sat}.type d, a, b, c", [ROUND_FLOAT, F32_ONLY], Arithmetic(Mad);
        "Computes a * b + c. The operation is identical to `fma` on `sm_20` and later.", "floating-point-instructions-mad";
        accepted_examples: &["mad.rn.f32 f, f, f, f;"]),
    form!("mad.rnd.type d, a, b, c", [ROUND_FLOAT, F64_ONLY], Arithmetic(Mad);
        "Computes the fused multiply-add a * b + c with a single rounding.", "floating-point-instructions-mad";
        accepted_examples: &["mad.rn.f64 g, g, g, g;"]),
    form!("div.approx{.ftz}.type d, a, b", [F32_ONLY], Arithmetic(Div);
        "Divides a by b with a maximum error of about 2 ulp.", "floating-point-instructions-div";
        accepted_examples: &["div.approx.f32 f, f, f;"]),
    form!("div.full{.ftz}.type d, a, b", [F32_ONLY], Arithmetic(Div), n_name_modifiers: 1;
        "Divides a by b over the full range with a maximum error of about 2 ulp.", "floating-point-instructions-div";
        accepted_examples: &["div.full.ftz.f32 f, f, f;"]),
    form!("div.rnd{.ftz}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(Div), gate: since(2, 0).sm(20);
        "Divides a by b and rounds the quotient correctly.", "floating-point-instructions-div";
        accepted_examples: &["div.rn.f32 f, f, f;"], rejected_examples: &[("div.f32 f, f, f;", "W0105")]),
    form!("div.rnd.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(Div);
        "Divides a by b and rounds the quotient correctly.", "floating-point-instructions-div";
        accepted_examples: &["div.rn.f64 g, g, g;"]),
    form!("abs{.ftz}.type d, a", [F32_ONLY], Arithmetic(Magnitude);
        "Computes the absolute value of a.", "floating-point-instructions-abs";
        accepted_examples: &["abs.f32 f, f;"]),
    form!("abs.type d, a", [F64_ONLY], Arithmetic(Magnitude);
        "Computes the absolute value of a.", "floating-point-instructions-abs";
        accepted_examples: &["abs.f64 g, g;"]),
    form!("abs{.ftz}.type d, a", [HALVES], Arithmetic(Magnitude), gate: since(6, 5).sm(53).assembler("13.5");
        "Computes the absolute value of half-precision values.", "half-precision-floating-point-instructions-abs";
        accepted_examples: &["abs.f16 h, h;"]),
    form!("abs.type d, a", [BRAINS], Arithmetic(Magnitude);
        "Computes the absolute value of bfloat16 values.", "half-precision-floating-point-instructions-abs";
        accepted_examples: &["abs.bf16 h, h;"]),
    form!("neg{.ftz}.type d, a", [F32_ONLY], Arithmetic(Neg);
        "Negates the value of a.", "floating-point-instructions-neg";
        accepted_examples: &["neg.f32 f, f;"]),
    form!("neg.type d, a", [F64_ONLY], Arithmetic(Neg);
        "Negates the value of a.", "floating-point-instructions-neg";
        accepted_examples: &["neg.f64 g, g;"]),
    form!("neg{.ftz}.type d, a", [HALVES], Arithmetic(Neg), gate: since(5, 1).assembler("13.5");
        "Negates half-precision values.", "half-precision-floating-point-instructions-neg";
        accepted_examples: &["neg.f16x2 r, r;"]),
    form!("neg.type d, a", [BRAINS], Arithmetic(Neg);
        "Negates bfloat16 values.", "half-precision-floating-point-instructions-neg";
        accepted_examples: &["neg.bf16x2 r, r;"]),
    form!("min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b{, c}", [F32_ONLY], Arithmetic(Min), rules: SINGLE_SIGNS;
        "Computes the minimum of a and b.", "floating-point-instructions-min";
        accepted_examples: &["min.f32 f, f, f;", "min.NaN.f32 f, f, f;", "min.abs.f32 f, f, f, f;"], rejected_examples: &[("min.abs.f32 f, f, f;", "W0105")]),
    form!("min.type d, a, b", [F64_ONLY], Arithmetic(Min);
        "Computes the minimum of a and b.", "floating-point-instructions-min";
        accepted_examples: &["min.f64 g, g, g;"]),
    form!("min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [NEW_HALVES], Arithmetic(Min), rules: SIGNS;
        "Computes the minimum of half-precision values.", "half-precision-floating-point-instructions-min";
        accepted_examples: &["min.f16 h, h, h;"]),
    form!("min{.NaN}{.xorsign}{.abs}.type d, a, b", [BRAINS], Arithmetic(Min), rules: SIGNS;
        "Computes the minimum of bfloat16 values.", "half-precision-floating-point-instructions-min";
        accepted_examples: &["min.bf16 h, h, h;"]),
    form!("max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b{, c}", [F32_ONLY], Arithmetic(Max), rules: SINGLE_SIGNS;
        "Computes the maximum of a and b.", "floating-point-instructions-max";
        accepted_examples: &["max.f32 f, f, f;"]),
    form!("max.type d, a, b", [F64_ONLY], Arithmetic(Max);
        "Computes the maximum of a and b.", "floating-point-instructions-max";
        accepted_examples: &["max.f64 g, g, g;"]),
    form!("max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [NEW_HALVES], Arithmetic(Max), rules: SIGNS;
        "Computes the maximum of half-precision values.", "half-precision-floating-point-instructions-max";
        accepted_examples: &["max.f16x2 r, r, r;"]),
    form!("max{.NaN}{.xorsign}{.abs}.type d, a, b", [BRAINS], Arithmetic(Max), rules: SIGNS;
        "Computes the maximum of bfloat16 values.", "half-precision-floating-point-instructions-max";
        accepted_examples: &["max.bf16x2 r, r, r;"]),
    form!("rcp.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Rcp);
        "Computes the reciprocal of a with a maximum error of 1 ulp.", "floating-point-instructions-rcp";
        accepted_examples: &["rcp.approx.f32 f, f;"]),
    form!("rcp.rnd{.ftz}.type d, a", [ROUND_FLOAT, F32_ONLY], Arithmetic(Rcp), gate: since(2, 0).sm(20);
        "Computes the correctly rounded reciprocal of a.", "floating-point-instructions-rcp";
        accepted_examples: &["rcp.rn.f32 f, f;"]),
    form!("rcp.rnd.type d, a", [ROUND_FLOAT, F64_ONLY], Arithmetic(Rcp);
        "Computes the correctly rounded reciprocal of a.", "floating-point-instructions-rcp";
        accepted_examples: &["rcp.rn.f64 g, g;"]),
    form!("rcp.approx.ftz.type d, a", [F64_ONLY], Arithmetic(Rcp), gate: since(2, 1).sm(20);
        "Computes a coarse approximation of 1/a.", "floating-point-instructions-rcp-approx-ftz-f64";
        accepted_examples: &["rcp.approx.ftz.f64 g, g;"]),
    form!("sqrt.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Sqrt);
        "Computes an approximation of the square root of a.", "floating-point-instructions-sqrt";
        accepted_examples: &["sqrt.approx.f32 f, f;"]),
    form!("sqrt.rnd{.ftz}.type d, a", [ROUND_FLOAT, F32_ONLY], Arithmetic(Sqrt), gate: since(2, 0).sm(20);
        "Computes the correctly rounded square root of a.", "floating-point-instructions-sqrt";
        accepted_examples: &["sqrt.rn.f32 f, f;"]),
    form!("sqrt.rnd.type d, a", [ROUND_FLOAT, F64_ONLY], Arithmetic(Sqrt);
        "Computes the correctly rounded square root of a.", "floating-point-instructions-sqrt";
        accepted_examples: &["sqrt.rn.f64 g, g;"]),
    form!("rsqrt.approx{.ftz}.type d, a", [F32_F64], Arithmetic(Rsqrt), rules: FLUSHED_ROOT;
        "Computes an approximation of the reciprocal square root of a.", "floating-point-instructions-rsqrt";
        accepted_examples: &["rsqrt.approx.f32 f, f;", "rsqrt.approx.f64 g, g;"]),
    form!("sin.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Sin);
        "Computes an approximation of the sine of a.", "floating-point-instructions-sin";
        accepted_examples: &["sin.approx.f32 f, f;"]),
    form!("cos.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Cos);
        "Computes an approximation of the cosine of a.", "floating-point-instructions-cos";
        accepted_examples: &["cos.approx.f32 f, f;"]),
    form!("lg2.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Lg2);
        "Computes an approximation of the base-2 logarithm of a.", "floating-point-instructions-lg2";
        accepted_examples: &["lg2.approx.f32 f, f;"]),
    form!("ex2.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(Ex2);
        "Computes an approximation of 2 to the power of a.", "floating-point-instructions-ex2";
        accepted_examples: &["ex2.approx.ftz.f32 f, f;"]),
    form!("ex2.approx.type d, a", [EX2_HALVES], Arithmetic(Ex2);
        "Computes 2 to the power of a half-precision value.", "half-precision-floating-point-instructions-ex2";
        accepted_examples: &["ex2.approx.f16 h, h;"]),
    form!("ex2.approx.ftz.type d, a", [HOPPER_BRAINS], Arithmetic(Ex2);
        "Computes 2 to the power of a bfloat16 value.", "half-precision-floating-point-instructions-ex2";
        accepted_examples: &["ex2.approx.ftz.bf16 h, h;"]),
    form!("tanh.approx.type d, a", [F32_ONLY], Arithmetic(Tanh), gate: since(7, 0).sm(75);
        "Computes an approximation of the hyperbolic tangent of a.", "floating-point-instructions-tanh";
        accepted_examples: &["tanh.approx.f32 f, f;"]),
    form!("tanh.approx.type d, a", [EX2_HALVES], Arithmetic(Tanh);
        "Computes an approximation of the hyperbolic tangent of half-precision values.", "half-precision-floating-point-instructions-tanh";
        accepted_examples: &["tanh.approx.f16 h, h;"]),
    form!("tanh.approx.type d, a", [TANH_BRAINS], Arithmetic(Tanh);
        "Computes an approximation of the hyperbolic tangent of bfloat16 values.", "half-precision-floating-point-instructions-tanh";
        accepted_examples: &["tanh.approx.bf16 h, h;"]),
    form!("copysign.type d, a, b", [F32_F64], Arithmetic(Copysign), gate: since(2, 0).sm(20);
        "Copies the sign of a into b and returns the result.", "floating-point-instructions-copysign";
        accepted_examples: &["copysign.f32 f, f, f;"]),
    form!("testp{.op}.type p, a", [TESTS, F32_F64], Compare(Testp), gate: since(2, 0).sm(20), destination_operands: &["p"], types: PREDICATE;
        "Tests whether a belongs to a floating-point class, such as finite numbers or NaN.", "floating-point-instructions-testp";
        accepted_examples: &["testp.finite.f32 p, f;"]),
];
