//! The outline of a body: which statements it has and which labels, and how much room its instructions need.

use crate::check::context::Context;
use crate::tree::declaration::DirectiveKind;
use crate::tree::name::Name;
use crate::tree::{Range, Statement, StatementKind};
use warpgrid_program::{FunctionId, Span};

/// Where a body is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    pub(crate) function: FunctionId,
    /// Index of its header in the tree; `None` for a snippet, which is all body.
    pub(crate) header: Option<u32>,
    /// Where its names begin: what the module declares before this place is known.
    pub(crate) at: u32,
    /// Its statements, the end of the function included.
    pub(crate) statements: Range,
    /// Its labels among those of the module, sorted by block.
    pub(crate) labels: Range,
    pub(crate) n_instructions: usize,
    pub(crate) n_operands: usize,
    /// Whether it declares functions or second names of them, which belong to the module.
    pub(crate) declares: bool,
}

/// A label of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// The brace scope it belongs to, counted in order of opening; 0 is the function itself.
    pub(crate) block: u32,
    /// Index of the directive plus one when the label names a table or prototype instead.
    pub(crate) table: u32,
}

impl Outline {
    /// Reads the body whose first statement has the index `start`; its labels are added to `labels`.
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

/// The number of the directive that a label names, plus one; 0 where no such directive follows it.
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
