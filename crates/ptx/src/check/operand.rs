//! Resolves operands: names to registers, literals to bits, types compared. In: tree operands and what the plan
//! expects; out: values that [`super::lower`] puts into an operation.

use super::Checker;
use super::names::Binding;
use super::plan::{Expect, MAX_OPERANDS, PairRule, Plan};
use super::types::{Fit, fits, truncated};
use crate::diagnostics::check as diagnose;
use crate::tree::{Component, Instruction, Name, Operand, OperandKind, Operands};
use warpgrid_isa::{ScalarType, SpecialRegister, StateSpace};
use warpgrid_program::{Address, AddressBase, RegisterId, Source, Span, VariableId};

/// A resolved operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// Not written, or left to the family.
    None,
    Destination(RegisterId),
    /// `_` where something is written.
    Sink,
    Source(Source),
    Pair(Option<RegisterId>, Option<RegisterId>),
    Predicate {
        source: Source,
        negated: bool,
    },
    Address(Address),
}

/// All operands of one instruction.
pub(crate) type Values = [Value; MAX_OPERANDS];

/// How an address stands among values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressRule {
    /// `name`
    Names,
    /// `name+4`
    Sums,
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'t> {
    pub(crate) instruction: &'t Instruction,
    /// Guard to semicolon.
    pub(crate) span: Span,
    pub(crate) operands: Operands<'t>,
}

impl<'t> Site<'t> {
    pub(crate) fn operand(&self, index: usize) -> Option<(&'t Operand, Operands<'t>)> {
        self.operands.clone().nth(index)
    }
}

impl<'a> Checker<'a> {
    /// Resolves every operand the plan expects; false when something was reported.
    pub(crate) fn resolve(&mut self, site: &Site<'a>, plan: &'a Plan, values: &mut Values) -> bool {
        let mut ok = true;
        let mut n = 0;
        for (operand, _) in site.operands {
            if let (Some(expect), Some(value)) = (plan.expect.get(n), values.get_mut(n))
                && n < plan.n_most
            {
                match self.resolve_one(site, plan, *expect, operand) {
                    Some(resolved) => *value = resolved,
                    None => ok = false,
                }
            }
            n += 1;
        }
        if n < plan.n_least || n > plan.n_most {
            let span = self.tree.mnemonic_span(site.instruction);
            self.report(diagnose::operand_count(self.opcode(site), span, n, plan));
            return false;
        }
        ok
    }

    #[inline]
    fn resolve_one(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        expect: Expect,
        operand: &Operand,
    ) -> Option<Value> {
        match expect {
            Expect::Destination(ty, fit) => self.destination(site, operand, ty, fit),
            Expect::Source(ty, fit) => {
                Some(Value::Source(self.source(site, plan, operand, ty, fit)?))
            }
            Expect::Pair(ty, rule) => self.pair(site, operand, ty, rule),
            Expect::Predicate => self.predicate(site, operand),
            Expect::Address => self.address(site, plan, operand).map(Value::Address),
            Expect::Custom => Some(Value::None),
        }
    }

    /// A register that is written.
    pub(crate) fn destination(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Value> {
        let register = match operand.kind {
            OperandKind::Name(name) => self.register(site, name, operand.span)?,
            OperandKind::Component { name, component } => {
                self.component(site, name, component, operand.span)?
            }
            OperandKind::Sink => return Some(Value::Sink),
            OperandKind::Error => return None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_register(
                    self.opcode(site),
                    operand.span,
                    found,
                ));
                return None;
            }
        };
        self.fit(site, operand.span, register, ty, fit)?;
        Some(Value::Destination(register))
    }

    /// A value that is read.
    pub(crate) fn source(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Source> {
        match operand.kind {
            OperandKind::Name(name) => self.named_source(site, plan, operand.span, name, ty, fit),
            OperandKind::Integer { value, .. } => self.integer(site, operand.span, value, ty),
            OperandKind::Single(bits) => self.single(site, operand.span, bits, ty),
            OperandKind::Double(bits) => self.double(site, operand.span, bits, ty),
            OperandKind::Component { name, component } => {
                self.component_source(site, plan, operand.span, (name, component), ty, fit)
            }
            OperandKind::Sum { name, offset }
            | OperandKind::Indexed {
                name,
                index: offset,
            } => self.sum(
                site,
                (plan, AddressRule::Sums),
                operand.span,
                (name, offset),
                ty,
            ),
            OperandKind::Error => None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_value(
                    self.opcode(site),
                    operand.span,
                    ty,
                    found,
                ));
                None
            }
        }
    }

    fn named_source(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        span: Span,
        name: Name,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Source> {
        match self.binding(name, span) {
            Binding::Register(register) => {
                self.fit(site, span, register, ty, fit)?;
                Some(Source::Register(register))
            }
            Binding::Special(special) => self.special(site, plan, span, special, ty, fit),
            Binding::Function(_) if fit == Fit::Integer => {
                self.report(diagnose::expected_register(
                    self.opcode(site),
                    span,
                    "a function",
                ));
                None
            }
            Binding::Variable(_) | Binding::Function(_) => {
                let takes = AddressRule::Names;
                self.sum(site, (plan, takes), span, (name, 0), ty)
            }
            Binding::None if span.text(self.source) == "WARP_SZ" => {
                self.integer(site, span, 32, ty)
            }
            Binding::None => {
                self.unknown(span);
                None
            }
            Binding::Vector { .. } => {
                self.report(diagnose::vector_not_allowed(self.opcode(site), span));
                None
            }
            _ => {
                self.report(diagnose::expected_value(
                    self.opcode(site),
                    span,
                    ty,
                    "a label",
                ));
                None
            }
        }
    }

    fn special(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        span: Span,
        special: SpecialRegister,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Source> {
        if !plan.takes_special {
            self.report(diagnose::special_not_allowed(self.opcode(site), span));
            return None;
        }
        let have = match special.width_bits() {
            64 => ScalarType::U64,
            _ => ScalarType::U32,
        };
        let narrow = ty.width_bits() == 16 && have == ScalarType::U32;
        if !fits(have, ty, fit) && !narrow {
            self.report(diagnose::type_mismatch(self.opcode(site), span, have, ty));
            return None;
        }
        Some(Source::Special(special))
    }

    fn component_source(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        span: Span,
        (name, component): (Name, Component),
        ty: ScalarType,
        fit: Fit,
    ) -> Option<Source> {
        if self.names.get(name) == Binding::None {
            let text = special_text(self, name, component);
            if let Some(special) = SpecialRegister::from_name(&text) {
                self.judge_special(special, span);
                return self.special(site, plan, span, special, ty, fit);
            }
        }
        let register = self.component(site, name, component, span)?;
        self.fit(site, span, register, ty, fit)?;
        Some(Source::Register(register))
    }

    /// The address of a variable or function, with an offset. Every integer operand takes a sum and the name of a
    /// function; the bare name of a variable only moves and conversions of addresses take (assembler 13.5).
    fn sum(
        &mut self,
        site: &Site<'a>,
        (plan, takes): (&'a Plan, AddressRule),
        span: Span,
        (name, offset): (Name, i64),
        ty: ScalarType,
    ) -> Option<Source> {
        let binding = self.binding(name, span);
        let problem = match binding {
            Binding::Variable(_)
                if ty.is_float() || matches!(ty, ScalarType::U16x2 | ScalarType::S16x2) =>
            {
                diagnose::address_of_type(self.opcode(site), span, ty)
            }
            _ if ty == ScalarType::Pred => diagnose::address_of_type(self.opcode(site), span, ty),
            Binding::Variable(variable) if plan.takes_address || takes == AddressRule::Sums => {
                return Some(Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                });
            }
            Binding::Variable(_) => {
                diagnose::expected_register(self.opcode(site), span, "a variable")
            }
            Binding::Function(function) if takes == AddressRule::Names => {
                return Some(Source::FunctionAddress(function));
            }
            Binding::None => {
                self.unknown(span);
                return None;
            }
            _ => diagnose::expected_value(self.opcode(site), span, ty, "an expression over a name"),
        };
        self.report(problem);
        None
    }

    fn integer(
        &mut self,
        site: &Site<'a>,
        span: Span,
        value: u64,
        ty: ScalarType,
    ) -> Option<Source> {
        if ty == ScalarType::Pred {
            return Some(Source::Immediate(u64::from(value != 0)));
        }
        if ty.is_float() {
            self.report(diagnose::literal_type(
                self.opcode(site),
                span,
                "an integer",
                ty,
                self.source,
            ));
            return None;
        }
        Some(Source::Immediate(truncated(value, ty)))
    }

    fn single(&mut self, site: &Site<'a>, span: Span, bits: u32, ty: ScalarType) -> Option<Source> {
        match ty {
            ScalarType::F32 | ScalarType::B32 => Some(Source::Immediate(bits.into())),
            // Widened exactly (assembler 13.5).
            ScalarType::F64 => {
                let wide = f64::from(f32::from_bits(bits));
                Some(Source::Immediate(wide.to_bits()))
            }
            _ => {
                let problem =
                    diagnose::literal_type(self.opcode(site), span, "a single", ty, self.source);
                self.report(problem);
                None
            }
        }
    }

    fn double(&mut self, site: &Site<'a>, span: Span, bits: u64, ty: ScalarType) -> Option<Source> {
        match ty {
            ScalarType::F64 | ScalarType::B64 => Some(Source::Immediate(bits)),
            ScalarType::F32 => Some(Source::Immediate(u64::from(
                (f64::from_bits(bits) as f32).to_bits(),
            ))),
            _ => {
                let problem =
                    diagnose::literal_type(self.opcode(site), span, "a double", ty, self.source);
                self.report(problem);
                None
            }
        }
    }

    fn pair(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
        rule: PairRule,
    ) -> Option<Value> {
        let OperandKind::Pair { first, second } = operand.kind else {
            if rule == PairRule::Required {
                self.report(diagnose::expected_pair(self.opcode(site), operand.span));
                return None;
            }
            return match self.destination(site, operand, ty, Fit::Exact)? {
                Value::Destination(register) => Some(Value::Pair(Some(register), None)),
                _ => Some(Value::Pair(None, None)),
            };
        };
        let half = |checker: &mut Self, name: Option<Name>, ty| match name {
            None => Some(None),
            Some(name) => {
                let register = checker.register(site, name, operand.span)?;
                checker.fit(site, operand.span, register, ty, Fit::Exact)?;
                Some(Some(register))
            }
        };
        let first = half(self, first, ty);
        let second = half(self, second, ScalarType::Pred);
        Some(Value::Pair(first?, second?))
    }

    pub(crate) fn predicate(&mut self, site: &Site<'a>, operand: &Operand) -> Option<Value> {
        let (name, negated) = match operand.kind {
            OperandKind::Name(name) => (name, false),
            OperandKind::Not(name) => (name, true),
            OperandKind::Integer { value, .. } => {
                return Some(Value::Predicate {
                    source: Source::Immediate(u64::from(value != 0)),
                    negated: false,
                });
            }
            OperandKind::Error => return None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_value(
                    self.opcode(site),
                    operand.span,
                    ScalarType::Pred,
                    found,
                ));
                return None;
            }
        };
        let register = self.register(site, name, operand.span)?;
        self.fit(site, operand.span, register, ScalarType::Pred, Fit::Exact)?;
        Some(Value::Predicate {
            source: Source::Register(register),
            negated,
        })
    }

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
                return Some(Address {
                    base: AddressBase::None,
                    offset: value,
                });
            }
            OperandKind::Error => return None,
            _ => {
                self.report(diagnose::expected_address(self.opcode(site), operand.span));
                return None;
            }
        };
        let base = self.address_base(site, plan, operand, name)?;
        Some(Address { base, offset })
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
            return Some(AddressBase::Register(register));
        }
        let span = self.name_span(operand, name);
        match binding {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                if !ty.is_integer() {
                    self.report(diagnose::address_type(self.opcode(site), span, ty));
                    return None;
                }
                let space = plan.kind.space();
                if ty.width_bits() < self.module.address_bits
                    && plan.kind.needs_whole_addresses()
                    && matches!(space, StateSpace::Generic | StateSpace::Global)
                {
                    self.report(diagnose::narrow_address(self.opcode(site), span, ty));
                    return (ty.width_bits() < 32).then_some(AddressBase::Register(register));
                }
                Some(AddressBase::Register(register))
            }
            Binding::Variable(variable) => {
                let space = self.space_of(variable);
                if !plan.kind.takes_space(space) {
                    self.report(diagnose::space_mismatch(
                        self.opcode(site),
                        span,
                        space,
                        plan.kind.space(),
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
                let found = diagnose::describe_binding(other);
                self.report(diagnose::expected_register(self.opcode(site), span, found));
            }
        }
        None
    }

    fn component(
        &mut self,
        site: &Site<'a>,
        name: Name,
        component: Component,
        span: Span,
    ) -> Option<RegisterId> {
        match self.binding(name, span) {
            Binding::Vector { first, n } if component.index() < usize::from(n) => {
                return Some(RegisterId(first.0 + component.index() as u32));
            }
            Binding::None => self.unknown(span),
            _ => self.report(diagnose::no_component(self.opcode(site), span)),
        }
        None
    }

    /// What a name stands for; registers of groups are made here, when they are first named.
    #[inline]
    pub(crate) fn binding(&mut self, name: Name, span: Span) -> Binding {
        match self.names.get(name) {
            Binding::Group(group) => self.make_register(name, group),
            Binding::None => self.binding_of_text(name, span),
            found => found,
        }
    }

    /// The same where an address stands: a snippet may use one name as an address here and a value there.
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
        let binding = self.add_register(text, group.ty, group.n);
        self.names.bind_member(name, binding, group);
        binding
    }

    /// Makes a register, or the registers of a vector.
    pub(crate) fn add_register(&mut self, name: String, ty: ScalarType, n: u8) -> Binding {
        if n <= 1 {
            return Binding::Register(self.body.add_register(name, ty));
        }
        let first = self.body.add_register(format!("{name}.x"), ty);
        for component in ["y", "z", "w"].iter().take(usize::from(n) - 1) {
            self.body.add_register(format!("{name}.{component}"), ty);
        }
        Binding::Vector { first, n }
    }

    /// Names that the table does not hold as they are: special registers, and numbers with leading zeros, which
    /// count as the plain number (assembler 13.5).
    fn binding_of_text(&mut self, name: Name, span: Span) -> Binding {
        let text = self.name_text(name);
        if let Some(special) = SpecialRegister::from_name(&text) {
            self.judge_special(special, span);
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
    pub(crate) fn judge_special(&mut self, special: SpecialRegister, span: Span) {
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

    /// Compares a register with the type that the instruction wants.
    #[inline]
    pub(crate) fn fit(
        &mut self,
        site: &Site<'a>,
        span: Span,
        register: RegisterId,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<()> {
        let have = self.body.type_of(register);
        if fits(have, ty, fit) {
            return Some(());
        }
        self.report(diagnose::type_mismatch(self.opcode(site), span, have, ty));
        None
    }

    /// Reports a name that nothing declares.
    pub(crate) fn unknown(&mut self, span: Span) {
        if self.diagnostics.is_full() {
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

    /// The opcode of an instruction as written.
    pub(crate) fn opcode(&self, site: &Site<'a>) -> &'a str {
        self.tree.mnemonic_span(site.instruction).text(self.source)
    }
}

/// The most names compared with a misspelled one.
const MAX_CANDIDATES: usize = 4096;

fn special_text(checker: &Checker<'_>, name: Name, component: Component) -> String {
    let letter = ["x", "y", "z", "w"].get(component.index()).unwrap_or(&"x");
    format!("{}.{letter}", checker.name_text(name))
}

fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}
