//! Notation of manuals that the reference assembler rejects. In a snippet, the parser treats such notation as its corrected form,
//! and reports a warning with a fix.

use crate::diagnostics::syntax;
use crate::parser::{ParseResult, Parser};
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use crate::tree::{SourceKind, StatementKind};
use warpgrid_program::Span;

/// Ellipsis that manuals print in place of omitted operands.
const DOTS: &str = "...";

/// Maximum number of names that `...` represents in a list, which is the number of registers of the largest operand.
const MAX_ELEMENTS: u32 = 256;

impl Parser<'_> {
    fn is_snippet(&self) -> bool {
        self.tree.kind == SourceKind::Snippet
    }

    fn rest(&self) -> &str {
        self.cursor.source.get(self.cursor.at..).unwrap_or("")
    }

    /// Returns whether the cursor of a snippet is at `...`.
    #[cold]
    pub(crate) fn at_dots(&self) -> bool {
        self.is_snippet() && self.rest().starts_with(DOTS)
    }

    /// Consumes `...` and the end of the instruction after it, if present.
    #[cold]
    pub(crate) fn eat_dots(&mut self) -> bool {
        if !self.at_dots() {
            return false;
        }
        let dots = self.cursor.at;
        self.cursor.at += DOTS.len();
        let ends = self.eat(b';');
        if !ends {
            self.cursor.at = dots;
        }
        ends
    }

    /// Handles an instruction whose last operands are `...`: adds an empty statement instead of an instruction.
    #[cold]
    pub(crate) fn operands_left_out(&mut self, start: u32, first_operand: u32) -> ParseResult<()> {
        let statement = self.since(start);
        let text = statement.text(self.cursor.source);
        let dots = text.rfind(DOTS).map_or(0, |at| start + at as u32);
        let later = text
            .match_indices('\n')
            .map(|(at, _)| start + at as u32 + 1);
        let line_starts: Vec<u32> = std::iter::once(start).chain(later).collect();
        self.tree.operands.truncate(first_operand as usize);
        let span = Span::new(dots, dots + DOTS.len() as u32);
        self.report_tolerated(syntax::operands_left_out(span, &line_starts));
        self.push(start, StatementKind::Empty);
        Ok(())
    }

    /// Expands `...` in `{d0, ..., d7}` to the names between the adjacent elements. The cursor is at the dots.
    #[cold]
    pub(crate) fn elements_left_out(&mut self) -> ParseResult<()> {
        let start = self.cursor.offset();
        self.cursor.at += DOTS.len();
        let dots = self.since(start);
        let before = self.tree.operands.last().map(|operand| operand.kind);
        if !self.eat(b',') {
            self.cursor.at = start as usize;
            return self.unexpected("an element");
        }
        let next = self.cursor.at;
        self.cursor.skip();
        let last = match self.cursor.at_name() {
            true => {
                let span = self.scan_name();
                self.name_of(span)
            }
            false => return self.unexpected("the last name of the range"),
        };
        self.cursor.at = next;
        let Some((first, n)) = between(before, last) else {
            self.cursor.at = start as usize;
            return self.unexpected("a list of numbered names");
        };
        let stem = self.tree.symbols.text(self.cursor.source, last.stem);
        let names: Vec<String> = (0..n).map(|i| format!("{stem}{}", first + i)).collect();
        self.report_tolerated(syntax::elements_left_out(dots, &names.join(", ")));
        for i in 0..n {
            let name = Name {
                stem: last.stem,
                number: first + i,
            };
            self.tree.operands.push(Operand {
                span: dots,
                kind: OperandKind::Name(name),
            });
        }
        Ok(())
    }

    /// Parses a name with hyphens such as `cache-policy`. The cursor is after its first part.
    #[cold]
    pub(crate) fn hyphenated(&mut self, first: Span) -> Option<Name> {
        let is_next = self.cursor.at == first.end as usize;
        if !self.is_snippet() || !is_next {
            return None;
        }
        let length = |text: &str| text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
        let rest = self.rest().strip_prefix('-')?;
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let minus = Span::new(first.end, first.end + 1);
        self.cursor.at = minus.end as usize + length(rest);
        self.report_tolerated(syntax::subtracted_offset(self.cursor.source, minus));
        let span = self.since(first.start);
        Some(self.name_of(span))
    }

    /// Parses a line of prose. A line that starts with a capital letter is prose, because opcodes are lower case.
    #[cold]
    pub(crate) fn prose(&mut self, start: u32) -> bool {
        let line = self.rest().lines().next().unwrap_or("").trim_end();
        let word = line.split(|c: char| !is_of_word(c)).next().unwrap_or("");
        let is_label = line
            .get(word.len()..)
            .is_some_and(|rest| rest.trim_start().starts_with(':'));
        let has_code = line.contains([';', '[', '{', '%', '@']);
        if !self.is_snippet() || is_label || has_code {
            return false;
        }
        self.cursor.at += line.len();
        self.report_tolerated(syntax::prose(self.since(start)));
        self.push(start, StatementKind::Empty);
        true
    }
}

/// Returns the number of the first name after `before`, and the number of names between `before` and `last`.
fn between(before: Option<OperandKind>, last: Name) -> Option<(u32, u32)> {
    let Some(OperandKind::Name(before)) = before else {
        return None;
    };
    let (low, high) = (before.number()?, last.number()?);
    let n = high.checked_sub(low)?.checked_sub(1)?;
    (before.stem == last.stem && n <= MAX_ELEMENTS).then_some((low + 1, n))
}

/// Returns whether a character is part of a word of prose.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
