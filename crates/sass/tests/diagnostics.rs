//! Expectation tests of diagnostics: `NAME.diag` contains the codes, positions, messages, help texts and fixes for `NAME.sass`.
//! `UPDATE_EXPECT=1` rewrites the former.

use expect_test::expect_file;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use warpgrid_program::{Diagnostic, FrontEnd, LineIndex, Overrides, ReferenceDocs, Severity};
use warpgrid_sass::Sass;

fn texts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let entries = fs::read_dir(folder).expect("the folder of texts").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "sass"));
    paths.sort();
    paths
}

/// Formats a diagnostic as `error W1109 3:8 \`R3\`: message`, followed by its labels, help and fixes.
fn lines(source: &str, found: &Diagnostic) -> String {
    let index = LineIndex::new(source);
    let at = |start: u32| {
        let place = index.position(source, start);
        format!("{}:{}", place.line, place.column)
    };
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
    };
    let place = at(found.span.start);
    let text = found.span.text(source).lines().next().unwrap_or_default();
    let mut lines = format!(
        "{severity} {} {place} `{text}`: {}\n",
        found.code, found.message
    );
    for label in &found.labels {
        let _ = writeln!(lines, "  at {} {}", at(label.span.start), label.text);
    }
    if let Some(help) = &found.help {
        let _ = writeln!(lines, "  help: {help}");
    }
    for fix in &found.fixes {
        let fixed = fix.apply(source);
        let changed: Vec<&str> = fixed
            .lines()
            .filter(|line| !source.lines().any(|old| old == *line))
            .collect();
        let _ = writeln!(lines, "  fix: {}: {}", fix.title, changed.join(" | "));
    }
    lines
}

#[test]
fn diagnostics_match_expected_files() {
    for path in texts() {
        let source = fs::read_to_string(&path).expect("a text");
        let found = Sass.check(&source, &Overrides::default()).diagnostics;
        let report: String = found.iter().map(|found| lines(&source, found)).collect();
        expect_file![path.with_extension("diag")].assert_eq(&report);
    }
}

#[test]
fn each_code_has_test_source_that_reports_code() {
    let names: Vec<PathBuf> = texts();
    for page in Sass.codes() {
        let path = names
            .iter()
            .find(|path| path.file_stem().is_some_and(|name| name == page.code));
        let path = path.unwrap_or_else(|| panic!("{} has no text", page.code));
        let report = fs::read_to_string(path.with_extension("diag")).expect("its report");
        assert!(report.contains(&format!(" {} ", page.code)), "{report}");
    }
}
