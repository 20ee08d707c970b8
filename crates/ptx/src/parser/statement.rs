//! Statement loop: dispatches on the first byte and the first token of each statement.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::TokenKind;
use crate::parser::directive::is_reserved;
use crate::parser::{MAX_BLOCKS, ParseResult, Parser};
use crate::tree::{SourceKind, StatementKind};
use warpgrid_program::Span;

/// Scope to which a statement belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementContext {
    /// The statement is at module scope.
    Module,
    /// Body of a function, or a snippet.
    Body,
}

/// Returns the kind of a source. A source is a module if it contains a directive of the module header or a function outside of comments.
/// Usually, the first token is such a directive.
pub(crate) fn kind_of(source: &str) -> SourceKind {
    let mut at = 0;
    loop {
        let token = lexer::token_at(source, at);
        at = token.span.end as usize;
        match (token.kind, token.span.text(source)) {
            (TokenKind::Word, ".version" | ".target" | ".entry" | ".func") => {
                return SourceKind::Module;
            }
            (TokenKind::End, _) => return SourceKind::Snippet,
            _ => {}
        }
    }
}

impl Parser<'_> {
    /// Parses all statements of the source.
    pub(crate) fn source(&mut self) {
        loop {
            let byte = self.cursor.skip();
            if self.cursor.at_end() {
                break;
            }
            let start = self.cursor.offset();
            let n_operands = self.tree.operands.len();
            let read = match self.place {
                StatementContext::Body => self.body_statement(byte, start),
                StatementContext::Module => self.module_statement(byte, start),
            };
            if read.is_err() {
                self.tree.operands.truncate(n_operands);
                self.depth = 0;
                self.recover(start);
                self.push(start, StatementKind::Error);
            }
        }
        self.finish();
    }

    #[inline]
    fn body_statement(&mut self, byte: u8, start: u32) -> ParseResult<()> {
        if self.cursor.at_name() && byte != b'_' {
            if byte.is_ascii_uppercase() && self.prose(start) {
                return Ok(());
            }
            return self.named_statement(start);
        }
        match byte {
            b'@' => self.guarded(start),
            b'.' => self.dotted(start),
            b'{' => self.open_block(start),
            b'}' => self.close_block(start),
            b';' => self.stray_semicolon(start),
            b'\\' => self.escaped(start),
            _ if self.cursor.at_name() && lexer::is(self.cursor.byte_at(1), lexer::NAME) => {
                self.named_statement(start)
            }
            _ => {
                self.bad_token()?;
                let found = self.found();
                self.broken(syntax::statement_expected(&found))
            }
        }
    }

    fn module_statement(&mut self, byte: u8, start: u32) -> ParseResult<()> {
        match byte {
            b'.' => self.dotted(start),
            b';' => self.stray_semicolon(start),
            b'}' => self.close_block(start),
            b'@' if self
                .cursor
                .text
                .get(self.cursor.at..)
                .is_some_and(|t| t.starts_with(b"@@DWARF")) =>
            {
                self.dwarf_line(start)
            }
            b'{' => {
                let brace = Span::new(start, start + 1);
                self.report(syntax::outside_function(brace));
                self.skip_balanced();
                self.push(start, StatementKind::Error);
                Ok(())
            }
            _ if byte == b'@' || self.cursor.at_name() => {
                let span = self.cursor.token().span;
                self.broken(syntax::outside_function(span))
            }
            _ => self.unexpected("a directive, a declaration or a function"),
        }
    }

    /// Parses a label or an instruction. The cursor is at a name.
    #[inline]
    fn named_statement(&mut self, start: u32) -> ParseResult<()> {
        self.cursor.skip_name();
        let end = self.cursor.offset();
        match self.cursor.byte() {
            b'.' => self.instruction(start, start, 0),
            b';' => self.instruction(start, start, 0),
            _ => {
                if self.cursor.skip() == b':' && self.cursor.byte_at(1) != b':' {
                    self.cursor.at += 1;
                    let span = Span::new(start, end);
                    let text = span.text(self.cursor.source);
                    if is_reserved(text) {
                        return self.broken(syntax::reserved_name(span, text));
                    }
                    let name = self.name_of(span);
                    self.push(start, StatementKind::Label(name));
                    return Ok(());
                }
                self.cursor.at = end as usize;
                if self.is_c_control_flow(Span::new(start, end)) {
                    return self.c_control_flow(Span::new(start, end));
                }
                self.instruction(start, start, 0)
            }
        }
    }

    /// Parses an instruction after a backslash. A backslash indicates that the next name is not a label (assembler 13.5). The cursor is at
    /// the backslash.
    #[cold]
    fn escaped(&mut self, start: u32) -> ParseResult<()> {
        self.cursor.at += 1;
        self.cursor.skip();
        let opcode = self.cursor.offset();
        let is_call = self.cursor.token().span.text(self.cursor.source) == "call";
        if !self.cursor.at_name() || is_call {
            return self.unexpected("an instruction other than `call`");
        }
        self.cursor.skip_name();
        self.instruction(start, opcode, 0)
    }

    fn stray_semicolon(&mut self, start: u32) -> ParseResult<()> {
        self.cursor.at += 1;
        let span = self.since(start);
        self.report(syntax::stray_semicolon(span));
        self.push(start, StatementKind::Empty);
        Ok(())
    }

    fn open_block(&mut self, start: u32) -> ParseResult<()> {
        if self.open_braces.len() >= MAX_BLOCKS {
            self.report(syntax::nested_too_deep(
                Span::new(start, start + 1),
                "blocks",
            ));
            self.skip_balanced();
            self.push(start, StatementKind::Error);
            return Ok(());
        }
        self.cursor.at += 1;
        self.open_braces.push(start);
        self.push(start, StatementKind::BlockOpen);
        Ok(())
    }

    fn close_block(&mut self, start: u32) -> ParseResult<()> {
        self.cursor.at += 1;
        let closes = self.open_braces.pop().is_some();
        let kind = if !closes {
            self.report(syntax::unmatched_brace(Span::new(start, start + 1)));
            StatementKind::Error
        } else if self.open_braces.is_empty() && self.tree.kind == SourceKind::Module {
            self.place = StatementContext::Module;
            StatementKind::FunctionEnd(self.function)
        } else {
            StatementKind::BlockClose
        };
        self.push(start, kind);
        Ok(())
    }

    /// Reports the functions and blocks that are open at the cursor, and closes all of them.
    pub(crate) fn close_unclosed(&mut self, at: u32) {
        if let Some(&open) = self.open_braces.last() {
            let found = self.found();
            self.report(syntax::unclosed_brace(Span::new(open, open + 1), &found));
        }
        let cursor = std::mem::replace(&mut self.cursor.at, at as usize);
        while self.open_braces.pop().is_some() {
            let last = self.open_braces.is_empty() && self.tree.kind == SourceKind::Module;
            let kind = if last {
                self.place = StatementContext::Module;
                StatementKind::FunctionEnd(self.function)
            } else {
                StatementKind::BlockClose
            };
            self.push(at, kind);
        }
        self.cursor.at = cursor;
    }

    fn finish(&mut self) {
        let end = self.cursor.offset();
        self.close_unclosed(end);
        self.keep_first_dotted();
        self.diagnostics.sort_by_cached_key(|d| match d.code {
            syntax::TOO_MANY => u64::MAX,
            _ => d.span.start.into(),
        });
    }
}
