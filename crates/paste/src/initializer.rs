//! Value with which a host source initializes an operand of an asm block.

use warpgrid_isa::ScalarType;

/// Initializer of an operand: its value, and its declaration or expression in the notation of the host source.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    pub value: ConstantValue,
    pub text: String,
}

/// Value of a constant expression of a host source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantValue {
    Integer(i64),
    Float(f64),
}

impl ConstantValue {
    pub(crate) fn is_zero(self) -> bool {
        match self {
            ConstantValue::Integer(value) => value == 0,
            ConstantValue::Float(value) => value == 0.0,
        }
    }

    /// Returns the bits of the value in a register of type `ty`, converted as in an assignment. Returns `None` for a floating-point value in
    /// an integer register, whose format is unknown.
    pub(crate) fn bits(self, ty: ScalarType) -> Option<u64> {
        let float = match self {
            ConstantValue::Integer(value) => value as f64,
            ConstantValue::Float(value) => value,
        };
        match (ty, self) {
            (ScalarType::F32, _) => Some((float as f32).to_bits().into()),
            (ScalarType::F64, _) => Some(float.to_bits()),
            (_, ConstantValue::Float(_)) => None,
            (_, ConstantValue::Integer(value)) => match ty.width_bits() {
                bits @ 1..64 => Some(value as u64 & ((1 << bits) - 1)),
                64 => Some(value as u64),
                _ => None,
            },
        }
    }
}
