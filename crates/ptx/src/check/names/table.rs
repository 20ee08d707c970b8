//! Table of the current bindings of a body's names, indexed by stem and then by number.

use crate::check::names::binding::Binding;
use crate::check::names::name_map::NameMap;
use crate::tree::name::{Name, Symbol};
use warpgrid_program::Span;

/// Entry of the [`BindingTable`]: the binding of a name, and the scope and position of its declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BindingEntry {
    pub(crate) binding: Binding,
    /// Nesting depth of the scope that binds the name.
    pub(crate) depth: u32,
    pub(crate) span: Span,
}

/// Entry of an unbound name.
pub(crate) const FREE: BindingEntry = BindingEntry {
    binding: Binding::None,
    depth: 0,
    span: Span::at(0),
};

/// Bindings of all names with the same stem, indexed by the number of the name.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    pub(crate) plain: BindingEntry,
    pub(crate) numbered: Vec<BindingEntry>,
    pub(crate) groups: Vec<u32>,
    /// Nesting depth of the innermost group with this stem, which may hide entries of outer scopes.
    pub(crate) group_depth: u32,
    /// Whether the sparse map contains names with this stem.
    pub(crate) has_sparse: bool,
}

/// Bindings of all names of a body, which [`Scopes`](super::scopes::Scopes) reads and writes.
#[derive(Debug)]
pub(crate) struct BindingTable {
    stems: Vec<Stem>,
    /// Binding entries of names whose numbers are too large for a vector index.
    sparse: NameMap<BindingEntry>,
    /// Number of vector entries that may still be allocated. This budget limits the memory to a multiple of the source size.
    budget: usize,
}

impl BindingTable {
    pub(crate) fn new(n_stems: usize, n_bytes: usize) -> BindingTable {
        let stem = Stem {
            plain: FREE,
            numbered: Vec::new(),
            groups: Vec::new(),
            group_depth: 0,
            has_sparse: false,
        };
        BindingTable {
            stems: vec![stem; n_stems],
            sparse: NameMap::default(),
            budget: n_bytes / 2,
        }
    }

    #[inline]
    pub(crate) fn stem(&self, symbol: Symbol) -> Option<&Stem> {
        self.stems.get(symbol.0 as usize)
    }

    #[inline]
    pub(crate) fn stem_mut(&mut self, symbol: Symbol) -> Option<&mut Stem> {
        self.stems.get_mut(symbol.0 as usize)
    }

    /// Reserves vector entries for the numbers of a register group.
    pub(crate) fn reserve(&mut self, symbol: Symbol, count: usize) {
        let Some(stem) = self.stems.get_mut(symbol.0 as usize) else {
            return;
        };
        let room = count.min(self.budget);
        let more = room.saturating_sub(stem.numbered.capacity());
        self.budget -= more;
        let numbered = &mut stem.numbered;
        numbered.reserve_exact(room.saturating_sub(numbered.len()));
    }

    #[inline]
    pub(crate) fn entry(&self, name: Name) -> BindingEntry {
        let Some(stem) = self.stem(name.stem) else {
            return FREE;
        };
        if name.number == Name::NO_NUMBER {
            return stem.plain;
        }
        match stem.numbered.get(name.number as usize) {
            Some(entry) if entry.binding != Binding::None || !stem.has_sparse => *entry,
            None if !stem.has_sparse => FREE,
            _ => self.sparse.get(name).copied().unwrap_or(FREE),
        }
    }

    /// Sets the binding entry of a name, and returns the previous entry.
    pub(crate) fn put(&mut self, name: Name, entry: BindingEntry) -> BindingEntry {
        let Some(stem) = self.stems.get_mut(name.stem.0 as usize) else {
            return FREE;
        };
        if name.number == Name::NO_NUMBER {
            return std::mem::replace(&mut stem.plain, entry);
        }
        let number = name.number as usize;
        if stem.has_sparse && self.sparse.get(name).is_some() {
            return std::mem::replace(self.sparse.get_or_insert(name, FREE), entry);
        }
        if number >= stem.numbered.len() {
            // Store the entry in the vector if the number is within the capacity reserved for a group, or not far beyond the existing
            // entries. Otherwise, use the sparse map.
            let reserved = number < stem.numbered.capacity();
            let more = (number + 1).saturating_sub(stem.numbered.capacity());
            let near = number <= 2 * stem.numbered.len() + 8 && more <= self.budget;
            if !reserved && !near {
                stem.has_sparse = true;
                return std::mem::replace(self.sparse.get_or_insert(name, FREE), entry);
            }
            self.budget -= more.min(self.budget);
            if stem.numbered.capacity() == 0 {
                stem.numbered.reserve_exact((number + 1).max(8));
            }
            stem.numbered.resize(number + 1, FREE);
        }
        match stem.numbered.get_mut(number) {
            Some(place) => std::mem::replace(place, entry),
            None => FREE,
        }
    }

    /// Returns all bound names, in the order of stems.
    pub(crate) fn bound_names(&self) -> impl Iterator<Item = Name> + '_ {
        self.stems.iter().enumerate().flat_map(|(index, stem)| {
            let stem_of = Symbol(index as u32);
            let plain = (stem.plain.binding != Binding::None).then_some(Name::NO_NUMBER);
            let numbered = stem.numbered.iter().enumerate();
            let numbers = numbered
                .filter(|(_, entry)| entry.binding != Binding::None)
                .map(|(number, _)| number as u32);
            plain.into_iter().chain(numbers).map(move |number| Name {
                stem: stem_of,
                number,
            })
        })
    }
}
