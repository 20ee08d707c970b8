//! Statement parser. A statement ends at a semicolon or at the end of the line. After an error, the parser continues with the next line.

use super::cursor::{CommentKind, Cursor, begins_word, is_word};
use super::tree::{
    Annotation, AnnotationKind, ControlText, DualIssue, Encoding, Guard, Instruction, Register,
    RegisterFile, Statement, StatementKind, SyntaxError, SyntaxErrorKind, Tree,
};
use warpgrid_isa::sass::control::Control;
use warpgrid_program::Span;

/// Parses a source. The parser always returns a tree, and [`Tree::errors`] contains the syntax errors.
pub fn parse(source: &str) -> Tree {
    let mut parser = Parser {
        cursor: Cursor::new(source),
        tree: Tree::default(),
        opens_pair: false,
        control: None,
    };
    parser.text();
    parser.tree
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) tree: Tree,
    /// Whether `{` precedes the next instruction, so that this instruction is the first of a dual-issue pair.
    opens_pair: bool,
    /// Control code that precedes the instruction of the current line.
    control: Option<ControlText>,
}

/// Text between two parts of a statement.
enum Separator {
    /// The text contains only blanks and comments.
    Nothing,
    Encoding(Encoding),
}

impl Parser<'_> {
    fn text(&mut self) {
        loop {
            self.cursor.skip_space();
            if self.cursor.is_at_end() {
                return;
            }
            let before = self.cursor.offset();
            self.line_part();
            debug_assert!(self.cursor.offset() > before, "a statement has characters");
            if self.cursor.offset() == before {
                let span = self.cursor.skip_to(|_| false);
                self.error(span, SyntaxErrorKind::NotAStatement);
                self.cursor.skip_space();
            }
        }
    }

    /// Parses a statement, a comment, or a brace of a dual-issue pair.
    fn line_part(&mut self) {
        self.control = None;
        if let Some((control, length)) = Control::read(self.cursor.rest_of_line()) {
            let start = self.cursor.offset();
            self.cursor.go_to(start + length as u32);
            let span = self.cursor.span_from(start);
            self.tree.comments.push(span);
            self.control = Some(ControlText { span, control });
            self.cursor.skip_blanks();
            if self.cursor.is_at_end() || self.cursor.peek() == b'\n' {
                return;
            }
        }
        match (self.cursor.peek(), self.cursor.ahead(1)) {
            (b'/', b'/') => {
                let span = self.cursor.line_comment();
                self.tree.comments.push(span);
            }
            (b'/', b'*') => self.leading_comment(),
            (b';', _) => self.cursor.bump(),
            (b'{', _) => {
                self.cursor.bump();
                self.opens_pair = true;
            }
            (b'}', _) => {
                self.cursor.bump();
                if let Some(last) = self.tree.instructions.last_mut() {
                    last.pairing = DualIssue::Second;
                }
            }
            _ => self.statement(None),
        }
    }

    fn leading_comment(&mut self) {
        let (span, kind) = self.cursor.block_comment();
        self.tree.comments.push(span);
        match kind {
            CommentKind::Text => {}
            CommentKind::Open => self.error(span, SyntaxErrorKind::Comment),
            CommentKind::Encoding(encoding) => {
                self.push(span, None, StatementKind::Encoding(encoding));
            }
            CommentKind::Address(address) => {
                self.cursor.skip_blanks();
                match self.cursor.peek() {
                    b'{' => {
                        self.cursor.bump();
                        self.cursor.skip_blanks();
                        self.opens_pair = true;
                        self.statement(Some(address));
                    }
                    b'\n' | b'/' | b';' | b'}' => {}
                    _ if self.cursor.is_at_end() => {}
                    _ => self.statement(Some(address)),
                }
            }
        }
    }

    fn statement(&mut self, address: Option<u64>) {
        let address = address.or_else(|| self.debugger_address());
        let first = self.cursor.peek();
        if first == b'.' && begins_word(self.cursor.ahead(1)) {
            self.directive_or_label(address);
        } else if first == b'@' {
            self.instruction(address);
        } else if !begins_word(first) {
            self.separator_or_unknown();
        } else if address.is_none() && (self.label() || self.header()) {
        } else {
            self.instruction(address);
        }
    }

    /// Parses an address in debugger notation, which precedes an instruction: `0x00007fffd9f71480 <+16>:`.
    fn debugger_address(&mut self) -> Option<u64> {
        if self.cursor.peek() != b'0' || !matches!(self.cursor.ahead(1), b'x') {
            return None;
        }
        let line = self.cursor.rest_of_line();
        let (digits, rest) = line[2..].split_once(" <")?;
        let address = u64::from_str_radix(digits, 16).ok()?;
        let inside = rest.find(">:")?;
        let length = 2 + digits.len() + 2 + inside + 2;
        self.cursor.go_to(self.cursor.offset() + length as u32);
        self.cursor.skip_blanks();
        Some(address)
    }

    /// Parses a separator line of dots, dashes or equals signs, which disassemblers print between functions. Any other line is an unknown
    /// statement.
    fn separator_or_unknown(&mut self) {
        let span = self.cursor.skip_to(|_| false);
        let text = span.text(self.cursor.source());
        let row = text.len() >= 4 && text.bytes().all(|byte| matches!(byte, b'.' | b'=' | b'-'));
        if row {
            let value = Span::at(span.end);
            self.push(span, None, StatementKind::Header { key: span, value });
        } else {
            self.error(span, SyntaxErrorKind::NotAStatement);
            self.push(span, None, StatementKind::Unknown);
        }
    }

    fn directive_or_label(&mut self, address: Option<u64>) {
        if address.is_none() && self.label() {
            return;
        }
        let start = self.cursor.offset();
        self.cursor.bump();
        self.cursor.skip_while(|byte| is_word(byte) || byte == b'.');
        let name = self.cursor.span_from(start);
        self.cursor.skip_blanks();
        let arguments = self.directive_arguments();
        let span = Span::new(start, arguments.end.max(name.end));
        let kind = StatementKind::Directive { name, arguments };
        self.push(span, address, kind);
    }

    /// Returns the span of the rest of the line, up to a comment outside of strings.
    fn directive_arguments(&mut self) -> Span {
        let line = self.cursor.rest_of_line();
        let mut quoted = false;
        let comment = line.bytes().enumerate().position(|(at, byte)| {
            quoted ^= byte == b'"';
            !quoted && byte == b'/' && matches!(line.as_bytes().get(at + 1), Some(b'/' | b'*'))
        });
        let text = line[..comment.unwrap_or(line.len())].trim_end();
        let start = self.cursor.offset();
        self.cursor.go_to(start + text.len() as u32);
        self.cursor.span_from(start)
    }

    /// Parses a label such as `.L_x_1:`. Returns `false` if the line contains no label at the position.
    fn label(&mut self) -> bool {
        let start = self.cursor.offset();
        let mut ahead = self.cursor;
        ahead.skip_while(|byte| is_word(byte) || matches!(byte, b'.' | b'@'));
        let name = ahead.span_from(start);
        if ahead.peek() != b':' {
            return false;
        }
        ahead.bump();
        self.cursor = ahead;
        self.push(
            self.cursor.span_from(start),
            None,
            StatementKind::Label(name),
        );
        true
    }

    /// Parses a header, such as `Function : vecadd`, `arch = sm_75`, `code for sm_75` or `Fatbin elf code:`. Returns `false` if the line is
    /// not a header.
    fn header(&mut self) -> bool {
        let start = self.cursor.offset();
        let line = self.cursor.rest_of_line().trim_end();
        let begins = line.starts_with(|first: char| first.is_ascii_lowercase() || first == 'F');
        // A line with several statements is not a header, because the formatter could split the line, and the parts would then be parsed
        // differently.
        if !begins || line.contains([';', '{', '}']) {
            return false;
        }
        let separators = [" : ", " = ", " for "];
        let parts = separators.iter().find_map(|at| line.split_once(at));
        // A key without a value, such as `ptxasOptions =`.
        let without_value = || line.strip_suffix(" =").or_else(|| line.strip_suffix(" :"));
        let is_fact = || line == "compressed" || line.starts_with("has ");
        let (key, value) = match parts.or_else(|| Some((without_value()?, ""))) {
            Some(parts) => parts,
            None if line.ends_with(':') || is_fact() => (line, ""),
            None => return false,
        };
        let words = key.trim_end_matches(':');
        if !words.bytes().all(|byte| is_word(byte) || byte == b' ') {
            return false;
        }
        let end = start + line.len() as u32;
        let key = Span::new(start, start + key.trim_end().len() as u32);
        let value = Span::new(end - value.trim_start().len() as u32, end);
        self.cursor.go_to(end);
        self.push(
            Span::new(start, end),
            None,
            StatementKind::Header { key, value },
        );
        true
    }

    fn instruction(&mut self, address: Option<u64>) {
        let start = self.cursor.offset();
        let guard = self.guard();
        let opcode = self.cursor.word();
        if opcode.start == opcode.end {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::NoOpcode);
        }
        let modifiers = self.modifiers();
        let first_operand = self.tree.operands.len() as u32;
        let first_annotation = self.tree.annotations.len() as u32;
        let mut encoding = None;
        self.operands(&mut encoding);
        let operands = first_operand..self.tree.operands.len() as u32;
        let annotations = first_annotation..self.tree.annotations.len() as u32;
        let end = [
            modifiers
                .clone()
                .last()
                .and_then(|at| Some(self.tree.modifiers.get(at as usize)?.end)),
            self.tree.operands[operands.start as usize..]
                .last()
                .map(|operand| operand.span.end),
            self.tree.annotations[annotations.start as usize..]
                .last()
                .map(|annotation| annotation.span.end),
        ]
        .into_iter()
        .flatten()
        .fold(opcode.end.max(start), u32::max);
        self.end_of_instruction(&mut encoding);
        let pairing = if std::mem::take(&mut self.opens_pair) {
            DualIssue::First
        } else {
            DualIssue::Alone
        };
        let index = self.tree.instructions.len() as u32;
        let span = Span::new(start, end);
        self.tree.instructions.push(Instruction {
            span,
            guard,
            opcode,
            encoding,
            control: self.control.take(),
            pairing,
            modifiers,
            operands,
            annotations,
        });
        self.push(span, address, StatementKind::Instruction(index));
    }

    fn guard(&mut self) -> Option<Guard> {
        let start = self.cursor.offset();
        if !self.cursor.take(b'@') {
            return None;
        }
        let negated = self.cursor.take(b'!');
        let name = self.cursor.word();
        let span = self.cursor.span_from(start);
        self.cursor.skip_blanks();
        let predicate = Register::of_name(name.text(self.cursor.source())).filter(|register| {
            matches!(
                register.file,
                RegisterFile::Predicate | RegisterFile::UniformPredicate
            )
        });
        let Some(predicate) = predicate else {
            self.error(span, SyntaxErrorKind::Guard);
            return None;
        };
        Some(Guard {
            span,
            negated,
            predicate,
        })
    }

    /// Parses a sequence of modifiers without blanks, such as `.E.64.STRONG.GPU`.
    pub(super) fn modifiers(&mut self) -> std::ops::Range<u32> {
        let start = self.tree.modifiers.len() as u32;
        while self.cursor.peek() == b'.' {
            let dot = self.cursor.offset();
            self.cursor.bump();
            let word = self.cursor.word();
            if word.start == word.end {
                self.error(self.cursor.span_from(dot), SyntaxErrorKind::Modifier);
            } else {
                self.tree.modifiers.push(word);
            }
        }
        start..self.tree.modifiers.len() as u32
    }

    fn operands(&mut self, encoding: &mut Option<Encoding>) {
        let mut comma: Option<Span> = None;
        let first = self.tree.operands.len();
        loop {
            if let Separator::Encoding(found) = self.gap() {
                *encoding = Some(found);
                continue;
            }
            match (self.cursor.peek(), self.cursor.ahead(1)) {
                (b';' | b'\n' | b'}', _) => break,
                (b'/', b'/') => break,
                _ if self.cursor.is_at_end() => break,
                (b',', _) => {
                    let start = self.cursor.offset();
                    self.cursor.bump();
                    let span = self.cursor.span_from(start);
                    if comma.is_some() || self.tree.operands.len() == first {
                        self.error(span, SyntaxErrorKind::Operand);
                    }
                    comma = Some(span);
                }
                (b'&' | b'?', _) | (b'{', b'&' | b'?') | (b'(', b'*') => self.annotation(),
                _ => self.operand(comma.take()),
            }
        }
        if let Some(comma) = comma {
            self.error(comma, SyntaxErrorKind::Operand);
        }
    }

    /// Skips blanks and comments on the current line, up to an encoding.
    fn gap(&mut self) -> Separator {
        loop {
            self.cursor.skip_blanks();
            if (self.cursor.peek(), self.cursor.ahead(1)) != (b'/', b'*') {
                return Separator::Nothing;
            }
            let (span, kind) = self.cursor.block_comment();
            self.tree.comments.push(span);
            match kind {
                CommentKind::Encoding(encoding) => return Separator::Encoding(encoding),
                CommentKind::Open => self.error(span, SyntaxErrorKind::Comment),
                CommentKind::Address(_) | CommentKind::Text => {}
            }
        }
    }

    /// Skips the semicolon and reads the encoding after it.
    fn end_of_instruction(&mut self, encoding: &mut Option<Encoding>) {
        self.cursor.take(b';');
        self.cursor.skip_blanks();
        let mut ahead = self.cursor;
        if (ahead.peek(), ahead.ahead(1)) == (b'/', b'*')
            && let (span, CommentKind::Encoding(found)) = ahead.block_comment()
        {
            self.cursor = ahead;
            self.tree.comments.push(span);
            *encoding = Some(found);
        }
    }

    fn annotation(&mut self) {
        let start = self.cursor.offset();
        if self.cursor.peek() == b'(' {
            if !self.cursor.skip_balanced(b'(', b')') {
                self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('('));
            }
            let span = self.cursor.span_from(start);
            let name = Span::new((start + 2).min(span.end), span.end.saturating_sub(2));
            self.tree.annotations.push(Annotation {
                span,
                kind: AnnotationKind::Remark,
                name: Span::new(name.start, name.end.max(name.start)),
                value: None,
            });
            return;
        }
        let braced = self.cursor.take(b'{');
        let kind = match self.cursor.peek() {
            b'&' => AnnotationKind::Barrier,
            _ => AnnotationKind::Schedule,
        };
        self.cursor.bump();
        let name = self.cursor.word();
        let value = self.cursor.take(b'=').then(|| self.annotation_value());
        if braced && !self.cursor.take(b'}') {
            self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('{'));
        }
        self.tree.annotations.push(Annotation {
            span: self.cursor.span_from(start),
            kind,
            name,
            value,
        });
    }

    fn annotation_value(&mut self) -> Span {
        let start = self.cursor.offset();
        if self.cursor.peek() == b'{' {
            if !self.cursor.skip_balanced(b'{', b'}') {
                self.error(self.cursor.span_from(start), SyntaxErrorKind::Open('{'));
            }
            return self.cursor.span_from(start);
        }
        self.cursor.word()
    }

    pub(super) fn error(&mut self, span: Span, kind: SyntaxErrorKind) {
        self.tree.errors.push(SyntaxError { span, kind });
    }

    fn push(&mut self, span: Span, address: Option<u64>, kind: StatementKind) {
        self.tree.statements.push(Statement {
            span,
            address,
            kind,
        });
    }
}
