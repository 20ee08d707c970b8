//! Names and what they mean. In: names with what they are declared as; out: what a name means at a place of the text.
//!
//! Names of the module are stamped with their place in one pass and never change after it ([`module_names`]); names of
//! a body live in scopes of its own ([`scopes`]).

pub(crate) mod binding;
pub(crate) mod families;
pub(crate) mod lookup;
pub(crate) mod module_names;
pub(crate) mod name_map;
pub(crate) mod scopes;
pub(crate) mod table;
