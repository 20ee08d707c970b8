//! Instructions without a row: their words and gates. In: an opcode and its outline; out: diagnostics.

use crate::diagnostics::check as diagnose;
use crate::diagnostics::outline as words;
use crate::module::Module;
use crate::opcode::Opcode;
use warpgrid_isa::PTX;
use warpgrid_isa::form::Outline;
use warpgrid_program::Diagnostic;

/// Everything that is wrong with the words, in text order, then what is missing.
pub(crate) fn check(
    opcode: &Opcode<'_>,
    outline: &'static Outline,
    module: &Module,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut gate_problems = |word, gate: warpgrid_isa::form::Gate| {
        if module.version < gate.ptx {
            problems.push(diagnose::needs_version(opcode, word, gate, module));
        } else if !gate.target.met_by(module.target) {
            problems.push(diagnose::needs_target(opcode, word, gate, module));
        }
    };
    gate_problems(None, outline.gate);
    let first = outline.n_names() - 1;
    let written = opcode.modifiers().get(first..).unwrap_or(&[]);
    for (index, word) in written.iter().enumerate() {
        if let Some(known) = outline.find(word) {
            gate_problems(Some(first + index), known.gate.beyond(outline.gate));
        }
    }
    let place_of = |word: &str| written.iter().position(|other| *other == word);
    for (gate, pair) in outline.together {
        let places: Option<Vec<usize>> = pair.split(' ').map(place_of).collect();
        if let Some(places) = places.filter(|places| places.is_sorted()) {
            gate_problems(places.last().map(|place| first + place), *gate);
        }
    }
    for pair in outline.apart {
        let places: Vec<_> = pair.split(' ').filter_map(place_of).collect();
        if let [one, other] = places[..] {
            let (before, word) = (first + one.min(other), first + one.max(other));
            problems.push(diagnose::duplicate_modifier(opcode, word, before));
        }
    }
    let mut taken = vec![0; outline.groups.len()];
    for (index, word) in written.iter().enumerate() {
        let place = first + index;
        let Some(known) = outline.find(word) else {
            if !PTX.tables.ignored.contains(word) {
                problems.push(words::illegal(opcode, place, outline));
            }
            continue;
        };
        let before = written.iter().take(index).position(|other| other == word);
        match (before, known.group.and_then(|group| taken.get_mut(group))) {
            (Some(_), _) if PTX.tables.repeatable.contains(word) => {}
            (Some(before), None) => {
                problems.push(diagnose::duplicate_modifier(opcode, place, first + before));
            }
            (_, Some(n)) => *n += 1,
            (None, None) => {}
        }
    }
    let required = outline.required.split_whitespace();
    let missing = required.filter(|word| !written.contains(word));
    problems.extend(missing.map(|word| words::missing(opcode, &format!("`.{word}`"))));
    for (group, n) in outline.groups.iter().zip(taken) {
        if n < group.least {
            problems.push(words::too_few(opcode, group));
        }
        if n > group.most {
            problems.push(words::too_many(opcode, group, n));
        }
    }
    problems
}
