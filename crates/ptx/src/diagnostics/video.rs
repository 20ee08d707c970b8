//! Diagnostics for operands of video instructions, which use the general operand codes.

use crate::diagnostics::check::WRONG_OPERAND;
use warpgrid_program::{Diagnostic, Span};

/// Returns the diagnostic for bytes or half words that this operand of the instruction cannot select.
pub(crate) fn wrong_parts(opcode: &str, span: Span, found: &str, expected: &str) -> Diagnostic {
    let message = format!("found `.{found}`, expected {expected} for `{opcode}`");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Returns the diagnostic for a selection in the third source.
pub(crate) fn part_of_addend(opcode: &str, span: Span) -> Diagnostic {
    let message =
        format!("the third source of `{opcode}` cannot have a byte or half-word selector");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Returns the diagnostic for a partial destination without a third source that provides the other bits.
pub(crate) fn part_without_rest(opcode: &str, span: Span) -> Diagnostic {
    let message = format!(
        "`{opcode}` writes only a part of the destination, so the other bits need a third source"
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Returns the diagnostic for a partial destination in combination with a secondary operation.
pub(crate) fn part_and_operation(opcode: &str, span: Span) -> Diagnostic {
    let message = format!(
        "the third source of `{opcode}` can be used either by the secondary operation or for the other bits of the destination, but not for both"
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Returns the diagnostic for negations that cannot be combined.
pub(crate) fn negations(opcode: &str, span: Span) -> Diagnostic {
    let message =
        format!("`{opcode}` can negate either the product or the third source, but not both");
    Diagnostic::error(WRONG_OPERAND, span, message)
}

/// Returns the diagnostic for a negation in combination with `.po`.
pub(crate) fn negation_and_one(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` with `.po` cannot negate an operand");
    Diagnostic::error(WRONG_OPERAND, span, message)
}
