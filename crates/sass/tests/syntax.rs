//! Disassembler output must be parsed without diagnostics and printed unchanged.

mod support;

use serde_json::Value as Json;
use support::listings;
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_sass::Sass;
use warpgrid_sass::syntax::{StatementKind, Tree, parse, print_instruction};

/// Returns the instruction of a listing line, as printed there.
fn instruction_of(line: &str) -> Option<&str> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let text = rest.split_once(';')?.0.trim();
    let is_instruction = !address.contains('x') && !text.starts_with('.');
    is_instruction.then_some(text)
}

fn printed(source: &str, tree: &Tree) -> Vec<String> {
    tree.instructions
        .iter()
        .map(|instruction| {
            let mut text = String::new();
            print_instruction(tree, source, instruction, &mut text);
            text
        })
        .collect()
}

#[test]
fn listings_round_trip_through_parser() {
    for (path, source) in listings() {
        let tree = parse(&source);
        assert_eq!(tree.errors, [], "{}", path.display());
        let expected: Vec<&str> = source.lines().filter_map(instruction_of).collect();
        assert!(expected.len() > 10, "{}", path.display());
        assert_eq!(printed(&source, &tree), expected, "{}", path.display());
    }
}

#[test]
fn store_spellings_round_trip_through_parser() {
    for line in include_str!("data/spellings.jsonl").lines() {
        let case: Json = serde_json::from_str(line).expect("a line of JSON");
        let text = case.get("text").and_then(Json::as_str).expect("a text");
        let tree = parse(text);
        assert_eq!(tree.errors, [], "{text}");
        assert_eq!(printed(text, &tree), [text]);
    }
}

#[test]
fn listing_lines_are_statements_or_comments() {
    for (path, source) in listings() {
        let tree = parse(&source);
        let mut covered = vec![false; source.len()];
        let statements = tree.statements.iter().map(|statement| statement.span);
        for span in statements.chain(tree.comments.iter().copied()) {
            covered[span.start as usize..span.end as usize].fill(true);
        }
        let lost: String = source
            .bytes()
            .zip(&covered)
            .filter(|&(byte, covered)| !covered && !byte.is_ascii_whitespace() && byte != b';')
            .map(|(byte, _)| char::from(byte))
            .collect();
        assert_eq!(lost, "", "{}", path.display());
        let unknown = tree
            .statements
            .iter()
            .filter(|statement| statement.kind == StatementKind::Unknown);
        assert_eq!(unknown.count(), 0, "{}", path.display());
    }
}

#[test]
fn listings_have_no_diagnostics() {
    for (path, source) in listings() {
        let mut found = Sass.check(&source, &Overrides::default()).diagnostics;
        // Diagnostics about execution are not tested here.
        found.retain(|found| found.code != "W1015");
        assert_eq!(found, [], "{}", path.display());
    }
}
