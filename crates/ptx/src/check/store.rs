//! Stores.

use super::operand::{Site, Value, Values};
use super::plan::{Opcode, Plan};
use super::types::Fit;
use super::{Checker, Module};
use super::names::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::OperandKind;
use warpgrid_isa::form::Bound;
use warpgrid_program::{Diagnostic, MemoryAccess, Operation, RegisterId, Source};

/// Rules of `st` that need several modifiers.
pub(crate) fn judge(_opcode: &Opcode<'_>, _bound: &Bound, _module: &Module) -> Vec<Diagnostic> {
    Vec::new()
}

impl<'a> Checker<'a> {
    /// `st [a], b{, cache-policy}`
    pub(crate) fn store(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        values: &Values,
        access: &MemoryAccess,
        n_elements: usize,
    ) -> Option<Operation> {
        let sources = self.store_sources(site, plan, access, n_elements);
        let [Value::Address(address), _, policy, ..] = *values else {
            return None;
        };
        Some(Operation::Store {
            access: self.placed(access, address, policy),
            address,
            sources: self.checked_policy(site, plan, policy).and(sources)?,
        })
    }

    fn store_sources(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        access: &MemoryAccess,
        n_elements: usize,
    ) -> Option<Vec<Source>> {
        let (operand, children) = site.operand(1)?;
        if n_elements == 1 {
            return Some(vec![self.source(site, plan, operand, access.ty, Fit::Wider)?]);
        }
        let mut sources = Vec::with_capacity(n_elements);
        let mut ok = true;
        match operand.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in children {
                    let source = match child.kind {
                        OperandKind::Sink => Some(Source::Sink),
                        _ => self.source(site, plan, child, access.ty, Fit::Wider),
                    };
                    ok &= source.is_some();
                    sources.push(source.unwrap_or(Source::Sink));
                }
            }
            OperandKind::Name(name) => {
                if let Binding::Vector { first, n } = self.binding(name, operand.span) {
                    let registers = (0..u32::from(n)).map(|i| RegisterId(first.0 + i));
                    sources.extend(registers.map(Source::Register));
                }
            }
            _ => {}
        }
        if sources.len() != n_elements {
            let problem =
                diagnose::vector_size(self.opcode(site), operand.span, sources.len(), n_elements);
            self.report(problem);
            return None;
        }
        ok.then_some(sources)
    }
}
