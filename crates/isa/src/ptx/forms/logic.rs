//! Logic and shifts (PTX ISA, "Logic and Shift Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{B32_ONLY, PRED_ONLY};
use crate::form::Form;
use crate::modifier::{BoolOp, OverflowMode::*};
use crate::operation::ArithmeticOp::*;

types!(BITS, Type, B16 B32 B64);
types!(SHIFTED, Type, B16 B32 B64 U16 U32 U64 S16 S32 S64);
set! { COMBINED: Bool "combination with a predicate";
    "and", Bool(BoolOp::And), ALWAYS, "true if the result is nonzero and q is true";
    "or",  Bool(BoolOp::Or),  ALWAYS, "true if the result is nonzero or q is true";
}
set! { SHIFT_MODE: Mode "mode for out-of-range shift amounts";
    "clamp", Overflow(Clamp), ALWAYS, "clamps shift amounts greater than 32 to 32";
    "wrap",  Overflow(Wrap),  ALWAYS, "takes shift amounts modulo 32";
}

operands! {
    PREDICATE: "d" Predicate;
    AMOUNT: "b" Bits(32);
    FUNNEL: "c" Bits(32);
    TABLE: "immLut" Literal(32);
}

/// Instruction forms of logic and shifts.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("and.type d, a, b", [BITS], Arithmetic(And);
        "Computes the bitwise AND of a and b.", "logic-and-shift-instructions-and";
        accepted_examples: &["and.b32 r, r, 31;"], rejected_examples: &[("and.u32 r, r, r;", "W0104")]),
    form!("and.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(And), operand_extensions: &[Halves], types: PREDICATE;
        "Computes the logical AND of a and b.", "logic-and-shift-instructions-and";
        accepted_examples: &["and.pred p, p, q;", "and.pred p, !p, q;"]),
    form!("or.type d, a, b", [BITS], Arithmetic(Or);
        "Computes the bitwise OR of a and b.", "logic-and-shift-instructions-or";
        accepted_examples: &["or.b64 d, d, d;"]),
    form!("or.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(Or), operand_extensions: &[Halves], types: PREDICATE;
        "Computes the logical OR of a and b.", "logic-and-shift-instructions-or";
        accepted_examples: &["or.pred p, p, q;"]),
    form!("xor.type d, a, b", [BITS], Arithmetic(Xor);
        "Computes the bitwise XOR of a and b.", "logic-and-shift-instructions-xor";
        accepted_examples: &["xor.b16 h, h, h;"]),
    form!("xor.type d, {!}a, {!}b", [PRED_ONLY], Arithmetic(Xor), operand_extensions: &[Halves], types: PREDICATE;
        "Computes the logical XOR of a and b.", "logic-and-shift-instructions-xor";
        accepted_examples: &["xor.pred p, p, q;"]),
    form!("not.type d, a", [BITS], Arithmetic(Not);
        "Inverts all bits of a.", "logic-and-shift-instructions-not";
        accepted_examples: &["not.b32 r, r;"]),
    form!("not.type d, {!}a", [PRED_ONLY], Arithmetic(Not), operand_extensions: &[Halves], types: PREDICATE;
        "Computes the logical negation of predicate a.", "logic-and-shift-instructions-not";
        accepted_examples: &["not.pred p, q;"]),
    form!("cnot.type d, a", [BITS], Arithmetic(Cnot);
        "Computes the logical negation of C, which is 1 if a is zero and 0 otherwise.", "logic-and-shift-instructions-cnot";
        accepted_examples: &["cnot.b32 r, r;"]),
    form!("lop3.type d, a, b, c, immLut", [B32_ONLY], Arithmetic(Lop3), gate: since(4, 3).sm(50), types: TABLE;
        "Computes an arbitrary bitwise function of three operands, which is specified by a truth table.", "logic-and-shift-instructions-lop3";
        accepted_examples: &["lop3.b32 r, r, r, r, 0x96;"], rejected_examples: &[("lop3.b32 r, r, r, r, r;", "W0110")]),
    form!("lop3.bool.type d|p, a, b, c, immLut, {!}q", [COMBINED, B32_ONLY], Arithmetic(Lop3), gate: since(8, 2).sm(70), operand_extensions: &[Sink], types: TABLE;
        "Performs the operation of `lop3`, tests whether the result is nonzero, and combines the test with predicate q.", "logic-and-shift-instructions-lop3";
        accepted_examples: &["lop3.or.b32 r|p, r, r, r, 0x96, q;"], rejected_examples: &[("lop3.xor.b32 r|p, r, r, r, 0x96, q;", "W0102")]),
    form!("shf.l.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(Shf), gate: since(3, 1).sm(32), n_name_modifiers: 1, types: FUNNEL;
        "Shifts the 64-bit value formed by b and a left and returns the high 32 bits.", "logic-and-shift-instructions-shf";
        accepted_examples: &["shf.l.wrap.b32 r, r, r, 5;"]),
    form!("shf.r.mode.type d, a, b, c", [SHIFT_MODE, B32_ONLY], Arithmetic(Shf), gate: since(3, 1).sm(32), n_name_modifiers: 1, types: FUNNEL;
        "Shifts the 64-bit value formed by b and a right and returns the low 32 bits.", "logic-and-shift-instructions-shf";
        accepted_examples: &["shf.r.clamp.b32 r, r, r, 5;"]),
    form!("shl.type d, a, b", [BITS], Arithmetic(Shl), types: AMOUNT;
        "Shifts a left. The result is zero for shift amounts greater than the operand width.", "logic-and-shift-instructions-shl";
        accepted_examples: &["shl.b64 d, d, 3;"], rejected_examples: &[("shl.b64 d, d, d;", "W0109")]),
    form!("shr.type d, a, b", [SHIFTED], Arithmetic(Shr), types: AMOUNT;
        "Shifts a right, arithmetically for signed types and logically for other types.", "logic-and-shift-instructions-shr";
        accepted_examples: &["shr.s32 r, r, 31;", "shr.u64 d, d, r;"]),
];
