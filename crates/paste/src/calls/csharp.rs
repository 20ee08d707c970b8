//! Inline assembly in C#: `CudaAsm.Emit("…", out result, a, b)` and `CudaAsm.EmitRef("…", ref a)` (ILGPU). Operands have no constraints.
//! Instead, the C# type of an argument determines the type of its register, and `out`, `Output<T>` and `Ref<T>` determine its direction.

use super::lexer::Language;
use super::{MAX_BLOCKS, MAX_OPERANDS, end_of_parameters, tokens};
use crate::argument::{Argument, arguments};
use crate::block::Unresolved;
use crate::constraint::AsmDialect;
use crate::escape::{EscapeSyntax, decode};
use crate::parsed_block::{OperandSection, ParsedAsmBlock, ParsedAsmOperand};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::container::CSHARP_METHODS;
use warpgrid_program::{MappedSource, Span};

/// C# types, each with the constraint letter of its register type (ILGPU, PTX back end).
const TYPES: &[(&str, &str)] = &[
    ("bool", "b"),
    ("byte", "h"),
    ("sbyte", "h"),
    ("short", "h"),
    ("ushort", "h"),
    ("char", "h"),
    ("Half", "h"),
    ("int", "r"),
    ("uint", "r"),
    ("Index1D", "r"),
    ("long", "l"),
    ("ulong", "l"),
    ("nint", "l"),
    ("nuint", "l"),
    ("IntPtr", "l"),
    ("UIntPtr", "l"),
    ("LongIndex1D", "l"),
    ("float", "f"),
    ("double", "d"),
];

/// Returns the asm blocks of a source, in source order.
pub(crate) fn blocks(source: &str) -> Vec<ParsedAsmBlock> {
    let tokens = tokens(source, Language::CSharp);
    let pieces = TokenStream {
        source,
        tokens: &tokens,
    };
    let mut function = "asm";
    let mut blocks = Vec::new();
    for at in 0..tokens.len() {
        if is_definition(pieces, at) {
            function = pieces.text(at);
        }
        let is_method = CSHARP_METHODS.iter().any(|method| {
            let (class, name) = method.split_once('.').unwrap_or(("", method));
            pieces.text(at) == class && pieces.is(at + 1, b'.') && pieces.text(at + 2) == name
        });
        if is_method && pieces.is(at + 3, b'(') {
            blocks.extend(read(pieces, at, function));
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    blocks
}

/// Checks whether the word at token `at` is the name in a function definition `type name(…) {`.
fn is_definition(pieces: TokenStream<'_>, at: usize) -> bool {
    let is_named = pieces.is_word(at) && pieces.is(at + 1, b'(') && at > 0;
    if !is_named || !(pieces.is_word(at - 1) || pieces.is(at - 1, b'>')) {
        return false;
    }
    if ["return", "new", "await", "else"].contains(&pieces.text(at - 1)) {
        return false;
    }
    end_of_parameters(pieces, at).is_some_and(|close| {
        let is_expression = pieces.is(close + 1, b'=') && pieces.is(close + 2, b'>');
        pieces.is(close + 1, b'{') || is_expression
    })
}

/// Parses the call whose class name is the token at index `at`.
fn read(pieces: TokenStream<'_>, at: usize, function: &str) -> Option<ParsedAsmBlock> {
    let word = pieces.tokens[at].span.to(pieces.tokens[at + 2].span);
    let close = pieces.closing(at + 3).unwrap_or(pieces.tokens.len());
    let mut block = ParsedAsmBlock::new(function, word, AsmDialect::Ilgpu);
    let last = close.min(pieces.tokens.len() - 1);
    block.span = word.to(pieces.tokens[last].span);
    // The block is volatile, because ILGPU neither deletes nor moves the call.
    block.is_volatile = true;
    block
        .clobbers
        .push(("memory".to_owned(), pieces.tokens[at].span));

    let mut all = arguments(pieces, at + 4, close).into_iter();
    let assembly = all.next()?;
    match value_of(pieces, assembly) {
        Some((mut text, unknown)) => {
            // Append the terminating semicolon of the instruction, because ILGPU also appends it.
            let own = text.text.trim_end();
            if !own.is_empty() && !own.ends_with([';', '}']) {
                text.stand_in(";", Span::at(pieces.tokens[assembly.to - 1].span.end));
            }
            block.template = text;
            block.unknown.extend(unknown);
        }
        None => block
            .unknown
            .push(Unresolved::assembly(pieces.source, assembly.span(pieces))),
    }
    for argument in all.take(MAX_OPERANDS) {
        operand(pieces, argument, &mut block);
    }
    Some(block)
}

/// Returns the text of an argument that is a string literal, or a sum of literals.
fn value_of(
    pieces: TokenStream<'_>,
    argument: Argument<'_>,
) -> Option<(MappedSource, Vec<Unresolved>)> {
    let source = pieces.source;
    let (text, mut unknown) = argument.literals(pieces, b'+', |inner, text, _| {
        decode(source, inner, EscapeSyntax::Cpp, text);
    })?;
    for token in &pieces.tokens[argument.from..argument.to] {
        if let TokenKind::Text {
            inner,
            is_formatted: true,
            ..
        } = token.kind
            && inner.text(source).contains('{')
        {
            unknown.push(Unresolved::assembly(source, token.span));
        }
    }
    Some((text, unknown))
}

/// Adds the operand that corresponds to one argument of the call.
fn operand(pieces: TokenStream<'_>, argument: Argument<'_>, block: &mut ParsedAsmBlock) {
    let mut from = argument.from;
    let direction = pieces.text(from);
    if matches!(direction, "out" | "ref" | "in") && from + 1 < argument.to {
        from += 1;
    }
    let span = pieces.tokens[from]
        .span
        .to(pieces.tokens[argument.to - 1].span);
    let is_declared_here =
        argument.to == from + 2 && pieces.is_word(from) && pieces.is_word(from + 1);
    let expression = match is_declared_here {
        true => pieces.text(from + 1),
        false => span.text(pieces.source),
    };
    let (letter, wrapper) = type_of(pieces, from, argument.to).unwrap_or_else(|| {
        block
            .unknown
            .push(Unresolved::assembly(pieces.source, argument.span(pieces)));
        ("r", "")
    });
    let modifier = match (direction, wrapper) {
        ("out", _) | ("ref", "Output") => "=",
        ("ref", "Ref" | "") => "+",
        _ => "",
    };
    block.operands.push(ParsedAsmOperand {
        symbol: None,
        constraint: format!("{modifier}{letter}"),
        place: span,
        expression: expression.to_owned(),
        value: None,
        initializer: None,
        section: OperandSection::Either,
    });
}

/// Returns the constraint letter for the type of an argument, and the ILGPU wrapper around this type. Returns `None` if the source does not
/// contain the type of the argument.
fn type_of<'a>(pieces: TokenStream<'a>, from: usize, to: usize) -> Option<(&'static str, &'a str)> {
    let letter = |at: usize| {
        let known = TYPES.iter().find(|(name, _)| *name == pieces.text(at));
        known.map(|(_, letter)| *letter)
    };
    // The type precedes the name in `out uint result`, and is in parentheses in the cast `(uint)x`.
    if let Some(found) = letter(from).filter(|_| to == from + 2) {
        return Some((found, ""));
    }
    if pieces.is(from, b'(') && pieces.is(from + 2, b')') && to > from + 3 {
        return letter(from + 1).map(|found| (found, ""));
    }
    let is_negative = pieces.is(from, b'-');
    let value = from + usize::from(is_negative);
    if to == value + 1 && pieces.kind(value) == Some(TokenKind::Number) {
        return Some((letter_of_number(pieces.text(value)), ""));
    }
    if to != from + 1 || !pieces.is_word(from) {
        return None;
    }
    let name = pieces.text(from);
    let declarations = (1..from).rev().filter(|at| pieces.text(*at) == name);
    declarations
        .filter_map(|at| match pieces.is(at - 1, b'>') && at >= 4 {
            true => letter(at - 2).map(|found| (found, pieces.text(at - 4))),
            false => letter(at - 1).map(|found| (found, "")),
        })
        .next()
}

/// Returns the constraint letter of a numeric literal (C# specification, "Literals").
fn letter_of_number(text: &str) -> &'static str {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("0x") || lower.starts_with("0b") {
        return if lower.contains('l') { "l" } else { "r" };
    }
    match lower.as_bytes().last() {
        Some(b'f') => "f",
        Some(b'd') => "d",
        _ if lower.contains('l') => "l",
        _ if lower.contains(['.', 'e']) => "d",
        _ => "r",
    }
}
