//! Binds the modifiers of an opcode to the slots of a form. In: an opcode word and its modifier words; out: the form
//! that fits best, with a value for each slot, or what is wrong with it.
//!
//! Modifiers bind in any order, as the reference assembler takes them; only types, which several slots of one form
//! may take, are counted off in the order written.

use super::layout::{Layout, SlotKind, forms_of, layouts};
use super::{Gate, Meaning, Value};
use crate::modifiers::Modifiers;
use crate::types::ScalarType;
use std::sync::OnceLock;

/// What is wrong with the modifiers of an opcode. Indices count the modifier words from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The word is no modifier of any instruction.
    Unknown { word: usize },
    /// The word is a modifier, but not one of this form.
    Illegal { word: usize },
    /// The slot is filled already, by the word `first`.
    Duplicate { word: usize, first: usize },
    /// A type that this slot does not take.
    Type { word: usize, slot: usize },
    /// A required slot that no word fills.
    Missing { slot: usize },
}

impl Complaint {
    /// How much the complaint speaks against the form. A missing literal tells forms apart best.
    fn weight(self, layout: &Layout) -> u32 {
        match self {
            Complaint::Missing { slot } => match layout.slots.get(slot).map(|s| s.kind) {
                Some(SlotKind::Literal(..)) => 4,
                _ => 2,
            },
            Complaint::Unknown { .. } => 3,
            Complaint::Illegal { .. } => 3,
            Complaint::Duplicate { .. } => 3,
            Complaint::Type { .. } => 3,
        }
    }
}

/// A word in a slot.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Index of the modifier word.
    pub word: usize,
    /// `None` for a literal.
    pub value: Option<&'static Value>,
}

/// The form that fits best, and how well.
#[derive(Clone, Debug)]
pub struct Bound {
    pub layout: &'static Layout,
    /// One for each slot of the layout.
    pub slots: Vec<Option<Binding>>,
    /// Empty when the modifiers are those of the form.
    pub complaints: Vec<Complaint>,
}

impl Bound {
    /// What the bound words say, typed.
    pub fn modifiers(&self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        for (slot, binding) in self.layout.slots.iter().zip(&self.slots) {
            let Some(binding) = binding else { continue };
            match (binding.value, slot.kind) {
                (Some(value), _) => modifiers.set(value.meaning, slot.role),
                (None, SlotKind::Literal(_, Some(flag))) => {
                    modifiers.set(Meaning::Flag(flag), slot.role);
                }
                (None, _) => {}
            }
        }
        modifiers
    }

    /// The meaning of the value in the slot of this name, if a word fills it.
    pub fn meaning(&self, slot: &str) -> Option<Meaning> {
        let index = self.slot_index(slot)?;
        self.slots.get(index)?.as_ref()?.value.map(|v| v.meaning)
    }

    /// Whether a word fills the slot of this name.
    pub fn has(&self, slot: &str) -> bool {
        self.slot_index(slot)
            .and_then(|index| self.slots.get(index))
            .is_some_and(Option::is_some)
    }

    /// The spelling of the word in this slot, without its dot.
    pub fn text(&self, slot: &str) -> Option<&'static str> {
        let index = self.slot_index(slot)?;
        let binding = self.slots.get(index)?.as_ref()?;
        match (binding.value, self.layout.slots.get(index)?.kind) {
            (Some(value), _) => Some(value.text),
            (None, SlotKind::Literal(text, _)) => Some(text),
            (None, SlotKind::Set(_)) => None,
        }
    }

    /// Index of the modifier word in this slot.
    pub fn word(&self, slot: &str) -> Option<usize> {
        let index = self.slot_index(slot)?;
        self.slots.get(index)?.as_ref().map(|b| b.word)
    }

    /// The type in this slot.
    pub fn scalar(&self, slot: &str) -> Option<ScalarType> {
        match self.meaning(slot)? {
            Meaning::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// The gates to judge: of the form (`None`), and of the value bound by each word.
    pub fn gates(&self) -> impl Iterator<Item = (Option<usize>, Gate)> {
        let values = self.slots.iter().flatten();
        std::iter::once((None, self.layout.form.gate))
            .chain(values.filter_map(|b| b.value.map(|value| (Some(b.word), value.gate))))
    }

    fn slot_index(&self, slot: &str) -> Option<usize> {
        self.layout.slots.iter().position(|s| s.name == slot)
    }

    fn weight(&self) -> u32 {
        let weights = self.complaints.iter().map(|c| c.weight(self.layout));
        weights.sum()
    }
}

/// Binds the modifier words (no dots) to the form of `opcode` that has the fewest complaints; of equal ones the first
/// in the table. A literal that leads a form and the words decides before all else. `n_operands`, when known, decides between forms that take the same modifiers. `None`: no row has
/// the opcode.
pub fn bind(opcode: &str, words: &[&str], n_operands: Option<usize>) -> Option<Bound> {
    // `async` right behind `st` names the instruction, so the other forms of `st` are out of the question.
    let named = forms_of(opcode).any(|layout| is_led_by(layout, words));
    forms_of(opcode)
        .filter(|layout| !named || is_led_by(layout, words))
        .map(|layout| bind_layout(layout, words))
        .min_by_key(|bound| (bound.weight(), operand_distance(bound.layout, n_operands)))
}

/// Whether the first modifier is a literal that the form's first slot demands.
fn is_led_by(layout: &Layout, words: &[&str]) -> bool {
    match (layout.slots.first(), words.first()) {
        (Some(slot), Some(word)) => {
            slot.required && matches!(slot.kind, SlotKind::Literal(text, _) if text == *word)
        }
        _ => false,
    }
}

/// Binds to one form, whatever fits.
pub fn bind_layout(layout: &'static Layout, words: &[&str]) -> Bound {
    let mut bound = Bound {
        layout,
        slots: vec![None; layout.slots.len()],
        complaints: Vec::new(),
    };
    let mut type_slots =
        (0..layout.slots.len()).filter(|i| layout.slots.get(*i).is_some_and(|s| s.is_type()));
    for (index, word) in words.iter().enumerate() {
        if ScalarType::from_name(word).is_some() && !is_literal_of(layout, word) {
            bind_type(&mut bound, type_slots.next(), index, word);
        } else {
            bind_word(&mut bound, index, word);
        }
    }
    for (slot, filled) in bound.slots.iter().enumerate() {
        if filled.is_none() && layout.slots.get(slot).is_some_and(|s| s.required) {
            bound.complaints.push(Complaint::Missing { slot });
        }
    }
    bound
}

fn is_literal_of(layout: &Layout, word: &str) -> bool {
    layout
        .slots
        .iter()
        .any(|slot| matches!(slot.kind, SlotKind::Literal(text, _) if text == word))
}

fn bind_type(bound: &mut Bound, slot: Option<usize>, word: usize, text: &str) {
    let Some(slot) = slot else {
        let last = bound.layout.slots.iter().rposition(|s| s.is_type());
        let first = last.and_then(|slot| bound.slots.get(slot)?.as_ref().map(|b| b.word));
        bound.complaints.push(match first {
            Some(first) => Complaint::Duplicate { word, first },
            None => Complaint::Illegal { word },
        });
        return;
    };
    match bound.layout.slots.get(slot).and_then(|s| s.find(text)) {
        Some(value) => fill(bound, slot, word, value),
        None => {
            bound.complaints.push(Complaint::Type { word, slot });
            // The slot counts as filled: one complaint is enough.
            fill(bound, slot, word, None);
        }
    }
}

fn bind_word(bound: &mut Bound, word: usize, text: &str) {
    let mut taken = None;
    for (index, slot) in bound.layout.slots.iter().enumerate() {
        let Some(value) = slot.find(text) else {
            continue;
        };
        match bound.slots.get(index) {
            Some(None) => return fill(bound, index, word, value),
            Some(Some(binding)) => taken = taken.or(Some(binding.word)),
            None => {}
        }
    }
    bound.complaints.push(match taken {
        Some(first) => Complaint::Duplicate { word, first },
        None if is_known_word(text) => Complaint::Illegal { word },
        None => Complaint::Unknown { word },
    });
}

fn fill(bound: &mut Bound, slot: usize, word: usize, value: Option<&'static Value>) {
    if let Some(place) = bound.slots.get_mut(slot) {
        *place = Some(Binding { word, value });
    }
}

fn operand_distance(layout: &Layout, n_operands: Option<usize>) -> usize {
    let Some(n) = n_operands else { return 0 };
    let (least, most) = (layout.n_required(), layout.operands.len());
    least.saturating_sub(n) + n.saturating_sub(most)
}

/// Whether some form takes this word as a modifier.
pub fn is_known_word(word: &str) -> bool {
    known_words().binary_search(&word).is_ok()
        || crate::forms::OTHER_MODIFIERS.contains(&word)
        || ScalarType::from_name(word).is_some()
}

/// Every modifier word of every form, sorted.
pub fn known_words() -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let slots = layouts().iter().flat_map(|layout| &layout.slots);
        let mut words: Vec<_> = slots.flat_map(|slot| slot.spellings()).collect();
        words.sort_by_cached_key(|word| *word);
        words.dedup();
        words
    })
}
