//! Text in, tree and diagnostics out. Parsing cannot fail.

use crate::diagnostics::syntax;
use crate::tree::Tree;
use warpgrid_program::Diagnostic;

/// What was read, and what was wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Parse {
    pub tree: Tree,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a whole source.
pub fn parse(source: &str) -> Parse {
    if source.len() >= u32::MAX as usize {
        return Parse {
            tree: Tree::default(),
            diagnostics: vec![syntax::source_too_large(source.len())],
        };
    }
    Parse::default()
}
