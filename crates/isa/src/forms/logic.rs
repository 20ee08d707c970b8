//! Logic and shifts (PTX ISA, "Logic and Shift Instructions").

use super::sets::{B32_ONLY, BOOL, PRED_ONLY, form, plain, set, types};
use crate::does::ArithmeticOp;
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::OverflowMode;

types!(BITS, "type", B16 B32 B64);
types!(SHIFTED, "type", B16 B32 B64 U16 U32 U64 S16 S32 S64);
set!(
    SHIFT_MODE,
    "mode",
    "mode for large amounts",
    [
        plain(
            "clamp",
            Meaning::Overflow(OverflowMode::Clamp),
            "amounts beyond 32 count as 32"
        ),
        plain(
            "wrap",
            Meaning::Overflow(OverflowMode::Wrap),
            "amounts count modulo 32"
        ),
    ]
);

const PREDICATE: &[(&str, OperandType)] = &[("d", OperandType::Predicate)];
const AMOUNT: &[(&str, OperandType)] = &[("b", OperandType::Bits(32))];
const FUNNEL: &[(&str, OperandType)] = &[("c", OperandType::Bits(32))];
const TABLE: &[(&str, OperandType)] = &[("immLut", OperandType::Bits(32))];

/// The forms of logic and shifts.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("and.type d, a, b", [BITS], Arithmetic(ArithmeticOp::And), "Bits set in a and in b.", "logic-and-shift-instructions-and", good: &["and.b32 r, r, 31;"], bad: &[("and.u32 r, r, r;", "W0104")]),
    form!("and.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(ArithmeticOp::And), "Whether a and b hold.", "logic-and-shift-instructions-and", types: PREDICATE, good: &["and.pred p, p, q;", "and.pred p, !p, q;"]),
    form!("or.type d, a, b", [BITS], Arithmetic(ArithmeticOp::Or), "Bits set in a or in b.", "logic-and-shift-instructions-or", good: &["or.b64 d, d, d;"]),
    form!("or.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(ArithmeticOp::Or), "Whether a or b holds.", "logic-and-shift-instructions-or", types: PREDICATE, good: &["or.pred p, p, q;"]),
    form!("xor.type d, a, b", [BITS], Arithmetic(ArithmeticOp::Xor), "Bits set in one of a and b.", "logic-and-shift-instructions-xor", good: &["xor.b16 h, h, h;"]),
    form!("xor.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(ArithmeticOp::Xor), "Whether one of a and b holds.", "logic-and-shift-instructions-xor", types: PREDICATE, good: &["xor.pred p, p, q;"]),
    form!("not.type d, a", [BITS], Arithmetic(ArithmeticOp::Not), "Every bit turned.", "logic-and-shift-instructions-not", good: &["not.b32 r, r;"]),
    form!("not.type d, {!}a", [PRED_ONLY], Arithmetic(ArithmeticOp::Not), "Whether a does not hold.", "logic-and-shift-instructions-not", types: PREDICATE, good: &["not.pred p, q;"]),
    form!("cnot.type d, a", [BITS], Arithmetic(ArithmeticOp::Cnot), "1 where a is zero, else 0.", "logic-and-shift-instructions-cnot", good: &["cnot.b32 r, r;"]),
    form!("lop3.type d, a, b, c, immLut", [B32_ONLY], Arithmetic(ArithmeticOp::Lop3), "Any function of three bits, given as a truth table.", "logic-and-shift-instructions-lop3", types: TABLE, gate: Gate::ptx(4, 3).sm(50),
        good: &["lop3.b32 r, r, r, r, 0x96;"], bad: &[("lop3.b32 r, r, r, r, r;", "W0110")]),
    form!("lop3.bool.type d|p, a, b, c, immLut, {!}q", [BOOL, B32_ONLY], Arithmetic(ArithmeticOp::Lop3), "As `lop3`, and whether the result, combined with q, is not zero.", "logic-and-shift-instructions-lop3", types: TABLE, gate: Gate::ptx(8, 2).sm(70), good: &["lop3.or.b32 r|p, r, r, r, 0x96, q;"]),
    form!("shf.l.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(ArithmeticOp::Shf), "Shifts b and a as one 64-bit value left, keeps the top.", "logic-and-shift-instructions-shf", types: FUNNEL, gate: Gate::ptx(3, 1).sm(32), good: &["shf.l.wrap.b32 r, r, r, 5;"]),
    form!("shf.r.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(ArithmeticOp::Shf), "Shifts b and a as one 64-bit value right, keeps the bottom.", "logic-and-shift-instructions-shf", types: FUNNEL, gate: Gate::ptx(3, 1).sm(32), good: &["shf.r.clamp.b32 r, r, r, 5;"]),
    form!("shl.type d, a, b", [BITS], Arithmetic(ArithmeticOp::Shl), "Shifts left; amounts beyond the width give zero.", "logic-and-shift-instructions-shl", types: AMOUNT, good: &["shl.b64 d, d, 3;"], bad: &[("shl.b64 d, d, d;", "W0109")]),
    form!("shr.type d, a, b", [SHIFTED], Arithmetic(ArithmeticOp::Shr), "Shifts right, filling with the sign of signed types.", "logic-and-shift-instructions-shr", types: AMOUNT, good: &["shr.s32 r, r, 31;", "shr.u64 d, d, r;"]),
];
