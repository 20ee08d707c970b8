//! Matrix transfers between shared memory and fragments (PTX ISA, "ldmatrix", "stmatrix").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{SHARED, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, rule};
use crate::form::{Form, Gate};
use crate::modifier::{Flag, MatrixCount::*, MatrixLayout::*, Unpacking::*};
use crate::operation::MatrixOp::{Ldmatrix, Stmatrix};
use crate::target::TargetRequirement::{Family, OneOf};

const ASSEMBLER: &str = "13.5";
const LOADS: &str = "warp-level-matrix-instructions-ldmatrix";
const STORES: &str = "warp-level-matrix-instructions-stmatrix";
const TURING: Gate = since(6, 5).sm(75);
const HOPPER: Gate = since(7, 8).sm(90);
/// Gate of matrices with byte elements.
const BYTES: Gate = since(8, 6).on(OneOf(&[Family(100), Family(101), Family(120)]));
/// Gate of modifiers that the assembler accepts and ignores, although the manual does not document them.
const UNCHECKED: Gate = ALWAYS.assembler(ASSEMBLER);

set! { M8N8: Shape "matrix shape";   "m8n8",   Shape(8, 8, 0),   ALWAYS, "8 x 8 matrix of 16-bit elements"; }
set! { M8N16: Shape "matrix shape";  "m8n16",  Shape(8, 16, 0),  ALWAYS, "8 x 16 matrix"; }
set! { M16N16: Shape "matrix shape"; "m16n16", Shape(16, 16, 0), ALWAYS, "16 x 16 matrix"; }
set! { M16N8: Shape "matrix shape";  "m16n8",  Shape(16, 8, 0),  ALWAYS, "16 x 8 matrix"; }
set! { COUNT: Count "number of matrices";
    "x1",   Count(X1),   ALWAYS,    "one matrix, with row addresses provided by lanes 0 to 7";
    "x2",   Count(X2),   ALWAYS,    "two matrices, with row addresses provided by lanes 0 to 15";
    "x4",   Count(X4),   ALWAYS,    "four matrices, with row addresses provided by all lanes";
    "x8",   Count(X8),   UNCHECKED, "undocumented modifier";
    "x16",  Count(X16),  UNCHECKED, "undocumented modifier";
    "x32",  Count(X32),  UNCHECKED, "undocumented modifier";
    "x64",  Count(X64),  UNCHECKED, "undocumented modifier";
    "x128", Count(X128), UNCHECKED, "undocumented modifier";
}
set! { COUNT_OF_LARGE: Count "number of matrices";
    "x1",   Count(X1),   ALWAYS,    "one matrix, with row addresses provided by lanes 0 to 15";
    "x2",   Count(X2),   ALWAYS,    "two matrices, with row addresses provided by all lanes";
    "x8",   Count(X8),   UNCHECKED, "undocumented modifier";
    "x16",  Count(X16),  UNCHECKED, "undocumented modifier";
    "x32",  Count(X32),  UNCHECKED, "undocumented modifier";
    "x64",  Count(X64),  UNCHECKED, "undocumented modifier";
    "x128", Count(X128), UNCHECKED, "undocumented modifier";
}
set! { SPACE: Space "state space"; SHARED; SHARED_CTA; }
set! { UNPACKING: Unpacking "format in memory";
    "b6x16_p32", Unpacking(B6), ALWAYS, "chunks of 16 elements with 6 bits each, followed by 32 bits of padding";
    "b4x16_p64", Unpacking(B4), ALWAYS, "chunks of 16 elements with 4 bits each, followed by 64 bits of padding";
}
// Layout modifiers that the assembler accepts and ignores on `stmatrix` and `movmatrix`.
set! { LAYOUT: Layout "matrix layout";
    "row", Layout(Row), UNCHECKED, "undocumented modifier";
    "col", Layout(Col), UNCHECKED, "undocumented modifier";
}
types!(HALF_WORDS, Type, B16);
types!(SINGLE_BYTES, Type, B8);

#[rustfmt::skip]
static RULES: &[Rule] = &[
    rule(ForeignModifier { words: &["const", "global", "local", "param", "param::func", "param::entry", "shared::cluster"] },
        "the matrices must be located in shared memory of the block"),
];

// Functions of the checker validate these operands, because the number of registers depends on the shape and on the number of matrices.
operands! {
    LOADED: "d" Custom("brace-enclosed list of registers that hold the matrix fragment");
    STORED: "r" Custom("brace-enclosed list of registers that hold the matrix fragment");
}

/// Form of `ldmatrix`.
macro_rules! load {
    ($syntax:literal, [$($set:expr),*], $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [$($set),*], Matrix(Ldmatrix), gate: $gate, types: LOADED, address: AnyWidth, repeatable: &[Flag::Sync], rules: RULES;
            $help, LOADS; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Form of `stmatrix`.
macro_rules! store {
    ($syntax:literal, [$($set:expr),*], $gate:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [$($set),*], Matrix(Stmatrix), gate: $gate, destination_operands: &[], types: STORED, address: AnyWidth, repeatable: &[Flag::Sync], rules: RULES;
            $help, STORES; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Instruction forms of `ldmatrix` and `stmatrix`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    load!("ldmatrix.sync.aligned.shape.num{.trans}{.ss}.type d, [a]", [M8N8, COUNT, SPACE, HALF_WORDS], TURING,
        "Loads matrices of 16-bit elements from shared memory. The lanes provide the row addresses.",
        &["ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r, r, r, r}, [a];", "ldmatrix.sync.aligned.m8n8.x1.trans.b16 {r}, [a];"],
        &[("ldmatrix.sync.aligned.m8n8.x2.b16 {r}, [a];", "W0503"), ("ldmatrix.sync.aligned.m8n8.x1.global.b16 {r}, [a];", "W0309")]),
    load!("ldmatrix.sync.aligned.shape.num.trans{.ss}.type d, [a]", [M16N16, COUNT_OF_LARGE, SPACE, SINGLE_BYTES], BYTES,
        "Loads and transposes matrices of bytes from shared memory.",
        &[], &[("ldmatrix.sync.aligned.m16n16.x1.b8 {r, r}, [a];", "W0105")]),
    load!("ldmatrix.sync.aligned.shape.num{.ss}.b8x16.src_fmt d, [a]", [M8N16, COUNT, SPACE, UNPACKING], BYTES,
        "Loads matrices of 6-bit or 4-bit elements from shared memory and expands each element to one byte.",
        &[], &[("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16 {r}, [a];", "W0105")]),
    load!("ldmatrix.sync.aligned.shape.num.trans{.ss}.b8x16.src_fmt d, [a]", [M16N16, COUNT_OF_LARGE, SPACE, UNPACKING], BYTES,
        "Loads and transposes matrices of 6-bit or 4-bit elements from shared memory and expands each element to one byte.",
        &[], &[("ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8x16.b4x16_p64 {r, r, r, r}, [a];", "W0102")]),
    store!("stmatrix.sync.aligned.shape.num{.trans}{.layout}{.ss}.type [a], r", [M8N8, COUNT, LAYOUT, SPACE, HALF_WORDS], HOPPER,
        "Stores matrices of 16-bit elements to shared memory. The lanes provide the row addresses.",
        &["stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [a], {r, r, r, r};"], &[("stmatrix.sync.aligned.m8n8.x2.b16 [a], {r, _};", "W0507")]),
    store!("stmatrix.sync.aligned.shape.num.trans{.layout}{.ss}.type [a], r", [M16N8, COUNT, LAYOUT, SPACE, SINGLE_BYTES], BYTES,
        "Transposes matrices of bytes and stores them to shared memory.",
        &[], &[("stmatrix.sync.aligned.m16n8.x1.b8 [a], {r};", "W0105")]),
];
