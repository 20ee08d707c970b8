//! Judges the modifiers of one opcode against its form, the version and the target.

use super::plan::Opcode;
use super::{Module, families, offer, rules};
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::{raise, refused};
use warpgrid_isa::form::{Bound, Complaint, Gate, meant, nearest};
use warpgrid_isa::forms::SECOND_WORDS;
use warpgrid_program::Diagnostic;

/// Everything that is wrong with the modifiers, in text order where they have a place.
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = bound
        .complaints
        .iter()
        .filter(|complaint| !families::forgives(opcode, bound, **complaint))
        .filter(|complaint| !is_misspelled(opcode, bound, **complaint))
        .map(|complaint| complain(opcode, bound, *complaint, module))
        .collect();
    let form = bound.layout.form.gate;
    for (word, mut gate) in bound.gates() {
        // What the instruction as a whole lacks is told once.
        if word.is_some() && gate.ptx <= form.ptx {
            gate.ptx = Gate::ALWAYS.ptx;
        }
        if word.is_some() && gate.sm <= form.sm {
            gate.sm = 0;
        }
        problems.extend(gate_problem(opcode, word, gate, module));
    }
    raise_together(&mut problems, bound, module);
    problems.extend(rules::judge(opcode, bound, module));
    if bound.complaints.is_empty() || families::is_always_checked(bound.layout.form.does) {
        problems.extend(misplaced(opcode));
        problems.extend(families::check(opcode, bound, module));
    }
    offer::keep_useful(&mut problems, opcode, module);
    problems
}

/// Whether what is missing is there, but misspelled: the unknown word tells it.
fn is_misspelled(opcode: &Opcode<'_>, bound: &Bound, complaint: Complaint) -> bool {
    let Complaint::Missing { slot } = complaint else {
        return false;
    };
    let Some(slot) = bound.layout.slots.get(slot) else {
        return false;
    };
    bound.complaints.iter().any(|other| match other {
        Complaint::Unknown { word } => {
            let text = opcode.modifier(*word);
            let sense = meant(text);
            nearest(text, slot.spellings()).is_some()
                || slot.spellings().any(|own| Some(own) == sense)
        }
        _ => false,
    })
}

/// One fix raises version and target for all words of an opcode.
fn raise_together(problems: &mut [Diagnostic], bound: &Bound, module: &Module) {
    let whole = bound.gates().fold(Gate::ALWAYS, |whole, (_, gate)| Gate {
        ptx: whole.ptx.max(gate.ptx),
        sm: whole.sm.max(gate.sm),
        ..whole
    });
    if module.meets(whole) {
        return;
    }
    let fix = raise(module, &module.lacking(whole));
    let gated = [diagnose::NEEDS_VERSION, diagnose::NEEDS_TARGET];
    for problem in problems.iter_mut().filter(|p| gated.contains(&p.code)) {
        problem.fixes = fix.clone().into_iter().collect();
    }
}

fn complain(
    opcode: &Opcode<'_>,
    bound: &Bound,
    complaint: Complaint,
    module: &Module,
) -> Diagnostic {
    match complaint {
        Complaint::Unknown { word } => diagnose::unknown_modifier(opcode, word, bound, |other| {
            offer::is_legal_with(opcode, word, other, module)
        }),
        Complaint::Illegal { word } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(why) => refused(opcode, bound, word, why),
            None => diagnose::illegal_modifier(opcode, word, bound),
        },
        Complaint::Duplicate { word, first } => diagnose::duplicate_modifier(opcode, word, first),
        Complaint::Type { word, slot } => match rules::refusal(bound, opcode.modifier(word)) {
            Some(why) => refused(opcode, bound, word, why),
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

/// The second word of an opcode of two words, when something else stands before it.
fn misplaced(opcode: &Opcode<'_>) -> Option<Diagnostic> {
    // `.cta` of a barrier stands right behind the first word as well.
    let cta = opcode.modifiers().iter().position(|word| *word == "cta");
    if let ("bar" | "barrier", Some(at @ 1..)) = (opcode.name(), cta) {
        return Some(diagnose::misplaced_word(opcode, at));
    }
    let (_, seconds) = SECOND_WORDS
        .iter()
        .find(|(name, _)| *name == opcode.name())?;
    let mut words = opcode.modifiers().iter().enumerate();
    let (at, _) = words.find(|(_, word)| seconds.contains(*word))?;
    let before = opcode.modifiers().get(..at).unwrap_or(&[]);
    let in_place = before.iter().all(|word| *word == "cta");
    (!in_place).then(|| diagnose::misplaced_word(opcode, at))
}
