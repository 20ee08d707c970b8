//! What is wrong with the words and operands of an instruction without a row, under the codes of all others.

use super::check::{
    DUPLICATE_MODIFIER, ILLEGAL_MODIFIER, MISSING_MODIFIER, OPERAND_COUNT, UNKNOWN_MODIFIER,
    WRONG_OPERAND,
};
use crate::opcode::Opcode;
use warpgrid_isa::PTX;
use warpgrid_isa::form::Outline;
use warpgrid_isa::form::alternatives;
use warpgrid_isa::form::outline::Group;
use warpgrid_program::{Diagnostic, Span};

/// A word that the instruction does not take.
pub(crate) fn illegal(opcode: &Opcode<'_>, word: usize, outline: &Outline) -> Diagnostic {
    let (text, span) = (opcode.modifier(word), opcode.modifier_span(word));
    match PTX.is_known_word(text) {
        true => {
            let message = format!("`{}` does not take `.{text}`", outline.name);
            Diagnostic::error(ILLEGAL_MODIFIER, span, message)
        }
        false => {
            let message = format!("no instruction has a modifier `.{text}`");
            Diagnostic::error(UNKNOWN_MODIFIER, span, message)
        }
    }
}

/// A word that must be written.
pub(crate) fn missing(opcode: &Opcode<'_>, what: &str) -> Diagnostic {
    let message = format!("`{}` needs {what}", opcode.text);
    Diagnostic::error(MISSING_MODIFIER, opcode.span, message)
}

/// A group with too few words.
pub(crate) fn too_few(opcode: &Opcode<'_>, group: &Group) -> Diagnostic {
    let words: Vec<&str> = group.words().collect();
    let found = match group.least {
        1 => missing(opcode, &format!("a {}", group.title)),
        n => missing(opcode, &format!("{n} words for its {}", group.title)),
    };
    match alternatives(&words) {
        Some(expected) => found.help(format!("expected {expected}")),
        None => found,
    }
}

/// A group with too many words.
pub(crate) fn too_many(opcode: &Opcode<'_>, group: &Group, n: usize) -> Diagnostic {
    let message = format!(
        "`{}` has {n} words for its {}, expected {}",
        opcode.text, group.title, group.most
    );
    Diagnostic::error(DUPLICATE_MODIFIER, opcode.span, message)
}

/// A number of operands that the instruction does not have.
pub(crate) fn operand_count(opcode: &str, span: Span, n: usize, outline: &Outline) -> Diagnostic {
    let mut counts: Vec<String> = outline
        .operands
        .iter()
        .map(|shape| shape.split_whitespace().count().to_string())
        .collect();
    let last = counts.pop().unwrap_or_default();
    let expected = match counts.is_empty() {
        true => last,
        false => format!("{} or {last}", counts.join(", ")),
    };
    let message = format!("found {n} operands, `{opcode}` takes {expected}");
    Diagnostic::error(OPERAND_COUNT, span, message)
}

/// An operand of another kind.
pub(crate) fn operand_kind(opcode: &str, span: Span, found: &str, kinds: &str) -> Diagnostic {
    let names: Vec<&str> = kinds
        .chars()
        .map(|kind| match kind {
            'A' => "an address",
            'V' => "values in braces",
            'I' => "a number",
            _ => "a register",
        })
        .collect();
    let message = format!(
        "found {found}, `{opcode}` takes {} here",
        names.join(" or ")
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// An operand that does not go with the words of the instruction.
pub(crate) fn other_operand(opcode: &str, span: Span, found: &str, expected: &str) -> Diagnostic {
    let message = format!("found {found}, `{opcode}` takes {expected} here");
    Diagnostic::error(WRONG_OPERAND, span, message)
}
