//! Moves, conversions and addresses (PTX ISA, "Data Movement and Conversion Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{
    B32_ONLY, CONST, GLOBAL, LOCAL, PARAM, PARAM_ENTRY, ROUND_FLOAT, ROUND_INTEGER, SHARED,
    SHARED_CLUSTER, SHARED_CTA,
};
use crate::form::rule::{Rule, RuleKind::Conflict, assembler, of};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{PermuteMode::*, VectorWidth::*};
use crate::operation::{ArithmeticOp::Prmt, MoveOp::*};

types!(MOVED, Type, Pred B16 B32 B64 B128 U16 U32 U64 S16 S32 S64 F32 F64);
set! { MOVED_VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}

const BRAIN: Gate = since(7, 0).sm(80);

types!(CONVERTED_TO, DType, U8 U16 U32 U64 S8 S16 S32 S64 F16 F32 F64; BRAIN => Bf16);
types!(CONVERTED_FROM, AType, U8 U16 U32 U64 S8 S16 S32 S64 F16 F32 F64; since(7, 1).sm(80) => Bf16);

set! { GENERIC_SPACES: Space "state space";
    (CONST.since(since(3, 1).sm(20))); GLOBAL; LOCAL; SHARED; SHARED_CTA; SHARED_CLUSTER; (PARAM.since(since(7, 7).sm(70))); (PARAM_ENTRY.since(since(8, 3).sm(70)));
}
types!(ADDRESS_SIZE, Size, U64);
set! { PERMUTE: Mode "mode";
    "f4e",  Permute(F4e),  ALWAYS, "extracts four consecutive bytes, forward from the byte that the selector specifies";
    "b4e",  Permute(B4e),  ALWAYS, "extracts four consecutive bytes, backward from the byte that the selector specifies";
    "rc8",  Permute(Rc8),  ALWAYS, "replicates one byte four times";
    "ecl",  Permute(Ecl),  ALWAYS, "clamps the byte positions at the left edge";
    "ecr",  Permute(Ecr),  ALWAYS, "clamps the byte positions at the right edge";
    "rc16", Permute(Rc16), ALWAYS, "replicates one half word twice";
}

operands! {
    ADDRESSES: "d" Slot(Size), "a" Slot(Size);
    ANY: "d" Custom("register, or brace-enclosed list of registers into which `a` is unpacked"), "a" Custom("register, constant, special register or address, or brace-enclosed list of values that are packed");
    CONVERTED: "d" SlotOrWider(DType), "a" SlotOrWider(AType);
    INQUIRY: "p" Predicate, "a" AnyAddress;
}

#[rustfmt::skip]
const VECTORS: &[Rule] = &[
    assembler(Conflict { a: of(S::Vector, &[]), b: of(S::Type, &["pred"]) }, "predicates cannot be elements of a vector"),
    assembler(Conflict { a: of(S::Vector, &["v4"]), b: of(S::Type, &["b64", "u64", "s64", "f64"]) }, "a vector register cannot be wider than 128 bits"),
];

/// Instruction forms of moves and conversions.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("mov{.vec}.type d, a", [MOVED_VECTOR, MOVED], Move(Mov), operand_extensions: &[SpecialRegister, VariableAddress, ArrayElement, Halves], types: ANY, rules: VECTORS;
        "Copies a register, a constant, a special register or an address, or packs or unpacks a vector.", "data-movement-and-conversion-instructions-mov";
        accepted_examples: &["mov.u32 r, %tid.x;", "mov.b64 d, {r, r};", "mov.b64 {r, _}, d;", "mov.pred p, q;", "mov.f32 f, 0f3F800000;"],
        rejected_examples: &[("mov.b64 d, {r, r, r};", "W0138"), ("mov.u32 r, d;", "W0109"), ("mov.u32 r, f;", "W0109"),
            ("mov.v2.pred {p, q}, {p, q};", "W0300"), ("mov.v4.b64 {d, d, d, d}, {d, d, d, d};", "W0300")]),
    form!("cvt{.rnd}{.irnd}{.ftz}{.sat}.dtype.atype d, a", [ROUND_FLOAT, ROUND_INTEGER, CONVERTED_TO, CONVERTED_FROM], Move(Cvt),
        operand_extensions: &[SpecialRegister], types: CONVERTED;
        "Converts a value to another type.", "data-movement-and-conversion-instructions-cvt";
        accepted_examples: &["cvt.u64.u32 d, r;", "cvt.rn.f32.s32 f, r;", "cvt.rzi.s32.f32 r, f;", "cvt.sat.u8.s32 r, r;", "cvt.f64.f32 g, f;",
            "cvt.rn.f16.f32 h, f;"],
        rejected_examples: &[("cvt.f32.s32 f, r;", "W0129"), ("cvt.rn.s32.f32 r, f;", "W0129"), ("cvt.rn.s32.s16 r, h;", "W0129"), ("cvt.u64.u32 r, r;", "W0109")]),
    form!("cvta.ss.size d, a", [GENERIC_SPACES, ADDRESS_SIZE], Move(Cvta), gate: since(2, 0).sm(20), operand_extensions: &[VariableAddress, ArrayElement], types: ADDRESSES;
        "Converts an address in a state space to a generic address.", "data-movement-and-conversion-instructions-cvta";
        accepted_examples: &["cvta.global.u64 d, d;"]),
    form!("cvta.to.ss.size d, a", [GENERIC_SPACES, ADDRESS_SIZE], Move(Cvta),
        gate: since(2, 0).sm(20), n_name_modifiers: 1, types: ADDRESSES;
        "Converts a generic address to an address in a state space.", "data-movement-and-conversion-instructions-cvta";
        accepted_examples: &["cvta.to.global.u64 d, d;"], rejected_examples: &[("cvta.to.u64 d, d;", "W0105"), ("cvta.to.shared.u32 r, r;", "W0104")]),
    form!("isspacep.ss p, a", [GENERIC_SPACES], Move(Isspacep), gate: since(2, 0).sm(20), destination_operands: &["p"], types: INQUIRY;
        "Tests whether a generic address points into a state space.", "data-movement-and-conversion-instructions-isspacep";
        accepted_examples: &["isspacep.shared p, d;", "isspacep.global p, r;"]),
    form!("prmt.type{.mode} d, a, b, c", [B32_ONLY, PERMUTE], Arithmetic(Prmt), gate: since(2, 0).sm(20);
        "Selects four of the eight bytes of a and b.", "data-movement-and-conversion-instructions-prmt";
        accepted_examples: &["prmt.b32 r, r, r, 0x3210;", "prmt.b32.f4e r, r, r, r;"]),
];
