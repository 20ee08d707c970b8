//! Binds the modifiers of a store to its slots, in any order.

use std::ops::Range;
use warpgrid_isa::sass::{Slot, Store, Word};

/// Modifier bound to a slot of a store.
#[derive(Clone, Debug)]
pub(crate) struct BoundWord {
    /// Index into [`Store::slots`].
    pub(crate) slot: usize,
    pub(crate) word: &'static Word,
    /// Range of source modifiers that form it: one or two.
    pub(crate) parts: Range<usize>,
}

/// Bound modifiers of a mnemonic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bound {
    pub(crate) words: Vec<BoundWord>,
    /// Indices of modifiers that the store does not accept.
    pub(crate) unknown: Vec<usize>,
}

impl Bound {
    /// Returns the modifier in the slot with this name.
    pub(crate) fn find(&self, store: &Store, slot: &str) -> Option<&'static Word> {
        self.words
            .iter()
            .find(|bound| store.slots[bound.slot].name == slot)
            .map(|bound| bound.word)
    }
}

/// Binds modifiers, without their dots, to the slots of a store. Values of two components such as `STRONG.GPU` take precedence.
pub(crate) fn bind(store: &Store, modifiers: &[&str]) -> Bound {
    let mut bound = Bound::default();
    let mut at = 0;
    while at < modifiers.len() {
        let two = modifiers.get(at + 1).and_then(|next| {
            let (slot, word) = find(store, |text| {
                text.split_once('.') == Some((modifiers[at], *next))
            })?;
            Some((slot, word, at..at + 2))
        });
        let one = || {
            let (slot, word) = find(store, |text| text == modifiers[at])?;
            Some((slot, word, at..at + 1))
        };
        match two.or_else(one) {
            Some((slot, word, parts)) => {
                at = parts.end;
                bound.words.push(BoundWord { slot, word, parts });
            }
            None => {
                bound.unknown.push(at);
                at += 1;
            }
        }
    }
    bound
}

fn find(store: &Store, is: impl Fn(&str) -> bool) -> Option<(usize, &'static Word)> {
    store.slots.iter().enumerate().find_map(|(index, slot)| {
        let slot: &'static Slot = slot;
        let word = slot.words.iter().find(|word| is(word.text))?;
        Some((index, word))
    })
}
