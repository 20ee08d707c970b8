//! Code actions: the fixes of diagnostics, and one action that applies all unambiguous fixes.

use crate::document::Snapshot;
use crate::features::diagnostics::of_check;
use crate::text::Encoding;
use gen_lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, Position, Range, TextEdit, WorkspaceEdit,
};
use std::collections::HashMap;
use warpgrid_program::{Edit, Span};
use warpgrid_view::model::FixView;

/// Returns the code actions of a range.
pub(crate) fn code_actions(
    snapshot: &Snapshot,
    range: Range,
    context: &CodeActionContext,
) -> Vec<CodeAction> {
    let Some(document) = snapshot.open() else {
        return Vec::new();
    };
    let within = snapshot.text.span(range);
    let is_requested = |kind: &CodeActionKind| {
        context.only.as_ref().is_none_or(|only| {
            let kind = kind.to_string();
            only.iter()
                .any(|wanted| kind.starts_with(&wanted.to_string()))
        })
    };
    let diagnostics = document.diagnostics();
    let mut actions = Vec::new();
    if is_requested(&CodeActionKind::QuickFix) {
        for found in &diagnostics {
            let touches = found.span.start <= within.end && within.start <= found.span.end;
            if !touches {
                continue;
            }
            for (rank, fix) in found.fixes.iter().enumerate() {
                let mut action = action(snapshot, &fix.title, CodeActionKind::QuickFix, &fix.edits);
                action.diagnostics = Some(vec![of_check(snapshot, found)]);
                action.is_preferred = Some(rank == 0 && found.fixes.len() == 1);
                actions.push(action);
            }
        }
        actions.extend(run_fixes(snapshot, range));
    }
    let unambiguous: Vec<&[Edit]> = diagnostics
        .iter()
        .filter(|found| found.fixes.len() == 1)
        .map(|found| found.fixes[0].edits.as_slice())
        .collect();
    let edits = disjoint(&unambiguous);
    if is_requested(&CodeActionKind::SourceFixAll) && !edits.is_empty() {
        let title = "Apply all fixes that are the only fix of their diagnostic";
        actions.push(action(
            snapshot,
            title,
            CodeActionKind::SourceFixAll,
            &edits,
        ));
    }
    actions
}

fn action(snapshot: &Snapshot, title: &str, kind: CodeActionKind, edits: &[Edit]) -> CodeAction {
    let edits = edits
        .iter()
        .map(|edit| TextEdit::new(snapshot.range(edit.span), edit.text.clone()));
    CodeAction {
        title: capitalized(title),
        kind: Some(kind),
        edit: Some(workspace_edit(snapshot, edits.collect())),
        ..CodeAction::default()
    }
}

fn workspace_edit(snapshot: &Snapshot, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit {
        changes: Some(HashMap::from([(snapshot.uri.clone(), edits)])),
        ..WorkspaceEdit::default()
    }
}

/// Starts a title with a capital letter, as editors show titles.
fn capitalized(title: &str) -> String {
    let mut characters = title.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

/// Returns the fixes of the findings of the last run, for the same revision.
fn run_fixes(snapshot: &Snapshot, range: Range) -> Vec<CodeAction> {
    let Some(run) = snapshot
        .run
        .as_ref()
        .filter(|run| run.version == snapshot.version)
    else {
        return Vec::new();
    };
    let findings = run.findings.iter().filter(|found| {
        let place = found.range.as_ref();
        place.is_some_and(|place| {
            let line = place.line.saturating_sub(1);
            range.start.line <= line && line <= range.end.line
        })
    });
    let actions = findings.filter_map(|found| {
        let fix = found.fix.as_ref()?;
        Some(CodeAction {
            title: capitalized(&fix.title),
            kind: Some(CodeActionKind::QuickFix),
            edit: Some(workspace_edit(snapshot, view_edits(snapshot, fix))),
            ..CodeAction::default()
        })
    });
    actions.collect()
}

/// Converts the edits of a fix, whose lines and columns count from 1 and whose columns count UTF-16 units.
fn view_edits(snapshot: &Snapshot, fix: &FixView) -> Vec<TextEdit> {
    let offset = |line: u32, column: u32| {
        let position = Position::new(line.saturating_sub(1), column.saturating_sub(1));
        snapshot.text.offset_in(position, Encoding::Utf16)
    };
    let edits = fix.edits.iter().map(|edit| {
        let span = Span::new(
            offset(edit.line, edit.column),
            offset(edit.end_line, edit.end_column),
        );
        TextEdit::new(snapshot.range(span), edit.text.clone())
    });
    edits.collect()
}

/// Returns the edits of all fixes that do not overlap an earlier fix.
fn disjoint(fixes: &[&[Edit]]) -> Vec<Edit> {
    let mut all: Vec<Edit> = Vec::new();
    for fix in fixes {
        let overlaps = fix.iter().any(|edit| {
            all.iter().any(|own| {
                let same_place = own.span == edit.span;
                same_place || (own.span.start < edit.span.end && edit.span.start < own.span.end)
            })
        });
        if !overlaps {
            all.extend(fix.iter().cloned());
        }
    }
    all.sort_by_key(|edit| edit.span);
    all
}
