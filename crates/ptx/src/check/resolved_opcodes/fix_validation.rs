//! Filter for the fixes in the diagnostics of an opcode. The filter retains a fix only if the resulting modifiers match a form, and ignores
//! the version and the target.

use crate::check::resolved_opcodes::rules;
use crate::diagnostics::rules::{GENERIC, TOGETHER, WIDE_GATE};
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form;
use warpgrid_program::{Diagnostic, Fix, Severity, Span};

/// Removes fixes that leave the modifiers invalid. Retains all fixes if there are several errors, because each fix resolves only one error.
pub(crate) fn retain_valid_fixes(
    problems: &mut [Diagnostic],
    opcode: &Opcode<'_>,
    module: &TargetContext,
) {
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

/// Returns whether the opcode is legal if `other` replaces the modifier with index `word`.
pub(crate) fn is_legal_with(
    opcode: &Opcode<'_>,
    word: usize,
    other: &str,
    module: &TargetContext,
) -> bool {
    let mut words = opcode.modifiers().to_vec();
    match words.get_mut(word) {
        Some(place) => *place = other,
        None => return false,
    }
    is_legal(opcode.name(), &words, module)
}

/// Returns whether a form accepts these modifiers and its rules are satisfied.
pub(crate) fn is_legal(opcode: &str, modifiers: &[&str], module: &TargetContext) -> bool {
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

fn is_legal_text(text: &str, module: &TargetContext) -> bool {
    let mut words = text.split('.');
    let Some(opcode) = words.next() else {
        return false;
    };
    let modifiers: Vec<&str> = words.collect();
    // Retain the fixes of an opcode with blanks or comments between its parts, because this function cannot parse blanks or comments in an
    // opcode.
    text.contains(|c: char| c.is_whitespace() || c == '/') || is_legal(opcode, &modifiers, module)
}

/// Returns the opcode that results from a fix, or `None` if the fix changes text outside of the opcode.
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
