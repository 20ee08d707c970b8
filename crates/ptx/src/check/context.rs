//! Immutable inputs of all phases: the source, its syntax tree, and the version and target from its header.

use crate::target_context::TargetContext;
use crate::tree::Tree;
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::container::stated_values;
use warpgrid_program::{ExternalRegister, ExternalValue};

/// Immutable inputs of the checker, which all phases share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) module: &'a TargetContext,
    /// Registers that the code around a snippet declares.
    pub(crate) given: &'a [ExternalRegister],
}

impl<'a> Context<'a> {
    /// Returns the text of a name.
    pub(crate) fn name_text(&self, name: Name) -> String {
        let stem = self.tree.symbols.text(self.source, name.stem);
        let mut text = String::with_capacity(stem.len() + 4);
        text.push_str(stem);
        if let Some(number) = name.number() {
            push_number(&mut text, number);
        }
        text
    }

    /// Returns the type of a register that the code around a snippet declares.
    pub(crate) fn given_type(&self, name: &str) -> Option<ScalarType> {
        let found = self.given.iter().find(|given| given.name == name);
        found.map(|given| given.ty)
    }

    /// Returns the value with which the code around a snippet initializes a register.
    pub(crate) fn external_value(&self, name: &str) -> Option<&'a ExternalValue> {
        let found = self.given.iter().find(|given| given.name == name);
        found?.initial.as_ref()
    }

    /// Returns whether an annotation specifies the value of a register that a snippet reads.
    pub(crate) fn is_stated(&self, name: &str) -> bool {
        let mut given = self.given.iter();
        given.any(|given| given.is_stated && given.name == name)
            || stated_values(self.source, "//").any(|stated| stated == name)
    }

    /// Returns the special register that a name denotes.
    pub(crate) fn special(&self, name: Name) -> Option<SpecialRegister> {
        SpecialRegister::from_name(&self.name_text(name))
    }

    /// Returns the name without the leading zeros of its number, such as `x3` for `x03`, because the assembler treats both spellings as the
    /// same name (assembler 13.5). Returns `None` for a name whose number has no leading zeros.
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

    /// Returns the names of the group `stem<count>` that occur in the source, each with its text.
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

/// Maximum number of registers of a group that are declared individually.
const MAX_NUMBERED: u32 = 1 << 12;

fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}
