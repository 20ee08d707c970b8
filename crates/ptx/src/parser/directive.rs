//! Directives: header, debug information, pragmas, lists of targets, and the dispatch by word.

use crate::diagnostics::syntax;
use crate::lexer::TokenKind;
use crate::parser::declaration::is_specifier;
use crate::parser::function::is_performance;
use crate::parser::statement::Place;
use crate::parser::{Parser, Read};
use crate::tree::declaration::{Directive, DirectiveKind, FunctionSort, Linkage};
use crate::tree::operand::{Operand, OperandKind};
use crate::tree::{Range, SourceKind, StatementKind};
use warpgrid_program::Span;

/// Whether a name is a word of the language, which nothing can be called (assembler 13.5).
pub(crate) fn is_reserved(text: &str) -> bool {
    matches!(text, "WARP_SZ" | "function_name" | "inlined_at")
}

/// How many bits of a number a directive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 32.
    Word,
    /// All 64.
    Long,
}

/// Whether a word starts a statement somewhere.
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
    /// A statement that starts with a dot.
    pub(crate) fn dotted(&mut self, start: u32) -> Read<()> {
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
            ".entry" => self.function(start, FunctionSort::Entry, word, None),
            ".func" => self.function(start, FunctionSort::Func, word, None),
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

    /// `.visible` and its kind, and what it makes visible.
    fn linked(&mut self, start: u32, linkage: Linkage, word: Span) -> Read<()> {
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
                FunctionSort::Entry
            } else {
                FunctionSort::Func
            };
            return self.function(start, sort, token.span, Some((linkage, word)));
        }
        if !is_specifier(text) {
            return self.unexpected("a function or variable after the linkage directive");
        }
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            let shown = self.text(word);
            self.report(syntax::misplaced_linkage(
                word,
                shown,
                "is allowed only for variables at module scope",
            ));
        }
        self.declaration(start, Some((linkage, word)))
    }

    /// Records a directive whose arguments were pushed since `first`.
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

    /// Makes a statement of the directive recorded last.
    pub(crate) fn push_last_directive(&mut self, start: u32) {
        let index = self.tree.directives.len() as u32 - 1;
        self.push(start, StatementKind::Directive(index));
    }

    pub(crate) fn finish_directive(
        &mut self,
        word: Span,
        kind: DirectiveKind,
        first: u32,
    ) -> Read<()> {
        self.push_directive(word.start, kind, word, first, 0);
        self.push_last_directive(word.start);
        Ok(())
    }

    /// Whether a name can be declared.
    pub(crate) fn is_declarable(&self, span: Span) -> bool {
        let text = span.text(self.cursor.source);
        text != "_" && !is_reserved(text)
    }

    /// A number of 32 bits. Literals are integers with a sign, and a negative one is cut: of `18446744069414584336`, -2^32 + 16, the assembler
    /// takes 16, and refuses 2^32 (13.5).
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

    /// An integer literal as an argument.
    pub(crate) fn integer_argument(
        &mut self,
        directive: &str,
        expected: &str,
        width: Width,
    ) -> Read<()> {
        self.cursor.skip();
        let start = self.cursor.offset();
        let Some((value, unsigned)) = self.eat_integer() else {
            return self.bad_argument(directive, expected);
        };
        let span = self.since(start);
        let value = match width {
            Width::Word => self.word(value, span),
            Width::Long => value,
        };
        let kind = OperandKind::Integer { value, unsigned };
        self.tree.operands.push(Operand { span, kind });
        Ok(())
    }

    #[cold]
    pub(crate) fn bad_argument<T>(&mut self, directive: &str, expected: &str) -> Read<T> {
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::directive_argument(&found, directive, expected))
    }

    /// A name as an argument.
    pub(crate) fn name_argument(&mut self, directive: &str, expected: &str) -> Read<()> {
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

    pub(crate) fn string_argument(&mut self, directive: &str, expected: &str) -> Read<()> {
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

    /// Eats a comma, or puts the cursor back after the last token.
    pub(crate) fn comma(&mut self) -> bool {
        let end = self.cursor.at;
        let comma = self.eat(b',');
        if !comma {
            self.cursor.at = end;
        }
        comma
    }

    pub(crate) fn end_with_semicolon(&mut self, what: &str) -> Read<()> {
        if self.eat(b';') {
            Ok(())
        } else {
            self.missing_semicolon(what)
        }
    }

    /// A `;` after a directive that ends without one.
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

    /// `.pragma "a", "b";` Records the directive only.
    pub(crate) fn pragma(&mut self, word: Span) -> Read<()> {
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

    /// `.alias f, g;`
    fn alias(&mut self, word: Span) -> Read<()> {
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
