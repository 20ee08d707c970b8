//! Branches: labels to instruction numbers.

use crate::check::Checker;
use crate::check::body::function::Label;
use crate::check::body::lower::source;
use crate::check::body::operand::Site;
use crate::check::names::scopes::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::tree::{Operand, OperandKind, StatementKind};
use warpgrid_isa::{Fit, ScalarType};
use warpgrid_program::OperandValue;

impl<'a> Checker<'a> {
    /// `bra target`. The target is a label number until the function ends.
    pub(crate) fn branch(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        self.count_operands(site, plan)?;
        let (operand, _) = site.operand(0)?;
        let target = self.label(operand)?;
        self.body.branches.push(self.body.operands.len() as u32);
        self.body.push(OperandValue::Label(target), operand.span);
        Some(())
    }

    /// `brx.idx index, table`
    pub(crate) fn branch_indexed(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        self.count_operands(site, plan)?;
        let (index, _) = site.operand(0)?;
        let value = self.source(site, plan, index, ScalarType::U32, Fit::Exact);
        let (table, _) = site.operand(1)?;
        let targets = self.branch_targets(table);
        self.body.push(source(value?), index.span);
        self.body.push(targets?, table.span);
        Some(())
    }

    fn branch_targets(&mut self, operand: &Operand) -> Option<OperandValue> {
        let OperandKind::Name(name) = operand.kind else {
            self.report(diagnose::expected_label(operand.span));
            return None;
        };
        let Binding::Table(directive) = self.names.get(name) else {
            let text = operand.span.text(self.source);
            self.report(diagnose::unknown_label(text, operand.span, None));
            return None;
        };
        let directive = self.tree.directives.get(directive as usize)?;
        let first = self.body.elements.len();
        for (argument, _) in self.tree.arguments_of(directive) {
            let target = self.label(argument)?;
            self.body
                .push_element(OperandValue::Label(target), argument.span);
        }
        Some(self.body.list_from(first))
    }

    fn label(&mut self, operand: &Operand) -> Option<u32> {
        let OperandKind::Name(name) = operand.kind else {
            if operand.kind != OperandKind::Error {
                self.report(diagnose::expected_label(operand.span));
            }
            return None;
        };
        match self.names.get(name) {
            Binding::Label(label) => Some(label),
            Binding::None => {
                let text = operand.span.text(self.source);
                let labels: Vec<String> = self
                    .body
                    .labels
                    .iter()
                    .take(MAX_CANDIDATES)
                    .map(|label| self.name_text(label.name))
                    .collect();
                let nearest = warpgrid_isa::form::nearest(text, labels.iter().map(String::as_str));
                self.report(diagnose::unknown_label(text, operand.span, nearest));
                None
            }
            _ => {
                self.report(diagnose::expected_label(operand.span));
                None
            }
        }
    }

    /// Finds the labels of the function that starts at statement `start`, each with its brace scope, and makes room
    /// for its instructions.
    pub(crate) fn find_labels(&mut self, start: usize) {
        let (mut n_instructions, mut n_operands) = (1, 0);
        let mut blocks = vec![0u32];
        let mut n_blocks = 0;
        let statements = self.tree.statements.get(start..).unwrap_or(&[]);
        self.body.labels.clear();
        for (index, statement) in statements.iter().enumerate() {
            match statement.kind {
                StatementKind::BlockOpen => {
                    n_blocks += 1;
                    blocks.push(n_blocks);
                }
                StatementKind::BlockClose => {
                    blocks.pop();
                }
                StatementKind::Label(name) => {
                    let table = match statements.get(index + 1).map(|s| s.kind) {
                        Some(StatementKind::Directive(d)) if self.is_table(d) => d + 1,
                        _ => 0,
                    };
                    self.body.labels.push(Label {
                        name,
                        span: statement.span,
                        block: blocks.last().copied().unwrap_or(0),
                        at: u32::MAX,
                        table,
                    });
                }
                StatementKind::Instruction(instruction) => {
                    n_instructions += 1;
                    n_operands += instruction.operands.len();
                }
                StatementKind::FunctionEnd(_) => break,
                _ => {}
            }
        }
        // What is left out of loads and stores takes a place too.
        self.body
            .reserve(n_instructions, n_operands + n_instructions / 2);
        self.body.labels.sort_by_cached_key(|label| label.block);
    }

    fn is_table(&self, directive: u32) -> bool {
        use crate::tree::DirectiveKind as D;
        self.tree
            .directives
            .get(directive as usize)
            .is_some_and(|d| matches!(d.kind, D::CallPrototype | D::CallTargets | D::BranchTargets))
    }

    /// Declares the labels of the brace scope that was just opened.
    pub(crate) fn declare_labels(&mut self, block: u32) {
        let start = self.body.labels.partition_point(|l| l.block < block);
        let end = self.body.labels.partition_point(|l| l.block <= block);
        for index in start..end {
            let Some(label) = self.body.labels.get(index).copied() else {
                continue;
            };
            let binding = match label.table.checked_sub(1) {
                Some(directive) => Binding::Table(directive),
                None => Binding::Label(index as u32),
            };
            if let Err(first) = self.names.declare(label.name, binding, label.span) {
                let text = self.name_text(label.name);
                self.report(diagnose::duplicate(&text, label.span, first));
            }
        }
    }

    /// Notes that a label is before the next instruction.
    pub(crate) fn place_label(&mut self, name: crate::tree::Name) {
        let at = self.body.instructions.len() as u32;
        if let Binding::Label(index) = self.names.get(name)
            && let Some(label) = self.body.labels.get_mut(index as usize)
            && label.at == u32::MAX
        {
            label.at = at;
        }
    }

    /// Turns label numbers into instruction numbers, at the end of the function.
    pub(crate) fn place_branches(&mut self) {
        let labels = &self.body.labels;
        let end = self.body.instructions.len() as u32;
        let place = |label: &mut u32| {
            let at = labels.get(*label as usize).map_or(end, |l| l.at);
            *label = at.min(end);
        };
        for index in &self.body.branches {
            let operand = self.body.operands.get_mut(*index as usize);
            if let Some(OperandValue::Label(target)) = operand.map(|operand| &mut operand.value) {
                place(target);
            }
        }
        self.body.branches.clear();
    }
}

/// The most labels compared with a misspelled one.
const MAX_CANDIDATES: usize = 4096;
