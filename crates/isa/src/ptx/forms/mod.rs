//! Every instruction form of PTX, one file per family.

use crate::form::Form;

pub mod atomic;
pub mod compare;
pub mod control;
pub mod float;
pub mod integer;
pub mod load;
pub mod logic;
pub mod moves;
pub mod narrow;
pub mod sets;
pub mod st;
pub mod st_async;
pub mod sync;
pub mod wmma_store;

pub use super::words::OPCODES;

pub(super) mod table;

/// Every form: one list per family.
pub static FAMILIES: &[&[Form]] = &[
    integer::FORMS,
    float::FORMS,
    compare::FORMS,
    logic::FORMS,
    moves::FORMS,
    narrow::FORMS,
    load::FORMS,
    st::FORMS,
    st_async::FORMS,
    atomic::FORMS,
    control::FORMS,
    sync::FORMS,
    wmma_store::FORMS,
];
