//! Operations of the arithmetic units, with one enum for each unit. The decoder creates the operations, and `exec`
//! matches each enum exhaustively.

use warpgrid_isa::{PermuteMode, Signedness};

/// Operations that integers of 16, 32 and 64 bits share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOp {
    Add,
    Sub,
    MulLo,
    MulHi,
    /// a*b+c, lower half.
    MadLo,
    /// Upper half of a*b, plus c.
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
    /// 1 if the operand is 0, otherwise 0.
    Cnot,
}

/// Operations on 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int16Op {
    Plain(IntOp),
    Shl,
    Shr,
}

/// Operations on 32-bit integers.
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
    /// Three-input logic operation with a truth table.
    Lop3(u8),
    Shl,
    Shr,
    /// Funnel shift of b:a by c.
    ShfLeft(ShiftOverflow),
    ShfRight(ShiftOverflow),
    Count(BitCountOp),
    Brev,
    Bfe,
    /// Position of the c-th set bit of a, counted from bit b on.
    Fns,
    /// Extends the low b bits of a.
    Szext(ShiftOverflow),
    /// Mask with b ones from bit a on.
    Bmsk(ShiftOverflow),
    /// Byte permutation with a selector of nibbles.
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

/// Operations on 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int64Op {
    Plain(IntOp),
    Brev,
}

/// Operations on two 16-bit or four 8-bit integers in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedIntOp {
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

/// Shifts of 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOp {
    Left,
    Right,
}

/// Bit counts and bit searches of 32-bit and 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitCountOp {
    Popc,
    Clz,
    /// Position of the most significant bit that differs from the sign.
    Bfind,
    /// Left shift amount that moves the found bit to the most significant position.
    BfindShiftAmount,
}

/// How shift amounts that exceed the width are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOverflow {
    Clamp,
    Wrap,
}

/// Operations that all floating-point formats share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    /// a*b+c with a single rounding.
    Fma,
    Neg,
    Abs,
    Min,
    Max,
}

/// Operations on `f32`.
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

/// Operations on `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float64Op {
    Plain(FloatOp),
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    Copysign,
}

/// Operations on 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfOp {
    Plain(FloatOp),
    /// `fma.oob`: returns zero if a source is the out-of-bounds NaN of tensor copies.
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

/// How an operation of a carry chain uses the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarryMode {
    /// Whether the factors of a product are signed.
    pub sign: Signedness,
    pub reads: bool,
    pub writes: bool,
}
