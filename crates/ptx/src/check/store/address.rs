//! Where a store writes: address forms, the registers and variables that serve, and what must not be written.

use super::source::is_special_vector;
use super::{Checker, Site, Store};
use crate::check::names::Binding;
use crate::diagnostics::store as diagnose;
use crate::tree::{Name, Operand, OperandKind, Operands};
use crate::values::{Class, Element};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{
    Address, AddressBase, Parameter, RegisterId, RegisterRun, Span, VariableId,
};

impl<'a> Checker<'a> {
    /// Judges the first operand. `None`: something was reported.
    pub(super) fn store_address(&mut self, site: &Site<'a>, store: &Store) -> Option<Address> {
        let (operand, children) = site.operand(0)?;
        match operand.kind {
            OperandKind::Address { base, offset } => self
                .store_base(site, store, operand, base)
                .map(|base| Address::new(base, offset)),
            OperandKind::AbsoluteAddress { value } => {
                self.store_absolute(store, operand.span, value)
            }
            OperandKind::Indexed { name, index } => {
                let base = self.store_indexed(site, store, operand, name)?;
                Some(Address::new(base, index))
            }
            OperandKind::IndexedBy { name, .. } => {
                let base = self.store_indexed(site, store, operand, name);
                let index = self.store_index(children);
                // The assembler scales the index by the size of an element, which no address of a program does.
                self.body.is_sayable = false;
                let base = base?;
                index.map(|()| Address::new(base, 0))
            }
            OperandKind::Error => None,
            kind => {
                let fix = self.bracketed(operand);
                self.report(diagnose::not_an_address(operand.span, kind, fix));
                None
            }
        }
    }

    /// A name alone that would do in brackets.
    pub(crate) fn bracketed(&mut self, operand: &Operand) -> Option<String> {
        let (OperandKind::Name(name) | OperandKind::Sum { name, .. }) = operand.kind else {
            return None;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                (ty.is_integer() && ty.width_bits() == self.module.address_bits)
                    .then(|| format!("[{}]", operand.span.text(self.source)))
            }
            Binding::Variable(_) => Some(format!("[{}]", operand.span.text(self.source))),
            _ => None,
        }
    }

    fn store_absolute(&mut self, store: &Store, span: Span, value: i64) -> Option<Address> {
        if store.space != StateSpace::Local {
            self.report(diagnose::absolute_address(span));
            return None;
        }
        Some(Address::new(AddressBase::None, value))
    }

    /// The register or variable between the brackets.
    fn store_base(
        &mut self,
        site: &Site<'a>,
        store: &Store,
        operand: &Operand,
        name: Name,
    ) -> Option<AddressBase> {
        let span = self.name_span(operand, name);
        match self.address_binding(name, span) {
            Binding::Register(register) => self.store_register(store, span, register),
            Binding::Variable(variable) => self.store_variable(site, store, span, variable),
            Binding::Special(_) => {
                self.report(diagnose::special_address(span));
                None
            }
            Binding::None if is_special_vector(span.text(self.source)) => {
                self.report(diagnose::special_address(span));
                None
            }
            Binding::None => {
                self.unknown(span);
                None
            }
            _ => {
                self.report(diagnose::no_address_name(span, span.text(self.source)));
                None
            }
        }
    }

    fn store_register(
        &mut self,
        store: &Store,
        span: Span,
        register: RegisterId,
    ) -> Option<AddressBase> {
        let ty = self.body.type_of(register);
        let is_integer = matches!(Class::of(ty), Class::Bits | Class::Unsigned | Class::Signed);
        if !is_integer || ty == ScalarType::B128 {
            self.report(diagnose::address_type(span, ty));
            return None;
        }
        if store.space == StateSpace::ParamFunc {
            return self.store_param_register(store, span);
        }
        if matches!(store.space, StateSpace::Generic | StateSpace::Global)
            && ty.width_bits() < self.module.address_bits
        {
            if ty.width_bits() == 32 {
                self.report(diagnose::address_32(span, ty));
                return None;
            }
            self.report(diagnose::narrow_address(span, ty));
        }
        Some(AddressBase::Register(RegisterRun::one(register)))
    }

    /// Parameters have no addresses in registers; `.param::func` refuses them, `.param` lets them pass.
    fn store_param_register(&mut self, store: &Store, span: Span) -> Option<AddressBase> {
        if store.says_func {
            self.report(diagnose::param_register(span));
            return None;
        }
        self.report(diagnose::param_register_passes(span));
        self.body.is_sayable = false;
        Some(AddressBase::None)
    }

    fn store_variable(
        &mut self,
        site: &Site<'a>,
        store: &Store,
        span: Span,
        variable: VariableId,
    ) -> Option<AddressBase> {
        let text = span.text(self.source);
        let space = self.space_of(variable);
        if !store.space.takes_variable(space) {
            let word = self.place(site, store.space_word);
            let mut problem = diagnose::space_mismatch(span, text, space, store.space, word);
            if !self.can_name_space(site, space) {
                problem.fixes.clear();
            }
            self.report(problem);
            return None;
        }
        if store.space == StateSpace::ParamFunc {
            self.store_parameter(site, span, variable)?;
        }
        Some(AddressBase::Variable(variable))
    }

    /// Inputs are read-only; arguments of a call are stored under no condition.
    fn store_parameter(&mut self, site: &Site<'a>, span: Span, variable: VariableId) -> Option<()> {
        let text = span.text(self.source);
        match self.parameter_role(variable) {
            Role::Input => {
                self.report(diagnose::input_parameter(span, text));
                None
            }
            Role::Argument => {
                if let Some(guard) = self.tree.guard(site.instruction).copied() {
                    self.report(diagnose::predicated_argument(guard.span, span, text));
                    return None;
                }
                Some(())
            }
            Role::Return => Some(()),
        }
    }

    /// `name[index]` outside of brackets.
    fn store_indexed(
        &mut self,
        site: &Site<'a>,
        store: &Store,
        operand: &Operand,
        name: Name,
    ) -> Option<AddressBase> {
        let span = self.name_span(operand, name);
        let Binding::Variable(variable) = self.binding(name, span) else {
            match self.binding(name, span) {
                Binding::None => self.unknown(span),
                _ => self.report(diagnose::not_an_array(span)),
            }
            return None;
        };
        if !self.is_array(variable) {
            self.report(diagnose::not_an_array(span));
            return None;
        }
        let base = self.store_variable(site, store, span, variable)?;
        self.report(diagnose::unbracketed(operand.span));
        Some(base)
    }

    /// What stands between the brackets of `name[...]`, where it is no constant.
    fn store_index(&mut self, children: Operands<'a>) -> Option<()> {
        for (child, _) in children {
            let name = match child.kind {
                OperandKind::Name(name) => name,
                OperandKind::Sum { name, .. } => name,
                OperandKind::Integer { .. } => continue,
                OperandKind::Error => return None,
                _ => {
                    self.report(diagnose::index_type(child.span));
                    return None;
                }
            };
            match self.binding(name, child.span) {
                Binding::Register(register) => {
                    let element = Element::register(self.body.type_of(register));
                    let is_integer =
                        matches!(element.class, Class::Bits | Class::Unsigned | Class::Signed);
                    if !is_integer || element.width_bits > 64 {
                        self.report(diagnose::index_type(child.span));
                        return None;
                    }
                }
                Binding::Special(_) | Binding::Variable(_) => {}
                Binding::None => {
                    self.unknown(child.span);
                    return None;
                }
                _ => {
                    self.report(diagnose::index_type(child.span));
                    return None;
                }
            }
        }
        Some(())
    }
}

impl Checker<'_> {
    fn parameter_role(&self, variable: VariableId) -> Role {
        let function = self.body.function.map(|id| id.0 as usize);
        let function = function.and_then(|index| self.program.functions.get(index));
        let (VariableId::Function(index), Some(function)) = (variable, function) else {
            return Role::Argument;
        };
        let is_there = |list: &[Parameter]| list.contains(&Parameter::Variable(index));
        match () {
            () if is_there(&function.parameters) => Role::Input,
            () if is_there(&function.returns) => Role::Return,
            () => Role::Argument,
        }
    }

    /// Whether the variable is declared with a size in brackets.
    fn is_array(&self, variable: VariableId) -> bool {
        let found = match variable {
            VariableId::Module(index) => self.program.variables.get(index as usize),
            VariableId::Function(index) => self.body.variables.get(index as usize),
        };
        found.is_some_and(|variable| {
            let text = variable.span.text(self.source);
            let declared = text.split('=').next().unwrap_or("");
            declared.contains('[')
        })
    }
}

/// What a parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Of the kernel or function itself: read-only.
    Input,
    /// What the function returns.
    Return,
    /// Declared in the body, for a call.
    Argument,
}
