//! Instruction set ("dialect") with lookup functions on its static tables: finds forms by opcode, validates modifiers, and selects the
//! best-matching form of an instruction.

use crate::form::{Form, FormSyntax, SlotKind};
use std::sync::OnceLock;

/// Static tables of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct DialectTables {
    /// Name of the instruction set, such as "PTX".
    pub name: &'static str,
    /// Instruction forms: one list per family, in the order of the manual.
    pub families: &'static [&'static [Form]],
    /// All opcodes in ascending order.
    pub opcodes: &'static [&'static str],
    /// Modifiers that are part of an instruction name and that no other instruction accepts.
    pub name_modifiers: &'static [&'static str],
    /// Modifiers that every instruction accepts. They have no effect unless the form of the instruction contains the modifier.
    pub ignored: &'static [&'static str],
    /// Type modifiers that have no effect in an instruction unless its form contains the type.
    pub ignored_types: &'static IgnoredTypes,
    /// Groups of mutually exclusive modifiers. An instruction must not have two modifiers of a group, even if the modifiers have no effect.
    pub exclusive: &'static [&'static [&'static str]],
    /// Modifiers that may be repeated in every instruction.
    pub repeatable: &'static [&'static str],
    /// Keywords of other languages with their equivalents in this dialect. Contains only keywords that spelling correction does not map to
    /// the equivalent.
    pub synonyms: &'static [(&'static str, &'static str)],
}

/// Type modifiers that instructions accept and ignore in addition to the types of their form. The set depends on the opcode.
#[derive(Debug)]
pub struct IgnoredTypes {
    /// Opcodes that ignore the types in `ignored`. All other opcodes, except those in `checked_opcodes`, ignore the types in
    /// `ignored_elsewhere`.
    pub opcodes: &'static [&'static str],
    pub ignored: &'static [&'static str],
    /// Instructions whose name starts with one of `opcodes`, but which ignore the types in `ignored_elsewhere`.
    pub excluded_opcodes: &'static [&'static str],
    /// Opcodes that check every type modifier, except the types that the form itself lists as ignored.
    pub checked_opcodes: &'static [&'static str],
    pub ignored_elsewhere: &'static [&'static str],
}

/// Instruction set of a source language, such as PTX or SASS.
#[derive(Debug)]
pub struct Dialect {
    pub tables: DialectTables,
    index: Index,
}

/// Lookup structures built from the tables on first use.
#[derive(Debug)]
struct Index {
    layouts: OnceLock<Vec<FormSyntax>>,
    /// Maps each opcode to the indices of its forms.
    forms: OnceLock<HashIndex>,
    /// Maps each modifier to the indices of the slots that accept it.
    words: OnceLock<HashIndex>,
}

/// Multimap from the hash of a word to table indices, sorted by hash and index. Because hashes may collide, callers also compare the words.
/// Sorting integers instead of strings avoids another monomorphization of `sort`, which would add 4 KB to the WebAssembly module.
#[derive(Debug)]
struct HashIndex(Vec<(u64, usize)>);

impl HashIndex {
    fn new(words: impl Iterator<Item = (&'static str, usize)>) -> HashIndex {
        let mut list: Vec<_> = words.map(|(word, number)| (hash(word), number)).collect();
        list.sort_unstable();
        HashIndex(list)
    }

    /// Returns the indices of all words with the same hash as `word`, in ascending order.
    fn numbers(&self, word: &str) -> impl Iterator<Item = usize> + Clone + use<'_> {
        let hash = hash(word);
        let start = self.0.partition_point(|(other, _)| *other < hash);
        let rest = self.0.get(start..).unwrap_or(&[]);
        let same = rest.iter().take_while(move |(other, _)| *other == hash);
        same.map(|(_, number)| *number)
    }
}

/// Returns the FNV-1a hash of a word.
fn hash(word: &str) -> u64 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    u64::from(word.bytes().fold(0x811c_9dc5, mix))
}

impl Dialect {
    /// Returns whether `word` has no effect in instructions of this form. A modifier always has an effect if a form with the same
    /// instruction name contains it.
    pub fn ignores(&'static self, layout: &FormSyntax, word: &str) -> bool {
        let form = layout.form;
        let types = self.tables.ignored_types;
        let list = match is_named(form, types.opcodes) {
            true if !is_named(form, types.excluded_opcodes) => types.ignored,
            true => types.ignored_elsewhere,
            false if is_named(form, types.checked_opcodes) => &[],
            false => types.ignored_elsewhere,
        };
        let is_known = || {
            let name = layout.name();
            let mut forms = self
                .forms_of(layout.opcode)
                .filter(|other| other.name() == name);
            forms.any(|other| other.slots.iter().any(|slot| slot.find(word).is_some()))
        };
        list.contains(&word) || self.tables.ignored.contains(&word) && !is_known()
    }

    /// Returns whether an instruction can start with `opcode` and `words`: `false` if every form of the opcode requires a name modifier
    /// (such as `.async` of `st.async`) and no form accepts the first of `words` in this position.
    pub fn can_start_instruction(&'static self, opcode: &str, words: &[&str]) -> bool {
        let mut forms = self.forms_of(opcode);
        forms.any(|layout| match (layout.slots.first(), words.first()) {
            (Some(slot), Some(word)) => {
                let is_literal = matches!(slot.kind, SlotKind::Literal(..)) && slot.required;
                layout.form.n_name_modifiers == 0 || !is_literal || slot.find(word).is_some()
            }
            (None, _) | (_, None) => true,
        })
    }

    /// Creates the dialect described by `tables`.
    pub const fn new(tables: DialectTables) -> Dialect {
        Dialect {
            tables,
            index: Index {
                layouts: OnceLock::new(),
                forms: OnceLock::new(),
                words: OnceLock::new(),
            },
        }
    }

    /// Returns the parsed layouts of all forms, in table order.
    pub fn layouts(&'static self) -> &'static [FormSyntax] {
        self.index.layouts.get_or_init(|| {
            let forms = self.tables.families.iter().flat_map(|family| family.iter());
            forms.map(FormSyntax::read).collect()
        })
    }

    /// Returns the forms of an opcode (`st`), in table order. The result is empty for an opcode without forms.
    pub fn forms_of<'a>(
        &'static self,
        opcode: &'a str,
    ) -> impl Iterator<Item = &'static FormSyntax> + Clone + use<'a> {
        let layouts = self.layouts();
        let forms = self.index.forms.get_or_init(|| {
            let numbered = layouts.iter().enumerate();
            HashIndex::new(numbered.map(|(number, layout)| (layout.opcode, number)))
        });
        let found = forms.numbers(opcode);
        let found = found.filter_map(|number| layouts.get(number));
        found.filter(move |layout| layout.opcode == opcode)
    }

    /// Returns whether any instruction accepts `word` as a modifier.
    pub fn is_known_word(&'static self, word: &str) -> bool {
        let slots = || self.layouts().iter().flat_map(|layout| &layout.slots);
        let words = self.index.words.get_or_init(|| {
            let numbered = slots().enumerate();
            HashIndex::new(numbered.flat_map(|(number, slot)| {
                slot.spellings().map(move |spelling| (spelling, number))
            }))
        });
        let mut found = words.numbers(word);
        found.any(|number| {
            slots()
                .nth(number)
                .is_some_and(|slot| slot.find(word).is_some())
        }) || self.tables.ignored.contains(&word)
            || self.tables.ignored_types.ignored.contains(&word)
            || self.tables.ignored_types.ignored_elsewhere.contains(&word)
            || crate::types::ScalarType::from_name(word).is_some()
    }

    /// Returns whether `word` is an opcode of the dialect.
    pub fn is_opcode(&self, word: &str) -> bool {
        self.tables.opcodes.binary_search(&word).is_ok()
    }

    /// Returns the equivalent of a keyword of another language. The two keywords have the same meaning and different spellings.
    pub fn meant(&self, word: &str) -> Option<&'static str> {
        let found = self
            .tables
            .synonyms
            .iter()
            .find(|(written, _)| *written == word);
        found.map(|(_, meant)| *meant)
    }
}

/// Returns whether one of `names` is the instruction name of the form or a prefix of this name.
fn is_named(form: &Form, names: &[&str]) -> bool {
    names.iter().any(|name| {
        let rest = form.syntax.strip_prefix(*name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}
