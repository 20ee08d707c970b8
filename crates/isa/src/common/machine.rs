//! What instructions of the machine do and no virtual instruction does: sums of three with carries on predicates, logic
//! by table with a predicate as a second result, funnel shifts, extended comparisons.
//!
//! All have the same operands, so that one decoder reads them: a list of the registers that are written, one of the
//! predicates that are written, one of the registers that are read, one of the predicates that are read, and a number
//! (a truth table or a shift). A value of 64 bits is two registers of such a list, the low half first.

use crate::modifier::{BoolOp, CompareOp, MulPart};

/// Operations of the machine on 32-bit registers and predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineOp {
    /// `{d}, {p, q} = a + b + c + x + y`: p holds if the sum has one carry or more, q if it has two; x and y are
    /// predicates. A negated source counts as its complement and one more.
    Add3,
    /// `a * b + c + x`. `Lo` and `Hi` keep a half; c has 64 bits for `Hi` and `Wide`. The predicate that is written is the
    /// carry.
    Multiply { part: MulPart, signed: bool },
    /// `(a << n) + b + x`, with the carry: `LEA`. `Hi` adds the high half of `{c, a} << n`; c is the sign of a where it
    /// repeats.
    ScaledAdd { part: MulPart, repeats_sign: bool },
    /// Logic of a, b and c by the table n. The predicate that is written says whether the result, or the predicate that is
    /// read, is not zero, joined as `combine` says.
    Logic3 { combine: BoolOp },
    /// Logic of three predicates by two tables: n, and n >> 8 for the second result.
    PredicateLogic3,
    /// `{c, a}` shifted by b, and one half of it.
    FunnelShift(FunnelShift),
    /// The high halves of a 64-bit comparison; the second predicate that is read is the answer for the low halves, the
    /// first is combined with the result.
    CompareExtended {
        op: CompareOp,
        signed: bool,
        combine: BoolOp,
    },
    /// Whether the quick way to divide a by b may be wrong: `FCHK`.
    DivisionCheck,
    /// The upper half of an estimate of `1 / a`, whose upper half is read: `MUFU.RCP64H`.
    Reciprocal64,
    /// As [`MachineOp::Reciprocal64`], of `1 / sqrt(a)`: `MUFU.RSQ64H`.
    ReciprocalRoot64,
    /// The sine of an angle in turns: `MUFU.SIN`.
    SineOfTurns,
    /// The cosine of an angle in turns: `MUFU.COS`.
    CosineOfTurns,
    /// The value that a has in the lowest active lane where the condition holds; where it holds in none, b: `R2UR`.
    FirstLane,
    /// Copies the sources a and b, and the predicates that are read, from the first active lane to all 32 lanes of the warp, active or
    /// not. Follows each write of a uniform register or uniform predicate, of which a warp has one.
    BroadcastToWarp,
    /// The predicates that are read as bits of a register, where the mask n has them; the others come from a: `P2R`. The
    /// bits start at the byte that `byte` says.
    PackPredicates { byte: u8 },
    /// The opposite: `R2P`.
    UnpackPredicates { byte: u8 },
}

/// How a funnel shift goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunnelShift {
    pub left: bool,
    /// Amounts count modulo the width; without it they stop at the width.
    pub wraps: bool,
    /// The width is 64 bits, not 32.
    pub wide: bool,
    /// Shifts to the right repeat the sign.
    pub signed: bool,
    /// The upper half is kept.
    pub high: bool,
}
