//! Dense matrix multiply-accumulate on fragments with a documented layout (PTX ISA, "mma").
//!
//! Each form covers one kind of element with one accumulator type, because the types of an MMA depend on each other.

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{RM, RN, RP, RZ};
use super::wmma_mma::{MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, ROW_COLUMN};
use crate::form::rule::{Rule, RuleKind::*, any, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{BoolOp::*, Flag, MatrixLayout::*, MmaKind::*, ScaleVector::*};
use crate::operation::MatrixOp::{Mma, MmaBlockScaled};
use crate::target::TargetRequirement::{self, Family, OneOf};

const SECTION: &str = "warp-level-matrix-instructions-mma";
const VOLTA: Gate = since(6, 4).sm(70);
const TURING: Gate = since(6, 5).sm(75);
const AMPERE: Gate = since(7, 0).sm(80);
const HOPPER: Gate = since(7, 8).sm(90);
/// Gate of forms with 8-bit floats.
const ADA: Gate = since(8, 4).sm(89);
/// Gate of 8-bit floats with `f16` accumulators, and of 8-bit floats in the smaller shape.
const LATE: Gate = since(8, 7).sm(89);
/// Gate of `.kind::f8f6f4` if A and B both consist of 8-bit floats.
pub(super) const BLACKWELL: Gate = since(8, 7).on(OneOf(&[Family(100), Family(101), Family(120)]));
/// Gate of a `.kind` modifier that the assembler ignores, because 8-bit floats do not require this modifier.
const TAKEN: Gate = BLACKWELL.assembler("13.5");
/// Gate of sub-byte floats and of block scaling.
pub(super) const NARROW: Gate = since(8, 7).family(120);

set! { A_LAYOUT: ALayout "layout of A";
    "row", Layout(Row), ALWAYS, "A is row-major";
    "col", Layout(Col), ALWAYS, "A is column-major";
}
set! { B_LAYOUT: BLayout "layout of B";
    "row", Layout(Row), ALWAYS, "B is row-major";
    "col", Layout(Col), ALWAYS, "B is column-major";
}
set! { QUADS: Shape "matrix shape"; "m8n8k4", Shape(8, 8, 4), ALWAYS, "8 x 8 matrix D with K = 4 for each group of 8 threads"; }
set! { HALVES: Shape "matrix shape";
    "m16n8k8",  Shape(16, 8, 8),  TURING, "16 x 8 matrix D with K = 8";
    "m16n8k16", Shape(16, 8, 16), AMPERE, "16 x 8 matrix D with K = 16";
}
set! { TF32S: Shape "matrix shape";
    "m16n8k4", Shape(16, 8, 4), AMPERE, "16 x 8 matrix D with K = 4";
    "m16n8k8", Shape(16, 8, 8), AMPERE, "16 x 8 matrix D with K = 8";
}
set! { DOUBLES: Shape "matrix shape";
    "m8n8k4",   Shape(8, 8, 4),   AMPERE, "8 x 8 matrix D with K = 4";
    "m16n8k4",  Shape(16, 8, 4),  HOPPER, "16 x 8 matrix D with K = 4";
    "m16n8k8",  Shape(16, 8, 8),  HOPPER, "16 x 8 matrix D with K = 8";
    "m16n8k16", Shape(16, 8, 16), HOPPER, "16 x 8 matrix D with K = 16";
}
set! { BYTES: Shape "matrix shape";
    "m8n8k16",  Shape(8, 8, 16),  TURING, "8 x 8 matrix D with K = 16";
    "m16n8k16", Shape(16, 8, 16), AMPERE, "16 x 8 matrix D with K = 16";
    "m16n8k32", Shape(16, 8, 32), AMPERE, "16 x 8 matrix D with K = 32";
}
set! { NIBBLES: Shape "matrix shape";
    "m8n8k32",  Shape(8, 8, 32),  TURING, "8 x 8 matrix D with K = 32";
    "m16n8k32", Shape(16, 8, 32), AMPERE, "16 x 8 matrix D with K = 32";
    "m16n8k64", Shape(16, 8, 64), AMPERE, "16 x 8 matrix D with K = 64";
}
set! { SINGLE_BITS: Shape "matrix shape";
    "m8n8k128",  Shape(8, 8, 128),  since(7, 0).sm(75), "8 x 8 matrix D with K = 128 bits";
    "m16n8k128", Shape(16, 8, 128), AMPERE,             "16 x 8 matrix D with K = 128 bits";
    "m16n8k256", Shape(16, 8, 256), AMPERE,             "16 x 8 matrix D with K = 256 bits";
}
set! { FLOAT_BYTES: Shape "matrix shape";
    "m16n8k32", Shape(16, 8, 32), ADA,  "16 x 8 matrix D with K = 32";
    "m16n8k16", Shape(16, 8, 16), LATE, "16 x 8 matrix D with K = 16";
}
set! { DEPTH_32: Shape "matrix shape"; "m16n8k32", Shape(16, 8, 32), ALWAYS, "16 x 8 matrix D with K = 32"; }
set! { DEPTH_64: Shape "matrix shape"; "m16n8k64", Shape(16, 8, 64), ALWAYS, "16 x 8 matrix D with K = 64"; }
set! { ROUND: Round "rounding"; RN; RZ; RM; RP; }
set! { BIT_OP: BitOp "bit operation";
    "xor", Bool(Xor), ALWAYS,             "counts the bits that differ in A and B";
    "and", Bool(And), since(7, 1).sm(80), "counts the bits that are set in both A and B";
}
set! { MIXED: Kind "kind"; "kind::f8f6f4", Kind(F8f6f4), ALWAYS, "8-bit, 6-bit and 4-bit floats, each stored in one byte"; }
set! { UNREAD_KIND: Kind "kind";
    "kind::f8f6f4",   Kind(F8f6f4),   TAKEN, "undocumented modifier without effect for these types";
    "kind::mxf8f6f4", Kind(Mxf8f6f4), TAKEN, "undocumented modifier without effect for these types";
    "kind::mxf4",     Kind(Mxf4),     TAKEN, "undocumented modifier without effect for these types";
    "kind::mxf4nvf4", Kind(Mxf4nvf4), TAKEN, "undocumented modifier without effect for these types";
    "kind::f16",  Kind(F16),  TAKEN.on(OneOf(&[Family(100), Family(101)])), "undocumented modifier without effect for these types";
    "kind::tf32", Kind(Tf32), TAKEN.on(OneOf(&[Family(100), Family(101)])), "undocumented modifier without effect for these types";
    "kind::i8",   Kind(I8),   TAKEN.on(OneOf(&[TargetRequirement::Only(100), TargetRequirement::Only(101), TargetRequirement::Only(110)])), "undocumented modifier without effect for these types";
}
set! { MX_MIXED: Kind "kind"; "kind::mxf8f6f4", Kind(Mxf8f6f4), ALWAYS, "8-bit, 6-bit and 4-bit floats, each stored in one byte, with one scale factor per 32 elements"; }
set! { MX_FOUR: Kind "kind"; "kind::mxf4", Kind(Mxf4), ALWAYS, "4-bit floats with one scale factor per 32 elements"; }
set! { NV_FOUR: Kind "kind"; "kind::mxf4nvf4", Kind(Mxf4nvf4), ALWAYS, "4-bit floats with one scale factor per 16 or 32 elements"; }
set! { ONE: ScaleVector "scales"; "scale_vec::1X", ScaleVector(X1), ALWAYS, "one scale factor per row of A and per column of B"; }
set! { TWO: ScaleVector "scales"; "scale_vec::2X", ScaleVector(X2), ALWAYS, "two scale factors per row of A and per column of B"; }
set! { TWO_OR_FOUR: ScaleVector "scales";
    "scale_vec::2X", ScaleVector(X2), ALWAYS, "two scale factors per row of A and per column of B";
    "scale_vec::4X", ScaleVector(X4), ALWAYS, "four scale factors per row of A and per column of B";
}
types!(D_F16, DType; ALWAYS => F16);
types!(C_F16, CType; ALWAYS => F16);
types!(D_ANY_HALF, DType; ALWAYS => F16 F32);
types!(D_F32, DType; ALWAYS => F32);
types!(C_F32, CType; ALWAYS => F32);
types!(D_F64, DType; ALWAYS => F64);
types!(C_F64, CType; ALWAYS => F64);
types!(D_S32, DType; ALWAYS => S32);
types!(C_S32, CType; ALWAYS => S32);
types!(A_F16, AType; ALWAYS => F16);
types!(B_F16, BType; ALWAYS => F16);
types!(A_BF16, AType; ALWAYS => Bf16);
types!(B_BF16, BType; ALWAYS => Bf16);
types!(A_TF32, AType; ALWAYS => Tf32);
types!(B_TF32, BType; ALWAYS => Tf32);
types!(A_F64, AType; ALWAYS => F64);
types!(B_F64, BType; ALWAYS => F64);
types!(A_BYTE, AType; ALWAYS => U8 S8);
types!(B_BYTE, BType; ALWAYS => U8 S8);
types!(A_NIBBLE, AType; ALWAYS => U4 S4);
types!(B_NIBBLE, BType; ALWAYS => U4 S4);
types!(A_BIT, AType; ALWAYS => B1);
types!(B_BIT, BType; ALWAYS => B1);
types!(A_EIGHT, AType; ALWAYS => E4m3 E5m2);
types!(B_EIGHT, BType; ALWAYS => E4m3 E5m2);
types!(A_NARROW, AType; ALWAYS => E4m3 E5m2 E3m2 E2m3 E2m1);
types!(B_NARROW, BType; ALWAYS => E4m3 E5m2 E3m2 E2m3 E2m1);
types!(A_FOUR, AType; ALWAYS => E2m1);
types!(B_FOUR, BType; ALWAYS => E2m1);
types!(EXPONENTS, ScaleType; ALWAYS => Ue8m0);
types!(FACTORS, ScaleType; ALWAYS => Ue8m0 Ue4m3);

#[rustfmt::skip]
static NV_RULES: &[Rule] = &[
    rule(Restricts { when: any(S::Shape), slot: S::ALayout, among: &["row"] }, "A must be stored with consecutive elements along K"),
    rule(Restricts { when: any(S::Shape), slot: S::BLayout, among: &["col"] }, "B must be stored with consecutive elements along K"),
    rule(Restricts { when: of(S::ScaleVector, &["scale_vec::2X"]), slot: S::ScaleType, among: &["ue8m0"] }, "`scale_vec::2X` requires `ue8m0` scale factors"),
    rule(CombinationGate { a: of(S::ScaleVector, &["scale_vec::4X"]), b: of(S::ScaleType, &["ue8m0"]), gate: since(9, 1) }, "PTX versions before 9.1 require `ue4m3` scale factors for `scale_vec::4X`"),
];

pub(super) const SCALE_IDS: &str =
    "byte ID and thread ID of the scale factors in braces, such as `{0, 0}`";
// Functions of the checker validate these operands, because the number and the types of the registers depend on shape and element type.
operands! {
    OPERANDS: "d" Custom(MATRIX_D), "a" Custom(MATRIX_A), "b" Custom(MATRIX_B), "c" Custom(MATRIX_C);
    SCALED: "d" Custom(MATRIX_D), "a" Custom(MATRIX_A), "b" Custom(MATRIX_B), "c" Custom(MATRIX_C), "scale_a" Custom("32-bit register with the scale factors of the rows of A"), "ids_a" Custom(SCALE_IDS), "scale_b" Custom("32-bit register with the scale factors of the columns of B"), "ids_b" Custom(SCALE_IDS);
}

/// Types narrower than a byte, which the assembler ignores after the types of the matrices in most forms (assembler 13.5).
pub(super) const PARTS_OF_BYTES: &[&str] = &["b1", "b2", "b4", "s2", "u2", "s4", "u4"];

/// Form for one element kind with one accumulator type. The forms of the `exact` variant do not ignore additional types.
macro_rules! product {
    ($syntax:literal, $sets:tt, $gate:expr, $rules:expr, $help:literal, $good:expr, $bad:expr) => {
        product!(overlooks PARTS_OF_BYTES, $syntax, $sets, $gate, $rules, $help, $good, $bad)
    };
    (exact $syntax:literal, $sets:tt, $gate:expr, $rules:expr, $help:literal, $good:expr, $bad:expr) => {
        product!(overlooks &[], $syntax, $sets, $gate, $rules, $help, $good, $bad)
    };
    (overlooks $types:expr, $syntax:literal, [$($set:expr),*], $gate:expr, $rules:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Matrix(Mma), gate: $gate, types: OPERANDS, repeatable: &[Flag::Sync], rules: $rules,
            ignored_types: $types;
            $help, SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Form with block scaling.
macro_rules! scaled {
    ($syntax:literal, [$($set:expr),*], $rules:expr, $help:literal, $bad:expr) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Matrix(MmaBlockScaled), gate: NARROW, types: SCALED, repeatable: &[Flag::Sync], rules: $rules,
            ignored_types: PARTS_OF_BYTES;
            $help, SECTION; rejected_examples: $bad)
    };
}

/// Instruction forms of dense `mma`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [HALVES, D_F32, A_F16, B_F16, C_F32], VOLTA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of half-precision values with `f32` accumulation.",
        &["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};", "W0302"),
            ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r};", "W0503")]),
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [HALVES, D_F16, A_F16, B_F16, C_F16], VOLTA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of half-precision values with half-precision accumulation.",
        &["mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {r, r}, {r, r}, {r}, {r, r};"],
        &[("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32 {r, r}, {r, r}, {r}, {r, r};", "W0104")]),
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [QUADS, D_F32, A_F16, B_F16, C_F32], VOLTA, &[],
        "Performs four independent matrix multiply-accumulates of half-precision values with `f32` accumulation.",
        &["mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {r, r, r, r, r, r, r, r}, {r, r}, {r, r}, {r, r, r, r, r, r, r, r};"],
        &[("mma.sync.aligned.m8n8k4.col.f32.f16.f16.f32 {r, r, r, r, r, r, r, r}, {r, r}, {r, r}, {r, r, r, r, r, r, r, r};", "W0105")]),
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [QUADS, D_ANY_HALF, A_F16, B_F16, C_F16], VOLTA, &[],
        "Performs four independent matrix multiply-accumulates of half-precision values.",
        &["mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};", "W0503")]),
    product!(exact "mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [HALVES, D_F32, A_BF16, B_BF16, C_F32], AMPERE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of `bf16` values with `f32` accumulation.",
        &["mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {r, r}, {r, r}, {r}, {r, r};", "W0104")]),
    product!(exact "mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [TF32S, D_F32, A_TF32, B_TF32, C_F32], AMPERE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of `tf32` values with `f32` accumulation.",
        &["mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m16n8k4.row.col.f32.tf32.bf16.f32 {r, r, r, r}, {r, r}, {r}, {r, r, r, r};", "W0104")]),
    product!("mma.sync.aligned.shape.alayout.blayout{.rnd}.dtype.atype.btype.ctype d, a, b, c", [DOUBLES, ROUND, D_F64, A_F64, B_F64, C_F64], AMPERE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of double-precision values and rounds after each step.",
        &["mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {r, r}, {r}, {r}, {r, r};"],
        &[("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {r, r}, {r}, {r}, {r};", "W0503")]),
    product!("mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d, a, b, c", [BYTES, D_S32, A_BYTE, B_BYTE, C_S32], VOLTA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit integers with `s32` accumulation.",
        &["mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {r, r}, {r}, {r}, {r, r};"],
        &[("mma.sync.aligned.m8n8k16.row.col.s32.s8.u4.s32 {r, r}, {r}, {r}, {r, r};", "W0104")]),
    product!("mma.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d, a, b, c", [NIBBLES, D_S32, A_NIBBLE, B_NIBBLE, C_S32], VOLTA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 4-bit integers with `s32` accumulation.",
        &["mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, _, r, r};", "W0507")]),
    product!(exact "mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype.bitOp.popc d, a, b, c", [SINGLE_BITS, D_S32, A_BIT, B_BIT, C_S32, BIT_OP], VOLTA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of single bits: combines rows of A and columns of B with a bit operation, counts the set bits, and adds the count to C.",
        &["mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {r, r}, {r}, {r}, {r, r};"],
        &[("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor {r, r}, {r}, {r}, {r, r};", "W0105"),
            ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.xor {r, r}, {r}, {r}, {r, r};", "W0520")]),
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [FLOAT_BYTES, D_F32, A_EIGHT, B_EIGHT, C_F32], ADA, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f32` accumulation.",
        &["mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};"],
        &[("mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e5m2.f32 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r};", "W0102")]),
    product!("mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c", [FLOAT_BYTES, D_F16, A_EIGHT, B_EIGHT, C_F16], LATE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f16` accumulation.",
        &["mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {r, r}, {r, r}, {r}, {r, r};"], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [DEPTH_32, MIXED, D_F32, A_EIGHT, B_EIGHT, C_F32], BLACKWELL, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f32` accumulation.", &[], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [DEPTH_32, MIXED, D_F16, A_EIGHT, B_EIGHT, C_F16], BLACKWELL, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f16` accumulation.", &[], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [DEPTH_32, MIXED, D_F32, A_NARROW, B_NARROW, C_F32], NARROW, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f32` accumulation.", &[], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [DEPTH_32, MIXED, D_F16, A_NARROW, B_NARROW, C_F16], NARROW, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f16` accumulation.", &[], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [FLOAT_BYTES, UNREAD_KIND, D_F32, A_EIGHT, B_EIGHT, C_F32], BLACKWELL, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f32` accumulation. `.kind` has no effect.", &[], &[]),
    product!("mma.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c", [FLOAT_BYTES, UNREAD_KIND, D_F16, A_EIGHT, B_EIGHT, C_F16], BLACKWELL, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of 8-bit floats with `f16` accumulation. `.kind` has no effect.", &[], &[]),
    scaled!("mma.sync.aligned.shape.alayout.blayout.kind.block_scale{.scale_vec_size}.dtype.atype.btype.ctype.scale_type d, a, b, c, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_32, MX_MIXED, ONE, D_F32, A_NARROW, B_NARROW, C_F32, EXPONENTS], ROW_COLUMN,
        "Performs a block-scaled matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f32` accumulation and one scale factor per 32 elements.",
        &[("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.f32.e4m3.e4m3.f32.ue8m0 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r}, r, {0, 0}, r, {0, 0};", "W0105")]),
    scaled!("mma.sync.aligned.shape.alayout.blayout.kind.block_scale{.scale_vec_size}.dtype.atype.btype.ctype.scale_type d, a, b, c, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_64, MX_FOUR, TWO, D_F32, A_FOUR, B_FOUR, C_F32, EXPONENTS], ROW_COLUMN,
        "Performs a block-scaled matrix multiply-accumulate of 4-bit floats with `f32` accumulation and one scale factor per 32 elements.", &[]),
    scaled!("mma.sync.aligned.shape.alayout.blayout.kind.block_scale.scale_vec_size.dtype.atype.btype.ctype.scale_type d, a, b, c, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_64, NV_FOUR, TWO_OR_FOUR, D_F32, A_FOUR, B_FOUR, C_F32, FACTORS], NV_RULES,
        "Performs a block-scaled matrix multiply-accumulate of 4-bit floats with `f32` accumulation and one scale factor per 16 or 32 elements.",
        &[("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue4m3 {r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r}, r, {0, 0}, r, {0, 0};", "W0105")]),
];
