//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions").

use super::form_macros::{form, operands, since, types};
use super::modifier_sets::{BOOL, COMPARE_FLOAT, COMPARE_INTEGER};
use crate::form::{Form, Gate};
use crate::operation::ComparisonOp::*;

const HALF: Gate = since(4, 2).sm(53);
/// Gate of half-precision comparisons with an integer result.
const HALF_INTEGERS: Gate = since(6, 5).sm(53).assembler("13.5");
const BRAIN: Gate = since(7, 8).sm(90);

types!(INTEGERS, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64);
types!(SINGLES, Type, F32);
types!(DOUBLES, Type, F64);
types!(HALVES, Type; HALF => F16);
types!(BRAINS, Type; BRAIN => Bf16);
types!(HALF_PAIRS, Type; HALF => F16x2);
types!(BRAIN_PAIRS, Type; BRAIN => Bf16x2);
types!(RESULTS, DType, U32 S32 F32; HALF => F16; BRAIN => Bf16);
types!(HALF_RESULTS, DType; HALF => F16; HALF_INTEGERS => U16 S16 U32 S32);
types!(BRAIN_RESULTS, DType; BRAIN => Bf16 U16 S16 U32 S32);
types!(PAIR_RESULTS, DType; HALF => F16x2; HALF_INTEGERS => U32 S32);
types!(BRAIN_PAIR_RESULTS, DType; BRAIN => Bf16x2 U32 S32);
types!(FROM_F32, SType, F32);
types!(FROM_F64, SType, F64);
types!(FROM_F16, SType; HALF => F16);
types!(FROM_BF16, SType; BRAIN => Bf16);
types!(FROM_F16X2, SType; HALF => F16x2);
types!(FROM_BF16X2, SType; BRAIN => Bf16x2);
types!(SET_INTEGERS, SType, B16 B32 B64 U16 U32 U64 S16 S32 S64);
types!(SELECTED, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SELECTED_RESULT, DType, B16 B32 B64 U16 U32 U64 S16 S32 S64 F32 F64);
types!(SIGN_INTEGER, SType, S32);
types!(SIGN_FLOAT, SType, F32);

operands! {
    PREDICATE: "p" Predicate;
    PACKED_RESULT: "d" Slot(SType), "a" Slot(SType), "b" Slot(SType);
    RESULT: "d" Slot(DType), "a" Slot(SType), "b" Slot(SType);
    CHOICE: "d" Slot(DType), "a" Slot(DType), "b" Slot(DType), "c" Slot(SType);
}

/// Instruction forms of comparison and selection.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("setp.cmp.type p{|q}, a, b", [COMPARE_INTEGER, INTEGERS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares a and b. p receives the result, and q the complement of the result.", "comparison-and-selection-instructions-setp";
        accepted_examples: &["setp.eq.s32 p, r, 1;", "setp.ge.u64 p|q, d, d;"], rejected_examples: &[("setp.lo.s32 p, r, r;", "W0130"), ("setp.eq.s32 r, r, r;", "W0109")]),
    form!("setp.cmp.bool.type p{|q}, a, b, {!}c", [COMPARE_INTEGER, BOOL, INTEGERS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares a and b and combines the result with a predicate.", "comparison-and-selection-instructions-setp";
        accepted_examples: &["setp.lt.and.s32 p, r, r, q;", "setp.lt.or.s32 p|q, r, r, !q;"]),
    form!("setp.cmp{.ftz}.type p{|q}, a, b", [COMPARE_FLOAT, SINGLES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares single-precision values. p receives the result, and q the complement of the result.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.gtu.f32 p, f, f;"]),
    form!("setp.cmp.bool{.ftz}.type p{|q}, a, b, {!}c", [COMPARE_FLOAT, BOOL, SINGLES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares single-precision values and combines the result with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.nan.xor.f32 p, f, f, q;"]),
    form!("setp.cmp.type p{|q}, a, b", [COMPARE_FLOAT, DOUBLES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares double-precision values. p receives the result, and q the complement of the result.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.f64 p, g, g;"]),
    form!("setp.cmp.bool.type p{|q}, a, b, {!}c", [COMPARE_FLOAT, BOOL, DOUBLES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares double-precision values and combines the result with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.and.f64 p, g, g, q;"]),
    form!("setp.cmp{.ftz}.type p, a, b", [COMPARE_FLOAT, HALVES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares half-precision values.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.f16 p, h, h;"]),
    form!("setp.cmp.bool{.ftz}.type p, a, b, {!}c", [COMPARE_FLOAT, BOOL, HALVES], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares half-precision values and combines the result with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.and.ftz.f16 p, h, h, q;"]),
    form!("setp.cmp.type p, a, b", [COMPARE_FLOAT, BRAINS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares bfloat16 values.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.bf16 p, h, h;"]),
    form!("setp.cmp.bool.type p, a, b, {!}c", [COMPARE_FLOAT, BOOL, BRAINS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares bfloat16 values and combines the result with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.and.bf16 p, h, h, q;"]),
    form!("setp.cmp{.ftz}.type p{|q}, a, b", [COMPARE_FLOAT, HALF_PAIRS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares packed half-precision values. p receives the result of the low halves, and q the result of the high halves.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.f16x2 p|q, r, r;"]),
    form!("setp.cmp.bool{.ftz}.type p|q, a, b, {!}c", [COMPARE_FLOAT, BOOL, HALF_PAIRS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares packed half-precision values and combines the results with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.and.f16x2 p|q, r, r, q;"]),
    form!("setp.cmp.type p{|q}, a, b", [COMPARE_FLOAT, BRAIN_PAIRS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares packed bfloat16 values. p receives the result of the low halves, and q the result of the high halves.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.bf16x2 p|q, r, r;"]),
    form!("setp.cmp.bool.type p|q, a, b, {!}c", [COMPARE_FLOAT, BOOL, BRAIN_PAIRS], Compare(Setp), destination_operands: &["p"], operand_extensions: &[Sink], types: PREDICATE;
        "Compares packed bfloat16 values and combines the results with a predicate.", "comparison-and-selection-instructions-setp"; accepted_examples: &["setp.lt.and.bf16x2 p|q, r, r, q;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_INTEGER, RESULTS, SET_INTEGERS], Compare(Set), types: RESULT;
        "Compares a and b. If the comparison is true, d is set to all ones (integer types) or 1.0 (floating-point types), otherwise to 0.", "comparison-and-selection-instructions-set";
        accepted_examples: &["set.eq.u32.s32 r, r, r;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_INTEGER, BOOL, RESULTS, SET_INTEGERS], Compare(Set), types: RESULT;
        "Compares a and b and combines the result with a predicate. If the combined result is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set";
        accepted_examples: &["set.eq.and.u32.s32 r, r, r, p;"]),
    form!("set.cmp{.ftz}.dtype.stype d, a, b", [COMPARE_FLOAT, RESULTS, FROM_F32], Compare(Set), types: RESULT;
        "Compares single-precision values. If the comparison is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.f32.f32 f, f, f;"]),
    form!("set.cmp.bool{.ftz}.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, RESULTS, FROM_F32], Compare(Set), types: RESULT;
        "Compares single-precision values and combines the result with a predicate. If the combined result is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.f32.f32 f, f, f, p;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_FLOAT, RESULTS, FROM_F64], Compare(Set), types: RESULT;
        "Compares double-precision values. If the comparison is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.u32.f64 r, g, g;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, RESULTS, FROM_F64], Compare(Set), types: RESULT;
        "Compares double-precision values and combines the result with a predicate. If the combined result is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.u32.f64 r, g, g, p;"]),
    form!("set.cmp{.ftz}.dtype.stype d, a, b", [COMPARE_FLOAT, HALF_RESULTS, FROM_F16], Compare(Set), types: RESULT;
        "Compares half-precision values. If the comparison is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.u16.f16 h, h, h;"]),
    form!("set.cmp.bool{.ftz}.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, HALF_RESULTS, FROM_F16], Compare(Set), types: RESULT;
        "Compares half-precision values and combines the result with a predicate. If the combined result is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.u16.f16 h, h, h, p;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_FLOAT, BRAIN_RESULTS, FROM_BF16], Compare(Set), types: RESULT;
        "Compares bfloat16 values. If the comparison is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.bf16.bf16 h, h, h;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, BRAIN_RESULTS, FROM_BF16], Compare(Set), types: RESULT;
        "Compares bfloat16 values and combines the result with a predicate. If the combined result is true, d is set to all ones or 1.0, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.bf16.bf16 h, h, h, p;"]),
    form!("set.cmp{.ftz}.dtype.stype d, a, b", [COMPARE_FLOAT, PAIR_RESULTS, FROM_F16X2], Compare(Set), types: PACKED_RESULT;
        "Compares packed half-precision values. Each half of d is set to all ones or 1.0 if the comparison of that half is true, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.f16x2.f16x2 r, r, r;"]),
    form!("set.cmp.bool{.ftz}.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, PAIR_RESULTS, FROM_F16X2], Compare(Set), types: PACKED_RESULT;
        "Compares packed half-precision values and combines the results with a predicate. Each half of d is set to all ones or 1.0 if the combined result of that half is true, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.f16x2.f16x2 r, r, r, p;"]),
    form!("set.cmp.dtype.stype d, a, b", [COMPARE_FLOAT, BRAIN_PAIR_RESULTS, FROM_BF16X2], Compare(Set), types: PACKED_RESULT;
        "Compares packed bfloat16 values. Each half of d is set to all ones or 1.0 if the comparison of that half is true, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.u32.bf16x2 r, r, r;"]),
    form!("set.cmp.bool.dtype.stype d, a, b, {!}c", [COMPARE_FLOAT, BOOL, BRAIN_PAIR_RESULTS, FROM_BF16X2], Compare(Set), types: PACKED_RESULT;
        "Compares packed bfloat16 values and combines the results with a predicate. Each half of d is set to all ones or 1.0 if the combined result of that half is true, otherwise to 0.", "comparison-and-selection-instructions-set"; accepted_examples: &["set.lt.or.u32.bf16x2 r, r, r, p;"]),
    form!("selp.type d, a, b, {!}c", [SELECTED], Compare(Selp);
        "Selects a if c is true, otherwise b.", "comparison-and-selection-instructions-selp";
        accepted_examples: &["selp.b32 r, r, 0, p;", "selp.f32 f, f, f, p;"], rejected_examples: &[("selp.b32 r, r, r, r;", "W0109")]),
    form!("slct{.ftz}.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_FLOAT], Compare(Slct), types: CHOICE;
        "Selects a if c is greater than or equal to zero, otherwise b.", "comparison-and-selection-instructions-slct";
        accepted_examples: &["slct.ftz.u32.f32 r, r, r, f;"]),
    form!("slct.dtype.stype d, a, b, c", [SELECTED_RESULT, SIGN_INTEGER], Compare(Slct), types: CHOICE;
        "Selects a if c is greater than or equal to zero, otherwise b.", "comparison-and-selection-instructions-slct";
        accepted_examples: &["slct.f32.s32 f, f, f, r;"]),
];
