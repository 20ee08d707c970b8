//! Binds the modifiers of a store to the slots of the store. The order of the modifiers does not matter.

use std::ops::Range;
use warpgrid_isa::sass::{MnemonicSlot, StoreModifier, StoreOpcode};

/// Modifier bound to a slot of a store.
#[derive(Clone, Debug)]
pub(crate) struct BoundModifier {
    /// Index into [`StoreOpcode::slots`].
    pub(crate) slot: usize,
    pub(crate) word: &'static StoreModifier,
    /// Range of the one or two source modifiers that form the bound modifier.
    pub(crate) parts: Range<usize>,
}

/// Bound modifiers of a mnemonic.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundModifiers {
    pub(crate) words: Vec<BoundModifier>,
    /// Indices of modifiers that the store does not accept.
    pub(crate) unknown: Vec<usize>,
}

impl BoundModifiers {
    /// Returns the modifier in the slot with this name.
    pub(crate) fn find(&self, store: &StoreOpcode, slot: &str) -> Option<&'static StoreModifier> {
        self.words
            .iter()
            .find(|bound| store.slots[bound.slot].name == slot)
            .map(|bound| bound.word)
    }
}

/// Binds modifiers, without their dots, to the slots of a store. Modifiers with two components, such as `STRONG.GPU`, take precedence.
pub(crate) fn bind(store: &StoreOpcode, modifiers: &[&str]) -> BoundModifiers {
    let mut bound = BoundModifiers::default();
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
                bound.words.push(BoundModifier { slot, word, parts });
            }
            None => {
                bound.unknown.push(at);
                at += 1;
            }
        }
    }
    bound
}

fn find(store: &StoreOpcode, is: impl Fn(&str) -> bool) -> Option<(usize, &'static StoreModifier)> {
    store.slots.iter().enumerate().find_map(|(index, slot)| {
        let slot: &'static MnemonicSlot = slot;
        let word = slot.words.iter().find(|word| is(word.text))?;
        Some((index, word))
    })
}
