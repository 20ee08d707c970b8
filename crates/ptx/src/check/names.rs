//! Names in scope. In: names with what they are declared as; out: what a name means at a place of the text.

pub(crate) mod name_map;
pub(crate) mod scopes;
