//! Names of the module, each with the place that declares it: it is known from there on, in every body.

use crate::check::names::binding::Binding;
use crate::check::names::name_map::NameMap;
use crate::tree::name::Name;
use warpgrid_program::Span;

/// The names that a module declares outside of bodies.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    stamps: NameMap<Stamp>,
}

/// What a name means from its declaration on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) binding: Binding,
    /// The name in its declaration.
    pub(crate) span: Span,
}

impl ModuleNames {
    /// Stamps a name. When the module has it already, the place where it was declared comes back and nothing changes.
    pub(crate) fn declare(&mut self, name: Name, binding: Binding, span: Span) -> Result<(), Span> {
        match self.stamps.get(name) {
            Some(first) => Err(first.span),
            None => {
                self.stamps.get_or_insert(name, Stamp { binding, span });
                Ok(())
            }
        }
    }

    /// Gives a name that is stamped another meaning.
    pub(crate) fn replace(&mut self, name: Name, binding: Binding) {
        if let Some(stamp) = self.stamps.get(name).copied() {
            *self.stamps.get_or_insert(name, stamp) = Stamp { binding, ..stamp };
        }
    }

    /// What a name is declared as before byte `at` of the text.
    pub(crate) fn get(&self, name: Name, at: u32) -> Option<Stamp> {
        let stamp = self.stamps.get(name).copied();
        stamp.filter(|stamp| stamp.span.start < at)
    }

    /// The names declared before byte `at`, in the order of names.
    pub(crate) fn before(&self, at: u32) -> impl Iterator<Item = Name> + '_ {
        let stamps = self.stamps.iter();
        stamps.filter_map(move |(name, stamp)| (stamp.span.start < at).then_some(name))
    }
}
