//! Parser of addresses, such as `[name+4]`, `[4]` and `[map, {c0, c1}]`.

use crate::diagnostics::syntax;
use crate::lexer::number;
use crate::parser::operand::{is_operator, starts_constant};
use crate::parser::{ParseResult, Parser};
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses an address `[...]`. The cursor is at the bracket.
    #[inline]
    pub(crate) fn address(&mut self) -> ParseResult<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        self.cursor.skip();
        if !self.cursor.at_name() {
            return self.absolute_address(open);
        }
        let (span, stem_end) = self.scan_split_name();
        let first = self
            .cursor
            .text
            .get(span.start as usize)
            .copied()
            .unwrap_or(0);
        if matches!(first, b'_' | b'W') && matches!(span.text(self.cursor.source), "_" | "WARP_SZ")
        {
            self.cursor.at = span.start as usize;
            return self.absolute_address(open);
        }
        let base = self.split_name(span, stem_end);
        let offset = match self.cursor.skip() {
            b']' => 0,
            b'+' => {
                self.cursor.at += 1;
                self.offset()?
            }
            b',' => return self.address_list(open, span, base),
            byte => return self.broken_address(open, span, byte),
        };
        self.close(open, b']', "`]` or `+`")?;
        self.push_operand(open, OperandKind::Address { base, offset });
        Ok(())
    }

    /// Reports the syntax error that follows the name in an address.
    #[cold]
    fn broken_address(&mut self, open: u32, name: Span, byte: u8) -> ParseResult<()> {
        if byte == b'.' {
            let dotted = self.cursor.token().span;
            let text = self.text(dotted);
            return self.broken_component(name, syntax::component_not_allowed(dotted, text));
        }
        if is_operator(byte) {
            return self.operator_after_name();
        }
        self.close(open, b']', "`]` or `+`")
    }

    /// Parses an absolute address `[4]`.
    #[cold]
    fn absolute_address(&mut self, open: u32) -> ParseResult<()> {
        let byte = self.cursor.byte();
        if byte == b']' {
            let empty = Span::new(open, self.cursor.offset() + 1);
            return self.broken(syntax::empty_group(empty, "an address"));
        }
        if self.cursor.at_name() && !self.at_warp_size() {
            let span = self.cursor.token().span;
            return self.broken(syntax::misplaced_sink(span, "an address"));
        }
        if !starts_constant(byte) && !self.at_warp_size() {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::address_form(&found));
        }
        let value = self.address_constant()?;
        self.close(open, b']', "`]`")?;
        self.push_operand(open, OperandKind::AbsoluteAddress { value });
        Ok(())
    }

    /// Parses the constant of an absolute address. A name after the constant has a specific diagnostic.
    #[cold]
    fn address_constant(&mut self) -> ParseResult<i64> {
        let number = self.cursor.clone();
        let n_diagnostics = self.diagnostics.len();
        let read = self.integer_constant("an address");
        let literal = number.byte().is_ascii_digit() || number.byte() == b'-';
        if read.is_err() && self.cursor.at_name() && literal && self.cursor.at > number.at {
            self.diagnostics.truncate(n_diagnostics);
            let span = self.cursor.token().span;
            let text = self.text(span);
            return self.broken(syntax::constant_before_name(span, text));
        }
        read
    }

    /// Parses `[name, {c0, c1}]` or `[name, sampler, {c0}]`. The cursor is at the comma.
    #[cold]
    fn address_list(&mut self, open: u32, span: Span, base: Name) -> ParseResult<()> {
        let parent = self.tree.operands.len();
        self.push_operand(open, OperandKind::AddressList { entries: 0 });
        self.tree.operands.push(Operand {
            span,
            kind: OperandKind::Name(base),
        });
        let mut n_names = 1;
        while self.eat(b',') {
            self.cursor.skip();
            if self.cursor.byte() == b'{' {
                self.vector()?;
                break;
            }
            if !self.cursor.at_name() || n_names == 3 {
                return self.unexpected("coordinates in braces");
            }
            n_names += 1;
            let name_span = self.plain_name("a sampler or coordinate")?;
            let kind = OperandKind::Name(self.name_of(name_span));
            self.tree.operands.push(Operand {
                span: name_span,
                kind,
            });
        }
        self.close(open, b']', "`]`")?;
        let entries = (self.tree.operands.len() - parent - 1) as u32;
        if let Some(operand) = self.tree.operands.get_mut(parent) {
            operand.kind = OperandKind::AddressList { entries };
        }
        self.widen(parent);
        Ok(())
    }

    /// Parses the constant that follows `+` in an address.
    #[inline]
    pub(crate) fn offset(&mut self) -> ParseResult<i64> {
        let byte = self.cursor.skip();
        if byte.is_ascii_digit() {
            let literal = number::scan(self.cursor.text, self.cursor.at);
            let next = self.cursor.text.get(literal.end).copied().unwrap_or(0);
            if let (number::NumberValue::Integer { value, .. }, b']') = (literal.value, next) {
                self.cursor.at = literal.end;
                return Ok(value as i64);
            }
        }
        self.slow_offset(byte)
    }

    #[cold]
    fn slow_offset(&mut self, byte: u8) -> ParseResult<i64> {
        if self.cursor.at_name() && !self.at_warp_size() {
            let span = self.cursor.token().span;
            let text = self.text(span);
            return self.broken(syntax::name_as_offset(span, text));
        }
        if !starts_constant(byte) && !self.at_warp_size() {
            return self.unexpected("a constant after `+`");
        }
        self.integer_constant("an offset")
    }
}
