//! Map keyed by [`Name`]. All instances share one monomorphization of `BTreeMap` (from names to indices), because each monomorphization
//! adds 4 KB to the WebAssembly module.

use crate::tree::name::Name;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct NameMap<T> {
    places: BTreeMap<Name, usize>,
    values: Vec<T>,
}

impl<T> Default for NameMap<T> {
    fn default() -> NameMap<T> {
        NameMap {
            places: BTreeMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T> NameMap<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn get(&self, name: Name) -> Option<&T> {
        self.places.get(&name).map(|place| &self.values[*place])
    }

    /// Returns the value of a name, and inserts the name with `value` if the map does not contain it.
    pub(crate) fn get_or_insert(&mut self, name: Name, value: T) -> &mut T {
        let place = *self.places.entry(name).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push(value);
        }
        &mut self.values[place]
    }

    /// Returns the entries in the order of names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Name, &T)> {
        let places = self.places.iter();
        places.map(|(name, place)| (*name, &self.values[*place]))
    }
}
