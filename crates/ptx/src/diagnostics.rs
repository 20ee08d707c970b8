//! Every diagnostic of the PTX front end: one catalogue file a stage, one function a code.
//!
//! A catalogue file lists its codes in [`catalogue!`](warpgrid_program::catalogue), where the doc
//! comment of a code is its reference page, and below them the functions that build the
//! diagnostics. Nothing else in the crate words a message.

pub mod check;
pub mod declarations;
pub mod matrix;
pub mod performance;
pub mod rules;
pub mod store;
pub mod store_async;
pub(crate) mod strict_address;
pub mod syntax;
pub(crate) mod video;

use warpgrid_program::CodeFacts;
pub(crate) use warpgrid_program::catalogue;

/// The catalogues, in order of their codes.
const CATALOGUES: &[&[CodeFacts]] = &[
    syntax::CODES,
    check::CODES,
    rules::CODES,
    store::CODES,
    store_async::CODES,
    matrix::CODES,
    declarations::CODES,
    performance::CODES,
];

/// Every code of the PTX front end, in order.
pub fn codes() -> impl Iterator<Item = &'static CodeFacts> {
    CATALOGUES.iter().copied().flatten()
}

/// The reference page of a code such as `W0001`.
pub fn find(code: &str) -> Option<&'static CodeFacts> {
    codes().find(|page| page.code.eq_ignore_ascii_case(code))
}

/// The property in which two elements of a brace list differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    Width,
    Type,
}

impl Mismatch {
    /// The noun of diagnostics.
    pub const fn noun(self) -> &'static str {
        match self {
            Mismatch::Width => "widths",
            Mismatch::Type => "types",
        }
    }
}
