//! Tables of PTX lines with their expected codes, for the tests of stores, collectives and declarations.

use warpgrid_program::Overrides;
use warpgrid_program::{Diagnostic, Severity};
use warpgrid_ptx::{check, parse};

/// Version and target, line, codes in source order, and the total number of fixes.
pub(crate) type Row = (&'static str, &'static str, &'static [&'static str], usize);

pub(crate) fn diagnostics_of(source: &str) -> Vec<Diagnostic> {
    check(source, &parse(source), &Overrides::default()).diagnostics
}

/// Returns a kernel with these declarations and the line.
pub(crate) fn kernel(header: &str, declarations: &str, line: &str) -> String {
    let (version, target) = header.split_once(' ').expect("version and target");
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 input)\n{{\n{declarations}\n{line}\nret;\n}}\n"
    )
}

/// Checks that each row has its codes and number of fixes. `source` returns the source for a header and a line.
pub(crate) fn check_codes(rows: &[Row], source: fn(&str, &str) -> String) {
    let mut wrong = Vec::new();
    for (header, line, codes, n_fixes) in rows {
        let found = diagnostics_of(&source(header, line));
        let got: Vec<_> = found.iter().map(|d| d.code).collect();
        let n: usize = found.iter().map(|d| d.fixes.len()).sum();
        if got != *codes || n != *n_fixes {
            let reported: Vec<_> = found.iter().map(|d| (&d.message, &d.help)).collect();
            wrong.push(format!(
                "{header} {line}\n    {got:?}, {n} fixes\n    {reported:#?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that each fix resolves its diagnostic, and leaves no diagnostics if there was only one.
pub(crate) fn check_fixes(rows: &[Row], source: fn(&str, &str) -> String) {
    let mut wrong = Vec::new();
    for (header, line, codes, _) in rows {
        let text = source(header, line);
        for diagnostic in diagnostics_of(&text) {
            for fix in &diagnostic.fixes {
                let after = fix.apply(&text);
                let left = diagnostics_of(&after);
                let gone = left.iter().all(|d| d.code != diagnostic.code);
                if !gone || (codes.len() == 1 && !left.is_empty()) {
                    let reported: Vec<_> = left.iter().map(|d| (d.code, &d.message)).collect();
                    wrong.push(format!("{line}: {}\n{after}\n{reported:#?}", fix.title));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that each error has help or unmet requirements, and that its span is within its line. With `fixes_tell`, a fix is
/// sufficient.
pub(crate) fn check_help(rows: &[Row], source: fn(&str, &str) -> String, fixes_tell: bool) {
    let mut wrong = Vec::new();
    for (header, line, ..) in rows {
        let text = source(header, line);
        let start = text.find(line).expect("the line") as u32;
        let end = start + line.len() as u32;
        for diagnostic in diagnostics_of(&text) {
            let reported = diagnostic.help.is_some()
                || (fixes_tell && !diagnostic.fixes.is_empty())
                || diagnostic.needs.version.is_some()
                || diagnostic.needs.target.is_some();
            let inside = start <= diagnostic.span.start && diagnostic.span.end <= end;
            if diagnostic.severity == Severity::Error && !(reported && inside) {
                wrong.push(format!("{line}: {}", diagnostic.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
