//! Error-tolerant parser: converts a source to a syntax tree and diagnostics in one pass over the bytes, without a token vector
//! and without allocations per line. A malformed statement becomes an error entry, and parsing continues with the next line.
//!
//! The parser reports the same syntax errors as the reference assembler (13.5).

pub(crate) mod address;
pub(crate) mod debug;
pub(crate) mod declaration;
pub(crate) mod declarator;
pub(crate) mod directive;
pub(crate) mod expression;
pub(crate) mod foreign_text;
pub(crate) mod function;
pub(crate) mod group;
pub(crate) mod header;
pub(crate) mod initializer;
pub(crate) mod instruction;
pub(crate) mod lenient_syntax;
pub(crate) mod operand;
pub(crate) mod recovery;
pub(crate) mod reports;
pub(crate) mod reserved_words;
pub(crate) mod statement;
pub(crate) mod targets;

use crate::diagnostics::syntax;
use crate::diagnostics::syntax::FoundToken;
use crate::lexer::{Cursor, TokenKind};
use crate::parser::statement::StatementContext;
use crate::tree::{SourceKind, Statement, StatementKind, Tree};
use warpgrid_program::{Diagnostic, Span};

/// Syntax tree and diagnostics of a source.
#[derive(Clone, Debug, Default)]
pub struct Parse {
    pub tree: Tree,
    /// Diagnostics of the parser in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Maximum number of diagnostics. The last diagnostic states that further diagnostics are omitted.
pub const MAX_DIAGNOSTICS: usize = 1000;

/// Maximum nesting depth of expressions and initializers.
pub(crate) const MAX_DEPTH: u32 = 128;

/// Maximum nesting depth of blocks.
pub(crate) const MAX_BLOCKS: usize = 1000;

/// Byte-order mark, which some editors insert at the start of a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses a source: a module, or a snippet without a header and a function.
pub fn parse(source: &str) -> Parse {
    if source.len() >= u32::MAX as usize {
        return Parse {
            tree: Tree::default(),
            diagnostics: vec![syntax::source_too_large(source.len())],
        };
    }
    let parse = parse_text(source);
    let is_foreign = |found: &Diagnostic| found.code == syntax::FOREIGN_CHARACTER;
    if parse.diagnostics.iter().any(is_foreign)
        && let Some((plain, typeset)) = foreign_text::typeset(source)
    {
        let mut parse = parse_text(&plain);
        parse.diagnostics.insert(0, typeset);
        return parse;
    }
    parse
}

fn parse_text(source: &str) -> Parse {
    let mut parser = Parser::new(source);
    if source.starts_with(BYTE_ORDER_MARK) {
        parser.cursor.at = BYTE_ORDER_MARK.len_utf8();
        let mark = Span::new(0, parser.cursor.offset());
        parser.report(syntax::byte_order_mark(mark));
        parser.push(mark.start, StatementKind::Error);
    }
    parser.source();
    if let Some(diagnostic) = parser.other_language() {
        return Parse {
            tree: Tree {
                kind: SourceKind::Snippet,
                ..Tree::default()
            },
            diagnostics: vec![diagnostic],
        };
    }
    let mut diagnostics = parser.diagnostics;
    if !source.is_ascii() && diagnostics.len() < MAX_DIAGNOSTICS {
        diagnostics.extend(foreign_text::strings_outside_ascii(source));
        diagnostics.sort_by_key(|found| found.span.start);
    }
    Parse {
        tree: parser.tree,
        diagnostics,
    }
}

/// Error of a parser function: the function has reported a diagnostic, and the caller must stop parsing the statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementError;

pub(crate) type ParseResult<T> = Result<T, StatementError>;

pub(crate) struct Parser<'s> {
    cursor: Cursor<'s>,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
    /// End of the last statement before the cursor. A missing `;` is reported at this position.
    last_end: u32,
    place: StatementContext,
    /// Offsets of the open `{` of the current function, starting with that of its body.
    open_braces: Vec<u32>,
    /// Index of the function whose body is being parsed.
    function: u32,
    depth: u32,
    /// Spans of declared names that contain a dot.
    dotted_declarations: Vec<Span>,
    /// Operands that may be names with a dot: the span of the name, and the span of its diagnostic.
    dotted_uses: Vec<(Span, Span)>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Parser<'s> {
        let mut tree = Tree {
            kind: statement::kind_of(source),
            ..Tree::default()
        };
        tree.statements.reserve(source.len() / 32);
        tree.operands.reserve(source.len() / 14);
        Parser {
            cursor: Cursor::new(source),
            place: match tree.kind {
                SourceKind::Module => StatementContext::Module,
                SourceKind::Snippet => StatementContext::Body,
            },
            tree,
            diagnostics: Vec::new(),
            last_end: 0,
            open_braces: Vec::new(),
            function: 0,
            depth: 0,
            dotted_declarations: Vec::new(),
            dotted_uses: Vec::new(),
        }
    }

    /// Reports a diagnostic, unless the maximum number has been reached.
    #[cold]
    fn report(&mut self, diagnostic: Diagnostic) {
        match self.diagnostics.len() {
            n if n < MAX_DIAGNOSTICS => self.diagnostics.push(diagnostic),
            MAX_DIAGNOSTICS => self.diagnostics.push(syntax::too_many(diagnostic.span)),
            _ => {}
        }
    }

    /// Reports notation that only manuals use: as a warning in a snippet, and as an error in a module.
    #[cold]
    fn report_tolerated(&mut self, found: Diagnostic) {
        let found = match self.tree.kind {
            SourceKind::Snippet => syntax::tolerated(found),
            SourceKind::Module => found,
        };
        self.report(found);
    }

    /// Reports a diagnostic, and returns an error for the statement.
    #[cold]
    fn broken<T>(&mut self, diagnostic: Diagnostic) -> ParseResult<T> {
        self.report(diagnostic);
        Err(StatementError)
    }

    /// Returns the token at the cursor for a message. The cursor must not be on trivia.
    #[cold]
    fn found(&mut self) -> FoundToken {
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        let name = match token.kind {
            TokenKind::End => "the end of the source".to_owned(),
            TokenKind::OpenComment => "an unterminated comment".to_owned(),
            _ => format!("`{}`", shortened(text)),
        };
        FoundToken {
            span: token.span,
            name,
        }
    }

    /// Reports that the token at the cursor is unexpected, or the reason why this token itself is malformed, and returns an error.
    #[cold]
    fn unexpected<T>(&mut self, expected: &str) -> ParseResult<T> {
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::unexpected(&found, expected))
    }

    /// Reports an error if the token at the cursor is invalid in every context.
    #[cold]
    fn bad_token(&mut self) -> ParseResult<()> {
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        match token.kind {
            TokenKind::Foreign => self.broken(syntax::foreign_character(token.span, text)),
            TokenKind::OpenComment => self.broken(syntax::unclosed_comment(token.span)),
            TokenKind::OpenString => self.broken(syntax::unclosed_string(
                token.span,
                token.span.text(self.cursor.source),
            )),
            _ => Ok(()),
        }
    }

    /// Skips trivia, and consumes the next byte if it equals `byte`.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let here = self.cursor.skip() == byte && !self.cursor.at_end();
        if here {
            self.cursor.at += 1;
        }
        here
    }

    /// Returns the span from `start` to the cursor.
    #[inline]
    fn since(&self, start: u32) -> Span {
        Span::new(start, self.cursor.offset())
    }

    #[inline]
    fn push(&mut self, start: u32, kind: StatementKind) {
        let span = self.since(start);
        self.last_end = span.end;
        self.tree.statements.push(Statement { span, kind });
    }

    /// Returns the text of a span for a message.
    fn text(&self, span: Span) -> &'s str {
        shortened(span.text(self.cursor.source))
    }
}

/// Returns at most the first 40 characters of a text.
fn shortened(text: &str) -> &str {
    match text.char_indices().nth(40) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
