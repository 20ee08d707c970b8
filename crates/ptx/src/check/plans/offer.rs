//! Keeps the fixes of an opcode that lead somewhere. In: findings about its words, with fixes; out: the fixes after
//! which the words are those of a form. Whether version and target are new enough is another matter.

use crate::check::plans::rules;
use crate::diagnostics::rules::{GENERIC, TOGETHER, WIDE_GATE};
use crate::module::Module;
use crate::opcode::Opcode;
use warpgrid_isa::form;
use warpgrid_program::{Diagnostic, Fix, Severity, Span};

/// Drops fixes that leave the words wrong; where several findings are errors, each fix is a step and stays.
pub(crate) fn keep_useful(problems: &mut [Diagnostic], opcode: &Opcode<'_>, module: &Module) {
    let is_error = |problem: &&mut Diagnostic| problem.severity == Severity::Error;
    let mut errors = problems.iter_mut().filter(is_error);
    let (Some(error), None) = (errors.next(), errors.next()) else {
        return;
    };
    error
        .fixes
        .retain(|fix| match after(opcode.text, opcode.span, fix) {
            Some(text) => is_legal_text(&text, module),
            None => true,
        });
}

/// Whether the opcode is legal with another word in place of this modifier.
pub(crate) fn is_legal_with(
    opcode: &Opcode<'_>,
    word: usize,
    other: &str,
    module: &Module,
) -> bool {
    let mut words = opcode.modifiers().to_vec();
    match words.get_mut(word) {
        Some(place) => *place = other,
        None => return false,
    }
    is_legal(opcode.name(), &words, module)
}

/// Whether some form has these modifiers and its rules agree.
pub(crate) fn is_legal(opcode: &str, modifiers: &[&str], module: &Module) -> bool {
    let Some(bound) = form::bind(opcode, modifiers, None) else {
        return false;
    };
    let words: Vec<&str> = std::iter::once(opcode)
        .chain(modifiers.iter().copied())
        .collect();
    let trial = Opcode {
        spans: vec![Span::default(); words.len()],
        words,
        span: Span::default(),
        text: opcode,
    };
    let found = rules::find_broken(&trial, &bound, module)
        .into_iter()
        .chain(rules::find_too_wide(&trial, &bound, module));
    bound.complaints.is_empty()
        && found
            .filter(|problem| problem.severity == Severity::Error)
            .all(|problem| [GENERIC, TOGETHER, WIDE_GATE].contains(&problem.code))
}

fn is_legal_text(text: &str, module: &Module) -> bool {
    let mut words = text.split('.');
    let Some(opcode) = words.next() else {
        return false;
    };
    let modifiers: Vec<&str> = words.collect();
    // Blanks and comments between the words are not taken apart here.
    text.contains(|c: char| c.is_whitespace() || c == '/') || is_legal(opcode, &modifiers, module)
}

/// The opcode after the fix; `None` when the fix changes something else.
fn after(text: &str, span: Span, fix: &Fix) -> Option<String> {
    let mut text = text.to_owned();
    for edit in fix.edits.iter().rev() {
        let start = edit.span.start.checked_sub(span.start)? as usize;
        let end = edit.span.end.checked_sub(span.start)? as usize;
        text.get(start..end)?;
        text.replace_range(start..end, &edit.text);
    }
    Some(text)
}
