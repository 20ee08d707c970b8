//! Destination operands: single registers and lists of registers.

use crate::check::body::checker::BodyChecker;
use crate::check::body::list_type::merge;
use crate::check::body::lower::destination;
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::{ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks a destination register. The inner `None` represents the sink `_`.
    pub(crate) fn written(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<Option<RegisterId>> {
        let register = match operand.kind {
            OperandKind::Name(name) => self.register(site, name, operand.span)?,
            OperandKind::Component { name, component } => {
                self.component(name, component, operand.span)?
            }
            // In an operand `d|_`, the sink after the bar discards the second result. The assembler accepts the sink even if the
            // instruction has no second result (assembler 13.5).
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

    /// Checks the destination of a load: one register, or as many registers as the vector width specifies.
    pub(crate) fn destinations(
        &mut self,
        site: &InstructionSite<'a>,
        ty: ScalarType,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let n_elements = site.plan.modifiers.n_elements();
        // A list with one register, such as `{%r1}`, is equivalent to the register `%r1` (assembler 13.5). Triton generates such lists.
        let braced = matches!(operand.kind, OperandKind::Vector { .. });
        if n_elements > 1 || braced {
            let fit = TypeMatch::Wider;
            return self.vector_destinations(site, operand, children, ty, fit, n_elements);
        }
        match self.written(site, operand, ty, TypeMatch::Wider)? {
            Some(register) => Some(destination(register)),
            None => {
                self.report_sink(site, operand);
                None
            }
        }
    }

    /// Checks the registers of `{a, b}` or of a vector register as destinations.
    pub(crate) fn vector_destinations(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        children: Operands<'a>,
        ty: ScalarType,
        fit: TypeMatch,
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
                        let run = register.map(RegisterTuple::one);
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

    /// Checks each register of a list such as `{a, b}` separately, and appends the registers to the elements of the instruction. Returns
    /// whether all registers are valid.
    fn list_destinations(
        &mut self,
        site: &InstructionSite<'a>,
        children: Operands<'a>,
        ty: ScalarType,
        fit: TypeMatch,
        n_elements: usize,
    ) -> bool {
        let mut ok = true;
        let mut width = None;
        for (child, _) in children {
            let register = self.written(site, child, ty, fit);
            ok &= register.is_some();
            // All registers of a list must have the same width. This width also applies to the sinks of the list.
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
            let run = register.flatten().map(RegisterTuple::one);
            let value = OperandValue::Destination(run);
            self.body.push_element(value, child.span);
        }
        ok
    }

    /// Returns the list of the elements from index `first` on, and reports an error if the number of elements differs from the vector
    /// width.
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

    /// Returns whether a list element would be invalid as a single destination operand.
    #[inline]
    fn is_odd(&mut self, element: &Operand, ty: ScalarType, fit: TypeMatch) -> bool {
        let OperandKind::Name(name) = element.kind else {
            return false;
        };
        match self.binding(name, element.span) {
            Binding::Register(register) => !ty.accepts_register(self.body.type_of(register), fit),
            Binding::Special(_) => true,
            _ => false,
        }
    }

    /// Returns the registers of a list that is valid as a whole, although some of its registers would be invalid as single operands. If the
    /// list contains registers of untyped bits, the assembler accepts registers of any type with the same width. The assembler also accepts
    /// special registers, which the instruction does not write (assembler 13.5). Returns `None` if each register must be checked
    /// separately.
    #[cold]
    fn merged_destinations(
        &mut self,
        children: Operands<'a>,
        ty: ScalarType,
        fit: TypeMatch,
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
        if !ty.accepts(merge(&elements).ok()?, fit) {
            return None;
        }
        if list.iter().any(|(register, _)| register.is_none()) {
            self.not_said();
        }
        Some(list)
    }

    /// Checks that a destination is a register of exactly the type `ty`, for operands that reject untyped bits of the same width.
    pub(crate) fn own_destination(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let Some(register) = self.written(site, operand, ty, TypeMatch::Exact)? else {
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
