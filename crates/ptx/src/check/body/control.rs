//! Checks of branch instructions, which resolve labels to instruction indices.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::declaration::Directive;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::{ScalarType, TypeMatch};
use warpgrid_program::OperandValue;

impl<'a> BodyChecker<'a, '_> {
    /// Checks `bra target`. The lowered operand contains a label index, which is converted to an instruction index at the end of the
    /// function.
    pub(crate) fn branch(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        self.count_operands(site)?;
        let (operand, _) = site.operand(0)?;
        let target = self.label(operand)?;
        self.body.branches.push(self.body.operands.len() as u32);
        self.body.push(OperandValue::Label(target), operand.span);
        Some(())
    }

    /// Checks `brx.idx index, table`.
    pub(crate) fn branch_indexed(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        self.count_operands(site)?;
        let (index, _) = site.operand(0)?;
        let value = self.source(site, index, ScalarType::U32, TypeMatch::Integer);
        let (table, _) = site.operand(1)?;
        let targets = self.branch_targets(table);
        self.body.push(source(value?), index.span);
        self.body.push(targets?, table.span);
        Some(())
    }

    fn branch_targets(&mut self, operand: &Operand) -> Option<OperandValue> {
        let directive = self.table(operand)?.span;
        let tables = &self.body.tables;
        let found = tables.iter().find(|(table, _)| *table == directive);
        let Some((_, targets)) = found.cloned() else {
            self.report(diagnose::expected_label(operand.span));
            return None;
        };
        let first = self.body.elements.len();
        for target in targets {
            self.body
                .push_element(OperandValue::Label(target), operand.span);
        }
        Some(self.body.list_from(first))
    }

    /// Checks `.branchtargets a, b`. The list may contain labels in scope and the label of the directive itself.
    pub(crate) fn branch_table(&mut self, directive: &Directive) {
        let mut targets = Vec::with_capacity(directive.arguments.len());
        let tree = self.tree;
        for (argument, _) in tree.arguments_of(directive) {
            let own = match argument.kind {
                OperandKind::Name(name) => self.own_label(name, directive),
                _ => None,
            };
            match own.or_else(|| self.label(argument)) {
                Some(target) => targets.push(target),
                None => return,
            }
        }
        self.body.tables.push((directive.span, targets));
    }

    /// Returns the index of the label if `name` is the label of the directive itself.
    fn own_label(&self, name: Name, directive: &Directive) -> Option<u32> {
        let Binding::Table(index) = self.names.get(name) else {
            return None;
        };
        let named = self.tree.directives.get(index as usize)?;
        let is_own = named.span == directive.span;
        is_own.then(|| self.label_of_table(index)).flatten()
    }

    /// Returns the index of the label that names a table.
    pub(crate) fn label_of_table(&self, directive: u32) -> Option<u32> {
        let mut labels = self.labels().iter();
        let index = labels.position(|label| label.table == directive + 1)?;
        Some(index as u32)
    }

    fn label(&mut self, operand: &Operand) -> Option<u32> {
        let OperandKind::Name(name) = operand.kind else {
            if operand.kind != OperandKind::Error {
                self.report(diagnose::expected_label(operand.span));
            }
            return None;
        };
        match self.names.get(name) {
            // Until its declaration, a label is hidden by a module-level object of the same name (assembler 13.5).
            Binding::Label(_)
                if self
                    .names
                    .span(name)
                    .is_some_and(|span| span.start > operand.span.start)
                    && self.declared.names.get(name, self.outline.at).is_some() =>
            {
                self.report(diagnose::expected_label(operand.span));
                None
            }
            Binding::Label(label) => Some(label),
            Binding::None => {
                let text = operand.span.text(self.source);
                let labels: Vec<String> = self
                    .labels()
                    .iter()
                    .take(MAX_CANDIDATES)
                    .map(|label| self.context().name_text(label.name))
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
}

/// Maximum number of labels that the search for the nearest spelling compares with a misspelled label.
const MAX_CANDIDATES: usize = 4096;
