//! `mov` in all its shapes: registers, literals, addresses, packing and unpacking.

use super::Checker;
use super::names::Binding;
use super::operand::{Site, Value};
use super::plan::Plan;
use super::types::Fit;
use crate::diagnostics::check as diagnose;
use crate::tree::{Operand, OperandKind, Operands};
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{Operation, RegisterId, Source};

impl<'a> Checker<'a> {
    /// `mov d, a`
    pub(crate) fn mov(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<Operation> {
        let (d, d_children) = site.operand(0)?;
        let (a, a_children) = site.operand(1)?;
        if n_elements > 1 {
            return self.mov_vector(site, plan, ty, n_elements);
        }
        match (d.kind, a.kind) {
            (OperandKind::Vector { .. }, _) => self.unpack(site, plan, ty, d, d_children, a),
            (_, OperandKind::Vector { .. }) => self.pack(site, plan, ty, d, a, a_children),
            _ => self.mov_scalar(site, plan, ty, d, a),
        }
    }

    fn mov_scalar(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        ty: ScalarType,
        d: &Operand,
        a: &Operand,
    ) -> Option<Operation> {
        let destination = self.destination(site, d, ty, Fit::Exact);
        if let (ScalarType::Pred, OperandKind::Not(name)) = (ty, a.kind) {
            let register = self.register(site, name, a.span)?;
            self.fit(site, a.span, register, ty, Fit::Exact)?;
            let Some(Value::Destination(d)) = destination else {
                return None;
            };
            return Some(Operation::PredicateLogic {
                op: warpgrid_program::PredicateOp::Not,
                d,
                a: Source::Register(register),
                b: Source::Immediate(0),
            });
        }
        let source = self.source(site, plan, a, ty, Fit::Exact)?;
        match destination? {
            Value::Destination(d) => Some(Operation::Move { ty, d, a: source }),
            _ => {
                self.report(diagnose::sink_not_allowed(self.opcode(site), d.span));
                None
            }
        }
    }

    /// `mov.b64 d, {a, b}`
    fn pack(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        ty: ScalarType,
        d: &Operand,
        a: &Operand,
        children: Operands<'a>,
    ) -> Option<Operation> {
        let element = self.element_type(site, ty, a, children)?;
        let destination = self.destination(site, d, ty, Fit::Exact);
        let mut elements = Vec::new();
        let mut ok = true;
        for (child, _) in children {
            match self.source(site, plan, child, element, Fit::Exact) {
                Some(source) => elements.push(source),
                None => ok = false,
            }
        }
        match destination? {
            Value::Destination(d) if ok => Some(Operation::Pack { ty, d, elements }),
            _ => None,
        }
    }

    /// `mov.b64 {a, b}, d`
    fn unpack(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        ty: ScalarType,
        d: &Operand,
        children: Operands<'a>,
        a: &Operand,
    ) -> Option<Operation> {
        let element = self.element_type(site, ty, d, children)?;
        let mut elements = Vec::new();
        let mut ok = true;
        for (child, _) in children {
            match self.destination(site, child, element, Fit::Exact) {
                Some(Value::Destination(register)) => elements.push(Some(register)),
                Some(_) => elements.push(None),
                None => ok = false,
            }
        }
        let a = self.source(site, plan, a, ty, Fit::Exact)?;
        ok.then_some(Operation::Unpack { ty, elements, a })
    }

    /// The type of each element of a packed value: bits of an equal share of the width.
    fn element_type(
        &mut self,
        site: &Site<'a>,
        ty: ScalarType,
        vector: &Operand,
        children: Operands<'a>,
    ) -> Option<ScalarType> {
        let n = children.count() as u32;
        let width = ty.width_bits().checked_div(n).unwrap_or(0);
        let element = match (ty.kind(), n, width) {
            (TypeKind::Bits, 2 | 4, 8) => ScalarType::B8,
            (TypeKind::Bits, 2 | 4 | 8, 16) => ScalarType::B16,
            (TypeKind::Bits, 2 | 4, 32) => ScalarType::B32,
            (TypeKind::Bits, 2, 64) => ScalarType::B64,
            _ => {
                let problem = diagnose::cannot_pack(self.opcode(site), vector.span, ty, n);
                self.report(problem);
                return None;
            }
        };
        Some(element)
    }

    /// `mov.v2.u32 d, a` between whole vectors: a pack of the registers, one by one.
    fn mov_vector(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<Operation> {
        let (d, d_children) = site.operand(0)?;
        let (a, a_children) = site.operand(1)?;
        let destinations = self.vector_registers(site, d, d_children, ty, n_elements);
        let mut sources: Vec<Source> = Vec::new();
        match a.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in a_children {
                    sources.push(self.source(site, plan, child, ty, Fit::Exact)?);
                }
            }
            OperandKind::Name(name) => {
                if let Binding::Vector { first, n } = self.binding(name, a.span) {
                    let registers = (0..u32::from(n)).map(|i| RegisterId(first.0 + i));
                    sources.extend(registers.map(Source::Register));
                }
            }
            _ => {}
        }
        let destinations = destinations?;
        if sources.len() != n_elements {
            let problem =
                diagnose::vector_size(self.opcode(site), a.span, sources.len(), n_elements);
            self.report(problem);
            return None;
        }
        let _ = destinations;
        Some(Operation::NotEmulated {
            opcode: self.opcode(site).to_owned(),
        })
    }
}
