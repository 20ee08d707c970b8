//! Destination address of a store: address syntax, permitted registers and variables, and read-only memory.

use crate::check::body::address::{AddressRule, NoAddress, Words};
use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::store::Store;
use crate::diagnostics::store as diagnose;
use crate::tree::operand::Operand;
use warpgrid_isa::StateSpace;
use warpgrid_isa::form::Addressing;
use warpgrid_program::{Address, AddressBase, Diagnostic, Parameter, Span, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the first operand; returns `None` after reporting an error.
    pub(crate) fn store_address(&mut self, site: &Site<'a>, store: &Store) -> Option<Address> {
        let (operand, _) = site.operand(0)?;
        let rule = AddressRule {
            addressing: Addressing::Stored,
            space: store.space,
            takes_any_space: false,
            words: Words::Store(store),
        };
        self.checked_address(site, operand, &rule)
    }

    /// Returns the diagnostic for an invalid address of a store.
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

    /// Reports a register as the address of a parameter, because parameters have no addresses in registers: an error with
    /// `.param::func`, and a warning with `.param`, which the assembler accepts.
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

    /// Checks whether a variable in the right state space may be written.
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

    /// Reports a store to an input parameter, which is read-only, and a guarded store to an argument of a call.
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
}

/// Role of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Parameter of the kernel or function itself, which is read-only.
    Input,
    /// Result of the function.
    Return,
    /// Parameter that the body declares for a call.
    Argument,
}
