//! `mov` in all its shapes: registers, literals, addresses, packing and unpacking.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{destination, register, source};
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::tree::{Operand, OperandKind, Operands};
use warpgrid_isa::{Fit, ScalarType, TypeKind};
use warpgrid_program::{OperandValue, RegisterId, RegisterRun};

impl<'a> BodyChecker<'a, '_> {
    /// `mov d, a`
    pub(crate) fn mov(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        self.count_operands(site, plan)?;
        let mut operands = site.operands;
        let (d, d_children) = operands.next()?;
        let (a, a_children) = operands.next()?;
        let Some(ty) = plan.modifiers.ty.filter(|_| plan.is_sound) else {
            // The opcode is refused; without its type there is nothing to compare.
            return None;
        };
        let n_elements = plan.modifiers.n_elements();
        let (to, from) = if n_elements > 1 {
            let to = self.vector_destinations(site, d, d_children, (ty, Fit::Wider), n_elements);
            let from = self.vector_sources(site, plan, (a, a_children), ty, n_elements);
            (to, from)
        } else {
            match (d.kind, a.kind) {
                (OperandKind::Vector { .. }, _) => {
                    let element = self.element_type(site, ty, d, d_children)?;
                    let to = self.unpacked(site, element, d_children);
                    let from = self.source(site, plan, a, ty, Fit::Exact).map(source);
                    (to, from)
                }
                (_, OperandKind::Vector { .. }) => {
                    let element = self.element_type(site, ty, a, a_children)?;
                    let to = self.moved_to(site, d, ty);
                    let from = self.packed(site, plan, element, a_children);
                    (to, from)
                }
                _ => {
                    let to = self.moved_to(site, d, ty);
                    let from = match (ty, a.kind) {
                        (ScalarType::Pred, OperandKind::Not(_)) => self.predicate(site, a),
                        _ => self.source(site, plan, a, ty, Fit::Exact).map(source),
                    };
                    (to, from)
                }
            }
        };
        self.body.push(to?, d.span);
        self.body.push(from?, a.span);
        Some(())
    }

    fn moved_to(&mut self, site: &Site<'a>, d: &Operand, ty: ScalarType) -> Option<OperandValue> {
        match self.written(site, d, ty, Fit::Exact)? {
            Some(register) => Some(destination(register)),
            None => {
                self.report_sink(site, d);
                None
            }
        }
    }

    /// The elements of `mov.b64 d, {a, b}`.
    fn packed(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        element: ScalarType,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        let mut ok = true;
        for (child, _) in children {
            match self.source(site, plan, child, element, Fit::Exact) {
                Some(value) => self.body.push_element(source(value), child.span),
                None => ok = false,
            }
        }
        ok.then(|| self.body.list_from(first))
    }

    /// The elements of `mov.b64 {a, b}, d`.
    fn unpacked(
        &mut self,
        site: &Site<'a>,
        element: ScalarType,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        let mut ok = true;
        for (child, _) in children {
            match self.written(site, child, element, Fit::Exact) {
                Some(register) => {
                    let run = register.map(RegisterRun::one);
                    self.body
                        .push_element(OperandValue::Destination(run), child.span);
                }
                None => ok = false,
            }
        }
        ok.then(|| self.body.list_from(first))
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

    /// The values of `{a, b}` or of a vector register.
    pub(crate) fn vector_sources(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        (a, children): (&Operand, Operands<'a>),
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        match a.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in children {
                    let value = self.source(site, plan, child, ty, Fit::Exact)?;
                    self.body.push_element(source(value), child.span);
                }
            }
            OperandKind::Name(name) => {
                if let Binding::Vector { first, n } = self.binding(name, a.span) {
                    for index in 0..u32::from(n) {
                        let value = source(register(RegisterId(first.0 + index)));
                        self.body.push_element(value, a.span);
                    }
                }
            }
            _ => {}
        }
        let n = self.body.elements.len() - first;
        if n != n_elements {
            self.report(diagnose::vector_size(a.span, n, n_elements));
            return None;
        }
        Some(self.body.list_from(first))
    }
}
