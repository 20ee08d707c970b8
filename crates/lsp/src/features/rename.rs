//! Rename of a symbol. The rename is rejected if it changes the object to which any name of the document refers.

use crate::document::Snapshot;
use crate::features::navigation::occurrence_at;
use gen_lsp_types::{Position, Range, TextEdit, WorkspaceEdit};
use std::collections::HashMap;
use warpgrid_program::symbols::{Occurrence, Symbol, SymbolAccess, SymbolKind};
use warpgrid_program::{Diagnostic, Severity, Span, SymbolIndex};

/// Rename of the symbol at a position: the edited spans, and the range and text that the client shows.
struct Rename {
    index: SymbolIndex,
    /// Spans of the name, or of the stem of a register group.
    spans: Vec<Span>,
    selected: Span,
    old: String,
}

/// Returns the range and the current name of the symbol at a position. For a register of a group, this is the stem of the group: `%r` of
/// `%r12`.
pub(crate) fn prepare(
    snapshot: &Snapshot,
    position: Position,
) -> Result<Option<(Range, String)>, String> {
    let Some(rename) = rename_at(snapshot, position)? else {
        return Ok(None);
    };
    Ok(Some((snapshot.range(rename.selected), rename.old)))
}

/// Renames the symbol at a position.
pub(crate) fn rename(
    snapshot: &Snapshot,
    position: Position,
    new: &str,
) -> Result<Option<WorkspaceEdit>, String> {
    let Some(rename) = rename_at(snapshot, position)? else {
        return Ok(None);
    };
    if !is_name(new) {
        return Err(format!(
            "`{new}` is not a name: a name consists of letters, digits, `_` and `$`, and does not start with a digit; registers can start with `%`"
        ));
    }
    rename.verify(snapshot, new)?;
    let edits = rename.spans.iter().map(|span| TextEdit {
        range: snapshot.range(*span),
        new_text: new.to_owned(),
    });
    Ok(Some(WorkspaceEdit {
        changes: Some(HashMap::from([(snapshot.uri.clone(), edits.collect())])),
        ..WorkspaceEdit::default()
    }))
}

fn rename_at(snapshot: &Snapshot, position: Position) -> Result<Option<Rename>, String> {
    let Some((index, found)) = occurrence_at(snapshot, position) else {
        return Ok(None);
    };
    let Some(symbol) = index.symbol(&found) else {
        return Ok(None);
    };
    if let Some(reason) = fixed_name_reason(symbol) {
        return Err(format!("`{}` cannot be renamed: {reason}", symbol.name));
    }
    let source = snapshot.source();
    let mut spans = Vec::new();
    for own in index.occurrences_of(found.symbol) {
        let span = name_span(own, symbol);
        // The occurrence is a macro argument or a placeholder of the host language if its text is not the name.
        if span.text(source) != symbol.name {
            let line = snapshot.text.position(span.start).line + 1;
            return Err(format!(
                "`{}` cannot be renamed: line {line} refers to the symbol by the text `{}`",
                symbol.name,
                span.text(source)
            ));
        }
        spans.push(span);
    }
    Ok(Some(Rename {
        selected: name_span(&found, symbol),
        old: symbol.name.clone(),
        spans,
        index,
    }))
}

/// Returns the reason for which a symbol has a fixed name.
fn fixed_name_reason(symbol: &Symbol) -> Option<&'static str> {
    match symbol.kind {
        SymbolKind::SpecialRegister => Some("it is a special register"),
        SymbolKind::AsmOperand => Some("the operand list determines the name of an operand"),
        _ if symbol.declaration.is_none() => Some("the document does not declare it"),
        _ => None,
    }
}

/// Returns the span of the name in an occurrence, without the number of a register of a group.
fn name_span(occurrence: &Occurrence, symbol: &Symbol) -> Span {
    let Span { start, end } = occurrence.span;
    match occurrence.member {
        Some(_) => Span::new(start, (start + symbol.name.len() as u32).min(end)),
        None => occurrence.span,
    }
}

fn is_name(text: &str) -> bool {
    let rest = text.strip_prefix('%').unwrap_or(text);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let starts = rest.starts_with(|c: char| is_part(c) && !c.is_ascii_digit());
    starts && rest.chars().all(is_part) && !["_", "$", "%"].contains(&text)
}

impl Rename {
    /// Applies the rename to the document, and returns an error if a name refers to another symbol, or if the document has new errors.
    fn verify(&self, snapshot: &Snapshot, new: &str) -> Result<(), String> {
        let mut text = snapshot.source().to_owned();
        for span in self.spans.iter().rev() {
            text.replace_range(span.start as usize..span.end as usize, new);
        }
        let renamed = snapshot.with_source(text);
        let (Some(before), Some(after)) = (snapshot.open(), renamed.open()) else {
            return Ok(());
        };
        let index = after.syntax().symbols();
        if let Some(line) = self.first_changed_line(snapshot, &index) {
            return Err(format!(
                "renaming `{}` to `{new}` changes the meaning of line {line}: `{new}` is already declared there",
                self.old
            ));
        }
        let n_before = n_errors_by_code(&before.diagnostics());
        let diagnostics = after.diagnostics();
        let n_after = n_errors_by_code(&diagnostics);
        let mut new_errors = diagnostics.iter().filter(|found| is_error(found));
        let is_new = |found: &&Diagnostic| n_after.get(found.code) > n_before.get(found.code);
        match new_errors.find(is_new) {
            Some(error) => Err(format!(
                "renaming `{}` to `{new}` is an error: {}",
                self.old, error.message
            )),
            None => Ok(()),
        }
    }

    /// Returns the first line (counted from 1) at which a name refers to another symbol after the rename.
    fn first_changed_line(&self, snapshot: &Snapshot, after: &SymbolIndex) -> Option<u32> {
        let signature = |of: &Occurrence| -> (u32, Option<u32>, SymbolAccess) {
            (of.symbol, of.member, of.access)
        };
        let before = &self.index.occurrences;
        let mut both = before.iter().zip(&after.occurrences);
        let changed = both
            .find(|(before, after)| signature(before) != signature(after))
            .map(|(before, _)| before);
        let missing = before.get(after.occurrences.len());
        let is_longer = after.occurrences.len() > before.len();
        let last = before.last().filter(|_| is_longer);
        let found = changed.or(missing).or(last)?;
        Some(snapshot.text.position(found.span.start).line + 1)
    }
}

/// Returns the number of errors of each code. Messages are not compared, because they can contain the renamed name.
fn n_errors_by_code(diagnostics: &[Diagnostic]) -> HashMap<&'static str, usize> {
    let mut counts = HashMap::new();
    for found in diagnostics.iter().filter(|found| is_error(found)) {
        *counts.entry(found.code).or_insert(0) += 1;
    }
    counts
}

fn is_error(found: &Diagnostic) -> bool {
    found.severity == Severity::Error
}
