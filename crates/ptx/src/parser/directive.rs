//! Directives: header, debug information, pragmas, lists of targets, and the dispatch by word.

use super::declaration::is_specifier;
use super::function::is_performance;
use super::statement::Place;
use super::{Parser, Read};
use crate::diagnostics::syntax;
use crate::lexer::number::{self, Value};
use crate::lexer::{self, TokenKind};
use crate::tree::{
    Directive, DirectiveKind, FunctionSort, Linkage, Operand, OperandKind, Range, SourceKind,
    StatementKind,
};
use warpgrid_program::Span;

/// Whether a word starts a statement somewhere.
pub(super) fn is_known(word: &str) -> bool {
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
    pub(super) fn dotted(&mut self, start: u32) -> Read<()> {
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
            return self.linked(start, (linkage, word));
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
                "stands between the head of a function and its `{`",
            )),
            _ => {
                let shown = self.text(word);
                self.broken(syntax::unknown_directive(word, shown))
            }
        }
    }

    /// `.visible` and its kind, and what it makes visible.
    fn linked(&mut self, start: u32, linkage: (Linkage, Span)) -> Read<()> {
        self.cursor.skip();
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        if token.kind != TokenKind::Word {
            return self.unexpected("a function or variable behind the linkage");
        }
        if linkage.0 == Linkage::Common && matches!(text, ".entry" | ".func") {
            return self.broken(syntax::misplaced_linkage(
                linkage.1,
                ".common",
                "concerns variables only",
            ));
        }
        if let (Some(_), shown) = (linkage_of(text), self.text(token.span)) {
            return self.broken(syntax::misplaced_linkage(
                token.span,
                shown,
                "is a second linkage",
            ));
        }
        if matches!(text, ".entry" | ".func") {
            self.cursor.at = token.span.end as usize;
            let sort = if text == ".entry" {
                FunctionSort::Entry
            } else {
                FunctionSort::Func
            };
            return self.function(start, sort, token.span, Some(linkage));
        }
        if !is_specifier(text) {
            return self.unexpected("a function or variable behind the linkage");
        }
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            let shown = self.text(linkage.1);
            self.report(syntax::misplaced_linkage(
                linkage.1,
                shown,
                "concerns variables of the module, not of a function",
            ));
        }
        self.declaration(start, Some(linkage))
    }

    /// Records a directive whose arguments were pushed since `first`.
    pub(super) fn push_directive(
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
    fn push_last_directive(&mut self, start: u32) {
        let index = self.tree.directives.len() as u32 - 1;
        self.push(start, StatementKind::Directive(index));
    }

    fn finish_directive(&mut self, word: Span, kind: DirectiveKind, first: u32) -> Read<()> {
        self.push_directive(word.start, kind, word, first, 0);
        self.push_last_directive(word.start);
        Ok(())
    }

    /// An integer literal as an argument.
    pub(super) fn integer_argument(&mut self, directive: &str, expected: &str) -> Read<()> {
        let byte = self.cursor.skip();
        let start = self.cursor.offset();
        if byte.is_ascii_digit() {
            let number = number::scan(self.cursor.text, self.cursor.at);
            let next = self.cursor.text.get(number.end).copied().unwrap_or(0);
            if let (Value::Integer { value, unsigned }, false) =
                (number.value, lexer::is(next, lexer::NAME))
            {
                self.cursor.at = number.end;
                let span = self.since(start);
                self.tree.operands.push(Operand {
                    span,
                    kind: OperandKind::Integer { value, unsigned },
                });
                return Ok(());
            }
        }
        self.bad_argument(directive, expected)
    }

    #[cold]
    fn bad_argument<T>(&mut self, directive: &str, expected: &str) -> Read<T> {
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::directive_argument(&found, directive, expected))
    }

    /// A name as an argument.
    fn name_argument(&mut self, directive: &str, expected: &str) -> Read<()> {
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

    fn string_argument(&mut self, directive: &str, expected: &str) -> Read<()> {
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

    /// Eats a comma, or puts the cursor back behind the last token.
    fn comma(&mut self) -> bool {
        let end = self.cursor.at;
        let comma = self.eat(b',');
        if !comma {
            self.cursor.at = end;
        }
        comma
    }

    fn end_with_semicolon(&mut self, what: &str) -> Read<()> {
        if self.eat(b';') {
            Ok(())
        } else {
            self.missing_semicolon(what)
        }
    }

    /// A `;` behind a directive that ends without one.
    fn no_semicolon(&mut self, directive: &str) {
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

    /// `.version 8.5`, `.target sm_90, debug`, `.address_size 64`.
    fn header(&mut self, word: Span, text: &str) -> Read<()> {
        let first = self.tree.operands.len() as u32;
        let kind = match text {
            ".version" => DirectiveKind::Version,
            ".target" => DirectiveKind::Target,
            _ => DirectiveKind::AddressSize,
        };
        self.header_order(word, text, kind);
        match kind {
            DirectiveKind::Version => self.version_number()?,
            DirectiveKind::Target => loop {
                self.name_argument(
                    text,
                    "names of targets and options, with commas between them",
                )?;
                if !self.comma() {
                    break;
                }
            },
            _ => self.integer_argument(text, "32 or 64")?,
        }
        self.no_semicolon(text);
        self.finish_directive(word, kind, first)
    }

    /// Header directives come once, in order, before everything else.
    fn header_order(&mut self, word: Span, text: &str, kind: DirectiveKind) {
        let before = self
            .tree
            .statements
            .iter()
            .take(8)
            .filter(|s| s.kind != StatementKind::Error);
        let expected = match kind {
            DirectiveKind::Version => 0,
            DirectiveKind::Target => 1,
            _ => 2,
        };
        if before.take(expected + 1).count() > expected || self.place == Place::Body {
            let place = match kind {
                DirectiveKind::Version => "must be the first statement of the text",
                DirectiveKind::Target => "must stand directly behind `.version`",
                _ => "must stand directly behind `.target`",
            };
            self.report(syntax::misplaced_directive(word, text, place));
        }
    }

    /// `8.5` as two integers.
    fn version_number(&mut self) -> Read<()> {
        const EXPECTED: &str = "a version such as 8.5";
        self.cursor.skip();
        let token = self.cursor.token();
        let text = token.span.text(self.cursor.source);
        let numbers = text.split_once('.').and_then(|(major, minor)| {
            let digits = |s: &str| {
                s.bytes()
                    .all(|b| b.is_ascii_digit())
                    .then(|| s.parse::<u64>().ok())
                    .flatten()
            };
            Some((digits(major)?, digits(minor)?, major.len() as u32))
        });
        let Some((major, minor, n_digits)) = numbers else {
            return self.bad_argument(".version", EXPECTED);
        };
        let dot = token.span.start + n_digits;
        for (value, span) in [
            (major, Span::new(token.span.start, dot)),
            (minor, Span::new(dot + 1, token.span.end)),
        ] {
            self.tree.operands.push(Operand {
                span,
                kind: OperandKind::Integer {
                    value,
                    unsigned: false,
                },
            });
        }
        self.cursor.at = token.span.end as usize;
        Ok(())
    }

    /// `.file 1 "name", 123, 456`
    fn file(&mut self, word: Span) -> Read<()> {
        const EXPECTED: &str = "a number, a name in quotation marks, and perhaps a time and a size";
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".file",
                "stands outside of functions",
            ));
        }
        self.integer_argument(".file", EXPECTED)?;
        self.string_argument(".file", EXPECTED)?;
        for _ in 0..2 {
            if self.comma() {
                self.integer_argument(".file", EXPECTED)?;
            }
        }
        self.no_semicolon(".file");
        self.finish_directive(word, DirectiveKind::File, first)
    }

    /// `.loc 1 2 3`, optionally `, function_name label, inlined_at 1 2 3`.
    fn loc(&mut self, word: Span) -> Read<()> {
        const EXPECTED: &str = "three numbers: file, line and column";
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".loc",
                "stands in the body of a function",
            ));
        }
        for _ in 0..3 {
            self.integer_argument(".loc", EXPECTED)?;
        }
        if self.comma() {
            self.inlined()?;
        }
        self.no_semicolon(".loc");
        self.finish_directive(word, DirectiveKind::Loc, first)
    }

    /// `function_name label+4, inlined_at 1 2 3`
    #[cold]
    fn inlined(&mut self) -> Read<()> {
        const EXPECTED: &str = "`function_name` and a label, then `inlined_at` and three numbers";
        self.keyword("function_name", EXPECTED)?;
        self.name_argument(".loc", EXPECTED)?;
        if self.eat(b'+') {
            self.cursor.skip();
            self.integer_argument(".loc", EXPECTED)?;
            let offset = self.tree.operands.pop();
            if let (
                Some(Operand {
                    kind: OperandKind::Integer { value, .. },
                    span,
                }),
                Some(label),
            ) = (offset, self.tree.operands.last_mut())
            {
                if let OperandKind::Name(name) = label.kind {
                    label.kind = OperandKind::Sum {
                        name,
                        offset: value as i64,
                    };
                    label.span.end = span.end;
                }
            }
        }
        if !self.eat(b',') {
            return self.bad_argument(".loc", EXPECTED);
        }
        self.keyword("inlined_at", EXPECTED)?;
        for _ in 0..3 {
            self.integer_argument(".loc", EXPECTED)?;
        }
        Ok(())
    }

    fn keyword(&mut self, keyword: &str, expected: &str) -> Read<()> {
        self.cursor.skip();
        let span = self.cursor.token().span;
        if span.text(self.cursor.source) != keyword {
            return self.bad_argument(".loc", expected);
        }
        self.cursor.at = span.end as usize;
        Ok(())
    }

    /// `.pragma "a", "b";` Records the directive only.
    pub(super) fn pragma(&mut self, word: Span) -> Read<()> {
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
        const EXPECTED: &str = "two names of functions";
        let first = self.tree.operands.len() as u32;
        self.name_argument(".alias", EXPECTED)?;
        if !self.eat(b',') {
            return self.bad_argument(".alias", EXPECTED);
        }
        self.name_argument(".alias", EXPECTED)?;
        self.end_with_semicolon("directive")?;
        self.finish_directive(word, DirectiveKind::Alias, first)
    }

    /// `.callprototype` and its kind are named by a label.
    fn need_label(&mut self, word: Span) {
        let labelled = matches!(self.tree.statements.last(), Some(s) if matches!(s.kind, StatementKind::Label(_)));
        if !labelled {
            let text = self.text(word);
            self.report(syntax::label_needed(word, text));
        }
    }

    /// `.calltargets f, g;`, `.branchtargets a, b;`
    fn targets(&mut self, word: Span, kind: DirectiveKind) -> Read<()> {
        self.need_label(word);
        let first = self.tree.operands.len() as u32;
        let text = word.text(self.cursor.source);
        loop {
            self.name_argument(text, "names with commas between them")?;
            if !self.comma() {
                break;
            }
        }
        self.end_with_semicolon("directive")?;
        self.finish_directive(word, kind, first)
    }

    /// `.callprototype (returns) _ (parameters) .noreturn;`
    fn call_prototype(&mut self, word: Span) -> Read<()> {
        self.need_label(word);
        let first = self.tree.operands.len() as u32;
        let mut header = self.empty_header(word.start, FunctionSort::Func, word, None);
        if self.cursor.skip() == b'(' {
            header.returns = self.parameters()?;
            self.cursor.skip();
        }
        let name = self.cursor.token().span;
        if name.text(self.cursor.source) != "_" {
            return self.unexpected("`_`, as a prototype has no name");
        }
        self.cursor.at = name.end as usize;
        header.name_span = name;
        let mut end = self.cursor.at;
        if self.cursor.skip() == b'(' {
            header.parameters = self.parameters()?;
            end = self.cursor.at;
        }
        self.cursor.at = end;
        let directives = self.tree.directives.len() as u32;
        self.prototype_directives()?;
        header.directives = Range {
            start: directives,
            end: self.tree.directives.len() as u32,
        };
        self.end_with_semicolon("directive")?;
        header.span = self.since(word.start);
        self.tree.functions.push(header);
        let prototype = self.tree.functions.len() as u32;
        self.push_directive(
            word.start,
            DirectiveKind::CallPrototype,
            word,
            first,
            prototype,
        );
        self.push_last_directive(word.start);
        Ok(())
    }

    /// `.noreturn`, `.abi_preserve 8` of a prototype.
    fn prototype_directives(&mut self) -> Read<()> {
        loop {
            let end = self.cursor.at;
            self.cursor.skip();
            let word = self.cursor.token().span;
            let n_arguments = match word.text(self.cursor.source) {
                ".noreturn" => 0,
                ".abi_preserve" | ".abi_preserve_control" => 1,
                _ => {
                    self.cursor.at = end;
                    return Ok(());
                }
            };
            self.cursor.at = word.end as usize;
            let first = self.tree.operands.len() as u32;
            for _ in 0..n_arguments {
                let text = word.text(self.cursor.source);
                self.integer_argument(text, "an integer literal")?;
            }
            self.push_directive(word.start, DirectiveKind::Performance, word, first, 0);
        }
    }

    /// `.section .debug_info { ... }`
    fn section(&mut self, word: Span) -> Read<()> {
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".section",
                "stands outside of functions",
            ));
        }
        self.cursor.skip();
        let name = self.cursor.token();
        if name.kind != TokenKind::Word {
            return self.bad_argument(".section", "the name of a section, such as `.debug_info`");
        }
        self.cursor.at = name.span.end as usize;
        self.tree.operands.push(Operand {
            span: name.span,
            kind: OperandKind::Word,
        });
        if self.cursor.skip() != b'{' {
            return self.bad_argument(".section", "its contents in braces");
        }
        let open = self.cursor.at;
        self.cursor.at += 1;
        if self.section_contents(open as u32).is_err() {
            self.cursor.at = open;
            self.skip_balanced();
        }
        self.finish_directive(word, DirectiveKind::Section, first)
    }

    /// Labels and lines of `.b8 1, 2` up to the closing brace.
    fn section_contents(&mut self, open: u32) -> Read<()> {
        const EXPECTED: &str = "labels and data such as `.b8 1, 2`";
        loop {
            match self.cursor.skip() {
                b'}' => {
                    self.cursor.at += 1;
                    return Ok(());
                }
                b'.' if lexer::is(self.cursor.byte_at(1), lexer::NAME) => {
                    self.cursor.at += 1;
                    self.cursor.skip_word();
                    self.section_value()?;
                    while self.comma() {
                        self.section_value()?;
                    }
                }
                _ if self.cursor.at_name() => {
                    self.cursor.skip_name();
                    if !self.eat(b':') {
                        return self.unexpected("`:` behind a label");
                    }
                }
                _ if self.cursor.at_end() => return self.close(open, b'}', "`}`"),
                _ => return self.bad_argument(".section", EXPECTED),
            }
        }
    }

    /// A number, `label`, `label+4`, `a-b`, `.debug_str+4`.
    fn section_value(&mut self) -> Read<()> {
        let byte = self.cursor.skip();
        if byte.is_ascii_digit() || byte == b'-' {
            self.cursor.at += usize::from(byte == b'-');
            return self.section_number();
        }
        if byte == b'.' && lexer::is(self.cursor.byte_at(1), lexer::NAME) {
            self.cursor.at += 1;
            self.cursor.skip_word();
        } else if self.cursor.at_name() {
            self.cursor.skip_name();
        } else {
            return self.bad_argument(".section", "a number or a label");
        }
        let end = self.cursor.at;
        if !matches!(self.cursor.skip(), b'+' | b'-') {
            self.cursor.at = end;
            return Ok(());
        }
        self.cursor.at += 1;
        self.cursor.skip();
        if self.cursor.at_name() {
            self.cursor.skip_name();
            return Ok(());
        }
        self.section_number()
    }

    fn section_number(&mut self) -> Read<()> {
        self.cursor.skip();
        let number = number::scan(self.cursor.text, self.cursor.at);
        let next = self.cursor.text.get(number.end).copied().unwrap_or(0);
        if matches!(number.value, Value::Integer { .. })
            && !lexer::is(next, lexer::NAME)
            && number.end > self.cursor.at
        {
            self.cursor.at = number.end;
            return Ok(());
        }
        self.bad_argument(".section", "a number or a label")
    }

    /// `@@DWARF ...` up to the end of its line, from before PTX ISA 2.0.
    pub(super) fn dwarf_line(&mut self, start: u32) -> Read<()> {
        let first = self.tree.operands.len() as u32;
        let rest = self.cursor.source.get(self.cursor.at..).unwrap_or("");
        self.cursor.at += rest.find('\n').unwrap_or(rest.len());
        self.finish_directive(Span::new(start, start + 7), DirectiveKind::Dwarf, first)
    }
}
