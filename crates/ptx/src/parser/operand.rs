//! Parser of operands: names, constants, addresses, vectors and negated operands.

use crate::diagnostics::syntax;
use crate::lexer::number;
use crate::parser::expression::Constant;
use crate::parser::{ParseResult, Parser};
use crate::tree::name::Name;
use crate::tree::operand::{Component, Operand, OperandKind};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses one operand. The cursor is at its first byte.
    #[inline]
    pub(crate) fn operand(&mut self, byte: u8) -> ParseResult<()> {
        if self.cursor.at_name() {
            return self.name_operand(byte);
        }
        match byte {
            b'[' => self.address(),
            b'{' => self.vector(),
            _ => self.constant_or_negated(byte),
        }
    }

    #[inline]
    pub(crate) fn push_operand(&mut self, start: u32, kind: OperandKind) {
        let span = self.since(start);
        self.tree.operands.push(Operand { span, kind });
    }

    /// Consumes the name at the cursor, and returns its span.
    #[inline]
    pub(crate) fn scan_name(&mut self) -> Span {
        let start = self.cursor.offset();
        self.cursor.skip_name();
        self.since(start)
    }

    /// Consumes the name at the cursor, and returns its span and the start of its trailing number.
    #[inline]
    pub(crate) fn scan_split_name(&mut self) -> (Span, u32) {
        let start = self.cursor.offset();
        let stem_end = self.cursor.skip_split_name();
        (self.since(start), stem_end)
    }

    /// Interns the name that [`Parser::scan_split_name`] has scanned.
    #[inline]
    pub(crate) fn split_name(&mut self, span: Span, stem_end: u32) -> Name {
        let symbols = &mut self.tree.symbols;
        symbols.intern_split_name(self.cursor.text, span, stem_end)
    }

    /// Parses an operand that starts with a name. `first` is the first byte of the name.
    #[inline]
    fn name_operand(&mut self, first: u8) -> ParseResult<()> {
        let (span, stem_end) = self.scan_split_name();
        if matches!(first, b'_' | b'W')
            && let Some(read) = self.special_name(span)
        {
            return read;
        }
        let name = self.split_name(span, stem_end);
        if !matches!(self.cursor.byte(), b',' | b';') {
            return self.after_name(span, name);
        }
        self.push_operand(span.start, OperandKind::Name(name));
        Ok(())
    }

    /// Parses `_` and `WARP_SZ`. Returns `None` for any other name.
    #[cold]
    fn special_name(&mut self, span: Span) -> Option<ParseResult<()>> {
        match span.text(self.cursor.source) {
            "_" => {
                let end = self.cursor.at;
                let sink = match self.cursor.skip() {
                    b'|' => self.pair(span, None),
                    _ => {
                        self.cursor.at = end;
                        self.push_operand(span.start, OperandKind::Sink);
                        Ok(())
                    }
                };
                Some(sink)
            }
            "WARP_SZ" => {
                self.cursor.at = span.start as usize;
                Some(self.constant())
            }
            _ => None,
        }
    }

    /// Parses the rest of an operand whose name is not directly followed by a comma or semicolon.
    fn after_name(&mut self, span: Span, name: Name) -> ParseResult<()> {
        let end = self.cursor.at;
        let kind = match self.cursor.skip() {
            b'.' => {
                let component = self.component(span)?;
                OperandKind::Component { name, component }
            }
            b'|' => return self.pair(span, Some(name)),
            b'+' => {
                self.cursor.at += 1;
                let offset = self.offset()?;
                OperandKind::Sum { name, offset }
            }
            b'[' => return self.indexed(span, name),
            byte => {
                if is_operator(byte) {
                    return self.hyphen_or_operator(span);
                }
                self.cursor.at = end;
                OperandKind::Name(name)
            }
        };
        self.push_operand(span.start, kind);
        Ok(())
    }

    /// Parses the remaining parts of a name with hyphens, or reports an operator that cannot follow a name.
    #[cold]
    fn hyphen_or_operator(&mut self, first: Span) -> ParseResult<()> {
        let hyphenated = match self.cursor.byte() {
            b'-' => self.hyphenated(first),
            _ => None,
        };
        let Some(whole) = hyphenated else {
            return self.operator_after_name();
        };
        self.push_operand(first.start, OperandKind::Name(whole));
        Ok(())
    }

    /// Reports an operator that cannot follow a name.
    #[cold]
    pub(crate) fn operator_after_name<T>(&mut self) -> ParseResult<T> {
        let operator = self.cursor.token().span;
        let text = self.text(operator);
        if text == "-" {
            return self.broken(syntax::subtracted_offset(self.cursor.source, operator));
        }
        self.broken(syntax::operator_on_name(operator, text))
    }

    /// Parses a component such as `.x`. The cursor is at the dot.
    pub(crate) fn component(&mut self, name: Span) -> ParseResult<Component> {
        let dot = self.cursor.offset();
        self.cursor.at += 1;
        if !self.cursor.byte().is_ascii_alphabetic() {
            return self.broken(syntax::lone_dot(Span::new(dot, dot + 1)));
        }
        self.cursor.skip_word();
        let span = self.since(dot);
        match component_of(span.text(self.cursor.source)) {
            Some(component) => Ok(component),
            None => {
                let text = self.text(span);
                self.broken_component(name, syntax::unknown_component(span, text))
            }
        }
    }

    /// Parses `%p|%q`. The cursor is at the bar.
    #[cold]
    fn pair(&mut self, span: Span, first: Option<Name>) -> ParseResult<()> {
        let bar = self.cursor.offset();
        self.cursor.at += 1;
        if self.cursor.byte() == b'|' {
            self.cursor.at = bar as usize;
            return self.operator_after_name();
        }
        self.cursor.skip();
        if !self.cursor.at_name() {
            return self.unexpected("a register or `_` after `|`");
        }
        let second_span = self.scan_name();
        let second = match second_span.text(self.cursor.source) {
            "_" => None,
            _ => Some(self.name_of(second_span)),
        };
        self.push_operand(span.start, OperandKind::Pair { first, second });
        Ok(())
    }

    /// Parses `name[4]` or `name[%r1+4]`. The cursor is at the bracket.
    #[cold]
    fn indexed(&mut self, span: Span, name: Name) -> ParseResult<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        self.cursor.skip();
        if !self.cursor.at_name() || self.at_warp_size() {
            if self.cursor.byte() == b']' {
                let empty = Span::new(open, self.cursor.offset() + 1);
                return self.broken(syntax::empty_group(empty, "an index"));
            }
            let index = self.integer_constant("an index")?;
            self.close(open, b']', "`]`")?;
            self.push_operand(span.start, OperandKind::Indexed { name, index });
            return Ok(());
        }
        let parent = self.tree.operands.len();
        let child = parent as u32 + 1;
        self.push_operand(span.start, OperandKind::IndexedBy { name, child });
        let index_span = self.plain_name("an index")?;
        let index = self.name_of(index_span);
        let kind = if self.eat(b'+') {
            let offset = self.offset()?;
            OperandKind::Sum {
                name: index,
                offset,
            }
        } else {
            self.cursor.at = index_span.end as usize;
            OperandKind::Name(index)
        };
        self.push_operand(index_span.start, kind);
        self.close(open, b']', "`]`")?;
        self.widen(parent);
        Ok(())
    }

    /// Extends the span of an operand with children to the cursor, after its children have been parsed.
    pub(crate) fn widen(&mut self, parent: usize) {
        let end = self.cursor.offset();
        if let Some(operand) = self.tree.operands.get_mut(parent) {
            operand.span.end = end;
        }
    }

    pub(crate) fn at_warp_size(&self) -> bool {
        self.cursor.byte() == b'W' && self.cursor.token().span.text(self.cursor.source) == "WARP_SZ"
    }

    /// Parses the name of a register or variable without a component. Reports a sink as an error.
    pub(crate) fn plain_name(&mut self, what: &str) -> ParseResult<Span> {
        let span = self.scan_name();
        if span.text(self.cursor.source) == "_" {
            return self.broken(syntax::misplaced_sink(span, what));
        }
        let end = self.cursor.at;
        if self.cursor.skip() == b'.' {
            let dotted = self.cursor.token().span;
            let text = self.text(dotted);
            return self.broken_component(span, syntax::component_not_allowed(dotted, text));
        }
        self.cursor.at = end;
        Ok(span)
    }

    /// Parses the closing bracket `close` that matches the bracket at offset `open`.
    #[inline]
    pub(crate) fn close(&mut self, open: u32, close: u8, expected: &str) -> ParseResult<()> {
        if self.eat(close) {
            return Ok(());
        }
        self.bad_token()?;
        let found = self.found();
        let byte = self.cursor.byte();
        if close == b']' && byte == b'-' {
            return self.broken(syntax::subtracted_offset(self.cursor.source, found.span));
        }
        self.broken(syntax::unclosed_group(
            Span::new(open, open + 1),
            expected,
            &found,
        ))
    }

    /// Parses a constant expression, `!%p` or `-%r1`.
    fn constant_or_negated(&mut self, byte: u8) -> ParseResult<()> {
        if matches!(byte, b'!' | b'-') {
            let start = self.cursor.offset();
            self.cursor.at += 1;
            self.cursor.skip();
            if self.cursor.at_name() && !self.at_warp_size() {
                return self.negated(start, byte);
            }
            self.cursor.at = start as usize;
        }
        // An ellipsis ends the operands of the instruction.
        if byte == b'.' && self.at_dots() {
            return Ok(());
        }
        if !starts_constant(byte) {
            return self.unexpected("an operand");
        }
        self.constant()
    }

    fn negated(&mut self, start: u32, sign: u8) -> ParseResult<()> {
        let span = self.scan_name();
        if span.text(self.cursor.source) == "_" {
            return self.broken(syntax::misplaced_sink(span, "a register"));
        }
        let name = self.name_of(span);
        let end = self.cursor.at;
        let kind = if sign == b'!' {
            OperandKind::Not(name)
        } else {
            OperandKind::Minus(name)
        };
        match self.cursor.skip() {
            b'.' if sign == b'-' => {
                self.component(span)?;
            }
            b'.' => {
                let dotted = self.cursor.token().span;
                let text = self.text(dotted);
                return self.broken(syntax::component_not_allowed(dotted, text));
            }
            _ => self.cursor.at = end,
        }
        self.push_operand(start, kind);
        Ok(())
    }

    /// Parses a constant expression as an operand.
    pub(crate) fn constant(&mut self) -> ParseResult<()> {
        let byte = self.cursor.byte();
        let start = self.cursor.offset();
        if byte.is_ascii_digit() {
            let literal = number::scan(self.cursor.text, self.cursor.at);
            let next = self.cursor.text.get(literal.end).copied().unwrap_or(0);
            if let (number::NumberValue::Integer { value, unsigned }, b',' | b';' | b'}') =
                (literal.value, next)
            {
                self.cursor.at = literal.end;
                self.push_operand(start, OperandKind::Integer { value, unsigned });
                return Ok(());
            }
        }
        let (constant, end) = self.constant_expression()?;
        let kind = match constant {
            Constant::Integer { value, unsigned } => OperandKind::Integer { value, unsigned },
            Constant::Single(bits) => OperandKind::Single(bits),
            Constant::Double(value) => OperandKind::Double(value.to_bits()),
        };
        self.cursor.at = end as usize;
        self.push_operand(start, kind);
        Ok(())
    }
}

/// Returns whether a byte can start a constant expression.
#[inline]
pub(crate) fn starts_constant(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'~' | b'!' | b'(' | b'.')
}

/// Returns whether a byte starts an operator that cannot follow a name.
pub(crate) fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'*' | b'/' | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'!' | b'~' | b'?'
    )
}

pub(crate) fn component_of(text: &str) -> Option<Component> {
    Some(match text {
        ".x" | ".r" => Component::X,
        ".y" | ".g" => Component::Y,
        ".z" | ".b" => Component::Z,
        ".w" | ".a" => Component::W,
        _ => return lanes_of(text),
    })
}

/// Parses the lanes that a video instruction selects: up to four bytes with indices from 0 to 7, or up to two half words with
/// indices from 0 to 3.
fn lanes_of(text: &str) -> Option<Component> {
    let (digits, most, last) = match text.split_at_checked(2)? {
        (".b", digits) => (digits, 4, b'7'),
        (".h", digits) => (digits, 2, b'3'),
        _ => return None,
    };
    let is_lane = |digit: u8| (b'0'..=last).contains(&digit);
    if digits.is_empty() || digits.len() > most || !digits.bytes().all(is_lane) {
        return None;
    }
    let number = digits.parse().ok()?;
    Some(match last {
        b'7' => Component::Byte(number),
        _ => Component::Half(number),
    })
}
