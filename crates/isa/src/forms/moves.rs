//! Moves, conversions and addresses (PTX ISA, "Data Movement and Conversion Instructions").

use super::sets::{
    B32_ONLY, CONST, GLOBAL, LOCAL, PARAM, PARAM_ENTRY, RN, ROUND_FLOAT, ROUND_INTEGER, RZ, SHARED,
    SHARED_CLUSTER, SHARED_CTA, form, plain, set, ty, ty_from, types,
};
use crate::does::{ArithmeticOp, MoveOp};
use crate::form::{Form, Gate, Meaning, OperandType, Value};
use crate::modifier::PermuteMode;
use crate::modifier::VectorWidth;
use crate::types::ScalarType;

set!(
    MOVED,
    "type",
    "type",
    [
        ty(ScalarType::Pred),
        ty(ScalarType::B16),
        ty(ScalarType::B32),
        ty(ScalarType::B64),
        ty(ScalarType::B128),
        ty(ScalarType::U16),
        ty(ScalarType::U32),
        ty(ScalarType::U64),
        ty(ScalarType::S16),
        ty(ScalarType::S32),
        ty(ScalarType::S64),
        ty(ScalarType::F32),
        ty(ScalarType::F64),
    ]
);
set!(
    MOVED_VECTOR,
    "vec",
    "vector width",
    [
        plain("v2", Meaning::Vector(VectorWidth::V2), "two elements"),
        plain("v4", Meaning::Vector(VectorWidth::V4), "four elements"),
    ]
);

const BRAIN: Gate = Gate::ptx(7, 0).sm(80);

set!(
    CONVERTED_TO,
    "dtype",
    "type",
    [
        ty(ScalarType::U8),
        ty(ScalarType::U16),
        ty(ScalarType::U32),
        ty(ScalarType::U64),
        ty(ScalarType::S8),
        ty(ScalarType::S16),
        ty(ScalarType::S32),
        ty(ScalarType::S64),
        ty(ScalarType::F16),
        ty(ScalarType::F32),
        ty(ScalarType::F64),
        ty_from(ScalarType::Bf16, BRAIN),
    ]
);
set!(
    CONVERTED_FROM,
    "atype",
    "type",
    [
        ty(ScalarType::U8),
        ty(ScalarType::U16),
        ty(ScalarType::U32),
        ty(ScalarType::U64),
        ty(ScalarType::S8),
        ty(ScalarType::S16),
        ty(ScalarType::S32),
        ty(ScalarType::S64),
        ty(ScalarType::F16),
        ty(ScalarType::F32),
        ty(ScalarType::F64),
        ty_from(ScalarType::Bf16, Gate::ptx(7, 1).sm(80)),
    ]
);
set!(
    PACKED_TO,
    "dtype",
    "type",
    [
        ty_from(ScalarType::F16x2, BRAIN),
        ty_from(ScalarType::Bf16x2, BRAIN),
    ]
);
types!(FROM_F32, "atype", F32);
set!(ROUND_PACKED, "rnd", "rounding", [RN, RZ]);

set!(
    GENERIC_SPACES,
    "ss",
    "state space",
    [
        Value {
            gate: Gate::ptx(3, 1).sm(20),
            ..CONST
        },
        GLOBAL,
        LOCAL,
        SHARED,
        SHARED_CTA,
        SHARED_CLUSTER,
        Value {
            gate: Gate::ptx(7, 7).sm(70),
            ..PARAM
        },
        PARAM_ENTRY,
    ]
);
types!(ADDRESS_SIZE, "size", U32 U64);
set!(
    PERMUTE,
    "mode",
    "mode",
    [
        plain(
            "f4e",
            Meaning::Permute(PermuteMode::F4e),
            "four bytes forward from the selector"
        ),
        plain(
            "b4e",
            Meaning::Permute(PermuteMode::B4e),
            "four bytes backward from the selector"
        ),
        plain(
            "rc8",
            Meaning::Permute(PermuteMode::Rc8),
            "one byte four times"
        ),
        plain("ecl", Meaning::Permute(PermuteMode::Ecl), "edge clamp left"),
        plain(
            "ecr",
            Meaning::Permute(PermuteMode::Ecr),
            "edge clamp right"
        ),
        plain(
            "rc16",
            Meaning::Permute(PermuteMode::Rc16),
            "one half twice"
        ),
    ]
);

const ADDRESSES: &[(&str, OperandType)] = &[
    ("d", OperandType::Slot("size")),
    ("a", OperandType::Slot("size")),
];
const ANY: &[(&str, OperandType)] = &[("d", OperandType::Custom), ("a", OperandType::Custom)];
const CONVERTED: &[(&str, OperandType)] = &[
    ("d", OperandType::Loose("dtype")),
    ("a", OperandType::Loose("atype")),
];
const PACKED: &[(&str, OperandType)] = &[
    ("d", OperandType::Slot("dtype")),
    ("a", OperandType::Slot("atype")),
    ("b", OperandType::Slot("atype")),
];
const INQUIRY: &[(&str, OperandType)] = &[
    ("p", OperandType::Predicate),
    ("a", OperandType::Fixed(ScalarType::U64)),
];

/// The forms of moves and conversions.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("mov{.vec}.type d, a", [MOVED_VECTOR, MOVED], Move(MoveOp::Mov), "Copies a register, a literal, a special register or an address; packs and unpacks.", "data-movement-and-conversion-instructions-mov", types: ANY,
        good: &["mov.u32 r, %tid.x;", "mov.b64 d, {r, r};", "mov.b64 {r, _}, d;", "mov.pred p, q;", "mov.f32 f, 0f3F800000;"],
        bad: &[("mov.b64 d, {r, r, r};", "W0138"), ("mov.u32 r, d;", "W0109"), ("mov.u32 r, f;", "W0109")]),
    form!("cvt{.rnd}{.irnd}{.ftz}{.sat}.dtype.atype d, a", [ROUND_FLOAT, ROUND_INTEGER, CONVERTED_TO, CONVERTED_FROM], Move(MoveOp::Cvt), "Converts between types.", "data-movement-and-conversion-instructions-cvt", types: CONVERTED,
        good: &["cvt.u64.u32 d, r;", "cvt.rn.f32.s32 f, r;", "cvt.rzi.s32.f32 r, f;", "cvt.sat.u8.s32 r, r;", "cvt.f64.f32 g, f;", "cvt.rn.f16.f32 h, f;"],
        bad: &[("cvt.f32.s32 f, r;", "W0129"), ("cvt.rn.s32.f32 r, f;", "W0129"), ("cvt.rn.s32.s16 r, h;", "W0129"), ("cvt.u64.u32 r, r;", "W0109")]),
    form!("cvt.rnd{.relu}.dtype.atype d, a, b", [ROUND_PACKED, PACKED_TO, FROM_F32], Move(MoveOp::CvtPacked), "Converts two singles into one register, a in the high half.", "data-movement-and-conversion-instructions-cvt", types: PACKED, good: &["cvt.rn.f16x2.f32 r, f, f;"]),
    form!("cvta.ss.size d, a", [GENERIC_SPACES, ADDRESS_SIZE], Move(MoveOp::Cvta), "Makes a generic address of an address in a state space.", "data-movement-and-conversion-instructions-cvta", types: ADDRESSES, gate: Gate::ptx(2, 0).sm(20), good: &["cvta.global.u64 d, d;"]),
    form!("cvta.to.ss.size d, a", [GENERIC_SPACES, ADDRESS_SIZE], Move(MoveOp::Cvta), "Makes an address in a state space of a generic address.", "data-movement-and-conversion-instructions-cvta", types: ADDRESSES, gate: Gate::ptx(2, 0).sm(20), good: &["cvta.to.global.u64 d, d;"], bad: &[("cvta.to.u64 d, d;", "W0105")]),
    form!("isspacep.ss p, a", [GENERIC_SPACES], Move(MoveOp::Isspacep), "Asks whether a generic address points into a state space.", "data-movement-and-conversion-instructions-isspacep", types: INQUIRY, gate: Gate::ptx(2, 0).sm(20), good: &["isspacep.shared p, d;"]),
    form!("prmt.type{.mode} d, a, b, c", [B32_ONLY, PERMUTE], Arithmetic(ArithmeticOp::Prmt), "Picks four bytes out of the eight of a and b.", "data-movement-and-conversion-instructions-prmt", types: &[("c", OperandType::Fixed(ScalarType::U32))], gate: Gate::ptx(2, 0).sm(20), good: &["prmt.b32 r, r, r, 0x3210;", "prmt.b32.f4e r, r, r, r;"]),
];
