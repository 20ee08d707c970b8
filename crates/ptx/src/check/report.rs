//! Collects what is found. In: diagnostics, in any order; out: those that a person can still read, and whether one of
//! them is an error. Nothing that is reported can be changed or taken back.

use crate::diagnostics::check::NEEDS_VERSION;
use warpgrid_program::{Diagnostic, Severity};

/// Takes diagnostics, up to a limit.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    list: Vec<Diagnostic>,
    n_dropped: usize,
    n_errors: usize,
}

/// All that was reported.
#[derive(Debug)]
pub(crate) struct Reported {
    /// In text order.
    pub(crate) list: Vec<Diagnostic>,
    /// How many more there were.
    pub(crate) n_dropped: usize,
    pub(crate) n_errors: usize,
}

impl Reporter {
    /// The most errors that are kept, and the most other diagnostics.
    const LIMIT: usize = 2000;

    /// Takes a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let n_others = self.list.len() - self.n_errors.min(self.list.len());
        self.n_errors += usize::from(is_error);
        let has_room = match is_error {
            true => self.n_errors <= Reporter::LIMIT,
            false => n_others < Reporter::LIMIT,
        };
        match has_room {
            true => self.list.push(diagnostic),
            false => self.n_dropped += 1,
        }
    }

    /// Number of errors so far, those beyond the limit included.
    pub(crate) const fn n_errors(&self) -> usize {
        self.n_errors
    }

    /// Whether further errors would be dropped; costly ones are only made if not.
    pub(crate) const fn is_full(&self) -> bool {
        self.n_errors >= Reporter::LIMIT
    }

    /// Counts an error that is not made, since [`Reporter::is_full`].
    pub(crate) const fn drop_error(&mut self) {
        self.n_errors += 1;
        self.n_dropped += 1;
    }

    /// Ends the collection.
    pub(crate) fn finish(mut self) -> Reported {
        self.list.sort_by_cached_key(|d| u64::from(d.span.start));
        // Of what one word needs, the latest version is enough.
        self.list.dedup_by(|after, before| {
            if is_earlier(before, after) {
                std::mem::swap(before, after);
                return true;
            }
            is_earlier(after, before)
        });
        Reported {
            list: self.list,
            n_dropped: self.n_dropped,
            n_errors: self.n_errors,
        }
    }
}

/// Whether a finding says of a word that it needs a version, where another one says that it needs a later one.
fn is_earlier(finding: &Diagnostic, other: &Diagnostic) -> bool {
    finding.code == NEEDS_VERSION
        && finding.span == other.span
        && finding.needs.version < other.needs.version
}
