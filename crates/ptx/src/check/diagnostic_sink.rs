//! Diagnostic sink of the checker: sorts, deduplicates and limits diagnostics, and counts the errors. Reported diagnostics cannot be
//! modified or removed.

use crate::diagnostics::check::NEEDS_VERSION;
use warpgrid_program::{Diagnostic, Severity};

/// Sink to which all phases of the checker report their diagnostics. The sink limits the number of stored diagnostics.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticSink {
    list: Vec<Diagnostic>,
    n_dropped: usize,
    n_errors: usize,
}

/// Diagnostics of a check, and the number of omitted diagnostics, as returned by [`DiagnosticSink::finish`].
#[derive(Debug)]
pub(crate) struct CollectedDiagnostics {
    /// Diagnostics in source order.
    pub(crate) list: Vec<Diagnostic>,
    /// Number of diagnostics that the sink has omitted.
    pub(crate) n_dropped: usize,
    pub(crate) n_errors: usize,
}

impl DiagnosticSink {
    /// Maximum number of stored errors. The same limit applies separately to the other diagnostics.
    const LIMIT: usize = 2000;

    /// Adds a diagnostic, or only counts it if the limit is reached.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let n_others = self.list.len() - self.n_errors.min(self.list.len());
        self.n_errors += usize::from(is_error);
        let has_room = match is_error {
            true => self.n_errors <= DiagnosticSink::LIMIT,
            false => n_others < DiagnosticSink::LIMIT,
        };
        match has_room {
            true => self.list.push(diagnostic),
            false => self.n_dropped += 1,
        }
    }

    /// Returns the number of reported errors, including the errors beyond the limit.
    pub(crate) const fn n_errors(&self) -> usize {
        self.n_errors
    }

    /// Returns whether the sink omits further errors, so that the caller need not construct diagnostics that are expensive to build.
    pub(crate) const fn is_full(&self) -> bool {
        self.n_errors >= DiagnosticSink::LIMIT
    }

    /// Counts an error that the caller has not constructed because [`DiagnosticSink::is_full`] returns `true`.
    pub(crate) const fn drop_error(&mut self) {
        self.n_errors += 1;
        self.n_dropped += 1;
    }

    /// Returns the sorted and deduplicated diagnostics.
    pub(crate) fn finish(mut self) -> CollectedDiagnostics {
        self.list.sort_by_cached_key(|d| u64::from(d.span.start));
        // If several diagnostics at one token require different versions, keep only the one with the highest version.
        self.list.dedup_by(|after, before| {
            if is_earlier(before, after) {
                std::mem::swap(before, after);
                return true;
            }
            is_earlier(after, before)
        });
        CollectedDiagnostics {
            list: self.list,
            n_dropped: self.n_dropped,
            n_errors: self.n_errors,
        }
    }
}

/// Returns whether `finding` and `other` refer to the same token, and `finding` requires a lower version.
fn is_earlier(finding: &Diagnostic, other: &Diagnostic) -> bool {
    finding.code == NEEDS_VERSION
        && finding.span == other.span
        && finding.needs.version < other.needs.version
}
