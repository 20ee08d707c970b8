//! Name resolution of operands, creation of the registers of groups, and diagnostics for undeclared names.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::context::Context;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::name::Name;
use crate::tree::operand::Component;
use warpgrid_isa::{ScalarType, SpecialRegister, StateSpace};
use warpgrid_program::{RegisterId, Span, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Returns the register with this name. Reports a name that does not denote a register.
    pub(crate) fn register(
        &mut self,
        site: &InstructionSite<'a>,
        name: Name,
        span: Span,
    ) -> Option<RegisterId> {
        match self.binding(name, span) {
            Binding::Register(register) => return Some(register),
            Binding::None => self.unknown(span),
            Binding::Special(_) => {
                self.report(diagnose::special_not_allowed(self.opcode(site), span));
            }
            Binding::Vector { .. } => {
                self.report(diagnose::vector_not_allowed(self.opcode(site), span));
            }
            other => {
                let found = other.describe();
                self.report(diagnose::expected_register(span, found));
            }
        }
        None
    }

    pub(crate) fn component(
        &mut self,
        name: Name,
        component: Component,
        span: Span,
    ) -> Option<RegisterId> {
        match self.binding(name, span) {
            Binding::Vector { first, n } if component.index() < usize::from(n) => {
                return Some(RegisterId(first.0 + component.index() as u32));
            }
            Binding::None => self.unknown(span),
            _ => {
                let text = span.text(self.source);
                let hidden = SpecialRegister::from_name(text).is_some();
                self.report(diagnose::no_component(span, hidden.then_some(text)));
            }
        }
        None
    }

    /// Returns the binding of a name. The first occurrence of the name of a group's register creates the register.
    #[inline]
    pub(crate) fn binding(&mut self, name: Name, span: Span) -> Binding {
        match self.names.bound(name) {
            Some(binding) => binding,
            None => self.new_binding(name, span),
        }
    }

    /// Slow path of [`BodyChecker::binding`] for an unbound name. In most cases, the name is the first occurrence of a group's register.
    fn new_binding(&mut self, name: Name, span: Span) -> Binding {
        if let Some(group) = self.names.unique_group(name)
            && group.n <= 1
        {
            let stem = self.tree.symbols.text(self.source, name.stem);
            let registers = &mut self.body.registers;
            let register = registers.add_numbered(stem, name.number, group.ty);
            let binding = Binding::Register(register);
            self.names.bind_only_member(name, binding, group);
            return binding;
        }
        match self.names.get(name) {
            Binding::Group(group) => self.make_register(name, group),
            Binding::None => self.binding_of_text(name, span),
            Binding::Outer { ty, n } => {
                let text = self.context().name_text(name);
                let binding = self.add_register(&text, ty, n);
                self.names.bind_outside(name, binding);
                binding
            }
            Binding::Variable(id) if self.is_outer_local(id) => self.own_local(name, id),
            found => found,
        }
    }

    /// Returns whether a variable is local memory at module scope (PTX versions before 3.0).
    fn is_outer_local(&self, id: VariableId) -> bool {
        matches!(id, VariableId::Module(_)) && self.space_of(id) == StateSpace::Local
    }

    /// Creates a local variable in this body for a variable in local memory that is declared at module scope.
    fn own_local(&mut self, name: Name, id: VariableId) -> Binding {
        let Some(variable) = self.variable(id).cloned() else {
            return Binding::None;
        };
        let binding = Binding::Variable(self.next_variable());
        self.body.variables.push(variable);
        self.names.bind_outside(name, binding);
        binding
    }

    /// Returns the binding of a name that is used as an address in `space`. A snippet may use the same name as a value and as an address in
    /// several memories.
    #[inline]
    pub(crate) fn address_binding(&mut self, name: Name, space: StateSpace, span: Span) -> Binding {
        if !self.snippet.pointers.is_empty()
            && let Some(binding) = self.snippet_pointer(name, space)
        {
            return binding;
        }
        self.binding(name, span)
    }

    fn make_register(&mut self, name: Name, group: u32) -> Binding {
        let Some(group) = self.names.group(group) else {
            return Binding::None;
        };
        let text = self.context().name_text(name);
        let binding = self.add_register(&text, group.ty, group.n);
        self.names.bind_member(name, binding, group);
        binding
    }

    /// Creates a register, or the consecutive registers of a vector.
    pub(crate) fn add_register(&mut self, name: &str, ty: ScalarType, n: u8) -> Binding {
        let registers = &mut self.body.registers;
        if n <= 1 {
            return Binding::Register(registers.add(name, ty));
        }
        let first = registers.add_formatted(format_args!("{name}.x"), ty);
        for component in ["y", "z", "w"].iter().take(usize::from(n) - 1) {
            registers.add_formatted(format_args!("{name}.{component}"), ty);
        }
        Binding::Vector { first, n }
    }

    /// Returns the binding of a name that the binding table does not contain in this spelling: a special register, or a name whose number
    /// has leading zeros. A name with leading zeros is equivalent to the name without the zeros (assembler 13.5).
    fn binding_of_text(&mut self, name: Name, span: Span) -> Binding {
        if let Some(special) = self.context().special(name) {
            self.check_special(special, span);
            let binding = Binding::Special(special);
            self.names.bind_outside(name, binding);
            return binding;
        }
        match self.context().without_zeros(name) {
            Some(name) => self.binding(name, span),
            None => Binding::None,
        }
    }

    /// Checks whether the version and the target of the module support the special register.
    pub(crate) fn check_special(&mut self, special: SpecialRegister, span: Span) {
        let gate = special.gate();
        if !self.module.meets(gate) {
            let text = span.text(self.source);
            let problem = crate::diagnostics::rules::special_gate(text, span, gate, self.module);
            self.report(problem);
        }
    }
}

/// Returns the name of a component of a special register, such as `%tid.x`.
pub(crate) fn special_text(context: &Context<'_>, name: Name, component: Component) -> String {
    let letter = ["x", "y", "z", "w"].get(component.index()).unwrap_or(&"x");
    format!("{}.{letter}", context.name_text(name))
}
