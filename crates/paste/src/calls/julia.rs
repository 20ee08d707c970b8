//! Inline assembly in Julia: `@asmcall asm [constraints] [side_effects] rettyp argtyp args...`, with or without parentheses around the
//! arguments (LLVM.jl, `Interop`).

use super::lexer::Language;
use super::{MAX_BLOCKS, MAX_OPERANDS, end_of_parameters, start_of_path, tokens};
use crate::argument::{Argument, add_operands, arguments, outputs};
use crate::block::Unresolved;
use crate::constraint::AsmDialect;
use crate::escape::{EscapeSyntax, decode};
use crate::parsed_block::ParsedAsmBlock;
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::container::JULIA_MACRO;
use warpgrid_program::{MappedSource, Span};

/// Returns the asm blocks of a source, in source order.
pub(crate) fn blocks(source: &str) -> Vec<ParsedAsmBlock> {
    let tokens = tokens(source, Language::Julia);
    let pieces = TokenStream {
        source,
        tokens: &tokens,
    };
    let mut function = "asm";
    let mut blocks = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if pieces.text(at) == "function" && pieces.is_word(at + 1) {
            function = pieces.text(at + 1);
        }
        let is_short_form = token.starts_line && pieces.is_word(at) && pieces.is(at + 1, b'(');
        if is_short_form && is_definition(pieces, at) {
            function = pieces.text(at);
        }
        let is_call = pieces.is(at, b'@') && pieces.text(at + 1) == &JULIA_MACRO[1..];
        if is_call && pieces.text(at.wrapping_sub(1)) != "macro" {
            blocks.extend(read(pieces, at, function));
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    blocks
}

/// Checks whether a function definition `name(…) =` starts at token `at`.
fn is_definition(pieces: TokenStream<'_>, at: usize) -> bool {
    end_of_parameters(pieces, at)
        .is_some_and(|close| pieces.is(close + 1, b'=') && !pieces.is(close + 2, b'='))
}

/// Parses the macro call that starts with the `@` at token index `at`.
fn read(pieces: TokenStream<'_>, at: usize, function: &str) -> Option<ParsedAsmBlock> {
    let word = pieces.tokens[at].span.to(pieces.tokens[at + 1].span);
    let is_adjacent = |at: usize| {
        let token = pieces.tokens.get(at);
        token.is_some_and(|token| token.span.start == pieces.tokens[at - 1].span.end)
    };
    let (all, last) = match pieces.is(at + 2, b'(') && is_adjacent(at + 2) {
        true => {
            let close = pieces.closing(at + 2).unwrap_or(pieces.tokens.len());
            (arguments(pieces, at + 3, close), close)
        }
        false => separated(pieces, at + 2),
    };
    let mut block = ParsedAsmBlock::new(function, word, AsmDialect::Llvm);
    let last = last.min(pieces.tokens.len() - 1);
    block.span = word.to(pieces.tokens[last].span);

    let mut all = all.into_iter().peekable();
    let assembly = all.next()?;
    match value_of(pieces, assembly) {
        Some((text, unknown)) => {
            block.template = text;
            block.unknown.extend(unknown);
        }
        None => {
            let first = pieces.tokens[assembly.from].span;
            block
                .unknown
                .push(Unresolved::assembly(pieces.source, first));
        }
    }
    let constraints = all.next_if(|next| value_of(pieces, *next).is_some());
    let is_boolean = |next: &Argument<'_>| matches!(pieces.text(next.from), "true" | "false");
    let side_effects = all.next_if(is_boolean);
    block.is_volatile = side_effects.is_some_and(|found| pieces.text(found.from) == "true");
    // Skip the first two of these arguments, which are the type of the result and the tuple of argument types.
    let inputs = all
        .skip(2)
        .take(MAX_OPERANDS)
        .map(|argument| argument.span(pieces).text(pieces.source).to_owned());
    let inputs: Vec<String> = inputs.collect();
    if let Some((text, unknown)) = constraints.and_then(|found| value_of(pieces, found)) {
        block.unknown.extend(unknown);
        let names = outputs(pieces, start_of_path(pieces, at));
        add_operands(&text, &names, &inputs, &mut block);
    }
    Some(block)
}

/// Splits the arguments of a macro call without parentheses at white space, up to the end of the line. Returns the arguments and the index
/// of the last token.
fn separated(pieces: TokenStream<'_>, from: usize) -> (Vec<Argument<'_>>, usize) {
    let mut all = Vec::new();
    let mut at = from;
    let is_same_line = |at: usize| {
        let token = pieces.tokens.get(at);
        token.is_some_and(|token| {
            !token.starts_line
                && !matches!(
                    token.kind,
                    TokenKind::Punctuation(b')' | b']' | b'}' | b';')
                )
        })
    };
    while is_same_line(at) {
        let start = at;
        loop {
            at = match pieces.kind(at) {
                Some(TokenKind::Punctuation(b'(' | b'[' | b'{')) => pieces
                    .closing(at)
                    .map_or(pieces.tokens.len(), |end| end + 1),
                _ => at + 1,
            };
            let is_adjacent = pieces
                .tokens
                .get(at)
                .is_some_and(|next| next.span.start == pieces.tokens[at - 1].span.end);
            if !is_adjacent || !is_same_line(at) {
                break;
            }
        }
        all.push(Argument {
            name: None,
            from: start,
            to: at,
        });
    }
    (all, at.saturating_sub(1).max(from.saturating_sub(1)))
}

/// Returns the text of an argument that is a string literal, or a product of literals (`*` concatenates strings).
fn value_of(
    pieces: TokenStream<'_>,
    argument: Argument<'_>,
) -> Option<(MappedSource, Vec<Unresolved>)> {
    argument.literals(pieces, b'*', |inner, text, unknown| {
        interpolated(pieces.source, inner, text, unknown);
    })
}

/// Decodes a Julia string, in which `\$` is a dollar sign, and `$name` and `$(…)` are interpolated values.
fn interpolated(source: &str, inner: Span, text: &mut MappedSource, unknown: &mut Vec<Unresolved>) {
    let own = inner.text(source);
    let place =
        |from: usize, to: usize| Span::new(inner.start + from as u32, inner.start + to as u32);
    let bytes = own.as_bytes();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'$')) => {
                decode(source, place(done, at), EscapeSyntax::Python, text);
                text.stand_in("$", place(at, at + 2));
                at += 2;
                done = at;
            }
            (b'\\', Some(_)) => at += 2,
            (b'$', Some(next)) if *next == b'(' || next.is_ascii_alphabetic() || *next == b'_' => {
                decode(source, place(done, at), EscapeSyntax::Python, text);
                let rest = &own[at + 1..];
                let length = match next {
                    b'(' => rest.find(')').map_or(rest.len(), |end| end + 1),
                    _ => rest
                        .find(|c: char| !c.is_alphanumeric() && c != '_')
                        .unwrap_or(rest.len()),
                };
                let end = at + 1 + length;
                unknown.push(Unresolved::assembly(source, place(at, end)));
                at = end;
                done = at;
            }
            _ => at += 1,
        }
    }
    decode(source, place(done, own.len()), EscapeSyntax::Python, text);
}
