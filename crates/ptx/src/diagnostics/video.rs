//! What is wrong with the operands of video instructions, under the codes of all others.

use super::check::WRONG_OPERAND;
use warpgrid_program::{Diagnostic, Span};

/// Bytes or half words that this operand of the instruction does not take.
pub(crate) fn wrong_parts(opcode: &str, span: Span, found: &str, expected: &str) -> Diagnostic {
    let message = format!("found `.{found}`, `{opcode}` takes {expected} here");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// A part of the addend.
pub(crate) fn part_of_addend(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` reads the whole of its third source");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// A part of the destination where the rest of it comes from nowhere.
pub(crate) fn part_without_rest(opcode: &str, span: Span) -> Diagnostic {
    let message = format!(
        "`{opcode}` writes a part of its destination, and has no third source for the rest"
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// A part of the destination beside a second operation.
pub(crate) fn part_and_operation(opcode: &str, span: Span) -> Diagnostic {
    let message = format!(
        "the third source of `{opcode}` goes into the second operation or into the rest of the destination, not both"
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Negations that cannot be computed together.
pub(crate) fn negations(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` negates either the product or the third source");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// A negation beside `.po`.
pub(crate) fn negation_and_one(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` adds one, and negates nothing then");
    Diagnostic::error(WRONG_OPERAND, span, message)
}
