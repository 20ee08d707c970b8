//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions").

use super::sets::{BOOL, COMPARE_FLOAT, COMPARE_INTEGER};
use super::table::{form, operands, since, types};
use crate::does::CompareForm::*;
use crate::form::{Form, Gate};

const HALF: Gate = since(4, 2).sm(53);
const BRAIN: Gate = since(7, 8).sm(90);

types!(INTEGERS, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64);
types!(FLOATS, Type, F32 F64; HALF => F16 F16x2; BRAIN => Bf16 Bf16x2);
types!(RESULTS, DType, U32 S32 F32 U16 S16 F16 Bf16);
types!(SET_INTEGERS, SType, B16 B32 B64 U16 U32 U64 S16 S32 S64);
types!(SET_FLOATS, SType, F32 F64; HALF => F16; BRAIN => Bf16);
types!(SELECTED, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SELECTED_RESULT, DType, B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SIGN_INTEGER, SType, S32);
types!(SIGN_FLOAT, SType, F32);

operands! {
    PREDICATE: "p" Predicate;
    RESULT: "d" Slot(DType), "a" Slot(SType), "b" Slot(SType);
    CHOICE: "d" Slot(DType), "a" Slot(DType), "b" Slot(DType), "c" Slot(SType);
}

/// The forms of comparison and selection.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("setp.cmp.type p{|q}, a, b", [COMPARE_INTEGER, INTEGERS], Compare(Setp), writes: &["p"], takes: &[Sink], types: PREDICATE;
        "Compares; q is the opposite of p.", "comparison-and-selection-instructions-setp";
        good: &["setp.eq.s32 p, r, 1;", "setp.ge.u64 p|q, d, d;"], bad: &[("setp.lo.s32 p, r, r;", "W0130"), ("setp.eq.s32 r, r, r;", "W0109")]),
    form!("setp.cmp.bool.type p{|q}, a, b, {!}c", [COMPARE_INTEGER, BOOL, INTEGERS], Compare(Setp), writes: &["p"], takes: &[Sink], types: PREDICATE;
        "Compares and combines with a predicate.", "comparison-and-selection-instructions-setp";
        good: &["setp.lt.and.s32 p, r, r, q;", "setp.lt.or.s32 p|q, r, r, !q;"]),
    form!("setp.cmp{.ftz}.type p{|q}, a, b", [COMPARE_FLOAT, FLOATS], Compare(Setp), writes: &["p"], takes: &[Sink], types: PREDICATE;
        "Compares floats; q is the opposite of p.", "comparison-and-selection-instructions-setp";
        good: &["setp.gtu.f32 p, f, f;", "setp.lt.f64 p, g, g;"]),
    form!("setp.cmp.bool{.ftz}.type p{|q}, a, b, {!}c", [COMPARE_FLOAT, BOOL, FLOATS], Compare(Setp), writes: &["p"], takes: &[Sink], types: PREDICATE;
        "Compares floats and combines with a predicate.", "comparison-and-selection-instructions-setp";
        good: &["setp.nan.xor.f32 p, f, f, q;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_INTEGER, RESULTS, SET_INTEGERS], Compare(Set), types: RESULT;
        "Compares into all ones, or 1.0 for floats.", "comparison-and-selection-instructions-set";
        good: &["set.eq.u32.s32 r, r, r;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_INTEGER, BOOL, RESULTS, SET_INTEGERS], Compare(Set), types: RESULT;
        "Compares, combines with a predicate, into all ones or 1.0.", "comparison-and-selection-instructions-set";
        good: &["set.eq.and.u32.s32 r, r, r, p;"]),
    form!("set.cmp{.ftz}.dtype.stype d, a, b", [COMPARE_FLOAT, RESULTS, SET_FLOATS], Compare(Set), types: RESULT;
        "Compares floats into all ones, or 1.0 for floats.", "comparison-and-selection-instructions-set";
        good: &["set.lt.f32.f32 f, f, f;"]),
    form!("set.cmp.bool{.ftz}.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, RESULTS, SET_FLOATS], Compare(Set), types: RESULT;
        "Compares floats, combines with a predicate, into all ones or 1.0.", "comparison-and-selection-instructions-set";
        good: &["set.lt.or.u32.f32 r, f, f, p;"]),
    form!("selp.type d, a, b, {!}c", [SELECTED], Compare(Selp);
        "Selects a where c is true, else b.", "comparison-and-selection-instructions-selp";
        good: &["selp.b32 r, r, 0, p;", "selp.f32 f, f, f, p;"], bad: &[("selp.b32 r, r, r, r;", "W0109")]),
    form!("slct{.ftz}.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_FLOAT], Compare(Slct), types: CHOICE;
        "Selects a where c is at least zero, else b.", "comparison-and-selection-instructions-slct";
        good: &["slct.ftz.u32.f32 r, r, r, f;"]),
    form!("slct.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_INTEGER], Compare(Slct), types: CHOICE;
        "Selects a where c is at least zero, else b.", "comparison-and-selection-instructions-slct";
        good: &["slct.f32.s32 f, f, f, r;"]),
];
