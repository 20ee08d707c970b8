//! Which register serves which instruction type (PTX ISA, "Operand Type Checking", as assembler 13.5 has it).

use warpgrid_isa::{ScalarType, TypeKind};

/// How closely a register has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The very width.
    Exact,
    /// The very width, and no packed halves: counts, amounts, masks.
    Integer,
    /// Integers and bits may be wider than the instruction says: loads, stores, conversions.
    Wider,
}

/// Whether a register of type `register` may stand where the instruction says `ty`.
#[inline]
pub(crate) fn fits(register: ScalarType, ty: ScalarType, fit: Fit) -> bool {
    if register == ty {
        return true;
    }
    if register == ScalarType::Pred || ty == ScalarType::Pred {
        return false;
    }
    let (have, need) = (register.width_bits(), ty.width_bits());
    let wide_enough = match fit {
        Fit::Exact => have == need,
        Fit::Integer => have == need && register.is_integer(),
        Fit::Wider => have >= need,
    };
    wide_enough && kinds_fit(register, ty)
}

fn kinds_fit(register: ScalarType, ty: ScalarType) -> bool {
    match (register.kind(), ty.kind()) {
        (TypeKind::Bits, _) | (_, TypeKind::Bits) => true,
        (TypeKind::Float, TypeKind::Float) => false,
        // Packed halves also serve as a plain word (assembler 13.5).
        (TypeKind::Float, _) => register == ScalarType::F16x2,
        (_, TypeKind::Float) => false,
        _ => true,
    }
}

/// The integer type of twice the width (`mul.wide`).
pub(crate) fn widened(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        ScalarType::S32 => ScalarType::S64,
        ScalarType::B8 => ScalarType::B16,
        ScalarType::B16 => ScalarType::B32,
        ScalarType::B32 => ScalarType::B64,
        ScalarType::B64 => ScalarType::B128,
        other => other,
    }
}

/// The bits of an integer literal in the width of a type.
pub(crate) fn truncated(value: u64, ty: ScalarType) -> u64 {
    match ty.width_bits() {
        bits @ 0..64 => value & ((1 << bits) - 1),
        _ => value,
    }
}
