//! Operations that exist only in SASS: three-input additions with predicate carries, lookup-table logic with a predicate as second
//! result, funnel shifts, extended comparisons.
//!
//! All SASS operations have the same operand structure, so that one decoder suffices: a list each of the written registers, the written
//! predicates, the read registers and the read predicates, and an immediate (truth table or shift amount). A 64-bit value occupies two
//! consecutive registers of a list, low half first.

use crate::modifier::{BoolOp, CompareOp, MulPart};
use crate::types::Signedness;

/// Operations that exist only in SASS, such as three-input additions (`IADD3`), `LEA` and `P2R`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SassOp {
    /// `{d}, {p, q} = a + b + c + x + y`: p is set if the addition carries at least once, and q is set if it carries twice. x and y are
    /// predicates. A negated source is replaced by its two's complement.
    Add3,
    /// `a * b + c + x`. `Lo` and `Hi` return one half of the product. For `Hi` and `Wide`, c has 64 bits. The predicate result is the
    /// carry.
    Multiply {
        part: MulPart,
        signedness: Signedness,
    },
    /// `(a << n) + b + x`, with a carry result: `LEA`. `Hi` adds the high half of `{c, a} << n` instead of the low half. `extension`
    /// selects c.
    ScaledAdd { part: MulPart, extension: Extension },
    /// Bitwise logic of a, b and c with lookup table n. The predicate result is `result != 0`, combined with the source predicate by the
    /// Boolean operator `combine`.
    Logic3 { combine: BoolOp },
    /// Logic of three predicates with two lookup tables: the low byte of n for the first result, and n >> 8 for the second result.
    PredicateLogic3,
    /// Funnel shift: one half of the 64-bit value `{c, a}`, shifted by b.
    FunnelShift(FunnelShift),
    /// Comparison of the high halves of 64-bit values. The second source predicate is the comparison result of the low halves. A Boolean
    /// operator combines the first source predicate with the result.
    CompareExtended {
        op: CompareOp,
        signedness: Signedness,
        combine: BoolOp,
    },
    /// Checks whether `a / b` requires the slow division path (SASS `FCHK`).
    DivisionCheck,
    /// High half of an approximation of `1 / a`, computed from the high half of a: `MUFU.RCP64H`.
    Reciprocal64,
    /// High half of an approximation of `1 / sqrt(a)`, like [`SassOp::Reciprocal64`]: `MUFU.RSQ64H`.
    ReciprocalRoot64,
    /// Sine of an angle in turns: `MUFU.SIN`.
    SineOfTurns,
    /// Cosine of an angle in turns: `MUFU.COS`.
    CosineOfTurns,
    /// Value of a in the lowest active lane for which the condition is true, or b if the condition is false in all active lanes: `R2UR`.
    ReadFirstLane,
    /// Copies the sources a and b and the source predicates from the first active lane to all 32 lanes of the warp, active or inactive. The
    /// lowering inserts this operation after each write of a uniform register or uniform predicate, which exists once per warp.
    BroadcastToWarp,
    /// Packs the source predicates into the bits of a register that mask n selects. The remaining bits of the result are the bits of a:
    /// `P2R`. `byte` selects the first bit.
    PackPredicates { byte: u8 },
    /// Operation that is the inverse of [`SassOp::PackPredicates`]: `R2P`.
    UnpackPredicates { byte: u8 },
}

/// High word of the value that [`SassOp::ScaledAdd`] shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// The high word is the third source operand.
    Source,
    /// The high word consists of 32 copies of the sign bit of the low word: `.SX32`.
    Sign,
}

/// Modifiers of a funnel shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunnelShift {
    pub left: bool,
    /// Whether shift amounts are taken modulo the width. Otherwise, they are clamped to the width.
    pub wraps: bool,
    /// Whether the width is 64 bits. Otherwise, it is 32 bits.
    pub wide: bool,
    /// Whether right shifts are arithmetic.
    pub signed: bool,
    /// Whether the result is the high half.
    pub high: bool,
}
