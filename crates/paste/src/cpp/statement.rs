//! Parser of one `asm` statement: its template, operands and clobbers. The parser parses a statement in a macro one time for each use of
//! the macro.

use super::CppSource;
use super::declared_types::{DeclaredType, declared_type};
use super::macros::Macro;
use super::scopes::Scopes;
use crate::block::Unresolved;
use crate::constraint::{AsmDialect, Constraint, OperandKind, cuda_letter};
use crate::diagnostics as diagnose;
use crate::escape::{EscapeSyntax, decode};
use crate::parsed_block::{OperandSection, ParsedAsmBlock, ParsedAsmOperand};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::container::ASM_QUALIFIERS;
use warpgrid_program::{Diagnostic, Span};

/// Arguments of one use of a macro, by parameter name.
#[derive(Clone, Debug, Default)]
struct MacroArguments<'a> {
    given: Vec<(&'a str, Span)>,
}

impl MacroArguments<'_> {
    fn of(&self, name: &str) -> Option<Span> {
        let mut given = self.given.iter();
        given.find(|(own, _)| *own == name).map(|(_, span)| *span)
    }
}

/// Maximum depth of nested macros.
const MAX_DEPTH: usize = 8;

/// Returns the diagnostic for an operand whose declared type does not match its constraint, which the CUDA compiler rejects.
fn wrong_type(
    text: &str,
    constraint: Span,
    name: &str,
    declared: &DeclaredType,
) -> Option<Diagnostic> {
    let OperandKind::Register(ty) = Constraint::read(text, AsmDialect::Cuda).ok()?.kind else {
        return None;
    };
    let is_match = declared.matches(ty);
    (!is_match).then(|| {
        let letter = text.trim_start_matches(['=', '+', '&']);
        let suggested = cuda_letter(|ty| declared.matches(ty));
        diagnose::operand_type(constraint, letter, name, &declared.text, suggested)
    })
}

impl<'a> CppSource<'a> {
    /// Parses the statement whose first word is at `at`, if it is an `asm` statement.
    pub(super) fn statement(
        &self,
        at: usize,
        scopes: &Scopes<'a>,
        blocks: &mut Vec<ParsedAsmBlock>,
    ) {
        let mut open = at + 1;
        while ASM_QUALIFIERS.contains(&self.pieces.text(open)) {
            open += 1;
        }
        if !self.pieces.is(open, b'(') || !self.has_template(open + 1) {
            return;
        }
        let Some(around) = self.macros.around(at) else {
            let function = scopes.function().unwrap_or("asm");
            let mut block =
                ParsedAsmBlock::new(function, self.pieces.tokens[at].span, AsmDialect::Cuda);
            self.read(at, open, &MacroArguments::default(), &mut block);
            blocks.push(block);
            return;
        };
        let uses = match &around.parameters {
            Some(_) => self.macros.uses(self.pieces, around),
            None => Vec::new(),
        };
        let mut plain =
            ParsedAsmBlock::new(around.name, self.pieces.tokens[at].span, AsmDialect::Cuda);
        if uses.is_empty() {
            self.read(at, open, &MacroArguments::default(), &mut plain);
            blocks.push(plain);
            return;
        }
        for used in uses {
            let mut block = plain.clone();
            self.read(at, open, &self.arguments(around, used), &mut block);
            // Set the spans of the block to the use of the macro.
            block.word = self.pieces.tokens[used].span;
            block.span = match self.pieces.closing(used + 1) {
                Some(close) => block.word.to(self.pieces.tokens[close].span),
                None => block.word,
            };
            blocks.push(block);
        }
    }

    /// Checks whether the tokens after a parenthesis can be an assembly template. This check excludes `asm (x)` in prose.
    fn has_template(&self, at: usize) -> bool {
        match self.pieces.kind(at) {
            Some(TokenKind::Text { .. } | TokenKind::Punctuation(b'#')) => true,
            Some(TokenKind::Word) => {
                self.macros.plain(self.pieces.text(at)).is_some() || {
                    let next = self.pieces.kind(at + 1);
                    matches!(
                        next,
                        Some(TokenKind::Text { .. } | TokenKind::Punctuation(b':' | b'('))
                    )
                }
            }
            _ => false,
        }
    }

    /// Returns the arguments of the macro use at token `used`.
    fn arguments(&self, of: &Macro<'a>, used: usize) -> MacroArguments<'a> {
        let pieces = self.pieces;
        let names = of.parameters.as_deref().unwrap_or(&[]);
        let close = pieces.closing(used + 1).unwrap_or(pieces.tokens.len());
        let mut spans = Vec::new();
        let mut at = used + 2;
        while at < close {
            let start = at;
            while at < close && !pieces.is(at, b',') {
                at = match pieces.kind(at) {
                    Some(TokenKind::Punctuation(b'(' | b'[' | b'{')) => {
                        pieces.closing(at).map_or(close, |end| end + 1)
                    }
                    _ => at + 1,
                };
            }
            let at_end = at.min(close);
            // An argument can be empty, as in `M(a, , b)`.
            spans.push(match at_end > start {
                true => pieces.tokens[start].span.to(pieces.tokens[at_end - 1].span),
                false => Span::at(pieces.tokens[start - 1].span.end),
            });
            at += 1;
            // The last argument is empty after a comma.
            if at == close {
                spans.push(Span::at(pieces.tokens[close - 1].span.end));
            }
        }
        MacroArguments {
            given: names.iter().copied().zip(spans).collect(),
        }
    }

    fn read(
        &self,
        word: usize,
        open: usize,
        arguments: &MacroArguments<'a>,
        block: &mut ParsedAsmBlock,
    ) {
        let pieces = self.pieces;
        let qualifiers = word + 1..open;
        block.is_volatile = qualifiers
            .clone()
            .any(|at| pieces.text(at).contains("volatile"));
        let close = pieces.closing(open).unwrap_or_else(|| {
            let here = pieces.tokens[open].span;
            block.diagnostics.push(diagnose::no_end(here));
            pieces.tokens.len()
        });
        let last = close.min(pieces.tokens.len() - 1);
        block.span = pieces.tokens[word].span.to(pieces.tokens[last].span);
        let sections = self.sections(open + 1, close);
        for (number, (from, to)) in sections.into_iter().enumerate() {
            match number {
                0 => self.template(from, to, arguments, MAX_DEPTH, block),
                1 => self.operands(from, to, OperandSection::Outputs, arguments, block),
                2 => self.operands(from, to, OperandSection::Inputs, arguments, block),
                3 => self.clobbers(from, to, block),
                _ => {}
            }
        }
        block.settle(&self.constants);
    }

    /// Splits a statement at its colons, and returns the token range of each section.
    fn sections(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut sections = Vec::new();
        let (mut start, mut at) = (from, from);
        while at < to {
            match self.pieces.kind(at) {
                Some(TokenKind::Punctuation(b'(' | b'[' | b'{')) => {
                    at = self.pieces.closing(at).map_or(to, |end| end + 1);
                }
                Some(TokenKind::Punctuation(b':')) => {
                    sections.push((start, at));
                    at += 1;
                    start = at;
                }
                _ => at += 1,
            }
        }
        sections.push((start, to));
        sections
    }

    /// Appends the assembly text in a token range to the block, and expands macros.
    fn template(
        &self,
        from: usize,
        to: usize,
        arguments: &MacroArguments<'a>,
        depth: usize,
        block: &mut ParsedAsmBlock,
    ) {
        let pieces = self.pieces;
        let mut at = from;
        while at < to {
            match pieces.kind(at) {
                Some(TokenKind::Text { inner, is_raw, .. }) => {
                    match is_raw {
                        true => block.template.copy(inner.text(pieces.source), inner.start),
                        false => {
                            decode(pieces.source, inner, EscapeSyntax::Cpp, &mut block.template)
                        }
                    }
                    at += 1;
                }
                Some(TokenKind::Punctuation(b'#')) if pieces.is_word(at + 1) => {
                    let name = pieces.text(at + 1);
                    match arguments.of(name) {
                        Some(span) => {
                            let text = span.text(pieces.source);
                            block.template.copy(text, span.start);
                        }
                        None => self.unknown(at + 1, block),
                    }
                    at += 2;
                }
                Some(TokenKind::Word) => {
                    let name = pieces.text(at);
                    if let Some(span) = arguments.of(name) {
                        self.handed(span, block);
                    } else if let Some(own) = self.macros.plain(name).filter(|_| depth > 0) {
                        let body = own.body.clone();
                        self.template(body.start, body.end, arguments, depth - 1, block);
                    } else {
                        self.unknown(at, block);
                    }
                    at += 1;
                    if pieces.is(at, b'(') {
                        at = pieces.closing(at).map_or(to, |end| end + 1);
                    }
                }
                // Skip parentheses around string literals, because they have no effect.
                Some(TokenKind::Punctuation(b'(' | b')')) => at += 1,
                Some(_) => {
                    self.unknown(at, block);
                    at += 1;
                }
                None => return,
            }
        }
    }

    /// Appends a macro argument that is part of the assembly. The argument must be a string literal.
    fn handed(&self, span: Span, block: &mut ParsedAsmBlock) {
        let pieces = self.pieces;
        let within = |at: &usize| {
            let own = pieces.tokens[*at].span;
            span.start <= own.start && own.end <= span.end
        };
        for at in (0..pieces.tokens.len()).filter(within) {
            match pieces.kind(at) {
                Some(TokenKind::Text {
                    inner,
                    is_raw: false,
                    ..
                }) => {
                    decode(pieces.source, inner, EscapeSyntax::Cpp, &mut block.template);
                }
                Some(TokenKind::Text { inner, .. }) => {
                    block.template.copy(inner.text(pieces.source), inner.start);
                }
                _ => self.unknown(at, block),
            }
        }
    }

    fn unknown(&self, at: usize, block: &mut ParsedAsmBlock) {
        let span = self.pieces.tokens[at].span;
        block
            .unknown
            .push(Unresolved::assembly(self.pieces.source, span));
    }

    fn operands(
        &self,
        from: usize,
        to: usize,
        section: OperandSection,
        arguments: &MacroArguments<'a>,
        block: &mut ParsedAsmBlock,
    ) {
        let pieces = self.pieces;
        let mut at = from;
        while at < to {
            let symbol = (pieces.is(at, b'[') && pieces.is(at + 2, b']'))
                .then(|| (pieces.text(at + 1).to_owned(), pieces.tokens[at + 1].span));
            if symbol.is_some() {
                at += 3;
            }
            let read = self.constraint(at, to, arguments);
            let Some((constraint, inner)) = read.filter(|_| at < to) else {
                if at < to {
                    let is_end = |at: &usize| pieces.is(*at, b'(') || pieces.is(*at, b',');
                    let mut words = (at..to).take_while(|at| !is_end(at));
                    let unresolved = words.find(|at| pieces.is_word(*at));
                    self.unknown(unresolved.unwrap_or(at), block);
                }
                return;
            };
            while at < to && !pieces.is(at, b'(') && !pieces.is(at, b',') {
                at += 1;
            }
            let (mut expression, mut end, mut initializer) = (String::new(), at, None);
            if pieces.is(at, b'(') {
                end = pieces.closing(at).unwrap_or(to).min(to);
                expression = self.expression(at + 1, end, arguments);
                if end == at + 2 && pieces.is_word(at + 1) {
                    let declared = declared_type(pieces, at, &expression);
                    let wrong =
                        declared.and_then(|ty| wrong_type(&constraint, inner, &expression, &ty));
                    block.diagnostics.extend(wrong);
                }
                initializer = self.initializer(at, end, &expression);
                end += 1;
            }
            block.operands.push(ParsedAsmOperand {
                symbol,
                constraint,
                place: inner,
                expression,
                value: None,
                initializer,
                section,
            });
            at = end;
            // Accept operands without commas between them, because the compiler also accepts them.
            let begins = |at: usize| {
                matches!(
                    pieces.kind(at),
                    Some(TokenKind::Text { .. } | TokenKind::Punctuation(b'['))
                )
            };
            while at < to && !pieces.is(at, b',') && !begins(at) {
                at += 1;
            }
            if pieces.is(at, b',') {
                at += 1;
            }
        }
    }

    /// Returns the text of the constraint that starts at token `at`, and its span without quotes. The constraint consists of string
    /// literals, macro parameters with and without `#`, and macros whose bodies are string literals. Returns `None` for other tokens.
    fn constraint(
        &self,
        at: usize,
        to: usize,
        arguments: &MacroArguments<'a>,
    ) -> Option<(String, Span)> {
        let pieces = self.pieces;
        let mut text = String::new();
        let mut place: Option<Span> = None;
        let mut at = at;
        while at < to && !pieces.is(at, b'(') && !pieces.is(at, b',') {
            let span = match pieces.kind(at)? {
                TokenKind::Text { inner, .. } => {
                    text.push_str(inner.text(pieces.source));
                    inner
                }
                TokenKind::Punctuation(b'#') => {
                    at += 1;
                    let span = arguments.of(pieces.text(at))?;
                    text.push_str(span.text(pieces.source));
                    span
                }
                TokenKind::Word => {
                    let inner = match arguments.of(pieces.text(at)) {
                        Some(span) => self.literal_at(span)?,
                        None => self.literal_of(self.macros.plain(pieces.text(at))?)?,
                    };
                    text.push_str(inner.text(pieces.source));
                    inner
                }
                _ => return None,
            };
            place = place.or(Some(span));
            at += 1;
        }
        Some((text, place?))
    }

    /// Returns the text of the string literal that is the whole span, without quotes.
    fn literal_at(&self, span: Span) -> Option<Span> {
        let mut tokens = self.pieces.tokens.iter();
        match tokens.find(|token| token.span == span)?.kind {
            TokenKind::Text { inner, .. } => Some(inner),
            _ => None,
        }
    }

    /// Returns the text of the string literal that is the whole body of a macro, without quotes.
    fn literal_of(&self, own: &Macro<'a>) -> Option<Span> {
        match self.pieces.kind(own.body.start)? {
            TokenKind::Text { inner, .. } if own.body.len() == 1 => Some(inner),
            _ => None,
        }
    }

    /// Returns the text of an expression in which macro arguments replace macro parameters.
    fn expression(&self, from: usize, to: usize, arguments: &MacroArguments<'a>) -> String {
        let pieces = self.pieces;
        let (Some(first), true) = (pieces.tokens.get(from), to > from) else {
            return String::new();
        };
        let last = pieces.tokens[to.min(pieces.tokens.len()) - 1];
        let mut text = String::new();
        let mut done = first.span.start;
        for token in &pieces.tokens[from..to.min(pieces.tokens.len())] {
            if let Some(argument) = arguments.of(token.span.text(pieces.source)) {
                text.push_str(Span::new(done, token.span.start).text(pieces.source));
                text.push_str(argument.text(pieces.source));
                done = token.span.end;
            }
        }
        text.push_str(Span::new(done, last.span.end).text(pieces.source));
        text
    }

    fn clobbers(&self, from: usize, to: usize, block: &mut ParsedAsmBlock) {
        let mut is_adjacent = false;
        for at in from..to {
            if let Some(TokenKind::Text { inner, .. }) = self.pieces.kind(at) {
                let text = inner.text(self.pieces.source);
                match block.clobbers.last_mut().filter(|_| is_adjacent) {
                    // Adjacent string literals are one string.
                    Some((clobber, span)) => {
                        clobber.push_str(text);
                        *span = span.to(inner);
                    }
                    None => block.clobbers.push((text.to_owned(), inner)),
                }
                is_adjacent = true;
            } else {
                is_adjacent = false;
            }
        }
    }
}

/// Prints the length of the source instead of its text.
impl std::fmt::Debug for CppSource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TokenStream { source, .. } = self.pieces;
        f.debug_struct("Reading")
            .field("bytes", &source.len())
            .finish_non_exhaustive()
    }
}
