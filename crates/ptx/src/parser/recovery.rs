//! After an error: where the next statement starts.

use super::Parser;
use crate::diagnostics::syntax;
use crate::lexer::{self, TokenKind};

impl Parser<'_> {
    /// Moves the cursor over the broken statement that began at `start`: after its `;`, or before a
    /// token on a later line that looks like the start of another statement, or before a `}` that
    /// closes an outer scope.
    #[cold]
    pub(super) fn recover(&mut self, start: u32) {
        let error = self.cursor.at;
        self.cursor.at = start as usize;
        let mut end = self.cursor.at;
        let mut previous = b';';
        let mut fresh_line = false;
        let mut n_open = 0u32;
        loop {
            let token = self.cursor.token();
            let first = self.cursor.byte();
            let moved = end > start as usize;
            let stop = match token.kind {
                TokenKind::Blank | TokenKind::Comment => {
                    let text = token.span.text(self.cursor.source);
                    fresh_line |= text.contains('\n');
                    self.cursor.at = token.span.end as usize;
                    continue;
                }
                TokenKind::End => true,
                TokenKind::OpenComment | TokenKind::Foreign => moved && fresh_line,
                TokenKind::Word => moved && fresh_line && !continues(previous),
                TokenKind::Name => moved && fresh_line && self.starts_statement(previous),
                TokenKind::Punctuation => match first {
                    b'{' => moved && fresh_line && n_open == 0,
                    b'}' => moved && n_open == 0 && (fresh_line || !self.brace_in_statement()),
                    b'@' => moved && fresh_line,
                    _ => false,
                },
                _ => false,
            };
            if stop {
                self.cursor.at = end;
                return;
            }
            if token.kind == TokenKind::OpenComment && error < token.span.end as usize && moved {
                self.report(syntax::unclosed_comment(token.span));
            }
            match (token.kind, first) {
                (TokenKind::Punctuation, b'{') => n_open += 1,
                (TokenKind::Punctuation, b'}') => n_open = n_open.saturating_sub(1),
                _ => {}
            }
            end = token.span.end as usize;
            self.cursor.at = end;
            if token.kind == TokenKind::Punctuation && first == b';' && end > error {
                return;
            }
            previous = first;
            fresh_line = false;
        }
    }

    /// Whether the statement goes on after the `}` at the cursor, so that it closes no scope.
    pub(super) fn brace_in_statement(&self) -> bool {
        let mut ahead = self.cursor.clone();
        ahead.at += 1;
        matches!(ahead.skip(), b';' | b',')
    }

    /// Whether the name at the cursor, first on its line, looks like a label or an opcode.
    pub(super) fn starts_statement(&self, previous: u8) -> bool {
        let first = self.cursor.byte();
        if first == b'%' || first == b'_' {
            return false;
        }
        let mut ahead = self.cursor.clone();
        ahead.skip_name();
        let dotted = ahead.byte() == b'.' && lexer::is(ahead.byte_at(2), lexer::NAME);
        if dotted {
            return true;
        }
        let label = ahead.skip() == b':';
        label || !continues(previous)
    }

    /// Moves over a group in braces, its `{` being at the cursor, or to the end of the text.
    #[cold]
    pub(super) fn skip_balanced(&mut self) {
        let mut n_open = 0u32;
        loop {
            let token = self.cursor.token();
            let first = self.cursor.byte();
            self.cursor.at = token.span.end as usize;
            match (token.kind, first) {
                (TokenKind::End, _) => return,
                (TokenKind::Punctuation, b'{') => n_open += 1,
                (TokenKind::Punctuation, b'}') => {
                    n_open = n_open.saturating_sub(1);
                    if n_open == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves to the next token that is one of these punctuation marks, or to the end of the text.
    #[cold]
    pub(super) fn skip_to(&mut self, marks: &[u8]) {
        loop {
            let token = self.cursor.token();
            let stops = token.kind == TokenKind::Punctuation && marks.contains(&self.cursor.byte());
            if stops || token.kind == TokenKind::End {
                return;
            }
            self.cursor.at = token.span.end as usize;
        }
    }
}

/// Whether a statement surely goes on after this token.
fn continues(previous: u8) -> bool {
    matches!(previous, b',' | b'(' | b'[' | b'{' | b'+' | b'|' | b'=')
}
