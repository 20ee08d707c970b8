//! Parser of the module header: `.version`, `.target`, `.address_size`.

use crate::diagnostics::syntax;
use crate::parser::directive::IntegerWidth;
use crate::parser::statement::StatementContext;
use crate::parser::{ParseResult, Parser};
use crate::tree::StatementKind;
use crate::tree::declaration::DirectiveKind;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses `.version 8.5`, `.target sm_90, debug` or `.address_size 64`.
    pub(crate) fn header(&mut self, word: Span, text: &str) -> ParseResult<()> {
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
                self.name_argument(text, "target and option names separated by commas")?;
                if !self.comma() {
                    break;
                }
            },
            _ => self.integer_argument(text, "32 or 64", IntegerWidth::Long)?,
        }
        self.no_semicolon(text);
        self.finish_directive(word, kind, first)
    }

    /// Checks the order of header directives: header directives must precede all other statements, and only `.target` may be repeated
    /// (assembler 13.5).
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
        let is_late = before.take(expected + 1).count() > expected;
        let last = self.tree.statements.last().map(|statement| statement.kind);
        let follows_target = kind != DirectiveKind::Version
            && matches!(last, Some(StatementKind::Directive(index))
                if self.tree.directives.get(index as usize).is_some_and(|d| d.kind == DirectiveKind::Target));
        if (is_late && !follows_target) || self.place == StatementContext::Body {
            let place = match kind {
                DirectiveKind::Version => "must be the first statement of the module",
                DirectiveKind::Target => "must directly follow `.version`",
                _ => "must directly follow `.target`",
            };
            self.report(syntax::misplaced_directive(word, text, place));
        }
    }

    /// Parses `8.5` as two integers.
    fn version_number(&mut self) -> ParseResult<()> {
        const EXPECTED: &str = "a version such as 8.5";
        // The assembler accepts only blanks and tabs before the number (assembler 13.5).
        while matches!(self.cursor.byte(), b' ' | b'\t') {
            self.cursor.at += 1;
        }
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
}
