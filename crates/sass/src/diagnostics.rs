//! Diagnostics of the SASS front end: one catalog file per stage, one function per code. All message texts are defined here.

pub(crate) mod store;
pub(crate) mod syntax;
pub(crate) mod text;

use warpgrid_program::DiagnosticDoc;

/// Returns all diagnostic codes of this front end, in order.
pub(crate) fn pages() -> impl Iterator<Item = DiagnosticDoc> {
    [syntax::PAGES, text::PAGES, store::PAGES]
        .into_iter()
        .flatten()
        .copied()
}
