//! Checker: validates syntax, architectures, opcodes and stores of a source. Unknown parts of a source are preserved in the tree and
//! reported.

mod address;
mod store;
pub(crate) mod target;

use crate::diagnostics::{document, syntax};
use crate::syntax::{Instruction, Statement, StatementKind, Tree};
use store::StoreCheck;
use warpgrid_isa::Target;
use warpgrid_isa::form::nearest;
use warpgrid_isa::sass::opcodes::OPCODES;
use warpgrid_isa::sass::{find_opcode, find_store};
use warpgrid_program::{Diagnostic, Overrides, Span};

/// Result of the check of a source.
#[derive(Clone, Debug)]
pub(crate) struct CheckedSource {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Architecture specified by the first part of the source.
    pub(crate) stated: Option<&'static Target>,
}

/// Checks a source for the architectures that the source specifies, or for the target of `overrides`.
pub(crate) fn check(source: &str, tree: &Tree, overrides: &Overrides) -> CheckedSource {
    if let Some(graph) = syntax::graph(source) {
        return CheckedSource {
            diagnostics: vec![graph],
            stated: None,
        };
    }
    let mut diagnostics: Vec<Diagnostic> = tree.errors.iter().map(syntax::syntax).collect();
    let mut stated: Option<&'static Target> = None;
    let mut current: Option<&'static Target> = None;
    let mut is_inferred = false;
    for statement in &tree.statements {
        if let Some(found) = target::stated(source, statement, current) {
            let name = found.span.text(source);
            let target = found.target.unwrap_or_else(|| target::nearest(name));
            if found.target.is_none() {
                diagnostics.push(document::unknown_target(found.span, name, target));
            }
            match stated {
                Some(first) if first.name != target.name && overrides.target.is_none() => {
                    diagnostics.push(document::several_targets(found.span, first, target));
                }
                Some(_) => {}
                None => stated = Some(target),
            }
            current = Some(target);
        }
        let Some(instruction) = instruction_of(tree, statement) else {
            continue;
        };
        let target = overrides.target.or(current).unwrap_or_else(|| {
            let target = target::inferred(source, tree);
            is_inferred = true;
            current = Some(target);
            target
        });
        check_instruction(source, tree, instruction, target, &mut diagnostics);
    }
    if let Some(target) = current.filter(|_| is_inferred) {
        diagnostics.push(document::target_not_stated(first_instruction(tree), target));
    }
    diagnostics.sort_by_cached_key(|diagnostic| u64::from(diagnostic.span.start));
    CheckedSource {
        diagnostics,
        stated,
    }
}

/// Returns the instruction of a statement, or `None` for statements of other kinds.
pub(crate) fn instruction_of<'a>(tree: &'a Tree, statement: &Statement) -> Option<&'a Instruction> {
    match statement.kind {
        StatementKind::Instruction(index) => tree.instructions.get(index as usize),
        StatementKind::Label(_)
        | StatementKind::Directive { .. }
        | StatementKind::Header { .. }
        | StatementKind::Encoding(_)
        | StatementKind::Unknown => None,
    }
}

fn first_instruction(tree: &Tree) -> Span {
    tree.instructions
        .first()
        .map_or(Span::at(0), |instruction| instruction.opcode)
}

fn check_instruction(
    source: &str,
    tree: &Tree,
    instruction: &Instruction,
    target: &'static Target,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let span = instruction.opcode;
    let opcode = span.text(source);
    if let Some(store) = find_store(opcode) {
        StoreCheck::new(tree, source, instruction, store).report(target, diagnostics);
    } else if !opcode.is_empty() && find_opcode(opcode).is_none() {
        let upper = opcode.to_ascii_uppercase();
        if upper != opcode && find_opcode(&upper).is_some() {
            diagnostics.push(document::lower_case(span, opcode));
        } else {
            let near = nearest(&upper, OPCODES.iter().map(|opcode| opcode.name));
            diagnostics.push(document::unknown_opcode(span, opcode, near));
        }
    }
}
