//! Integer arithmetic and bit fields (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer
//! Arithmetic Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{B32_ONLY, INTEGERS};
use crate::form::rule::{Rule, RuleKind::*, any, assembler, of};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{
    Flag::{self, Cc},
    MulPart::*,
    OverflowMode::*,
};
use crate::operation::{ArithmeticOp::*, CarryOp};
use crate::target::TargetRequirement::{Family, OneOf};
use crate::types::ScalarType::U32;

/// Targets with SIMD operations on four bytes.
const BYTES: Gate = since(9, 2)
    .on(OneOf(&[Family(107), Family(120)]))
    .assembler("13.5");

types!(PACKED_INTEGERS, Type, U16 U32 U64 S16 S32 S64; since(8, 0).sm(90) => U16x2 S16x2; BYTES => U8x4 S8x4);
types!(SATURATED, Type, S32; BYTES => U32 U16x2 S16x2 U8x4 S8x4);
types!(S32_ONLY, Type, S32);
types!(SIGNED, Type, S16 S32 S64);
types!(NEGATED, Type, S16 S32 S64; BYTES => S8x4);
types!(SUBTRACTED, Type, U16 U32 U64 S16 S32 S64; BYTES => U8x4 S8x4);
types!(SATURATED_DIFFERENCE, Type, S32; BYTES => U8x4 S8x4);
types!(WIDENED, Type, U16 U32 S16 S32);
types!(WORDS, Type, U32 S32);
types!(LONG_WORDS, Type, U32 U64 S32 S64);
types!(BITS, Type, B32 B64);
types!(RELU, Type; since(8, 0).sm(90) => S32 S16x2; BYTES => S8x4);
types!(A_WORDS, AType, U32 S32);
types!(B_WORDS, BType, U32 S32);
/// Gate of 64-bit additions with carry.
const LONG_CARRY: Gate = since(4, 3).sm(20);
types!(CARRY_TYPES, Type, U32 S32; LONG_CARRY => U64 S64);
#[rustfmt::skip]
const CARRIES: &[Rule] = &[
    assembler(CombinationGate { a: any(S::Literal(Cc)), b: of(S::Type, &["u64", "s64"]), gate: LONG_CARRY }, "the carry of 64-bit additions was introduced in PTX 4.3 for `sm_20`"),
];
set! { HALF_PART: Part "part of the product";
    "hi", Part(Hi), ALWAYS, "returns the high half of the product";
    "lo", Part(Lo), ALWAYS, "returns the low half of the product";
}
set! { HIGH_PART: Part "part of the product"; "hi", Part(Hi), ALWAYS, "returns the high half of the product"; }
set! { WIDE_PART: Part "part of the product";
    "wide", Part(Wide), ALWAYS, "returns the full product, which is twice as wide as the factors";
}
set! { WRAP: Mode "mode for out-of-range shift amounts";
    "clamp", Overflow(Clamp), ALWAYS, "clamps shift amounts greater than the operand width to the width";
    "wrap",  Overflow(Wrap),  ALWAYS, "takes shift amounts modulo the operand width";
}
set! { DOT_HALF: Mode "half of b";
    "lo", Part(Lo), ALWAYS, "uses the low two bytes of b";
    "hi", Part(Hi), ALWAYS, "uses the high two bytes of b";
}

operands! {
    WIDE: "d" Wide(Type);
    WIDE_SUM: "d" Wide(Type), "c" Wide(Type);
    COUNT: "d" Bits(32);
    FIELD: "b" Number(UpTo(255)), "c" Number(UpTo(255));
    INSERT: "c" Number(UpTo(255)), "e" Number(UpTo(255));
    LENGTH: "b" Bits(32);
    START_LENGTH: "d" Bits(32), "a" Bits(32), "b" Bits(32);
    DOT: "d" Bits(32), "a" Fixed(U32), "b" Fixed(U32), "c" Bits(32);
}

/// Instruction forms of integer arithmetic.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("add.type d, a, b", [PACKED_INTEGERS], Arithmetic(Add);
        "Adds a and b with wraparound.", "integer-arithmetic-instructions-add";
        accepted_examples: &["add.u32 r, r, 1;", "add.s64 d, d, d;", "add.u16x2 r, r, r;"],
        rejected_examples: &[("add.b32 r, r, r;", "W0104"), ("add.u32 r, r;", "W0108"), ("add.u32 r, r, d;", "W0109")]),
    form!("add.sat.type d, a, b", [SATURATED], Arithmetic(Add);
        "Adds a and b with saturation.", "integer-arithmetic-instructions-add";
        accepted_examples: &["add.sat.s32 r, r, r;", "add.sat.sat.s32 r, r, r;", "add.sat.rank.s32 r, r, r;"], rejected_examples: &[("add.sat.finite.normal.s32 r, r, r;", "W0103")]),
    form!("sub.type d, a, b", [SUBTRACTED], Arithmetic(Sub);
        "Subtracts b from a with wraparound.", "integer-arithmetic-instructions-sub";
        accepted_examples: &["sub.s32 r, r, -1;"], rejected_examples: &[("sub.s16x2 r, r, r;", "W0104")]),
    form!("sub.sat.type d, a, b", [SATURATED_DIFFERENCE], Arithmetic(Sub);
        "Subtracts b from a with saturation.", "integer-arithmetic-instructions-sub";
        accepted_examples: &["sub.sat.s32 r, r, r;"]),
    form!("mul.part.type d, a, b", [HALF_PART, INTEGERS], Arithmetic(Mul), n_name_modifiers: 1;
        "Multiplies a and b and returns the low or high half of the product.", "integer-arithmetic-instructions-mul";
        accepted_examples: &["mul.lo.s32 r, r, r;", "mul.hi.u64 d, d, d;"], rejected_examples: &[("mul.s32 r, r, r;", "W0105")]),
    form!("mul.part.type d, a, b", [WIDE_PART, WIDENED], Arithmetic(Mul), n_name_modifiers: 1, types: WIDE;
        "Multiplies a and b and returns the full product of twice the width.", "integer-arithmetic-instructions-mul";
        accepted_examples: &["mul.wide.s32 d, r, 4;"], rejected_examples: &[("mul.wide.s32 r, r, r;", "W0109")]),
    form!("mad.part.type d, a, b, c", [HALF_PART, INTEGERS], Arithmetic(Mad), n_name_modifiers: 1;
        "Multiplies a and b and adds c to the low or high half of the product.", "integer-arithmetic-instructions-mad";
        accepted_examples: &["mad.lo.s32 r, r, r, r;"]),
    form!("mad.part.type d, a, b, c", [WIDE_PART, WIDENED], Arithmetic(Mad), n_name_modifiers: 1, types: WIDE_SUM;
        "Multiplies a and b and adds c to the full product of twice the width.", "integer-arithmetic-instructions-mad";
        accepted_examples: &["mad.wide.u32 d, r, r, d;"]),
    form!("mad.part.sat.type d, a, b, c", [HIGH_PART, S32_ONLY], Arithmetic(Mad), n_name_modifiers: 1;
        "Multiplies a and b and adds c to the high half of the product with saturation.", "integer-arithmetic-instructions-mad";
        accepted_examples: &["mad.hi.sat.s32 r, r, r, r;"], rejected_examples: &[("mad.lo.sat.s32 r, r, r, r;", "W0102")]),
    form!("mul24.part.type d, a, b", [HALF_PART, WORDS], Arithmetic(Mul24), n_name_modifiers: 1;
        "Multiplies 24-bit values and returns the low or high 32 bits of the 48-bit product.", "integer-arithmetic-instructions-mul24";
        accepted_examples: &["mul24.lo.u32 r, r, r;"]),
    form!("mad24.part.type d, a, b, c", [HALF_PART, WORDS], Arithmetic(Mad24), n_name_modifiers: 1;
        "Multiplies 24-bit values and adds c to the low or high 32 bits of the 48-bit product.", "integer-arithmetic-instructions-mad24";
        accepted_examples: &["mad24.lo.s32 r, r, r, r;"]),
    form!("mad24.part.sat.type d, a, b, c", [HIGH_PART, S32_ONLY], Arithmetic(Mad24), n_name_modifiers: 1;
        "Multiplies 24-bit values and adds c to the high 32 bits of the 48-bit product with saturation.", "integer-arithmetic-instructions-mad24";
        accepted_examples: &["mad24.hi.sat.s32 r, r, r, r;"]),
    form!("sad.type d, a, b, c", [INTEGERS], Arithmetic(Sad);
        "Computes the sum of c and the absolute difference of a and b.", "integer-arithmetic-instructions-sad";
        accepted_examples: &["sad.u32 r, r, r, r;"]),
    form!("div.type d, a, b", [INTEGERS], Arithmetic(Div);
        "Divides a by b with truncation.", "integer-arithmetic-instructions-div";
        accepted_examples: &["div.s32 r, r, r;"]),
    form!("rem.type d, a, b", [INTEGERS], Arithmetic(Rem);
        "Computes the remainder of a divided by b. The result has the sign of a.", "integer-arithmetic-instructions-rem";
        accepted_examples: &["rem.u64 d, d, d;"]),
    form!("abs.type d, a", [SIGNED], Arithmetic(Abs);
        "Computes the absolute value of a.", "integer-arithmetic-instructions-abs";
        accepted_examples: &["abs.s32 r, r;"], rejected_examples: &[("abs.u32 r, r;", "W0104")]),
    form!("neg.type d, a", [NEGATED], Arithmetic(Neg);
        "Negates the value of a.", "integer-arithmetic-instructions-neg";
        accepted_examples: &["neg.s16 h, h;"]),
    form!("min.type d, a, b", [PACKED_INTEGERS], Arithmetic(Min);
        "Computes the minimum of a and b.", "integer-arithmetic-instructions-min";
        accepted_examples: &["min.u32 r, r, r;"]),
    form!("min.relu.type d, a, b", [RELU], Arithmetic(Min);
        "Computes the minimum of a and b and clamps negative results to zero.", "integer-arithmetic-instructions-min";
        accepted_examples: &["min.relu.s32 r, r, r;"]),
    form!("max.type d, a, b", [PACKED_INTEGERS], Arithmetic(Max);
        "Computes the maximum of a and b.", "integer-arithmetic-instructions-max";
        accepted_examples: &["max.s64 d, d, d;"]),
    form!("max.relu.type d, a, b", [RELU], Arithmetic(Max);
        "Computes the maximum of a and b and clamps negative results to zero.", "integer-arithmetic-instructions-max";
        accepted_examples: &["max.relu.s16x2 r, r, r;"]),
    form!("popc.type d, a", [BITS], Arithmetic(Popc), gate: since(2, 0).sm(20), types: COUNT;
        "Counts the set bits of a.", "integer-arithmetic-instructions-popc";
        accepted_examples: &["popc.b64 r, d;"]),
    form!("clz.type d, a", [BITS], Arithmetic(Clz), gate: since(2, 0).sm(20), types: COUNT;
        "Counts the leading zero bits of a.", "integer-arithmetic-instructions-clz";
        accepted_examples: &["clz.b32 r, r;"]),
    form!("bfind{.shiftamt}.type d, a", [LONG_WORDS], Arithmetic(Bfind), gate: since(2, 0).sm(20), types: COUNT, repeatable: &[Flag::ShiftAmount];
        "Finds the position of the most significant non-sign bit of a.", "integer-arithmetic-instructions-bfind";
        accepted_examples: &["bfind.u64 r, d;", "bfind.shiftamt.s32 r, r;"]),
    form!("fns.type d, mask, base, offset", [B32_ONLY], Arithmetic(Fns), gate: since(6, 0).sm(30);
        "Finds the n-th set bit of a mask.", "integer-arithmetic-instructions-fns";
        accepted_examples: &["fns.b32 r, r, r, r;"]),
    form!("brev.type d, a", [BITS], Arithmetic(Brev), gate: since(2, 0).sm(20);
        "Reverses the order of the bits of a.", "integer-arithmetic-instructions-brev";
        accepted_examples: &["brev.b32 r, r;"]),
    form!("bfe.type d, a, b, c", [LONG_WORDS], Arithmetic(Bfe), gate: since(2, 0).sm(20), types: FIELD;
        "Extracts the bit field of a with position b and length c, and sign-extends or zero-extends the field.", "integer-arithmetic-instructions-bfe";
        accepted_examples: &["bfe.u32 r, r, 8, 8;"], rejected_examples: &[("bfe.u32 r, r, 256, 8;", "W0144")]),
    form!("bfi.type d, a, b, c, e", [BITS], Arithmetic(Bfi), gate: since(2, 0).sm(20), types: INSERT;
        "Inserts the low bits of a into b as a bit field at position c.", "integer-arithmetic-instructions-bfi";
        accepted_examples: &["bfi.b64 d, d, d, 8, 8;"]),
    form!("szext.mode.type d, a, b", [WRAP, WORDS], Arithmetic(Szext), gate: since(7, 6).sm(70), types: LENGTH;
        "Sign-extends or zero-extends the value in the low b bits of a.", "integer-arithmetic-instructions-szext";
        accepted_examples: &["szext.clamp.s32 r, r, 8;"]),
    form!("bmsk.mode.type d, a, b", [WRAP, B32_ONLY], Arithmetic(Bmsk), gate: since(7, 6).sm(70), types: START_LENGTH;
        "Creates a bit mask with b consecutive ones, starting at bit position a.", "integer-arithmetic-instructions-bmsk";
        accepted_examples: &["bmsk.wrap.b32 r, 3, 4;"]),
    form!("dp4a.atype.btype d, a, b, c", [A_WORDS, B_WORDS], Arithmetic(Dp4a), gate: since(5, 0).sm(61), types: DOT;
        "Computes the four-way dot product of the bytes of a and b, and adds c.", "integer-arithmetic-instructions-dp4a";
        accepted_examples: &["dp4a.u32.s32 r, r, r, r;"]),
    form!("dp2a.mode.atype.btype d, a, b, c", [DOT_HALF, A_WORDS, B_WORDS], Arithmetic(Dp2a), gate: since(5, 0).sm(61), n_name_modifiers: 1, types: DOT;
        "Computes the two-way dot product of the 16-bit values of a and two bytes of b, and adds c.", "integer-arithmetic-instructions-dp2a";
        accepted_examples: &["dp2a.lo.u32.u32 r, r, r, r;"]),
    form!("add.cc.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Add);
        "Adds a and b and writes the carry-out to the condition code register.", "extended-precision-arithmetic-instructions-add-cc";
        accepted_examples: &["add.cc.u32 r, r, r;"]),
    form!("addc{.cc}.type d, a, b", [LONG_WORDS], Carry(CarryOp::Addc), rules: CARRIES;
        "Adds a, b and the carry-in.", "extended-precision-arithmetic-instructions-addc";
        accepted_examples: &["addc.u32 r, r, r;", "addc.cc.u64 d, d, d;"]),
    form!("sub.cc.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Sub);
        "Subtracts b from a and writes the borrow-out to the condition code register.", "extended-precision-arithmetic-instructions-sub-cc";
        accepted_examples: &["sub.cc.u32 r, r, r;"]),
    form!("subc{.cc}.type d, a, b", [LONG_WORDS], Carry(CarryOp::Subc), rules: CARRIES;
        "Subtracts b and the borrow-in from a.", "extended-precision-arithmetic-instructions-subc";
        accepted_examples: &["subc.u32 r, r, r;"]),
    form!("mad.part.cc.type d, a, b, c", [HALF_PART, CARRY_TYPES], Carry(CarryOp::Mad), gate: since(3, 0).sm(20), n_name_modifiers: 1;
        "Multiplies a and b, adds c, and writes the carry-out to the condition code register.", "extended-precision-arithmetic-instructions-mad-cc";
        accepted_examples: &["mad.lo.cc.u32 r, r, r, r;"]),
    form!("madc.part{.cc}.type d, a, b, c", [HALF_PART, LONG_WORDS], Carry(CarryOp::Madc), rules: CARRIES, gate: since(3, 0).sm(20), n_name_modifiers: 1;
        "Multiplies a and b, and adds c and the carry-in.", "extended-precision-arithmetic-instructions-madc";
        accepted_examples: &["madc.hi.u32 r, r, r, r;"]),
];
