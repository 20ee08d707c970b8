//! Word lists of the grammars, from the instruction tables and the reference of the checker.

use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::directives::DIRECTIVES;
use warpgrid_isa::sass::{modifiers, opcodes};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{PTX, ScalarType, SpecialRegister};
use warpgrid_view::source::reference;

/// Directives without requirements and without a reference page.
const OTHER_DIRECTIVES: &[&str] = &[
    "abi_preserve_after",
    "align",
    "attribute",
    "entry",
    "func",
    "managed",
    "ptr",
    "target",
    "unified",
];

/// Opaque types of variables (PTX ISA, "Texture Sampler and Surface Types").
const OPAQUE_TYPES: &[&str] = &["samplerref", "surfref", "texref"];

/// Sorted lists of words, by the name of the list in the templates. Words contain no leading dot and no leading percent sign.
#[derive(Debug)]
pub(crate) struct WordLists(BTreeMap<&'static str, Vec<String>>);

impl WordLists {
    pub(crate) fn of_tables() -> WordLists {
        let mut lists = WordLists(BTreeMap::new());
        lists.add("ptx.opcodes", PTX.tables.opcodes.iter().copied());
        let types = ScalarType::ALL.iter().map(|ty| ty.name());
        lists.add("ptx.types", types.chain(OPAQUE_TYPES.iter().copied()));
        lists.add("ptx.spaces", terms_of_kind("State space"));
        lists.add("ptx.linkage", terms_of_kind("Linkage"));
        let directives = DIRECTIVES
            .iter()
            .map(|directive| without_dot(directive.word));
        let directives = directives.map(str::to_owned);
        let others = OTHER_DIRECTIVES.iter().map(ToString::to_string);
        lists.add(
            "ptx.directives",
            terms_of_kind("Directive")
                .into_iter()
                .chain(directives)
                .chain(others),
        );
        lists.add("ptx.special_registers", special_registers());
        let modifiers = PTX.layouts().iter().flat_map(|layout| &layout.slots);
        let modifiers = modifiers.flat_map(|slot| slot.spellings());
        lists.add("ptx.modifiers", modifiers);
        lists.0.insert(
            "ptx.targets",
            TARGETS
                .iter()
                .map(|target| target.name.to_owned())
                .collect(),
        );
        lists.add(
            "sass.opcodes",
            opcodes::OPCODES.iter().map(|opcode| opcode.name),
        );
        let sets = modifiers::SETS.iter().flat_map(|set| set.words);
        lists.add("sass.modifiers", sets.map(|(word, _)| *word));
        lists
    }

    /// Adds a list. The function sorts the words and removes duplicates.
    fn add<T: Into<String>>(&mut self, name: &'static str, words: impl IntoIterator<Item = T>) {
        let words: BTreeSet<String> = words.into_iter().map(Into::into).collect();
        assert!(!words.is_empty(), "the list `{name}` is empty");
        self.0.insert(name, words.into_iter().collect());
    }

    pub(crate) fn find(&self, name: &str) -> &[String] {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("unknown list `{name}`"))
    }
}

/// Returns the keywords with a reference page of the given kind.
fn terms_of_kind(kind: &str) -> Vec<String> {
    let terms = reference::terms().into_iter();
    let terms = terms.filter(|term| term.name.starts_with('.'));
    let terms = terms.filter(|term| term.help.starts_with(&format!("{kind}: ")));
    terms
        .map(|term| without_dot(&term.name).to_owned())
        .collect()
}

fn without_dot(word: &str) -> &str {
    word.trim_start_matches('.')
}

/// Returns the names of the special registers without their components.
fn special_registers() -> impl Iterator<Item = String> {
    let names = SpecialRegister::families()
        .into_iter()
        .flat_map(|(_, names)| names);
    names.map(|name| {
        let name = name.trim_start_matches('%');
        name.split('.').next().unwrap_or(name).to_owned()
    })
}
