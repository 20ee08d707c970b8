//! One instruction set as a value: its forms, its opcodes, and the questions that are asked of them. In: the tables of
//! a dialect; out: forms by opcode, words, and the form that fits an instruction best.

use crate::form::{Form, Layout, SlotKind};
use std::sync::OnceLock;

/// The tables of one instruction set, as plain data.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// "PTX"
    pub name: &'static str,
    /// Every form: one list per family, in the manual's order.
    pub families: &'static [&'static [Form]],
    /// Every opcode word, sorted.
    pub opcodes: &'static [&'static str],
    /// Words that are part of the name of one instruction and that no other takes.
    pub name_words: &'static [&'static str],
    /// Modifiers that every instruction takes and that mean nothing where its row does not name them.
    pub ignored: &'static [&'static str],
    /// Types that mean nothing where no row names them.
    pub ignored_types: &'static IgnoredTypes,
    /// Groups of words of which one instruction has at most one, even where they mean nothing.
    pub exclusive: &'static [&'static [&'static str]],
    /// Words that may be written twice in every instruction.
    pub repeatable: &'static [&'static str],
    /// What people mean by words of other languages, where the letters are too far off.
    pub meant: &'static [(&'static str, &'static str)],
}

/// Types beside those of the instruction that are taken and mean nothing. Which ones depends on the opcode.
#[derive(Debug)]
pub struct IgnoredTypes {
    /// The opcodes that take `there`; all others but the strict ones take `elsewhere`.
    pub opcodes: &'static [&'static str],
    pub there: &'static [&'static str],
    /// Instructions whose names only begin like those, and which take `elsewhere`.
    pub others: &'static [&'static str],
    /// Opcodes that look at every type, but for those that a row overlooks.
    pub strict: &'static [&'static str],
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
    /// Numbers of slots by the modifier words that they take.
    words: OnceLock<Sorted>,
}

/// Numbers by the hashes of words, in the order of hashes and then of numbers: whoever looks a word up compares it himself.
/// Hashes rather than words, since each kind of list that is sorted is 4 KB of the page, and this kind is there anyway.
#[derive(Debug)]
struct Sorted(Vec<(u64, usize)>);

impl Sorted {
    fn new(words: impl Iterator<Item = (&'static str, usize)>) -> Sorted {
        let mut list: Vec<_> = words.map(|(word, number)| (hash(word), number)).collect();
        list.sort_unstable();
        Sorted(list)
    }

    /// The numbers of all words with the same hash as this one, ascending.
    fn numbers(&self, word: &str) -> impl Iterator<Item = usize> + Clone + use<'_> {
        let hash = hash(word);
        let start = self.0.partition_point(|(other, _)| *other < hash);
        let rest = self.0.get(start..).unwrap_or(&[]);
        let same = rest.iter().take_while(move |(other, _)| *other == hash);
        same.map(|(_, number)| *number)
    }
}

/// FNV-1a.
fn hash(word: &str) -> u64 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    u64::from(word.bytes().fold(0x811c_9dc5, mix))
}

impl Dialect {
    /// Whether a word means nothing in instructions of this form, unless a row of the opcode names it.
    pub fn ignores(&'static self, layout: &Layout, word: &str) -> bool {
        let form = layout.form;
        let types = self.tables.ignored_types;
        let list = match is_named(form, types.opcodes) {
            true if !is_named(form, types.others) => types.there,
            true => types.elsewhere,
            false if is_named(form, types.strict) => &[],
            false => types.elsewhere,
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

    /// Whether an instruction may begin so: false where every row of the opcode goes on with a word of its name, and none
    /// with this one.
    pub fn is_name(&'static self, opcode: &str, words: &[&str]) -> bool {
        let mut forms = self.forms_of(opcode);
        forms.any(|layout| match (layout.slots.first(), words.first()) {
            (Some(slot), Some(word)) => {
                let is_literal = matches!(slot.kind, SlotKind::Literal(..)) && slot.required;
                layout.form.leads == 0 || !is_literal || slot.find(word).is_some()
            }
            (None, _) | (_, None) => true,
        })
    }

    /// The dialect of these tables.
    pub const fn new(tables: Tables) -> Dialect {
        Dialect {
            tables,
            index: Index {
                layouts: OnceLock::new(),
                forms: OnceLock::new(),
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
    pub fn forms_of<'a>(
        &'static self,
        opcode: &'a str,
    ) -> impl Iterator<Item = &'static Layout> + Clone + use<'a> {
        let layouts = self.layouts();
        let forms = self.index.forms.get_or_init(|| {
            let numbered = layouts.iter().enumerate();
            Sorted::new(numbered.map(|(number, layout)| (layout.opcode, number)))
        });
        let found = forms.numbers(opcode);
        let found = found.filter_map(|number| layouts.get(number));
        found.filter(move |layout| layout.opcode == opcode)
    }

    /// Whether some instruction takes this word as a modifier.
    pub fn is_known_word(&'static self, word: &str) -> bool {
        let slots = || self.layouts().iter().flat_map(|layout| &layout.slots);
        let words = self.index.words.get_or_init(|| {
            let numbered = slots().enumerate();
            Sorted::new(numbered.flat_map(|(number, slot)| {
                slot.spellings().map(move |spelling| (spelling, number))
            }))
        });
        let mut found = words.numbers(word);
        found.any(|number| {
            slots()
                .nth(number)
                .is_some_and(|slot| slot.find(word).is_some())
        }) || self.tables.ignored.contains(&word)
            || self.tables.ignored_types.there.contains(&word)
            || self.tables.ignored_types.elsewhere.contains(&word)
            || crate::types::ScalarType::from_name(word).is_some()
    }

    /// Whether the dialect has the opcode.
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

/// Whether one of the names is that of the form, or the beginning of it.
fn is_named(form: &Form, names: &[&str]) -> bool {
    names.iter().any(|name| {
        let rest = form.syntax.strip_prefix(*name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}
