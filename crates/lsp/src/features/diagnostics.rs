//! Diagnostics of a document: results of the check, and findings of the last run of the same revision.

use crate::document::{DocumentKind, MAX_BYTES, Snapshot};
use gen_lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Uri,
};
use warpgrid_program::Severity;
use warpgrid_program::diagnostic::{EMPTY, INFERRED, SELECTED_TARGET};
use warpgrid_view::analysis::findings::{Finding, FindingSeverity};

/// Source name of all diagnostics.
pub(crate) const SOURCE: &str = "warpgrid";

/// Checks a document.
pub(crate) fn diagnostics(snapshot: &Snapshot) -> Vec<Diagnostic> {
    if snapshot.is_too_large() {
        let limit = MAX_BYTES >> 20;
        let message = format!("the file is larger than {limit} MiB, and is not checked");
        return vec![Diagnostic {
            severity: Some(DiagnosticSeverity::Information),
            source: Some(SOURCE.to_owned()),
            ..plain(Default::default(), message)
        }];
    }
    let Some(document) = snapshot.open() else {
        return Vec::new();
    };
    let found = document.diagnostics();
    let mut diagnostics: Vec<Diagnostic> = found
        .iter()
        .filter(|found| found.code != EMPTY)
        .map(|found| of_check(snapshot, found))
        .collect();
    if let Some(run) = snapshot
        .run
        .as_ref()
        .filter(|run| run.version == snapshot.version)
    {
        diagnostics.extend(
            run.findings
                .iter()
                .filter_map(|found| of_run(snapshot, found)),
        );
    }
    diagnostics
}

/// Converts a diagnostic of the check.
pub(crate) fn of_check(snapshot: &Snapshot, found: &warpgrid_program::Diagnostic) -> Diagnostic {
    let mut message = found.message.clone();
    if let Some(help) = &found.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let labels = found
        .labels
        .iter()
        .map(|label| DiagnosticRelatedInformation {
            location: Location::new(snapshot.uri.clone(), snapshot.range(label.span)),
            message: label.text.clone(),
        });
    let labels: Vec<DiagnosticRelatedInformation> = labels.collect();
    Diagnostic {
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            // Notes about inferred declarations apply to the whole source, and most asm blocks in host sources have notes about their effects.
            Severity::Information => {
                let is_general = [INFERRED, SELECTED_TARGET].contains(&found.code);
                match is_general || matches!(snapshot.kind, DocumentKind::Host(_)) {
                    true => DiagnosticSeverity::Hint,
                    false => DiagnosticSeverity::Information,
                }
            }
        }),
        code: Some(found.code.to_owned().into()),
        code_description: page_of(found.code).map(CodeDescription::new),
        source: Some(SOURCE.to_owned()),
        related_information: (!labels.is_empty()).then_some(labels),
        ..plain(snapshot.range(found.span), message)
    }
}

/// Converts a finding of a run. Findings without a position and notes are not reported.
fn of_run(snapshot: &Snapshot, found: &Finding) -> Option<Diagnostic> {
    let range = found.range.as_ref()?;
    let severity = match found.severity {
        FindingSeverity::Error | FindingSeverity::Warning => DiagnosticSeverity::Warning,
        FindingSeverity::Performance => DiagnosticSeverity::Information,
        FindingSeverity::Information => return None,
    };
    let start = snapshot.text.line_start(range.line.checked_sub(1)?);
    let line = snapshot.text.line(range.line - 1);
    let first = start + (line.len() - line.trim_start().len()) as u32;
    let span = warpgrid_program::Span::new(first, start + line.trim_end().len() as u32);
    let mut message = found.message.clone();
    for detail in &found.details {
        message.push('\n');
        message.push_str(detail);
    }
    let others = found
        .lines
        .iter()
        .filter(|other| **other != range.line)
        .map(|other| {
            let start = snapshot.text.line_start(other.saturating_sub(1));
            let end = snapshot.text.end_of_line(other.saturating_sub(1));
            let place = gen_lsp_types::Range::new(snapshot.text.position(start), end);
            DiagnosticRelatedInformation {
                location: Location::new(snapshot.uri.clone(), place),
                message: format!("also part of this {}", found.kind.name()),
            }
        });
    let others: Vec<DiagnosticRelatedInformation> = others.collect();
    Some(Diagnostic {
        severity: Some(severity),
        code: Some(found.kind.name().replace(' ', "-").into()),
        source: Some(SOURCE.to_owned()),
        related_information: (!others.is_empty()).then_some(others),
        ..plain(snapshot.range(span), message)
    })
}

/// Creates a diagnostic with a range and a message.
fn plain(range: gen_lsp_types::Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: None,
        code: None,
        code_description: None,
        source: None,
        message: message.into(),
        tags: None,
        related_information: None,
        data: None,
    }
}

/// Returns the address of the reference page of a diagnostic code on the site of the project, if the build configures a site.
pub(crate) fn page_of(code: &str) -> Option<Uri> {
    let site = option_env!("WARPGRID_SITE").filter(|site| !site.is_empty())?;
    Some(Uri(format!(
        "{}/docs/reference/diagnostics.html#{code}",
        site.trim_end_matches('/')
    )))
}
