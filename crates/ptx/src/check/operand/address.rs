//! Addresses in brackets: a register or a variable, and an offset.

use super::Site;
use crate::check::Checker;
use crate::check::names::Binding;
use crate::check::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::tree::{Name, Operand, OperandKind};
use warpgrid_isa::StateSpace;
use warpgrid_program::{Address, AddressBase, RegisterRun, Span, VariableId};

impl<'a> Checker<'a> {
    /// An address in brackets. The space is judged by the family.
    pub(crate) fn address(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
    ) -> Option<Address> {
        let (name, offset) = match operand.kind {
            OperandKind::Address { base, offset } => (base, offset),
            OperandKind::Indexed { name, index } => (name, index),
            OperandKind::AbsoluteAddress { value } => {
                return Some(Address::new(AddressBase::None, value));
            }
            OperandKind::Error => return None,
            _ => {
                self.report(diagnose::expected_address(self.opcode(site), operand.span));
                return None;
            }
        };
        let base = self.address_base(site, plan, operand, name)?;
        Some(Address::new(base, offset))
    }

    fn address_base(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
        name: Name,
    ) -> Option<AddressBase> {
        let binding = self.address_binding(name, operand.span);
        if let Binding::Register(register) = binding
            && self.body.type_of(register).is_integer()
            && self.body.type_of(register).width_bits() >= self.module.address_bits
        {
            return Some(AddressBase::Register(RegisterRun::one(register)));
        }
        let span = self.name_span(operand, name);
        match binding {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                if !ty.is_integer() {
                    self.report(diagnose::address_type(self.opcode(site), span, ty));
                    return None;
                }
                let space = plan.space();
                if ty.width_bits() < self.module.address_bits
                    && plan.needs_whole_addresses
                    && matches!(space, StateSpace::Generic | StateSpace::Global)
                {
                    self.report(diagnose::narrow_address(self.opcode(site), span, ty));
                    return (ty.width_bits() < 32)
                        .then_some(AddressBase::Register(RegisterRun::one(register)));
                }
                Some(AddressBase::Register(RegisterRun::one(register)))
            }
            Binding::Variable(variable) => {
                let space = self.space_of(variable);
                if !plan.takes_space(space) {
                    self.report(diagnose::space_mismatch(
                        self.opcode(site),
                        span,
                        space,
                        plan.space(),
                    ));
                    return None;
                }
                Some(AddressBase::Variable(variable))
            }
            Binding::None => {
                self.unknown(span);
                None
            }
            _ => {
                self.report(diagnose::expected_address(self.opcode(site), span));
                None
            }
        }
    }

    /// The part of an address operand that is its name.
    pub(crate) fn name_span(&self, operand: &Operand, name: Name) -> Span {
        let text = operand.span.text(self.source);
        let stem = self.tree.symbols.text(self.source, name.stem);
        // Nearly always right behind the bracket.
        let mut places = 0..text.len();
        let is_here = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(stem));
        let start = places.find(is_here).unwrap_or(0) as u32 + operand.span.start;
        let digits = match name.number() {
            Some(number) => number.checked_ilog10().unwrap_or(0) + 1,
            None => 0,
        };
        Span::new(start, start + stem.len() as u32 + digits)
    }

    /// The state space of a variable.
    pub(crate) fn space_of(&self, variable: VariableId) -> StateSpace {
        let found = match variable {
            VariableId::Module(index) => self.program.variables.get(index as usize),
            VariableId::Function(index) => self.body.variables.get(index as usize),
        };
        found.map_or(StateSpace::Generic, |v| v.space)
    }
}
