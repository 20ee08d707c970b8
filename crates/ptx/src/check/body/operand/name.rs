//! Names of operands: what they stand for, registers that a group makes, and what to say of unknown ones.

use crate::check::Checker;
use crate::check::body::operand::Site;
use crate::check::names::scopes::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::{Component, Name};
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::{RegisterId, Span};

impl<'a> Checker<'a> {
    /// The register with this name; reports anything else.
    pub(crate) fn register(
        &mut self,
        site: &Site<'a>,
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
            _ => self.report(diagnose::no_component(span)),
        }
        None
    }

    /// What a name means; registers of groups are made here, when they are first named.
    #[inline]
    pub(crate) fn binding(&mut self, name: Name, span: Span) -> Binding {
        match self.names.bound(name) {
            Some(binding) => binding,
            None => self.new_binding(name, span),
        }
    }

    /// The same for a name that is not bound itself: nearly always a register named for the first time.
    fn new_binding(&mut self, name: Name, span: Span) -> Binding {
        if let Some(group) = self.names.only_group(name)
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
            found => found,
        }
    }

    /// The same where an address is expected: a snippet may use one name as an address here and a value there.
    #[inline]
    pub(crate) fn address_binding(&mut self, name: Name, span: Span) -> Binding {
        match self.pointers.get(name) {
            Some(binding) if !self.pointers.is_empty() => *binding,
            _ => self.binding(name, span),
        }
    }

    fn make_register(&mut self, name: Name, group: u32) -> Binding {
        let Some(group) = self.names.group(group) else {
            return Binding::None;
        };
        let text = self.name_text(name);
        let binding = self.add_register(&text, group.ty, group.n);
        self.names.bind_member(name, binding, group);
        binding
    }

    /// Makes a register, or the registers of a vector.
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

    /// Names that the table does not hold as they are: special registers, and numbers with leading zeros, which
    /// count as the plain number (assembler 13.5).
    fn binding_of_text(&mut self, name: Name, span: Span) -> Binding {
        let text = self.name_text(name);
        if let Some(special) = SpecialRegister::from_name(&text) {
            self.check_special(special, span);
            let binding = Binding::Special(special);
            self.names.bind_forever(name, binding);
            return binding;
        }
        match self.without_zeros(name) {
            Some(name) => self.binding(name, span),
            None => Binding::None,
        }
    }

    /// `x03` as `x3`; `None` for names without leading zeros in their number.
    pub(crate) fn without_zeros(&self, name: Name) -> Option<Name> {
        let text = self.name_text(name);
        let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text.get(stem.len()..).unwrap_or("");
        if name.number().is_some() || digits.is_empty() || stem.is_empty() {
            return None;
        }
        Some(Name {
            stem: self.tree.symbols.find(self.source, stem)?,
            number: digits.parse().ok()?,
        })
    }

    /// Whether the module's version and target have the special register.
    pub(crate) fn check_special(&mut self, special: SpecialRegister, span: Span) {
        let gate = special.gate();
        if !self.module.meets(gate) {
            let text = span.text(self.source);
            let problem = crate::diagnostics::rules::special_gate(text, span, gate, &self.module);
            self.report(problem);
        }
    }

    /// The text of a name.
    pub(crate) fn name_text(&self, name: Name) -> String {
        let stem = self.tree.symbols.text(self.source, name.stem);
        let mut text = String::with_capacity(stem.len() + 4);
        text.push_str(stem);
        if let Some(number) = name.number() {
            push_number(&mut text, number);
        }
        text
    }

    /// Reports a name that nothing declares.
    pub(crate) fn unknown(&mut self, span: Span) {
        if self.reporter.is_full() {
            return;
        }
        let text = span.text(self.source);
        let candidates: Vec<String> = self
            .names
            .in_scope()
            .take(MAX_CANDIDATES)
            .map(|name| self.name_text(name))
            .collect();
        let nearest = warpgrid_isa::form::nearest(text, candidates.iter().map(String::as_str));
        let problem = diagnose::unknown_symbol(text, span, nearest);
        self.report(problem);
    }
}

/// The most names compared with a misspelled one.
const MAX_CANDIDATES: usize = 4096;

pub(crate) fn special_text(checker: &Checker<'_>, name: Name, component: Component) -> String {
    let letter = ["x", "y", "z", "w"].get(component.index()).unwrap_or(&"x");
    format!("{}.{letter}", checker.name_text(name))
}

fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}
