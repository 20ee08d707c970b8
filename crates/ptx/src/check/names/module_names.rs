//! Module-scope names with the positions of their declarations. A name is visible in every body after its declaration.

use crate::check::names::binding::Binding;
use crate::check::names::name_map::NameMap;
use crate::tree::name::Name;
use warpgrid_program::Span;

/// Names that a module declares at module scope, with the positions of their declarations.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    stamps: NameMap<Definition>,
}

/// Declaration of a module-scope name: the binding of the name, and the position of the declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    pub(crate) binding: Binding,
    /// Span of the name in its declaration.
    pub(crate) span: Span,
}

impl ModuleNames {
    /// Declares a name. If the module already declares the name, returns the span of that declaration and changes nothing.
    pub(crate) fn declare(&mut self, name: Name, binding: Binding, span: Span) -> Result<(), Span> {
        match self.stamps.get(name) {
            Some(first) => Err(first.span),
            None => {
                self.stamps
                    .get_or_insert(name, Definition { binding, span });
                Ok(())
            }
        }
    }

    /// Replaces the binding of a declared name.
    pub(crate) fn replace(&mut self, name: Name, binding: Binding) {
        if let Some(stamp) = self.stamps.get(name).copied() {
            *self.stamps.get_or_insert(name, stamp) = Definition { binding, ..stamp };
        }
    }

    /// Returns the declaration of a name if it precedes byte `at` of the source.
    pub(crate) fn get(&self, name: Name, at: u32) -> Option<Definition> {
        let stamp = self.stamps.get(name).copied();
        stamp.filter(|stamp| stamp.span.start < at)
    }

    /// Returns the names that are declared before byte `at`, in ascending order.
    pub(crate) fn before(&self, at: u32) -> impl Iterator<Item = Name> + '_ {
        let stamps = self.stamps.iter();
        stamps.filter_map(move |(name, stamp)| (stamp.span.start < at).then_some(name))
    }
}
