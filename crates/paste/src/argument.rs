//! Parser functions for parts of inline assembly calls that all host languages share: arguments, variables to which the results of a call
//! are assigned, and LLVM constraints.

use crate::block::Unresolved;
use crate::parsed_block::{OperandSection, ParsedAsmBlock, ParsedAsmOperand};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::{MappedSource, Span};

/// Argument of an inline assembly call: the name of a keyword argument, and the token range of the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Argument<'_> {
    /// Returns the source span of the argument value.
    pub(crate) fn span(&self, pieces: TokenStream<'_>) -> Span {
        let first = pieces.tokens[self.from].span;
        first.to(pieces.tokens[self.to - 1].span)
    }

    /// Decodes a value that consists of one string literal or several string literals with `operator` between them. `decode` receives the
    /// span between the quotes of a literal that is not raw, and appends the decoded text.
    pub(crate) fn literals(
        &self,
        pieces: TokenStream<'_>,
        operator: u8,
        mut decode: impl FnMut(Span, &mut MappedSource, &mut Vec<Unresolved>),
    ) -> Option<(MappedSource, Vec<Unresolved>)> {
        let mut text = MappedSource::default();
        let mut unknown = Vec::new();
        for at in self.from..self.to {
            let is_literal = (at - self.from).is_multiple_of(2);
            match pieces.kind(at)? {
                TokenKind::Text { inner, is_raw, .. } if is_literal => match is_raw {
                    true => text.copy(inner.text(pieces.source), inner.start),
                    false => decode(inner, &mut text, &mut unknown),
                },
                TokenKind::Punctuation(sign) if !is_literal && sign == operator => {}
                _ => return None,
            }
        }
        Some((text, unknown))
    }
}

/// Splits the tokens from `from` to `to` into arguments at commas outside of brackets.
pub(crate) fn arguments<'a>(pieces: TokenStream<'a>, from: usize, to: usize) -> Vec<Argument<'a>> {
    let mut all = Vec::new();
    let mut at = from;
    while at < to {
        let start = at;
        while at < to && !pieces.is(at, b',') {
            at = match pieces.kind(at) {
                Some(TokenKind::Punctuation(b'(' | b'[' | b'{')) => {
                    pieces.closing(at).map_or(to, |end| end + 1)
                }
                _ => at + 1,
            };
        }
        let end = at.min(to);
        let is_named = pieces.is(start + 1, b'=') && !pieces.is(start + 2, b'=') && start + 2 < end;
        if end > start {
            all.push(match is_named {
                true => Argument {
                    name: Some(pieces.text(start)),
                    from: start + 2,
                    to: end,
                },
                false => Argument {
                    name: None,
                    from: start,
                    to: end,
                },
            });
        }
        at += 1;
    }
    all
}

/// Returns the variables to which the result of a call is assigned.
pub(crate) fn outputs(pieces: TokenStream<'_>, call: usize) -> Vec<String> {
    // Skip the path before the name of the called function, as in `tl.inline_asm_elementwise`.
    let mut at = call;
    while at >= 2 && pieces.is(at - 1, b'.') {
        at -= 2;
    }
    if at == 0 || !pieces.is(at - 1, b'=') {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut at = at - 1;
    while at > 0 {
        at -= 1;
        match pieces.kind(at) {
            Some(TokenKind::Word) => names.push(pieces.text(at).to_owned()),
            Some(TokenKind::Punctuation(b',' | b'(' | b')')) => {}
            _ => break,
        }
        if pieces.tokens[at].starts_line {
            break;
        }
    }
    names.reverse();
    names
}

/// Adds one operand to a block for each constraint in a list of LLVM constraints.
pub(crate) fn add_operands(
    constraints: &MappedSource,
    outputs: &[String],
    inputs: &[String],
    block: &mut ParsedAsmBlock,
) {
    let text = &constraints.text;
    let mut stated: Vec<(&str, Span)> = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let blanks = part.len() - part.trim_start().len();
        let own = part.trim();
        let from = start + blanks;
        let span = Span::new(from as u32, (from + own.len()) as u32);
        start += part.len() + 1;
        match own
            .strip_prefix("~{")
            .and_then(|rest| rest.strip_suffix('}'))
        {
            Some(clobber) => {
                let place = constraints.map.span(span);
                block.clobbers.push((clobber.to_owned(), place));
            }
            None if own.is_empty() => {}
            None => stated.push((own, constraints.map.span(span))),
        }
    }
    let is_output = |text: &str| text.starts_with(['=', '+']);
    let n_outputs = stated.iter().filter(|(text, _)| is_output(text)).count();
    let n_inputs = stated.len() - n_outputs;
    let (mut output, mut input) = (0, 0);
    for (text, place) in stated {
        let (names, number, n) = match is_output(text) {
            true => (outputs, &mut output, n_outputs),
            false => (inputs, &mut input, n_inputs),
        };
        let expression = shared_name(names, *number, n);
        *number += 1;
        block.operands.push(ParsedAsmOperand {
            symbol: None,
            constraint: text.to_owned(),
            place,
            expression,
            value: None,
            initializer: None,
            section: OperandSection::Either,
        });
    }
}

/// Returns the operand name of register `number`. The names divide the `n` registers into groups of equal size.
fn shared_name(names: &[String], number: usize, n: usize) -> String {
    if names.is_empty() || n < names.len() {
        return names.get(number).cloned().unwrap_or_default();
    }
    let each = n / names.len();
    let name = names.get(number / each).map_or("", String::as_str);
    match each {
        1 => name.to_owned(),
        _ => format!("{name}[{}]", number % each),
    }
}
