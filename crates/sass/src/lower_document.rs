//! Builds a program from a syntax tree: assembles the listing, and lowers the listing part for the target.

use crate::check::target::inferred;
use crate::diagnostics::document;
use crate::listing::{self, ArchUnit};
use crate::lower::{UnsupportedInstruction, lower};
use crate::syntax::Tree;
use warpgrid_isa::Version;
use warpgrid_program::{Diagnostic, Overrides, Program};

/// Program of a source, with diagnostics about unsupported instructions.
pub(crate) struct LoweringResult {
    /// The program, or `None` for a source without instructions.
    pub(crate) program: Option<Program>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Builds the program of a source from the listing part for the requested target. If no part has this target, uses the first part with
/// instructions.
pub(crate) fn build(tree: &Tree, source: &str, overrides: &Overrides) -> LoweringResult {
    let listing = listing::read(tree, source);
    let has_code = |part: &&ArchUnit| !part.functions.is_empty();
    let is_asked = |part: &&ArchUnit| part.target.is_some() && part.target == overrides.target;
    let mut parts = listing.parts.iter().filter(has_code);
    let requested = parts.clone().find(is_asked);
    let Some(part) = requested.or_else(|| parts.next()) else {
        return LoweringResult {
            program: None,
            diagnostics: Vec::new(),
        };
    };
    let target = part.target.or(overrides.target);
    let target = target.unwrap_or_else(|| inferred(source, tree));
    let version = overrides.version.unwrap_or(Version::NEWEST);
    let lowered = lower(tree, source, part, target, version);
    let mut diagnostics = not_run(&lowered.not_run);
    let first = lowered.undetermined_literals.first();
    diagnostics.extend(first.map(|span| {
        let n = lowered.undetermined_literals.len();
        document::undetermined_literal(*span, span.text(source), n)
    }));
    LoweringResult {
        program: Some(Program::from_checked(lowered.module)),
        diagnostics,
    }
}

/// Reports each kind of unsupported instruction once, at its first occurrence.
fn not_run(found: &[UnsupportedInstruction]) -> Vec<Diagnostic> {
    let mut distinct: Vec<&UnsupportedInstruction> = Vec::new();
    // A guard without an opcode has already been reported as a syntax error.
    for one in found.iter().filter(|one| !one.mnemonic.is_empty()) {
        let is_same = |other: &&UnsupportedInstruction| {
            other.mnemonic == one.mnemonic && other.what == one.what
        };
        if !distinct.iter().any(is_same) {
            distinct.push(one);
        }
    }
    let diagnostics = distinct.into_iter();
    diagnostics
        .map(|one| document::not_run(one.span, &one.mnemonic, &one.what))
        .collect()
}
