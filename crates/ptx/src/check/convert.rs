//! `cvt`: which rounding a pair of types needs, and what the conversion becomes.

use super::kind::{Kind, mode};
use super::plan::Opcode;
use crate::diagnostics::check as diagnose;
use warpgrid_isa::form::Bound;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{Conversion, Diagnostic};

/// The conversion that the modifiers describe.
pub(crate) fn make(bound: &Bound) -> Option<Kind> {
    let conversion = Conversion {
        to: bound.scalar("dtype")?,
        from: bound.scalar("atype")?,
        mode: mode(bound),
    };
    Some(match bound.layout.operands.len() {
        2 => Kind::Convert(conversion),
        _ => Kind::ConvertPacked(conversion),
    })
}

/// Rounding is demanded where a conversion can lose bits of a float, and refused where it cannot
/// (PTX ISA, "cvt"; assembler 13.5).
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound) -> Vec<Diagnostic> {
    let (Some(to), Some(from)) = (bound.scalar("dtype"), bound.scalar("atype")) else {
        return Vec::new();
    };
    let mut problems = rounding(opcode, bound, to, from);
    if let Some(word) = bound.word("ftz")
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
    to: ScalarType,
    from: ScalarType,
) -> Vec<Diagnostic> {
    let integer_rounding = bound.has("irnd");
    let rounding = bound.has("rnd") || integer_rounding;
    match need(to, from) {
        Need::Float if integer_rounding || !rounding => {
            vec![diagnose::rounding_required(opcode, to, from, "rn", bound)]
        }
        Need::Integer if !integer_rounding => {
            vec![diagnose::rounding_required(opcode, to, from, "rzi", bound)]
        }
        Need::NoFloat if bound.has("rnd") => vec![diagnose::rounding_refused(opcode, bound)],
        Need::None if rounding => vec![diagnose::rounding_refused(opcode, bound)],
        _ => Vec::new(),
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
