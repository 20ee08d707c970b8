//! Rules for the modifiers of loads.

use crate::diagnostics::check as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::BoundForm;
use warpgrid_isa::{Flag, Modifiers, Sem};
use warpgrid_program::Diagnostic;

/// Checks the scope: strong loads must specify a scope, and other loads must not (PTX ISA, "ld").
pub(crate) fn check_scope(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
) -> Vec<Diagnostic> {
    let strong = matches!(modifiers.sem, Some(Sem::Relaxed | Sem::Acquire));
    match (bound.word(SlotName::Sem), bound.word(SlotName::Scope)) {
        (Some(word), None) if strong => vec![diagnose::missing_scope(opcode, word)],
        (sem, Some(word)) if !strong && !modifiers.has(Flag::Mmio) => {
            vec![diagnose::needless_scope(opcode, sem, word)]
        }
        _ => Vec::new(),
    }
}
