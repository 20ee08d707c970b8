//! Tests of the reference pages of the checker codes: the wrong example causes the diagnostic, the right example does not, and
//! every fix that is offered resolves the diagnostic.

use warpgrid_program::{Diagnostic, DiagnosticDoc, Overrides};
use warpgrid_ptx::diagnostics::{check as checker, performance};
use warpgrid_ptx::{check, parse};

/// Codes whose pages describe sources that are too long to include.
const UNPRINTABLE: &[&str] = &["W0139"];

fn pages() -> impl Iterator<Item = &'static DiagnosticDoc> {
    checker::CODES.iter().chain(performance::CODES)
}

fn diagnostics_of(source: &str) -> Vec<Diagnostic> {
    check(source, &parse(source), &Overrides::default()).diagnostics
}

#[test]
fn wrong_examples_produce_code_and_right_examples_are_clean() {
    let mut failures = Vec::new();
    for page in pages().filter(|page| !UNPRINTABLE.contains(&page.code)) {
        let has = |source: &str| diagnostics_of(source).iter().any(|d| d.code == page.code);
        if !has(page.wrong) {
            failures.push(format!("{} is not given for `{}`", page.code, page.wrong));
        }
        let right = diagnostics_of(page.right);
        let inferred =
            |d: &&Diagnostic| !matches!(d.code, "W0140" | "W0148") || page.code == d.code;
        for diagnostic in right.iter().filter(inferred) {
            failures.push(format!(
                "{}: `{}` gives {} {}",
                page.code, page.right, diagnostic.code, diagnostic.message
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn fixes_resolve_documented_diagnostic() {
    let mut failures = Vec::new();
    for page in pages().filter(|page| !UNPRINTABLE.contains(&page.code)) {
        for diagnostic in diagnostics_of(page.wrong)
            .iter()
            .filter(|d| d.code == page.code)
        {
            for fix in &diagnostic.fixes {
                let fixed = fix.apply(page.wrong);
                if diagnostics_of(&fixed).iter().any(|d| d.code == page.code) {
                    failures.push(format!("{}: `{}` leaves `{fixed}`", page.code, fix.title));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn codes_are_sorted_and_have_explanations() {
    for pair in checker::CODES.windows(2) {
        assert!(
            pair[0].code < pair[1].code,
            "{} before {}",
            pair[0].code,
            pair[1].code
        );
    }
    for page in pages() {
        assert!(page.explanation.trim().len() > 20, "{}", page.code);
    }
}
