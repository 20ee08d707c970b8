//! PTX tables: forms by family, special registers, and keywords that are not part of a form.

pub mod directives;
pub mod forms;
pub mod special;
pub mod words;

use crate::dialect::{Dialect, DialectTables};

/// The PTX dialect, up to ISA 9.5.
pub static PTX: Dialect = Dialect::new(DialectTables {
    name: "PTX",
    families: forms::FAMILIES,
    opcodes: words::OPCODES,
    name_modifiers: words::NAME_WORDS,
    ignored: words::IGNORED,
    ignored_types: &words::IGNORED_TYPES,
    exclusive: words::EXCLUSIVE,
    repeatable: words::REPEATABLE,
    synonyms: words::MEANT,
});
