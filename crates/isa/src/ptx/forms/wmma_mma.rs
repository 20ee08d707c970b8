//! Matrix multiply-accumulate on fragments loaded by `wmma.load` (PTX ISA, "wmma.mma").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{RM, RN, RP, RZ};
use super::wmma_load::{ALIGNED, AMPERE, FLOATS, INTEGERS, OBLONG, SUB_BYTE};
use crate::form::rule::{Rule, RuleKind::*, any, rule};
use crate::form::{Form, SlotName as S};
use crate::modifier::{BoolOp::*, Flag, MatrixLayout::*};
use crate::operation::MatrixOp::WmmaMma;

const SECTION: &str = "warp-level-matrix-instructions-wmma-mma";

set! { A_LAYOUT: ALayout "layout of A";
    "row", Layout(Row), ALWAYS, "A is row-major";
    "col", Layout(Col), ALWAYS, "A is column-major";
}
set! { B_LAYOUT: BLayout "layout of B";
    "row", Layout(Row), ALWAYS, "B is row-major";
    "col", Layout(Col), ALWAYS, "B is column-major";
}
set! { SHAPE_16: Shape "matrix shape";
    "m16n16k16", Shape(16, 16, 16), ALWAYS, "16 x 16 matrix D with K = 16";
    "m8n32k16",  Shape(8, 32, 16),  OBLONG, "8 x 32 matrix D with K = 16";
    "m32n8k16",  Shape(32, 8, 16),  OBLONG, "32 x 8 matrix D with K = 16";
}
set! { SHAPE_TF32: Shape "matrix shape";   "m16n16k8", Shape(16, 16, 8), ALWAYS, "16 x 16 matrix D with K = 8"; }
set! { SHAPE_DOUBLE: Shape "matrix shape"; "m8n8k4",   Shape(8, 8, 4),   ALWAYS, "8 x 8 matrix D with K = 4"; }
set! { SHAPE_NIBBLE: Shape "matrix shape"; "m8n8k32",  Shape(8, 8, 32),  ALWAYS, "8 x 8 matrix D with K = 32"; }
set! { SHAPE_BIT: Shape "matrix shape";    "m8n8k128", Shape(8, 8, 128), ALWAYS, "8 x 8 matrix D with K = 128 bits"; }
set! { ROUND: Round "rounding"; RN; RZ; RM; RP; }
set! { BIT_OP: BitOp "bit operation";
    "xor", Bool(Xor), ALWAYS,              "counts the bits that differ in A and B";
    "and", Bool(And), since(7, 1).sm(80),  "counts the bits that are set in both A and B";
}
types!(D_HALF, DType; ALWAYS => F16 F32);
types!(C_HALF, CType; ALWAYS => F16 F32);
types!(D_SINGLE, DType; ALWAYS => F32);
types!(C_SINGLE, CType; ALWAYS => F32);
types!(D_DOUBLE, DType; ALWAYS => F64);
types!(C_DOUBLE, CType; ALWAYS => F64);
types!(D_INTEGER, DType; ALWAYS => S32);
types!(C_INTEGER, CType; ALWAYS => S32);
types!(A_BRAIN, AType; ALWAYS => Bf16);
types!(B_BRAIN, BType; ALWAYS => Bf16);
types!(A_TF32, AType; ALWAYS => Tf32);
types!(B_TF32, BType; ALWAYS => Tf32);
types!(A_DOUBLE, AType; ALWAYS => F64);
types!(B_DOUBLE, BType; ALWAYS => F64);
types!(A_U8, AType; ALWAYS => U8);
types!(B_U8, BType; ALWAYS => U8);
types!(A_S8, AType; ALWAYS => S8);
types!(B_S8, BType; ALWAYS => S8);
types!(A_U4, AType; ALWAYS => U4);
types!(B_U4, BType; ALWAYS => U4);
types!(A_S4, AType; ALWAYS => S4);
types!(B_S4, BType; ALWAYS => S4);
types!(A_BIT, AType; ALWAYS => B1);
types!(B_BIT, BType; ALWAYS => B1);

/// Rules for sub-byte types, whose elements must be contiguous along k.
#[rustfmt::skip]
pub(super) static ROW_COLUMN: &[Rule] = &[
    rule(Restricts { when: any(S::Shape), slot: S::ALayout, among: &["row"] }, "A must be stored with consecutive elements along K"),
    rule(Restricts { when: any(S::Shape), slot: S::BLayout, among: &["col"] }, "B must be stored with consecutive elements along K"),
];

// Descriptions of MMA operands.
pub(super) const MATRIX_A: &str =
    "brace-enclosed list of registers that hold the fragment of matrix A";
pub(super) const MATRIX_B: &str =
    "brace-enclosed list of registers that hold the fragment of matrix B";
pub(super) const MATRIX_C: &str =
    "brace-enclosed list of registers that hold the fragment of matrix C";
pub(super) const MATRIX_D: &str =
    "brace-enclosed list of registers that hold the fragment of matrix D";

// Functions of the checker validate these operands, because the number and the types of the registers depend on shape and element type.
operands! {
    OPERANDS: "d" Custom(MATRIX_D), "a" Custom(MATRIX_A), "b" Custom(MATRIX_B), "c" Custom(MATRIX_C);
}

/// Form for one element kind.
macro_rules! product {
    ($syntax:literal, [$($set:expr),*], $gate:expr, $rules:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Matrix(WmmaMma), n_name_modifiers: 1, gate: $gate, types: OPERANDS, required_from: ALIGNED,
            repeatable: &[Flag::Sync], rules: $rules;
            $help, SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Instruction forms of `wmma.mma`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype{.satfinite} d, a, b, c", [SHAPE_16, D_HALF, C_HALF], FLOATS, &[],
        "Performs a matrix multiply-accumulate of half-precision values. The Tensor Cores of the target determine the rounding of the accumulation.",
        &["wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {r, r, r, r, r, r, r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r, r, r, r, r};"],
        &[("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r};", "W0503"),
            ("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {r, r, r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r, r, r, r, r}, {r, r, r, r};", "W0519")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c", [SHAPE_16, D_SINGLE, A_BRAIN, B_BRAIN, C_SINGLE], AMPERE, &[],
        "Performs a matrix multiply-accumulate of `bf16` values with `f32` accumulation.",
        &["wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {r, r, r, r, r, r, r, r}, {r, r, r, r}, {r, r, r, r}, {r, r, r, r, r, r, r, r};"],
        &[("wmma.mma.sync.row.col.m16n16k16.f32.bf16.bf16.f32 {r, r, r, r, r, r, r, r}, {r, r, r, r}, {r, r, r, r}, {r, r, r, r, r, r, r, r};", "W0501")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c", [SHAPE_TF32, D_SINGLE, A_TF32, B_TF32, C_SINGLE], AMPERE, &[],
        "Performs a matrix multiply-accumulate of `tf32` values with `f32` accumulation.",
        &["wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 {r, r, r, r, r, r, r, r}, {r, r, r, r}, {r, r, r, r}, {r, r, r, r, r, r, r, r};"],
        &[("wmma.mma.sync.aligned.row.m16n16k8.f32.tf32.tf32.f32 {r, r, r, r, r, r, r, r}, {r, r, r, r}, {r, r, r, r}, {r, r, r, r, r, r, r, r};", "W0105")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype d, a, b, c", [SHAPE_DOUBLE, ROUND, D_DOUBLE, A_DOUBLE, B_DOUBLE, C_DOUBLE], AMPERE, &[],
        "Performs a matrix multiply-accumulate of double-precision values and rounds after each step.",
        &["wmma.mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64.rn {r, r}, {r}, {r}, {r, r};"],
        &[("wmma.mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64 {r, r}, {r, r}, {r}, {r, r};", "W0503")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c", [SHAPE_16, D_INTEGER, A_U8, B_U8, C_INTEGER], INTEGERS, &[],
        "Performs a matrix multiply-accumulate of unsigned 8-bit integers with `s32` accumulation.",
        &["wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite {r, r, r, r, r, r, r, r}, {r, r}, {r, r}, {r, r, r, r, r, r, r, r};"],
        &[("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.s8.s32 {r, r, r, r, r, r, r, r}, {r, r}, {r, r}, {r, r, r, r, r, r, r, r};", "W0104")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c", [SHAPE_16, D_INTEGER, A_S8, B_S8, C_INTEGER], INTEGERS, &[],
        "Performs a matrix multiply-accumulate of signed 8-bit integers with `s32` accumulation.",
        &["wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32 {r, r, r, r, r, r, r, r}, {r, r, r, r}, {r}, {r, r, r, r, r, r, r, r};"],
        &[("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {r, r, r, r, r, r, r, r}, {r, r}, {r, r};", "W0108")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c", [SHAPE_NIBBLE, D_INTEGER, A_U4, B_U4, C_INTEGER], SUB_BYTE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of unsigned 4-bit integers with `s32` accumulation.",
        &["wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32 {r, r}, {r}, {r}, {r, r};"],
        &[("wmma.mma.sync.aligned.col.row.m8n8k32.s32.u4.u4.s32 {r, r}, {r}, {r}, {r, r};", "W0302")]),
    product!("wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite} d, a, b, c", [SHAPE_NIBBLE, D_INTEGER, A_S4, B_S4, C_INTEGER], SUB_BYTE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of signed 4-bit integers with `s32` accumulation.",
        &["wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite {r, r}, {r}, {r}, {r, r};"],
        &[("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {r, r}, {r}, {_}, {r, r};", "W0507")]),
    product!("wmma.mma.bitOp.popc.sync{.aligned}.alayout.blayout.shape.dtype.atype.btype.ctype d, a, b, c", [BIT_OP, SHAPE_BIT, D_INTEGER, A_BIT, B_BIT, C_INTEGER], SUB_BYTE, ROW_COLUMN,
        "Performs a matrix multiply-accumulate of single bits: combines rows of A and columns of B with a bit operation, counts the set bits, and adds the count to C.",
        &["wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {r, r}, {r}, {r}, {r, r};"],
        &[("wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {r, r}, {r}, {r}, {r, r};", "W0105")]),
];
