//! Parser of operands: registers, numbers, addresses, labels and words, with their signs and modifiers.

use super::cursor::{Number, begins_word, is_word};
use super::parser::Parser;
use super::tree::{
    Bracket, MemoryOperand, Operand, OperandKind, OperandModifiers, Register, SyntaxErrorKind,
    Term, TermOperator, TermValue,
};
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses an operand, and consumes at least one character. `comma` is the span of the preceding comma, if any.
    pub(super) fn operand(&mut self, comma: Option<Span>) {
        let start = self.cursor.offset();
        let signs = self.signs();
        let value = self.value();
        // The modifiers may follow the closing bar (`|R4|.H0_H0`) or precede it (`|R4.H0_H0|`).
        let mut modifiers = self.modifiers();
        if signs.absolute {
            if !self.cursor.take(b'|') {
                self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('|'));
            }
            modifiers.end = self.modifiers().end;
        }
        self.tree.operands.push(Operand {
            span: self.cursor.span_from(start),
            signs,
            value,
            after_comma: comma.is_some(),
            modifiers,
        });
    }

    fn signs(&mut self) -> OperandModifiers {
        let mut signs = OperandModifiers::default();
        loop {
            let sign = match self.cursor.peek() {
                b'-' => &mut signs.negated,
                b'+' => &mut signs.plus,
                b'~' => &mut signs.inverted,
                b'!' => &mut signs.not,
                b'|' => &mut signs.absolute,
                _ => return signs,
            };
            if std::mem::replace(sign, true) {
                return signs;
            }
            self.cursor.bump();
            self.cursor.skip_blanks();
        }
    }

    fn value(&mut self) -> OperandKind {
        let start = self.cursor.offset();
        match self.cursor.peek() {
            b'`' => self.target(),
            b'[' => self.memory(None),
            b'{' => {
                if !self.cursor.skip_balanced(b'{', b'}') {
                    self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('{'));
                }
                OperandKind::Set(self.cursor.span_from(start))
            }
            b'0'..=b'9' => self.number_or_word(),
            b'.' if begins_word(self.cursor.ahead(1)) => {
                self.cursor.bump();
                OperandKind::Target(Span::new(start, self.name().end))
            }
            byte if begins_word(byte) => self.named(),
            _ => self.unknown(start),
        }
    }

    /// Skips the text up to the next comma or the end of the instruction, and returns it as an unknown value.
    fn unknown(&mut self, start: u32) -> OperandKind {
        self.cursor
            .skip_to(|byte| matches!(byte, b',' | b';' | b'}' | b'|'));
        let span = self.cursor.span_from(start);
        self.error(span, SyntaxErrorKind::Operand);
        OperandKind::Unknown(span)
    }

    /// Reads the name of a label or function, which may contain dots.
    fn name(&mut self) -> Span {
        let start = self.cursor.offset();
        self.cursor.skip_while(|byte| is_word(byte) || byte == b'.');
        self.cursor.span_from(start)
    }

    /// Parses a branch target such as `` `(.L_x_1) ``.
    fn target(&mut self) -> OperandKind {
        let start = self.cursor.offset();
        self.cursor.bump();
        if self.cursor.peek() != b'(' {
            return self.unknown(start);
        }
        let open = self.cursor.offset();
        if !self.cursor.skip_balanced(b'(', b')') {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('('));
            return OperandKind::Target(Span::new(open + 1, self.cursor.offset()));
        }
        OperandKind::Target(Span::new(open + 1, self.cursor.offset() - 1))
    }

    fn number_or_word(&mut self) -> OperandKind {
        let start = self.cursor.offset();
        let number = self.cursor.number();
        if self.cursor.peek() == b'@' {
            return self.relocation(start);
        }
        if is_word(self.cursor.peek()) {
            self.cursor.word();
            return OperandKind::Word(self.cursor.span_from(start));
        }
        match number {
            Ok(Number::Integer(value)) => OperandKind::Integer(value),
            Ok(Number::Float(value)) => OperandKind::Float(value),
            Err(kind) => {
                let span = self.cursor.span_from(start);
                self.error(span, kind);
                OperandKind::Unknown(span)
            }
        }
    }

    /// Parses a relocation such as `32@lo(name)`, which starts at offset `start`. The cursor is at the `@`.
    fn relocation(&mut self, start: u32) -> OperandKind {
        self.cursor
            .skip_while(|byte| is_word(byte) || byte == b'@' || byte == b'.');
        if self.cursor.peek() == b'(' && !self.cursor.skip_balanced(b'(', b')') {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('('));
        }
        OperandKind::Relocation(self.cursor.span_from(start))
    }

    fn named(&mut self) -> OperandKind {
        let word = self.cursor.word();
        match self.cursor.peek() {
            b'@' => return self.relocation(word.start),
            b'[' => return self.memory(Some(word)),
            _ => {}
        }
        let text = word.text(self.cursor.source());
        match text {
            "INF" => OperandKind::Float(f64::INFINITY),
            "NAN" | "QNAN" | "SNAN" => OperandKind::Float(f64::NAN),
            _ => Register::of_name(text).map_or(OperandKind::Word(word), OperandKind::Register),
        }
    }

    /// Parses the bracket of a memory operand, or the two brackets after a prefix.
    fn memory(&mut self, prefix: Option<Span>) -> OperandKind {
        let first = self.tree.brackets.len() as u32;
        self.bracket();
        if prefix.is_some() {
            let mut ahead = self.cursor;
            ahead.skip_blanks();
            if ahead.peek() == b'[' {
                self.cursor = ahead;
                self.bracket();
            }
        }
        OperandKind::Memory(MemoryOperand {
            prefix,
            brackets: first..self.tree.brackets.len() as u32,
        })
    }

    fn bracket(&mut self) {
        let start = self.cursor.offset();
        self.cursor.bump();
        let first = self.tree.terms.len() as u32;
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                b']' => {
                    self.cursor.bump();
                    break;
                }
                b';' | b'\n' | b',' => {
                    self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('['));
                    break;
                }
                _ if self.cursor.is_at_end() => {
                    self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('['));
                    break;
                }
                _ => self.term(first),
            }
        }
        let terms = first..self.tree.terms.len() as u32;
        if terms.is_empty() {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::Address);
        }
        self.tree.brackets.push(Bracket {
            span: self.cursor.span_from(start),
            terms,
        });
    }

    /// Parses a term with its sign, and consumes at least one character. `first` is the index of the first term of the bracket.
    fn term(&mut self, first: u32) {
        let start = self.cursor.offset();
        let plus = self.cursor.take(b'+');
        self.cursor.skip_blanks();
        let minus = self.cursor.take(b'-');
        self.cursor.skip_blanks();
        let joint = match (plus, minus) {
            (true, true) => TermOperator::PlusMinus,
            (true, false) => TermOperator::Plus,
            (false, true) => TermOperator::Minus,
            (false, false) => TermOperator::First,
        };
        let value = self.term_value();
        let is_first = self.tree.terms.len() as u32 == first;
        if !is_first && joint == TermOperator::First {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::Address);
        }
        let modifiers = self.modifiers();
        self.tree.terms.push(Term {
            span: self.cursor.span_from(start),
            joint,
            value,
            modifiers,
        });
    }

    fn term_value(&mut self) -> TermValue {
        let here = self.cursor.offset();
        match self.cursor.peek() {
            b'0'..=b'9' => match self.number_or_word() {
                OperandKind::Integer(value) => TermValue::Integer(value),
                OperandKind::Relocation(span) => TermValue::Other(span),
                _ => {
                    let span = self.cursor.span_from(here);
                    self.error(span, SyntaxErrorKind::Address);
                    TermValue::Other(span)
                }
            },
            byte if begins_word(byte) || byte == b'.' && begins_word(self.cursor.ahead(1)) => {
                let word = self.cursor.word();
                let text = word.text(self.cursor.source());
                match Register::of_name(text) {
                    Some(register) => TermValue::Register(register),
                    None if self.cursor.peek() == b'@' => {
                        self.relocation(here);
                        TermValue::Other(self.cursor.span_from(here))
                    }
                    None => TermValue::Other(Span::new(here, self.name().end)),
                }
            }
            _ => {
                self.cursor
                    .skip_to(|byte| matches!(byte, b']' | b',' | b';'));
                let span = self.cursor.span_from(here);
                self.error(span, SyntaxErrorKind::Address);
                TermValue::Other(span)
            }
        }
    }
}
