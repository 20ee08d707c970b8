//! What each arithmetic unit does, one enum a unit. In: nothing; out: the operations that the decoder makes
//! and that exec matches exhaustively, so that a unit never meets an operation that it does not have.

use warpgrid_isa::{PermuteMode, Signedness};

/// What integers of 16, 32 and 64 bits share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOp {
    Add,
    Sub,
    MulLo,
    MulHi,
    /// a*b+c, the low half.
    MadLo,
    /// The high half of a*b, plus c.
    MadHi,
    /// |a-b|+c
    Sad,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    And,
    Or,
    Xor,
    Not,
    /// 1 for 0, else 0.
    Cnot,
}

/// The 16-bit unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int16Op {
    Plain(IntOp),
    Shl,
    Shr,
}

/// The 32-bit unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int32Op {
    Plain(IntOp),
    AddSaturated,
    SubSaturated,
    /// `mad.hi.sat.s32`
    MadHiSaturated,
    Mul24Lo,
    Mul24Hi,
    Mad24Lo,
    Mad24Hi,
    /// `mad24.hi.sat.s32`
    Mad24HiSaturated,
    /// Three-input logic by truth table.
    Lop3(u8),
    Shl,
    Shr,
    /// Funnel shift of b:a by c.
    ShfLeft(Overflow),
    ShfRight(Overflow),
    Count(CountOp),
    Brev,
    Bfe,
    /// The c-th bit of a that is set, counted from bit b.
    Fns,
    /// Extends the low b bits of a.
    Szext(Overflow),
    /// b ones from bit a.
    Bmsk(Overflow),
    /// Byte permute with a selector of nibbles.
    Prmt,
    PrmtMode(PermuteMode),
    Dp4a {
        signs: [Signedness; 2],
    },
    Dp2a {
        signs: [Signedness; 2],
        high: bool,
    },
}

/// The 64-bit unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int64Op {
    Plain(IntOp),
    Brev,
}

/// Two integers of 16 bits, or four of 8, in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedOp {
    Add,
    Sub,
    AddSaturated,
    SubSaturated,
    Mul,
    Neg,
    Abs,
    Min,
    Max,
}

/// Shifts of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOp {
    Left,
    Right,
}

/// Counts and searches of bits, of 32 and 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountOp {
    Popc,
    Clz,
    /// Position of the most significant bit that is not a sign.
    Bfind,
    /// The shift that brings that bit to the top.
    BfindShiftAmount,
}

/// What becomes of an amount beyond the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    Clamp,
    Wrap,
}

/// What floats of every format share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    /// a*b+c, rounded once.
    Fma,
    Neg,
    Abs,
    Min,
    Max,
}

/// The f32 unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float32Op {
    Plain(FloatOp),
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
    Copysign,
}

/// The f64 unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float64Op {
    Plain(FloatOp),
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    Copysign,
}

/// The unit of 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfOp {
    Plain(FloatOp),
    /// `fma.oob`: zero where a source is the NaN of what lies outside of a tensor.
    FmaInside,
    Ex2,
    Tanh,
}

/// Operations of carry chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// Use of the carry flag by an operation of a carry chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarryMode {
    /// Whether the factors of a product are signed.
    pub sign: Signedness,
    pub reads: bool,
    pub writes: bool,
}
