//! Diagnostics of the SASS front end: one catalog file per stage, with one function per diagnostic code. This module contains all message
//! texts of the front end.

pub(crate) mod document;
pub(crate) mod store;
pub(crate) mod syntax;

use warpgrid_program::DiagnosticDoc;

/// Returns all diagnostic codes of this front end, in order.
pub(crate) fn pages() -> impl Iterator<Item = DiagnosticDoc> {
    [syntax::PAGES, document::PAGES, store::PAGES]
        .into_iter()
        .flatten()
        .copied()
}
