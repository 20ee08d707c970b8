//! One opcode as written. In: the source and a mnemonic of its tree; out: the words with their places, for checks and
//! diagnostics.

use crate::tree::Tree;
use crate::tree::mnemonic::MnemonicId;
use warpgrid_isa::form::{Bound, SlotKind};
use warpgrid_program::Span;

/// An opcode's words and their places.
#[derive(Clone, Debug)]
pub(crate) struct Opcode<'a> {
    /// Opcode first, then the modifiers.
    pub(crate) words: Vec<&'a str>,
    pub(crate) spans: Vec<Span>,
    /// All of it.
    pub(crate) span: Span,
    pub(crate) text: &'a str,
}

impl<'a> Opcode<'a> {
    pub(crate) fn read(source: &'a str, tree: &Tree, id: MnemonicId) -> Opcode<'a> {
        let span = tree.mnemonics.get(id).first;
        let words = tree.mnemonics.words(id);
        let spans: Vec<_> = words.iter().map(|w| w.span_at(span.start)).collect();
        Opcode {
            words: spans.iter().map(|span| span.text(source)).collect(),
            spans,
            span,
            text: span.text(source),
        }
    }

    pub(crate) fn name(&self) -> &'a str {
        self.words.first().copied().unwrap_or("")
    }

    /// The instruction as people call it: the opcode with the words that belong to its name (`st.async`).
    pub(crate) fn called(&self, bound: &Bound) -> String {
        let mut name = self.name().to_owned();
        for (slot, word) in bound.layout.leads().iter().zip(self.modifiers()) {
            match slot.kind {
                SlotKind::Literal(text, _) if text == *word => {
                    name.push('.');
                    name.push_str(text);
                }
                _ => break,
            }
        }
        name
    }

    pub(crate) fn modifiers(&self) -> &[&'a str] {
        self.words.get(1..).unwrap_or(&[])
    }

    /// Whether only the dot is between a word (the opcode is word 0) and the one before.
    pub(crate) fn is_joined(&self, word: usize) -> bool {
        match (
            word.checked_sub(1).and_then(|w| self.spans.get(w)),
            self.spans.get(word),
        ) {
            (Some(before), Some(span)) => before.end.saturating_add(1) == span.start,
            _ => true,
        }
    }

    /// The place of a modifier, counted from 0; of the opcode for numbers beyond.
    pub(crate) fn modifier_span(&self, index: usize) -> Span {
        self.spans.get(index + 1).copied().unwrap_or(self.span)
    }

    /// The modifier with its dot, for removing it.
    pub(crate) fn dotted_span(&self, index: usize) -> Span {
        let span = self.modifier_span(index);
        Span::new(span.start.saturating_sub(1), span.end)
    }

    pub(crate) fn modifier(&self, index: usize) -> &'a str {
        self.words.get(index + 1).copied().unwrap_or("")
    }
}
