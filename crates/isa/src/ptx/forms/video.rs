//! Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use crate::form::rule::{Rule, RuleKind::*, any, assembler};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::Flag::{self, Shr7, Shr15};
use crate::modifier::{CompareOp, OverflowMode, ReduceOp};
use crate::operation::SimdWidth::{Four, One, Two};
use crate::operation::VideoOp::{AbsDiff, Add, Average, Mad, Max, Min, Set, Shl, Shr, Sub};

const SCALAR: Gate = since(2, 0).sm(20);
const LANES: Gate = since(3, 0).sm(30);
const SCALAR_SECTION: &str = "scalar-video-instructions-vadd-vsub-vabsdiff-vmin-vmax";
const SHIFT_SECTION: &str = "scalar-video-instructions-vshl-vshr";
const MAD_SECTION: &str = "scalar-video-instructions-vmad";
const SET_SECTION: &str = "scalar-video-instructions-vset";
const TWO_SECTION: &str = "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2";
const FOUR_SECTION: &str = "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4";
const SET_TWO_SECTION: &str = "simd-video-instructions-vset2";
const SET_FOUR_SECTION: &str = "simd-video-instructions-vset4";

types!(TO, DType, U32 S32);
types!(FIRST, AType, U32 S32);
types!(SECOND, BType, U32 S32);
types!(AMOUNT, BType, U32);
set! { SECONDARY: Op "secondary operation";
    "add", Reduce(ReduceOp::Add), ALWAYS, "adds c to the result";
    "min", Reduce(ReduceOp::Min), ALWAYS, "returns the minimum of the result and c";
    "max", Reduce(ReduceOp::Max), ALWAYS, "returns the maximum of the result and c";
}
set! { SUMMED: Op "secondary operation";
    "add", Reduce(ReduceOp::Add), ALWAYS, "accumulates the results in c";
}
set! { OVERFLOW: Mode "mode";
    "clamp", Overflow(OverflowMode::Clamp), ALWAYS, "clamps shift amounts greater than 32 to 32";
    "wrap",  Overflow(OverflowMode::Wrap),  ALWAYS, "uses only the low 5 bits of the shift amount";
}
set! { SCALE: Mode "scaling";
    "shr7",  Flag(Shr7),  ALWAYS, "shifts the result right by 7 bits";
    "shr15", Flag(Shr15), ALWAYS, "shifts the result right by 15 bits";
}
set! { ORDER: Compare "comparison";
    "eq", Compare(CompareOp::Eq), ALWAYS, "true if a is equal to b";
    "ne", Compare(CompareOp::Ne), ALWAYS, "true if a is not equal to b";
    "lt", Compare(CompareOp::Lt), ALWAYS, "true if a is less than b";
    "le", Compare(CompareOp::Le), ALWAYS, "true if a is less than or equal to b";
    "gt", Compare(CompareOp::Gt), ALWAYS, "true if a is greater than b";
    "ge", Compare(CompareOp::Ge), ALWAYS, "true if a is greater than or equal to b";
}

const PART: &str = "32-bit register, optionally with a selector such as `.b0` or `.h1`";
// Functions of the checker validate these operands, because selectors of operands specify bytes and half-words.
operands! {
    PARTS: "d" Custom(PART), "a" Custom(PART), "b" Custom(PART), "c" Custom(PART);
}

#[rustfmt::skip]
const SUMS: &[Rule] = &[
    assembler(Conflict { a: any(S::Literal(Flag::Sat)), b: any(S::Op) }, "the results are added to c without saturation"),
];

/// Form of a scalar instruction.
macro_rules! scalar {
    ($syntax:literal, $does:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [TO, FIRST, SECOND, SECONDARY], Video($does, One), gate: SCALAR, types: PARTS;
            $help, SCALAR_SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Creates the form of a shift instruction.
macro_rules! shift {
    ($syntax:literal, $does:expr, $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [TO, FIRST, AMOUNT, OVERFLOW, SECONDARY], Video($does, One), gate: SCALAR, types: PARTS;
            $help, SHIFT_SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Form of a SIMD instruction.
macro_rules! lanes {
    ($syntax:literal, $does:expr, $lanes:expr, $help:literal, $section:expr, $good:expr) => {
        form!($syntax, [TO, FIRST, SECOND, SUMMED], Video($does, $lanes), gate: LANES, types: PARTS, rules: SUMS;
            $help, $section; accepted_examples: $good)
    };
}

/// Instruction forms of video instructions.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    scalar!("vadd.dtype.atype.btype{.sat}{.op} d, a, b{, c}", Add, "Adds two bytes, half words or words.",
        &["vadd.s32.u32.s32.sat r, r, r;", "vadd.u32.u32.u32.max r, r, 7, r;"], &[("vadd.u32.u32.u32.max r, r, r;", "W0108"), ("vadd.u32.u32 r, r, r;", "W0105")]),
    scalar!("vsub.dtype.atype.btype{.sat}{.op} d, a, b{, c}", Sub, "Subtracts two bytes, half words or words.",
        &["vsub.s32.s32.s32 r, r, r;"], &[("vsub.s32.s32.s16 r, r, r;", "W0104")]),
    scalar!("vabsdiff.dtype.atype.btype{.sat}{.op} d, a, b{, c}", AbsDiff, "Computes the absolute difference of two bytes, half words or words.",
        &["vabsdiff.u32.u32.u32.add r, r, r, r;"], &[]),
    scalar!("vmin.dtype.atype.btype{.sat}{.op} d, a, b{, c}", Min, "Computes the minimum of two bytes, half words or words.",
        &["vmin.s32.s32.s32 r, r, r;"], &[]),
    scalar!("vmax.dtype.atype.btype{.sat}{.op} d, a, b{, c}", Max, "Computes the maximum of two bytes, half words or words.",
        &["vmax.s32.s32.s32 r, r, r;"], &[]),
    shift!("vshl.dtype.atype.btype{.sat}.mode{.op} d, a, b{, c}", Shl, "Shifts a byte, half word or word left.",
        &["vshl.s32.u32.u32.clamp r, r, 3;"], &[("vshl.s32.u32.s32.clamp r, r, r;", "W0104"), ("vshl.s32.u32.u32 r, r, r;", "W0105")]),
    shift!("vshr.dtype.atype.btype{.sat}.mode{.op} d, a, b{, c}", Shr, "Shifts a byte, half word or word right.",
        &["vshr.s32.s32.u32.wrap r, r, 3;"], &[]),
    form!("vmad.dtype.atype.btype{.po}{.sat}{.mode} d, a, b, c", [TO, FIRST, SECOND, SCALE], Video(Mad, One), gate: SCALAR, types: PARTS;
        "Multiplies two bytes, half words or words, adds c, and scales the result.", MAD_SECTION;
        accepted_examples: &["vmad.s32.s32.s32.sat.shr7 r, r, r, -r;", "vmad.u32.u32.u32.po r, r, r, r;"],
        rejected_examples: &[("vmad.u32.u32.u32.po r, -r, r, r;", "W0110"), ("vmad.u32.u32.u32 r, -r, r, -r;", "W0110")]),
    form!("vset.atype.btype.cmp{.op} d, a, b{, c}", [FIRST, SECOND, ORDER, SECONDARY], Video(Set, One), gate: SCALAR, types: PARTS;
        "Compares two bytes, half words or words. The result is 1 if the comparison is true, otherwise 0.", SET_SECTION;
        accepted_examples: &["vset.s32.u32.lt r, r, r;"], rejected_examples: &[("vset.s32.u32.ltu r, r, r;", "W0102")]),
    lanes!("vadd2.dtype.atype.btype{.sat}{.op} d, a, b, c", Add, Two, "Adds two pairs of half words.", TWO_SECTION, &["vadd2.s32.s32.s32.sat r, r, r, r;"]),
    lanes!("vsub2.dtype.atype.btype{.sat}{.op} d, a, b, c", Sub, Two, "Subtracts two pairs of half words.", TWO_SECTION, &["vsub2.u32.u32.u32.add r, r, r, r;"]),
    lanes!("vabsdiff2.dtype.atype.btype{.sat}{.op} d, a, b, c", AbsDiff, Two, "Computes the absolute differences of two pairs of half words.", TWO_SECTION, &["vabsdiff2.s32.s32.s32 r, r, r, r;"]),
    lanes!("vmin2.dtype.atype.btype{.sat}{.op} d, a, b, c", Min, Two, "Computes the minima of two pairs of half words.", TWO_SECTION, &["vmin2.s32.s32.s32 r, r, r, r;"]),
    lanes!("vmax2.dtype.atype.btype{.sat}{.op} d, a, b, c", Max, Two, "Computes the maxima of two pairs of half words.", TWO_SECTION, &["vmax2.s32.s32.s32 r, r, r, r;"]),
    lanes!("vavrg2.dtype.atype.btype{.sat}{.op} d, a, b, c", Average, Two, "Computes the averages of two pairs of half words.", TWO_SECTION, &["vavrg2.s32.s32.s32 r, r, r, r;"]),
    form!("vset2.atype.btype.cmp{.op} d, a, b, c", [FIRST, SECOND, ORDER, SUMMED], Video(Set, Two), gate: LANES, types: PARTS;
        "Compares two pairs of half words. Each result is 1 if the comparison is true, otherwise 0.", SET_TWO_SECTION; accepted_examples: &["vset2.s32.u32.lt r, r, r, r;"], rejected_examples: &[("vset2.s32.u32.lt r, r, r;", "W0108")]),
    lanes!("vadd4.dtype.atype.btype{.sat}{.op} d, a, b, c", Add, Four, "Adds four pairs of bytes.", FOUR_SECTION, &["vadd4.s32.s32.s32.sat r, r, r, r;"]),
    lanes!("vsub4.dtype.atype.btype{.sat}{.op} d, a, b, c", Sub, Four, "Subtracts four pairs of bytes.", FOUR_SECTION, &["vsub4.u32.u32.u32.add r, r, r, r;"]),
    lanes!("vabsdiff4.dtype.atype.btype{.sat}{.op} d, a, b, c", AbsDiff, Four, "Computes the absolute differences of four pairs of bytes.", FOUR_SECTION, &["vabsdiff4.s32.s32.s32 r, r, r, r;"]),
    lanes!("vmin4.dtype.atype.btype{.sat}{.op} d, a, b, c", Min, Four, "Computes the minima of four pairs of bytes.", FOUR_SECTION, &["vmin4.s32.s32.s32 r, r, r, r;"]),
    lanes!("vmax4.dtype.atype.btype{.sat}{.op} d, a, b, c", Max, Four, "Computes the maxima of four pairs of bytes.", FOUR_SECTION, &["vmax4.s32.s32.s32 r, r, r, r;"]),
    lanes!("vavrg4.dtype.atype.btype{.sat}{.op} d, a, b, c", Average, Four, "Computes the averages of four pairs of bytes.", FOUR_SECTION, &["vavrg4.s32.s32.s32 r, r, r, r;"]),
    form!("vset4.atype.btype.cmp{.op} d, a, b, c", [FIRST, SECOND, ORDER, SUMMED], Video(Set, Four), gate: LANES, types: PARTS;
        "Compares four pairs of bytes. Each result is 1 if the comparison is true, otherwise 0.", SET_FOUR_SECTION; accepted_examples: &["vset4.s32.u32.lt r, r, r, r;"], rejected_examples: &[("vset4.s32.s32.s32.lt r, r, r, r;", "W0103")]),
];
