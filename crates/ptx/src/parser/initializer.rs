//! Parser of the initializers of variables.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::TokenKind;
use crate::lexer::number;
use crate::lexer::number::NumberValue;
use crate::parser::expression::Constant;
use crate::parser::operand::starts_constant;
use crate::parser::{MAX_DEPTH, ParseResult, Parser};
use crate::tree::declaration::{InitValue, InitValueKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses a value of an initializer, or a list of values.
    pub(crate) fn initializer(&mut self, depth: u32) -> ParseResult<()> {
        let byte = self.cursor.skip();
        let start = self.cursor.offset();
        if byte == b'{' {
            return self.initializer_list(start, depth);
        }
        if byte.is_ascii_digit() {
            let literal = number::scan(self.cursor.text, self.cursor.at);
            let next = self.cursor.text.get(literal.end).copied().unwrap_or(0);
            if let (NumberValue::Integer { value, unsigned }, b',' | b'}' | b';') =
                (literal.value, next)
            {
                self.cursor.at = literal.end;
                self.push_init_value(start, InitValueKind::Integer { value, unsigned });
                return Ok(());
            }
        }
        if self.cursor.at_name() && self.cursor.token().span.text(self.cursor.source) != "WARP_SZ" {
            return self.initializer_name(start, None);
        }
        if !starts_constant(byte) && !self.cursor.at_name() {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::initializer(
                &found,
                "a constant, a variable or a list in braces",
            ));
        }
        let (constant, end) = self.constant_expression()?;
        self.cursor.at = end as usize;
        let kind = match constant {
            Constant::Integer { value, unsigned } => {
                let literal = lexer::token_at(self.cursor.source, start as usize).span;
                if self.cursor.skip() == b'(' && literal.end == end {
                    self.cursor.at += 1;
                    return self.masked(start, value);
                }
                self.cursor.at = end as usize;
                InitValueKind::Integer { value, unsigned }
            }
            Constant::Single(bits) => InitValueKind::Single(bits),
            Constant::Double(value) => InitValueKind::Double(value.to_bits()),
        };
        self.push_init_value(start, kind);
        Ok(())
    }

    /// Parses the operand of a mask and the closing parenthesis, such as `g+4)` or `0x1234)`. The mask selects one byte of the operand.
    fn masked(&mut self, start: u32, mask: u64) -> ParseResult<()> {
        let byte = self.cursor.skip();
        let is_name = self.cursor.at_name() && !self.at_warp_size();
        if is_name || !starts_constant(byte) {
            return self.initializer_name(start, Some(mask));
        }
        let number = self.integer_constant("the operand of the mask")?;
        if !self.eat(b')') {
            return self.unexpected("`)` after the masked constant");
        }
        let value = (number as u64 & mask) >> mask.trailing_zeros().min(63);
        let kind = InitValueKind::MaskedInteger { value, mask };
        self.push_init_value(start, kind);
        Ok(())
    }

    fn push_init_value(&mut self, start: u32, kind: InitValueKind) {
        let span = self.since(start);
        self.tree.init_values.push(InitValue { span, kind });
    }

    /// Parses `{ value, value }`, which may be empty. The cursor is at the brace.
    fn initializer_list(&mut self, open: u32, depth: u32) -> ParseResult<()> {
        if depth >= MAX_DEPTH {
            return self.broken(syntax::nested_too_deep(
                Span::new(open, open + 1),
                "initializers",
            ));
        }
        let parent = self.tree.init_values.len();
        self.cursor.at += 1;
        self.push_init_value(open, InitValueKind::List { entries: 0 });
        if self.cursor.skip() != b'}' {
            loop {
                self.initializer(depth + 1)?;
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.close(open, b'}', "`,` or `}`")?;
        let end = self.cursor.offset();
        let entries = (self.tree.init_values.len() - parent - 1) as u32;
        if let Some(list) = self.tree.init_values.get_mut(parent) {
            *list = InitValue {
                span: Span::new(open, end),
                kind: InitValueKind::List { entries },
            };
        }
        Ok(())
    }

    /// Parses `name+4`, `generic(name)+4`, or `field = value` of a sampler. With a mask, also parses the closing parenthesis.
    fn initializer_name(&mut self, start: u32, mask: Option<u64>) -> ParseResult<()> {
        self.cursor.skip();
        let mut name_span = self.initializer_symbol()?;
        let mut end = self.cursor.at;
        let mut byte = self.cursor.skip();
        let generic = byte == b'(' && name_span.text(self.cursor.source) == "generic";
        if generic {
            let open = self.cursor.offset();
            self.cursor.at += 1;
            self.cursor.skip();
            name_span = self.initializer_symbol()?;
            self.close(open, b')', "`)`")?;
            end = self.cursor.at;
            byte = self.cursor.skip();
        }
        let name = self.name_of(name_span);
        let mut offset = 0;
        match byte {
            b'=' if mask.is_none() && !generic => {
                return self.initializer_setting(start, name_span);
            }
            b'+' => {
                self.cursor.at += 1;
                self.cursor.skip();
                offset = self.integer_constant("an offset")?;
            }
            b'-' => {
                let minus = self.cursor.token().span;
                return self.broken(syntax::subtracted_offset(self.cursor.source, minus));
            }
            _ => self.cursor.at = end,
        }
        if mask.is_some() && !self.eat(b')') {
            return self.unexpected("`)` after the masked address");
        }
        let kind = InitValueKind::Address {
            name,
            name_span,
            offset,
            generic,
            mask,
        };
        self.push_init_value(start, kind);
        Ok(())
    }

    fn initializer_symbol(&mut self) -> ParseResult<Span> {
        let token = self.cursor.token();
        if token.kind != TokenKind::Name || token.span.text(self.cursor.source) == "_" {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::initializer(
                &found,
                "the name of a variable or function",
            ));
        }
        self.cursor.at = token.span.end as usize;
        Ok(token.span)
    }

    /// Parses the value of a field of a texture or sampler: `= linear`, or `=` and a constant.
    fn initializer_setting(&mut self, start: u32, field: Span) -> ParseResult<()> {
        self.cursor.at += 1;
        let byte = self.cursor.skip();
        let symbol = self.cursor.token();
        let is_name = symbol.kind == TokenKind::Name;
        let symbol = match symbol.span.text(self.cursor.source) {
            "_" => return self.unexpected("the value of the field"),
            "WARP_SZ" => None,
            _ if is_name => Some(symbol.span),
            _ if starts_constant(byte) => None,
            _ => return self.unexpected("the value of the field"),
        };
        self.cursor.at = match symbol {
            Some(symbol) => symbol.end as usize,
            None => self.constant_expression()?.1 as usize,
        };
        self.push_init_value(start, InitValueKind::Setting { field, symbol });
        Ok(())
    }
}
