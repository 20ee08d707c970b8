//! `cvt`: which rounding a pair of types needs. In: a bound opcode; out: diagnostics.

use crate::diagnostics::check as diagnose;
use crate::module::Module;
use crate::opcode::Opcode;
use warpgrid_isa::Flag;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::{Bound, Gate};
use warpgrid_isa::{Modifiers, ScalarType, TargetGate, TypeKind};
use warpgrid_program::Diagnostic;

/// The architecture whose 8-bit floats have a gate of their own.
const ADA: TargetGate = TargetGate::Between(89, 89);

/// The gate of 8-bit floats on `sm_89`, which came to them after `sm_90` (assembler 13.5).
const EIGHT_BITS: Gate = Gate::ptx(8, 1).sm(89);

/// Rounding is demanded where a conversion can lose bits of a float, and refused where it cannot
/// (PTX ISA, "cvt"; assembler 13.5).
pub(crate) fn check(
    opcode: &Opcode<'_>,
    bound: &Bound,
    modifiers: &Modifiers,
    module: &Module,
) -> Vec<Diagnostic> {
    let (Some(to), Some(from)) = (modifiers.d_type, modifiers.a_type) else {
        return Vec::new();
    };
    let mut problems = match is_packed(to) || is_packed(from) {
        // The rows say how these round.
        true => Vec::new(),
        false => rounding(opcode, bound, to, from),
    };
    if let Some(word) = bound.word(Flag::Ftz)
        && to != ScalarType::F32
        && from != ScalarType::F32
    {
        problems.push(diagnose::ftz_of_conversion(opcode, word));
    }
    let is_eight_bits = |ty| matches!(ty, ScalarType::E4m3x2 | ScalarType::E5m2x2);
    if (is_eight_bits(to) || is_eight_bits(from))
        && ADA.met_by(module.target)
        && module.version < EIGHT_BITS.ptx
    {
        problems.push(diagnose::needs_version(opcode, None, EIGHT_BITS, module));
    }
    problems.extend(brain(opcode, bound, to, from, module));
    problems.extend(saturation(opcode, bound, to, from));
    problems
}

/// Types whose conversions have rows of their own.
fn is_packed(ty: ScalarType) -> bool {
    use ScalarType as T;
    !matches!(
        ty,
        T::U8
            | T::U16
            | T::U32
            | T::U64
            | T::S8
            | T::S16
            | T::S32
            | T::S64
            | T::F16
            | T::F32
            | T::F64
            | T::Bf16
    )
}

/// What came to `.bf16` with `sm_90`: everything but `.bf16.f32` and `.f32.bf16`; bytes never did (assembler 13.5).
fn brain(
    opcode: &Opcode<'_>,
    bound: &Bound,
    to: ScalarType,
    from: ScalarType,
    module: &Module,
) -> Option<Diagnostic> {
    const BRAIN: Gate = Gate::ptx(7, 8).sm(90);
    use ScalarType as T;
    let other = match (to, from) {
        (T::Bf16, other) | (other, T::Bf16) => other,
        _ => return None,
    };
    if matches!(other, T::U8 | T::S8) {
        let word = bound.word(SlotName::AType)?;
        return Some(diagnose::illegal_pair(opcode, word, to, from));
    }
    if other == T::F32 || module.meets(BRAIN) {
        return None;
    }
    Some(match module.version < BRAIN.ptx {
        true => diagnose::needs_version(opcode, None, BRAIN, module),
        false => diagnose::needs_target(opcode, None, BRAIN, module),
    })
}

/// `.sat` is refused with `.bf16`, and between integers where the destination holds every value of the source
/// (assembler 13.5).
fn saturation(
    opcode: &Opcode<'_>,
    bound: &Bound,
    to: ScalarType,
    from: ScalarType,
) -> Option<Diagnostic> {
    let word = bound.word(Flag::Sat)?;
    let is_brain = to == ScalarType::Bf16 || from == ScalarType::Bf16;
    let are_integers = to.is_integer() && from.is_integer();
    let is_wider = to.width_bits() > from.width_bits();
    let holds_all = match (to.is_signed(), from.is_signed()) {
        (true, true) | (false, false) => to.width_bits() >= from.width_bits(),
        (true, false) => is_wider,
        (false, true) => false,
    };
    (is_brain || (are_integers && holds_all))
        .then(|| diagnose::needless_saturation(opcode, word, to, from))
}

fn rounding(
    opcode: &Opcode<'_>,
    bound: &Bound,
    to: ScalarType,
    from: ScalarType,
) -> Vec<Diagnostic> {
    // Both kinds may be written, which is wrong whatever the types.
    let (to_float, to_integer) = (
        bound.has(SlotName::Round),
        bound.has(SlotName::IntegerRound),
    );
    let words = (
        bound.word(SlotName::Round),
        bound.word(SlotName::IntegerRound),
    );
    if let (Some(one), Some(other)) = words {
        let (first, second) = (one.min(other), one.max(other));
        return vec![diagnose::duplicate_modifier(opcode, second, first)];
    }
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
        Need::Any if to_integer => vec![diagnose::rounding_refused(opcode, bound)],
        Need::Float | Need::Integer | Need::NoFloat | Need::None | Need::Any => Vec::new(),
    }
}

enum Need {
    /// `.rn` and its kind.
    Float,
    /// `.rni` and its kind.
    Integer,
    /// `.rni` and its kind may be written, `.rn` may not.
    NoFloat,
    /// None may be written.
    None,
    /// `.rn` and its kind may be written.
    Any,
}

fn need(to: ScalarType, from: ScalarType) -> Need {
    let integer = |ty: ScalarType| ty.kind() != TypeKind::Float;
    match (integer(to), integer(from)) {
        (true, true) => Need::None,
        (false, true) => Need::Float,
        (true, false) => Need::Integer,
        (false, false) if to.width_bits() < from.width_bits() => Need::Float,
        (false, false) if to == from => Need::NoFloat,
        // A rounding may be written although the conversion is exact (assembler 13.5).
        (false, false) if to == ScalarType::Bf16 || from == ScalarType::Bf16 => Need::Any,
        (false, false) => Need::None,
    }
}
