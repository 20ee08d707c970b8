//! Checks the modifiers of one opcode against its form, the version and the target.

use crate::check::resolved_opcodes::families;
use crate::check::resolved_opcodes::fix_validation;
use crate::check::resolved_opcodes::rules;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::{raise, refused};
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form::{BindError, BoundForm, DiagnosticPolicy, Gate, meant, nearest};
use warpgrid_program::Diagnostic;

/// Returns all errors of the modifiers. Errors that refer to a modifier are in source order.
pub(crate) fn find(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = bound
        .complaints
        .iter()
        .filter(|complaint| !is_misspelled(opcode, bound, **complaint))
        .map(|complaint| complain(opcode, bound, *complaint, module))
        .collect();
    let form = bound.layout.form.gate;
    for (word, gate) in bound.gates() {
        // Report an unmet requirement of the whole instruction only once, not for each modifier.
        let rest = match word {
            Some(_) => gate.beyond(form),
            None => gate,
        };
        problems.extend(gate_problem(opcode, word, rest, module));
    }
    raise_together(&mut problems, bound, module);
    problems.extend(rules::find_broken(opcode, bound, module));
    if bound.complaints.is_empty() || bound.layout.form.reports == DiagnosticPolicy::Everything {
        problems.extend(misplaced(opcode, bound));
        problems.extend(families::check(opcode, bound, module));
    }
    fix_validation::retain_valid_fixes(&mut problems, opcode, module);
    problems
}

/// Returns whether a modifier is missing only because it is misspelled. The caller then reports only the unknown modifier.
fn is_misspelled(opcode: &Opcode<'_>, bound: &BoundForm, complaint: BindError) -> bool {
    let BindError::Missing { slot } = complaint else {
        return false;
    };
    let Some(slot) = bound.layout.slots.get(slot) else {
        return false;
    };
    bound.complaints.iter().any(|other| match other {
        BindError::Unknown { word } => {
            let text = opcode.modifier(*word);
            let sense = meant(text);
            nearest(text, slot.spellings()).is_some()
                || slot.spellings().any(|own| Some(own) == sense)
        }
        _ => false,
    })
}

/// Replaces the fixes of all modifiers of an opcode by one fix that raises the version and the target so that all modifiers are supported.
fn raise_together(problems: &mut [Diagnostic], bound: &BoundForm, module: &TargetContext) {
    let gate = bound.gate();
    if module.meets(gate) {
        return;
    }
    let fix = raise(module, &module.lacking(gate));
    let gated = [diagnose::NEEDS_VERSION, diagnose::NEEDS_TARGET];
    for problem in problems.iter_mut().filter(|p| gated.contains(&p.code)) {
        problem.fixes = fix.clone().into_iter().collect();
    }
}

fn complain(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    complaint: BindError,
    module: &TargetContext,
) -> Diagnostic {
    match complaint {
        BindError::Unknown { word } => diagnose::unknown_modifier(opcode, word, bound, |other| {
            fix_validation::is_legal_with(opcode, word, other, module)
        }),
        BindError::Illegal { word } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(reason) => refused(opcode, bound, word, reason),
            None => diagnose::illegal_modifier(opcode, word, bound),
        },
        BindError::Duplicate { word, first } => diagnose::duplicate_modifier(opcode, word, first),
        BindError::Type { word, slot } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(reason) => refused(opcode, bound, word, reason),
            None => diagnose::illegal_type(opcode, word, slot, bound),
        },
        BindError::Missing { slot } => diagnose::missing_modifier(opcode, slot, bound),
    }
}

fn gate_problem(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if module.version < gate.ptx {
        problems.push(diagnose::needs_version(opcode, word, gate, module));
    }
    if !gate.target.met_by(module.target) {
        problems.push(diagnose::needs_target(opcode, word, gate, module));
    }
    problems
}

/// Reports a modifier that belongs to the instruction name but does not directly follow the opcode.
fn misplaced(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<Diagnostic> {
    // For instructions such as `wmma.store.d`, a separate diagnostic reports the order of all modifiers.
    let form = bound.layout.form;
    let is_said = form.reports == DiagnosticPolicy::Everything && form.n_name_modifiers > 1;
    let word = bound.misplaced_lead().filter(|_| !is_said)?;
    Some(diagnose::misplaced_word(opcode, word))
}
