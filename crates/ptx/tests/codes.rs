//! Tests of the reference pages of the syntax codes: the wrong example causes the diagnostic, the right example has no
//! diagnostics, and every single fix makes the source valid.

use crate::support::describe;
use warpgrid_ptx::diagnostics::{codes, find, syntax};

/// Parses an example: lines of a body within a function, whole sources unchanged.
fn parse_example(text: &str) -> (String, warpgrid_ptx::Parse) {
    let mut source = text.to_owned();
    let whole = [".version", ".entry", ".func", ".visible", "__global__"]
        .iter()
        .any(|w| text.contains(w));
    // These constructs are only permitted in a snippet.
    let snippet = ["Examples", "0x"].iter().any(|w| text.starts_with(w)) || text.contains("...");
    let module = [".alias", ".maxntid", ".global .", "//"]
        .iter()
        .any(|w| text.starts_with(w))
        && !text.contains("%r");
    if !whole && !module && !snippet {
        source = format!(".entry k()\n{{\n{text}\n}}\n");
    }
    if text.starts_with(".maxntid") {
        source = format!(".entry k() {text} {{ ret; }}");
    }
    let parse = warpgrid_ptx::parse(&source);
    (source, parse)
}

/// Codes whose pages describe the example instead of including it.
const REPORTED: &[&str] = &[
    syntax::SOURCE_TOO_LARGE,
    syntax::TOO_MANY,
    syntax::NESTED_TOO_DEEP,
];

#[test]
fn wrong_examples_produce_code_and_right_examples_are_clean() {
    for page in syntax::CODES
        .iter()
        .filter(|page| !REPORTED.contains(&page.code))
    {
        let (source, parse) = parse_example(page.wrong);
        let found = parse.diagnostics.iter().any(|d| d.code == page.code);
        assert!(
            found,
            "{}: {source:?} gives\n{}",
            page.code,
            describe(&source, &parse.diagnostics)
        );
        let (source, parse) = parse_example(page.right);
        assert!(
            parse.diagnostics.is_empty(),
            "{}: {source:?} gives\n{}",
            page.code,
            describe(&source, &parse.diagnostics)
        );
    }
}

#[test]
fn fixes_of_wrong_examples_yield_clean_source() {
    for page in syntax::CODES
        .iter()
        .filter(|page| !REPORTED.contains(&page.code))
    {
        let (source, parse) = parse_example(page.wrong);
        if let [only] = &parse.diagnostics[..] {
            for fix in &only.fixes {
                let fixed = fix.apply(&source);
                let again = warpgrid_ptx::parse(&fixed);
                assert!(
                    again.diagnostics.is_empty(),
                    "{}: {fixed:?} gives\n{}",
                    page.code,
                    describe(&fixed, &again.diagnostics)
                );
            }
        }
    }
}

#[test]
fn codes_are_unique_and_have_explanations() {
    let all: Vec<&str> = codes().map(|page| page.code).collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(all.len(), sorted.len());
    for page in codes() {
        assert!(
            page.explanation.len() > 20 && !page.title.is_empty(),
            "{}",
            page.code
        );
        assert_eq!(find(page.code), Some(page));
    }
}

#[test]
fn codes_referenced_by_hosts_are_in_catalogue() {
    use warpgrid_program::diagnostic::{BARE_CONSTANT, OTHER_LANGUAGE, TRUNCATION_CODES};
    for code in TRUNCATION_CODES
        .into_iter()
        .chain([OTHER_LANGUAGE, BARE_CONSTANT])
    {
        assert!(find(code).is_some(), "{code}");
    }
}
