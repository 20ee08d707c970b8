//! Inline assembly in Rust: `asm!("template", …, in(reg32) expression, name = out(reg64) place, options(…))`. The target nvptx64 has the
//! register classes `reg16`, `reg32` and `reg64` (The rustc book, `asm_experimental_arch`).

use super::lexer::Language;
use super::{MAX_BLOCKS, MAX_OPERANDS, start_of_path, tokens};
use crate::argument::{Argument, arguments};
use crate::block::Unresolved;
use crate::constraint::AsmDialect;
use crate::escape::{EscapeSyntax, decode};
use crate::parsed_block::{OperandSection, ParsedAsmBlock, ParsedAsmOperand};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::{MappedSource, Span};

/// Returns the asm blocks of a source, in source order.
pub(crate) fn blocks(source: &str) -> Vec<ParsedAsmBlock> {
    let tokens = tokens(source, Language::Rust);
    let pieces = TokenStream {
        source,
        tokens: &tokens,
    };
    let mut function = "asm";
    let mut blocks = Vec::new();
    for at in 0..tokens.len() {
        if pieces.text(at) == "fn" && pieces.is_word(at + 1) {
            function = pieces.text(at + 1);
        }
        let is_call = pieces.is_word(at) && pieces.text(at) == "asm" && pieces.is(at + 1, b'!');
        let opens = [b'(', b'{', b'[']
            .iter()
            .any(|sign| pieces.is(at + 2, *sign));
        if is_call && opens {
            blocks.extend(read(pieces, at, function));
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    blocks
}

/// Parses the macro call whose name is the token at index `at`.
fn read(pieces: TokenStream<'_>, at: usize, function: &str) -> Option<ParsedAsmBlock> {
    let word = pieces.tokens[start_of_macro_path(pieces, at)]
        .span
        .to(pieces.tokens[at + 1].span);
    let close = pieces.closing(at + 2).unwrap_or(pieces.tokens.len());
    let mut block = ParsedAsmBlock::new(function, word, AsmDialect::Rust);
    let last = close.min(pieces.tokens.len() - 1);
    block.span = word.to(pieces.tokens[last].span);
    // The compiler neither deletes nor moves the statement, and assumes that it modifies memory, unless an option states otherwise.
    block.is_volatile = true;
    let mut clobbers_memory = true;

    let mut all = arguments(pieces, at + 3, close).into_iter().peekable();
    let mut has_template = false;
    while let Some(argument) =
        all.next_if(|next| template_part(pieces, *next).is_some() || !has_template)
    {
        // The compiler joins the template strings with line breaks.
        if has_template {
            let place = Span::at(argument.span(pieces).start);
            block.template.stand_in("\n", place);
        }
        has_template = true;
        match template_part(pieces, argument) {
            Some(strings) => {
                for literal in strings {
                    append_literal(pieces, literal, &mut block.template);
                }
            }
            None => {
                let first = pieces.tokens[argument.from].span;
                let unresolved = Unresolved::assembly(pieces.source, first);
                block.unknown.push(unresolved);
            }
        }
    }
    for argument in all.take(MAX_OPERANDS) {
        match pieces.text(argument.from) {
            "options" => {
                let words = argument.from..argument.to;
                for option in words.map(|at| pieces.text(at)) {
                    match option {
                        "pure" => block.is_volatile = false,
                        "nomem" | "readonly" => clobbers_memory = false,
                        // Options of other processors.
                        "att_syntax" | "raw" => block
                            .clobbers
                            .push((option.to_owned(), argument.span(pieces))),
                        _ => {}
                    }
                }
            }
            "clobber_abi" => block
                .clobbers
                .push(("clobber_abi".to_owned(), argument.span(pieces))),
            // A repetition or a variable of a declarative macro, which can contain any number of operands.
            "$" => block.unknown.push(Unresolved::assembly(
                pieces.source,
                pieces.tokens[argument.from].span,
            )),
            _ => add_operand(pieces, argument, &mut block),
        }
    }
    if clobbers_memory {
        block.clobbers.push(("memory".to_owned(), word));
    }
    has_template.then_some(block)
}

/// Returns the first token of a path with double colons, such as `core` of `core::arch::asm!`.
fn start_of_macro_path(pieces: TokenStream<'_>, at: usize) -> usize {
    let mut at = start_of_path(pieces, at);
    while at >= 3 && pieces.is(at - 1, b':') && pieces.is(at - 2, b':') && pieces.is_word(at - 3) {
        at -= 3;
    }
    at
}

/// Returns the tokens of the string literals of a template argument: one literal, or `concat!` of literals. Returns `None` for other
/// expressions, such as operands.
fn template_part(pieces: TokenStream<'_>, argument: Argument<'_>) -> Option<Vec<usize>> {
    if argument.name.is_some() {
        return None;
    }
    let is_text = |at: usize| matches!(pieces.kind(at), Some(TokenKind::Text { .. }));
    if is_text(argument.from) {
        return (argument.to == argument.from + 1).then(|| vec![argument.from]);
    }
    if pieces.text(argument.from) != "concat" || !pieces.is(argument.from + 1, b'!') {
        return None;
    }
    let parts = arguments(pieces, argument.from + 3, argument.to.saturating_sub(1)).into_iter();
    let literals =
        parts.map(|part| (part.to == part.from + 1 && is_text(part.from)).then_some(part.from));
    literals.collect()
}

/// Appends the decoded text of a string literal.
fn append_literal(pieces: TokenStream<'_>, at: usize, text: &mut MappedSource) {
    if let Some(TokenKind::Text { inner, is_raw, .. }) = pieces.kind(at) {
        let escapes = match is_raw {
            true => EscapeSyntax::None,
            false => EscapeSyntax::Cpp,
        };
        decode(pieces.source, inner, escapes, text);
    }
}

/// Adds the operand of an argument: `in(reg32) x`, `name = inout(reg64) x => y`, `const N`, `sym f`.
fn add_operand(pieces: TokenStream<'_>, argument: Argument<'_>, block: &mut ParsedAsmBlock) {
    let (from, to) = (argument.from, argument.to);
    let symbol = argument
        .name
        .map(|name| (name.to_owned(), pieces.tokens[from - 2].span));
    let text_between = |from: usize, to: usize| match to > from {
        true => {
            let span = pieces.tokens[from].span.to(pieces.tokens[to - 1].span);
            span.text(pieces.source).to_owned()
        }
        false => String::new(),
    };
    let word = pieces.tokens[from].span;
    let (constraint, place, expression) = match pieces.text(from) {
        "const" | "sym" => (
            pieces.text(from).to_owned(),
            word,
            text_between(from + 1, to),
        ),
        _ if pieces.is(from + 1, b'(') => {
            let close = pieces.closing(from + 1).unwrap_or(to).min(to - 1);
            (
                text_between(from, close + 1),
                word.to(pieces.tokens[close].span),
                text_between(close + 1, to),
            )
        }
        // Incomplete operand, such as the first word of an operand while the user types it.
        _ => return,
    };
    // Operands in explicit registers, such as `in("eax")`, are not part of the numbering. They exist only on other processors.
    let is_explicit = constraint.contains('"');
    match is_explicit {
        true => block.clobbers.push((constraint, place)),
        false => block.operands.push(ParsedAsmOperand {
            symbol,
            value: (constraint == "const")
                .then(|| integer(&expression))
                .flatten(),
            constraint,
            place,
            expression,
            initializer: None,
            section: OperandSection::Either,
        }),
    }
}

/// Returns the value of an integer literal without separators and suffix.
fn integer(expression: &str) -> Option<String> {
    let digits = expression.replace('_', "");
    let value: i64 = digits.parse().ok()?;
    Some(value.to_string())
}
