//! One instruction set as a value: its forms, its opcodes, and the questions that are asked of them. In: the tables of
//! a dialect; out: forms by opcode, words, and the form that fits an instruction best.

use crate::form::{Form, Layout, Outline};
use std::sync::OnceLock;

/// The tables of one instruction set, as plain data.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// "PTX"
    pub name: &'static str,
    /// Every form: one list per family, in the manual's order.
    pub families: &'static [&'static [Form]],
    /// Every opcode word, sorted; also of instructions without a row.
    pub opcodes: &'static [&'static str],
    /// Modifiers that only instructions without a row take.
    pub other_modifiers: &'static [&'static str],
    /// Instructions without a row, one list per topic.
    pub outlines: &'static [&'static [Outline]],
    /// Words that are part of the name of one instruction and that no other takes.
    pub name_words: &'static [&'static str],
    /// Modifiers that every instruction takes and that mean nothing where its row does not name them.
    pub ignored: &'static [&'static str],
    /// Words of which one instruction has at most one, even where they mean nothing.
    pub exclusive: &'static [&'static str],
    /// Literals that may be written twice in every instruction.
    pub repeatable: &'static [&'static str],
    /// What people mean by words of other languages, where the letters are too far off.
    pub meant: &'static [(&'static str, &'static str)],
}

/// One instruction set.
#[derive(Debug)]
pub struct Dialect {
    pub tables: Tables,
    index: Index,
}

/// What is made of the tables at first use.
#[derive(Debug)]
struct Index {
    layouts: OnceLock<Vec<Layout>>,
    by_opcode: OnceLock<Vec<&'static Layout>>,
    words: OnceLock<Vec<&'static str>>,
}

impl Dialect {
    /// The dialect of these tables.
    pub const fn new(tables: Tables) -> Dialect {
        Dialect {
            tables,
            index: Index {
                layouts: OnceLock::new(),
                by_opcode: OnceLock::new(),
                words: OnceLock::new(),
            },
        }
    }

    /// Every form, read; in table order.
    pub fn layouts(&'static self) -> &'static [Layout] {
        self.index.layouts.get_or_init(|| {
            let forms = self.tables.families.iter().flat_map(|family| family.iter());
            forms.map(Layout::read).collect()
        })
    }

    /// The forms of an opcode word (`st`), in table order; empty for words that no row has.
    pub fn forms_of(&'static self, opcode: &str) -> impl Iterator<Item = &'static Layout> + use<> {
        let sorted = self.index.by_opcode.get_or_init(|| {
            let mut sorted: Vec<_> = self.layouts().iter().collect();
            sorted.sort_by_cached_key(|layout| layout.opcode);
            sorted
        });
        let start = sorted.partition_point(|layout| layout.opcode < opcode);
        let end = sorted.partition_point(|layout| layout.opcode <= opcode);
        sorted.get(start..end).unwrap_or(&[]).iter().copied()
    }

    /// Every modifier word of every form, sorted.
    pub fn known_words(&'static self) -> &'static [&'static str] {
        self.index.words.get_or_init(|| {
            let slots = self.layouts().iter().flat_map(|layout| &layout.slots);
            let mut words: Vec<_> = slots.flat_map(|slot| slot.spellings()).collect();
            words.sort_by_cached_key(|word| *word);
            words.dedup();
            words
        })
    }

    /// Whether some instruction takes this word as a modifier.
    pub fn is_known_word(&'static self, word: &str) -> bool {
        self.known_words().binary_search(&word).is_ok()
            || self.tables.other_modifiers.contains(&word)
            || self.tables.ignored.contains(&word)
            || self.outlines().any(|outline| outline.find(word).is_some())
            || crate::types::ScalarType::from_name(word).is_some()
    }

    /// Every outline.
    pub fn outlines(&self) -> impl Iterator<Item = &'static Outline> + use<> {
        self.tables.outlines.iter().flat_map(|list| list.iter())
    }

    /// Whether the dialect has the opcode, with or without a row.
    pub fn is_opcode(&self, word: &str) -> bool {
        self.tables.opcodes.binary_search(&word).is_ok()
    }

    /// The word that is meant by one that no instruction has, by its sense rather than its letters.
    pub fn meant(&self, word: &str) -> Option<&'static str> {
        let found = self
            .tables
            .meant
            .iter()
            .find(|(written, _)| *written == word);
        found.map(|(_, meant)| *meant)
    }
}
