//! Every instruction form, one file a family.

use crate::form::Form;

pub mod sets;
pub mod st;
pub mod st_async;
pub mod wmma_store;

mod names;

pub use names::{OPCODES, OTHER_MODIFIERS, UNMODELLED};

/// Every form: a list a family.
pub static FAMILIES: &[&[Form]] = &[st::FORMS, st_async::FORMS, wmma_store::FORMS];
