//! Operand type checking: decides whether an operand is compatible with an instruction type at the strictness that the operand slot
//! requires (PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size", as implemented by assembler 13.5).

use crate::types::{ScalarType, TypeKind};

/// Strictness of operand type checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Same width.
    Exact,
    /// Same width and no packed halves: counts, shift amounts, masks.
    Integer,
    /// Integers and bits may be wider than the instruction type: loads, conversions.
    Wider,
    /// Single source operand of `st`: registers of any kind may be wider, and constants are truncated.
    Stored,
    /// Source operand of `st` in braces: integers of the same width are also accepted for floats.
    StoredInBraces,
    /// Sum of a name and a constant as source of `st`: only the kind is checked.
    StoredSum,
    /// Source operand of `st.async` in braces: like [`Fit::Exact`], but integers of the same width are also accepted for floats.
    ExactInBraces,
}

/// Operand class used for type checking. Widths are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueClass {
    Bits(u32),
    Unsigned(u32),
    Signed(u32),
    /// `.f16`, `.f32`, `.f64`
    Float(u32),
    /// `.f16x2`
    Halves,
    Predicate,
    /// Integer constant.
    Integer,
    /// `0f` constant.
    Single,
    /// `0d` or decimal constant.
    Double,
    /// Compatible with every type: follows a constant, after which the assembler does not check operands.
    Open,
}

impl ValueClass {
    /// Returns the operand class of a register of type `ty`.
    pub const fn of(ty: ScalarType) -> ValueClass {
        let width = ty.width_bits();
        match ty.kind() {
            TypeKind::Bits => ValueClass::Bits(width),
            TypeKind::Unsigned => ValueClass::Unsigned(width),
            TypeKind::Signed => ValueClass::Signed(width),
            TypeKind::Predicate => ValueClass::Predicate,
            TypeKind::Float if matches!(ty, ScalarType::F16x2) => ValueClass::Halves,
            TypeKind::Float => ValueClass::Float(width),
        }
    }

    /// Returns the width of a register; `None` for constants.
    pub const fn width(self) -> Option<u32> {
        use ValueClass as V;
        match self {
            V::Bits(w) | V::Unsigned(w) | V::Signed(w) | V::Float(w) => Some(w),
            V::Halves => Some(32),
            V::Predicate => Some(1),
            V::Integer | V::Single | V::Double | V::Open => None,
        }
    }

    /// Returns the width of a value stored by `st`: for constants the width of constant evaluation, and 32 bits for a predicate next to
    /// other elements (assembler 13.5).
    pub const fn stored_width(self) -> u32 {
        use ValueClass as V;
        match self {
            V::Bits(w) | V::Unsigned(w) | V::Signed(w) | V::Float(w) => w,
            V::Halves | V::Predicate | V::Single => 32,
            V::Integer | V::Double | V::Open => 64,
        }
    }

    /// Returns whether the operand is a constant.
    pub const fn is_constant(self) -> bool {
        use ValueClass as V;
        matches!(self, V::Integer | V::Single | V::Double | V::Open)
    }

    /// Returns whether the operand is a signed or unsigned integer, including constants.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            ValueClass::Unsigned(_) | ValueClass::Signed(_) | ValueClass::Integer
        )
    }

    /// Returns whether the operand is a floating-point value, including constants but not packed halves.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            ValueClass::Float(_) | ValueClass::Single | ValueClass::Double
        )
    }
}

/// Compatibility class of each type: its width for a single integer, otherwise a number unique to the type. One table lookup replaces two
/// matches over the types, since large modules have hundreds of thousands of operands.
static KINSHIP: [u8; ScalarType::ALL.len()] = kinship();

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
    pub fn takes_register(self, register: ScalarType, fit: Fit) -> bool {
        // Fast path for almost all operands: the same type, or an integer type of the same width, is accepted at every strictness level.
        let is_alike = KINSHIP.get(register as usize) == KINSHIP.get(self as usize);
        is_alike || self.takes(ValueClass::of(register), fit)
    }

    /// Returns whether an operand of class `value` is compatible with an operand of this type.
    pub fn takes(self, value: ValueClass, fit: Fit) -> bool {
        use ValueClass as V;
        if self == ScalarType::Pred {
            return matches!(value, V::Predicate | V::Integer | V::Open);
        }
        if self.is_packed_integer() {
            // Integer registers contain a single number, so the assembler rejects them.
            return matches!(value, V::Bits(32) | V::Halves | V::Open);
        }
        let width = self.width_bits();
        match (fit, value) {
            (_, V::Open) => true,
            (_, V::Predicate) => false,
            (Fit::StoredSum, _) => self.takes_kind_of_sum(value),
            (Fit::Stored | Fit::StoredInBraces, V::Integer | V::Single | V::Double) => {
                self.takes_stored_constant(value)
            }
            (Fit::ExactInBraces, V::Integer) => self.is_integer() || self == ScalarType::F64,
            (_, V::Integer) => self.is_integer(),
            (_, V::Single) => {
                matches!(self, ScalarType::F32 | ScalarType::B32 | ScalarType::F64)
            }
            (_, V::Double) => {
                matches!(self, ScalarType::F32 | ScalarType::F64 | ScalarType::B64)
            }
            (Fit::Stored | Fit::StoredInBraces, _) if self == ScalarType::B128 => {
                value == V::Bits(width)
            }
            (Fit::StoredInBraces | Fit::ExactInBraces, V::Unsigned(w) | V::Signed(w))
                if self.is_float() =>
            {
                w == width
            }
            (Fit::Stored | Fit::StoredInBraces, V::Float(w)) if self.is_float() => w == width,
            (Fit::Exact | Fit::ExactInBraces | Fit::Integer | Fit::Wider, _)
            | (Fit::Stored | Fit::StoredInBraces, _) => {
                let is_wide_enough = value.width().is_some_and(|have| match fit {
                    Fit::Exact | Fit::ExactInBraces => have == width,
                    Fit::Integer => have == width && !value.is_float() && value != V::Halves,
                    Fit::Wider | Fit::Stored | Fit::StoredInBraces | Fit::StoredSum => {
                        have >= width
                    }
                });
                is_wide_enough && self.takes_kind_of(value, fit)
            }
        }
    }

    /// Returns whether the kinds are compatible: bits with everything, integers with each other. The caller recognizes floats of the same
    /// type, but asynchronous stores compare only their widths.
    fn takes_kind_of(self, value: ValueClass, fit: Fit) -> bool {
        use ValueClass as V;
        match (value, self.kind()) {
            (V::Bits(_), _) | (_, TypeKind::Bits) => true,
            (V::Float(_), TypeKind::Float) => fit == Fit::ExactInBraces,
            (V::Float(_), _) => false,
            // Packed halves are also accepted as an untyped 32-bit word.
            (V::Halves, kind) => kind != TypeKind::Float,
            (_, TypeKind::Float) => false,
            _ => true,
        }
    }

    fn takes_stored_constant(self, value: ValueClass) -> bool {
        match (self.kind(), value) {
            (TypeKind::Float, value) => value.is_float(),
            (TypeKind::Bits, ValueClass::Single) => self.width_bits() == 32,
            (TypeKind::Bits, ValueClass::Double) => self.width_bits() == 64,
            (_, value) => !value.is_float(),
        }
    }

    fn takes_kind_of_sum(self, value: ValueClass) -> bool {
        match self.kind() {
            TypeKind::Bits => true,
            TypeKind::Unsigned | TypeKind::Signed => !value.is_float(),
            TypeKind::Float => matches!(value, ValueClass::Bits(_)) || value.is_float(),
            TypeKind::Predicate => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, ValueClass as V};
    use crate::types::ScalarType as T;

    /// Type, operand class, strictness, and whether they are compatible.
    #[rustfmt::skip]
    const CASES: &[(T, V, Fit, bool)] = &[
        (T::U32, V::Signed(32),   Fit::Exact,          true),
        (T::U32, V::Bits(64),     Fit::Exact,          false),
        (T::U32, V::Bits(64),     Fit::Wider,          true),
        (T::F32, V::Bits(32),     Fit::Exact,          true),
        (T::F32, V::Unsigned(32), Fit::Exact,          false),
        (T::F32, V::Integer,      Fit::Exact,          false),
        (T::U32, V::Halves,       Fit::Exact,          true),
        (T::U32, V::Halves,       Fit::Integer,        false),
        (T::U32, V::Float(32),    Fit::Wider,          false),
        (T::B32, V::Float(64),    Fit::Stored,         true),
        (T::U32, V::Float(32),    Fit::Stored,         false),
        (T::F32, V::Float(64),    Fit::Stored,         false),
        (T::F32, V::Unsigned(32), Fit::Stored,         false),
        (T::F32, V::Unsigned(32), Fit::StoredInBraces, true),
        (T::F32, V::Halves,       Fit::Stored,         false),
        (T::B64, V::Single,       Fit::Stored,         false),
        (T::F64, V::Single,       Fit::Stored,         true),
        (T::B128, V::Bits(64),    Fit::Stored,         false),
        (T::F32, V::Unsigned(32), Fit::ExactInBraces,  true),
        (T::F64, V::Integer,      Fit::ExactInBraces,  true),
        (T::F32, V::Integer,      Fit::ExactInBraces,  false),
        (T::Pred, V::Predicate,   Fit::Exact,          true),
        (T::B32, V::Predicate,    Fit::Exact,          false),
    ];

    #[test]
    fn values_fit_as_closely_as_the_operand_asks_for() {
        for (ty, value, fit, expected) in CASES {
            assert_eq!(ty.takes(*value, *fit), *expected, "{ty} {value:?} {fit:?}");
        }
    }
}
