//! Judges the modifiers of one opcode against its form, the version and the target.

use super::plan::Opcode;
use super::{Module, kind, rules};
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::refused;
use warpgrid_isa::Does;
use warpgrid_isa::form::{Bound, Complaint, Gate};
use warpgrid_program::Diagnostic;

/// Everything that is wrong with the modifiers, in text order where they have a place.
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = bound
        .complaints
        .iter()
        .filter(|complaint| !kind::forgives(opcode, bound, **complaint))
        .map(|complaint| complain(opcode, bound, *complaint))
        .collect();
    for (word, gate) in bound.gates() {
        problems.extend(gate_problem(opcode, word, gate, module));
    }
    problems.extend(rules::judge(opcode, bound, module));
    if bound.complaints.is_empty() || kind::judges_always(bound) {
        problems.extend(kind::judge(opcode, bound, module));
    }
    if bound.complaints.is_empty() {
        if bound.layout.form.does == Does::NotEmulated {
            problems.push(diagnose::not_emulated(opcode));
        }
    }
    problems
}

fn complain(opcode: &Opcode<'_>, bound: &Bound, complaint: Complaint) -> Diagnostic {
    match complaint {
        Complaint::Unknown { word } => diagnose::unknown_modifier(opcode, word, bound),
        Complaint::Illegal { word } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(why) => refused(opcode, word, why),
            None => diagnose::illegal_modifier(opcode, word, bound),
        },
        Complaint::Duplicate { word, first } => diagnose::duplicate_modifier(opcode, word, first),
        Complaint::Type { word, slot } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(why) => refused(opcode, word, why),
            None => diagnose::illegal_type(opcode, word, slot, bound),
        },
        Complaint::Missing { slot } => diagnose::missing_modifier(opcode, slot, bound),
    }
}

fn gate_problem(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &Module,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if module.version < gate.ptx {
        problems.push(diagnose::needs_version(opcode, word, gate, module));
    }
    if module.target.sm < gate.sm {
        problems.push(diagnose::needs_target(opcode, word, gate, module));
    }
    problems
}
