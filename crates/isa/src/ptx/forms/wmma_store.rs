//! Warp-wide stores of matrix fragments (PTX ISA, "wmma.store"). Each form covers one family of shapes.

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{GLOBAL, SHARED, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, rule};
use crate::form::{Form, Gate};
use crate::modifier::{Flag, MatrixLayout::*, VectorWidth::*};
use crate::operation::MatrixOp::WmmaStore;
use crate::target::Feature::{Wmma, WmmaInteger, WmmaSubByte, WmmaWide};
use crate::version::Version;

const ASSEMBLER: &str = "13.5";
const SECTION: &str = "warp-level-matrix-instructions-wmma-st";
/// Gate of forms with floating-point fragments. The manual specifies PTX 6.0.
const FLOATS: Gate = since(5, 1).with(Wmma).assembler(ASSEMBLER);
/// Gate of forms with integer fragments.
const INTEGERS: Gate = since(6, 3).with(WmmaInteger);
/// Gate of sub-byte integers and single bits.
const SUB_BYTE: Gate = since(6, 3).with(WmmaSubByte);
/// Gate of `.m16n16k8` and double precision.
const AMPERE: Gate = since(7, 0).with(WmmaWide);

set! { LAYOUT: Layout "matrix layout";
    "row", Layout(Row), ALWAYS, "row-major storage, in which the elements of a row are adjacent in memory";
    "col", Layout(Col), ALWAYS, "column-major storage, in which the elements of a column are adjacent in memory";
}
set! { SPACE: Space "state space"; GLOBAL; SHARED; SHARED_CTA; }
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), FLOATS, "optional number of registers in the brace-enclosed list";
    "v4", Vector(V4), FLOATS, "optional number of registers in the brace-enclosed list";
}
set! { SHAPE_16: Shape "matrix shape";
    "m16n16k16", Shape(16, 16, 16), FLOATS,                 "16 x 16 matrix";
    "m8n32k16",  Shape(8, 32, 16),  since(6, 1).with(Wmma), "8 x 32 matrix";
    "m32n8k16",  Shape(32, 8, 16),  since(6, 1).with(Wmma), "32 x 8 matrix";
}
set! { SHAPE_SUB_BYTE: Shape "matrix shape";
    "m8n8k32",  Shape(8, 8, 32),  SUB_BYTE, "8 x 8 result matrix of a 4-bit integer multiplication";
    "m8n8k128", Shape(8, 8, 128), SUB_BYTE, "8 x 8 result matrix of a single-bit multiplication";
}
set! { SHAPE_TF32: Shape "matrix shape";
    "m16n16k8", Shape(16, 16, 8), AMPERE, "16 x 16 result matrix of a `tf32` multiplication";
}
set! { SHAPE_DOUBLE: Shape "matrix shape";
    "m8n8k4", Shape(8, 8, 4), AMPERE, "8 x 8 result matrix of a double-precision multiplication";
}
types!(TYPE_16, Type; FLOATS => F16 F32; INTEGERS => S32);
types!(TYPE_SUB_BYTE, Type; INTEGERS => S32; SUB_BYTE.assembler(ASSEMBLER) => F32);
types!(TYPE_TF32, Type; FLOATS => F32);
types!(TYPE_DOUBLE, Type; AMPERE => F64);

/// Rules between the modifiers of `wmma.store`, and modifiers that users commonly try.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    rule(ForeignModifier { words: &["const", "local", "param", "param::func", "param::entry", "shared::cluster"] },
        "a matrix can be stored only to global memory or shared memory of the block"),
    rule(ForeignModifier { words: &["f16x2", "bf16", "tf32", "b32", "u32"] }, "the elements of matrix D must be `.f16`, `.f32`, `.s32` or `.f64`"),
];

/// First version that requires `.aligned`. Earlier versions reject `.aligned`.
const ALIGNED: &[(Flag, Version)] = &[(Flag::Aligned, Version::new(6, 3))];

// Functions of the checker validate these operands, because the number and the types of the registers depend on shape and element type.
operands! {
    OPERANDS: "p" Custom("address of the first element"), "r" Custom("brace-enclosed list of registers that hold the matrix fragment"), "stride" Bits(32);
}

/// Instruction forms of `wmma.store`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        [LAYOUT, SHAPE_16, SPACE, VECTOR, TYPE_16], Matrix(WmmaStore), n_name_modifiers: 2, gate: FLOATS, types: OPERANDS,
        address: Strict, reports: Everything, required_from: ALIGNED, repeatable: &[Flag::Sync], rules: RULES, ignored_types: &["b2"];
        "Stores matrix D from the fragments of the warp. `stride` is the distance between consecutive rows or columns in elements.", SECTION;
        accepted_examples: &["wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [p], {r, r, r, r, r, r, r, r}, stride;",
            "wmma.store.d.sync.aligned.col.m8n32k16.f16 [p], {r, r, r, r};"],
        rejected_examples: &[("wmma.store.d.sync.row.m16n16k16.f32 [p], {r, r, r, r, r, r, r, r};", "W0501"),
            ("wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {r, r};", "W0503")]),
    form!("wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        [LAYOUT, SHAPE_SUB_BYTE, SPACE, VECTOR, TYPE_SUB_BYTE], Matrix(WmmaStore), n_name_modifiers: 2, gate: SUB_BYTE, types: OPERANDS,
        address: Strict, reports: Everything, required_from: ALIGNED, repeatable: &[Flag::Sync], rules: RULES, ignored_types: &["b2"];
        "Stores the result matrix D of a `wmma.mma` of 4-bit integers or single bits from the fragments of the warp.", SECTION;
        accepted_examples: &["wmma.store.d.sync.aligned.row.m8n8k128.s32 [p], {r, r};"],
        rejected_examples: &[("wmma.store.d.sync.aligned.row.m8n8k32.v4.s32 [p], {r, r};", "W0515")]),
    form!("wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        [LAYOUT, SHAPE_TF32, SPACE, VECTOR, TYPE_TF32], Matrix(WmmaStore), n_name_modifiers: 2, gate: AMPERE, types: OPERANDS,
        address: Strict, reports: Everything, required_from: ALIGNED, repeatable: &[Flag::Sync], rules: RULES, ignored_types: &["b2"];
        "Stores the result matrix D of a `wmma.mma` of `tf32` values from the fragments of the warp.", SECTION;
        accepted_examples: &["wmma.store.d.sync.aligned.row.m16n16k8.f32 [p], {r, r, r, r, r, r, r, r};"],
        rejected_examples: &[("wmma.store.d.sync.aligned.row.m16n16k8.f32 [p], r;", "W0506")]),
    form!("wmma.store.d.sync{.aligned}.layout.shape{.ss}{.vec}.type [p], r{, stride}",
        [LAYOUT, SHAPE_DOUBLE, SPACE, VECTOR, TYPE_DOUBLE], Matrix(WmmaStore), n_name_modifiers: 2, gate: AMPERE, types: OPERANDS,
        address: Strict, reports: Everything, required_from: ALIGNED, repeatable: &[Flag::Sync], rules: RULES, ignored_types: &["b2"];
        "Stores matrix D of double-precision values from the fragments of the warp.", SECTION;
        accepted_examples: &["wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [p], {r, r};"],
        rejected_examples: &[("wmma.store.d.sync.aligned.col.m8n8k4.shared.f64 [p], {r, r}, 1.0;", "W0508")]),
];
