//! Parser of debug information: `.file`, `.loc`, `.section`, and the `@@DWARF` lines of old modules.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::parser::directive::{IntegerWidth, is_reserved};
use crate::parser::reserved_words::is_token;
use crate::parser::statement::StatementContext;
use crate::parser::{ParseResult, Parser};
use crate::tree::SourceKind;
use crate::tree::declaration::DirectiveKind;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_program::Span;

/// Kinds of version-dependent constructs that have been recorded for a section. Only the first construct of each kind is recorded.
#[derive(Debug, Default)]
struct GatedSectionContent {
    sum: bool,
    difference: bool,
    negative: bool,
}

impl Parser<'_> {
    /// Parses `.file 1 "name", 123, 456`.
    pub(crate) fn file(&mut self, word: Span) -> ParseResult<()> {
        const EXPECTED: &str =
            "a number, a name in quotation marks, and optionally a timestamp and a size";
        let first = self.tree.operands.len() as u32;
        if self.place == StatementContext::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".file",
                "is allowed only at module scope",
            ));
        }
        self.integer_argument(".file", EXPECTED, IntegerWidth::Word)?;
        self.string_argument(".file", EXPECTED)?;
        for _ in 0..2 {
            if self.comma() {
                self.integer_argument(".file", EXPECTED, IntegerWidth::Long)?;
            }
        }
        self.no_semicolon(".file");
        self.finish_directive(word, DirectiveKind::File, first)
    }

    /// Parses `.loc 1 2 3`, optionally with `, function_name label, inlined_at 1 2 3`.
    pub(crate) fn loc(&mut self, word: Span) -> ParseResult<()> {
        const EXPECTED: &str = "a file number, a line number and a column number";
        let first = self.tree.operands.len() as u32;
        if self.place == StatementContext::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".loc",
                "is allowed only in the body of a function",
            ));
        }
        for _ in 0..3 {
            self.integer_argument(".loc", EXPECTED, IntegerWidth::Word)?;
        }
        if self.comma() {
            self.inlined()?;
        }
        self.no_semicolon(".loc");
        self.finish_directive(word, DirectiveKind::Loc, first)
    }

    /// Parses `function_name label+4, inlined_at 1 2 3`.
    #[cold]
    fn inlined(&mut self) -> ParseResult<()> {
        const EXPECTED: &str = "`function_name` and a label, then `inlined_at` and three numbers";
        self.keyword("function_name", EXPECTED)?;
        self.cursor.skip();
        if let Some(span) = self.cursor.word() {
            // The operand of `function_name` may be the name of a section in place of a label.
            if is_token(self.text(span)) {
                self.cursor.at = span.start as usize;
                return self.bad_argument(".loc", EXPECTED);
            }
            let kind = OperandKind::Word;
            self.tree.operands.push(Operand { span, kind });
        } else {
            self.name_argument(".loc", EXPECTED)?;
        }
        if self.eat(b'+') {
            self.cursor.skip();
            self.integer_argument(".loc", EXPECTED, IntegerWidth::Word)?;
            self.add_offset_to_label();
        }
        if !self.eat(b',') {
            return self.bad_argument(".loc", EXPECTED);
        }
        self.keyword("inlined_at", EXPECTED)?;
        for _ in 0..3 {
            self.integer_argument(".loc", EXPECTED, IntegerWidth::Word)?;
        }
        Ok(())
    }

    /// Combines the two last operands, a label and its offset, into one.
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

    fn keyword(&mut self, keyword: &str, expected: &str) -> ParseResult<()> {
        self.cursor.skip();
        let span = self.cursor.token().span;
        if span.text(self.cursor.source) != keyword {
            return self.bad_argument(".loc", expected);
        }
        self.cursor.at = span.end as usize;
        Ok(())
    }

    /// Parses `.section .debug_info { ... }`.
    pub(crate) fn section(&mut self, word: Span) -> ParseResult<()> {
        let first = self.tree.operands.len() as u32;
        if self.place == StatementContext::Body && self.tree.kind == SourceKind::Module {
            self.report(syntax::misplaced_directive(
                word,
                ".section",
                "is allowed only at module scope",
            ));
        }
        self.cursor.skip();
        let start = self.cursor.at;
        let name = self.cursor.word();
        let name = name.filter(|name| !is_token(name.text(self.cursor.source)));
        let Some(name) = name else {
            self.cursor.at = start;
            return self.bad_argument(".section", "the name of a section, such as `.debug_info`");
        };
        self.tree.operands.push(Operand {
            span: name,
            kind: OperandKind::Word,
        });
        if self.cursor.skip() != b'{' {
            return self.bad_argument(".section", "the section contents in braces");
        }
        let open = self.cursor.at;
        self.cursor.at += 1;
        if self.section_contents(open as u32).is_err() {
            self.cursor.at = open;
            self.skip_balanced();
        }
        self.finish_directive(word, DirectiveKind::Section, first)
    }

    /// Parses the contents of a section: labels and data lines such as `.b8 1, 2`, up to the closing brace.
    fn section_contents(&mut self, open: u32) -> ParseResult<()> {
        const EXPECTED: &str = "labels and data such as `.b8 1, 2`";
        let mut kept = GatedSectionContent::default();
        loop {
            match self.cursor.skip() {
                b'}' => {
                    self.cursor.at += 1;
                    return Ok(());
                }
                b'.' => {
                    let n_bits = self.data_word()?;
                    let byte = self.cursor.skip();
                    if byte.is_ascii_digit() || byte == b'-' {
                        self.section_number(n_bits, &mut kept)?;
                        while self.comma() {
                            self.cursor.skip();
                            self.section_number(n_bits, &mut kept)?;
                        }
                    } else {
                        self.section_address(n_bits, &mut kept)?;
                    }
                }
                b if self.cursor.at_name()
                    && (b != b'_' || lexer::is(self.cursor.byte_at(1), lexer::NAME)) =>
                {
                    let start = self.cursor.offset();
                    self.cursor.skip_name();
                    let span = self.since(start);
                    let text = self.text(span);
                    if is_reserved(text) {
                        return self.broken(syntax::reserved_name(span, text));
                    }
                    if !self.eat(b':') {
                        return self.unexpected("`:` after a label");
                    }
                    let kind = OperandKind::Name(self.name_of(span));
                    self.tree.operands.push(Operand { span, kind });
                }
                _ if self.cursor.at_end() => return self.close(open, b'}', "`}`"),
                _ => return self.bad_argument(".section", EXPECTED),
            }
        }
    }

    /// Parses `.b8` to `.b64`, and returns the number of bits of each value.
    fn data_word(&mut self) -> ParseResult<u32> {
        let start = self.cursor.at;
        let word = self.cursor.word();
        let text = word.map_or("", |span| span.text(self.cursor.source));
        match text {
            ".b8" => Ok(8),
            ".b16" => Ok(16),
            ".b32" => Ok(32),
            ".b64" => Ok(64),
            _ => {
                self.cursor.at = start;
                self.bad_argument(".section", "labels and data such as `.b8 1, 2`")
            }
        }
    }

    /// Parses an address in a section, such as `label`, `label+4`, `a-b` or `.debug_str+4`.
    fn section_address(&mut self, n_bits: u32, kept: &mut GatedSectionContent) -> ParseResult<()> {
        let start = self.cursor.at;
        let section = self.cursor.word();
        let is_section = section.is_some();
        let label = section.or_else(|| self.cursor.name());
        let text = label.map_or("", |span| span.text(self.cursor.source));
        let Some(label) = label.filter(|label| self.is_declarable(*label) && !is_token(text))
        else {
            self.cursor.at = start;
            return self.bad_argument(".section", "a number or a label");
        };
        // Addresses must have at least 32 bits (assembler 13.5).
        if n_bits < 32 {
            self.report(syntax::address_in_debug_data(label, n_bits));
        }
        let end = self.cursor.at;
        let sign = self.cursor.skip();
        if !matches!(sign, b'+' | b'-') || (sign == b'-' && is_section) {
            self.cursor.at = end;
            return Ok(());
        }
        self.cursor.at += 1;
        self.cursor.skip();
        if sign == b'+' {
            let name = self.name_of(label);
            let kind = OperandKind::Sum { name, offset: 0 };
            self.keep_first(&mut kept.sum, label, kind);
            return self.section_number(64, kept);
        }
        let Some(span) = self.cursor.name() else {
            return self.bad_argument(".section", "the label to subtract");
        };
        let kind = OperandKind::Minus(self.name_of(span));
        self.keep_first(&mut kept.difference, span, kind);
        Ok(())
    }

    /// Records the first version-dependent construct of each kind in a section.
    fn keep_first(&mut self, is_kept: &mut bool, span: Span, kind: OperandKind) {
        if !std::mem::replace(is_kept, true) {
            self.tree.operands.push(Operand { span, kind });
        }
    }

    /// Parses a number with an optional sign. A number that does not fit into `.b8` or `.b16` is an error. In wider data, the number is
    /// truncated.
    fn section_number(&mut self, n_bits: u32, kept: &mut GatedSectionContent) -> ParseResult<()> {
        let start = self.cursor.offset();
        let is_negative = self.eat(b'-');
        self.cursor.skip();
        let Some((value, unsigned)) = self.eat_integer() else {
            return self.bad_argument(".section", "a number or a label");
        };
        let span = self.since(start);
        // For `.b8` and `.b16`, the assembler checks the low 32 bits of a positive number. In wider data, it accepts all numbers (assembler
        // 13.5).
        let fits = match (n_bits, is_negative) {
            (32.., _) => true,
            (_, true) => value <= 1 << (n_bits - 1),
            (_, false) => value & 0xffff_ffff < 1 << n_bits,
        };
        if !fits {
            let text = self.text(span);
            self.report(syntax::argument_overflow(span, text, n_bits));
        }
        if is_negative {
            let kind = OperandKind::Integer { value, unsigned };
            self.keep_first(&mut kept.negative, span, kind);
        }
        Ok(())
    }

    /// Parses `@@DWARF ...` up to the end of its line (PTX ISA versions before 2.0).
    pub(crate) fn dwarf_line(&mut self, start: u32) -> ParseResult<()> {
        let first = self.tree.operands.len() as u32;
        let rest = self.cursor.source.get(self.cursor.at..).unwrap_or("");
        self.cursor.at += rest.find('\n').unwrap_or(rest.len());
        self.finish_directive(Span::new(start, start + 7), DirectiveKind::Dwarf, first)
    }
}
