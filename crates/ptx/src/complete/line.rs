//! Partial instruction before an offset, on the line of the offset.

use crate::lexer;
use crate::lexer::TokenKind;
use warpgrid_isa::form::BoundForm;
use warpgrid_program::Span;

/// Syntactic position of the completion offset within its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CursorContext {
    Opcode,
    Modifier,
    Guard,
    Operand(usize),
    /// Directive or declaration, whose words are those of [`PartialInstruction::words`].
    Directive,
    Elsewhere,
}

/// Partial instruction before an offset, on the line of the offset.
pub(crate) struct PartialInstruction<'s> {
    /// Opcode with the modifiers that are complete.
    pub(crate) words: Vec<&'s str>,
    /// Partial word at the offset, without its dot.
    pub(crate) prefix: &'s str,
    offset: u32,
    place: CursorContext,
    /// Whether the offset is within brackets.
    pub(crate) in_brackets: bool,
}

impl<'s> PartialInstruction<'s> {
    pub(crate) fn read(source: &'s str, offset: u32) -> PartialInstruction<'s> {
        let end = (offset as usize).min(source.len());
        let text = source.get(..end).unwrap_or("");
        let start = text.rfind('\n').map_or(0, |at| at + 1);
        let mut line = PartialInstruction {
            words: Vec::new(),
            prefix: "",
            offset: end as u32,
            place: CursorContext::Opcode,
            in_brackets: false,
        };
        let mut nesting = 0usize;
        let mut at = start;
        let mut last_blank = false;
        while at < end {
            let token = lexer::token_at(text, at);
            let piece = text
                .get(at..(token.span.end as usize).min(end))
                .unwrap_or("");
            at += piece.len().max(1);
            last_blank = token.kind == TokenKind::Blank;
            line.step(piece, token.kind, &mut nesting);
        }
        if last_blank {
            line.blank();
        }
        line
    }

    fn step(&mut self, piece: &'s str, kind: TokenKind, nesting: &mut usize) {
        use TokenKind as K;
        self.prefix = "";
        match (kind, piece) {
            (K::Comment | K::OpenComment | K::OpenString | K::String, _) => {
                self.place = CursorContext::Elsewhere;
            }
            (_, ";") => self.restart(nesting),
            (_, "{" | "}") if self.words.is_empty() || self.place == CursorContext::Directive => {
                self.restart(nesting);
            }
            (_, ":") if self.words.len() == 1 => self.restart(nesting),
            (_, "@") if self.words.is_empty() => self.place = CursorContext::Guard,
            (K::Blank, _) => self.blank(),
            (K::Name, _) if self.place != CursorContext::Directive => match self.place {
                CursorContext::Opcode => {
                    self.words.push(piece);
                    self.prefix = piece;
                }
                _ => self.prefix = piece,
            },
            (K::Word, _) | (_, ".") if self.words.is_empty() => {
                self.place = CursorContext::Directive;
                self.directive_word(piece);
            }
            (K::Word | K::Name | K::Number, _) | (_, ".")
                if self.place == CursorContext::Directive =>
            {
                self.directive_word(piece);
            }
            (K::Word, _)
                if matches!(self.place, CursorContext::Opcode | CursorContext::Modifier) =>
            {
                self.place = CursorContext::Modifier;
                self.words.push(piece.trim_start_matches('.'));
                self.prefix = piece.trim_start_matches('.');
            }
            (_, ".") if matches!(self.place, CursorContext::Opcode | CursorContext::Modifier) => {
                self.place = CursorContext::Modifier;
            }
            (_, "[" | "(" | "{") => {
                *nesting += 1;
                self.in_brackets |= piece == "[";
            }
            (_, "]" | ")" | "}") => {
                *nesting = nesting.saturating_sub(1);
                self.in_brackets &= piece != "]";
            }
            (_, ",") if *nesting == 0 => {
                if let CursorContext::Operand(index) = self.place {
                    self.place = CursorContext::Operand(index + 1);
                }
            }
            _ => {}
        }
    }

    /// Adds a word of a directive without its dot.
    fn directive_word(&mut self, piece: &'s str) {
        self.prefix = piece.trim_start_matches('.');
        if !self.prefix.is_empty() {
            self.words.push(self.prefix);
        }
    }

    fn restart(&mut self, nesting: &mut usize) {
        *nesting = 0;
        self.words.clear();
        self.place = CursorContext::Opcode;
        self.in_brackets = false;
    }

    /// Processes a blank, which terminates the opcode and the guard.
    fn blank(&mut self) {
        self.prefix = "";
        match self.place {
            CursorContext::Opcode | CursorContext::Modifier if !self.words.is_empty() => {
                self.place = CursorContext::Operand(0);
            }
            CursorContext::Guard => self.place = CursorContext::Opcode,
            _ => {}
        }
    }

    pub(crate) const fn place(&self) -> CursorContext {
        self.place
    }

    /// Returns the opcode and the completed modifiers.
    pub(crate) fn finished(&self) -> &[&'s str] {
        match self.words.split_last() {
            Some((last, rest)) if !self.prefix.is_empty() && *last == self.prefix => rest,
            _ => &self.words,
        }
    }

    pub(crate) fn bound(&self) -> Option<BoundForm> {
        let (opcode, words) = self.words.split_first()?;
        warpgrid_isa::form::bind(opcode, words, None)
    }

    pub(crate) fn span(&self) -> Span {
        Span::new(self.offset - self.prefix.len() as u32, self.offset)
    }
}
