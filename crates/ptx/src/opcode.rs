//! View of one mnemonic for checks and diagnostics: the opcode and the modifiers with their spans.

use crate::tree::Tree;
use crate::tree::mnemonic::MnemonicId;
use warpgrid_isa::form::{BoundForm, SlotKind};
use warpgrid_program::Span;

/// Words (opcode and modifiers) of a mnemonic, with their spans.
#[derive(Clone, Debug)]
pub(crate) struct Opcode<'a> {
    /// Opcode, followed by the modifiers.
    pub(crate) words: Vec<&'a str>,
    pub(crate) spans: Vec<Span>,
    /// Span of the whole mnemonic.
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

    /// Returns the usual name of the instruction: the opcode with the modifiers that belong to the name (`st.async`).
    pub(crate) fn called(&self, bound: &BoundForm) -> String {
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

    /// Returns whether only the dot separates a word (word 0 is the opcode) from the preceding word.
    pub(crate) fn is_joined(&self, word: usize) -> bool {
        match (
            word.checked_sub(1).and_then(|w| self.spans.get(w)),
            self.spans.get(word),
        ) {
            (Some(before), Some(span)) => before.end.saturating_add(1) == span.start,
            _ => true,
        }
    }

    /// Returns the span of a modifier, counted from 0, or the span of the mnemonic if the index is out of range.
    pub(crate) fn modifier_span(&self, index: usize) -> Span {
        self.spans.get(index + 1).copied().unwrap_or(self.span)
    }

    /// Returns the span of a modifier including its dot, for its removal.
    pub(crate) fn dotted_span(&self, index: usize) -> Span {
        let span = self.modifier_span(index);
        Span::new(span.start.saturating_sub(1), span.end)
    }

    pub(crate) fn modifier(&self, index: usize) -> &'a str {
        self.words.get(index + 1).copied().unwrap_or("")
    }
}
