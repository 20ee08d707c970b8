//! Folding ranges and selection ranges.

use crate::document::Snapshot;
use gen_lsp_types::{FoldingRange, FoldingRangeKind, Position, SelectionRange};
use warpgrid_program::syntax::StatementKind;
use warpgrid_program::{SemanticToken, SemanticTokenKind, Span};

/// Returns the folding ranges of a document: functions, blocks, operand lists in braces, and comments of several lines.
pub(crate) fn folding_ranges(snapshot: &Snapshot) -> Vec<FoldingRange> {
    let tokens = tokens(snapshot);
    let mut ranges = Vec::new();
    for span in brace_pairs(snapshot.source(), &tokens) {
        push(snapshot, span, None, &mut ranges);
    }
    for span in comments(snapshot, &tokens) {
        push(snapshot, span, Some(FoldingRangeKind::Comment), &mut ranges);
    }
    ranges.sort_by_key(|range| (range.start_line, range.end_line));
    ranges.dedup_by_key(|range| range.start_line);
    ranges
}

fn push(
    snapshot: &Snapshot,
    span: Span,
    kind: Option<FoldingRangeKind>,
    ranges: &mut Vec<FoldingRange>,
) {
    let range = snapshot.range(span);
    // The line of a closing brace remains visible.
    let end_line = match kind {
        Some(_) => range.end.line,
        None => range.end.line.saturating_sub(1),
    };
    if end_line > range.start.line {
        ranges.push(FoldingRange {
            start_line: range.start.line,
            start_character: None,
            end_line,
            end_character: None,
            kind,
            collapsed_text: None,
        });
    }
}

/// Returns the semantic tokens of a document that consists of instructions, or of the asm blocks of a host source.
pub(crate) fn tokens(snapshot: &Snapshot) -> Vec<SemanticToken> {
    use crate::document::DocumentKind;
    use warpgrid_view::{Language, SourceLanguage, host_tokens};
    if snapshot.is_too_large() {
        return Vec::new();
    }
    match snapshot.kind {
        DocumentKind::Instructions(language) => {
            Language::instructions(language).semantic_tokens(snapshot.source())
        }
        DocumentKind::Container => {
            Language::from(SourceLanguage::Ptx).semantic_tokens(snapshot.source())
        }
        DocumentKind::Host(host) => host_tokens(snapshot.source(), host),
        DocumentKind::Other => Vec::new(),
    }
}

/// Returns the spans of matching braces, including the braces.
fn brace_pairs(source: &str, tokens: &[SemanticToken]) -> Vec<Span> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for token in tokens {
        if token.class != SemanticTokenKind::Punctuation {
            continue;
        }
        for (at, character) in token.span.text(source).char_indices() {
            let offset = token.span.start + at as u32;
            match character {
                '{' => open.push(offset),
                '}' => pairs.extend(open.pop().map(|start| Span::new(start, offset + 1))),
                _ => {}
            }
        }
    }
    pairs
}

/// Returns the spans of block comments, and of line comments on consecutive lines.
fn comments(snapshot: &Snapshot, tokens: &[SemanticToken]) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut last_line = None;
    for token in tokens {
        if token.class != SemanticTokenKind::Comment {
            last_line = None;
            continue;
        }
        let line = snapshot.text.position(token.span.start).line;
        match runs.last_mut() {
            Some(run) if last_line.is_some_and(|last: u32| last + 1 == line) => {
                run.end = token.span.end;
            }
            _ => runs.push(token.span),
        }
        last_line = Some(snapshot.text.position(token.span.end).line);
    }
    runs
}

/// Returns the selection ranges of positions, from the token to the whole document.
pub(crate) fn selection_ranges(snapshot: &Snapshot, positions: &[Position]) -> Vec<SelectionRange> {
    let tokens = tokens(snapshot);
    let braces = brace_pairs(snapshot.source(), &tokens);
    let document = snapshot.open();
    let syntax = document.as_ref().map(|document| document.syntax());
    let statements = syntax.map(|syntax| syntax.statements()).unwrap_or_default();
    let functions = syntax.map(|syntax| syntax.symbols()).unwrap_or_default();
    let ranges = positions.iter().map(|position| {
        let offset = snapshot.text.offset(*position);
        let contains = |span: &Span| span.start <= offset && offset <= span.end;
        let mut spans: Vec<Span> = vec![Span::new(0, snapshot.source().len() as u32)];
        spans.extend(tokens.iter().map(|token| token.span).filter(contains));
        spans.extend(braces.iter().copied().filter(contains));
        // The contents of braces without the braces.
        let inner = braces
            .iter()
            .map(|pair| Span::new(pair.start + 1, pair.end - 1));
        spans.extend(inner.filter(contains));
        spans.extend(
            functions
                .symbols
                .iter()
                .filter_map(|symbol| symbol.declaration)
                .filter(contains),
        );
        for statement in &statements {
            if contains(&statement.span) {
                spans.push(statement.span);
                if let StatementKind::Instruction(_) = statement.kind {
                    spans.extend(
                        opcode_span(snapshot.source(), &tokens, statement.span).filter(contains),
                    );
                }
            }
        }
        nested(snapshot, spans, offset)
    });
    ranges.collect()
}

/// Returns the span of the opcode of a statement with its modifiers.
fn opcode_span(source: &str, tokens: &[SemanticToken], statement: Span) -> Option<Span> {
    let first = tokens.partition_point(|token| token.span.start < statement.start);
    let in_statement = tokens.get(first..)?.iter();
    let mut opcode: Option<Span> = None;
    for token in in_statement.take_while(|token| token.span.end <= statement.end) {
        match (token.class, opcode) {
            (SemanticTokenKind::Opcode, _) => opcode = Some(token.span),
            (SemanticTokenKind::Modifier | SemanticTokenKind::Type, Some(span))
                if span.end == token.span.start || source[span.end as usize..].starts_with('.') =>
            {
                opcode = Some(span.to(token.span));
            }
            (_, Some(_)) => break,
            _ => {}
        }
    }
    opcode
}

/// Converts spans to nested ranges. Spans that do not contain all smaller spans are omitted.
fn nested(snapshot: &Snapshot, mut spans: Vec<Span>, offset: u32) -> SelectionRange {
    spans.sort_by_key(|span| (span.end - span.start, span.start));
    spans.dedup();
    let mut chain: Vec<Span> = Vec::new();
    for span in spans {
        let contains_last = chain
            .last()
            .is_none_or(|last| span.start <= last.start && last.end <= span.end);
        // An empty span and a token that only touches the position are less useful than the token after the position.
        if contains_last && span.start < span.end && (span.start <= offset) {
            chain.push(span);
        }
    }
    let mut parent: Option<Box<SelectionRange>> = None;
    for span in chain.iter().rev() {
        parent = Some(Box::new(SelectionRange {
            range: snapshot.range(*span),
            parent,
        }));
    }
    parent.map_or_else(
        || SelectionRange {
            range: snapshot.range(Span::at(offset)),
            parent: None,
        },
        |range| *range,
    )
}
