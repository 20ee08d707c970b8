//! Test that every module of the corpora is parsed without diagnostics and without loss of text.

use crate::support::{assert_sound, corpus, describe};
use warpgrid_ptx::tree::StatementKind;

#[test]
fn corpus_modules_parse_without_diagnostics() {
    for (path, source) in corpus() {
        let parse = warpgrid_ptx::parse(&source);
        assert!(
            parse.diagnostics.is_empty(),
            "{}:\n{}",
            path.display(),
            describe(&source, &parse.diagnostics)
        );
        assert_sound(&source, &parse);
    }
}

#[test]
fn corpus_instructions_end_with_semicolon() {
    for (path, source) in corpus() {
        let parse = warpgrid_ptx::parse(&source);
        let ends = parse.tree.statements.iter().filter(|s| {
            matches!(s.kind, StatementKind::Instruction(_)) && !s.span.text(&source).ends_with(';')
        });
        assert_eq!(ends.count(), 0, "{}", path.display());
    }
}

#[test]
fn tokens_cover_corpus_modules() {
    for (path, source) in corpus() {
        let mut end = 0;
        for token in warpgrid_ptx::tokens(&source) {
            assert!(token.span.start >= end, "{}", path.display());
            let gap = &source[end as usize..token.span.start as usize];
            assert!(gap.trim().is_empty(), "{}: lost {gap:?}", path.display());
            assert_ne!(
                token.class,
                warpgrid_program::SemanticTokenKind::Error,
                "{}",
                path.display()
            );
            end = token.span.end;
        }
        assert!(source[end as usize..].trim().is_empty());
    }
}
