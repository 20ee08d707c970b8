//! Parser of directives: dispatch by keyword, pragmas, aliases, and the arguments of all directives.

use crate::diagnostics::syntax;
use crate::lexer::TokenKind;
use crate::parser::declaration::is_specifier;
use crate::parser::function::is_performance;
use crate::parser::statement::StatementContext;
use crate::parser::{ParseResult, Parser};
use crate::tree::declaration::{Directive, DirectiveKind, FunctionDirective, Linkage};
use crate::tree::operand::{Operand, OperandKind};
use crate::tree::{Range, SourceKind, StatementKind};
use warpgrid_program::Span;

/// Returns whether a name is a reserved identifier, which no declaration may use (assembler 13.5).
pub(crate) fn is_reserved(text: &str) -> bool {
    matches!(text, "WARP_SZ" | "function_name" | "inlined_at")
}

/// Maximum width of a number that a directive accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerWidth {
    /// The number has at most 32 bits.
    Word,
    /// The number has at most 64 bits.
    Long,
}

/// Returns whether a keyword starts a statement in any context.
pub(crate) fn is_known(word: &str) -> bool {
    is_specifier(word)
        || is_performance(word)
        || linkage_of(word).is_some()
        || matches!(
            word,
            ".version"
                | ".target"
                | ".address_size"
                | ".file"
                | ".loc"
                | ".section"
                | ".pragma"
                | ".alias"
                | ".entry"
                | ".func"
                | ".callprototype"
                | ".calltargets"
                | ".branchtargets"
        )
}

fn linkage_of(word: &str) -> Option<Linkage> {
    Some(match word {
        ".extern" => Linkage::Extern,
        ".visible" => Linkage::Visible,
        ".weak" => Linkage::Weak,
        ".common" => Linkage::Common,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Parses a statement that starts with a dot.
    pub(crate) fn dotted(&mut self, start: u32) -> ParseResult<()> {
        let Some(word) = self.cursor.word() else {
            return self.unexpected("a directive or declaration");
        };
        let text = word.text(self.cursor.source);
        if text == ".loc" {
            return self.loc(word);
        }
        if is_specifier(text) {
            self.cursor.at = start as usize;
            return self.declaration(start, None);
        }
        if let Some(linkage) = linkage_of(text) {
            return self.linked(start, linkage, word);
        }
        match text {
            ".entry" => self.function(start, FunctionDirective::Entry, word, None),
            ".func" => self.function(start, FunctionDirective::Func, word, None),
            ".version" | ".target" | ".address_size" => self.header(word, text),
            ".file" => self.file(word),
            ".section" => self.section(word),
            ".pragma" => {
                self.pragma(word)?;
                self.push_last_directive(start);
                Ok(())
            }
            ".alias" => self.alias(word),
            ".callprototype" => self.call_prototype(word),
            ".calltargets" => self.targets(word, DirectiveKind::CallTargets),
            ".branchtargets" => self.targets(word, DirectiveKind::BranchTargets),
            _ if is_performance(text) => self.broken(syntax::misplaced_directive(
                word,
                text,
                "is allowed only between the header and the body of a function",
            )),
            _ => {
                let shown = self.text(word);
                self.broken(syntax::unknown_directive(word, shown))
            }
        }
    }

    /// Parses a linkage directive (`.visible`, `.extern`, `.weak`, `.common`) and the function or variable after it.
    fn linked(&mut self, start: u32, linkage: Linkage, word: Span) -> ParseResult<()> {
        self.cursor.skip();
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        if token.kind != TokenKind::Word {
            return self.unexpected("a function or variable after the linkage directive");
        }
        if linkage == Linkage::Common && matches!(text, ".entry" | ".func") {
            return self.broken(syntax::misplaced_linkage(
                word,
                ".common",
                "is allowed for variables only",
            ));
        }
        if let (Some(_), shown) = (linkage_of(text), self.text(token.span)) {
            return self.broken(syntax::misplaced_linkage(
                token.span,
                shown,
                "is a second linkage directive",
            ));
        }
        if matches!(text, ".entry" | ".func") {
            self.cursor.at = token.span.end as usize;
            let sort = if text == ".entry" {
                FunctionDirective::Entry
            } else {
                FunctionDirective::Func
            };
            return self.function(start, sort, token.span, Some((linkage, word)));
        }
        if !is_specifier(text) {
            return self.unexpected("a function or variable after the linkage directive");
        }
        if self.place == StatementContext::Body && self.tree.kind == SourceKind::Module {
            let shown = self.text(word);
            self.report(syntax::misplaced_linkage(
                word,
                shown,
                "is allowed only for variables at module scope",
            ));
        }
        self.declaration(start, Some((linkage, word)))
    }

    /// Adds a directive. Its arguments are the operands from index `first` on.
    pub(crate) fn push_directive(
        &mut self,
        start: u32,
        kind: DirectiveKind,
        word: Span,
        first: u32,
        prototype: u32,
    ) {
        let span = self.since(start);
        let arguments = Range {
            start: first,
            end: self.tree.operands.len() as u32,
        };
        self.tree.directives.push(Directive {
            span,
            kind,
            word,
            arguments,
            prototype,
        });
    }

    /// Adds a statement for the most recently added directive.
    pub(crate) fn push_last_directive(&mut self, start: u32) {
        let index = self.tree.directives.len() as u32 - 1;
        self.push(start, StatementKind::Directive(index));
    }

    pub(crate) fn finish_directive(
        &mut self,
        word: Span,
        kind: DirectiveKind,
        first: u32,
    ) -> ParseResult<()> {
        self.push_directive(word.start, kind, word, first, 0);
        self.push_last_directive(word.start);
        Ok(())
    }

    /// Returns whether a declaration may use a name.
    pub(crate) fn is_declarable(&self, span: Span) -> bool {
        let text = span.text(self.cursor.source);
        text != "_" && !is_reserved(text)
    }

    /// Checks that a number fits in 32 bits. Assembler 13.5 treats literals as signed integers, and truncates negative numbers. For
    /// example, the assembler accepts `18446744069414584336` (-2^32 + 16) as 16, but rejects 2^32.
    pub(crate) fn word(&mut self, value: u64, span: Span) -> u64 {
        if value.cast_signed() > i64::from(u32::MAX) {
            let text = self.text(span);
            self.report(syntax::argument_overflow(span, text, 32));
        }
        match value.cast_signed() {
            ..0 => value & u64::from(u32::MAX),
            0.. => value,
        }
    }

    /// Parses an integer literal as an argument.
    pub(crate) fn integer_argument(
        &mut self,
        directive: &str,
        expected: &str,
        width: IntegerWidth,
    ) -> ParseResult<()> {
        self.cursor.skip();
        let start = self.cursor.offset();
        let Some((value, unsigned)) = self.eat_integer() else {
            return self.bad_argument(directive, expected);
        };
        let span = self.since(start);
        let value = match width {
            IntegerWidth::Word => self.word(value, span),
            IntegerWidth::Long => value,
        };
        let kind = OperandKind::Integer { value, unsigned };
        self.tree.operands.push(Operand { span, kind });
        Ok(())
    }

    #[cold]
    pub(crate) fn bad_argument<T>(&mut self, directive: &str, expected: &str) -> ParseResult<T> {
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::directive_argument(&found, directive, expected))
    }

    /// Parses a name as an argument.
    pub(crate) fn name_argument(&mut self, directive: &str, expected: &str) -> ParseResult<()> {
        self.cursor.skip();
        let token = self.cursor.token();
        if token.kind != TokenKind::Name || token.span.text(self.cursor.source) == "_" {
            return self.bad_argument(directive, expected);
        }
        self.cursor.at = token.span.end as usize;
        let kind = OperandKind::Name(self.name_of(token.span));
        self.tree.operands.push(Operand {
            span: token.span,
            kind,
        });
        Ok(())
    }

    pub(crate) fn string_argument(&mut self, directive: &str, expected: &str) -> ParseResult<()> {
        self.cursor.skip();
        let token = self.cursor.token();
        if token.kind != TokenKind::String {
            return self.bad_argument(directive, expected);
        }
        self.cursor.at = token.span.end as usize;
        self.tree.operands.push(Operand {
            span: token.span,
            kind: OperandKind::String,
        });
        Ok(())
    }

    /// Consumes a comma, or resets the cursor to the end of the last token.
    pub(crate) fn comma(&mut self) -> bool {
        let end = self.cursor.at;
        let comma = self.eat(b',');
        if !comma {
            self.cursor.at = end;
        }
        comma
    }

    pub(crate) fn end_with_semicolon(&mut self, what: &str) -> ParseResult<()> {
        if self.eat(b';') {
            Ok(())
        } else {
            self.missing_semicolon(what)
        }
    }

    /// Reports a `;` after a directive that must not end with a semicolon.
    pub(crate) fn no_semicolon(&mut self, directive: &str) {
        let end = self.cursor.at;
        if self.cursor.skip() == b';' {
            let at = self.cursor.offset();
            self.report(syntax::semicolon_not_allowed(
                Span::new(at, at + 1),
                directive,
            ));
            self.cursor.at += 1;
        } else {
            self.cursor.at = end;
        }
    }

    /// Parses `.pragma "a", "b";`. Adds the directive, but no statement.
    pub(crate) fn pragma(&mut self, word: Span) -> ParseResult<()> {
        let first = self.tree.operands.len() as u32;
        loop {
            self.string_argument(".pragma", "names in quotation marks")?;
            if !self.comma() {
                break;
            }
        }
        self.end_with_semicolon("directive")?;
        self.push_directive(word.start, DirectiveKind::Pragma, word, first, 0);
        Ok(())
    }

    /// Parses `.alias f, g;`.
    fn alias(&mut self, word: Span) -> ParseResult<()> {
        const EXPECTED: &str = "two function names";
        let first = self.tree.operands.len() as u32;
        self.name_argument(".alias", EXPECTED)?;
        if !self.eat(b',') {
            return self.bad_argument(".alias", EXPECTED);
        }
        self.name_argument(".alias", EXPECTED)?;
        self.end_with_semicolon("directive")?;
        self.finish_directive(word, DirectiveKind::Alias, first)
    }
}
