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
    /// Types that mean nothing where no row names them.
    pub ignored_types: &'static IgnoredTypes,
    /// Words of which one instruction has at most one, even where they mean nothing.
    pub exclusive: &'static [&'static str],
    /// Literals that may be written twice in every instruction.
    pub repeatable: &'static [&'static str],
    /// What people mean by words of other languages, where the letters are too far off.
    pub meant: &'static [(&'static str, &'static str)],
}

/// Types beside those of the instruction that are taken and mean nothing. Which ones depends on the opcode.
#[derive(Debug)]
pub struct IgnoredTypes {
    /// The opcodes that take `there`; all others take `elsewhere`.
    pub opcodes: &'static [&'static str],
    pub there: &'static [&'static str],
    pub elsewhere: &'static [&'static str],
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
    /// Numbers of layouts by opcode.
    forms: OnceLock<Sorted>,
    /// Numbers of outlines by opcode.
    outlines: OnceLock<Sorted>,
    /// Every modifier word of every form.
    words: OnceLock<Sorted>,
}

/// Words with the numbers that they are looked up for, in the order of words and then of numbers. One type for all, since
/// each kind of sorted list is 3 KB of the page.
#[derive(Debug)]
struct Sorted(Vec<(&'static str, usize)>);

impl Sorted {
    fn new(words: impl Iterator<Item = &'static str>) -> Sorted {
        let mut list: Vec<_> = words
            .enumerate()
            .map(|(number, word)| (word, number))
            .collect();
        list.sort_unstable();
        Sorted(list)
    }

    /// The numbers of a word, ascending.
    fn numbers(&self, word: &str) -> impl Iterator<Item = usize> + Clone + use<'_> {
        let start = self.0.partition_point(|(other, _)| *other < word);
        let rest = self.0.get(start..).unwrap_or(&[]);
        let n = rest.iter().take_while(|(other, _)| *other == word).count();
        rest.iter().take(n).map(|(_, number)| *number)
    }
}

impl Dialect {
    /// Whether a word means nothing in instructions with this opcode, unless a row names it.
    pub fn ignores(&self, opcode: &str, word: &str) -> bool {
        let types = self.tables.ignored_types;
        let list = match types.opcodes.contains(&opcode) {
            true => types.there,
            false => types.elsewhere,
        };
        self.tables.ignored.contains(&word) || list.contains(&word)
    }

    /// The dialect of these tables.
    pub const fn new(tables: Tables) -> Dialect {
        Dialect {
            tables,
            index: Index {
                layouts: OnceLock::new(),
                forms: OnceLock::new(),
                outlines: OnceLock::new(),
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
    pub fn forms_of(
        &'static self,
        opcode: &str,
    ) -> impl Iterator<Item = &'static Layout> + Clone + use<> {
        let layouts = self.layouts();
        let forms = &self.index.forms;
        let sorted = forms.get_or_init(|| Sorted::new(layouts.iter().map(|layout| layout.opcode)));
        sorted
            .numbers(opcode)
            .filter_map(|number| layouts.get(number))
    }

    /// Whether some instruction takes this word as a modifier.
    pub fn is_known_word(&'static self, word: &str) -> bool {
        let words = self.index.words.get_or_init(|| {
            let slots = self.layouts().iter().flat_map(|layout| &layout.slots);
            Sorted::new(slots.flat_map(|slot| slot.spellings()))
        });
        words.numbers(word).next().is_some()
            || self.tables.other_modifiers.contains(&word)
            || self.tables.ignored.contains(&word)
            || self.tables.ignored_types.there.contains(&word)
            || self.tables.ignored_types.elsewhere.contains(&word)
            || self.outlines().any(|outline| outline.find(word).is_some())
            || crate::types::ScalarType::from_name(word).is_some()
    }

    /// Every outline.
    pub fn outlines(&self) -> impl Iterator<Item = &'static Outline> + use<> {
        self.tables.outlines.iter().flat_map(|list| list.iter())
    }

    /// The outlines whose names start with an opcode word, in table order.
    pub(crate) fn outlines_of(
        &'static self,
        opcode: &str,
    ) -> impl Iterator<Item = &'static Outline> + use<> {
        let outlines = &self.index.outlines;
        let sorted = outlines.get_or_init(|| Sorted::new(self.outlines().map(Outline::opcode)));
        let numbers = sorted.numbers(opcode);
        numbers.filter_map(|number| self.outlines().nth(number))
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
