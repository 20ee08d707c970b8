//! Operations that modify only registers.

pub(crate) mod compare;
pub(crate) mod compute;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod integer;
#[cfg(test)]
mod known_tests;
pub(crate) mod machine;
pub(crate) mod pack;
pub(crate) mod predicate;
pub(crate) mod select;
pub(crate) mod video;
