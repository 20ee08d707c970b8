//! Every diagnostic of the SASS front end: one catalogue file a stage, one function a code. Nothing else words a message.

pub(crate) mod store;
pub(crate) mod syntax;
pub(crate) mod text;

use warpgrid_program::CodeFacts;

/// Every code of this front end, in order.
pub(crate) fn pages() -> impl Iterator<Item = CodeFacts> {
    [syntax::PAGES, text::PAGES, store::PAGES]
        .into_iter()
        .flatten()
        .copied()
}
