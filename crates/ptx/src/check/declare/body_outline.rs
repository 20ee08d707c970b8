//! Outline of a body: its statements, its labels, and the number of its instructions and operands.

use crate::check::context::Context;
use crate::tree::declaration::DirectiveKind;
use crate::tree::name::Name;
use crate::tree::{Range, Statement, StatementKind};
use warpgrid_program::{FunctionId, Span};

/// Outline of a function body, which the declaration pass determines and the body checker reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    pub(crate) function: FunctionId,
    /// Index of the function header in the tree, or `None` for a snippet, which has no header.
    pub(crate) header: Option<u32>,
    /// Start offset of the body. Module-scope names that are declared before this offset are visible in the body.
    pub(crate) at: u32,
    /// Statements of the body, including the end of the function.
    pub(crate) statements: Range,
    /// Range of the labels of the body among the labels of the module, sorted by block.
    pub(crate) labels: Range,
    pub(crate) n_instructions: usize,
    pub(crate) n_operands: usize,
    /// Whether the body declares functions or aliases of functions, which belong to the module.
    pub(crate) declares: bool,
}

/// Label in a function body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// Index of the brace scope that contains the label, in the order of opening braces. Index 0 denotes the body of the function.
    pub(crate) block: u32,
    /// One plus the index of the directive if the label names a table or prototype, or 0 for other labels.
    pub(crate) table: u32,
}

impl Outline {
    /// Determines the outline of the body whose first statement has the index `start`, and adds its labels to `labels`.
    pub(crate) fn read(
        context: &Context<'_>,
        function: FunctionId,
        header: Option<u32>,
        at: u32,
        start: usize,
        labels: &mut Vec<Label>,
    ) -> Outline {
        let statements = context.tree.statements.get(start..).unwrap_or(&[]);
        let first_label = labels.len();
        let (mut n_instructions, mut n_operands) = (0, 0);
        let mut blocks = vec![0];
        let mut n_blocks = 0;
        let mut n_statements = 0;
        let mut declares = false;
        for (index, statement) in statements.iter().enumerate() {
            n_statements = index + 1;
            match statement.kind {
                StatementKind::Instruction(instruction) => {
                    n_instructions += 1;
                    n_operands += instruction.operands.len();
                }
                StatementKind::BlockOpen => {
                    n_blocks += 1;
                    blocks.push(n_blocks);
                }
                StatementKind::BlockClose => {
                    blocks.pop();
                }
                StatementKind::Label(name) => labels.push(Label {
                    name,
                    span: statement.span,
                    block: blocks.last().copied().unwrap_or(0),
                    table: table_at(context, statements.get(index + 1)),
                }),
                StatementKind::FunctionEnd(_) => break,
                StatementKind::Prototype(_) => declares = true,
                StatementKind::Directive(index) => declares |= is_alias(context, index),
                StatementKind::Declaration(_)
                | StatementKind::FunctionStart(_)
                | StatementKind::Empty
                | StatementKind::Error => {}
            }
        }
        let own = labels.get_mut(first_label..).unwrap_or(&mut []);
        if !own.is_sorted_by_key(|label| label.block) {
            own.sort_by_cached_key(|label| u64::from(label.block));
        }
        Outline {
            function,
            header,
            at,
            statements: range(start, start + n_statements),
            labels: range(first_label, labels.len()),
            n_instructions,
            n_operands,
            declares,
        }
    }
}

fn is_alias(context: &Context<'_>, index: u32) -> bool {
    let directive = context.tree.directives.get(index as usize);
    directive.is_some_and(|directive| directive.kind == DirectiveKind::Alias)
}

const fn range(start: usize, end: usize) -> Range {
    Range {
        start: start as u32,
        end: end as u32,
    }
}

/// Returns one plus the index of the table or prototype directive after a label, or 0 if neither follows the label.
fn table_at(context: &Context<'_>, after: Option<&Statement>) -> u32 {
    use DirectiveKind as D;
    let Some(StatementKind::Directive(index)) = after.map(|statement| statement.kind) else {
        return 0;
    };
    let directive = context.tree.directives.get(index as usize);
    let is_table = directive.is_some_and(|directive| {
        matches!(
            directive.kind,
            D::CallPrototype | D::CallTargets | D::BranchTargets
        )
    });
    if is_table { index + 1 } else { 0 }
}
