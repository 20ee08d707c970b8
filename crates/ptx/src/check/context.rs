//! What every phase reads and none changes: the text, its tree, and what the header says of it.

use crate::module::Module;
use crate::tree::Tree;
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::Given;
use warpgrid_program::wrapped::stated_values;

/// A text to check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) module: &'a Module,
    /// Registers that stand around a snippet.
    pub(crate) given: &'a [Given],
}

impl<'a> Context<'a> {
    /// The text of a name.
    pub(crate) fn name_text(&self, name: Name) -> String {
        let stem = self.tree.symbols.text(self.source, name.stem);
        let mut text = String::with_capacity(stem.len() + 4);
        text.push_str(stem);
        if let Some(number) = name.number() {
            push_number(&mut text, number);
        }
        text
    }

    /// The type of a register with this name that is around a snippet.
    pub(crate) fn given_type(&self, name: &str) -> Option<ScalarType> {
        let found = self.given.iter().find(|given| given.name == name);
        found.map(|given| given.ty)
    }

    /// Whether an annotation states the value of a register that a snippet reads.
    pub(crate) fn is_stated(&self, name: &str) -> bool {
        let mut given = self.given.iter();
        given.any(|given| given.is_stated && given.name == name)
            || stated_values(self.source, "//").any(|stated| stated == name)
    }

    /// The special register with this name.
    pub(crate) fn special(&self, name: Name) -> Option<SpecialRegister> {
        SpecialRegister::from_name(&self.name_text(name))
    }

    /// `x03` as `x3`, which it counts as (assembler 13.5); `None` for names without leading zeros in their number.
    pub(crate) fn without_zeros(&self, name: Name) -> Option<Name> {
        if name.number().is_some() {
            return None;
        }
        let text = self.tree.symbols.text(self.source, name.stem);
        let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text.get(stem.len()..).unwrap_or("");
        if digits.is_empty() || stem.is_empty() {
            return None;
        }
        Some(Name {
            stem: self.tree.symbols.find(self.source, stem)?,
            number: digits.parse().ok()?,
        })
    }

    /// The names `stem0` to `stemN` that the text has, each with its text.
    pub(crate) fn numbered_names(
        &self,
        stem: &str,
        count: u32,
    ) -> impl Iterator<Item = (Name, String)> + use<'a> {
        let (source, tree) = (self.source, self.tree);
        let stem = stem.to_owned();
        (0..count.min(MAX_NUMBERED)).filter_map(move |number| {
            let text = format!("{stem}{number}");
            let name = tree.symbols.find_name(source, &text)?;
            Some((name, text))
        })
    }
}

/// The most names of a group that are declared one by one.
const MAX_NUMBERED: u32 = 1 << 12;

fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}
