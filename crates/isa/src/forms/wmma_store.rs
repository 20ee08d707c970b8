//! Warp-wide stores of matrix fragments (PTX ISA, "wmma.store").

use crate::form::Form;

/// The forms of `wmma.store`.
pub static FORMS: &[Form] = &[];
