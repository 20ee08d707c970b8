//! Registers that are written, alone or several at once.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::destination;
use crate::check::body::merge::merge;
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::{Fit, ScalarType};
use warpgrid_program::{OperandValue, RegisterId, RegisterRun, Span};

impl<'a> BodyChecker<'a, '_> {
    /// A register that is written; the inner `None` for the sink `_`.
    pub(crate) fn written(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Option<RegisterId>> {
        let register = match operand.kind {
            OperandKind::Name(name) => self.register(site, name, operand.span)?,
            OperandKind::Component { name, component } => {
                self.component(name, component, operand.span)?
            }
            // The sink after a bar throws a second result away that the instruction need not have (assembler 13.5).
            OperandKind::Pair {
                first: Some(name),
                second: None,
            } => self.register(site, name, operand.span)?,
            OperandKind::Sink => return Some(None),
            OperandKind::Error => return None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_register(operand.span, found));
                return None;
            }
        };
        self.fit(operand.span, register, ty, fit)?;
        Some(Some(register))
    }

    /// What a load writes: one register, or as many as the vector width says.
    pub(crate) fn destinations(
        &mut self,
        site: &Site<'a>,
        ty: ScalarType,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let n_elements = site.plan.modifiers.n_elements();
        // `{%r1}` is as good as `%r1` (assembler 13.5; Triton writes so).
        let braced = matches!(operand.kind, OperandKind::Vector { .. });
        if n_elements > 1 || braced {
            let fit = Fit::Wider;
            return self.vector_destinations(site, operand, children, ty, fit, n_elements);
        }
        match self.written(site, operand, ty, Fit::Wider)? {
            Some(register) => Some(destination(register)),
            None => {
                self.report_sink(site, operand);
                None
            }
        }
    }

    /// The registers of `{a, b}` or of a vector register, as destinations.
    pub(crate) fn vector_destinations(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        children: Operands<'a>,
        ty: ScalarType,
        fit: Fit,
        n_elements: usize,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        let mut ok = true;
        match operand.kind {
            OperandKind::Vector { .. } => {
                if children
                    .clone()
                    .any(|(child, _)| self.is_odd(child, ty, fit))
                    && let Some(list) = self.merged_destinations(children, ty, fit)
                {
                    for (register, span) in list {
                        let run = register.map(RegisterRun::one);
                        self.body.push_element(OperandValue::Destination(run), span);
                    }
                    return self.whole_list(operand, first, n_elements);
                }
                ok = self.list_destinations(site, children, ty, fit, n_elements);
            }
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Vector { first, n } => {
                    for index in 0..u32::from(n) {
                        let value = destination(RegisterId(first.0 + index));
                        self.body.push_element(value, operand.span);
                    }
                }
                Binding::None => {
                    self.unknown(operand.span);
                    return None;
                }
                _ => {}
            },
            OperandKind::Error => return None,
            _ => {}
        }
        let list = self.whole_list(operand, first, n_elements)?;
        ok.then_some(list)
    }

    /// Appends the registers of `{a, b}`, each of which is checked on its own; returns whether all are valid.
    fn list_destinations(
        &mut self,
        site: &Site<'a>,
        children: Operands<'a>,
        ty: ScalarType,
        fit: Fit,
        n_elements: usize,
    ) -> bool {
        let mut ok = true;
        let mut width = None;
        for (child, _) in children {
            let register = self.written(site, child, ty, fit);
            ok &= register.is_some();
            // Registers of one list have one width, and a sink takes it from the others.
            if let Some(register) = register.flatten() {
                let have = self.body.type_of(register);
                let expected = *width.get_or_insert(have);
                if expected.width_bits() != have.width_bits() {
                    self.report(diagnose::type_mismatch(child.span, have, expected));
                    ok = false;
                }
            } else if n_elements == 1 && ok {
                self.report_sink(site, child);
                ok = false;
            }
            let run = register.flatten().map(RegisterRun::one);
            let value = OperandValue::Destination(run);
            self.body.push_element(value, child.span);
        }
        ok
    }

    /// The list of the elements from number `first` on, which are as many as the vector width says.
    fn whole_list(
        &mut self,
        operand: &Operand,
        first: usize,
        n_elements: usize,
    ) -> Option<OperandValue> {
        let n = self.body.elements.len() - first;
        if n != n_elements {
            self.report(diagnose::vector_size(operand.span, n, n_elements));
            return None;
        }
        Some(self.body.list_from(first))
    }

    /// Whether an element of a list does not fit alone.
    #[inline]
    fn is_odd(&mut self, element: &Operand, ty: ScalarType, fit: Fit) -> bool {
        let OperandKind::Name(name) = element.kind else {
            return false;
        };
        match self.binding(name, element.span) {
            Binding::Register(register) => !ty.takes_register(self.body.type_of(register), fit),
            Binding::Special(_) => true,
            _ => false,
        }
    }

    /// The registers of a list that fits as a whole though not each of it does: beside untyped bits any kind of their
    /// width passes, a special register too, which nothing writes (assembler 13.5). `None` where each is checked alone.
    #[cold]
    fn merged_destinations(
        &mut self,
        children: Operands<'a>,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Vec<(Option<RegisterId>, Span)>> {
        let mut elements = Vec::new();
        let mut list = Vec::new();
        for (child, _) in children {
            let element = match child.kind {
                OperandKind::Sink => {
                    list.push((None, child.span));
                    continue;
                }
                OperandKind::Name(name) => match self.binding(name, child.span) {
                    Binding::Register(register) => {
                        list.push((Some(register), child.span));
                        self.register_element(register, child.span)
                    }
                    Binding::Special(_) => {
                        list.push((None, child.span));
                        self.value(child).ok()?
                    }
                    _ => return None,
                },
                _ => return None,
            };
            elements.push(element);
        }
        if !ty.takes(merge(&elements).ok()?, fit) {
            return None;
        }
        if list.iter().any(|(register, _)| register.is_none()) {
            self.not_said();
        }
        Some(list)
    }

    /// A register of the very type, since untyped bits of its width are refused.
    pub(crate) fn own_destination(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let Some(register) = self.written(site, operand, ty, Fit::Exact)? else {
            self.report_sink(site, operand);
            return None;
        };
        let have = self.body.type_of(register);
        if have != ty {
            self.report(diagnose::type_mismatch(operand.span, have, ty));
            return None;
        }
        Some(destination(register))
    }
}
