//! Operations of the arithmetic units, with one enum for each unit. The decoder creates the operations, and `exec`
//! matches each enum exhaustively.

use warpgrid_isa::{PermuteMode, Signedness};

/// Operation that is common to 16-bit, 32-bit and 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOp {
    Add,
    Sub,
    MulLo,
    MulHi,
    /// `mad.lo`: lower half of a*b, plus c.
    MadLo,
    /// `mad.hi`: upper half of a*b, plus c.
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
    /// `cnot`: 1 if the operand is 0, otherwise 0.
    Cnot,
}

/// Operation on 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int16Op {
    Plain(IntOp),
    Shl,
    Shr,
}

/// Operation on 32-bit integers.
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
    /// `lop3`: bitwise logic operation on three sources, specified by an 8-bit truth table.
    Lop3(u8),
    Shl,
    Shr,
    /// `shf.l`: left funnel shift of the 64-bit value b:a by c.
    ShfLeft(ShiftOverflow),
    ShfRight(ShiftOverflow),
    Count(BitCountOp),
    Brev,
    Bfe,
    /// `fns`: position of the c-th set bit of a, counted from bit b on.
    Fns,
    /// `szext`: sign-extends or zero-extends the low b bits of a.
    Szext(ShiftOverflow),
    /// `bmsk`: mask with b consecutive ones that start at bit a.
    Bmsk(ShiftOverflow),
    /// `prmt`: byte permutation, in which each nibble of the selector selects one byte.
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

/// Operation on 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int64Op {
    Plain(IntOp),
    Brev,
}

/// Lane-wise integer operation (`add.u16x2`) on the two 16-bit or four 8-bit integers in a 32-bit register.
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

/// Direction of a shift of 64-bit integers. The decoded operation specifies the signedness of a right shift separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOp {
    Left,
    Right,
}

/// Bit count or bit search of a 32-bit or 64-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitCountOp {
    Popc,
    Clz,
    /// `bfind`: position of the most significant bit that differs from the sign bit.
    Bfind,
    /// `bfind.shiftamt`: left shift amount that moves the found bit to the most significant position.
    BfindShiftAmount,
}

/// Treatment of shift amounts that exceed the operand width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOverflow {
    Clamp,
    Wrap,
}

/// Operation that is common to all floating-point formats.
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

/// Operation on `f32` numbers.
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

/// Operation on `f64` numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float64Op {
    Plain(FloatOp),
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    Copysign,
}

/// Operation on 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfOp {
    Plain(FloatOp),
    /// `fma.oob`: returns zero if a factor is the NaN with which tensor copies fill out-of-bounds elements.
    FmaInside,
    Ex2,
    Tanh,
}

/// Operation of an extended-precision carry chain (`add.cc`, `subc`, `madc` and related instructions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// Whether an operation in a carry chain reads and writes the carry flag, and the signedness of its factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarryMode {
    /// Whether the factors of a product are signed.
    pub sign: Signedness,
    pub reads: bool,
    pub writes: bool,
}
