//! Rules for the modifiers of matrix instructions.

use crate::diagnostics::matrix as diagnose;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form::{BoundForm, FactSource};
use warpgrid_isa::fragment::{MatrixOperand, operand_registers};
use warpgrid_isa::{Flag, MatrixOp, Modifiers, SlotName, TypeKind, Version};
use warpgrid_program::Diagnostic;

/// Checks the rules for the modifiers of a matrix opcode that its table row does not contain.
pub(crate) fn check(
    op: MatrixOp,
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let modifiers = bound.modifiers();
    let mut problems = Vec::new();
    match op {
        MatrixOp::WmmaStore => {
            problems.extend(check_name(opcode, bound));
            problems.extend(check_aligned(opcode, bound, module));
            problems.extend(check_vector(op, opcode, bound, &modifiers));
            problems.extend(beyond_manual(opcode, bound, &modifiers));
        }
        MatrixOp::WmmaLoadA | MatrixOp::WmmaLoadB | MatrixOp::WmmaLoadC => {
            problems.extend(check_name(opcode, bound));
            problems.extend(check_aligned(opcode, bound, module));
        }
        MatrixOp::WmmaMma => {
            problems.extend(check_aligned(opcode, bound, module));
            problems.extend(check_satfinite(opcode, bound, &modifiers, module));
            problems.extend(check_popc(opcode, bound));
        }
        MatrixOp::Mma => {
            problems.extend(check_popc(opcode, bound));
            problems.extend(unchecked_words(opcode, bound));
        }
        MatrixOp::MmaBlockScaled | MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled => {}
        MatrixOp::Ldmatrix | MatrixOp::Stmatrix => {
            problems.extend(unchecked_words(opcode, bound));
            problems.extend(check_formats(opcode, bound));
        }
    }
    problems
}

/// Checks that the modifiers that belong to the instruction name directly follow the opcode in the required order.
fn check_name(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<Diagnostic> {
    let joined = opcode.is_joined(1) && opcode.is_joined(2);
    let in_place = bound.misplaced_lead().is_none();
    let all = bound
        .slots
        .iter()
        .take(bound.layout.form.n_name_modifiers)
        .all(Option::is_some);
    (!in_place || !all || !joined).then(|| {
        let name = bound.layout.name();
        diagnose::name_order(opcode.span, &name, &in_order(opcode, bound))
    })
}

/// Checks `.aligned`, which older PTX versions reject and newer versions require.
fn check_aligned(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Option<Diagnostic> {
    let aligned_from = bound.layout.form.required_from(Flag::Aligned);
    let is_required = aligned_from.is_some_and(|version| module.version >= version);
    match bound.word(Flag::Aligned) {
        None if is_required => {
            let leads = bound.layout.form.n_name_modifiers.max(1);
            let name = opcode.modifier_span(0).to(opcode.modifier_span(leads - 1));
            let last = bound.word(Flag::Sync).unwrap_or(leads - 1);
            let after = opcode.modifier_span(last).end;
            Some(diagnose::aligned_missing(name, after, module.version))
        }
        Some(word) if !is_required => Some(diagnose::aligned_too_early(
            opcode.dotted_span(word),
            module.version,
        )),
        _ => None,
    }
}

/// Checks the vector width of `wmma.store`, which the manual does not document.
fn check_vector(
    op: MatrixOp,
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
) -> Option<Diagnostic> {
    let word = bound.word(SlotName::Vector)?;
    let n = operand_registers(op, modifiers, MatrixOperand::D)?.n?;
    let dotted = opcode.dotted_span(word);
    Some(match modifiers.n_elements() == n {
        true => diagnose::beyond_manual(dotted, "a vector width"),
        false => diagnose::vector_width(dotted, n),
    })
}

/// Checks `.satfinite`: floating-point MMA supports it only up to PTX 6.4.
fn check_satfinite(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
    module: &TargetContext,
) -> Option<Diagnostic> {
    let word = bound.word(Flag::Satfinite)?;
    let is_float = modifiers
        .d_type
        .is_some_and(|ty| ty.kind() == TypeKind::Float);
    let is_gone = is_float && module.version >= Version::new(6, 5);
    is_gone.then(|| diagnose::satfinite_removed(opcode.dotted_span(word), module.version))
}

/// Checks that `.popc` follows the bit operation (`.xor` or `.and`).
fn check_popc(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<Diagnostic> {
    let (popc, op) = (bound.word(Flag::Popc)?, bound.word(SlotName::BitOp)?);
    (popc < op).then(|| diagnose::popc_order(opcode.modifier_span(popc), opcode.modifier_span(op)))
}

/// Checks that the modifier for the format in registers precedes the modifier for the format in memory.
fn check_formats(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<Diagnostic> {
    let (to, from) = (bound.word(Flag::B8x16)?, bound.word(SlotName::Unpacking)?);
    (from < to)
        .then(|| diagnose::format_order(opcode.modifier_span(from), opcode.modifier_span(to)))
}

/// Reports modifiers of `mma`, `ldmatrix` and `stmatrix` that the assembler accepts although the PTX ISA manual does not document them.
fn unchecked_words(opcode: &Opcode<'_>, bound: &BoundForm) -> Vec<Diagnostic> {
    let values = bound.slots.iter().flatten();
    values
        .filter_map(|binding| {
            let value = binding.value?;
            let is_extra = matches!(value.gate.origin, FactSource::Assembler(_));
            let subject = format!("`.{}`", value.text);
            is_extra.then(|| diagnose::beyond_manual(opcode.modifier_span(binding.word), &subject))
        })
        .collect()
}

/// Returns the opcode text in which the modifiers that belong to the instruction name come first, followed by the other modifiers in source
/// order.
fn in_order(opcode: &Opcode<'_>, bound: &BoundForm) -> String {
    let mut text = bound.layout.name();
    let leads = bound
        .slots
        .iter()
        .take(bound.layout.form.n_name_modifiers)
        .flatten();
    let names: Vec<usize> = leads.map(|binding| binding.word).collect();
    let words = opcode.modifiers().iter().enumerate();
    for (_, word) in words.filter(|(index, _)| !names.contains(index)) {
        text.push('.');
        text.push_str(word);
    }
    text
}

fn beyond_manual(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
) -> Option<Diagnostic> {
    let word = bound.word(SlotName::Type)?;
    let is_sub_byte = modifiers
        .shape
        .is_some_and(|shape| matches!(shape.depth, 32 | 128));
    let value = bound
        .slots
        .iter()
        .flatten()
        .find(|b| b.word == word)?
        .value?;
    let subject = format!("`.{}` with this shape", value.text);
    (is_sub_byte && matches!(value.gate.origin, FactSource::Assembler(_)))
        .then(|| diagnose::beyond_manual(opcode.modifier_span(word), &subject))
}
