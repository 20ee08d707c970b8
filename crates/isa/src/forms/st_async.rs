//! Asynchronous stores to shared memory of the cluster (PTX ISA, "st.async").

use crate::form::Form;

/// The forms of `st.async`.
pub static FORMS: &[Form] = &[];
