//! Rules for the modifiers of `st.async`.

use crate::check::resolved_opcodes::rules;
use crate::diagnostics::store_async as diagnose;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form::{BoundForm, FactSource};
use warpgrid_isa::{Flag, ModifierValue};
use warpgrid_program::Diagnostic;

/// Checks the rules for the modifiers of `st.async` that its table row does not contain.
pub(crate) fn check(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let mut problems = rules::find_too_wide(opcode, bound, module);
    if bound.word(Flag::Async) == Some(0) && !opcode.is_joined(1) {
        problems.push(diagnose::async_place(opcode.span, opcode.dotted_span(0)));
    }
    problems.extend(beyond_manual(opcode, bound));
    problems
}

fn beyond_manual(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<Diagnostic> {
    if matches!(bound.layout.form.gate.origin, FactSource::Assembler(_)) {
        let subject = "`st.async` without completion mechanism";
        return Some(diagnose::beyond_manual(opcode.modifier_span(0), subject));
    }
    bound.slots.iter().flatten().find_map(|binding| {
        let value = binding.value?;
        if matches!(value.meaning, ModifierValue::Type(ty) if ty.width_bits() < 32) {
            // Accept 8-bit and 16-bit types here, because their validity depends on the operands, which the body check examines later.
            return None;
        }
        let subject = format!("`.{}` in this form", value.text);
        matches!(value.gate.origin, FactSource::Assembler(_))
            .then(|| diagnose::beyond_manual(opcode.modifier_span(binding.word), &subject))
    })
}
