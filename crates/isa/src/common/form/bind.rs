//! Binds the modifiers of an instruction to the slots of a form: selects the best-matching form for an opcode and its modifiers, and
//! returns a value for each slot or the mismatches.
//!
//! As in the reference assembler, the order of the modifiers does not matter. Only type modifiers are assigned to slots in source order,
//! because several slots of a form may accept the same type.

use super::syntax::{FormSyntax, ModifierSlot, SlotKind};
use super::{FactSource, Gate, ModifierSpelling, ModifierValue, SlotKey, SlotName};
use crate::dialect::Dialect;
use crate::modifiers::Modifiers;
use crate::types::ScalarType;

/// Mismatch between the modifiers of an instruction and a form. `word` is the index of a modifier, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindError {
    /// No instruction has this modifier.
    Unknown { word: usize },
    /// The modifier exists, but this form does not accept it.
    Illegal { word: usize },
    /// The slot is already filled by the modifier `first`.
    Duplicate { word: usize, first: usize },
    /// The slot does not accept this type.
    Type { word: usize, slot: usize },
    /// A required slot is empty.
    Missing { slot: usize },
}

impl BindError {
    /// Returns the penalty of the mismatch for ranking candidate forms. A missing literal modifier has the highest penalty, because literal
    /// modifiers distinguish the forms of an opcode.
    fn penalty(self, layout: &FormSyntax) -> u32 {
        match self {
            BindError::Missing { slot } => match layout.slots.get(slot).map(|s| s.kind) {
                Some(SlotKind::Literal(..)) => 4,
                _ => 2,
            },
            BindError::Unknown { .. } => 3,
            BindError::Illegal { .. } => 3,
            BindError::Duplicate { .. } => 3,
            BindError::Type { .. } => 3,
        }
    }
}

/// Modifier that is bound to a slot.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Index of the modifier in the opcode of the source.
    pub word: usize,
    /// Value of the modifier, or `None` for a literal modifier.
    pub value: Option<&'static ModifierSpelling>,
}

/// Form that matches the modifiers of an instruction best, with the modifiers bound to the slots of the form.
#[derive(Clone, Debug)]
pub struct BoundForm {
    pub layout: &'static FormSyntax,
    /// Binding of each slot of the syntax line, or `None` for an empty slot.
    pub slots: Vec<Option<Binding>>,
    /// Mismatches between the modifiers and the form. The list is empty if the modifiers match.
    pub complaints: Vec<BindError>,
}

impl BoundForm {
    /// Returns the typed values of the bound modifiers.
    pub fn modifiers(&self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        for (slot, binding) in self.layout.slots.iter().zip(&self.slots) {
            let Some(binding) = binding else { continue };
            match (binding.value, slot.kind) {
                (Some(value), _) => modifiers.set(value.meaning, slot.role),
                (None, SlotKind::Literal(_, Some(flag))) => {
                    modifiers.set(ModifierValue::Flag(flag), slot.role);
                }
                (None, _) => {}
            }
        }
        modifiers
    }

    /// Returns the slot selected by `key` with its binding, or `None` if the slot is empty. Because most slots of a form are empty, the
    /// function tests for a binding before the comparison of the key.
    fn filled(&self, key: impl SlotKey) -> Option<(&'static ModifierSlot, &Binding)> {
        let mut pairs = self.layout.slots.iter().zip(&self.slots);
        pairs.find_map(|(slot, binding)| match binding {
            Some(binding) if key.is(slot) => Some((slot, binding)),
            _ => None,
        })
    }

    /// Returns the typed value of the modifier in this slot, if the slot is filled.
    pub fn meaning(&self, slot: impl SlotKey) -> Option<ModifierValue> {
        let (_, binding) = self.filled(slot)?;
        binding.value.map(|value| value.meaning)
    }

    /// Returns whether this slot is filled.
    pub fn has(&self, slot: impl SlotKey) -> bool {
        self.filled(slot).is_some()
    }

    /// Returns the spelling of the modifier in this slot, without the dot.
    pub fn text(&self, slot: impl SlotKey) -> Option<&'static str> {
        self.spelled(slot).map(|(_, text)| text)
    }

    /// Returns the index and the spelling of the modifier in this slot, or `None` if the slot is empty or its modifier is invalid.
    pub fn spelled(&self, slot: impl SlotKey) -> Option<(usize, &'static str)> {
        let (slot, binding) = self.filled(slot)?;
        let text = match (binding.value, slot.kind) {
            (Some(value), _) => value.text,
            (None, SlotKind::Literal(text, _)) => text,
            (None, SlotKind::Set(_)) => return None,
        };
        Some((binding.word, text))
    }

    /// Returns the index of the modifier in this slot, or `None` if the slot is empty.
    pub fn word(&self, slot: impl SlotKey) -> Option<usize> {
        self.filled(slot).map(|(_, binding)| binding.word)
    }

    /// Returns the scalar type that the modifier in this slot specifies.
    pub fn scalar(&self, slot: impl SlotKey) -> Option<ScalarType> {
        match self.meaning(slot)? {
            ModifierValue::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// Returns the index of the first modifier that belongs to the instruction name but does not follow the opcode directly in the order of
    /// the syntax line.
    pub fn misplaced_lead(&self) -> Option<usize> {
        let leads = self
            .slots
            .iter()
            .take(self.layout.form.n_name_modifiers)
            .flatten();
        let mut places = leads.map(|binding| binding.word).enumerate();
        places
            .find(|(place, word)| place != word)
            .map(|(_, word)| word)
    }

    /// Returns the combined gate of the form and of all bound modifiers.
    pub fn gate(&self) -> Gate {
        self.gates()
            .fold(Gate::ALWAYS, |all, (_, gate)| all.and(gate))
    }

    /// Returns the gate of the form with index `None`, and the gate of each bound modifier with the index of the modifier.
    pub fn gates(&self) -> impl Iterator<Item = (Option<usize>, Gate)> {
        let values = self.slots.iter().flatten();
        std::iter::once((None, self.layout.form.gate))
            .chain(values.filter_map(|b| b.value.map(|value| (Some(b.word), value.gate))))
    }

    /// Returns the gate of the modifier at `index` in combination with the other modifiers. For example, an element type may require a
    /// later version in an access with eight elements than in other accesses.
    pub fn gate_of(&self, index: usize) -> Gate {
        let own = self.gates().filter(|(word, _)| *word == Some(index));
        let rules = self.layout.form.rules.iter();
        let broader = rules
            .filter_map(|rule| rule.gate_in(self))
            .filter(|(slot, _)| self.word(*slot) == Some(index));
        own.map(|(_, gate)| gate)
            .chain(broader.map(|(_, gate)| gate))
            .fold(Gate::ALWAYS, Gate::and)
    }

    /// Returns the total penalty of the form. Modifiers that only the assembler accepts increase the penalty, so that error messages prefer
    /// the forms of the manual.
    fn penalty(&self) -> u32 {
        let weights = self.complaints.iter().map(|c| c.penalty(self.layout));
        let weight: u32 = weights.sum();
        let mut values = self.slots.iter().flatten().filter_map(|b| b.value);
        let is_extra =
            |value: &ModifierSpelling| matches!(value.gate.origin, FactSource::Assembler(_));
        match weight > 0 && values.any(is_extra) {
            true => weight + 2,
            false => weight,
        }
    }
}

impl Dialect {
    /// Binds modifiers (without dots) to the form of `opcode` with the smallest penalty. Among forms with equal penalties, the function
    /// selects the first form in table order. If the first slot of a form is a literal that equals the first modifier, the function
    /// considers only forms with this literal. `n_operands`, if known, selects between forms that accept the same modifiers. Returns `None`
    /// if no form has the opcode.
    pub fn bind(
        &'static self,
        opcode: &str,
        words: &[&str],
        n_operands: Option<usize>,
    ) -> Option<BoundForm> {
        let forms = self.forms_of(opcode);
        // `async` directly after `st` is part of the instruction name and excludes all other forms of `st`.
        let named = forms.clone().any(|layout| is_led_by(layout, words));
        let mut best: Option<(u32, usize, BoundForm)> = None;
        for layout in forms.filter(|layout| !named || is_led_by(layout, words)) {
            let distance = operand_distance(layout, n_operands);
            let bound = self.try_layout(layout, words);
            let weight = bound.penalty();
            let is_better = match &best {
                Some((least, nearest, _)) => (weight, distance) < (*least, *nearest),
                None => true,
            };
            if is_better {
                best = Some((weight, distance, bound));
            }
            if (weight, distance) == (0, 0) {
                break;
            }
        }
        best.map(|(_, _, bound)| self.name_unknown(bound, words))
    }

    /// Binds modifiers to the given form, even if they do not match it.
    pub fn bind_layout(&'static self, layout: &'static FormSyntax, words: &[&str]) -> BoundForm {
        self.name_unknown(self.try_layout(layout, words), words)
    }

    /// Changes [`BindError::Illegal`] to [`BindError::Unknown`] for modifiers that no instruction accepts.
    fn name_unknown(&'static self, mut bound: BoundForm, words: &[&str]) -> BoundForm {
        for complaint in &mut bound.complaints {
            if let BindError::Illegal { word } = *complaint
                && !words.get(word).is_some_and(|text| self.is_known_word(text))
            {
                *complaint = BindError::Unknown { word };
            }
        }
        bound
    }

    /// Binds modifiers to one form. Reports every modifier that the form does not accept as [`BindError::Illegal`], even if no instruction
    /// accepts the modifier.
    fn try_layout(&'static self, layout: &'static FormSyntax, words: &[&str]) -> BoundForm {
        let mut bound = BoundForm {
            layout,
            slots: vec![None; layout.slots.len()],
            complaints: Vec::new(),
        };
        let types = layout.slots.iter().enumerate();
        let mut type_slots = types.filter(|(_, slot)| slot.is_type()).peekable();
        for (index, word) in words.iter().enumerate() {
            let is_late = type_slots
                .peek()
                .is_none_or(|(_, slot)| slot.id == Some(SlotName::ScaleType));
            if is_late && layout.form.ignored_types.contains(word) {
                continue;
            }
            let ty = ScalarType::from_name(word);
            let is_overlooked = ty == Some(ScalarType::Pred)
                && self.ignores(layout, word)
                && !layout.slots.iter().any(|slot| slot.find(word).is_some());
            if ty.is_some() && !is_overlooked && !is_literal_of(layout, word) {
                let slot = type_slots.next().map(|(slot, _)| slot);
                bind_type(&mut bound, slot, index, word);
            } else {
                bind_word(self, &mut bound, index, words);
            }
        }
        for (slot, filled) in bound.slots.iter().enumerate() {
            if filled.is_none() && layout.slots.get(slot).is_some_and(|s| s.required) {
                bound.complaints.push(BindError::Missing { slot });
            }
        }
        bound
    }
}

/// Binds to the forms of PTX. See [`Dialect::bind`].
pub fn bind(opcode: &str, words: &[&str], n_operands: Option<usize>) -> Option<BoundForm> {
    crate::PTX.bind(opcode, words, n_operands)
}

/// Binds to one form of PTX. See [`Dialect::bind_layout`].
pub fn bind_layout(layout: &'static FormSyntax, words: &[&str]) -> BoundForm {
    crate::PTX.bind_layout(layout, words)
}

/// Returns whether the first modifier is the literal that the first slot of the form requires.
fn is_led_by(layout: &FormSyntax, words: &[&str]) -> bool {
    match (layout.slots.first(), words.first()) {
        (Some(slot), Some(word)) => {
            layout.form.n_name_modifiers > 0
                && slot.required
                && matches!(slot.kind, SlotKind::Literal(text, _) if text == *word)
        }
        _ => false,
    }
}

fn is_literal_of(layout: &FormSyntax, word: &str) -> bool {
    layout
        .slots
        .iter()
        .any(|slot| matches!(slot.kind, SlotKind::Literal(text, _) if text == word))
}

fn bind_type(bound: &mut BoundForm, slot: Option<usize>, word: usize, text: &str) {
    let Some(slot) = slot else {
        let last = bound.layout.slots.iter().rposition(|s| s.is_type());
        let first = last.and_then(|slot| bound.slots.get(slot)?.as_ref().map(|b| b.word));
        bound.complaints.push(match first {
            Some(first) => BindError::Duplicate { word, first },
            None => BindError::Illegal { word },
        });
        return;
    };
    match bound.layout.slots.get(slot).and_then(|s| s.find(text)) {
        Some(value) => fill(bound, slot, word, value),
        None => {
            bound.complaints.push(BindError::Type { word, slot });
            // Mark the slot as filled, so that it is not reported as missing, too.
            fill(bound, slot, word, None);
        }
    }
}

fn bind_word(dialect: &'static Dialect, bound: &mut BoundForm, word: usize, words: &[&str]) {
    let text = words.get(word).copied().unwrap_or("");
    let mut taken = None;
    for (index, slot) in bound.layout.slots.iter().enumerate() {
        let Some(value) = slot.find(text) else {
            continue;
        };
        match bound.slots.get(index) {
            Some(None) => return fill(bound, index, word, value),
            Some(Some(binding)) if is_repeatable(dialect, bound.layout, slot, binding, text) => {
                return;
            }
            Some(Some(binding)) => taken = taken.or(Some(binding.word)),
            None => {}
        }
    }
    let taken = taken.or_else(|| {
        let mut groups = dialect.tables.exclusive.iter();
        let group = groups.find(|group| group.contains(&text))?;
        let mut before = words.iter().take(word);
        before.position(|other| group.contains(other))
    });
    if taken.is_none() && dialect.ignores(bound.layout, text) {
        return;
    }
    bound.complaints.push(match taken {
        Some(first) => BindError::Duplicate { word, first },
        None => BindError::Illegal { word },
    });
}

/// Returns whether the assembler accepts a repetition of the modifier that is bound to the slot.
fn is_repeatable(
    dialect: &Dialect,
    layout: &FormSyntax,
    slot: &ModifierSlot,
    binding: &Binding,
    text: &str,
) -> bool {
    let is_anywhere = dialect.tables.repeatable.contains(&text);
    match (slot.kind, binding.value) {
        (SlotKind::Literal(_, Some(flag)), _) => {
            is_anywhere || layout.form.repeatable.contains(&flag)
        }
        (SlotKind::Literal(_, None), _) => false,
        (SlotKind::Set(_), value) => is_anywhere && value.is_some_and(|v| v.text == text),
    }
}

fn fill(bound: &mut BoundForm, slot: usize, word: usize, value: Option<&'static ModifierSpelling>) {
    if let Some(place) = bound.slots.get_mut(slot) {
        *place = Some(Binding { word, value });
    }
}

fn operand_distance(layout: &FormSyntax, n_operands: Option<usize>) -> usize {
    let Some(n) = n_operands else { return 0 };
    let (least, most) = (layout.n_required(), layout.operands.len());
    least.saturating_sub(n) + n.saturating_sub(most)
}

/// Returns whether any PTX instruction accepts `word` as a modifier.
pub fn is_known_word(word: &str) -> bool {
    crate::PTX.is_known_word(word)
}
