//! Text in, tree and diagnostics out. Parsing cannot fail: a broken line becomes an error entry and
//! the next line still parses. One pass over the bytes, no token vector, no allocation per line.
//!
//! The verdicts follow the reference assembler (13.5): what it calls a syntax error is one here.

pub(crate) mod address;
pub(crate) mod debug;
pub(crate) mod declaration;
pub(crate) mod declarator;
pub(crate) mod directive;
pub(crate) mod expression;
pub(crate) mod function;
pub(crate) mod group;
pub(crate) mod header;
pub(crate) mod initializer;
pub(crate) mod instruction;
pub(crate) mod manual;
pub(crate) mod operand;
pub(crate) mod other;
pub(crate) mod recovery;
pub(crate) mod reports;
pub(crate) mod statement;
pub(crate) mod targets;
pub(crate) mod words;

use crate::diagnostics::syntax;
use crate::diagnostics::syntax::Found;
use crate::lexer::{Cursor, TokenKind};
use crate::parser::statement::Place;
use crate::tree::{SourceKind, Statement, StatementKind, Tree};
use warpgrid_program::{Diagnostic, Span};

/// What was read, and what was wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Parse {
    pub tree: Tree,
    /// In text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// How many diagnostics are reported before one closing note.
pub const MAX_DIAGNOSTICS: usize = 1000;

/// How deep expressions and initialisers may be nested.
pub(crate) const MAX_DEPTH: u32 = 128;

/// How deep blocks may be nested.
pub(crate) const MAX_BLOCKS: usize = 1000;

/// What some editors write before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a whole source: a module, or a snippet without header and function.
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
        && let Some((plain, typeset)) = other::typeset(source)
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
        diagnostics.extend(other::strings_outside_ascii(source));
        diagnostics.sort_by_key(|found| found.span.start);
    }
    Parse {
        tree: parser.tree,
        diagnostics,
    }
}

/// A diagnostic was pushed, and the statement cannot be read any further.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broken;

pub(crate) type Read<T> = Result<T, Broken>;

pub(crate) struct Parser<'s> {
    cursor: Cursor<'s>,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
    /// Where the statement before the cursor ended; where a missing `;` belongs.
    last_end: u32,
    place: Place,
    /// Places of the open `{` of this function, its own first.
    open_braces: Vec<u32>,
    /// Index of the open function.
    function: u32,
    depth: u32,
    /// Declared names with a dot.
    dotted_declarations: Vec<Span>,
    /// Operands that may be names with a dot: the name, and the place of its diagnostic.
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
                SourceKind::Module => Place::Module,
                SourceKind::Snippet => Place::Body,
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

    /// Pushes a diagnostic, unless there are too many already.
    #[cold]
    fn report(&mut self, diagnostic: Diagnostic) {
        match self.diagnostics.len() {
            n if n < MAX_DIAGNOSTICS => self.diagnostics.push(diagnostic),
            MAX_DIAGNOSTICS => self.diagnostics.push(syntax::too_many(diagnostic.span)),
            _ => {}
        }
    }

    /// Pushes a finding about what manuals print, which only a snippet may have.
    #[cold]
    fn report_tolerated(&mut self, found: Diagnostic) {
        let found = match self.tree.kind {
            SourceKind::Snippet => syntax::tolerated(found),
            SourceKind::Module => found,
        };
        self.report(found);
    }

    /// Pushes a diagnostic and breaks the statement.
    #[cold]
    fn broken<T>(&mut self, diagnostic: Diagnostic) -> Read<T> {
        self.report(diagnostic);
        Err(Broken)
    }

    /// The token at the cursor (which is not on trivia). A token that is wrong by itself is reported.
    #[cold]
    fn found(&mut self) -> Found {
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        let name = match token.kind {
            TokenKind::End => "the end of the source".to_owned(),
            TokenKind::OpenComment => "an unterminated comment".to_owned(),
            _ => format!("`{}`", shortened(text)),
        };
        Found {
            span: token.span,
            name,
        }
    }

    /// Breaks with "found X, expected Y", or with what is wrong with X itself.
    #[cold]
    fn unexpected<T>(&mut self, expected: &str) -> Read<T> {
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::unexpected(&found, expected))
    }

    /// Breaks if the token at the cursor is wrong at any place.
    #[cold]
    fn bad_token(&mut self) -> Read<()> {
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

    /// Moves over trivia and then over `byte`, if it is there.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let here = self.cursor.skip() == byte && !self.cursor.at_end();
        if here {
            self.cursor.at += 1;
        }
        here
    }

    /// The span from `start` to the cursor.
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

    /// The text of a span, for messages.
    fn text(&self, span: Span) -> &'s str {
        shortened(span.text(self.cursor.source))
    }
}

/// At most the first 40 characters.
fn shortened(text: &str) -> &str {
    match text.char_indices().nth(40) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
