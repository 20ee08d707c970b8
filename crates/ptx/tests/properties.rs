//! Property tests for arbitrary sources: no panic, valid spans, no loss of text, and linear running time.

use crate::support::{assert_sound, corpus};
use proptest::prelude::*;
use std::time::{Duration, Instant};
use warpgrid_ptx::{parse, tokens};

/// PTX fragments whose combinations often cause errors.
const PIECES: &[&str] = &[
    "st",
    ".global",
    ".u32",
    " ",
    "\n",
    "%r1",
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
    "4",
    "0f3F800000",
    "_",
    "|",
    "@",
    "!",
    ":",
    "::",
    ".",
    ".entry",
    ".func",
    ".reg",
    "k",
    "<",
    ">",
    "=",
    "\"",
    "//",
    "/*",
    "*/",
    ".loc",
    ".section",
    ".version 8.0\n",
    ".target sm_90\n",
    ".param",
    ".align",
    "call",
    "WARP_SZ",
    "?",
    "é",
    "\0",
    "\\",
    "# 7 \"a.cu\"\n",
    "#",
    "generic",
    ".callprototype",
    ".b8",
    ".pragma",
    "@@DWARF",
    "0x",
    ".visible",
    ".maxntid",
];

fn assert_fine(source: &str) {
    assert_sound(source, &parse(source));
    let mut end = 0;
    for token in tokens(source) {
        assert!(token.span.start >= end && token.span.end > token.span.start);
        assert!(
            source
                .get(token.span.start as usize..token.span.end as usize)
                .is_some()
        );
        end = token.span.end;
    }
}

/// Splits a source into words, blanks and punctuation. Their concatenation is the source.
fn pieces_of(source: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let bytes = source.as_bytes();
    for i in 1..=bytes.len() {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        if i == bytes.len() || !(word(bytes[i - 1]) && word(bytes[i])) {
            pieces.push(&source[start..i]);
            start = i;
        }
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_source_is_parsed_soundly(source in ".{0,200}") {
        assert_fine(&source);
    }

    #[test]
    fn arbitrary_fragments_are_parsed_soundly(picks in prop::collection::vec(0..PIECES.len(), 0..80)) {
        let source: String = picks.iter().map(|i| PIECES[*i]).collect();
        assert_fine(&source);
    }

    #[test]
    fn mutated_modules_are_parsed_soundly(file in 0usize..8, edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<prop::sample::Index>()), 1..12)) {
        let files = corpus();
        let source = &files[file % files.len()].1;
        let mut pieces = pieces_of(source);
        for (place, what, other) in edits {
            if pieces.is_empty() {
                break;
            }
            let place = place.index(pieces.len());
            let other = other.index(pieces.len());
            match what {
                0 => { pieces.remove(place); }
                1 => pieces.swap(place, other),
                2 => pieces.insert(place, pieces[other]),
                _ => pieces.truncate(place.max(1)),
            }
        }
        assert_fine(&pieces.concat());
    }
}

/// Sources for which a naive parser needs quadratic time or excessive stack memory.
#[test]
fn large_malformed_sources_parse_within_time_limit() {
    let n = 1_000_000;
    let texts = [
        "{".repeat(n),
        "}".repeat(n),
        "(".repeat(n),
        "f ((((".repeat(n / 6),
        format!("f {}", "(".repeat(n)),
        format!("f {}", "-".repeat(n)),
        format!("f {}", "!".repeat(n)),
        format!("f 1{}", "?1:1".repeat(n / 4)),
        format!("f 1{}", "?1".repeat(n / 2)),
        format!("f {}", "1+".repeat(n / 2)),
        format!("f a{}", ",a".repeat(n / 2)),
        format!("f {{a{}", ",a".repeat(n / 2)),
        "[".repeat(n),
        "\"".repeat(n),
        "/*".repeat(n / 2),
        "/".repeat(n),
        "@".repeat(n),
        ".".repeat(n),
        ".a".repeat(n / 2),
        ":".repeat(n),
        ";".repeat(n),
        "a ".repeat(n / 2),
        "a\n".repeat(n / 2),
        "a:".repeat(n / 2),
        "a".repeat(n),
        "0".repeat(n),
        "f 0".repeat(n / 3),
        ".version ".repeat(n / 9),
        ".version 8.0\n".repeat(n / 13),
        ".entry k(".repeat(n / 9),
        ".entry k() {".repeat(n / 12),
        ".func ".repeat(n / 6),
        format!(".version 8.0 .func f({}", ",".repeat(n)),
        format!(".version 8.0 .global .u32 v = {}", "{".repeat(n)),
        format!(".version 8.0 .global .u32 v = {{1{}", ",1".repeat(n / 2)),
        format!(".version 8.0 .section .x {{ {}", ".b8 1\n".repeat(n / 6)),
        ".section .x {".repeat(n / 13),
        ".loc 1 ".repeat(n / 7),
        "call (a".repeat(n / 7),
        "é".repeat(n / 2),
        "\u{0}".repeat(n),
        "st.global.u32 [%rd1], %r1".repeat(n / 25),
        "x1 ".repeat(n / 3),
    ];
    for text in &texts {
        let start = Instant::now();
        let parsed = parse(text);
        let _ = tokens(text);
        let took = start.elapsed();
        assert!(
            took < Duration::from_secs(4),
            "{:?}... took {took:?}",
            &text.get(..20)
        );
        assert!(parsed.diagnostics.len() <= warpgrid_ptx::parser::MAX_DIAGNOSTICS + 1);
        assert_sound(text, &parsed);
    }
}

#[test]
fn diagnostics_beyond_limit_end_with_truncation_note() {
    let parsed = parse(&"ret;;\n".repeat(5000));
    assert_eq!(
        parsed.diagnostics.len(),
        warpgrid_ptx::parser::MAX_DIAGNOSTICS + 1
    );
    assert_eq!(parsed.diagnostics.last().map(|d| d.code), Some("W0002"));
}
