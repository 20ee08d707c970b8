//! Source languages for hosts. The type [`Language`] wraps a front end, and provides checks, editor assistance, reference pages and
//! sessions in the form that hosts display.

use crate::source::front_ends::{front_end, instruction_front_end};
use std::collections::BTreeSet;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::diagnostic::{BARE_CONSTANT, OTHER_LANGUAGE, TRUNCATION_CODES};
use warpgrid_program::{
    Diagnostic, FrontEnd, LineIndex, Overrides, SemanticToken, SemanticTokenKind, Severity, Span,
};

/// Source language with its front end. Its methods check, format and run sources of the language. Free functions such as
/// [`check`](crate::source::check()) use the language that their options specify.
#[derive(Clone, Copy)]
pub struct Language {
    pub(crate) front_end: &'static dyn FrontEnd,
}

/// Numbers of valid and invalid lines of a text in a language, from which hosts detect the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseCoverage {
    /// Number of lines that contain an instruction or a directive, and no error.
    pub n_parsed: usize,
    /// Number of lines with an error. If the check does not list all errors, this is the number of all lines.
    pub n_wrong: usize,
    /// Whether the text contains only comments.
    pub is_empty: bool,
}

impl Language {
    /// Creates the source language of a front end.
    pub const fn new(front_end: &'static dyn FrontEnd) -> Language {
        Language { front_end }
    }

    /// Creates the language for sources that consist only of instructions, such as the files of an editor. Its functions do not search for
    /// asm blocks, logs and fat binary entries.
    pub fn instructions(front: SourceLanguage) -> Language {
        Language::new(instruction_front_end(front))
    }

    /// Formats a source. The result contains the same tokens and comments, with one statement per line. All lines of the result have the
    /// line ending of the first line.
    pub fn format(self, source: &str) -> String {
        let formatted = self.front_end.format(source);
        let first_end = source.find('\n').unwrap_or(0);
        if source[..first_end].ends_with('\r') {
            // First normalize the line endings, because the formatter may keep a line unchanged, including its line ending.
            return formatted.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        formatted
    }

    /// Counts the lines of a text that contain an instruction of `opcodes` or a directive and no error, and counts the lines with an error.
    pub(crate) fn understanding(self, source: &str, opcodes: &BTreeSet<String>) -> ParseCoverage {
        let diagnostics = self
            .front_end
            .check(source, &Overrides::default())
            .diagnostics;
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        let errors: Vec<&Diagnostic> = diagnostics.iter().filter(is_error).collect();
        let lines = LineIndex::new(source);
        let line_of = |offset: u32| lines.position(source, offset).line;
        let wrong = errors.iter().flat_map(|found| {
            let Span { start, end } = found.span;
            line_of(start)..=line_of(end.saturating_sub(1).max(start))
        });
        let wrong: BTreeSet<u32> = wrong.collect();
        let tokens = self.front_end.tokens(source);
        let is_known = |token: &&SemanticToken| match token.class {
            SemanticTokenKind::Opcode => {
                let text = token.span.text(source);
                opcodes.contains(text.split('.').next().unwrap_or(text))
            }
            class => class == SemanticTokenKind::Directive,
        };
        let known = tokens
            .iter()
            .filter(is_known)
            .map(|token| line_of(token.span.start));
        let known: BTreeSet<u32> = known.collect();
        // Count no line as valid if the text is in another language or contains no statement.
        let is_foreign = |code: &str| [OTHER_LANGUAGE, BARE_CONSTANT].contains(&code);
        let n_understood = match errors.iter().any(|found| is_foreign(found.code)) {
            true => 0,
            false => known.difference(&wrong).count(),
        };
        ParseCoverage {
            n_parsed: n_understood,
            // If the check lists only the first errors, count all lines, because any line may contain an error.
            n_wrong: match diagnostics
                .iter()
                .any(|found| TRUNCATION_CODES.contains(&found.code))
            {
                true => source.lines().count(),
                false => wrong.len(),
            },
            is_empty: tokens
                .iter()
                .all(|token| token.class == SemanticTokenKind::Comment),
        }
    }
}

impl From<SourceLanguage> for Language {
    fn from(front: SourceLanguage) -> Language {
        Language::new(front_end(front))
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Language").finish_non_exhaustive()
    }
}
