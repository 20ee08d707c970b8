//! Parser of instructions: guard, opcode with modifiers, operands. This file is the hot path of the parser.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::Cursor;
use crate::parser::{ParseResult, Parser};
use crate::tree::mnemonic::{Grammar, MnemonicToken};
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, Operands};
use crate::tree::{Guard, Instruction, Range, StatementKind};
use warpgrid_isa::OperandExtension;
use warpgrid_program::Span;

/// Keywords of declarations and directives that the reference assembler rejects as modifiers of an opcode.
const RESERVED: &[&str] = &[
    "abi_preserve",
    "abi_preserve_control",
    "address_size",
    "align",
    "attribute",
    "blocksareclusters",
    "branchtargets",
    "byte",
    "callprototype",
    "calltargets",
    "common",
    "entry",
    "explicitcluster",
    "extern",
    "file",
    "func",
    "language",
    "loc",
    "managed",
    "maxclusterrank",
    "maxnctapersm",
    "maxnreg",
    "maxntid",
    "minnctapersm",
    "noreturn",
    "pragma",
    "ptr",
    "reg",
    "reqnctapercluster",
    "reqntid",
    "section",
    "target",
    "unified",
    "visible",
];

impl Parser<'_> {
    /// Parses an instruction whose opcode starts at `opcode`. The cursor is after the first word of the mnemonic.
    #[inline]
    pub(crate) fn instruction(&mut self, start: u32, opcode: u32, guard: u32) -> ParseResult<()> {
        while lexer::is(self.cursor.byte(), lexer::MNEMONIC) {
            self.cursor.at += 1;
        }
        let mut span = self.since(opcode);
        let mut byte = self.cursor.skip();
        if byte == b'.' {
            span = self.detached_modifiers(span)?;
            byte = self.cursor.skip();
        }
        let text = self.cursor.text;
        let source = self.cursor.source;
        let mnemonic = self
            .tree
            .mnemonics
            .intern(text, span, |words| split(source, span, words));
        let operands_start = self.tree.operands.len() as u32;
        match self.tree.mnemonics.grammar(mnemonic) {
            Grammar::Plain => {
                if byte != b';' && !self.ends_without_operands(span, byte) {
                    self.operands(byte)?;
                }
            }
            Grammar::Call => self.call_operands()?,
            Grammar::Malformed if self.dotted_label(span) => return Ok(()),
            Grammar::Malformed => return self.malformed_mnemonic(span),
        }
        if self.cursor.skip() == b';' {
            self.cursor.at += 1;
        } else if self.ends_early(start, operands_start)? {
            return Ok(());
        }
        let operands = Range {
            start: operands_start,
            end: self.tree.operands.len() as u32,
        };
        let instruction = Instruction {
            mnemonic,
            mnemonic_start: opcode,
            operands,
            guard,
        };
        self.push(start, StatementKind::Instruction(instruction));
        Ok(())
    }

    /// Handles an instruction without a terminating `;`. Returns `true` if `...` replaces operands, so that the statement is not an
    /// instruction.
    #[cold]
    fn ends_early(&mut self, start: u32, first_operand: u32) -> ParseResult<bool> {
        if self.eat_dots() {
            self.operands_left_out(start, first_operand)?;
            return Ok(true);
        }
        self.missing_semicolon("instruction")?;
        Ok(false)
    }

    /// Returns whether the text after an opcode starts another statement.
    #[inline]
    fn ends_without_operands(&self, mnemonic: Span, byte: u8) -> bool {
        let near = self.cursor.offset() <= mnemonic.end + 2;
        !(near && lexer::is(byte, lexer::OPERAND)) && self.other_statement_follows(mnemonic)
    }

    #[cold]
    fn other_statement_follows(&self, mnemonic: Span) -> bool {
        let gap = Span::new(mnemonic.end, self.cursor.offset()).text(self.cursor.source);
        match self.cursor.byte() {
            b'}' => true,
            _ if self.cursor.at_end() => true,
            b'@' | b'.' => gap.contains('\n'),
            _ => gap.contains('\n') && self.cursor.at_name() && self.starts_statement(b','),
        }
    }

    /// Parses operands that are separated by commas.
    #[inline]
    fn operands(&mut self, mut byte: u8) -> ParseResult<()> {
        let first = self.tree.operands.len();
        loop {
            self.operand(byte)?;
            if byte == b'_' {
                self.sink_comes_first(first);
            }
            byte = self.cursor.skip();
            if byte == b'|' {
                self.resident(first)?;
                byte = self.cursor.skip();
            }
            if byte != b',' {
                return Ok(());
            }
            self.cursor.at += 1;
            byte = self.cursor.skip();
        }
    }

    /// Checks the position of a sink `_`. A sink replaces a result, so it must be the first operand, or an element of a vector or pair.
    #[cold]
    fn sink_comes_first(&mut self, first: usize) {
        match self.tree.operands.last() {
            Some(last)
                if last.kind == OperandKind::Sink && self.tree.operands.len() > first + 1 =>
            {
                self.report(syntax::misplaced_sink(
                    last.span,
                    "a value, because only a result can be discarded",
                ));
            }
            _ => {}
        }
    }

    /// Parses the residency predicate `|%p` after a vector that is the first operand of a texture instruction. The cursor is at the bar.
    #[cold]
    fn resident(&mut self, first: usize) -> ParseResult<()> {
        let bar = self.cursor.offset();
        let only = Operands::new(self.tree.operands.get(first..).unwrap_or(&[])).count() == 1;
        let vector = matches!(self.tree.operands.get(first), Some(o) if matches!(o.kind, OperandKind::Vector { .. }));
        if !only || !vector {
            return self.unexpected("`,` or `;`");
        }
        self.cursor.at += 1;
        self.cursor.skip();
        if !self.cursor.at_name() {
            return self.unexpected("a predicate register after `|`");
        }
        let start = self.cursor.offset();
        self.cursor.skip_name();
        let name_span = self.since(start);
        if name_span.text(self.cursor.source) == "_" {
            return self.broken(syntax::misplaced_sink(name_span, "a predicate register"));
        }
        let kind = OperandKind::Resident(self.name_of(name_span));
        let span = Span::new(bar, name_span.end);
        self.tree.operands.push(Operand { span, kind });
        Ok(())
    }

    /// Parses modifiers with blanks before their dots. Reports a dot that does not start a modifier.
    #[cold]
    fn detached_modifiers(&mut self, mut span: Span) -> ParseResult<Span> {
        loop {
            let end = span.end as usize;
            if self.cursor.skip() != b'.' {
                self.cursor.at = end;
                return Ok(span);
            }
            let dot = self.cursor.offset();
            let gap = Span::new(span.end, dot).text(self.cursor.source);
            self.cursor.at += 1;
            if !self.cursor.at_modifier() {
                return self.broken(syntax::lone_dot(Span::new(dot, dot + 1)));
            }
            self.cursor.skip_word();
            let word = Span::new(dot + 1, self.cursor.offset()).text(self.cursor.source);
            if gap.contains('\n') && RESERVED.contains(&word) {
                self.cursor.at = end;
                return Ok(span);
            }
            while lexer::is(self.cursor.byte(), lexer::MNEMONIC) {
                self.cursor.at += 1;
            }
            span = self.since(span.start);
        }
    }

    /// Reports the reason why a mnemonic cannot be split into an opcode and modifiers.
    #[cold]
    fn malformed_mnemonic(&mut self, span: Span) -> ParseResult<()> {
        let source = self.cursor.source;
        match take_apart(source, span, |_| {}) {
            Err(OpcodeSyntaxError::Dot(at)) => self.broken(syntax::lone_dot(Span::new(at, at + 1))),
            Err(OpcodeSyntaxError::Word(word)) => {
                let text = self.text(word);
                self.broken(syntax::malformed_modifier(word, text))
            }
            Err(OpcodeSyntaxError::Reserved(word)) => {
                let text = self.text(word);
                self.broken(syntax::directive_in_opcode(word, text))
            }
            Ok(()) => self.unexpected("an opcode"),
        }
    }

    /// Skips the backslash before a guarded instruction, and returns the byte after the backslash.
    #[cold]
    fn escape(&mut self) -> ParseResult<u8> {
        self.cursor.at += 1;
        let byte = self.cursor.skip();
        match self.cursor.token().span.text(self.cursor.source) {
            "call" => self.unexpected("an instruction other than `call`"),
            _ => Ok(byte),
        }
    }

    /// Parses a guard `@%p` or `@!%p`, and the instruction after it.
    pub(crate) fn guarded(&mut self, start: u32) -> ParseResult<()> {
        self.cursor.at += 1;
        let negated = self.eat(b'!');
        self.cursor.skip();
        let name_start = self.cursor.at;
        let name_span = match self.cursor.name() {
            Some(span) if span.text(self.cursor.source) != "_" => span,
            _ => {
                self.cursor.at = name_start;
                self.bad_token()?;
                let found = self.found();
                return self.broken(syntax::malformed_guard(&found, "a predicate register"));
            }
        };
        let name = self.name_of(name_span);
        let mut byte = self.cursor.skip();
        if byte == b'\\' {
            byte = self.escape()?;
        }
        if !self.cursor.at_name() || byte == b'%' {
            self.bad_token()?;
            let found = self.found();
            if byte == b'{' {
                self.report(syntax::malformed_guard(
                    &found,
                    "an instruction, because a block cannot be predicated",
                ));
                self.cursor.at = name_span.end as usize;
                self.push(start, StatementKind::Error);
                return Ok(());
            }
            return self.broken(syntax::malformed_guard(&found, "an instruction"));
        }
        let opcode = self.cursor.offset();
        self.cursor.skip_name();
        let end = self.cursor.at;
        if self.cursor.skip() == b':' && self.cursor.byte_at(1) != b':' {
            let found = self.found();
            return self.broken(syntax::malformed_guard(
                &found,
                "an instruction, because a label cannot be predicated",
            ));
        }
        self.cursor.at = end;
        let guard = Guard {
            span: Span::new(start, name_span.end),
            name,
            name_span,
            negated,
        };
        self.tree.guards.push(guard);
        self.instruction(start, opcode, self.tree.guards.len() as u32)
    }

    /// Returns the name at a span, and interns its stem.
    #[inline]
    pub(crate) fn name_of(&mut self, span: Span) -> Name {
        self.tree.symbols.intern_name(self.cursor.text, span)
    }

    /// Reports a statement without a terminating `;`. If the next statement starts on another line, parsing continues. Otherwise, returns
    /// an error.
    #[cold]
    pub(crate) fn missing_semicolon(&mut self, what: &str) -> ParseResult<()> {
        let end = self.end_before_cursor();
        let gap = Span::new(end, self.cursor.offset()).text(self.cursor.source);
        let byte = self.cursor.byte();
        let new_line = gap.contains('\n');
        let closes = byte == b'}' && !self.brace_in_statement();
        if self.cursor.at_end() || new_line || closes {
            let found = self.found();
            self.report_tolerated(syntax::missing_semicolon(end, what, &found));
            self.cursor.at = end as usize;
            return Ok(());
        }
        match byte {
            b'}' | b')' | b']' => self.unexpected("`;`"),
            _ => self.unexpected("`,` or `;`"),
        }
    }

    /// Returns the end of the last token before the cursor. Trivia may be between this token and the cursor.
    #[cold]
    pub(crate) fn end_before_cursor(&self) -> u32 {
        let statement = self.last_end as usize;
        let mut ahead = Cursor {
            at: statement,
            ..self.cursor.clone()
        };
        let mut end = statement;
        loop {
            ahead.skip();
            if ahead.at >= self.cursor.at {
                return end as u32;
            }
            end = ahead.token().span.end as usize;
            ahead.at = end;
        }
    }
}

/// Reason why a mnemonic is malformed.
enum OpcodeSyntaxError {
    /// A dot that does not start a modifier.
    Dot(u32),
    /// Text that is not a valid modifier.
    Word(Span),
    /// Word that is a keyword of declarations.
    Reserved(Span),
}

/// Splits the new mnemonic spelling at `span` into words, and returns the syntax of its operands.
fn split(source: &str, span: Span, words: &mut Vec<MnemonicToken>) -> Grammar {
    let first = words.len();
    let push = |word: Span| {
        words.push(MnemonicToken {
            offset: word.start - span.start,
            len: word.end - word.start,
        });
    };
    if take_apart(source, span, push).is_err() {
        return Grammar::Malformed;
    }
    let opcode = words
        .get(first)
        .map_or("", |word| word.span_at(span.start).text(source));
    let mut forms = warpgrid_isa::form::forms_of(opcode);
    match forms.any(|layout| {
        layout
            .form
            .operand_extensions(OperandExtension::ParameterLists)
    }) {
        true => Grammar::Call,
        false => Grammar::Plain,
    }
}

/// Calls `word` for the span of each word of the mnemonic at `span`.
fn take_apart(
    source: &str,
    span: Span,
    mut word: impl FnMut(Span),
) -> Result<(), OpcodeSyntaxError> {
    let mut cursor = Cursor::new(source);
    cursor.at = span.start as usize;
    cursor.skip_name();
    word(Span::new(span.start, cursor.offset()));
    while cursor.at < span.end as usize {
        if cursor.skip() != b'.' {
            let rest = Span::new(cursor.offset(), cursor.offset().max(span.end));
            return Err(OpcodeSyntaxError::Word(rest));
        }
        let dot = cursor.offset();
        cursor.at += 1;
        if !lexer::is(cursor.byte(), lexer::NAME) {
            return Err(OpcodeSyntaxError::Dot(dot));
        }
        let starts_well = cursor.at_modifier();
        cursor.skip_word();
        let spelled = Span::new(dot + 1, cursor.offset());
        if !starts_well {
            return Err(OpcodeSyntaxError::Word(Span::new(dot, spelled.end)));
        }
        if RESERVED.contains(&spelled.text(source)) {
            return Err(OpcodeSyntaxError::Reserved(Span::new(dot, spelled.end)));
        }
        word(spelled);
    }
    Ok(())
}
