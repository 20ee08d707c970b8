//! Property tests for arbitrary input: no panics, valid spans, and no line lost because of another.

mod support;

use proptest::prelude::*;
use support::listings;
use warpgrid_program::{FrontEnd, Overrides, Span};
use warpgrid_sass::Sass;
use warpgrid_sass::syntax::{OperandKind, Tree, parse, print_instruction};

/// SASS fragments that are prone to errors in combination.
const PIECES: &[&str] = &[
    "STG",
    ".E",
    ".64",
    " ",
    "\n",
    "R1",
    "UR4",
    "P0",
    "RZ",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ";",
    "+",
    "-",
    "0x10",
    "1.5e-7",
    "INF",
    "|",
    "@",
    "!",
    "~",
    ":",
    ".",
    "`(",
    "c",
    "desc",
    "cx",
    "/*0010*/",
    "/* 0x1 */",
    "/*",
    "*/",
    "//",
    "&req_6",
    "?sched",
    "(*\"",
    "\"*)",
    "=",
    "32@lo(f)",
    ".section",
    "Function : f",
    "code for sm_90",
    "é",
    "\0",
    "0x",
    "99999999999999999999",
    "$",
    "2D",
    ".L_x_1:",
    "0x00007f <+16>:",
    "\"",
];

fn assert_inside(span: Span, source: &str) {
    assert!(span.start <= span.end);
    let range = span.start as usize..span.end as usize;
    assert!(source.get(range).is_some(), "{span:?} in {source:?}");
}

fn assert_sound(source: &str, tree: &Tree) {
    let mut end = 0;
    for statement in &tree.statements {
        assert!(statement.span.start >= end, "{source:?}");
        end = statement.span.end;
        assert_inside(statement.span, source);
    }
    for span in tree
        .comments
        .iter()
        .chain(tree.errors.iter().map(|e| &e.span))
    {
        assert_inside(*span, source);
    }
    for instruction in &tree.instructions {
        assert_inside(instruction.span, source);
        let operands = tree.operands(instruction);
        for operand in operands {
            assert_inside(operand.span, source);
            if let OperandKind::Memory(memory) = &operand.value {
                for bracket in tree.brackets(memory) {
                    assert_inside(bracket.span, source);
                    tree.terms(bracket)
                        .iter()
                        .for_each(|term| assert_inside(term.span, source));
                }
            }
        }
        let mut text = String::new();
        print_instruction(tree, source, instruction, &mut text);
    }
}

/// Asserts that nothing panics, that tokens cover the source, and that formatting is idempotent and preserves all words.
fn assert_assisted(source: &str, offset: u32) {
    let overrides = Overrides::default();
    let document = Sass.open(source.into(), &overrides);
    document.check();
    document.hover(offset);
    document.complete(offset);
    document.signature(offset);
    let mut end = 0;
    for token in Sass.tokens(source) {
        assert!(token.span.start >= end && token.span.end > token.span.start);
        assert_inside(token.span, source);
        let gap = &source[end as usize..token.span.start as usize];
        assert!(gap.trim().is_empty(), "lost {gap:?} of {source:?}");
        end = token.span.end;
    }
    assert!(source[end as usize..].trim().is_empty());
    let formatted = Sass.format(source);
    assert_eq!(
        parse(&formatted).errors.len(),
        parse(source).errors.len(),
        "{source:?} becomes {formatted:?}"
    );
    assert_eq!(Sass.format(&formatted), formatted, "{source:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_fragments_are_parsed_soundly(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40), offset in 0u32..200) {
        let source = pieces.concat();
        assert_sound(&source, &parse(&source));
        assert_assisted(&source, offset);
    }

    #[test]
    fn arbitrary_characters_are_parsed_soundly(source in "\\PC{0,80}") {
        assert_sound(&source, &parse(&source));
    }

    #[test]
    fn malformed_line_does_not_affect_other_lines(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..20), at in 0usize..9) {
        let line: String = pieces.concat().replace(['\n'], " ").replace("*/", " ");
        let mut lines = vec!["/*0010*/ STG.E [R2.64], R4 ;"; 9];
        lines.insert(at, &line);
        let source = lines.join("\n");
        let tree = parse(&source);
        assert_sound(&source, &tree);
        let whole = tree
            .instructions
            .iter()
            .filter(|instruction| instruction.span.text(&source) == "STG.E [R2.64], R4");
        prop_assert!(whole.count() >= 9, "{}", source);
    }

    #[test]
    fn listing_excerpts_are_parsed_soundly(which in 0usize..8, from in 0.0f64..1.0, length in 0usize..3000) {
        let (_, source) = &listings()[which];
        let bound = |at: usize| (at..).find(|&at| source.is_char_boundary(at)).unwrap_or(source.len());
        let start = bound((from * source.len() as f64) as usize);
        let part = &source[start..bound((start + length).min(source.len()))];
        assert_sound(part, &parse(part));
        assert_assisted(part, length as u32 / 2);
    }
}
