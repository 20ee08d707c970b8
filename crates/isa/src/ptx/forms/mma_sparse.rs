//! Matrix multiply-accumulate with a sparse A, whose registers contain half of the elements (PTX ISA, "mma.sp").

use super::form_macros::{ALWAYS, form, operands, set, since};
use super::mma::*;
use super::wmma_mma::{MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, ROW_COLUMN};
use crate::form::rule::{Rule, RuleKind::*, any, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::Flag::{self, OrderedSparse, Sparse};
use crate::operation::MatrixOp::{MmaSparse, MmaSparseBlockScaled};
use crate::target::TargetRequirement;

const SECTION: &str = "warp-level-matrix-instructions-sparse-mma";
const AMPERE: Gate = since(7, 1).sm(80);
const ORDERED: Gate = since(8, 5).sm(80);
/// Gate of forms with 8-bit floats.
const ADA: Gate = since(8, 4).sm(89);
/// Gate of 4-bit floats: only these architecture-specific targets support all of their forms (assembler 13.5).
const FOUR: Gate = since(8, 7)
    .on(TargetRequirement::OneOf(&[
        TargetRequirement::Only(120),
        TargetRequirement::Only(121),
    ]))
    .assembler("13.5");

set! { SPARSITY: Sparsity "sparsity";
    "sp",                   Flag(Sparse),        ALWAYS,  "2:4 or 1:2 structured sparsity with metadata in any order";
    "sp::ordered_metadata", Flag(OrderedSparse), ORDERED, "2:4 structured sparsity with metadata in ascending order";
}
set! { ORDERED_ONLY: Sparsity "sparsity"; "sp::ordered_metadata", Flag(OrderedSparse), ORDERED, "2:4 structured sparsity with metadata in ascending order"; }
set! { HALVES: Shape "matrix shape";
    "m16n8k16", Shape(16, 8, 16), ALWAYS, "16 x 8 matrix D with K = 16, where only half of the elements of A are stored";
    "m16n8k32", Shape(16, 8, 32), ALWAYS, "16 x 8 matrix D with K = 32, where only half of the elements of A are stored";
}
set! { TF32S: Shape "matrix shape";
    "m16n8k8",  Shape(16, 8, 8),  ALWAYS, "16 x 8 matrix D with K = 8, where only half of the elements of A are stored";
    "m16n8k16", Shape(16, 8, 16), ALWAYS, "16 x 8 matrix D with K = 16, where only half of the elements of A are stored";
}
set! { BYTES: Shape "matrix shape";
    "m16n8k32", Shape(16, 8, 32), ALWAYS, "16 x 8 matrix D with K = 32, where only half of the elements of A are stored";
    "m16n8k64", Shape(16, 8, 64), ALWAYS, "16 x 8 matrix D with K = 64, where only half of the elements of A are stored";
}
set! { NIBBLES: Shape "matrix shape";
    "m16n8k64",  Shape(16, 8, 64),  ALWAYS, "16 x 8 matrix D with K = 64, where only half of the elements of A are stored";
    "m16n8k128", Shape(16, 8, 128), ALWAYS, "16 x 8 matrix D with K = 128, where only half of the elements of A are stored";
}
set! { DEPTH_64: Shape "matrix shape";  "m16n8k64",  Shape(16, 8, 64),  ALWAYS, "16 x 8 matrix D with K = 64, where only half of the elements of A are stored"; }
set! { DEPTH_128: Shape "matrix shape"; "m16n8k128", Shape(16, 8, 128), ALWAYS, "16 x 8 matrix D with K = 128, where only half of the elements of A are stored"; }

#[rustfmt::skip]
static NV_RULES: &[Rule] = &[
    rule(Restricts { when: any(S::Shape), slot: S::ALayout, among: &["row"] }, "A must be stored with consecutive elements along K"),
    rule(Restricts { when: any(S::Shape), slot: S::BLayout, among: &["col"] }, "B must be stored with consecutive elements along K"),
    rule(Restricts { when: of(S::ScaleVector, &["scale_vec::2X"]), slot: S::ScaleType, among: &["ue8m0"] }, "`scale_vec::2X` requires `ue8m0` scale factors"),
    rule(CombinationGate { a: of(S::ScaleVector, &["scale_vec::4X"]), b: of(S::ScaleType, &["ue8m0"]), gate: since(9, 1) }, "PTX versions before 9.1 require `ue4m3` scale factors for `scale_vec::4X`"),
];

// Functions of the checker validate these operands, because the number and the types of the registers depend on shape and element type.
operands! {
    OPERANDS: "d" Custom(MATRIX_D), "a" Custom(MATRIX_A), "b" Custom(MATRIX_B), "c" Custom(MATRIX_C), "e" Custom("32-bit register with the metadata of the sparse matrix A"), "f" Custom("constant sparsity selector, which selects the threads of each group of four that provide the metadata");
    SCALED: "d" Custom(MATRIX_D), "a" Custom(MATRIX_A), "b" Custom(MATRIX_B), "c" Custom(MATRIX_C), "e" Custom("32-bit register with the metadata of the sparse matrix A"), "f" Custom("constant sparsity selector, which selects the threads of each group of four that provide the metadata"),
        "scale_a" Custom("32-bit register with the scale factors of the rows of A"), "ids_a" Custom(SCALE_IDS), "scale_b" Custom("32-bit register with the scale factors of the columns of B"), "ids_b" Custom(SCALE_IDS);
}

/// Form for one element kind with one accumulator type. The forms of the `exact` variant do not ignore additional types.
macro_rules! product {
    ($syntax:literal, $sets:tt, $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        product!(overlooks PARTS_OF_BYTES, $syntax, $sets, $gate, $help, $good, $bad)
    };
    (exact $syntax:literal, $sets:tt, $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        product!(overlooks &[], $syntax, $sets, $gate, $help, $good, $bad)
    };
    (overlooks $types:expr, $syntax:literal, [$($set:expr),*], $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Matrix(MmaSparse), gate: $gate, types: OPERANDS, repeatable: &[Flag::Sync], rules: ROW_COLUMN,
            ignored_types: $types;
            $help, SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Form with block scaling.
macro_rules! scaled {
    ($syntax:literal, [$($set:expr),*], $gate:expr, $rules:expr, $help:literal, $bad:expr) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, ORDERED_ONLY, $($set),*], Matrix(MmaSparseBlockScaled), gate: $gate, types: SCALED, repeatable: &[Flag::Sync],
            rules: $rules, ignored_types: PARTS_OF_BYTES;
            $help, SECTION; rejected_examples: $bad)
    };
}

/// Instruction forms of sparse `mma`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, HALVES, D_F32, A_F16, B_F16, C_F32], AMPERE,
        "Performs a sparse matrix multiply-accumulate of half-precision values with `f32` accumulation.",
        &["mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r}, r, 1;"],
        &[("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r}, r, 4;", "W0516"),
            ("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r, r, r, r}, {r, r}, {r, r}, {r, r, r, r}, 1, 1;", "W0517")]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, HALVES, D_F16, A_F16, B_F16, C_F16], AMPERE,
        "Performs a sparse matrix multiply-accumulate of half-precision values with half-precision accumulation.",
        &["mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {r, r}, {r, r, r, r}, {r, r, r, r}, {r, r}, r, 0;"],
        &[("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {r, r}, {r, r}, {r, r, r, r}, {r, r}, r, 0;", "W0503")]),
    product!(exact "mma.spvariant.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, HALVES, D_F32, A_BF16, B_BF16, C_F32], AMPERE,
        "Performs a sparse matrix multiply-accumulate of `bf16` values with `f32` accumulation.", &[], &[]),
    product!(exact "mma.spvariant.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, TF32S, D_F32, A_TF32, B_TF32, C_F32], AMPERE,
        "Performs a sparse matrix multiply-accumulate of `tf32` values with `f32` accumulation.", &[], &[]),
    product!(exact "mma.spvariant.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, BYTES, D_S32, A_BYTE, B_BYTE, C_S32], AMPERE,
        "Performs a sparse matrix multiply-accumulate of 8-bit integers with `s32` accumulation.", &[], &[]),
    product!(exact "mma.spvariant.sync.aligned.shape.alayout.blayout{.satfinite}.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, NIBBLES, D_S32, A_NIBBLE, B_NIBBLE, C_S32], AMPERE,
        "Performs a sparse matrix multiply-accumulate of 4-bit integers with `s32` accumulation.", &[], &[]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c, e, f", [SPARSITY, DEPTH_64, D_F32, A_EIGHT, B_EIGHT, C_F32], ADA,
        "Performs a sparse matrix multiply-accumulate of 8-bit floats with `f32` accumulation.", &[], &[]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c, e, f", [ORDERED_ONLY, DEPTH_64, MIXED, D_F32, A_EIGHT, B_EIGHT, C_F32], BLACKWELL,
        "Performs a sparse matrix multiply-accumulate of 8-bit floats with `f32` accumulation.", &[], &[]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c, e, f", [ORDERED_ONLY, DEPTH_64, UNREAD_KIND, D_F32, A_EIGHT, B_EIGHT, C_F32], BLACKWELL,
        "Performs a sparse matrix multiply-accumulate of 8-bit floats with `f32` accumulation. `.kind` has no effect.", &[], &[]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c, e, f", [ORDERED_ONLY, DEPTH_64, MIXED, D_F32, A_NARROW, B_NARROW, C_F32], NARROW,
        "Performs a sparse matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f32` accumulation.", &[], &[]),
    product!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.dtype.atype.btype.ctype d, a, b, c, e, f", [ORDERED_ONLY, DEPTH_64, MIXED, D_F16, A_NARROW, B_NARROW, C_F16], NARROW,
        "Performs a sparse matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f16` accumulation.", &[], &[]),
    scaled!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.block_scale{.scale_vec_size}.dtype.atype.btype.ctype.scale_type d, a, b, c, e, f, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_64, MX_MIXED, ONE, D_F32, A_NARROW, B_NARROW, C_F32, EXPONENTS], NARROW, ROW_COLUMN,
        "Performs a block-scaled sparse matrix multiply-accumulate of 8-bit, 6-bit and 4-bit floats with `f32` accumulation and one scale factor per 32 elements.", &[]),
    scaled!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.block_scale{.scale_vec_size}.dtype.atype.btype.ctype.scale_type d, a, b, c, e, f, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_128, MX_FOUR, TWO, D_F32, A_FOUR, B_FOUR, C_F32, EXPONENTS], FOUR, ROW_COLUMN,
        "Performs a block-scaled sparse matrix multiply-accumulate of 4-bit floats with `f32` accumulation and one scale factor per 32 elements.", &[]),
    scaled!("mma.spvariant.sync.aligned.shape.alayout.blayout.kind.block_scale.scale_vec_size.dtype.atype.btype.ctype.scale_type d, a, b, c, e, f, scale_a, ids_a, scale_b, ids_b",
        [DEPTH_128, NV_FOUR, TWO_OR_FOUR, D_F32, A_FOUR, B_FOUR, C_F32, FACTORS], FOUR, NV_RULES,
        "Performs a block-scaled sparse matrix multiply-accumulate of 4-bit floats with `f32` accumulation and one scale factor per 16 or 32 elements.", &[]),
];
