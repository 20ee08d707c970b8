//! Operand type checking: decides whether an operand is compatible with an instruction type. Each operand position has a strictness level
//! (PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size", as implemented by assembler 13.5).

use crate::types::{ScalarType, TypeKind};

/// Strictness level of the type check of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeMatch {
    /// The operand must have the width of the instruction type.
    Exact,
    /// The operand must have the width of the instruction type, and must not be a register of packed halves (counts, shift amounts, masks).
    Integer,
    /// Registers of integers or untyped bits may be wider than the instruction type (loads, conversions).
    Wider,
    /// Single source operand of `st`. Registers of any kind may be wider than the instruction type, and constants are truncated.
    Stored,
    /// Element of a brace-enclosed source operand of `st`. For floating-point types, integers of the same width are also accepted.
    StoredInBraces,
    /// Source operand of `st` that is the sum of a name and a constant. The assembler checks only the kind of the type.
    StoredSum,
    /// Element of a brace-enclosed source operand of `st.async`. The check is like [`TypeMatch::Exact`], but for floating-point types,
    /// integers of the same width are also accepted.
    ExactInBraces,
}

/// Class of an operand for type checking. Widths are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandClass {
    Bits(u32),
    Unsigned(u32),
    Signed(u32),
    /// `.f16`, `.f32`, `.f64`
    Float(u32),
    /// `.f16x2`
    Halves,
    Predicate,
    /// Constant of an integer type.
    Integer,
    /// Hexadecimal single-precision constant (`0f`).
    Single,
    /// Hexadecimal double-precision constant (`0d`), or decimal floating-point constant.
    Double,
    /// Operand that is compatible with every type, because the assembler does not check list elements that follow a constant.
    Open,
}

impl OperandClass {
    /// Returns the operand class of a register of type `ty`.
    pub const fn of(ty: ScalarType) -> OperandClass {
        let width = ty.width_bits();
        match ty.kind() {
            TypeKind::Bits => OperandClass::Bits(width),
            TypeKind::Unsigned => OperandClass::Unsigned(width),
            TypeKind::Signed => OperandClass::Signed(width),
            TypeKind::Predicate => OperandClass::Predicate,
            TypeKind::Float if matches!(ty, ScalarType::F16x2) => OperandClass::Halves,
            TypeKind::Float => OperandClass::Float(width),
        }
    }

    /// Returns the width of a register in bits, or `None` for constants.
    pub const fn width(self) -> Option<u32> {
        use OperandClass as V;
        match self {
            V::Bits(w) | V::Unsigned(w) | V::Signed(w) | V::Float(w) => Some(w),
            V::Halves => Some(32),
            V::Predicate => Some(1),
            V::Integer | V::Single | V::Double | V::Open => None,
        }
    }

    /// Returns the width of a value stored by `st`: A constant has the width with which the assembler evaluates the constant. A predicate
    /// in a list with several elements has 32 bits (assembler 13.5).
    pub const fn stored_width(self) -> u32 {
        use OperandClass as V;
        match self {
            V::Bits(w) | V::Unsigned(w) | V::Signed(w) | V::Float(w) => w,
            V::Halves | V::Predicate | V::Single => 32,
            V::Integer | V::Double | V::Open => 64,
        }
    }

    /// Returns whether the operand is a constant.
    pub const fn is_constant(self) -> bool {
        use OperandClass as V;
        matches!(self, V::Integer | V::Single | V::Double | V::Open)
    }

    /// Returns whether the operand is a signed or unsigned integer, including constants.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            OperandClass::Unsigned(_) | OperandClass::Signed(_) | OperandClass::Integer
        )
    }

    /// Returns whether the operand is a floating-point value, including constants but not packed halves.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            OperandClass::Float(_) | OperandClass::Single | OperandClass::Double
        )
    }
}

/// Compatibility class of each type: the width of a scalar integer type, or a unique number for any other type. A table lookup is faster
/// than two `match` expressions over the types, and large modules have hundreds of thousands of operands.
static COMPATIBILITY_CLASS: [u8; ScalarType::ALL.len()] = kinship();

const fn kinship() -> [u8; ScalarType::ALL.len()] {
    let mut table = [0; ScalarType::ALL.len()];
    let mut index = 0;
    while index < table.len() {
        let ty = ScalarType::ALL[index];
        table[index] = match ty.is_integer() && !ty.is_packed_integer() {
            true => ty.width_bits() as u8,
            false => u8::MAX - index as u8,
        };
        index += 1;
    }
    table
}

impl ScalarType {
    /// Returns whether a register of type `register` is compatible with an operand of this type.
    #[inline]
    pub fn accepts_register(self, register: ScalarType, fit: TypeMatch) -> bool {
        // Fast path for almost all operands: every strictness level accepts a register of the same type, or of an integer type with the
        // same width.
        let is_alike =
            COMPATIBILITY_CLASS.get(register as usize) == COMPATIBILITY_CLASS.get(self as usize);
        is_alike || self.accepts(OperandClass::of(register), fit)
    }

    /// Returns whether an operand of class `value` is compatible with an operand of this type.
    pub fn accepts(self, value: OperandClass, fit: TypeMatch) -> bool {
        use OperandClass as V;
        if self == ScalarType::Pred {
            return matches!(value, V::Predicate | V::Integer | V::Open);
        }
        if self.is_packed_integer() {
            // The assembler rejects signed and unsigned registers for packed types, because such a register contains a single number.
            return matches!(value, V::Bits(32) | V::Halves | V::Open);
        }
        let width = self.width_bits();
        match (fit, value) {
            (_, V::Open) => true,
            (_, V::Predicate) => false,
            (TypeMatch::StoredSum, _) => self.takes_kind_of_sum(value),
            (TypeMatch::Stored | TypeMatch::StoredInBraces, V::Integer | V::Single | V::Double) => {
                self.takes_stored_constant(value)
            }
            (TypeMatch::ExactInBraces, V::Integer) => self.is_integer() || self == ScalarType::F64,
            (_, V::Integer) => self.is_integer(),
            (_, V::Single) => {
                matches!(self, ScalarType::F32 | ScalarType::B32 | ScalarType::F64)
            }
            (_, V::Double) => {
                matches!(self, ScalarType::F32 | ScalarType::F64 | ScalarType::B64)
            }
            (TypeMatch::Stored | TypeMatch::StoredInBraces, _) if self == ScalarType::B128 => {
                value == V::Bits(width)
            }
            (
                TypeMatch::StoredInBraces | TypeMatch::ExactInBraces,
                V::Unsigned(w) | V::Signed(w),
            ) if self.is_float() => w == width,
            (TypeMatch::Stored | TypeMatch::StoredInBraces, V::Float(w)) if self.is_float() => {
                w == width
            }
            (
                TypeMatch::Exact | TypeMatch::ExactInBraces | TypeMatch::Integer | TypeMatch::Wider,
                _,
            )
            | (TypeMatch::Stored | TypeMatch::StoredInBraces, _) => {
                let is_wide_enough = value.width().is_some_and(|have| match fit {
                    TypeMatch::Exact | TypeMatch::ExactInBraces => have == width,
                    TypeMatch::Integer => have == width && !value.is_float() && value != V::Halves,
                    TypeMatch::Wider
                    | TypeMatch::Stored
                    | TypeMatch::StoredInBraces
                    | TypeMatch::StoredSum => have >= width,
                });
                is_wide_enough && self.takes_kind_of(value, fit)
            }
        }
    }

    /// Returns whether the kind of this type is compatible with the operand class `value`. Untyped bits are compatible with every kind, and
    /// signed integers are compatible with unsigned integers. The caller handles floats of the same type. For floats in asynchronous
    /// stores, only the widths are compared.
    fn takes_kind_of(self, value: OperandClass, fit: TypeMatch) -> bool {
        use OperandClass as V;
        match (value, self.kind()) {
            (V::Bits(_), _) | (_, TypeKind::Bits) => true,
            (V::Float(_), TypeKind::Float) => fit == TypeMatch::ExactInBraces,
            (V::Float(_), _) => false,
            // A register of packed halves is also accepted as an untyped 32-bit word.
            (V::Halves, kind) => kind != TypeKind::Float,
            (_, TypeKind::Float) => false,
            _ => true,
        }
    }

    fn takes_stored_constant(self, value: OperandClass) -> bool {
        match (self.kind(), value) {
            (TypeKind::Float, value) => value.is_float(),
            (TypeKind::Bits, OperandClass::Single) => self.width_bits() == 32,
            (TypeKind::Bits, OperandClass::Double) => self.width_bits() == 64,
            (_, value) => !value.is_float(),
        }
    }

    fn takes_kind_of_sum(self, value: OperandClass) -> bool {
        match self.kind() {
            TypeKind::Bits => true,
            TypeKind::Unsigned | TypeKind::Signed => !value.is_float(),
            TypeKind::Float => matches!(value, OperandClass::Bits(_)) || value.is_float(),
            TypeKind::Predicate => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OperandClass as V, TypeMatch};
    use crate::types::ScalarType as T;

    /// Test cases: type, operand class, strictness, and whether the operand is compatible.
    #[rustfmt::skip]
    const CASES: &[(T, V, TypeMatch, bool)] = &[
        (T::U32, V::Signed(32),   TypeMatch::Exact,          true),
        (T::U32, V::Bits(64),     TypeMatch::Exact,          false),
        (T::U32, V::Bits(64),     TypeMatch::Wider,          true),
        (T::F32, V::Bits(32),     TypeMatch::Exact,          true),
        (T::F32, V::Unsigned(32), TypeMatch::Exact,          false),
        (T::F32, V::Integer,      TypeMatch::Exact,          false),
        (T::U32, V::Halves,       TypeMatch::Exact,          true),
        (T::U32, V::Halves,       TypeMatch::Integer,        false),
        (T::U32, V::Float(32),    TypeMatch::Wider,          false),
        (T::B32, V::Float(64),    TypeMatch::Stored,         true),
        (T::U32, V::Float(32),    TypeMatch::Stored,         false),
        (T::F32, V::Float(64),    TypeMatch::Stored,         false),
        (T::F32, V::Unsigned(32), TypeMatch::Stored,         false),
        (T::F32, V::Unsigned(32), TypeMatch::StoredInBraces, true),
        (T::F32, V::Halves,       TypeMatch::Stored,         false),
        (T::B64, V::Single,       TypeMatch::Stored,         false),
        (T::F64, V::Single,       TypeMatch::Stored,         true),
        (T::B128, V::Bits(64),    TypeMatch::Stored,         false),
        (T::F32, V::Unsigned(32), TypeMatch::ExactInBraces,  true),
        (T::F64, V::Integer,      TypeMatch::ExactInBraces,  true),
        (T::F32, V::Integer,      TypeMatch::ExactInBraces,  false),
        (T::Pred, V::Predicate,   TypeMatch::Exact,          true),
        (T::B32, V::Predicate,    TypeMatch::Exact,          false),
    ];

    #[test]
    fn operand_type_acceptance_depends_on_strictness() {
        for (ty, value, fit, expected) in CASES {
            assert_eq!(
                ty.accepts(*value, *fit),
                *expected,
                "{ty} {value:?} {fit:?}"
            );
        }
    }
}
