//! Parts of a source that a reduction removes as a whole.

use crate::lexer::{TokenKind, token_at};
use crate::parser::parse;
use crate::tree::{DirectiveKind, StatementKind, Tree};
use warpgrid_program::Span;

/// Start of an annotation, which is a comment that affects the run.
const ANNOTATION: &str = "//@";
/// Start of the annotation with the grid and block sizes. A reduction decreases the sizes but keeps the annotation, so that the launch of
/// the reduced source is not inferred.
const LAUNCH: &str = "//@ launch";

/// Returns the comments that are not annotations.
pub(super) fn comments(source: &str) -> Vec<Span> {
    all_comments(source, false)
}

/// Returns the annotations.
pub(super) fn annotations(source: &str) -> Vec<Span> {
    all_comments(source, true)
}

/// Returns the annotations without the launch annotation.
pub(super) fn removable_annotations(source: &str) -> Vec<Span> {
    let mut found = annotations(source);
    found.retain(|annotation| !annotation.text(source).starts_with(LAUNCH));
    found
}

fn all_comments(source: &str, is_annotation: bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let token = token_at(source, at);
        match token.kind {
            TokenKind::End | TokenKind::OpenComment => return found,
            TokenKind::Comment => {
                let text = token.span.text(source);
                if text.starts_with(ANNOTATION) == is_annotation {
                    found.push(token.span);
                }
            }
            _ => {}
        }
        at = token.span.end as usize;
    }
}

/// Returns the functions and prototypes.
pub(super) fn functions(source: &str) -> Vec<Span> {
    enclosed(&parse(source).tree, |kind| {
        matches!(kind, StatementKind::FunctionStart(_))
    })
}

/// Returns the blocks within functions, including their statements. An enclosing block follows the blocks that it contains.
pub(super) fn blocks(source: &str) -> Vec<Span> {
    enclosed(&parse(source).tree, |kind| {
        matches!(kind, StatementKind::BlockOpen)
    })
}

/// Returns the spans from each start of a function or block to its end, for the starts that `is_listed` selects.
fn enclosed(tree: &Tree, is_listed: impl Fn(&StatementKind) -> bool) -> Vec<Span> {
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut found = Vec::new();
    for statement in &tree.statements {
        match &statement.kind {
            kind @ (StatementKind::FunctionStart(_) | StatementKind::BlockOpen) => {
                open.push((statement.span.start, is_listed(kind)));
            }
            StatementKind::FunctionEnd(_) | StatementKind::BlockClose => {
                if let Some((start, true)) = open.pop() {
                    found.push(Span::new(start, statement.span.end));
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the statements, without the header of the module and without the starts and ends of functions and blocks.
pub(super) fn statements(source: &str) -> Vec<Span> {
    let tree = parse(source).tree;
    let is_header = |index: u32| {
        let directive = tree.directives.get(index as usize);
        directive.is_some_and(|directive| {
            matches!(
                directive.kind,
                DirectiveKind::Version | DirectiveKind::Target | DirectiveKind::AddressSize
            )
        })
    };
    let statements = tree
        .statements
        .iter()
        .filter(|statement| match statement.kind {
            StatementKind::Instruction(_)
            | StatementKind::Label(_)
            | StatementKind::Declaration(_)
            | StatementKind::Prototype(_)
            | StatementKind::Empty
            | StatementKind::Error => true,
            StatementKind::Directive(index) => !is_header(index),
            StatementKind::FunctionStart(_)
            | StatementKind::FunctionEnd(_)
            | StatementKind::BlockOpen
            | StatementKind::BlockClose => false,
        });
    statements.map(|statement| statement.span).collect()
}
