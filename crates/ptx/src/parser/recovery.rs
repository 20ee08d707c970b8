//! Error recovery: finds the start of the next statement after an error.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::TokenKind;
use crate::parser::operand::component_of;
use crate::parser::{ParseResult, Parser};
use crate::tree::StatementKind;
use warpgrid_program::{Diagnostic, Span};

impl Parser<'_> {
    /// Skips the malformed statement that starts at `start`: moves the cursor after its `;`, before a token on a later line that
    /// looks like the start of another statement, or before a `}` that closes an outer scope.
    #[cold]
    pub(crate) fn recover(&mut self, start: u32) {
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

    /// Returns whether the statement continues after the `}` at the cursor, so that the `}` does not close a scope.
    pub(crate) fn brace_in_statement(&self) -> bool {
        let mut ahead = self.cursor.clone();
        ahead.at += 1;
        matches!(ahead.skip(), b';' | b',')
    }

    /// Returns whether the name at the cursor, which is the first token of its line, looks like a label or an opcode.
    pub(crate) fn starts_statement(&self, previous: u8) -> bool {
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

    /// Returns whether a word at the start of a statement is a control-flow keyword of C. PTX has no instructions with these
    /// names.
    pub(crate) fn is_c_control_flow(&self, word: Span) -> bool {
        let word = word.text(self.cursor.source);
        matches!(
            word,
            "if" | "else" | "for" | "while" | "do" | "switch" | "case"
        )
    }

    /// Reports a C control-flow statement, and moves the cursor before its body, which is parsed as a PTX block. The parts of one
    /// statement (`if` and `else`, `do` and `while`, `switch` and `case`) have one diagnostic.
    #[cold]
    pub(crate) fn c_control_flow(&mut self, word: Span) -> ParseResult<()> {
        let text = word.text(self.cursor.source);
        if self.cursor.skip() == b'(' {
            self.skip_parentheses();
        }
        let end = self.cursor.at;
        let is_end_of_loop = text == "while" && self.cursor.skip() == b';';
        match is_end_of_loop {
            true => self.cursor.at += 1,
            false => self.cursor.at = end,
        }
        let is_follow_up = is_end_of_loop || matches!(text, "else" | "case");
        let is_reported = || {
            let mut all = self.diagnostics.iter();
            all.any(|known| known.code == syntax::C_CONTROL_FLOW)
        };
        if !is_follow_up || !is_reported() {
            self.report(syntax::c_control_flow(word, text));
        }
        if text == "case" {
            self.skip_to(b":;{}");
            if self.cursor.byte() == b':' {
                self.cursor.at += 1;
            }
        }
        self.push(word.start, StatementKind::Error);
        Ok(())
    }

    /// Skips a group in parentheses. The cursor is at its `(`. The group also ends at a brace or at the end of the source.
    fn skip_parentheses(&mut self) {
        let mut n_open = 0u32;
        loop {
            let token = self.cursor.token();
            let first = self.cursor.byte();
            match (token.kind, first) {
                (TokenKind::End, _) | (TokenKind::Punctuation, b'{' | b'}') => return,
                (TokenKind::Punctuation, b'(') => n_open += 1,
                (TokenKind::Punctuation, b')') => n_open = n_open.saturating_sub(1),
                _ => {}
            }
            self.cursor.at = token.span.end as usize;
            if n_open == 0 {
                return;
            }
        }
    }

    /// Reports a dot in a declared name and returns the span of the whole name. The caller has already parsed the first part of the name.
    pub(crate) fn whole_name(&mut self, name: Span) -> Span {
        if self.cursor.at != name.end as usize
            || self.cursor.byte() != b'.'
            || !lexer::is(self.cursor.byte_at(1), lexer::NAME)
        {
            return name;
        }
        let whole = self.skip_dotted(name);
        self.report_dotted_declaration(whole);
        whole
    }

    /// Skips the dotted parts after a name, and returns the span of the whole name.
    fn skip_dotted(&mut self, name: Span) -> Span {
        while self.cursor.byte() == b'.' && lexer::is(self.cursor.byte_at(1), lexer::NAME) {
            self.cursor.at += 1;
            self.cursor.skip_name();
        }
        self.since(name.start)
    }

    fn report_dotted_declaration(&mut self, whole: Span) {
        self.dotted_declarations.push(whole);
        self.report(syntax::dot_in_name(whole, whole.text(self.cursor.source)));
    }

    /// Parses a label with a dot in its name, such as `loop.body:`, at the start of `opcode`. Returns `false` if no such label is at this
    /// position.
    #[cold]
    pub(crate) fn dotted_label(&mut self, opcode: Span) -> bool {
        let text = opcode.text(self.cursor.source);
        let Some((name, rest)) = text.split_once(':') else {
            return false;
        };
        let is_name = |part: &str| {
            part.bytes()
                .next()
                .is_some_and(|b| lexer::is(b, lexer::NAME))
        };
        if rest.starts_with(':') || !name.split('.').all(is_name) {
            return false;
        }
        let whole = Span::new(opcode.start, opcode.start + name.len() as u32);
        self.cursor.at = whole.end as usize + 1;
        self.report_dotted_declaration(whole);
        let label = self.name_of(whole);
        self.push(whole.start, StatementKind::Label(label));
        true
    }

    /// Reports a dotted word after a name that is not a component in this context, and returns an error. If the name starts with `%`, or if
    /// the word is a component in other contexts, the function reports `diagnostic`. Otherwise, the function treats the word as part of a
    /// name with a dot.
    #[cold]
    pub(crate) fn broken_component<T>(
        &mut self,
        name: Span,
        diagnostic: Diagnostic,
    ) -> ParseResult<T> {
        self.cursor.at = name.end as usize;
        let whole = self.skip_dotted(name);
        let text = whole.text(self.cursor.source);
        let dotted = text
            .get((name.end - name.start) as usize..)
            .unwrap_or_default();
        let is_component = component_of(dotted).is_some() || dotted.is_empty();
        let diagnostic = match text.starts_with('%') || is_component {
            true => diagnostic,
            false => syntax::dot_in_name(whole, text),
        };
        self.dotted_uses.push((whole, diagnostic.span));
        self.broken(diagnostic)
    }

    /// For each name with a dot, retains the diagnostic of its declaration or first use, and removes the diagnostics of all other uses.
    pub(crate) fn keep_first_dotted(&mut self) {
        if self.dotted_uses.is_empty() {
            return;
        }
        let source = self.cursor.source;
        let declared = self.dotted_declarations.iter();
        let mut known: Vec<&str> = declared.map(|name| name.text(source)).collect();
        let mut repeated: Vec<Span> = Vec::new();
        for (whole, span) in &self.dotted_uses {
            let name = whole.text(source);
            match known.contains(&name) {
                true => repeated.push(*span),
                // An unknown component may have a different cause, so its diagnostic is not treated as the diagnostic of the first use.
                false if *whole == *span => known.push(name),
                false => {}
            }
        }
        self.diagnostics.retain(|found| {
            let is_of_name = [syntax::DOT_IN_NAME, syntax::UNKNOWN_COMPONENT].contains(&found.code);
            !(is_of_name && repeated.contains(&found.span))
        });
    }

    /// Skips a group in braces, or the rest of the source. The cursor is at the `{` of the group.
    #[cold]
    pub(crate) fn skip_balanced(&mut self) {
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

    /// Moves the cursor to the next token that is one of these punctuation marks, or to the end of the source.
    #[cold]
    pub(crate) fn skip_to(&mut self, marks: &[u8]) {
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

/// Returns whether a statement always continues after this character.
fn continues(previous: u8) -> bool {
    matches!(previous, b',' | b'(' | b'[' | b'{' | b'+' | b'|' | b'=')
}
