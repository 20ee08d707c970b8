//! Name resolution: determines the object that a name denotes at a position of the source.
//!
//! The declaration pass records the module-scope names with their positions ([`module_names`]). Each body has separate scopes for its own
//! names ([`scopes`]).

pub(crate) mod binding;
pub(crate) mod lookup;
pub(crate) mod module_names;
pub(crate) mod name_map;
pub(crate) mod parameterized_names;
pub(crate) mod scopes;
pub(crate) mod table;
