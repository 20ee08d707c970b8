//! Warp-wide loads of matrix fragments (PTX ISA, "wmma.load"). Each form covers one matrix and one family of shapes.

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{GLOBAL, SHARED, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, any, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{Flag, MatrixLayout::*};
use crate::operation::MatrixOp::{WmmaLoadA, WmmaLoadB, WmmaLoadC};
use crate::target::Feature::{Wmma, WmmaInteger, WmmaSubByte, WmmaWide};
use crate::version::Version;

const SECTION: &str = "warp-level-matrix-instructions-wmma-ld";
/// Gate of forms with floating-point fragments.
pub(super) const FLOATS: Gate = since(6, 0).with(Wmma);
/// Gate of forms with non-square shapes.
pub(super) const OBLONG: Gate = since(6, 1).with(Wmma);
/// Gate of forms with integer fragments.
pub(super) const INTEGERS: Gate = since(6, 3).with(WmmaInteger);
/// Gate of sub-byte integers and single bits.
pub(super) const SUB_BYTE: Gate = since(6, 3).with(WmmaSubByte);
/// Gate of `bf16`, `tf32` and double precision.
pub(super) const AMPERE: Gate = since(7, 0).with(WmmaWide);

set! { LAYOUT: Layout "matrix layout";
    "row", Layout(Row), ALWAYS, "row-major storage, in which the elements of a row are adjacent in memory";
    "col", Layout(Col), ALWAYS, "column-major storage, in which the elements of a column are adjacent in memory";
}
set! { SPACE: Space "state space"; GLOBAL; SHARED; SHARED_CTA; }
set! { SHAPE_16: Shape "matrix shape";
    "m16n16k16", Shape(16, 16, 16), FLOATS, "16 x 16 matrix D with K = 16";
    "m8n32k16",  Shape(8, 32, 16),  OBLONG, "8 x 32 matrix D with K = 16";
    "m32n8k16",  Shape(32, 8, 16),  OBLONG, "32 x 8 matrix D with K = 16";
}
set! { SHAPE_NIBBLE: Shape "matrix shape"; "m8n8k32",  Shape(8, 8, 32),   SUB_BYTE, "8 x 8 matrix D with K = 32"; }
set! { SHAPE_BIT: Shape "matrix shape";    "m8n8k128", Shape(8, 8, 128),  SUB_BYTE, "8 x 8 matrix D with K = 128 bits"; }
set! { SHAPE_SUB_BYTE: Shape "matrix shape";
    "m8n8k32",  Shape(8, 8, 32),  SUB_BYTE, "8 x 8 matrix D with K = 32";
    "m8n8k128", Shape(8, 8, 128), SUB_BYTE, "8 x 8 matrix D with K = 128 bits";
}
set! { SHAPE_TF32: Shape "matrix shape";   "m16n16k8", Shape(16, 16, 8),  AMPERE, "16 x 16 matrix D with K = 8"; }
set! { SHAPE_DOUBLE: Shape "matrix shape"; "m8n8k4",   Shape(8, 8, 4),    AMPERE, "8 x 8 matrix D with K = 4"; }
types!(FACTOR_16, Type; FLOATS => F16; INTEGERS => U8 S8; AMPERE => Bf16);
types!(FACTOR_NIBBLE, Type; SUB_BYTE => U4 S4);
types!(FACTOR_BIT, Type; SUB_BYTE => B1);
types!(FACTOR_TF32, Type; AMPERE => Tf32);
types!(TYPE_DOUBLE, Type; AMPERE => F64);
types!(SUM_16, Type; FLOATS => F16 F32; INTEGERS => S32);
types!(SUM_SUB_BYTE, Type; SUB_BYTE => S32);
types!(SUM_TF32, Type; AMPERE => F32);

const SPACES: Rule = rule(
    ForeignModifier {
        words: &[
            "const",
            "local",
            "param",
            "param::func",
            "param::entry",
            "shared::cluster",
        ],
    },
    "a matrix can be loaded only from global memory or shared memory of the block",
);
static RULES: &[Rule] = &[SPACES];
/// Rules for sub-byte types, whose elements must be contiguous along k.
#[rustfmt::skip]
static BY_ROWS: &[Rule] = &[SPACES, rule(Restricts { when: any(S::Shape), slot: S::Layout, among: &["row"] }, "A must be stored with consecutive elements along K")];
#[rustfmt::skip]
static BY_COLUMNS: &[Rule] = &[SPACES, rule(Restricts { when: any(S::Shape), slot: S::Layout, among: &["col"] }, "B must be stored with consecutive elements along K")];

/// First version that requires `.aligned`. Earlier versions reject `.aligned`.
pub(super) const ALIGNED: &[(Flag, Version)] = &[(Flag::Aligned, Version::new(6, 3))];

// Functions of the checker validate these operands, because the number and the types of the registers depend on shape and element type.
operands! {
    OPERANDS: "r" Custom("brace-enclosed list of registers that hold the matrix fragment"), "p" Custom("address of the first element"), "stride" Bits(32);
}

/// Creates the form that loads one matrix.
macro_rules! load {
    ($syntax:literal, $does:ident, [$($set:expr),*], $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        load!($syntax, $does, [$($set),*], $gate, RULES, $help, $good, $bad)
    };
    ($syntax:literal, $does:ident, [$($set:expr),*], $gate:expr, $rules:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [$($set),*], Matrix($does), n_name_modifiers: 2, gate: $gate, destination_operands: &["r"], types: OPERANDS, address: Strict,
            reports: Everything, required_from: ALIGNED, repeatable: &[Flag::Sync], rules: $rules, ignored_types: &["b2"];
            $help, SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Instruction forms of `wmma.load`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    load!("wmma.load.a.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadA, [LAYOUT, SHAPE_16, SPACE, FACTOR_16], FLOATS,
        "Loads matrix A into the fragments of the warp. `stride` is the distance between consecutive rows or columns in elements.",
        &["wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {r, r, r, r, r, r, r, r}, [p], stride;",
            "wmma.load.a.sync.aligned.col.m8n32k16.bf16 {r, r}, [p];"],
        &[("wmma.load.a.sync.row.m16n16k16.s8 {r, r}, [p];", "W0501"), ("wmma.load.a.sync.aligned.row.m16n16k16.s8 {r}, [p];", "W0503")]),
    load!("wmma.load.a.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadA, [LAYOUT, SHAPE_NIBBLE, SPACE, FACTOR_NIBBLE], SUB_BYTE, BY_ROWS,
        "Loads the row-major matrix A of 4-bit integers into the fragments of the warp.",
        &["wmma.load.a.sync.aligned.row.m8n8k32.u4 {r}, [p];"], &[("wmma.load.a.sync.aligned.col.m8n8k32.u4 {r}, [p];", "W0302")]),
    load!("wmma.load.a.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadA, [LAYOUT, SHAPE_BIT, SPACE, FACTOR_BIT], SUB_BYTE, BY_ROWS,
        "Loads the row-major matrix A of single bits into the fragments of the warp.",
        &["wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {r}, [p];"], &[("wmma.load.a.sync.aligned.row.m8n8k128.u4 {r}, [p];", "W0104")]),
    load!("wmma.load.a.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadA, [LAYOUT, SHAPE_TF32, SPACE, FACTOR_TF32], AMPERE,
        "Loads matrix A of `tf32` values into the fragments of the warp.",
        &["wmma.load.a.sync.aligned.row.m16n16k8.tf32 {r, r, r, r}, [p], 8;"], &[("wmma.load.a.sync.aligned.row.m16n16k8.tf32 r, [p];", "W0506")]),
    load!("wmma.load.a.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadA, [LAYOUT, SHAPE_DOUBLE, SPACE, TYPE_DOUBLE], AMPERE,
        "Loads matrix A of double-precision values into the fragments of the warp.",
        &["wmma.load.a.sync.aligned.col.m8n8k4.shared.f64 {r}, [p];"], &[("wmma.load.a.sync.aligned.col.m8n8k4.f64 {r}, [p], 1.0;", "W0508")]),
    load!("wmma.load.b.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadB, [LAYOUT, SHAPE_16, SPACE, FACTOR_16], FLOATS,
        "Loads matrix B into the fragments of the warp. `stride` is the distance between consecutive rows or columns in elements.",
        &["wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {r, r, r, r, r, r, r, r}, [p], stride;"],
        &[("wmma.load.b.sync.aligned.col.m32n8k16.bf16 {r, r, r, r}, [p];", "W0503")]),
    load!("wmma.load.b.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadB, [LAYOUT, SHAPE_NIBBLE, SPACE, FACTOR_NIBBLE], SUB_BYTE, BY_COLUMNS,
        "Loads the column-major matrix B of 4-bit integers into the fragments of the warp.",
        &["wmma.load.b.sync.aligned.col.m8n8k32.s4 {r}, [p];"], &[("wmma.load.b.sync.aligned.row.m8n8k32.s4 {r}, [p];", "W0302")]),
    load!("wmma.load.b.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadB, [LAYOUT, SHAPE_BIT, SPACE, FACTOR_BIT], SUB_BYTE, BY_COLUMNS,
        "Loads the column-major matrix B of single bits into the fragments of the warp.",
        &["wmma.load.b.sync.aligned.col.m8n8k128.b1 {r}, [p], 128;"], &[("wmma.load.b.sync.aligned.col.m8n8k128.b1 {r}, p;", "W0509")]),
    load!("wmma.load.b.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadB, [LAYOUT, SHAPE_TF32, SPACE, FACTOR_TF32], AMPERE,
        "Loads matrix B of `tf32` values into the fragments of the warp.",
        &["wmma.load.b.sync.aligned.col.m16n16k8.tf32 {r, r, r, r}, [p];"], &[("wmma.load.b.sync.aligned.col.m16n16k8.tf32 {r, r, r, 1}, [p];", "W0507")]),
    load!("wmma.load.b.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadB, [LAYOUT, SHAPE_DOUBLE, SPACE, TYPE_DOUBLE], AMPERE,
        "Loads matrix B of double-precision values into the fragments of the warp.",
        &["wmma.load.b.sync.aligned.row.m8n8k4.f64 {r}, [p];"], &[("wmma.load.b.sync.aligned.row.m8n8k4.f64 {r, r}, [p];", "W0503")]),
    load!("wmma.load.c.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadC, [LAYOUT, SHAPE_16, SPACE, SUM_16], FLOATS,
        "Loads matrix C into the fragments of the warp. `stride` is the distance between consecutive rows or columns in elements.",
        &["wmma.load.c.sync.aligned.row.m16n16k16.f32 {r, r, r, r, r, r, r, r}, [p];", "wmma.load.c.sync.aligned.col.m8n32k16.f16 {r, r, r, r}, [p], stride;"],
        &[("wmma.load.c.sync.aligned.row.m16n16k16.bf16 {r, r, r, r}, [p];", "W0104")]),
    load!("wmma.load.c.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadC, [LAYOUT, SHAPE_SUB_BYTE, SPACE, SUM_SUB_BYTE], SUB_BYTE,
        "Loads the accumulator matrix C for a `wmma.mma` of 4-bit integers or single bits.",
        &["wmma.load.c.sync.aligned.row.m8n8k128.s32 {r, r}, [p];"], &[("wmma.load.c.sync.aligned.row.m8n8k128.s32 {r}, [p];", "W0503")]),
    load!("wmma.load.c.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadC, [LAYOUT, SHAPE_TF32, SPACE, SUM_TF32], AMPERE,
        "Loads the accumulator matrix C for a `wmma.mma` of `tf32` values.",
        &["wmma.load.c.sync.aligned.row.m16n16k8.f32 {r, r, r, r, r, r, r, r}, [p];"], &[("wmma.load.c.sync.aligned.m16n16k8.f32 {r, r, r, r, r, r, r, r}, [p];", "W0105")]),
    load!("wmma.load.c.sync{.aligned}.layout.shape{.ss}.type r, [p]{, stride}", WmmaLoadC, [LAYOUT, SHAPE_DOUBLE, SPACE, TYPE_DOUBLE], AMPERE,
        "Loads matrix C of double-precision values into the fragments of the warp.",
        &["wmma.load.c.sync.aligned.col.m8n8k4.f64 {r, r}, [p];"], &[("wmma.load.c.sync.aligned.col.m8n8k4.f64 {_, _}, [p];", "W0507")]),
];
