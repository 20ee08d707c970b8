//! Where a store writes: address forms, the registers and variables that can be one, and what must not be written.

use crate::check::body::address::{AddressRule, NoAddress, Words};
use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::store::Store;
use crate::diagnostics::store as diagnose;
use crate::tree::{Name, Operand, OperandKind, Operands};
use warpgrid_isa::form::Addressing;
use warpgrid_isa::{StateSpace, ValueClass};
use warpgrid_program::{Address, AddressBase, Diagnostic, Parameter, Span, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the first operand. `None`: something was reported.
    pub(crate) fn store_address(&mut self, site: &Site<'a>, store: &Store) -> Option<Address> {
        let (operand, children) = site.operand(0)?;
        let rule = AddressRule {
            addressing: Addressing::Stored,
            space: store.space,
            takes_any_space: false,
            words: Words::Store(store),
        };
        match operand.kind {
            OperandKind::Indexed { name, index } => {
                let base = self.store_indexed(site, &rule, operand, name)?;
                Some(Address::new(base, index))
            }
            OperandKind::IndexedBy { name, .. } => {
                let base = self.store_indexed(site, &rule, operand, name);
                let index = self.store_index(children);
                // The assembler scales the index by the size of an element, which no address of a program does.
                self.body.is_sayable = false;
                let base = base?;
                index.map(|()| Address::new(base, 0))
            }
            _ => self.checked_address(site, operand, &rule),
        }
    }

    /// What is wrong with the address of a store.
    pub(crate) fn store_words(
        &mut self,
        site: &Site<'a>,
        store: &Store,
        operand: &Operand,
        problem: NoAddress,
    ) -> Diagnostic {
        match problem {
            NoAddress::Unbracketed => {
                let fix = self.bracketed(operand);
                diagnose::not_an_address(operand.span, operand.kind, fix)
            }
            NoAddress::Constant(span) => diagnose::absolute_address(span),
            NoAddress::Register(span, ty) => diagnose::address_type(span, ty),
            NoAddress::Narrow(span, ty) if ty.width_bits() == 32 => diagnose::address_32(span, ty),
            NoAddress::Narrow(span, ty) => diagnose::narrow_address(span, ty),
            NoAddress::Space(span, _, variable) => {
                let (text, space) = (span.text(self.source), self.space_of(variable));
                let word = self.place(site, store.space_word);
                let mut problem = diagnose::space_mismatch(span, text, space, store.space, word);
                if !self.can_name_space(site, space) {
                    problem.fixes.clear();
                }
                problem
            }
            NoAddress::Name(span, Binding::Special(_) | Binding::None) => {
                diagnose::special_address(span)
            }
            NoAddress::Name(span, _) => diagnose::no_address_name(span, span.text(self.source)),
        }
    }

    /// Parameters have no addresses in registers; `.param::func` refuses them, `.param` lets them pass.
    pub(crate) fn stored_parameter_register(
        &mut self,
        store: &Store,
        span: Span,
    ) -> Option<AddressBase> {
        if store.says_func {
            self.report(diagnose::param_register(span));
            return None;
        }
        self.report(diagnose::param_register_passes(span));
        self.body.is_sayable = false;
        Some(AddressBase::None)
    }

    /// Whether a variable of the right space may be written here.
    pub(crate) fn check_stored_variable(
        &mut self,
        site: &Site<'a>,
        store: &Store,
        span: Span,
        variable: VariableId,
    ) -> Option<()> {
        match store.space {
            StateSpace::ParamFunc => self.store_parameter(site, span, variable),
            _ => Some(()),
        }
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
        rule: &AddressRule<'_>,
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
        if !self.variable_fits(rule, variable) {
            self.no_address(site, operand, rule, NoAddress::Space(span, name, variable));
            return None;
        }
        if let Words::Store(store) = rule.words {
            self.check_stored_variable(site, store, span, variable)?;
        }
        self.report(diagnose::unbracketed(operand.span));
        Some(AddressBase::Variable(variable))
    }

    /// What is between the brackets of `name[...]`, where it is no constant.
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
                    use ValueClass::{Bits, Signed, Unsigned};
                    let class = ValueClass::of(self.body.type_of(register));
                    if !matches!(class, Bits(..=64) | Unsigned(..=64) | Signed(..=64)) {
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

impl BodyChecker<'_, '_> {
    fn parameter_role(&self, variable: VariableId) -> Role {
        let VariableId::Function(index) = variable else {
            return Role::Argument;
        };
        let is_there = |list: &[Parameter]| list.contains(&Parameter::Variable(index));
        match () {
            () if is_there(&self.function.parameters) => Role::Input,
            () if is_there(&self.body.parameters) => Role::Input,
            () if is_there(&self.function.returns) => Role::Return,
            () => Role::Argument,
        }
    }

    /// Whether the variable is declared with a size in brackets.
    fn is_array(&self, variable: VariableId) -> bool {
        self.variable(variable).is_some_and(|variable| {
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
