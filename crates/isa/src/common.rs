//! What the dialects share: meanings, modifiers, types, spaces, targets, versions, numbers, and how a table of forms is read.

pub mod decimal;
pub mod dialect;
pub mod does;
pub mod fit;
pub mod float_format;
pub mod form;
pub mod machine;
pub mod modifier;
pub mod modifiers;
pub mod release;
pub mod space;
pub mod target;
pub mod types;
pub mod version;
pub mod video;
