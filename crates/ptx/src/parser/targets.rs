//! Parser of labelled directives: `.callprototype`, `.calltargets`, `.branchtargets`.

use crate::diagnostics::syntax;
use crate::parser::directive::IntegerWidth;
use crate::parser::{ParseResult, Parser};
use crate::tree::declaration::{DirectiveKind, FunctionDirective};
use crate::tree::{Range, StatementKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Checks that a label precedes the directive.
    fn need_label(&mut self, word: Span) {
        let labelled = matches!(self.tree.statements.last(), Some(s) if matches!(s.kind, StatementKind::Label(_)));
        if !labelled {
            let text = self.text(word);
            self.report(syntax::label_needed(word, text));
        }
    }

    /// Parses `.calltargets f, g;` or `.branchtargets a, b;`.
    pub(crate) fn targets(&mut self, word: Span, kind: DirectiveKind) -> ParseResult<()> {
        self.need_label(word);
        let first = self.tree.operands.len() as u32;
        let text = word.text(self.cursor.source);
        loop {
            self.name_argument(text, "names separated by commas")?;
            if !self.comma() {
                break;
            }
        }
        self.end_with_semicolon("directive")?;
        self.finish_directive(word, kind, first)
    }

    /// Parses `.callprototype (returns) _ (parameters) .noreturn;`.
    pub(crate) fn call_prototype(&mut self, word: Span) -> ParseResult<()> {
        self.need_label(word);
        let first = self.tree.operands.len() as u32;
        let mut header = self.empty_header(word.start, FunctionDirective::Func, word, None);
        if self.cursor.skip() == b'(' {
            header.returns = self.parameters()?;
            self.cursor.skip();
        }
        let name = self.cursor.token().span;
        if name.text(self.cursor.source) != "_" {
            return self.unexpected("`_`, because a prototype has no name");
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

    /// Parses the directives of a prototype: `.noreturn`, `.abi_preserve 8`.
    fn prototype_directives(&mut self) -> ParseResult<()> {
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
                self.integer_argument(text, "an integer literal", IntegerWidth::Word)?;
            }
            self.push_directive(word.start, DirectiveKind::Performance, word, first, 0);
        }
    }
}
