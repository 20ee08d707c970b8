//! Definitions shared by all dialects: operations, modifiers, types, state spaces, targets, versions, number parsing, and the parser of the
//! form tables.

pub mod decimal;
pub mod dialect;
pub mod float_format;
pub mod form;
pub mod modifier;
pub mod modifiers;
pub mod operation;
pub mod release;
pub mod sass_op;
pub mod space;
pub mod target;
pub mod type_match;
pub mod types;
pub mod version;
pub mod video_selectors;
