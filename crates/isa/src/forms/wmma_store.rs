//! Warp-wide stores of matrix fragments (PTX ISA, "wmma.store"). In: nothing; out: the rows.
//!
//! Each row is one family of shapes. `.aligned` is in all of them: whether it must or must not be written depends on
//! the PTX version alone (required from 6.3 on, refused before).

use super::sets::{GLOBAL, SHARED, SHARED_CTA, plain, set, ty_from, value};
use crate::does::Does;
use crate::does::MatrixOp;
use crate::form::rule::{Rule, RuleKind, rule};
use crate::form::{Form, Gate, Meaning, OperandType, Set, Value};
use crate::modifier::{MatrixLayout, VectorWidth};
use crate::types::ScalarType::{F16, F32, F64, S32};

const ASSEMBLER: &str = "13.5";
const SECTION: &str = "warp-level-matrix-instructions-wmma-st";
/// Fragments of floating-point numbers; the manual says 6.0.
const FLOATS: Gate = Gate::ptx(5, 1).sm(70).assembler(ASSEMBLER);
/// Fragments of integers.
const INTEGERS: Gate = Gate::ptx(6, 3).sm(72);
/// Fragments of integers of less than a byte, and of single bits.
const SUB_BYTE: Gate = Gate::ptx(6, 3).sm(75);
/// `.m16n16k8`, and double precision.
const AMPERE: Gate = Gate::ptx(7, 0).sm(80);

set!(
    LAYOUT,
    "layout",
    "matrix layout",
    [
        plain(
            "row",
            Meaning::Layout(MatrixLayout::Row),
            "neighbours in memory are neighbours in a row"
        ),
        plain(
            "col",
            Meaning::Layout(MatrixLayout::Col),
            "neighbours in memory are neighbours in a column"
        ),
    ]
);
set!(SPACE, "ss", "state space", [GLOBAL, SHARED, SHARED_CTA]);
set!(
    VECTOR,
    "vec",
    "vector width",
    [width("v2", VectorWidth::V2), width("v4", VectorWidth::V4)]
);
set!(
    SHAPE_16,
    "shape",
    "matrix shape",
    [
        value(
            "m16n16k16",
            Meaning::Shape(16, 16, 16),
            FLOATS,
            "a matrix of 16 rows and 16 columns"
        ),
        value(
            "m8n32k16",
            Meaning::Shape(8, 32, 16),
            Gate::ptx(6, 1).sm(70),
            "a matrix of 8 rows and 32 columns"
        ),
        value(
            "m32n8k16",
            Meaning::Shape(32, 8, 16),
            Gate::ptx(6, 1).sm(70),
            "a matrix of 32 rows and 8 columns"
        ),
    ]
);
set!(
    SHAPE_SUB_BYTE,
    "shape",
    "matrix shape",
    [
        value(
            "m8n8k32",
            Meaning::Shape(8, 8, 32),
            SUB_BYTE,
            "a matrix of 8 rows and 8 columns, product of 4-bit integers"
        ),
        value(
            "m8n8k128",
            Meaning::Shape(8, 8, 128),
            SUB_BYTE,
            "a matrix of 8 rows and 8 columns, product of single bits"
        ),
    ]
);
set!(
    SHAPE_TF32,
    "shape",
    "matrix shape",
    [value(
        "m16n16k8",
        Meaning::Shape(16, 16, 8),
        AMPERE,
        "a matrix of 16 rows and 16 columns, product of tf32 numbers"
    )]
);
set!(
    SHAPE_DOUBLE,
    "shape",
    "matrix shape",
    [value(
        "m8n8k4",
        Meaning::Shape(8, 8, 4),
        AMPERE,
        "a matrix of 8 rows and 8 columns, product of doubles"
    )]
);
set!(
    TYPE_16,
    "type",
    "type",
    [
        ty_from(F16, FLOATS),
        ty_from(F32, FLOATS),
        ty_from(S32, INTEGERS)
    ]
);
set!(
    TYPE_SUB_BYTE,
    "type",
    "type",
    [
        ty_from(S32, INTEGERS),
        ty_from(F32, SUB_BYTE.assembler(ASSEMBLER))
    ]
);
set!(TYPE_TF32, "type", "type", [ty_from(F32, FLOATS)]);
set!(TYPE_DOUBLE, "type", "type", [ty_from(F64, AMPERE)]);

const fn width(text: &'static str, width: VectorWidth) -> Value {
    value(
        text,
        Meaning::Vector(width),
        FLOATS,
        "the number of registers in the braces, which need not be said",
    )
}

/// Every set of shapes, for finding the row that has a shape.
pub static SHAPES: &[&Set] = &[&SHAPE_16, &SHAPE_SUB_BYTE, &SHAPE_TF32, &SHAPE_DOUBLE];

/// The shape with this spelling, in whichever row.
pub fn shape(word: &str) -> Option<&'static Value> {
    let values = SHAPES.iter().flat_map(|set| set.values);
    values.into_iter().find(|value| value.text == word)
}

/// Elements of the fragment that a thread holds: registers in the braces of `r`.
pub const fn n_registers(rows: u16, columns: u16, is_packed_half: bool) -> usize {
    let per_lane = rows as usize * columns as usize / 32;
    match is_packed_half {
        true => per_lane / 2,
        false => per_lane,
    }
}

/// What holds between the modifiers of `wmma.store`, and what people try.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    rule(RuleKind::Refused { words: &["const", "local", "param", "param::func", "param::entry", "shared::cluster"] }, "a matrix is stored to global or shared memory of the block"),
    rule(RuleKind::Refused { words: &["f16x2", "bf16", "tf32", "b32", "u32"] }, "a result matrix has elements `.f16`, `.f32`, `.s32` or `.f64`"),
];

/// Judged by code: how many registers, of which types, follows from shape and element type.
const OPERANDS: &[(&str, OperandType)] = &[
    ("p", OperandType::Custom),
    ("r", OperandType::Custom),
    ("stride", OperandType::Custom),
];

/// The forms of `wmma.store`.
pub static FORMS: &[Form] = &[
    Form {
        syntax: "wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        sets: &[&LAYOUT, &SHAPE_16, &SPACE, &VECTOR, &TYPE_16],
        types: OPERANDS,
        gate: FLOATS,
        does: Does::Matrix(MatrixOp::WmmaStore),
        rules: RULES,
        help: "The lanes of a warp together write a result matrix from their fragments, one line every stride elements.",
        section: SECTION,
        good: &[
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [p], {r, r, r, r, r, r, r, r}, stride;",
            "wmma.store.d.sync.aligned.col.m8n32k16.f16 [p], {r, r, r, r};",
        ],
        bad: &[
            (
                "wmma.store.d.sync.row.m16n16k16.f32 [p], {r, r, r, r, r, r, r, r};",
                "W0501",
            ),
            (
                "wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {r, r};",
                "W0503",
            ),
        ],
    },
    Form {
        syntax: "wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        sets: &[&LAYOUT, &SHAPE_SUB_BYTE, &SPACE, &VECTOR, &TYPE_SUB_BYTE],
        types: OPERANDS,
        gate: SUB_BYTE,
        does: Does::Matrix(MatrixOp::WmmaStore),
        rules: RULES,
        help: "The same for the product of matrices of 4-bit integers or single bits.",
        section: SECTION,
        good: &["wmma.store.d.sync.aligned.row.m8n8k128.s32 [p], {r, r};"],
        bad: &[(
            "wmma.store.d.sync.aligned.row.m8n8k32.v4.s32 [p], {r, r};",
            "W0515",
        )],
    },
    Form {
        syntax: "wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        sets: &[&LAYOUT, &SHAPE_TF32, &SPACE, &VECTOR, &TYPE_TF32],
        types: OPERANDS,
        gate: AMPERE,
        does: Does::Matrix(MatrixOp::WmmaStore),
        rules: RULES,
        help: "The same for the product of tf32 matrices.",
        section: SECTION,
        good: &["wmma.store.d.sync.aligned.row.m16n16k8.f32 [p], {r, r, r, r, r, r, r, r};"],
        bad: &[(
            "wmma.store.d.sync.aligned.row.m16n16k8.f32 [p], r;",
            "W0506",
        )],
    },
    Form {
        syntax: "wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        sets: &[&LAYOUT, &SHAPE_DOUBLE, &SPACE, &VECTOR, &TYPE_DOUBLE],
        types: OPERANDS,
        gate: AMPERE,
        does: Does::Matrix(MatrixOp::WmmaStore),
        rules: RULES,
        help: "The same for the product of double-precision matrices.",
        section: SECTION,
        good: &["wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [p], {r, r};"],
        bad: &[(
            "wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [p], {r, r}, 1.0;",
            "W0508",
        )],
    },
];
