//! Logic and shifts (PTX ISA, "Logic and Shift Instructions").

use super::sets::{B32_ONLY, PRED_ONLY};
use super::table::{ALWAYS, form, operands, set, since, types};
use crate::does::ArithmeticOp::*;
use crate::form::Form;
use crate::modifier::{BoolOp, OverflowMode::*};

types!(BITS, Type, B16 B32 B64);
types!(SHIFTED, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64);
set! { COMBINED: Bool "combination with a predicate";
    "and", Bool(BoolOp::And), ALWAYS, "whether the result is not zero, and q";
    "or",  Bool(BoolOp::Or),  ALWAYS, "whether the result is not zero, or q";
}
set! { SHIFT_MODE: Mode "mode for large amounts";
    "clamp", Overflow(Clamp), ALWAYS, "amounts beyond 32 count as 32";
    "wrap",  Overflow(Wrap),  ALWAYS, "amounts count modulo 32";
}

operands! {
    PREDICATE: "d" Predicate;
    AMOUNT: "b" Bits(32);
    FUNNEL: "c" Bits(32);
    TABLE: "immLut" Literal(32);
}

/// The forms of logic and shifts.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("and.type d, a, b", [BITS], Arithmetic(And);
        "Computes the bitwise and of a and b.", "logic-and-shift-instructions-and";
        good: &["and.b32 r, r, 31;"], bad: &[("and.u32 r, r, r;", "W0104")]),
    form!("and.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(And), takes: &[Halves], types: PREDICATE;
        "Computes whether a and b are both true.", "logic-and-shift-instructions-and";
        good: &["and.pred p, p, q;", "and.pred p, !p, q;"]),
    form!("or.type d, a, b", [BITS], Arithmetic(Or);
        "Computes the bitwise or of a and b.", "logic-and-shift-instructions-or";
        good: &["or.b64 d, d, d;"]),
    form!("or.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(Or), takes: &[Halves], types: PREDICATE;
        "Computes whether a or b is true.", "logic-and-shift-instructions-or";
        good: &["or.pred p, p, q;"]),
    form!("xor.type d, a, b", [BITS], Arithmetic(Xor);
        "Computes the bitwise exclusive or of a and b.", "logic-and-shift-instructions-xor";
        good: &["xor.b16 h, h, h;"]),
    form!("xor.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(Xor), takes: &[Halves], types: PREDICATE;
        "Computes whether exactly one of a and b is true.", "logic-and-shift-instructions-xor";
        good: &["xor.pred p, p, q;"]),
    form!("not.type d, a", [BITS], Arithmetic(Not);
        "Inverts every bit.", "logic-and-shift-instructions-not";
        good: &["not.b32 r, r;"]),
    form!("not.type d, {!}a", [PRED_ONLY], Arithmetic(Not), takes: &[Halves], types: PREDICATE;
        "Negates a predicate.", "logic-and-shift-instructions-not";
        good: &["not.pred p, q;"]),
    form!("cnot.type d, a", [BITS], Arithmetic(Cnot);
        "Computes 1 where a is zero, else 0.", "logic-and-shift-instructions-cnot";
        good: &["cnot.b32 r, r;"]),
    form!("lop3.type d, a, b, c, immLut", [B32_ONLY], Arithmetic(Lop3), gate: since(4, 3).sm(50), types: TABLE;
        "Computes any function of three bits, given as a truth table.", "logic-and-shift-instructions-lop3";
        good: &["lop3.b32 r, r, r, r, 0x96;"], bad: &[("lop3.b32 r, r, r, r, r;", "W0110")]),
    form!("lop3.bool.type d|p, a, b, c, immLut, {!}q", [COMBINED, B32_ONLY], Arithmetic(Lop3), gate: since(8, 2).sm(70), takes: &[Sink], types: TABLE;
        "Computes `lop3`, and whether the result, combined with q, is not zero.", "logic-and-shift-instructions-lop3";
        good: &["lop3.or.b32 r|p, r, r, r, 0x96, q;"], bad: &[("lop3.xor.b32 r|p, r, r, r, 0x96, q;", "W0102")]),
    form!("shf.l.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(Shf), gate: since(3, 1).sm(32), leads: 1, types: FUNNEL;
        "Shifts b and a left as one 64-bit value and keeps the top.", "logic-and-shift-instructions-shf";
        good: &["shf.l.wrap.b32 r, r, r, 5;"]),
    form!("shf.r.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(Shf), gate: since(3, 1).sm(32), leads: 1, types: FUNNEL;
        "Shifts b and a right as one 64-bit value and keeps the bottom.", "logic-and-shift-instructions-shf";
        good: &["shf.r.clamp.b32 r, r, r, 5;"]),
    form!("shl.type d, a, b", [BITS], Arithmetic(Shl), types: AMOUNT;
        "Shifts left; amounts beyond the width give zero.", "logic-and-shift-instructions-shl";
        good: &["shl.b64 d, d, 3;"], bad: &[("shl.b64 d, d, d;", "W0109")]),
    form!("shr.type d, a, b", [SHIFTED], Arithmetic(Shr), types: AMOUNT;
        "Shifts right, filling with the sign of signed types.", "logic-and-shift-instructions-shr";
        good: &["shr.s32 r, r, 31;", "shr.u64 d, d, r;"]),
];
