//! Resolution of operands: resolves names to registers, converts literals to bits, and compares types with the types that the resolved
//! opcode expects.

pub(crate) mod b32_operand;
pub(crate) mod destination;
pub(crate) mod name;
pub(crate) mod source;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::units::UnitOperandSpec;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::check::resolved_opcodes::resolved_opcode::{
    OperandExpectation, PairRule, ResolvedOpcode,
};
use crate::diagnostics::check as diagnose;
use crate::tree::Instruction;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, Operands};
use std::ops::RangeInclusive;
use warpgrid_isa::form::ImmediateRange;
use warpgrid_isa::{MemoryOp, OperandExtension, ScalarType, StateSpace, TypeMatch};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Source, Span};

/// Instruction of the syntax tree, with its operands and its resolved opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstructionSite<'t> {
    pub(crate) instruction: &'t Instruction,
    pub(crate) plan: &'t ResolvedOpcode,
    /// Span from the guard to the semicolon.
    pub(crate) span: Span,
    pub(crate) operands: Operands<'t>,
}

impl<'t> InstructionSite<'t> {
    pub(crate) fn operand(&self, index: usize) -> Option<(&'t Operand, Operands<'t>)> {
        self.operands.clone().nth(index)
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Resolves the operands in the order of the table row. Returns `None` after an error has been reported.
    pub(crate) fn resolve(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let start = self.body.operands.len();
        // If the instruction omits its optional middle operand, insert an absent operand in its place, so that the operands after it retain
        // their positions.
        let is_short = || site.operands.count() <= site.plan.min_operands;
        let gap = site.plan.optional_middle_operand.filter(|_| is_short());
        let leaves_out = gap.is_some()
            || site.plan.absent_operands != 0
            || site.plan.disable_lane_operand.is_some();
        let mut ok = true;
        let (mut n, mut n_skipped) = (0, 0);
        let mut position = 0;
        for (operand, children) in site.operands {
            if let OperandKind::Resident(_) = operand.kind
                && site.plan.has_residency()
            {
                ok &= self.residency(operand).is_some();
                continue;
            }
            n += 1;
            while leaves_out && (Some(position) == gap || is_left_out(site, operand, position)) {
                n_skipped += usize::from(site.plan.disable_lane_operand == Some(position));
                self.body.push(OperandValue::Absent, operand.span);
                position += 1;
            }
            if position < site.plan.n_slots
                && let Some(expect) = site.plan.expect.get(position)
            {
                // Fast path for source operands, which avoids the call of the function that handles all kinds of operands and has an
                // expensive prologue.
                let value = match *expect {
                    OperandExpectation::Source(ty, fit) => {
                        self.source(site, operand, ty, fit).map(source)
                    }
                    expect => self.resolve_one(site, expect, operand, children),
                };
                match value {
                    Some(value) => self.body.push(value, operand.span),
                    None => ok = false,
                }
            }
            position += 1;
        }
        if n < site.plan.min_operands || n + n_skipped > site.plan.max_operands {
            self.report_count(site, n, site.plan.min_operands..=site.plan.max_operands);
            return None;
        }
        if !ok {
            return None;
        }
        self.fill_operands(site, start);
        Some(())
    }

    /// Appends an absent operand for each optional operand that is omitted at the end of the instruction, so that all instructions of a
    /// table row have the same operand positions.
    #[inline]
    pub(crate) fn fill_operands(&mut self, site: &InstructionSite<'a>, start: usize) {
        for _ in self.body.operands.len()..start + site.plan.n_slots {
            self.body
                .push(OperandValue::Absent, Span::at(site.span.end));
        }
    }

    /// Reports an invalid number of operands.
    pub(crate) fn count_operands(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let n = site.operands.count();
        if n < site.plan.min_operands || n > site.plan.max_operands {
            self.report_count(site, n, site.plan.min_operands..=site.plan.max_operands);
            return None;
        }
        Some(())
    }

    /// Reports that the number `n` of operands of an instruction is not within `counts`.
    #[cold]
    pub(crate) fn report_count(
        &mut self,
        site: &InstructionSite<'a>,
        n: usize,
        counts: RangeInclusive<usize>,
    ) {
        let span = self.tree.mnemonic_span(site.instruction);
        let syntax = site
            .plan
            .bound
            .as_ref()
            .map_or("", |bound| bound.layout.form.syntax);
        let opcode = self.opcode(site);
        self.report(diagnose::operand_count(opcode, span, n, counts, syntax));
    }

    #[inline(never)]
    fn resolve_one(
        &mut self,
        site: &InstructionSite<'a>,
        expect: OperandExpectation,
        operand: &'a Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let may_be_words = matches!(
            expect,
            OperandExpectation::Number(ImmediateRange::Within(..))
                | OperandExpectation::SingleSource(_)
        );
        if site.plan.takes_four_words && may_be_words && self.is_four_words(operand, children) {
            return self.not_said().map(source);
        }
        match expect {
            OperandExpectation::Destination(ty, fit) => {
                match self.written(site, operand, ty, fit)? {
                    None if !site.plan.takes_sink => {
                        self.report_sink(site, operand);
                        None
                    }
                    register => Some(OperandValue::Destination(register.map(RegisterTuple::one))),
                }
            }
            OperandExpectation::Destinations(ty) => self.destinations(site, ty, operand, children),
            OperandExpectation::Elements(ty) => {
                let (n, fit) = (site.plan.modifiers.n_elements(), TypeMatch::Exact);
                self.vector_destinations(site, operand, children, ty, fit, n)
            }
            OperandExpectation::Sources(ty, n) => {
                self.vector_sources(site, (operand, children), ty, n)
            }
            OperandExpectation::OwnDestination(ty) => self.own_destination(site, operand, ty),
            OperandExpectation::Row(role) => self.row(site, operand, role),
            OperandExpectation::OwnSource(ty) => self.own_source(operand, ty),
            OperandExpectation::SingleSource(ty) => self.single_source(site, operand, ty),
            OperandExpectation::Number(rule) => self.bounded(site, operand, rule),
            OperandExpectation::AnyAddress => {
                let ty = self.width_of_address(operand);
                Some(source(self.source(
                    site,
                    operand,
                    ty,
                    TypeMatch::Integer,
                )?))
            }
            OperandExpectation::Source(ty, fit) => {
                Some(source(self.source(site, operand, ty, fit)?))
            }
            OperandExpectation::Literal(ty) => self.literal(site, operand, ty),
            OperandExpectation::Pair(ty, rule) => self.pair(site, operand, ty, rule),
            OperandExpectation::Predicate => self.predicate(site, operand),
            OperandExpectation::Address if self.is_unused_address(site.plan, operand) => {
                self.not_said().map(source)
            }
            OperandExpectation::Address => self.address(site, operand).map(OperandValue::Address),
            OperandExpectation::AddressIn(space) => self
                .address_in(site, operand, space)
                .map(OperandValue::Address),
            OperandExpectation::MbarrierIn(space) => self.mbarrier(site, operand, space),
            OperandExpectation::Unit(what, role) => {
                self.unit_operand(site, UnitOperandSpec { what, role }, (operand, children))
            }
            OperandExpectation::Custom => Some(OperandValue::Absent),
        }
    }

    #[cold]
    pub(crate) fn report_sink(&mut self, site: &InstructionSite<'a>, operand: &Operand) {
        self.report(diagnose::sink_not_allowed(self.opcode(site), operand.span));
    }

    fn literal(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let value = self.source(site, operand, ty, TypeMatch::Integer)?;
        if let Source::Immediate(_) = value {
            return Some(source(value));
        }
        let problem = diagnose::literal_expected(operand.span);
        self.report(problem);
        None
    }

    /// Checks the fraction operand of an access property.
    fn fraction(&mut self, site: &InstructionSite<'a>, operand: &Operand) -> Option<OperandValue> {
        let value = self.source(site, operand, ScalarType::F32, TypeMatch::Exact)?;
        if let Source::Immediate(bits) = value {
            let fraction = f32::from_bits(bits as u32);
            if !(fraction > 0.0 && fraction <= 1.0) {
                let opcode = self.opcode(site);
                self.report(diagnose::not_a_fraction(opcode, operand.span, fraction));
                return None;
            }
        }
        Some(source(value))
    }

    /// Checks a literal whose range is limited by the table row.
    fn bounded(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &'a Operand,
        rule: ImmediateRange,
    ) -> Option<OperandValue> {
        match rule {
            ImmediateRange::Fraction => self.fraction(site, operand),
            ImmediateRange::Between(least, most) => self.number(site, operand, least..=most),
            ImmediateRange::Multiple(of, least, most) => {
                let value = self.number(site, operand, least..=most)?;
                self.multiple(site, operand, value, of)
            }
            ImmediateRange::UpTo(most) => self.up_to(site, operand, most),
            ImmediateRange::Within(least, most) => {
                let value = self.source(site, operand, ScalarType::U32, TypeMatch::Integer)?;
                let range = u64::from(least)..=u64::from(most);
                self.in_range(site, operand, source(value), range)
            }
            ImmediateRange::MultipleUpTo(of, most) => {
                let value = self.up_to(site, operand, most)?;
                self.multiple(site, operand, value, of)
            }
            ImmediateRange::PredicateOrUpTo(_) if self.is_predicate(operand) => {
                self.predicate(site, operand)
            }
            ImmediateRange::PredicateOrUpTo(most) => self.up_to(site, operand, most),
        }
    }

    /// Checks that a literal is within a range.
    fn number(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        range: RangeInclusive<u64>,
    ) -> Option<OperandValue> {
        let value = self.literal(site, operand, ScalarType::U64)?;
        self.in_range(site, operand, value, range)
    }

    /// Checks a 32-bit integer operand. A literal must not exceed `most`.
    fn up_to(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        most: u64,
    ) -> Option<OperandValue> {
        let value = match operand.kind {
            // Use the full value of the literal, so that the check precedes the truncation to 32 bits.
            OperandKind::Integer { value, .. } => Source::Immediate(value),
            _ => self.source(site, operand, ScalarType::U32, TypeMatch::Integer)?,
        };
        self.in_range(site, operand, source(value), 0..=most)
    }

    /// Returns whether an operand is a predicate or a negated predicate.
    pub(crate) fn is_predicate(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Not(_) => true,
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Register(register) => self.body.type_of(register) == ScalarType::Pred,
                _ => false,
            },
            _ => false,
        }
    }

    /// Checks that a literal operand is a multiple of `of`.
    fn multiple(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        value: OperandValue,
        of: u64,
    ) -> Option<OperandValue> {
        if let OperandValue::Source(Source::Immediate(number), _) = value
            && !number.is_multiple_of(of)
        {
            let opcode = self.opcode(site);
            self.report(diagnose::not_a_multiple(opcode, operand.span, number, of));
            return None;
        }
        Some(value)
    }

    fn in_range(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        value: OperandValue,
        range: RangeInclusive<u64>,
    ) -> Option<OperandValue> {
        if let OperandValue::Source(Source::Immediate(number), _) = value
            && !range.contains(&number)
        {
            let opcode = self.opcode(site);
            let written = operand.span.text(self.source);
            self.report(diagnose::out_of_range(opcode, operand.span, written, range));
            return None;
        }
        Some(value)
    }

    /// Returns the type of an address operand whose register is read as a value. The type has the width of the register.
    fn width_of_address(&mut self, operand: &Operand) -> ScalarType {
        let OperandKind::Name(name) = operand.kind else {
            return ScalarType::U64;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) if self.body.type_of(register).width_bits() == 32 => {
                ScalarType::U32
            }
            _ => ScalarType::U64,
        }
    }

    fn pair(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
        rule: PairRule,
    ) -> Option<OperandValue> {
        let OperandKind::Pair { first, second } = operand.kind else {
            if rule == PairRule::Required {
                self.report(diagnose::expected_pair(operand.span));
                return None;
            }
            let register = self.written(site, operand, ty, TypeMatch::Exact)?;
            if register.is_none() && !site.plan.takes_sink {
                self.report_sink(site, operand);
                return None;
            }
            return Some(OperandValue::Pair(register.map(RegisterTuple::one), None));
        };
        if second.is_none() && rule == PairRule::Required {
            self.report(diagnose::expected_pair(operand.span));
            return None;
        }
        if first.is_none() && !site.plan.takes_sink {
            self.report_sink(site, operand);
            return None;
        }
        let half = |checker: &mut Self, name: Option<Name>, ty| match name {
            None => Some(None),
            Some(name) => {
                let register = checker.register(site, name, operand.span)?;
                checker.fit(operand.span, register, ty, TypeMatch::Exact)?;
                Some(Some(register))
            }
        };
        let first = half(self, first, ty);
        let second = half(self, second, ScalarType::Pred);
        Some(OperandValue::Pair(first?.map(RegisterTuple::one), second?))
    }

    /// Checks a source predicate, which may be negated by `!`.
    pub(crate) fn predicate(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
    ) -> Option<OperandValue> {
        let (name, negated) = match operand.kind {
            OperandKind::Name(name) => (name, false),
            OperandKind::Not(name) => (name, true),
            OperandKind::Integer { value, .. } if !self.compares_brain() => {
                return Some(OperandValue::Predicate {
                    source: Source::Immediate(u64::from(value != 0)),
                    negated: false,
                });
            }
            OperandKind::Error => return None,
            _ => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_value(
                    operand.span,
                    ScalarType::Pred,
                    found,
                ));
                return None;
            }
        };
        if let Binding::Special(_) = self.binding(name, operand.span)
            && site.plan.takes_special
        {
            let plain = Operand {
                kind: OperandKind::Name(name),
                ..*operand
            };
            let source = self.source(site, &plain, ScalarType::Pred, TypeMatch::Exact)?;
            return Some(OperandValue::Predicate { source, negated });
        }
        let predicate = self.register(site, name, operand.span)?;
        self.fit(operand.span, predicate, ScalarType::Pred, TypeMatch::Exact)?;
        Some(OperandValue::Predicate {
            source: register(predicate),
            negated,
        })
    }

    /// Returns whether the current instruction is a comparison of `.bf16` values. Such an instruction does not accept a literal as a
    /// predicate (assembler 13.5).
    #[cold]
    fn compares_brain(&self) -> bool {
        let plan = self.plans.get(self.body.mnemonic);
        plan.is_some_and(|plan| {
            plan.grammar == OperandGrammar::Row(ExtraOperandCheck::BrainComparison)
        })
    }

    /// Returns whether the operand is a sink `_` that replaces the address of a reduction in shared memory. Assembler 13.5 accepts the
    /// sink, because it parses the instruction as an atomic operation whose result is unused.
    #[inline]
    fn is_unused_address(&self, plan: &ResolvedOpcode, operand: &Operand) -> bool {
        operand.kind == OperandKind::Sink
            && plan.operation.memory().is_some_and(MemoryOp::is_reduction)
            && plan.modifiers.vector.is_none()
            && matches!(plan.space(), StateSpace::Shared | StateSpace::SharedCluster)
    }

    /// Compares the type of a register with the type that the instruction expects.
    #[inline]
    pub(crate) fn fit(
        &mut self,
        span: Span,
        register: RegisterId,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<()> {
        let have = self.body.type_of(register);
        if ty.accepts_register(have, fit) {
            return Some(());
        }
        if ty == ScalarType::Pred && have == ScalarType::F16x2 && self.takes_halves() {
            // The assembler accepts a `.f16x2` register as a predicate, but the program representation cannot express this operand.
            self.body.is_representable = false;
            return Some(());
        }
        self.report(diagnose::type_mismatch(span, have, ty));
        None
    }

    /// Returns whether the predicate operands of the current instruction may be `.f16x2` registers.
    #[cold]
    fn takes_halves(&self) -> bool {
        let plan = self.plans.get(self.body.mnemonic);
        let bound = plan.and_then(|plan| plan.bound.as_ref());
        bound.is_some_and(|bound| {
            bound
                .layout
                .form
                .operand_extensions(OperandExtension::Halves)
        })
    }

    /// Returns the opcode of an instruction in its source spelling.
    pub(crate) fn opcode(&self, site: &InstructionSite<'a>) -> &'a str {
        self.tree.mnemonic_span(site.instruction).text(self.source)
    }
}

/// Returns whether the instruction omits the optional operand at `position` of the table row, so that `operand` belongs to a later
/// position.
#[cold]
fn is_left_out(site: &InstructionSite<'_>, operand: &Operand, position: usize) -> bool {
    let are_lanes_left_out = || {
        !matches!(operand.kind, OperandKind::Vector { .. })
            && (site.operands.count() < site.plan.max_operands
                || site.plan.max_operands - site.plan.min_operands < 2)
    };
    site.plan.absent_operands >> position.min(31) & 1 != 0
        || site.plan.disable_lane_operand == Some(position) && are_lanes_left_out()
}
