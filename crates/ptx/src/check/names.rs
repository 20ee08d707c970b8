//! Name resolution: determines the meaning of a name at a position of the source.
//!
//! The names of the module are recorded with their positions in one pass and are immutable afterwards ([`module_names`]). The
//! names of a body have separate scopes ([`scopes`]).

pub(crate) mod binding;
pub(crate) mod lookup;
pub(crate) mod module_names;
pub(crate) mod name_map;
pub(crate) mod parameterized_names;
pub(crate) mod scopes;
pub(crate) mod table;
