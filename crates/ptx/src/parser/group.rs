//! Parser of lists: vectors in braces, and the operands of calls with their parentheses.

use crate::diagnostics::syntax;
use crate::parser::operand::{is_operator, starts_constant};
use crate::parser::{ParseResult, Parser};
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses a vector `{a, b}`. The cursor is at the brace.
    #[inline]
    pub(crate) fn vector(&mut self) -> ParseResult<()> {
        let parent = self.tree.operands.len();
        let open = self.cursor.offset();
        self.cursor.at += 1;
        self.push_operand(open, OperandKind::Vector { entries: 0 });
        if self.cursor.skip() == b'}' {
            let empty = Span::new(open, self.cursor.offset() + 1);
            return self.broken(syntax::empty_group(empty, "a vector"));
        }
        loop {
            self.element("a vector")?;
            if !self.eat(b',') {
                break;
            }
            if self.cursor.skip() == b'.' && self.at_dots() {
                self.elements_left_out()?;
            }
        }
        self.close(open, b'}', "`,` or `}`")?;
        let entries = (self.tree.operands.len() - parent - 1) as u32;
        if let Some(operand) = self.tree.operands.get_mut(parent) {
            operand.kind = OperandKind::Vector { entries };
        }
        self.widen(parent);
        Ok(())
    }

    /// Parses a list element: a register with or without a component, a constant or `_`.
    #[inline]
    fn element(&mut self, holder: &str) -> ParseResult<()> {
        let byte = self.cursor.skip();
        if self.cursor.at_name() && !self.at_warp_size() {
            let (span, stem_end) = self.scan_split_name();
            if byte == b'_' && span.end == span.start + 1 {
                self.push_operand(span.start, OperandKind::Sink);
                return Ok(());
            }
            let name = self.split_name(span, stem_end);
            let kind = match self.cursor.skip() {
                b',' | b'}' => OperandKind::Name(name),
                b'.' => return self.component_element(span, name, holder),
                next => {
                    if is_operator(next) || next == b'[' || next == b'+' {
                        self.bad_token()?;
                        let found = self.found();
                        return self.broken(syntax::vector_element(&found, holder));
                    }
                    OperandKind::Name(name)
                }
            };
            self.tree.operands.push(Operand { span, kind });
            return Ok(());
        }
        if starts_constant(byte) || self.at_warp_size() {
            return self.constant();
        }
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::vector_element(&found, holder))
    }

    #[cold]
    fn component_element(&mut self, span: Span, name: Name, holder: &str) -> ParseResult<()> {
        if holder != "a vector" {
            let dotted = self.cursor.token().span;
            let text = self.text(dotted);
            return self.broken_component(span, syntax::component_not_allowed(dotted, text));
        }
        let component = self.component(span)?;
        self.push_operand(span.start, OperandKind::Component { name, component });
        Ok(())
    }

    /// Parses the operands of `call`: `(results), callee, (arguments), prototype`.
    pub(crate) fn call_operands(&mut self) -> ParseResult<()> {
        if self.cursor.skip() == b'(' {
            self.group()?;
            if !self.eat(b',') {
                return self.unexpected("`,` and the function to call");
            }
        }
        self.call_name("the function to call")?;
        if !self.eat(b',') {
            return Ok(());
        }
        if self.cursor.skip() != b'(' {
            return self.call_name("arguments in parentheses, a prototype or a list of targets");
        }
        self.group()?;
        if self.eat(b',') {
            return self.call_name("a prototype or a list of targets");
        }
        Ok(())
    }

    fn call_name(&mut self, what: &str) -> ParseResult<()> {
        self.cursor.skip();
        if !self.cursor.at_name() {
            return self.unexpected(what);
        }
        let span = self.plain_name(what)?;
        let kind = OperandKind::Name(self.name_of(span));
        self.push_operand(span.start, kind);
        Ok(())
    }

    /// Parses a parenthesized list such as `(a, b)`, which may be empty. The cursor is at the parenthesis.
    fn group(&mut self) -> ParseResult<()> {
        let parent = self.tree.operands.len();
        let open = self.cursor.offset();
        self.cursor.at += 1;
        self.push_operand(open, OperandKind::Group { entries: 0 });
        if self.cursor.skip() != b')' {
            loop {
                self.element("an argument list")?;
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.close(open, b')', "`,` or `)`")?;
        let entries = (self.tree.operands.len() - parent - 1) as u32;
        if let Some(operand) = self.tree.operands.get_mut(parent) {
            operand.kind = OperandKind::Group { entries };
        }
        self.widen(parent);
        Ok(())
    }
}
