//! Semantic tokens, and the differences between two results.

use crate::document::Snapshot;
use crate::features::folding::tokens;
use gen_lsp_types::{
    Range, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaResponse, SemanticTokensEdit,
    SemanticTokensLegend, Uri,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use warpgrid_program::{SemanticToken, SemanticTokenKind, Span};

/// Token types of the protocol. The position of a type is its number in a result.
const TYPES: [&str; 11] = [
    "comment",
    "keyword",
    "function",
    "modifier",
    "type",
    "variable",
    "parameter",
    "number",
    "string",
    "label",
    "operator",
];

/// Token modifiers of the protocol.
const MODIFIERS: [&str; 2] = ["readonly", "defaultLibrary"];

/// Returns the names of the token types and modifiers.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.map(str::to_owned).to_vec(),
        token_modifiers: MODIFIERS.map(str::to_owned).to_vec(),
    }
}

/// Returns the type and the modifier bits of a token, or `None` for punctuation and errors, which editors do not highlight.
fn type_of(class: SemanticTokenKind) -> Option<(u32, u32)> {
    Some(match class {
        SemanticTokenKind::Comment => (0, 0),
        SemanticTokenKind::Directive => (1, 0),
        SemanticTokenKind::Opcode => (2, 0),
        SemanticTokenKind::Modifier => (3, 0),
        SemanticTokenKind::Type => (4, 0),
        SemanticTokenKind::Register => (5, 0),
        SemanticTokenKind::SpecialRegister => (5, 0b11),
        SemanticTokenKind::Name => (6, 0),
        SemanticTokenKind::Number => (7, 0),
        SemanticTokenKind::String => (8, 0),
        SemanticTokenKind::Label => (9, 0),
        SemanticTokenKind::Punctuation | SemanticTokenKind::Error => return None,
    })
}

/// Returns the semantic tokens of a document, or of a range.
pub(crate) fn semantic_tokens(snapshot: &Snapshot, range: Option<Range>) -> SemanticTokens {
    let within = range.map(|range| snapshot.text.span(range));
    let mut encoder = Encoder {
        snapshot,
        data: Vec::new(),
        last: (0, 0),
    };
    for token in tokens(snapshot) {
        let is_included = within
            .is_none_or(|within| token.span.start < within.end && within.start < token.span.end);
        if is_included {
            encoder.token(token);
        }
    }
    SemanticTokens {
        result_id: None,
        data: encoder.data,
    }
}

struct Encoder<'s> {
    snapshot: &'s Snapshot,
    data: Vec<gen_lsp_types::SemanticToken>,
    /// Line and column of the last token.
    last: (u32, u32),
}

impl Encoder<'_> {
    /// Adds a token. A token of several lines becomes one token per line, because clients need not support such tokens.
    fn token(&mut self, token: SemanticToken) {
        let Some((kind, modifiers)) = type_of(token.class) else {
            return;
        };
        let text = &self.snapshot.text;
        let first = text.position(token.span.start).line;
        let last = text.position(token.span.end).line;
        for line in first..=last {
            let line_start = text.line_start(line);
            let line_end = line_start + text.line(line).len() as u32;
            let span = Span::new(
                token.span.start.max(line_start),
                token.span.end.min(line_end),
            );
            if span.start < span.end {
                self.part(span, kind, modifiers);
            }
        }
    }

    fn part(&mut self, span: Span, token_type: u32, token_modifiers: u32) {
        let range = self.snapshot.range(span);
        let (line, column) = (range.start.line, range.start.character);
        // Tokens must not overlap.
        if (line, column) < self.last {
            return;
        }
        let delta_line = line - self.last.0;
        let delta_start = match delta_line {
            0 => column - self.last.1,
            _ => column,
        };
        self.data.push(gen_lsp_types::SemanticToken {
            delta_line,
            delta_start,
            length: range.end.character - column,
            token_type,
            token_modifiers_bitset: token_modifiers,
        });
        self.last = (line, column);
    }
}

/// Last semantic tokens of each document, to which a client can request a difference. Tasks share the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenResults(Arc<Mutex<LastTokens>>);

#[derive(Debug, Default)]
struct LastTokens {
    results: HashMap<Uri, SemanticTokens>,
    n_results: u64,
}

impl TokenResults {
    /// Records the tokens of a document. Returns the difference to the result with the ID `previous` if this is the last result, and
    /// otherwise all tokens.
    pub(crate) fn record(
        &self,
        uri: &Uri,
        mut tokens: SemanticTokens,
        previous: Option<&str>,
    ) -> SemanticTokensDeltaResponse {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.n_results += 1;
        tokens.result_id = Some(last.n_results.to_string());
        let old = last.results.insert(uri.clone(), tokens.clone());
        match old.filter(|old| previous.is_some() && old.result_id.as_deref() == previous) {
            Some(old) => delta(&old, &tokens).into(),
            None => tokens.into(),
        }
    }

    /// Discards the tokens of a closed document.
    pub(crate) fn forget(&self, uri: &Uri) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.results.remove(uri);
    }
}

/// Returns the difference between two results: one replacement of the tokens between the common prefix and the common suffix.
fn delta(old: &SemanticTokens, new: &SemanticTokens) -> SemanticTokensDelta {
    let (old, data) = (&old.data, &new.data);
    let same =
        |pair: &(&gen_lsp_types::SemanticToken, &gen_lsp_types::SemanticToken)| pair.0 == pair.1;
    let prefix = old.iter().zip(data).take_while(same).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(data[prefix..].iter().rev())
        .take_while(same)
        .count();
    let replacement = &data[prefix..data.len() - suffix];
    let n_deleted = old.len() - prefix - suffix;
    let edits = match n_deleted == 0 && replacement.is_empty() {
        true => Vec::new(),
        // Positions count the five integers of each token.
        false => vec![SemanticTokensEdit {
            start: prefix as u32 * 5,
            delete_count: n_deleted as u32 * 5,
            data: Some(replacement.iter().flat_map(integers).collect()),
        }],
    };
    SemanticTokensDelta {
        result_id: new.result_id.clone(),
        edits,
    }
}

fn integers(token: &gen_lsp_types::SemanticToken) -> [u32; 5] {
    [
        token.delta_line,
        token.delta_start,
        token.length,
        token.token_type,
        token.token_modifiers_bitset,
    ]
}
