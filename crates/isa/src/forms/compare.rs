//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions").

use super::sets::{BOOL, COMPARE_FLOAT, COMPARE_INTEGER, form, set, ty, ty_from, types};
use crate::does::CompareForm;
use crate::form::{Form, Gate, OperandType};
use crate::types::ScalarType;

const HALF: Gate = Gate::ptx(4, 2).sm(53);
const BRAIN: Gate = Gate::ptx(7, 8).sm(90);

types!(INTEGERS, "type", B16 B32 B64 U16 U32 U64 S16 S32 S64);
set!(
    FLOATS,
    "type",
    "type",
    [
        ty(ScalarType::F32),
        ty(ScalarType::F64),
        ty_from(ScalarType::F16, HALF),
        ty_from(ScalarType::F16x2, HALF),
        ty_from(ScalarType::Bf16, BRAIN),
        ty_from(ScalarType::Bf16x2, BRAIN),
    ]
);
types!(RESULTS, "dtype", U32 S32 F32 U16 S16 F16 Bf16);
types!(SET_INTEGERS, "stype", B16 B32 B64 U16 U32 U64 S16 S32 S64);
set!(
    SET_FLOATS,
    "stype",
    "type",
    [
        ty(ScalarType::F32),
        ty(ScalarType::F64),
        ty_from(ScalarType::F16, HALF),
        ty_from(ScalarType::Bf16, BRAIN),
    ]
);
types!(SELECTED, "type", B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SELECTED_RESULT, "dtype", B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SIGN_INTEGER, "stype", S32);
types!(SIGN_FLOAT, "stype", F32);

const PREDICATE: &[(&str, OperandType)] = &[("p", OperandType::Predicate)];
const RESULT: &[(&str, OperandType)] = &[
    ("d", OperandType::Slot("dtype")),
    ("a", OperandType::Slot("stype")),
    ("b", OperandType::Slot("stype")),
];
const CHOICE: &[(&str, OperandType)] = &[
    ("d", OperandType::Slot("dtype")),
    ("a", OperandType::Slot("dtype")),
    ("b", OperandType::Slot("dtype")),
    ("c", OperandType::Slot("stype")),
];

/// The forms of comparison and selection.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("setp.cmp.type p{|q}, a, b", [COMPARE_INTEGER, INTEGERS], Compare(CompareForm::Setp), "Compares; q is the opposite of p.", "comparison-and-selection-instructions-setp", types: PREDICATE,
        good: &["setp.eq.s32 p, r, 1;", "setp.ge.u64 p|q, d, d;"], bad: &[("setp.lo.s32 p, r, r;", "W0130"), ("setp.eq.s32 r, r, r;", "W0109")]),
    form!("setp.cmp.bool.type p{|q}, a, b, {!}c", [COMPARE_INTEGER, BOOL, INTEGERS], Compare(CompareForm::Setp), "Compares and combines with a predicate.", "comparison-and-selection-instructions-setp", types: PREDICATE,
        good: &["setp.lt.and.s32 p, r, r, q;", "setp.lt.or.s32 p|q, r, r, !q;"]),
    form!("setp.cmp{.ftz}.type p{|q}, a, b", [COMPARE_FLOAT, FLOATS], Compare(CompareForm::Setp), "Compares floats; q is the opposite of p.", "comparison-and-selection-instructions-setp", types: PREDICATE, good: &["setp.gtu.f32 p, f, f;", "setp.lt.f64 p, g, g;"]),
    form!("setp.cmp.bool{.ftz}.type p{|q}, a, b, {!}c", [COMPARE_FLOAT, BOOL, FLOATS], Compare(CompareForm::Setp), "Compares floats and combines with a predicate.", "comparison-and-selection-instructions-setp", types: PREDICATE, good: &["setp.nan.xor.f32 p, f, f, q;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_INTEGER, RESULTS, SET_INTEGERS], Compare(CompareForm::Set), "Compares into all ones, or 1.0 for floats.", "comparison-and-selection-instructions-set", types: RESULT, good: &["set.eq.u32.s32 r, r, r;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_INTEGER, BOOL, RESULTS, SET_INTEGERS], Compare(CompareForm::Set), "Compares, combines with a predicate, into all ones or 1.0.", "comparison-and-selection-instructions-set", types: RESULT, good: &["set.eq.and.u32.s32 r, r, r, p;"]),
    form!("set.cmp{.ftz}.dtype.stype d, a, b", [COMPARE_FLOAT, RESULTS, SET_FLOATS], Compare(CompareForm::Set), "Compares floats into all ones, or 1.0 for floats.", "comparison-and-selection-instructions-set", types: RESULT, good: &["set.lt.f32.f32 f, f, f;"]),
    form!("set.cmp.bool{.ftz}.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, RESULTS, SET_FLOATS], Compare(CompareForm::Set), "Compares floats, combines with a predicate, into all ones or 1.0.", "comparison-and-selection-instructions-set", types: RESULT, good: &["set.lt.or.u32.f32 r, f, f, p;"]),
    form!("selp.type d, a, b, {!}c", [SELECTED], Compare(CompareForm::Selp), "a where c holds, else b.", "comparison-and-selection-instructions-selp", good: &["selp.b32 r, r, 0, p;", "selp.f32 f, f, f, p;"], bad: &[("selp.b32 r, r, r, r;", "W0109")]),
    form!("slct{.ftz}.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_FLOAT], Compare(CompareForm::Slct), "a where c is at least zero, else b.", "comparison-and-selection-instructions-slct", types: CHOICE, good: &["slct.ftz.u32.f32 r, r, r, f;"]),
    form!("slct.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_INTEGER], Compare(CompareForm::Slct), "a where c is at least zero, else b.", "comparison-and-selection-instructions-slct", types: CHOICE, good: &["slct.f32.s32 f, f, f, r;"]),
];
