//! PTX tables: instruction forms by family, special registers, directives, and keywords that are not part of a form.

pub mod directives;
pub mod forms;
pub mod keywords;
pub mod special;

use crate::dialect::{Dialect, DialectTables};

/// The PTX dialect, up to ISA 9.5.
pub static PTX: Dialect = Dialect::new(DialectTables {
    name: "PTX",
    families: forms::FAMILIES,
    opcodes: keywords::OPCODES,
    name_modifiers: keywords::NAME_WORDS,
    ignored: keywords::IGNORED,
    ignored_types: &keywords::IGNORED_TYPES,
    exclusive: keywords::EXCLUSIVE,
    repeatable: keywords::REPEATABLE,
    synonyms: keywords::MEANT,
});
