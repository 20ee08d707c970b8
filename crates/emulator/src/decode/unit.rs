//! Selection of the arithmetic unit that executes an instruction, by operation and modifiers.

use crate::semantics::ops::{
    CountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op, Int64Op, IntOp, Overflow,
    PackedOp, ShiftOp,
};
use warpgrid_isa::{ArithmeticOp, Flag, Modifiers, MulPart, OverflowMode, ScalarType, Signedness};

/// Arithmetic unit of an instruction, with the operation that the unit executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Int16(Int16Op),
    Int32(Int32Op),
    Int64(Int64Op),
    Int16x2(PackedOp),
    Int8x4(PackedOp),
    /// b is 32 bits wide.
    Shift64(ShiftOp),
    /// The result is 32 bits wide.
    Count64(CountOp),
    /// Position and length are 32 bits wide.
    Extract64,
    /// Widening product, whose result is twice as wide as its factors.
    Product,
    Insert,
    Float32(Float32Op),
    Float64(Float64Op),
    Float32x2(FloatOp),
    Half(HalfOp),
    /// Logic on predicates, by truth table.
    Predicate(Logic),
}

/// Logic on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
    Not,
}

/// Returns the type of the operands: the type of the instruction, or 32-bit words for dot products.
pub(crate) fn operand_type(op: ArithmeticOp, modifiers: &Modifiers) -> ScalarType {
    if matches!(op, ArithmeticOp::Dp4a | ArithmeticOp::Dp2a) {
        return ScalarType::B32;
    }
    modifiers.ty.unwrap_or(ScalarType::B32)
}

/// Returns the unit that executes the operation, or `None` if no unit supports it.
pub(crate) fn unit(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Unit> {
    let ty = operand_type(op, modifiers);
    let units = Units::of(op, modifiers);
    if ty == ScalarType::Pred {
        return Some(Unit::Predicate(logic(units.int?)?));
    }
    if ty.is_float() {
        return units.float(ty);
    }
    // `lop3` with a predicate and `min.relu` of integers expand to several operations.
    if modifiers.combine.is_some() || modifiers.has(Flag::Relu) {
        return None;
    }
    let (bits, part) = (ty.width_bits(), part(modifiers));
    if matches!(op, ArithmeticOp::Mul | ArithmeticOp::Mad) && part == MulPart::Wide {
        return matches!(bits, 16 | 32).then_some(Unit::Product);
    }
    if op == ArithmeticOp::Bfi {
        return matches!(bits, 32 | 64).then_some(Unit::Insert);
    }
    let saturates = modifiers.has(Flag::Sat);
    match packing(ty) {
        Packing::None => {}
        Packing::Halves => return packed(units.int?, modifiers).map(Unit::Int16x2),
        Packing::Bytes => return packed(units.int?, modifiers).map(Unit::Int8x4),
    }
    // Apart from packed integers, only 32-bit integers support saturation.
    if saturates {
        return units.saturated.filter(|_| bits == 32).map(Unit::Int32);
    }
    match bits {
        16 => {
            let plain = units.int.map(Int16Op::Plain);
            units.int16.or(plain).map(Unit::Int16)
        }
        32 => {
            let plain = units.int.map(Int32Op::Plain);
            units.int32.or(plain).map(Unit::Int32)
        }
        64 => {
            let plain = units.int.map(|f| Unit::Int64(Int64Op::Plain(f)));
            units.int64.or(plain)
        }
        _ => None,
    }
}

/// Packing of integers in a register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Halves,
    Bytes,
}

const fn packing(ty: ScalarType) -> Packing {
    match ty {
        ScalarType::U16x2 | ScalarType::S16x2 => Packing::Halves,
        ScalarType::U8x4 | ScalarType::S8x4 => Packing::Bytes,
        _ => Packing::None,
    }
}

fn part(modifiers: &Modifiers) -> MulPart {
    modifiers.part.unwrap_or(MulPart::Lo)
}

/// Implementations of one operation in each unit.
#[derive(Clone, Copy, Default)]
struct Units {
    /// Operation that integers of 16, 32 and 64 bits share.
    int: Option<IntOp>,
    int16: Option<Int16Op>,
    int32: Option<Int32Op>,
    int64: Option<Unit>,
    /// Operation that clamps to the range of `.s32`.
    saturated: Option<Int32Op>,
    /// Operation that all floating-point formats share.
    float: Option<FloatOp>,
    float32: Option<Float32Op>,
    float64: Option<Float64Op>,
    half: Option<HalfOp>,
}

impl Units {
    /// Returns the implementations of an operation. A new operation must be added here.
    fn of(op: ArithmeticOp, modifiers: &Modifiers) -> Units {
        use ArithmeticOp as A;
        use Int32Op as I;
        const NONE: Units = Units {
            int: None,
            int16: None,
            int32: None,
            int64: None,
            saturated: None,
            float: None,
            float32: None,
            float64: None,
            half: None,
        };
        let high = part(modifiers) == MulPart::Hi;
        let either = |hi, lo| if high { hi } else { lo };
        let signs = [modifiers.a_type, modifiers.b_type]
            .map(|ty| ty.map_or(Signedness::Unsigned, ScalarType::signedness));
        let overflow = match modifiers.overflow {
            Some(OverflowMode::Wrap) => Overflow::Wrap,
            Some(OverflowMode::Clamp) | None => Overflow::Clamp,
        };
        let int = |int| Units {
            int: Some(int),
            ..NONE
        };
        let both = |int, float| Units {
            int: Some(int),
            float: Some(float),
            ..NONE
        };
        let int32 = |f| Units {
            int32: Some(f),
            ..NONE
        };
        let counts = |f| Units {
            int32: Some(I::Count(f)),
            int64: Some(Unit::Count64(f)),
            ..NONE
        };
        let float32 = |f| Units {
            float32: Some(f),
            ..NONE
        };
        let floats = |f, g| Units {
            float32: Some(f),
            float64: Some(g),
            ..NONE
        };
        let saturates = |row: Units, f| Units {
            saturated: Some(f),
            ..row
        };
        match op {
            A::Add => saturates(both(IntOp::Add, FloatOp::Add), I::AddSaturated),
            A::Sub => saturates(both(IntOp::Sub, FloatOp::Sub), I::SubSaturated),
            A::Mul if high => both(IntOp::MulHi, FloatOp::Mul),
            A::Mul => both(IntOp::MulLo, FloatOp::Mul),
            // For sm_20 and later, `mad` of floats is `fma` (PTX ISA, "mad").
            A::Mad if high => saturates(both(IntOp::MadHi, FloatOp::Fma), I::MadHiSaturated),
            A::Mad => both(IntOp::MadLo, FloatOp::Fma),
            A::Fma if modifiers.has(Flag::Oob) => Units {
                half: Some(HalfOp::FmaInside),
                ..NONE
            },
            A::Fma => Units {
                float: Some(FloatOp::Fma),
                ..NONE
            },
            A::Mul24 => int32(either(I::Mul24Hi, I::Mul24Lo)),
            A::Mad24 if high => saturates(int32(I::Mad24Hi), I::Mad24HiSaturated),
            A::Mad24 => int32(I::Mad24Lo),
            A::Sad => int(IntOp::Sad),
            A::Div => Units {
                int: Some(IntOp::Div),
                ..floats(Float32Op::Div, Float64Op::Div)
            },
            A::Rem => int(IntOp::Rem),
            A::Abs => both(IntOp::Abs, FloatOp::Abs),
            A::Neg => both(IntOp::Neg, FloatOp::Neg),
            A::Min => both(IntOp::Min, FloatOp::Min),
            A::Max => both(IntOp::Max, FloatOp::Max),
            A::Rcp => floats(Float32Op::Rcp, Float64Op::Rcp),
            A::Sqrt => floats(Float32Op::Sqrt, Float64Op::Sqrt),
            A::Rsqrt => floats(Float32Op::Rsqrt, Float64Op::Rsqrt),
            A::Sin => float32(Float32Op::Sin),
            A::Cos => float32(Float32Op::Cos),
            A::Lg2 => float32(Float32Op::Lg2),
            A::Ex2 => Units {
                half: Some(HalfOp::Ex2),
                ..float32(Float32Op::Ex2)
            },
            A::Tanh => Units {
                half: Some(HalfOp::Tanh),
                ..float32(Float32Op::Tanh)
            },
            A::Copysign => floats(Float32Op::Copysign, Float64Op::Copysign),
            A::And => int(IntOp::And),
            A::Or => int(IntOp::Or),
            A::Xor => int(IntOp::Xor),
            A::Not => int(IntOp::Not),
            A::Cnot => int(IntOp::Cnot),
            // The truth table is decoded with the operands.
            A::Lop3 => int32(I::Lop3(0)),
            A::Shl => Units {
                int16: Some(Int16Op::Shl),
                int64: Some(Unit::Shift64(ShiftOp::Left)),
                ..int32(I::Shl)
            },
            A::Shr => Units {
                int16: Some(Int16Op::Shr),
                int64: Some(Unit::Shift64(ShiftOp::Right)),
                ..int32(I::Shr)
            },
            A::Shf if modifiers.has(Flag::Left) => int32(I::ShfLeft(overflow)),
            A::Shf => int32(I::ShfRight(overflow)),
            A::Popc => counts(CountOp::Popc),
            A::Clz => counts(CountOp::Clz),
            A::Bfind if modifiers.has(Flag::ShiftAmount) => counts(CountOp::BfindShiftAmount),
            A::Bfind => counts(CountOp::Bfind),
            A::Brev => Units {
                int64: Some(Unit::Int64(Int64Op::Brev)),
                ..int32(I::Brev)
            },
            A::Bfe => Units {
                int64: Some(Unit::Extract64),
                ..int32(I::Bfe)
            },
            A::Fns => int32(I::Fns),
            A::Szext => int32(I::Szext(overflow)),
            A::Bmsk => int32(I::Bmsk(overflow)),
            A::Prmt => int32(modifiers.permute.map_or(I::Prmt, I::PrmtMode)),
            A::Dp4a => int32(I::Dp4a { signs }),
            A::Dp2a => int32(I::Dp2a { signs, high }),
            // `bfi` has a dedicated unit with five operands.
            A::Bfi => NONE,
        }
    }

    fn float(self, ty: ScalarType) -> Option<Unit> {
        use ScalarType as T;
        match ty {
            T::F32 => {
                let plain = self.float.map(Float32Op::Plain);
                self.float32.or(plain).map(Unit::Float32)
            }
            T::F64 => {
                let plain = self.float.map(Float64Op::Plain);
                self.float64.or(plain).map(Unit::Float64)
            }
            T::F32x2 => self.float.map(Unit::Float32x2),
            T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => {
                let plain = self.float.map(HalfOp::Plain);
                self.half.or(plain).map(Unit::Half)
            }
            _ => None,
        }
    }
}

fn logic(op: IntOp) -> Option<Logic> {
    match op {
        IntOp::And => Some(Logic::And),
        IntOp::Or => Some(Logic::Or),
        IntOp::Xor => Some(Logic::Xor),
        IntOp::Not => Some(Logic::Not),
        IntOp::Add
        | IntOp::Sub
        | IntOp::MulLo
        | IntOp::MulHi
        | IntOp::MadLo
        | IntOp::MadHi
        | IntOp::Sad
        | IntOp::Div
        | IntOp::Rem
        | IntOp::Abs
        | IntOp::Neg
        | IntOp::Min
        | IntOp::Max
        | IntOp::Cnot => None,
    }
}

fn packed(op: IntOp, modifiers: &Modifiers) -> Option<PackedOp> {
    let saturates = modifiers.has(Flag::Sat);
    match op {
        IntOp::Add if saturates => Some(PackedOp::AddSaturated),
        IntOp::Sub if saturates => Some(PackedOp::SubSaturated),
        IntOp::Add => Some(PackedOp::Add),
        IntOp::Sub => Some(PackedOp::Sub),
        IntOp::MulLo => Some(PackedOp::Mul),
        IntOp::Neg => Some(PackedOp::Neg),
        IntOp::Abs => Some(PackedOp::Abs),
        IntOp::Min => Some(PackedOp::Min),
        IntOp::Max => Some(PackedOp::Max),
        IntOp::MulHi
        | IntOp::MadLo
        | IntOp::MadHi
        | IntOp::Sad
        | IntOp::Div
        | IntOp::Rem
        | IntOp::And
        | IntOp::Or
        | IntOp::Xor
        | IntOp::Not
        | IntOp::Cnot => None,
    }
}
