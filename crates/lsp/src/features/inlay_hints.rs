//! Inlay hints: decoded constants, values of the last run, types of written registers, and names of operands.

use crate::document::Snapshot;
use gen_lsp_types::{InlayHint, InlayHintKind, Position, Range};
use warpgrid_program::symbols::SymbolAccess;
use warpgrid_program::syntax::StatementKind;
use warpgrid_program::{Span, SymbolIndex};

/// Returns the inlay hints of a range.
pub(crate) fn inlay_hints(snapshot: &Snapshot, range: Range) -> Vec<InlayHint> {
    let settings = snapshot.settings.inlay_hints;
    let within = snapshot.text.span(range);
    let mut hints = Vec::new();
    if settings.values {
        run_values(snapshot, range, &mut hints);
    }
    if let Some(document) = snapshot.open() {
        if settings.values {
            constants(snapshot, &document, within, &mut hints);
        }
        if settings.types {
            types(snapshot, &document.syntax().symbols(), within, &mut hints);
        }
        if settings.operands {
            operands(snapshot, &document, within, &mut hints);
        }
    }
    hints.sort_by_key(|hint| hint.position);
    hints
}

fn hint(position: Position, label: String, kind: Option<InlayHintKind>) -> InlayHint {
    InlayHint {
        position,
        label: label.into(),
        kind,
        text_edits: None,
        tooltip: None,
        padding_left: Some(kind != Some(InlayHintKind::Parameter)),
        padding_right: Some(kind == Some(InlayHintKind::Parameter)),
        data: None,
    }
}

/// Adds the decimal values of floating-point literals, such as `0f3F800000`.
fn constants(
    snapshot: &Snapshot,
    document: &warpgrid_view::Document<'_>,
    within: Span,
    hints: &mut Vec<InlayHint>,
) {
    for (span, value) in document.syntax().bit_literals() {
        if within.start <= span.start && span.end <= within.end {
            let end = snapshot.text.position(span.end);
            hints.push(hint(end, format!("= {value}"), None));
        }
    }
}

/// Adds the values of the last run at the ends of unchanged lines.
fn run_values(snapshot: &Snapshot, range: Range, hints: &mut Vec<InlayHint>) {
    let Some(run) = snapshot
        .run
        .as_ref()
        .filter(|_| snapshot.settings.run_values.0)
    else {
        return;
    };
    let last = range
        .end
        .line
        .min(snapshot.text.n_lines().saturating_sub(1));
    for line in range.start.line..=last {
        let values = run.line(&snapshot.text, snapshot.version, line);
        if let Some(text) = values.and_then(|values| values.hint()) {
            hints.push(hint(snapshot.text.end_of_line(line), text, None));
        }
    }
}

/// Adds the types of written registers.
fn types(snapshot: &Snapshot, index: &SymbolIndex, within: Span, hints: &mut Vec<InlayHint>) {
    for own in &index.occurrences {
        let is_included = within.start <= own.span.start && own.span.end <= within.end;
        if own.access != SymbolAccess::Write || !is_included {
            continue;
        }
        if let Some(ty) = index
            .symbol(own)
            .and_then(|symbol| symbol.type_name.as_ref())
        {
            let end = snapshot.text.position(own.span.end);
            hints.push(hint(end, ty.clone(), Some(InlayHintKind::Type)));
        }
    }
}

/// Adds the names of the operands in the syntax line of each instruction.
fn operands(
    snapshot: &Snapshot,
    document: &warpgrid_view::Document<'_>,
    within: Span,
    hints: &mut Vec<InlayHint>,
) {
    for statement in document.syntax().statements() {
        let is_included = within.start <= statement.span.start && statement.span.end <= within.end;
        let StatementKind::Instruction(syntax) = statement.kind else {
            continue;
        };
        // The name of the only operand is not useful.
        if !is_included || syntax.operands.len() < 2 {
            continue;
        }
        for operand in &syntax.operands {
            let signature = document.syntax().signature(operand.span.start);
            let name = signature.and_then(|found| {
                let active = found.active? as usize;
                found.operands.get(active).cloned()
            });
            if let Some(name) = name {
                let position = snapshot.text.position(operand.span.start);
                let label = format!("{name}:");
                hints.push(hint(position, label, Some(InlayHintKind::Parameter)));
            }
        }
    }
}
