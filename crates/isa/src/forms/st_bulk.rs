//! Filling shared memory (PTX ISA, "st.bulk"). In: nothing; out: the rows.

use super::sets::{SHARED_CTA, plain, set};
use crate::form::{Does, Form, Gate, Meaning, OperandType};
use crate::modifier::Sem;

set!(
    WEAK,
    "weak",
    "memory order",
    [plain(
        "weak",
        Meaning::Sem(Sem::Weak),
        "no synchronisation; what is meant without a word"
    )]
);
set!(SPACE, "ss", "state space", [SHARED_CTA]);

/// The forms of `st.bulk`.
pub static FORMS: &[Form] = &[Form {
    syntax: "st.bulk{.weak}{.ss} [a], size, initval",
    sets: &[&WEAK, &SPACE],
    types: &[
        ("a", OperandType::Custom),
        ("size", OperandType::Custom),
        ("initval", OperandType::Custom),
    ],
    gate: Gate::ptx(8, 6).sm(100),
    does: Does::NotEmulated,
    help: "Fills size bytes of shared memory with zero.",
    section: "data-movement-and-conversion-instructions-st-bulk",
    good: &["st.bulk.weak.shared::cta [a], 256, 0;"],
    bad: &[],
}];
