//! Editor features: tokens, hover, completion, signature help and formatting.

mod complete;
mod format;
mod hover;
mod reference;
mod schedule;
mod signature;
mod symbols;
mod tokens;

pub(crate) use complete::complete;
pub(crate) use format::format;
pub(crate) use hover::hover;
pub(crate) use reference::{explain, forms};
pub(crate) use schedule::schedule;
pub(crate) use signature::signature;
pub(crate) use symbols::symbols;
pub(crate) use tokens::tokens;

use crate::check::{instruction_of, target};
use crate::syntax::{Instruction, Tree};
use warpgrid_isa::Target;
use warpgrid_program::{Overrides, Span};

/// Returns whether `offset` is within the span or directly after the span.
fn touches(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

/// Returns whether `offset` is within the span.
fn contains(span: Span, offset: u32) -> bool {
    span.start <= offset && offset < span.end
}

/// Returns the instruction at `offset`, and the architecture that the source specifies before this instruction.
fn at<'a>(
    source: &str,
    tree: &'a Tree,
    overrides: &Overrides,
    offset: u32,
) -> (Option<&'a Instruction>, &'static Target) {
    let mut stated = None;
    let mut found = None;
    for statement in &tree.statements {
        if statement.span.start > offset {
            break;
        }
        if let Some(here) = target::stated(source, statement, stated) {
            let name = here.span.text(source);
            stated = Some(here.target.unwrap_or_else(|| target::nearest(name)));
        }
        if touches(statement.span, offset) {
            found = instruction_of(tree, statement).or(found);
        }
    }
    let target = overrides.target.or(stated);
    (
        found,
        target.unwrap_or_else(|| target::inferred(source, tree)),
    )
}

#[cfg(test)]
mod tests;
