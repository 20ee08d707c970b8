//! Debug information: `.file`, `.loc`, `.section`, and `@@DWARF` of old modules.

use super::directive::is_known;
use super::statement::Place;
use super::{Parser, Read};
use crate::diagnostics::syntax;
use crate::lexer::number::{self, Value};
use crate::lexer::{self, TokenKind};
use crate::tree::{DirectiveKind, Name, Operand, OperandKind, SourceKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// `.file 1 "name", 123, 456`
    pub(super) fn file(&mut self, word: Span) -> Read<()> {
        const EXPECTED: &str = "a number, a name in quotation marks, and perhaps a time and a size";
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".file",
                "belongs outside of functions",
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
    pub(super) fn loc(&mut self, word: Span) -> Read<()> {
        const EXPECTED: &str = "three numbers: file, line and column";
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".loc",
                "belongs in the body of a function",
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
            self.add_offset_to_label();
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

    /// Makes one operand of the label and the offset that were pushed last.
    fn add_offset_to_label(&mut self) {
        let offset = self.tree.operands.pop();
        let label = self.tree.operands.last_mut();
        if let (Some(offset), Some(label)) = (offset, label)
            && let OperandKind::Integer { value, .. } = offset.kind
            && let OperandKind::Name(name) = label.kind
        {
            label.kind = OperandKind::Sum {
                name,
                offset: value as i64,
            };
            label.span.end = offset.span.end;
        }
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

    /// `.section .debug_info { ... }`
    pub(super) fn section(&mut self, word: Span) -> Read<()> {
        let first = self.tree.operands.len() as u32;
        if self.place == Place::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".section",
                "belongs outside of functions",
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
                b'.' => {
                    self.data_word()?;
                    self.section_value()?;
                    while self.comma() {
                        self.section_value()?;
                    }
                }
                _ if self.cursor.at_name() => {
                    let start = self.cursor.offset();
                    self.cursor.skip_name();
                    let span = self.since(start);
                    if !self.eat(b':') {
                        return self.unexpected("`:` after a label");
                    }
                    self.section_operand(span, OperandKind::Name);
                }
                _ if self.cursor.at_end() => return self.close(open, b'}', "`}`"),
                _ => return self.bad_argument(".section", EXPECTED),
            }
        }
    }

    /// `.b8` to `.b64`
    fn data_word(&mut self) -> Read<()> {
        let start = self.cursor.at;
        let word = self.cursor.word();
        let text = word.map_or("", |span| span.text(self.cursor.source));
        if matches!(text, ".b8" | ".b16" | ".b32" | ".b64") {
            return Ok(());
        }
        self.cursor.at = start;
        self.bad_argument(".section", "labels and data such as `.b8 1, 2`")
    }

    /// A number, `label`, `label+4`, `a-b`, `.debug_str+4`.
    fn section_value(&mut self) -> Read<()> {
        let byte = self.cursor.skip();
        if byte.is_ascii_digit() || byte == b'-' {
            self.cursor.at += usize::from(byte == b'-');
            return self.section_number();
        }
        let start = self.cursor.at;
        let label = self.cursor.word().or_else(|| self.cursor.name());
        let text = label.map_or("", |span| span.text(self.cursor.source));
        if matches!(text, "" | "_" | "WARP_SZ") || is_known(text) {
            self.cursor.at = start;
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
            let start = self.cursor.offset();
            self.cursor.skip_name();
            let span = self.since(start);
            self.section_operand(span, OperandKind::Minus);
            return Ok(());
        }
        self.section_number()
    }

    /// Keeps a label of a section, or one that is subtracted: the first of each.
    fn section_operand(&mut self, span: Span, kind: impl Fn(Name) -> OperandKind) {
        let kind = kind(self.name_of(span));
        let last = self.tree.operands.last();
        let is_other = last
            .is_none_or(|last| std::mem::discriminant(&last.kind) != std::mem::discriminant(&kind));
        if is_other {
            self.tree.operands.push(Operand { span, kind });
        }
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
