//! Name resolution: determines the meaning of a name at a position of the source.
//!
//! One pass records the names of the module with their positions, after which these names are immutable ([`module_names`]). The names of a
//! body have separate scopes ([`scopes`]).

pub(crate) mod binding;
pub(crate) mod lookup;
pub(crate) mod module_names;
pub(crate) mod name_map;
pub(crate) mod parameterized_names;
pub(crate) mod scopes;
pub(crate) mod table;
