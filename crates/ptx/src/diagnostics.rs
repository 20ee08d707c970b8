//! All diagnostics of the PTX front end: one file per phase, with one or more functions per code.
//!
//! Each file declares its codes in [`diagnostic_codes!`](warpgrid_program::diagnostic_codes), where the doc comment of a code is its reference
//! page, followed by the functions that construct the diagnostics. No other module of the crate contains diagnostic messages.

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

use warpgrid_program::DiagnosticDoc;
pub(crate) use warpgrid_program::diagnostic_codes;

/// Codes of all files, in the order of the codes.
const CATALOGUES: &[&[DiagnosticDoc]] = &[
    syntax::CODES,
    check::CODES,
    rules::CODES,
    store::CODES,
    store_async::CODES,
    matrix::CODES,
    declarations::CODES,
    performance::CODES,
];

/// Returns the reference pages of all codes of the PTX front end, in order.
pub fn codes() -> impl Iterator<Item = &'static DiagnosticDoc> {
    CATALOGUES.iter().copied().flatten()
}

/// Returns the reference page of a code such as `W0001`, regardless of case.
pub fn find(code: &str) -> Option<&'static DiagnosticDoc> {
    codes().find(|page| page.code.eq_ignore_ascii_case(code))
}

/// The property in which two elements of a brace list differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MismatchedProperty {
    Width,
    Type,
}

impl MismatchedProperty {
    /// Returns the noun for messages.
    pub const fn noun(self) -> &'static str {
        match self {
            MismatchedProperty::Width => "widths",
            MismatchedProperty::Type => "types",
        }
    }
}
