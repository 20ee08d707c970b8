//! Values by name. Below them all lies one map from names to places: each kind of `BTreeMap` is 4 KB of the page.

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

    /// The value of a name; a new name gets this one.
    pub(crate) fn get_or_insert(&mut self, name: Name, value: T) -> &mut T {
        let place = *self.places.entry(name).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push(value);
        }
        &mut self.values[place]
    }

    /// In the order of names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Name, &T)> {
        let places = self.places.iter();
        places.map(|(name, place)| (*name, &self.values[*place]))
    }
}
