//! Destination address of a store: address syntax, permitted registers and variables, and read-only memory.

use crate::check::body::address::{AddressConstraint, AddressError, DiagnosticStyle};
use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::diagnostics::store as diagnose;
use crate::tree::operand::Operand;
use warpgrid_isa::StateSpace;
use warpgrid_isa::form::AddressCheck;
use warpgrid_program::{Address, AddressBase, Diagnostic, Parameter, Span, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the address operand of a store. Returns `None` after an error has been reported.
    pub(crate) fn store_address(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
    ) -> Option<Address> {
        let (operand, _) = site.operand(0)?;
        let rule = AddressConstraint {
            addressing: AddressCheck::Store,
            space: store.space,
            takes_any_space: false,
            words: DiagnosticStyle::Store(store),
        };
        self.checked_address(site, operand, &rule)
    }

    /// Returns the diagnostic for an invalid address of a store.
    pub(crate) fn store_words(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
        operand: &Operand,
        problem: AddressError,
    ) -> Diagnostic {
        match problem {
            AddressError::Unbracketed => {
                let fix = self.bracketed(operand);
                diagnose::not_an_address(operand.span, operand.kind, fix)
            }
            AddressError::Constant(span) => diagnose::absolute_address(span),
            AddressError::Register(span, ty) => diagnose::address_type(span, ty),
            AddressError::Narrow(span, ty) if ty.width_bits() == 32 => {
                diagnose::address_32(span, ty)
            }
            AddressError::Narrow(span, ty) => diagnose::narrow_address(span, ty),
            AddressError::Space(span, _, variable) => {
                let (text, space) = (span.text(self.source), self.space_of(variable));
                let word = self.place(site, store.space_word);
                let mut problem = diagnose::space_mismatch(span, text, space, store.space, word);
                if !self.can_name_space(site, space) {
                    problem.fixes.clear();
                }
                problem
            }
            AddressError::Name(span, Binding::Special(_) | Binding::None) => {
                diagnose::special_address(span)
            }
            AddressError::Name(span, _) => diagnose::no_address_name(span, span.text(self.source)),
        }
    }

    /// Reports a register that is used as the address of a parameter, because a register cannot contain the address of a parameter. The
    /// diagnostic is an error for `.param::func`, and a warning for `.param`, because the assembler accepts stores with this address.
    pub(crate) fn stored_parameter_register(
        &mut self,
        store: &StoreConstraints,
        span: Span,
    ) -> Option<AddressBase> {
        if store.says_func {
            self.report(diagnose::param_register(span));
            return None;
        }
        self.report(diagnose::param_register_passes(span));
        self.body.is_representable = false;
        Some(AddressBase::None)
    }

    /// Checks whether a store may write to a variable in the required state space.
    pub(crate) fn check_stored_variable(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
        span: Span,
        variable: VariableId,
    ) -> Option<()> {
        match store.space {
            StateSpace::ParamFunc => self.store_parameter(site, span, variable),
            _ => Some(()),
        }
    }

    /// Reports a store to an input parameter, which is read-only, and a guarded store to an argument of a call.
    fn store_parameter(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        variable: VariableId,
    ) -> Option<()> {
        let text = span.text(self.source);
        match self.parameter_role(variable) {
            ParameterKind::Input => {
                self.report(diagnose::input_parameter(span, text));
                None
            }
            ParameterKind::Argument => {
                if let Some(guard) = self.tree.guard(site.instruction).copied() {
                    self.report(diagnose::predicated_argument(guard.span, span, text));
                    return None;
                }
                Some(())
            }
            ParameterKind::Return => Some(()),
        }
    }
}

impl BodyChecker<'_, '_> {
    fn parameter_role(&self, variable: VariableId) -> ParameterKind {
        let VariableId::Function(index) = variable else {
            return ParameterKind::Argument;
        };
        let is_there = |list: &[Parameter]| list.contains(&Parameter::Variable(index));
        match () {
            () if is_there(&self.function.parameters) => ParameterKind::Input,
            () if is_there(&self.body.parameters) => ParameterKind::Input,
            () if is_there(&self.function.returns) => ParameterKind::Return,
            () => ParameterKind::Argument,
        }
    }
}

/// Role of a `.param` variable, which determines whether a store may write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParameterKind {
    /// Parameter of the kernel or function itself, which is read-only.
    Input,
    /// Return parameter of the function itself.
    Return,
    /// Parameter that the body declares for a call.
    Argument,
}
