//! Checks the modifiers of `cvt`: the rounding modifier that the types require, saturation, and the availability of types.

use crate::diagnostics::check as diagnose;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::Flag;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::{BoundForm, Gate};
use warpgrid_isa::{Modifiers, ScalarType, TargetRequirement, TypeKind};
use warpgrid_program::Diagnostic;

/// Requirement for the architecture `sm_89`, which has a separate gate for 8-bit floating-point types.
const ADA: TargetRequirement = TargetRequirement::Between(89, 89);

/// Required version for 8-bit floating-point types on `sm_89`. On `sm_90`, an earlier PTX version supports these types (assembler 13.5).
const EIGHT_BITS: Gate = Gate::ptx(8, 1).sm(89);

/// Checks a conversion. The assembler requires a rounding modifier if the conversion can lose bits of a floating-point value, and rejects
/// the modifier otherwise (PTX ISA, "cvt"; assembler 13.5).
pub(crate) fn check(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let (Some(to), Some(from)) = (modifiers.d_type, modifiers.a_type) else {
        return Vec::new();
    };
    let mut problems = match is_packed(to) || is_packed(from) {
        // The table rows contain the rounding rules of packed types.
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
    problems.extend(brain(opcode, to, from, module));
    problems.extend(saturation(opcode, bound, to, from));
    problems
}

/// Returns whether the conversions of a type have separate table rows.
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

/// Checks the requirements of `.bf16`: all conversions except `.bf16.f32` and `.f32.bf16` require `sm_90` (assembler 13.5).
fn brain(
    opcode: &Opcode<'_>,
    to: ScalarType,
    from: ScalarType,
    module: &TargetContext,
) -> Option<Diagnostic> {
    const BRAIN: Gate = Gate::ptx(7, 8).sm(90);
    use ScalarType as T;
    let other = match (to, from) {
        (T::Bf16, other) | (other, T::Bf16) => other,
        _ => return None,
    };
    if other == T::F32 || module.meets(BRAIN) {
        return None;
    }
    Some(match module.version < BRAIN.ptx {
        true => diagnose::needs_version(opcode, None, BRAIN, module),
        false => diagnose::needs_target(opcode, None, BRAIN, module),
    })
}

/// Checks `.sat`, which is rejected for `.bf16`, and for conversions between integers if the destination type can represent every
/// value of the source type (assembler 13.5).
fn saturation(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
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
    bound: &BoundForm,
    to: ScalarType,
    from: ScalarType,
) -> Vec<Diagnostic> {
    // Two rounding modifiers of different kinds are an error for all types.
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
        RoundingRequirement::Float if to_integer || !rounds => {
            vec![diagnose::rounding_required(opcode, to, from, "rn", bound)]
        }
        RoundingRequirement::Integer if !to_integer => {
            vec![diagnose::rounding_required(opcode, to, from, "rzi", bound)]
        }
        RoundingRequirement::NoFloat if to_float => vec![diagnose::rounding_refused(opcode, bound)],
        RoundingRequirement::None if rounds => vec![diagnose::rounding_refused(opcode, bound)],
        RoundingRequirement::Any if to_integer => vec![diagnose::rounding_refused(opcode, bound)],
        RoundingRequirement::Float
        | RoundingRequirement::Integer
        | RoundingRequirement::NoFloat
        | RoundingRequirement::None
        | RoundingRequirement::Any => Vec::new(),
    }
}

enum RoundingRequirement {
    /// A floating-point rounding modifier such as `.rn` is required.
    Float,
    /// An integer rounding modifier such as `.rni` is required.
    Integer,
    /// An integer rounding modifier is permitted, but a floating-point rounding modifier is not.
    NoFloat,
    /// No rounding modifier is permitted.
    None,
    /// A floating-point rounding modifier is permitted.
    Any,
}

fn need(to: ScalarType, from: ScalarType) -> RoundingRequirement {
    let integer = |ty: ScalarType| ty.kind() != TypeKind::Float;
    match (integer(to), integer(from)) {
        (true, true) => RoundingRequirement::None,
        (false, true) => RoundingRequirement::Float,
        (true, false) => RoundingRequirement::Integer,
        (false, false) if to.width_bits() < from.width_bits() => RoundingRequirement::Float,
        (false, false) if to == from => RoundingRequirement::NoFloat,
        // Conversions of `.bf16` may have a rounding modifier although the conversion is exact (assembler 13.5).
        (false, false) if to == ScalarType::Bf16 || from == ScalarType::Bf16 => {
            RoundingRequirement::Any
        }
        (false, false) => RoundingRequirement::None,
    }
}
