//! `cvt`: which rounding a pair of types needs. In: a bound opcode; out: diagnostics.

use crate::diagnostics::check as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::Flag;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::Bound;
use warpgrid_isa::{Modifiers, ScalarType, TypeKind};
use warpgrid_program::Diagnostic;

/// Rounding is demanded where a conversion can lose bits of a float, and refused where it cannot
/// (PTX ISA, "cvt"; assembler 13.5).
pub(crate) fn check(opcode: &Opcode<'_>, bound: &Bound, modifiers: &Modifiers) -> Vec<Diagnostic> {
    let (Some(to), Some(from)) = (modifiers.d_type, modifiers.a_type) else {
        return Vec::new();
    };
    let mut problems = rounding(opcode, bound, (to, from));
    if let Some(word) = bound.word(Flag::Ftz)
        && to != ScalarType::F32
        && from != ScalarType::F32
    {
        problems.push(diagnose::ftz_of_conversion(opcode, word));
    }
    problems
}

fn rounding(
    opcode: &Opcode<'_>,
    bound: &Bound,
    (to, from): (ScalarType, ScalarType),
) -> Vec<Diagnostic> {
    // Both kinds may be written, which is wrong whatever the types.
    let (to_float, to_integer) = (
        bound.has(SlotName::Round),
        bound.has(SlotName::IntegerRound),
    );
    let rounds = to_float || to_integer;
    match need(to, from) {
        Need::Float if to_integer || !rounds => {
            vec![diagnose::rounding_required(opcode, to, from, "rn", bound)]
        }
        Need::Integer if !to_integer => {
            vec![diagnose::rounding_required(opcode, to, from, "rzi", bound)]
        }
        Need::NoFloat if to_float => vec![diagnose::rounding_refused(opcode, bound)],
        Need::None if rounds => vec![diagnose::rounding_refused(opcode, bound)],
        Need::Float | Need::Integer | Need::NoFloat | Need::None => Vec::new(),
    }
}

enum Need {
    /// `.rn` and its kind.
    Float,
    /// `.rni` and its kind.
    Integer,
    /// `.rni` and its kind may stand, `.rn` may not.
    NoFloat,
    /// None may stand.
    None,
}

fn need(to: ScalarType, from: ScalarType) -> Need {
    if matches!(to, ScalarType::F16x2 | ScalarType::Bf16x2) {
        return Need::Float;
    }
    let integer = |ty: ScalarType| ty.kind() != TypeKind::Float;
    match (integer(to), integer(from)) {
        (true, true) => Need::None,
        (false, true) => Need::Float,
        (true, false) => Need::Integer,
        (false, false) if to.width_bits() < from.width_bits() => Need::Float,
        (false, false) if to == from => Need::NoFloat,
        (false, false) => Need::None,
    }
}
