//! Integer arithmetic and bit fields (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer
//! Arithmetic Instructions").

use super::sets::{B32_ONLY, INTEGERS, form, plain, set, ty, ty_from, types, types_from};
use crate::does::{ArithmeticOp, CarryOp};
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::{MulPart, OverflowMode};
use crate::types::ScalarType;

set!(
    PACKED_INTEGERS,
    "type",
    "type",
    [
        ty(ScalarType::U16),
        ty(ScalarType::U32),
        ty(ScalarType::U64),
        ty(ScalarType::S16),
        ty(ScalarType::S32),
        ty(ScalarType::S64),
        ty_from(ScalarType::U16x2, Gate::ptx(8, 0).sm(90)),
        ty_from(ScalarType::S16x2, Gate::ptx(8, 0).sm(90)),
    ]
);
types!(S32_ONLY, "type", S32);
types!(SIGNED, "type", S16 S32 S64);
types!(WIDENED, "type", U16 U32 S16 S32);
types!(WORDS, "type", U32 S32);
types!(LONG_WORDS, "type", U32 U64 S32 S64);
types!(BITS, "type", B32 B64);
types_from!(RELU, "type", Gate::ptx(8, 0).sm(90), S32 S16x2);
types!(A_WORDS, "atype", U32 S32);
types!(B_WORDS, "btype", U32 S32);
set!(
    CARRY_TYPES,
    "type",
    "type",
    [
        ty(ScalarType::U32),
        ty(ScalarType::S32),
        ty_from(ScalarType::U64, Gate::ptx(4, 3)),
        ty_from(ScalarType::S64, Gate::ptx(4, 3)),
    ]
);
set!(
    HALF_PART,
    "part",
    "part of the product",
    [
        plain(
            "hi",
            Meaning::Part(MulPart::Hi),
            "the high half of the product"
        ),
        plain(
            "lo",
            Meaning::Part(MulPart::Lo),
            "the low half of the product"
        ),
    ]
);
set!(
    WIDE_PART,
    "part",
    "part of the product",
    [plain(
        "wide",
        Meaning::Part(MulPart::Wide),
        "the whole product, twice as wide"
    ),]
);
set!(
    WRAP,
    "mode",
    "mode for large amounts",
    [
        plain(
            "clamp",
            Meaning::Overflow(OverflowMode::Clamp),
            "amounts beyond the width count as the width"
        ),
        plain(
            "wrap",
            Meaning::Overflow(OverflowMode::Wrap),
            "amounts count modulo the width"
        ),
    ]
);
set!(
    DOT_HALF,
    "mode",
    "half of b",
    [
        plain("lo", Meaning::Part(MulPart::Lo), "the low two bytes of b"),
        plain("hi", Meaning::Part(MulPart::Hi), "the high two bytes of b"),
    ]
);

const WIDE: &[(&str, OperandType)] = &[("d", OperandType::Wide("type"))];
const WIDE_SUM: &[(&str, OperandType)] = &[
    ("d", OperandType::Wide("type")),
    ("c", OperandType::Wide("type")),
];
const COUNT: &[(&str, OperandType)] = &[("d", OperandType::Bits(32))];
const FIELD: &[(&str, OperandType)] = &[("b", OperandType::Bits(32)), ("c", OperandType::Bits(32))];
const INSERT: &[(&str, OperandType)] =
    &[("c", OperandType::Bits(32)), ("e", OperandType::Bits(32))];
const DOT: &[(&str, OperandType)] = &[
    ("d", OperandType::Bits(32)),
    ("a", OperandType::Bits(32)),
    ("b", OperandType::Bits(32)),
    ("c", OperandType::Bits(32)),
];

/// The forms of integer arithmetic.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("add.type d, a, b", [PACKED_INTEGERS], Arithmetic(ArithmeticOp::Add), "Adds; overflow wraps.", "integer-arithmetic-instructions-add",
        good: &["add.u32 r, r, 1;", "add.s64 d, d, d;", "add.u16x2 r, r, r;"], bad: &[("add.b32 r, r, r;", "W0104"), ("add.u32 r, r;", "W0108"), ("add.u32 r, r, d;", "W0109")]),
    form!("add.sat.type d, a, b", [S32_ONLY], Arithmetic(ArithmeticOp::Add), "Adds and clamps to the range of the type.", "integer-arithmetic-instructions-add",
        good: &["add.sat.s32 r, r, r;"], bad: &[("add.sat.sat.s32 r, r, r;", "W0103")]),
    form!("sub.type d, a, b", [PACKED_INTEGERS], Arithmetic(ArithmeticOp::Sub), "Subtracts b from a; overflow wraps.", "integer-arithmetic-instructions-sub", good: &["sub.s32 r, r, -1;"]),
    form!("sub.sat.type d, a, b", [S32_ONLY], Arithmetic(ArithmeticOp::Sub), "Subtracts and clamps to the range of the type.", "integer-arithmetic-instructions-sub", good: &["sub.sat.s32 r, r, r;"]),
    form!("mul.part.type d, a, b", [HALF_PART, INTEGERS], Arithmetic(ArithmeticOp::Mul), "Multiplies and keeps one half of the product.", "integer-arithmetic-instructions-mul",
        good: &["mul.lo.s32 r, r, r;", "mul.hi.u64 d, d, d;"], bad: &[("mul.s32 r, r, r;", "W0105")]),
    form!("mul.part.type d, a, b", [WIDE_PART, WIDENED], Arithmetic(ArithmeticOp::Mul), "Multiplies into a register of twice the width.", "integer-arithmetic-instructions-mul", types: WIDE,
        good: &["mul.wide.s32 d, r, 4;"], bad: &[("mul.wide.s32 r, r, r;", "W0109")]),
    form!("mad.part.type d, a, b, c", [HALF_PART, INTEGERS], Arithmetic(ArithmeticOp::Mad), "Multiplies, keeps one half of the product, adds c.", "integer-arithmetic-instructions-mad", good: &["mad.lo.s32 r, r, r, r;"]),
    form!("mad.part.type d, a, b, c", [WIDE_PART, WIDENED], Arithmetic(ArithmeticOp::Mad), "Multiplies at twice the width and adds c.", "integer-arithmetic-instructions-mad", types: WIDE_SUM, good: &["mad.wide.u32 d, r, r, d;"]),
    form!("mad.part.sat.type d, a, b, c", [HALF_PART, S32_ONLY], Arithmetic(ArithmeticOp::Mad), "As `mad.hi`, clamped to the range of the type.", "integer-arithmetic-instructions-mad", good: &["mad.hi.sat.s32 r, r, r, r;"]),
    form!("mul24.part.type d, a, b", [HALF_PART, WORDS], Arithmetic(ArithmeticOp::Mul24), "Multiplies the low 24 bits of a and b.", "integer-arithmetic-instructions-mul24", good: &["mul24.lo.u32 r, r, r;"]),
    form!("mad24.part.type d, a, b, c", [HALF_PART, WORDS], Arithmetic(ArithmeticOp::Mad24), "Multiplies the low 24 bits of a and b, adds c.", "integer-arithmetic-instructions-mad24", good: &["mad24.lo.s32 r, r, r, r;"]),
    form!("mad24.part.sat.type d, a, b, c", [HALF_PART, S32_ONLY], Arithmetic(ArithmeticOp::Mad24), "As `mad24.hi`, clamped to the range of the type.", "integer-arithmetic-instructions-mad24", good: &["mad24.hi.sat.s32 r, r, r, r;"]),
    form!("sad.type d, a, b, c", [INTEGERS], Arithmetic(ArithmeticOp::Sad), "Adds the absolute difference of a and b to c.", "integer-arithmetic-instructions-sad", good: &["sad.u32 r, r, r, r;"]),
    form!("div.type d, a, b", [INTEGERS], Arithmetic(ArithmeticOp::Div), "Divides a by b, towards zero.", "integer-arithmetic-instructions-div", good: &["div.s32 r, r, r;"]),
    form!("rem.type d, a, b", [INTEGERS], Arithmetic(ArithmeticOp::Rem), "Remainder of a divided by b, with the sign of a.", "integer-arithmetic-instructions-rem", good: &["rem.u64 d, d, d;"]),
    form!("abs.type d, a", [SIGNED], Arithmetic(ArithmeticOp::Abs), "Absolute value.", "integer-arithmetic-instructions-abs", good: &["abs.s32 r, r;"], bad: &[("abs.u32 r, r;", "W0104")]),
    form!("neg.type d, a", [SIGNED], Arithmetic(ArithmeticOp::Neg), "Negative value.", "integer-arithmetic-instructions-neg", good: &["neg.s16 h, h;"]),
    form!("min.type d, a, b", [PACKED_INTEGERS], Arithmetic(ArithmeticOp::Min), "The smaller of a and b.", "integer-arithmetic-instructions-min", good: &["min.u32 r, r, r;"]),
    form!("min.relu.type d, a, b", [RELU], Arithmetic(ArithmeticOp::Min), "The smaller of a and b, not below zero.", "integer-arithmetic-instructions-min", good: &["min.relu.s32 r, r, r;"]),
    form!("max.type d, a, b", [PACKED_INTEGERS], Arithmetic(ArithmeticOp::Max), "The larger of a and b.", "integer-arithmetic-instructions-max", good: &["max.s64 d, d, d;"]),
    form!("max.relu.type d, a, b", [RELU], Arithmetic(ArithmeticOp::Max), "The larger of a, b and zero.", "integer-arithmetic-instructions-max", good: &["max.relu.s16x2 r, r, r;"]),
    form!("popc.type d, a", [BITS], Arithmetic(ArithmeticOp::Popc), "Number of bits that are set.", "integer-arithmetic-instructions-popc", types: COUNT, gate: Gate::ptx(2, 0).sm(20), good: &["popc.b64 r, d;"]),
    form!("clz.type d, a", [BITS], Arithmetic(ArithmeticOp::Clz), "Number of zero bits from the top.", "integer-arithmetic-instructions-clz", types: COUNT, gate: Gate::ptx(2, 0).sm(20), good: &["clz.b32 r, r;"]),
    form!("bfind{.shiftamt}.type d, a", [LONG_WORDS], Arithmetic(ArithmeticOp::Bfind), "Position of the highest bit that is not a sign.", "integer-arithmetic-instructions-bfind", types: COUNT, gate: Gate::ptx(2, 0).sm(20), good: &["bfind.u64 r, d;", "bfind.shiftamt.s32 r, r;"]),
    form!("fns.type d, mask, base, offset", [B32_ONLY], Arithmetic(ArithmeticOp::Fns), "Finds the n-th set bit of a mask.", "integer-arithmetic-instructions-fns", gate: Gate::ptx(6, 0).sm(30), good: &["fns.b32 r, r, r, r;"]),
    form!("brev.type d, a", [BITS], Arithmetic(ArithmeticOp::Brev), "Reverses the bits.", "integer-arithmetic-instructions-brev", gate: Gate::ptx(2, 0).sm(20), good: &["brev.b32 r, r;"]),
    form!("bfe.type d, a, b, c", [LONG_WORDS], Arithmetic(ArithmeticOp::Bfe), "Takes c bits of a from bit b on, extended by sign or zero.", "integer-arithmetic-instructions-bfe", types: FIELD, gate: Gate::ptx(2, 0).sm(20), good: &["bfe.u32 r, r, 8, 8;"]),
    form!("bfi.type d, a, b, c, e", [BITS], Arithmetic(ArithmeticOp::Bfi), "Puts the low e bits of a into b from bit c on.", "integer-arithmetic-instructions-bfi", types: INSERT, gate: Gate::ptx(2, 0).sm(20), good: &["bfi.b64 d, d, d, 8, 8;"]),
    form!("szext.mode.type d, a, b", [WRAP, WORDS], Arithmetic(ArithmeticOp::Szext), "Extends the low b bits of a by sign or zero.", "integer-arithmetic-instructions-szext", types: &[("b", OperandType::Bits(32))], gate: Gate::ptx(7, 6).sm(70), good: &["szext.clamp.s32 r, r, 8;"]),
    form!("bmsk.mode.type d, a, b", [WRAP, B32_ONLY], Arithmetic(ArithmeticOp::Bmsk), "A mask of b ones from bit a on.", "integer-arithmetic-instructions-bmsk", types: &[("a", OperandType::Bits(32)), ("b", OperandType::Bits(32))], gate: Gate::ptx(7, 6).sm(70), good: &["bmsk.wrap.b32 r, 3, 4;"]),
    form!("dp4a.atype.btype d, a, b, c", [A_WORDS, B_WORDS], Arithmetic(ArithmeticOp::Dp4a), "Adds four products of bytes of a and b to c.", "integer-arithmetic-instructions-dp4a", types: DOT, gate: Gate::ptx(5, 0).sm(61), good: &["dp4a.u32.s32 r, r, r, r;"]),
    form!("dp2a.mode.atype.btype d, a, b, c", [DOT_HALF, A_WORDS, B_WORDS], Arithmetic(ArithmeticOp::Dp2a), "Adds two products of halves of a and bytes of b to c.", "integer-arithmetic-instructions-dp2a", types: DOT, gate: Gate::ptx(5, 0).sm(61), good: &["dp2a.lo.u32.u32 r, r, r, r;"]),
    form!("add.cc.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Add), "Adds and notes the carry.", "extended-precision-arithmetic-instructions-add-cc", good: &["add.cc.u32 r, r, r;"]),
    form!("addc{.cc}.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Addc), "Adds with the carry noted before.", "extended-precision-arithmetic-instructions-addc", good: &["addc.u32 r, r, r;", "addc.cc.u64 d, d, d;"]),
    form!("sub.cc.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Sub), "Subtracts and notes the borrow.", "extended-precision-arithmetic-instructions-sub-cc", good: &["sub.cc.u32 r, r, r;"]),
    form!("subc{.cc}.type d, a, b", [CARRY_TYPES], Carry(CarryOp::Subc), "Subtracts with the borrow noted before.", "extended-precision-arithmetic-instructions-subc", good: &["subc.u32 r, r, r;"]),
    form!("mad.part.cc.type d, a, b, c", [HALF_PART, CARRY_TYPES], Carry(CarryOp::Mad), "Multiplies, adds, and notes the carry.", "extended-precision-arithmetic-instructions-mad-cc", gate: Gate::ptx(3, 0).sm(20), good: &["mad.lo.cc.u32 r, r, r, r;"]),
    form!("madc.part{.cc}.type d, a, b, c", [HALF_PART, CARRY_TYPES], Carry(CarryOp::Madc), "Multiplies and adds with the carry noted before.", "extended-precision-arithmetic-instructions-madc", gate: Gate::ptx(3, 0).sm(20), good: &["madc.hi.u32 r, r, r, r;"]),
];
