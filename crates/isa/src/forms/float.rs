//! Floating-point arithmetic in every width (PTX ISA, "Floating Point Instructions", "Half Precision Floating Point
//! Instructions").

use super::sets::{F32_ONLY, F64_ONLY, ROUND_FLOAT, ROUND_NEAREST, form, plain, set, types_from};
use crate::does::{ArithmeticOp, CompareForm};
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::FloatTest;

const HALF: Gate = Gate::ptx(4, 2).sm(53);
const AMPERE: Gate = Gate::ptx(7, 0).sm(80);
const HOPPER: Gate = Gate::ptx(7, 8).sm(90);

types_from!(HALVES, "type", HALF, F16 F16x2);
types_from!(NEW_HALVES, "type", AMPERE, F16 F16x2);
types_from!(BRAINS, "type", AMPERE, Bf16 Bf16x2);
types_from!(HOPPER_BRAINS, "type", HOPPER, Bf16 Bf16x2);
types_from!(PAIRS, "type", Gate::ptx(8, 6).sm(100), F32x2);
types_from!(EX2_HALVES, "type", Gate::ptx(7, 0).sm(75), F16 F16x2);
types_from!(TANH_BRAINS, "type", HOPPER, Bf16 Bf16x2);
super::sets::types!(F32_F64, "type", F32 F64);
set!(
    TESTS,
    "op",
    "test",
    [
        plain(
            "finite",
            Meaning::Test(FloatTest::Finite),
            "neither infinite nor NaN"
        ),
        plain("infinite", Meaning::Test(FloatTest::Infinite), "infinite"),
        plain("number", Meaning::Test(FloatTest::Number), "not NaN"),
        plain("notanumber", Meaning::Test(FloatTest::NotANumber), "NaN"),
        plain(
            "normal",
            Meaning::Test(FloatTest::Normal),
            "neither zero, subnormal, infinite nor NaN"
        ),
        plain(
            "subnormal",
            Meaning::Test(FloatTest::Subnormal),
            "too small to be normal, not zero"
        ),
    ]
);

const PREDICATE: &[(&str, OperandType)] = &[("p", OperandType::Predicate)];

/// The forms of floating-point arithmetic.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("add{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Add), "Adds, with one rounding.", "floating-point-instructions-add",
        good: &["add.f32 f, f, 0f3F800000;", "add.rn.ftz.sat.f32 f, f, f;"], bad: &[("add.f32 f, f, 1;", "W0116"), ("add.f32 f, f, g;", "W0109")]),
    form!("add{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Add), "Adds, with one rounding.", "floating-point-instructions-add", good: &["add.rz.f64 g, g, g;"]),
    form!("add{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(ArithmeticOp::Add), "Adds two pairs of singles.", "floating-point-instructions-add", good: &["add.f32x2 d, d, d;"]),
    form!("add{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(ArithmeticOp::Add), "Adds halves, with one rounding.", "half-precision-floating-point-instructions-add", good: &["add.f16 h, h, h;", "add.rn.ftz.f16x2 r, r, r;"]),
    form!("add{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(ArithmeticOp::Add), "Adds bfloat16, with one rounding.", "half-precision-floating-point-instructions-add", good: &["add.bf16x2 r, r, r;"]),
    form!("sub{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Sub), "Subtracts b from a, with one rounding.", "floating-point-instructions-sub", good: &["sub.f32 f, f, f;"]),
    form!("sub{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Sub), "Subtracts b from a, with one rounding.", "floating-point-instructions-sub", good: &["sub.f64 g, g, g;"]),
    form!("sub{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(ArithmeticOp::Sub), "Subtracts two pairs of singles.", "floating-point-instructions-sub", good: &["sub.f32x2 d, d, d;"]),
    form!("sub{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(ArithmeticOp::Sub), "Subtracts halves, with one rounding.", "half-precision-floating-point-instructions-sub", good: &["sub.f16 h, h, h;"]),
    form!("sub{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(ArithmeticOp::Sub), "Subtracts bfloat16, with one rounding.", "half-precision-floating-point-instructions-sub", good: &["sub.bf16 h, h, h;"]),
    form!("mul{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Mul), "Multiplies, with one rounding.", "floating-point-instructions-mul", good: &["mul.f32 f, f, 2.5;"]),
    form!("mul{.rnd}.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Mul), "Multiplies, with one rounding.", "floating-point-instructions-mul", good: &["mul.f64 g, g, g;"]),
    form!("mul{.rnd}{.ftz}.type d, a, b", [ROUND_FLOAT, PAIRS], Arithmetic(ArithmeticOp::Mul), "Multiplies two pairs of singles.", "floating-point-instructions-mul", good: &["mul.f32x2 d, d, d;"]),
    form!("mul{.rnd}{.ftz}{.sat}.type d, a, b", [ROUND_NEAREST, HALVES], Arithmetic(ArithmeticOp::Mul), "Multiplies halves, with one rounding.", "half-precision-floating-point-instructions-mul", good: &["mul.f16x2 r, r, r;"]),
    form!("mul{.rnd}.type d, a, b", [ROUND_NEAREST, HOPPER_BRAINS], Arithmetic(ArithmeticOp::Mul), "Multiplies bfloat16, with one rounding.", "half-precision-floating-point-instructions-mul", good: &["mul.bf16 h, h, h;"]),
    form!("fma.rnd{.ftz}{.sat}.type d, a, b, c", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Fma), "Multiplies and adds c, with one rounding.", "floating-point-instructions-fma",
        gate: Gate::ptx(2, 0).sm(20), good: &["fma.rn.f32 f, f, f, f;"], bad: &[("fma.f32 f, f, f, f;", "W0105")]),
    form!("fma.rnd.type d, a, b, c", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Fma), "Multiplies and adds c, with one rounding.", "floating-point-instructions-fma", good: &["fma.rn.f64 g, g, g, g;"]),
    form!("fma.rnd{.ftz}.type d, a, b, c", [ROUND_FLOAT, PAIRS], Arithmetic(ArithmeticOp::Fma), "Multiplies and adds two pairs of singles.", "floating-point-instructions-fma", good: &["fma.rn.f32x2 d, d, d, d;"]),
    form!("fma.rnd{.ftz}{.sat}.type d, a, b, c", [ROUND_NEAREST, HALVES], Arithmetic(ArithmeticOp::Fma), "Multiplies halves and adds c, with one rounding.", "half-precision-floating-point-instructions-fma", good: &["fma.rn.f16 h, h, h, h;"]),
    form!("fma.rnd{.ftz}.relu.type d, a, b, c", [ROUND_NEAREST, NEW_HALVES], Arithmetic(ArithmeticOp::Fma), "As `fma`, not below zero.", "half-precision-floating-point-instructions-fma", good: &["fma.rn.relu.f16x2 r, r, r, r;"]),
    form!("fma.rnd{.relu}.type d, a, b, c", [ROUND_NEAREST, BRAINS], Arithmetic(ArithmeticOp::Fma), "Multiplies bfloat16 and adds c, with one rounding.", "half-precision-floating-point-instructions-fma", good: &["fma.rn.bf16x2 r, r, r, r;"]),
    form!("mad{.rnd}{.ftz}{.sat}.type d, a, b, c", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Mad), "Multiplies and adds c; the same as `fma` from sm_20 on.", "floating-point-instructions-mad", good: &["mad.rn.f32 f, f, f, f;"]),
    form!("mad.rnd.type d, a, b, c", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Mad), "Multiplies and adds c, with one rounding.", "floating-point-instructions-mad", good: &["mad.rn.f64 g, g, g, g;"]),
    form!("div.approx{.ftz}.type d, a, b", [F32_ONLY], Arithmetic(ArithmeticOp::Div), "Divides, to about two units in the last place.", "floating-point-instructions-div", good: &["div.approx.f32 f, f, f;"]),
    form!("div.full{.ftz}.type d, a, b", [F32_ONLY], Arithmetic(ArithmeticOp::Div), "Divides over the full range, to about two units in the last place.", "floating-point-instructions-div", good: &["div.full.ftz.f32 f, f, f;"]),
    form!("div.rnd{.ftz}.type d, a, b", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Div), "Divides, correctly rounded.", "floating-point-instructions-div", gate: Gate::ptx(2, 0).sm(20), good: &["div.rn.f32 f, f, f;"], bad: &[("div.f32 f, f, f;", "W0105")]),
    form!("div.rnd.type d, a, b", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Div), "Divides, correctly rounded.", "floating-point-instructions-div", good: &["div.rn.f64 g, g, g;"]),
    form!("abs{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Abs), "Clears the sign.", "floating-point-instructions-abs", good: &["abs.f32 f, f;"]),
    form!("abs.type d, a", [F64_ONLY], Arithmetic(ArithmeticOp::Abs), "Clears the sign.", "floating-point-instructions-abs", good: &["abs.f64 g, g;"]),
    form!("abs{.ftz}.type d, a", [HALVES], Arithmetic(ArithmeticOp::Abs), "Clears the sign of halves.", "half-precision-floating-point-instructions-abs", good: &["abs.f16 h, h;"]),
    form!("abs.type d, a", [BRAINS], Arithmetic(ArithmeticOp::Abs), "Clears the sign of bfloat16.", "half-precision-floating-point-instructions-abs", good: &["abs.bf16 h, h;"]),
    form!("neg{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Neg), "Turns the sign.", "floating-point-instructions-neg", good: &["neg.f32 f, f;"]),
    form!("neg.type d, a", [F64_ONLY], Arithmetic(ArithmeticOp::Neg), "Turns the sign.", "floating-point-instructions-neg", good: &["neg.f64 g, g;"]),
    form!("neg{.ftz}.type d, a", [HALVES], Arithmetic(ArithmeticOp::Neg), "Turns the sign of halves.", "half-precision-floating-point-instructions-neg", gate: Gate::ptx(6, 0), good: &["neg.f16x2 r, r;"]),
    form!("neg.type d, a", [BRAINS], Arithmetic(ArithmeticOp::Neg), "Turns the sign of bfloat16.", "half-precision-floating-point-instructions-neg", good: &["neg.bf16x2 r, r;"]),
    form!("min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [F32_ONLY], Arithmetic(ArithmeticOp::Min), "The smaller of a and b.", "floating-point-instructions-min", good: &["min.f32 f, f, f;", "min.NaN.f32 f, f, f;"]),
    form!("min.type d, a, b", [F64_ONLY], Arithmetic(ArithmeticOp::Min), "The smaller of a and b.", "floating-point-instructions-min", good: &["min.f64 g, g, g;"]),
    form!("min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [NEW_HALVES], Arithmetic(ArithmeticOp::Min), "The smaller of two halves.", "half-precision-floating-point-instructions-min", good: &["min.f16 h, h, h;"]),
    form!("min{.NaN}{.xorsign}{.abs}.type d, a, b", [BRAINS], Arithmetic(ArithmeticOp::Min), "The smaller of two bfloat16.", "half-precision-floating-point-instructions-min", good: &["min.bf16 h, h, h;"]),
    form!("max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [F32_ONLY], Arithmetic(ArithmeticOp::Max), "The larger of a and b.", "floating-point-instructions-max", good: &["max.f32 f, f, f;"]),
    form!("max.type d, a, b", [F64_ONLY], Arithmetic(ArithmeticOp::Max), "The larger of a and b.", "floating-point-instructions-max", good: &["max.f64 g, g, g;"]),
    form!("max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b", [NEW_HALVES], Arithmetic(ArithmeticOp::Max), "The larger of two halves.", "half-precision-floating-point-instructions-max", good: &["max.f16x2 r, r, r;"]),
    form!("max{.NaN}{.xorsign}{.abs}.type d, a, b", [BRAINS], Arithmetic(ArithmeticOp::Max), "The larger of two bfloat16.", "half-precision-floating-point-instructions-max", good: &["max.bf16x2 r, r, r;"]),
    form!("rcp.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Rcp), "One over a, to one unit in the last place.", "floating-point-instructions-rcp", good: &["rcp.approx.f32 f, f;"]),
    form!("rcp.rnd{.ftz}.type d, a", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Rcp), "One over a, correctly rounded.", "floating-point-instructions-rcp", gate: Gate::ptx(2, 0).sm(20), good: &["rcp.rn.f32 f, f;"]),
    form!("rcp.rnd.type d, a", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Rcp), "One over a, correctly rounded.", "floating-point-instructions-rcp", good: &["rcp.rn.f64 g, g;"]),
    form!("rcp.approx.ftz.type d, a", [F64_ONLY], Arithmetic(ArithmeticOp::Rcp), "A coarse one over a.", "floating-point-instructions-rcp-approx-ftz-f64", gate: Gate::ptx(2, 1).sm(20), good: &["rcp.approx.ftz.f64 g, g;"]),
    form!("sqrt.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Sqrt), "Square root, approximately.", "floating-point-instructions-sqrt", good: &["sqrt.approx.f32 f, f;"]),
    form!("sqrt.rnd{.ftz}.type d, a", [ROUND_FLOAT, F32_ONLY], Arithmetic(ArithmeticOp::Sqrt), "Square root, correctly rounded.", "floating-point-instructions-sqrt", gate: Gate::ptx(2, 0).sm(20), good: &["sqrt.rn.f32 f, f;"]),
    form!("sqrt.rnd.type d, a", [ROUND_FLOAT, F64_ONLY], Arithmetic(ArithmeticOp::Sqrt), "Square root, correctly rounded.", "floating-point-instructions-sqrt", good: &["sqrt.rn.f64 g, g;"]),
    form!("rsqrt.approx{.ftz}.type d, a", [F32_F64], Arithmetic(ArithmeticOp::Rsqrt), "One over the square root, approximately.", "floating-point-instructions-rsqrt", good: &["rsqrt.approx.f32 f, f;", "rsqrt.approx.f64 g, g;"]),
    form!("sin.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Sin), "Sine, approximately.", "floating-point-instructions-sin", good: &["sin.approx.f32 f, f;"]),
    form!("cos.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Cos), "Cosine, approximately.", "floating-point-instructions-cos", good: &["cos.approx.f32 f, f;"]),
    form!("lg2.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Lg2), "Logarithm to base 2, approximately.", "floating-point-instructions-lg2", good: &["lg2.approx.f32 f, f;"]),
    form!("ex2.approx{.ftz}.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Ex2), "Two to the power of a, approximately.", "floating-point-instructions-ex2", good: &["ex2.approx.ftz.f32 f, f;"]),
    form!("ex2.approx.type d, a", [EX2_HALVES], Arithmetic(ArithmeticOp::Ex2), "Two to the power of a half.", "half-precision-floating-point-instructions-ex2", good: &["ex2.approx.f16 h, h;"]),
    form!("ex2.approx.ftz.type d, a", [HOPPER_BRAINS], Arithmetic(ArithmeticOp::Ex2), "Two to the power of a bfloat16.", "half-precision-floating-point-instructions-ex2", good: &["ex2.approx.ftz.bf16 h, h;"]),
    form!("tanh.approx.type d, a", [F32_ONLY], Arithmetic(ArithmeticOp::Tanh), "Hyperbolic tangent, approximately.", "floating-point-instructions-tanh", gate: Gate::ptx(7, 0).sm(75), good: &["tanh.approx.f32 f, f;"]),
    form!("tanh.approx.type d, a", [EX2_HALVES], Arithmetic(ArithmeticOp::Tanh), "Hyperbolic tangent of halves.", "half-precision-floating-point-instructions-tanh", good: &["tanh.approx.f16 h, h;"]),
    form!("tanh.approx.type d, a", [TANH_BRAINS], Arithmetic(ArithmeticOp::Tanh), "Hyperbolic tangent of bfloat16.", "half-precision-floating-point-instructions-tanh", good: &["tanh.approx.bf16 h, h;"]),
    form!("copysign.type d, a, b", [F32_F64], Arithmetic(ArithmeticOp::Copysign), "b with the sign of a.", "floating-point-instructions-copysign", gate: Gate::ptx(2, 0).sm(20), good: &["copysign.f32 f, f, f;"]),
    form!("testp.op.type p, a", [TESTS, F32_F64], Compare(CompareForm::Testp), "Asks what kind of number a is.", "floating-point-instructions-testp", types: PREDICATE, gate: Gate::ptx(2, 0).sm(20), good: &["testp.finite.f32 p, f;"]),
];
