//! Printer that reproduces the notation of the disassemblers: one blank after the guard and after the mnemonic, `, ` between operands,
//! addresses without blanks and with hexadecimal numbers, and negative offsets as `+-0x4`.

use super::tree::{
    Bracket, Instruction, Operand, OperandKind, Term, TermOperator, TermValue, Tree,
};
use std::fmt::Write;
use warpgrid_program::Span;

/// Prints an instruction without address, semicolon and encoding.
pub fn print_instruction(tree: &Tree, source: &str, instruction: &Instruction, text: &mut String) {
    if let Some(guard) = instruction.guard {
        text.push('@');
        if guard.negated {
            text.push('!');
        }
        push(text, guard.predicate);
        text.push(' ');
    }
    text.push_str(instruction.opcode.text(source));
    push_modifiers(tree.modifiers(instruction), source, text);
    for operand in tree.operands(instruction) {
        text.push_str(if operand.after_comma { ", " } else { " " });
        print_operand(tree, source, operand, text);
    }
    for annotation in tree.annotations(instruction) {
        if !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(annotation.span.text(source));
    }
}

/// Prints an operand of an instruction.
pub fn print_operand(tree: &Tree, source: &str, operand: &Operand, text: &mut String) {
    let signs = operand.signs;
    for (written, sign) in [
        (signs.negated, '-'),
        (signs.plus, '+'),
        (signs.inverted, '~'),
        (signs.not, '!'),
        (signs.absolute, '|'),
    ] {
        if written {
            text.push(sign);
        }
    }
    match &operand.value {
        OperandKind::Register(register) => push(text, register),
        OperandKind::Integer(_) | OperandKind::Float(_) => {
            text.push_str(number_text(tree, source, operand))
        }
        OperandKind::Memory(memory) => {
            if let Some(prefix) = memory.prefix {
                text.push_str(prefix.text(source));
            }
            for bracket in tree.brackets(memory) {
                push_bracket(tree, source, bracket, text);
            }
        }
        OperandKind::Target(name) => {
            text.push_str("`(");
            text.push_str(name.text(source));
            text.push(')');
        }
        OperandKind::Relocation(span)
        | OperandKind::Set(span)
        | OperandKind::Word(span)
        | OperandKind::Unknown(span) => text.push_str(span.text(source)),
    }
    if signs.absolute {
        text.push('|');
    }
    push_modifiers(tree.operand_modifiers(operand), source, text);
    if matches!(operand.value, OperandKind::Float(value) if !value.is_finite()) {
        // Disassemblers print a blank after a NaN or infinity, as in `+INF , PT`.
        text.push(' ');
    }
}

/// Returns the text of a number without its signs and modifiers: digits, or a word such as `INF`.
fn number_text<'a>(tree: &Tree, source: &'a str, operand: &Operand) -> &'a str {
    let end = match tree.operand_modifiers(operand).first() {
        Some(modifier) => modifier.start.saturating_sub(1),
        None => operand.span.end,
    };
    Span::new(operand.span.start, end)
        .text(source)
        .trim_matches(|c: char| matches!(c, '-' | '+' | '~' | '!' | '|') || c.is_whitespace())
}

fn push_bracket(tree: &Tree, source: &str, bracket: &Bracket, text: &mut String) {
    text.push('[');
    for term in tree.terms(bracket) {
        push_term(tree, source, term, text);
    }
    text.push(']');
}

fn push_term(tree: &Tree, source: &str, term: &Term, text: &mut String) {
    let first = text.ends_with('[');
    text.push_str(match term.joint {
        TermOperator::First => "",
        TermOperator::Plus => "+",
        TermOperator::Minus if first => "-",
        TermOperator::Minus | TermOperator::PlusMinus => "+-",
    });
    match term.value {
        TermValue::Register(register) => push(text, register),
        TermValue::Integer(value) => push(text, format_args!("{value:#x}")),
        TermValue::Other(span) => text.push_str(span.text(source)),
    }
    push_modifiers(tree.term_modifiers(term), source, text);
}

fn push_modifiers(modifiers: &[Span], source: &str, text: &mut String) {
    for modifier in modifiers {
        text.push('.');
        text.push_str(modifier.text(source));
    }
}

fn push(text: &mut String, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{value}");
}
