//! A language as hosts hold it: a front end goes in; checks, help for the editor, the reference and sessions come out, in
//! the screen's words.

use crate::source::front_ends::front_end;
use std::collections::BTreeSet;
use warpgrid_launch::Front;
use warpgrid_program::diagnostic::{CUT_SHORT, OTHER_LANGUAGE};
use warpgrid_program::{
    ColouredToken, Diagnostic, FrontEnd, LineIndex, Overrides, Severity, Span, TokenClass,
};

/// A language of sources. The calls of this room about a text are its methods; free functions such as
/// [`check`](crate::source::check()) take the language from their options.
#[derive(Clone, Copy)]
pub struct Language {
    pub(crate) front_end: &'static dyn FrontEnd,
}

/// How much of a text a language understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Understanding {
    /// Lines with an instruction or a directive, and without an error.
    pub n_understood: usize,
    /// Lines with an error; all of them where further errors are not listed.
    pub n_wrong: usize,
    /// Whether it has nothing but comments.
    pub is_empty: bool,
}

impl Language {
    /// The language of a front end.
    pub const fn new(front_end: &'static dyn FrontEnd) -> Language {
        Language { front_end }
    }

    /// Formats a source: the same tokens and comments, one statement per line. Lines end as the first one does.
    pub fn format(self, source: &str) -> String {
        let formatted = self.front_end.format(source);
        let first_end = source.find('\n').unwrap_or(0);
        if source[..first_end].ends_with('\r') {
            // The formatter may leave a line as it is, with its end.
            return formatted.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        formatted
    }

    /// How many lines of a text have an instruction of `opcodes` or a directive and no error, and how many have an error.
    pub(crate) fn understanding(self, source: &str, opcodes: &BTreeSet<String>) -> Understanding {
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
        let is_known = |token: &&ColouredToken| match token.class {
            TokenClass::Opcode => {
                let text = token.span.text(source);
                opcodes.contains(text.split('.').next().unwrap_or(text))
            }
            class => class == TokenClass::Directive,
        };
        let known = tokens
            .iter()
            .filter(is_known)
            .map(|token| line_of(token.span.start));
        let known: BTreeSet<u32> = known.collect();
        // Of a text in another language, no line is one of this.
        let n_understood = match errors.iter().any(|found| found.code == OTHER_LANGUAGE) {
            true => 0,
            false => known.difference(&wrong).count(),
        };
        Understanding {
            n_understood,
            // Of very many errors only the first are listed: any line may have one.
            n_wrong: match diagnostics
                .iter()
                .any(|found| CUT_SHORT.contains(&found.code))
            {
                true => source.lines().count(),
                false => wrong.len(),
            },
            is_empty: tokens
                .iter()
                .all(|token| token.class == TokenClass::Comment),
        }
    }
}

impl From<Front> for Language {
    fn from(front: Front) -> Language {
        Language::new(front_end(front))
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Language").finish_non_exhaustive()
    }
}
