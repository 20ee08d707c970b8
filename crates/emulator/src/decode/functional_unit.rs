//! Selection of the functional unit that executes an arithmetic instruction, by operation and modifiers.

use crate::semantics::alu_ops::{
    BitCountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op, Int64Op, IntOp,
    PackedIntOp, ShiftOp, ShiftOverflow,
};
use warpgrid_isa::{ArithmeticOp, Flag, Modifiers, MulPart, OverflowMode, ScalarType, Signedness};

/// Functional unit of the emulator that executes an arithmetic instruction, with the operation of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionalUnit {
    Int16(Int16Op),
    Int32(Int32Op),
    Int64(Int64Op),
    Int16x2(PackedIntOp),
    Int8x4(PackedIntOp),
    /// Shift of a 64-bit value by a 32-bit amount b.
    Shift64(ShiftOp),
    /// Bit count or bit search in a 64-bit value. The result has 32 bits.
    Count64(BitCountOp),
    /// Bit field extraction from a 64-bit value. The position and the length have 32 bits.
    Extract64,
    /// Widening product, whose result is twice as wide as its factors.
    Product,
    Insert,
    Float32(Float32Op),
    Float64(Float64Op),
    Float32x2(FloatOp),
    Half(HalfOp),
    /// Logic operation on predicates, which is implemented with a truth table.
    Predicate(PredicateLogicOp),
}

/// Logic operations on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PredicateLogicOp {
    And,
    Or,
    Xor,
    Not,
}

/// Returns the operand type of an instruction, which is a 32-bit integer type for dot products.
pub(crate) fn operand_type(op: ArithmeticOp, modifiers: &Modifiers) -> ScalarType {
    if matches!(op, ArithmeticOp::Dp4a | ArithmeticOp::Dp2a) {
        return ScalarType::B32;
    }
    modifiers.ty.unwrap_or(ScalarType::B32)
}

/// Returns the functional unit that executes the operation, or `None` if no unit supports it.
pub(crate) fn unit(op: ArithmeticOp, modifiers: &Modifiers) -> Option<FunctionalUnit> {
    let ty = operand_type(op, modifiers);
    let units = UnitSupport::of(op, modifiers);
    if ty == ScalarType::Pred {
        return Some(FunctionalUnit::Predicate(logic(units.int?)?));
    }
    if ty.is_float() {
        return units.float(ty);
    }
    // No single unit supports `lop3` with a predicate or `min.relu` of integers, which are legalized to several
    // operations.
    if modifiers.combine.is_some() || modifiers.has(Flag::Relu) {
        return None;
    }
    let (bits, part) = (ty.width_bits(), part(modifiers));
    if matches!(op, ArithmeticOp::Mul | ArithmeticOp::Mad) && part == MulPart::Wide {
        return matches!(bits, 16 | 32).then_some(FunctionalUnit::Product);
    }
    if op == ArithmeticOp::Bfi {
        return matches!(bits, 32 | 64).then_some(FunctionalUnit::Insert);
    }
    let saturates = modifiers.has(Flag::Sat);
    match packing(ty) {
        Packing::None => {}
        Packing::Halves => return packed(units.int?, modifiers).map(FunctionalUnit::Int16x2),
        Packing::Bytes => return packed(units.int?, modifiers).map(FunctionalUnit::Int8x4),
    }
    // Apart from packed integers, only 32-bit integers support saturation.
    if saturates {
        return units
            .saturated
            .filter(|_| bits == 32)
            .map(FunctionalUnit::Int32);
    }
    match bits {
        16 => {
            let plain = units.int.map(Int16Op::Plain);
            units.int16.or(plain).map(FunctionalUnit::Int16)
        }
        32 => {
            let plain = units.int.map(Int32Op::Plain);
            units.int32.or(plain).map(FunctionalUnit::Int32)
        }
        64 => {
            let plain = units.int.map(|f| FunctionalUnit::Int64(Int64Op::Plain(f)));
            units.int64.or(plain)
        }
        _ => None,
    }
}

/// Number and width of the integers that a register contains.
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

/// Implementation of an arithmetic operation in each functional unit that supports the operation.
#[derive(Clone, Copy, Default)]
struct UnitSupport {
    /// Operation that is common to 16-bit, 32-bit and 64-bit integers.
    int: Option<IntOp>,
    int16: Option<Int16Op>,
    int32: Option<Int32Op>,
    int64: Option<FunctionalUnit>,
    /// Operation that clamps to the range of `.s32`.
    saturated: Option<Int32Op>,
    /// Operation that is common to all floating-point formats.
    float: Option<FloatOp>,
    float32: Option<Float32Op>,
    float64: Option<Float64Op>,
    half: Option<HalfOp>,
}

impl UnitSupport {
    /// Returns the functional units that implement an operation. A new operation requires an entry in this function.
    fn of(op: ArithmeticOp, modifiers: &Modifiers) -> UnitSupport {
        use ArithmeticOp as A;
        use Int32Op as I;
        const NONE: UnitSupport = UnitSupport {
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
            Some(OverflowMode::Wrap) => ShiftOverflow::Wrap,
            Some(OverflowMode::Clamp) | None => ShiftOverflow::Clamp,
        };
        let int = |int| UnitSupport {
            int: Some(int),
            ..NONE
        };
        let both = |int, float| UnitSupport {
            int: Some(int),
            float: Some(float),
            ..NONE
        };
        let int32 = |f| UnitSupport {
            int32: Some(f),
            ..NONE
        };
        let counts = |f| UnitSupport {
            int32: Some(I::Count(f)),
            int64: Some(FunctionalUnit::Count64(f)),
            ..NONE
        };
        let float32 = |f| UnitSupport {
            float32: Some(f),
            ..NONE
        };
        let floats = |f, g| UnitSupport {
            float32: Some(f),
            float64: Some(g),
            ..NONE
        };
        let saturates = |row: UnitSupport, f| UnitSupport {
            saturated: Some(f),
            ..row
        };
        match op {
            A::Add => saturates(both(IntOp::Add, FloatOp::Add), I::AddSaturated),
            A::Sub => saturates(both(IntOp::Sub, FloatOp::Sub), I::SubSaturated),
            A::Mul if high => both(IntOp::MulHi, FloatOp::Mul),
            A::Mul => both(IntOp::MulLo, FloatOp::Mul),
            // For `sm_20` and later, `mad` of floats is equivalent to `fma` (PTX ISA, "mad").
            A::Mad if high => saturates(both(IntOp::MadHi, FloatOp::Fma), I::MadHiSaturated),
            A::Mad => both(IntOp::MadLo, FloatOp::Fma),
            A::Fma if modifiers.has(Flag::Oob) => UnitSupport {
                half: Some(HalfOp::FmaInside),
                ..NONE
            },
            A::Fma => UnitSupport {
                float: Some(FloatOp::Fma),
                ..NONE
            },
            A::Mul24 => int32(either(I::Mul24Hi, I::Mul24Lo)),
            A::Mad24 if high => saturates(int32(I::Mad24Hi), I::Mad24HiSaturated),
            A::Mad24 => int32(I::Mad24Lo),
            A::Sad => int(IntOp::Sad),
            A::Div => UnitSupport {
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
            A::Ex2 => UnitSupport {
                half: Some(HalfOp::Ex2),
                ..float32(Float32Op::Ex2)
            },
            A::Tanh => UnitSupport {
                half: Some(HalfOp::Tanh),
                ..float32(Float32Op::Tanh)
            },
            A::Copysign => floats(Float32Op::Copysign, Float64Op::Copysign),
            A::And => int(IntOp::And),
            A::Or => int(IntOp::Or),
            A::Xor => int(IntOp::Xor),
            A::Not => int(IntOp::Not),
            A::Cnot => int(IntOp::Cnot),
            // The decoder of the operands inserts the truth table.
            A::Lop3 => int32(I::Lop3(0)),
            A::Shl => UnitSupport {
                int16: Some(Int16Op::Shl),
                int64: Some(FunctionalUnit::Shift64(ShiftOp::Left)),
                ..int32(I::Shl)
            },
            A::Shr => UnitSupport {
                int16: Some(Int16Op::Shr),
                int64: Some(FunctionalUnit::Shift64(ShiftOp::Right)),
                ..int32(I::Shr)
            },
            A::Shf if modifiers.has(Flag::Left) => int32(I::ShfLeft(overflow)),
            A::Shf => int32(I::ShfRight(overflow)),
            A::Popc => counts(BitCountOp::Popc),
            A::Clz => counts(BitCountOp::Clz),
            A::Bfind if modifiers.has(Flag::ShiftAmount) => counts(BitCountOp::BfindShiftAmount),
            A::Bfind => counts(BitCountOp::Bfind),
            A::Brev => UnitSupport {
                int64: Some(FunctionalUnit::Int64(Int64Op::Brev)),
                ..int32(I::Brev)
            },
            A::Bfe => UnitSupport {
                int64: Some(FunctionalUnit::Extract64),
                ..int32(I::Bfe)
            },
            A::Fns => int32(I::Fns),
            A::Szext => int32(I::Szext(overflow)),
            A::Bmsk => int32(I::Bmsk(overflow)),
            A::Prmt => int32(modifiers.permute.map_or(I::Prmt, I::PrmtMode)),
            A::Dp4a => int32(I::Dp4a { signs }),
            A::Dp2a => int32(I::Dp2a { signs, high }),
            // A dedicated unit with five operands executes `bfi`.
            A::Bfi => NONE,
        }
    }

    fn float(self, ty: ScalarType) -> Option<FunctionalUnit> {
        use ScalarType as T;
        match ty {
            T::F32 => {
                let plain = self.float.map(Float32Op::Plain);
                self.float32.or(plain).map(FunctionalUnit::Float32)
            }
            T::F64 => {
                let plain = self.float.map(Float64Op::Plain);
                self.float64.or(plain).map(FunctionalUnit::Float64)
            }
            T::F32x2 => self.float.map(FunctionalUnit::Float32x2),
            T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => {
                let plain = self.float.map(HalfOp::Plain);
                self.half.or(plain).map(FunctionalUnit::Half)
            }
            _ => None,
        }
    }
}

fn logic(op: IntOp) -> Option<PredicateLogicOp> {
    match op {
        IntOp::And => Some(PredicateLogicOp::And),
        IntOp::Or => Some(PredicateLogicOp::Or),
        IntOp::Xor => Some(PredicateLogicOp::Xor),
        IntOp::Not => Some(PredicateLogicOp::Not),
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

fn packed(op: IntOp, modifiers: &Modifiers) -> Option<PackedIntOp> {
    let saturates = modifiers.has(Flag::Sat);
    match op {
        IntOp::Add if saturates => Some(PackedIntOp::AddSaturated),
        IntOp::Sub if saturates => Some(PackedIntOp::SubSaturated),
        IntOp::Add => Some(PackedIntOp::Add),
        IntOp::Sub => Some(PackedIntOp::Sub),
        IntOp::MulLo => Some(PackedIntOp::Mul),
        IntOp::Neg => Some(PackedIntOp::Neg),
        IntOp::Abs => Some(PackedIntOp::Abs),
        IntOp::Min => Some(PackedIntOp::Min),
        IntOp::Max => Some(PackedIntOp::Max),
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
