//! Checks addresses of operands, which consist of a register or a variable and an offset. The table row of the instruction specifies the
//! state space and the strictness of the address check. The diagnostics depend on the instruction family.

use crate::check::body::checker::BodyChecker;
use crate::check::body::element::WARP_SZ;
use crate::check::body::operand::InstructionSite;
use crate::check::body::values;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::strict_address::AddressCodes;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::form::{AbsoluteAddressRule, AddressCheck};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{
    Address, AddressBase, Diagnostic, RegisterId, RegisterTuple, Source, Span, Variable, VariableId,
};

/// Selects the diagnostics that are reported for an invalid address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DiagnosticStyle<'s> {
    Plain,
    /// Diagnostics of `st`.
    Store(&'s StoreConstraints),
    /// Diagnostics of asynchronous stores and matrix stores, with the given diagnostic codes.
    Strict(&'static AddressCodes),
}

/// Requirements of an instruction for its address operand: the state space, the permitted registers and the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressConstraint<'s> {
    pub(crate) addressing: AddressCheck,
    /// State space that the opcode specifies.
    pub(crate) space: StateSpace,
    /// Whether a variable in any state space is accepted, because the checker has already rejected the opcode.
    pub(crate) takes_any_space: bool,
    pub(crate) words: DiagnosticStyle<'s>,
}

/// Reason why an address operand is invalid, from which the diagnostic is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressError {
    /// The operand has no brackets.
    Unbracketed,
    /// The address is a number without the name of a register or variable.
    Constant(Span),
    /// The address is a register of a type that cannot contain an address.
    Register(Span, ScalarType),
    /// The address is a register that is narrower than an address. The assembler rejects 32-bit registers, but accepts narrower registers.
    Narrow(Span, ScalarType),
    /// The address is a variable whose state space differs from the state space of the instruction.
    Space(Span, Name, VariableId),
    /// The address is a name that denotes an object without an address, such as a label.
    Name(Span, Binding),
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks an address operand against the state space of the table row, and returns the address.
    #[inline]
    pub(crate) fn address(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
    ) -> Option<Address> {
        self.address_in(site, operand, site.plan.space())
    }

    /// Checks an address operand against `space`, which differs from the state space of the table row, and returns the address.
    #[inline]
    pub(crate) fn address_in(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        space: StateSpace,
    ) -> Option<Address> {
        let rule = AddressConstraint {
            addressing: site.plan.addressing,
            space,
            takes_any_space: !site.plan.modifiers_are_valid,
            words: DiagnosticStyle::Plain,
        };
        self.checked_address(site, operand, &rule)
    }

    /// Checks an address operand, and returns the address, or `None` after an error has been reported.
    pub(crate) fn checked_address(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
    ) -> Option<Address> {
        let (name, offset) = match operand.kind {
            OperandKind::Address { base, offset } => (base, offset),
            OperandKind::Indexed { .. } | OperandKind::IndexedBy { .. }
                if site.plan.takes_element =>
            {
                return self.indexed_address(site, operand, rule);
            }
            OperandKind::AbsoluteAddress { value } => {
                let is_taken = match rule.addressing.constants() {
                    AbsoluteAddressRule::Anywhere => true,
                    AbsoluteAddressRule::LocalMemory => rule.space == StateSpace::Local,
                    AbsoluteAddressRule::Nowhere => false,
                };
                if !is_taken {
                    self.no_address(site, operand, rule, AddressError::Constant(operand.span));
                    return None;
                }
                return Some(Address::new(AddressBase::None, value));
            }
            OperandKind::Error => return None,
            _ => {
                self.no_address(site, operand, rule, AddressError::Unbracketed);
                return None;
            }
        };
        let binding = self.address_binding(name, rule.space, operand.span);
        // Fast path for nearly all addresses: a 64-bit register.
        if let Binding::Register(register) = binding
            && matches!(
                self.body.type_of(register),
                ScalarType::B64 | ScalarType::U64
            )
            && rule.space != StateSpace::ParamFunc
            && rule.addressing.takes_variable()
        {
            let base = AddressBase::Register(RegisterTuple::one(register));
            return Some(Address::new(base, offset));
        }
        let base = self.address_base(site, operand, rule, name, binding)?;
        Some(Address::new(base, offset))
    }

    /// Returns the address of an array element.
    #[cold]
    fn indexed_address(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
    ) -> Option<Address> {
        let element = self.array_element(operand)?;
        let variable = element.variable;
        if !self.variable_fits(rule, variable) {
            let (OperandKind::Indexed { name, .. } | OperandKind::IndexedBy { name, .. }) =
                operand.kind
            else {
                return None;
            };
            let span = self.name_span(operand, name);
            self.no_address(
                site,
                operand,
                rule,
                AddressError::Space(span, name, variable),
            );
            return None;
        }
        if let DiagnosticStyle::Store(store) = rule.words {
            self.check_stored_variable(site, store, operand.span, variable)?;
        }
        if let Some(offset) = element.constant_offset_bytes() {
            return Some(Address::new(AddressBase::Variable(variable), offset));
        }
        // A register cannot contain the address of a call parameter.
        if self.space_of(variable) == StateSpace::ParamFunc {
            let offset = self.element_offset(&element)?;
            return Some(Address {
                uniform: Some(RegisterTuple::one(offset)),
                ..Address::new(AddressBase::Variable(variable), 0)
            });
        }
        let bits = self.module.address_bits;
        let array = Source::VariableAddress {
            variable,
            offset: 0,
            generic: rule.space == StateSpace::Generic,
        };
        let address = self.element_address(&element, bits, array)?;
        let base = AddressBase::Register(RegisterTuple::one(address));
        Some(Address::new(base, 0))
    }

    fn address_base(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
        name: Name,
        binding: Binding,
    ) -> Option<AddressBase> {
        if let (Binding::Variable(variable), DiagnosticStyle::Plain) = (binding, rule.words)
            && self.variable_fits(rule, variable)
        {
            return Some(AddressBase::Variable(variable));
        }
        let span = self.name_span(operand, name);
        let problem = match binding {
            Binding::Register(register) => {
                return self.register_base(site, operand, rule, span, register);
            }
            Binding::Variable(variable) if self.is_handle(variable) => {
                AddressError::Name(span, binding)
            }
            Binding::Variable(variable) => {
                if self.variable_fits(rule, variable) {
                    if let DiagnosticStyle::Store(store) = rule.words {
                        self.check_stored_variable(site, store, span, variable)?;
                    }
                    return Some(AddressBase::Variable(variable));
                }
                AddressError::Space(span, name, variable)
            }
            Binding::Special(_) if rule.addressing.takes_special() => {
                // The address is legal, but the program representation has no address whose base is a special register.
                self.body.is_representable = false;
                return Some(AddressBase::None);
            }
            Binding::None => {
                let text = span.text(self.source);
                match rule.addressing.constants() {
                    AbsoluteAddressRule::Nowhere if text == WARP_SZ => AddressError::Constant(span),
                    AbsoluteAddressRule::LocalMemory if values::is_special_vector(text) => {
                        AddressError::Name(span, binding)
                    }
                    _ => {
                        self.unknown(span);
                        return None;
                    }
                }
            }
            _ => AddressError::Name(span, binding),
        };
        self.no_address(site, operand, rule, problem);
        None
    }

    fn register_base(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
        span: Span,
        register: RegisterId,
    ) -> Option<AddressBase> {
        let ty = self.body.type_of(register);
        if !rule.addressing.takes_register(ty) {
            self.no_address(site, operand, rule, AddressError::Register(span, ty));
            return None;
        }
        if let (DiagnosticStyle::Store(store), StateSpace::ParamFunc) = (rule.words, rule.space) {
            return self.stored_parameter_register(store, span);
        }
        if rule.addressing.needs_whole(rule.space) && ty.width_bits() < self.module.address_bits {
            self.no_address(site, operand, rule, AddressError::Narrow(span, ty));
            if ty.width_bits() == 32 {
                return None;
            }
        }
        Some(AddressBase::Register(RegisterTuple::one(register)))
    }

    /// Returns whether an address constraint permits the state space of a variable.
    pub(crate) fn variable_fits(&self, rule: &AddressConstraint<'_>, variable: VariableId) -> bool {
        rule.addressing.takes_variable()
            && !self.is_handle(variable)
            && (rule.takes_any_space || rule.space.takes_variable(self.space_of(variable)))
    }

    /// Returns whether the variable is a texture, sampler or surface, whose contents a load cannot access.
    fn is_handle(&self, variable: VariableId) -> bool {
        let handles = &self.declared.handles;
        let is_known = |variable: &Variable| handles.contains(&variable.span);
        !handles.is_empty() && self.variable(variable).is_some_and(is_known)
    }

    /// Reports an invalid address with the diagnostics of the instruction family.
    #[cold]
    pub(crate) fn no_address(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
        problem: AddressError,
    ) {
        let diagnostic = match rule.words {
            DiagnosticStyle::Plain => self.plain_words(site, operand, rule, problem),
            DiagnosticStyle::Store(store) => self.store_words(site, store, operand, problem),
            DiagnosticStyle::Strict(codes) => self.strict_words(codes, operand, rule, problem),
        };
        self.report(diagnostic);
    }

    fn plain_words(
        &self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
        problem: AddressError,
    ) -> Diagnostic {
        let opcode = self.opcode(site);
        match problem {
            AddressError::Unbracketed => diagnose::expected_address(operand.span),
            AddressError::Constant(span) => diagnose::constant_address(span),
            AddressError::Name(span, _) => diagnose::expected_address(span),
            AddressError::Register(span, ty) => diagnose::address_type(span, ty),
            AddressError::Narrow(span, ty) => diagnose::narrow_address(span, ty),
            AddressError::Space(span, _, variable) => {
                diagnose::space_mismatch(opcode, span, self.space_of(variable), rule.space)
            }
        }
    }

    fn strict_words(
        &mut self,
        codes: &AddressCodes,
        operand: &Operand,
        rule: &AddressConstraint<'_>,
        problem: AddressError,
    ) -> Diagnostic {
        match problem {
            AddressError::Unbracketed => {
                let found = unbracketed(operand.kind);
                codes.no_address(operand.span, found, self.bracketed(operand))
            }
            AddressError::Constant(span) => codes.constant_address(span),
            AddressError::Register(span, ty) | AddressError::Narrow(span, ty) => {
                codes.address_type(span, ty)
            }
            AddressError::Space(span, name, variable) => {
                let declared = self.names.span(name);
                codes.address_space(span, self.space_of(variable), rule.space, declared)
            }
            AddressError::Name(span, binding) => codes.no_address(span, binding.describe(), None),
        }
    }

    /// Returns the operand text in brackets if the bracketed operand is a valid address.
    pub(crate) fn bracketed(&mut self, operand: &Operand) -> Option<String> {
        if let OperandKind::Indexed { name, index } = operand.kind {
            let variable = self.indexed_variable(operand)?;
            let size = i64::from(self.variable(variable)?.ty.width_bytes());
            let name = self.name_span(operand, name).text(self.source);
            let offset = index.checked_mul(size)?;
            return Some(format!("[{name}+{offset}]"));
        }
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

    /// Returns the span of the register or variable name in an address operand.
    pub(crate) fn name_span(&self, operand: &Operand, name: Name) -> Span {
        let text = operand.span.text(self.source);
        let stem = self.tree.symbols.text(self.source, name.stem);
        // Fast path for nearly all operands, in which the name directly follows the bracket.
        let mut places = 0..text.len();
        let is_here = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(stem));
        let start = places.find(is_here).unwrap_or(0) as u32 + operand.span.start;
        let digits = match name.number() {
            Some(number) => number.checked_ilog10().unwrap_or(0) + 1,
            None => 0,
        };
        Span::new(start, start + stem.len() as u32 + digits)
    }
}

/// Returns the description of an operand without brackets for a message.
fn unbracketed(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Name(_) | OperandKind::Component { .. } => "a name without brackets",
        OperandKind::Indexed { .. } | OperandKind::Sum { .. } => "an expression without brackets",
        OperandKind::Integer { .. } | OperandKind::Single(_) | OperandKind::Double(_) => {
            "a number without brackets"
        }
        OperandKind::Sink => "the sink `_`",
        OperandKind::Vector { .. } => "a brace list",
        _ => "another kind of operand",
    }
}
