//! Resolves operands: names to registers, literals to bits, types compared. In: tree operands and what the plan
//! expects; out: operands of the program.

pub(crate) mod destination;
pub(crate) mod name;
pub(crate) mod source;
pub(crate) mod word;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::units::UnitSlot;
use crate::check::names::binding::Binding;
use crate::check::plans::families::{Beyond, OperandGrammar};
use crate::check::plans::plan::{Expect, PairRule, Plan};
use crate::diagnostics::check as diagnose;
use crate::tree::Instruction;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, Operands};
use std::ops::RangeInclusive;
use warpgrid_isa::form::NumberRule;
use warpgrid_isa::{Fit, MemoryOp, ScalarType, StateSpace, Takes};
use warpgrid_program::{OperandValue, RegisterId, RegisterRun, Source, Span};

/// An instruction and its operands in the tree, and what the row of its spelling says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'t> {
    pub(crate) instruction: &'t Instruction,
    pub(crate) plan: &'t Plan,
    /// Guard to semicolon.
    pub(crate) span: Span,
    pub(crate) operands: Operands<'t>,
}

impl<'t> Site<'t> {
    pub(crate) fn operand(&self, index: usize) -> Option<(&'t Operand, Operands<'t>)> {
        self.operands.clone().nth(index)
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Resolves every operand of the row, in its order; `None` when something was reported.
    pub(crate) fn resolve(&mut self, site: &Site<'a>) -> Option<()> {
        let start = self.body.operands.len();
        // An operand in the midst is left out: those after it move up.
        let is_short = || site.operands.count() <= site.plan.n_least;
        let gap = site.plan.gap.filter(|_| is_short());
        let leaves_out = gap.is_some() || site.plan.skipped != 0 || site.plan.lanes.is_some();
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
                n_skipped += usize::from(site.plan.lanes == Some(position));
                self.body.push(OperandValue::Absent, operand.span);
                position += 1;
            }
            if position < site.plan.n_slots
                && let Some(expect) = site.plan.expect.get(position)
            {
                // What most operands are comes first, beside the function that has all kinds in it and is slow to enter.
                let value = match *expect {
                    Expect::Source(ty, fit) => self.source(site, operand, ty, fit).map(source),
                    expect => self.resolve_one(site, expect, operand, children),
                };
                match value {
                    Some(value) => self.body.push(value, operand.span),
                    None => ok = false,
                }
            }
            position += 1;
        }
        if n < site.plan.n_least || n + n_skipped > site.plan.n_most {
            self.report_count(site, n, site.plan.n_least..=site.plan.n_most);
            return None;
        }
        if !ok {
            return None;
        }
        self.fill_operands(site, start);
        Some(())
    }

    /// Marks the optional operands at the end that are left out, so that positions are the same in all instructions of
    /// a row.
    #[inline]
    pub(crate) fn fill_operands(&mut self, site: &Site<'a>, start: usize) {
        for _ in self.body.operands.len()..start + site.plan.n_slots {
            self.body
                .push(OperandValue::Absent, Span::at(site.span.end));
        }
    }

    /// Reports a number of operands that the row does not have.
    pub(crate) fn count_operands(&mut self, site: &Site<'a>) -> Option<()> {
        let n = site.operands.count();
        if n < site.plan.n_least || n > site.plan.n_most {
            self.report_count(site, n, site.plan.n_least..=site.plan.n_most);
            return None;
        }
        Some(())
    }

    /// Reports that an instruction has `n` operands, which is none of these counts.
    #[cold]
    pub(crate) fn report_count(
        &mut self,
        site: &Site<'a>,
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
        site: &Site<'a>,
        expect: Expect,
        operand: &'a Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let may_be_words = matches!(
            expect,
            Expect::Number(NumberRule::Within(..)) | Expect::SingleSource(_)
        );
        if site.plan.takes_four_words && may_be_words && self.is_four_words(operand, children) {
            return self.not_said().map(source);
        }
        match expect {
            Expect::Destination(ty, fit) => match self.written(site, operand, ty, fit)? {
                None if !site.plan.takes_sink => {
                    self.report_sink(site, operand);
                    None
                }
                register => Some(OperandValue::Destination(register.map(RegisterRun::one))),
            },
            Expect::Destinations(ty) => self.destinations(site, ty, operand, children),
            Expect::Elements(ty) => {
                let (n, fit) = (site.plan.modifiers.n_elements(), Fit::Exact);
                self.vector_destinations(site, operand, children, ty, fit, n)
            }
            Expect::Sources(ty, n) => self.vector_sources(site, (operand, children), ty, n),
            Expect::OwnDestination(ty) => self.own_destination(site, operand, ty),
            Expect::Row(role) => self.row(site, operand, role),
            Expect::OwnSource(ty) => self.own_source(operand, ty),
            Expect::SingleSource(ty) => self.single_source(site, operand, ty),
            Expect::Number(rule) => self.bounded(site, operand, rule),
            Expect::AnyAddress => {
                let ty = self.width_of_address(operand);
                Some(source(self.source(site, operand, ty, Fit::Integer)?))
            }
            Expect::Source(ty, fit) => Some(source(self.source(site, operand, ty, fit)?)),
            Expect::Literal(ty) => self.literal(site, operand, ty),
            Expect::Pair(ty, rule) => self.pair(site, operand, ty, rule),
            Expect::Predicate => self.predicate(site, operand),
            Expect::Address if self.is_unused_address(site.plan, operand) => {
                self.not_said().map(source)
            }
            Expect::Address => self.address(site, operand).map(OperandValue::Address),
            Expect::AddressIn(space) => self
                .address_in(site, operand, space)
                .map(OperandValue::Address),
            Expect::MbarrierIn(space) => self.mbarrier(site, operand, space),
            Expect::Unit(what, role) => {
                self.unit_operand(site, UnitSlot { what, role }, (operand, children))
            }
            Expect::Custom => Some(OperandValue::Absent),
        }
    }

    #[cold]
    pub(crate) fn report_sink(&mut self, site: &Site<'a>, operand: &Operand) {
        self.report(diagnose::sink_not_allowed(self.opcode(site), operand.span));
    }

    fn literal(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let value = self.source(site, operand, ty, Fit::Integer)?;
        if let Source::Immediate(_) = value {
            return Some(source(value));
        }
        let problem = diagnose::literal_expected(operand.span);
        self.report(problem);
        None
    }

    /// A fraction of all accesses.
    fn fraction(&mut self, site: &Site<'a>, operand: &Operand) -> Option<OperandValue> {
        let value = self.source(site, operand, ScalarType::F32, Fit::Exact)?;
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

    /// A number with bounds.
    fn bounded(
        &mut self,
        site: &Site<'a>,
        operand: &'a Operand,
        rule: NumberRule,
    ) -> Option<OperandValue> {
        match rule {
            NumberRule::Fraction => self.fraction(site, operand),
            NumberRule::Between(least, most) => self.number(site, operand, least..=most),
            NumberRule::Multiple(of, least, most) => {
                let value = self.number(site, operand, least..=most)?;
                self.multiple(site, operand, value, of)
            }
            NumberRule::UpTo(most) => self.up_to(site, operand, most),
            NumberRule::Within(least, most) => {
                let value = self.source(site, operand, ScalarType::U32, Fit::Integer)?;
                let range = u64::from(least)..=u64::from(most);
                self.in_range(site, operand, source(value), range)
            }
            NumberRule::MultipleUpTo(of, most) => {
                let value = self.up_to(site, operand, most)?;
                self.multiple(site, operand, value, of)
            }
            NumberRule::PredicateOrUpTo(_) if self.is_predicate(operand) => {
                self.predicate(site, operand)
            }
            NumberRule::PredicateOrUpTo(most) => self.up_to(site, operand, most),
        }
    }

    /// A number in a range.
    fn number(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        range: RangeInclusive<u64>,
    ) -> Option<OperandValue> {
        let value = self.literal(site, operand, ScalarType::U64)?;
        self.in_range(site, operand, value, range)
    }

    /// A 32-bit integer that, as a number, is at most so large.
    fn up_to(&mut self, site: &Site<'a>, operand: &Operand, most: u64) -> Option<OperandValue> {
        let value = match operand.kind {
            // Before it is cut to 32 bits.
            OperandKind::Integer { value, .. } => Source::Immediate(value),
            _ => self.source(site, operand, ScalarType::U32, Fit::Integer)?,
        };
        self.in_range(site, operand, source(value), 0..=most)
    }

    /// Whether an operand is a predicate or the opposite of one.
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

    /// A value that, as a number, is a multiple of `of`.
    fn multiple(
        &mut self,
        site: &Site<'a>,
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
        site: &Site<'a>,
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

    /// The type of an address that is a value: as wide as its register.
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
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
        rule: PairRule,
    ) -> Option<OperandValue> {
        let OperandKind::Pair { first, second } = operand.kind else {
            if rule == PairRule::Required {
                self.report(diagnose::expected_pair(operand.span));
                return None;
            }
            let register = self.written(site, operand, ty, Fit::Exact)?;
            if register.is_none() && !site.plan.takes_sink {
                self.report_sink(site, operand);
                return None;
            }
            return Some(OperandValue::Pair(register.map(RegisterRun::one), None));
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
                checker.fit(operand.span, register, ty, Fit::Exact)?;
                Some(Some(register))
            }
        };
        let first = half(self, first, ty);
        let second = half(self, second, ScalarType::Pred);
        Some(OperandValue::Pair(first?.map(RegisterRun::one), second?))
    }

    /// A predicate that is read, `!` allowed.
    pub(crate) fn predicate(&mut self, site: &Site<'a>, operand: &Operand) -> Option<OperandValue> {
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
            let source = self.source(site, &plain, ScalarType::Pred, Fit::Exact)?;
            return Some(OperandValue::Predicate { source, negated });
        }
        let predicate = self.register(site, name, operand.span)?;
        self.fit(operand.span, predicate, ScalarType::Pred, Fit::Exact)?;
        Some(OperandValue::Predicate {
            source: register(predicate),
            negated,
        })
    }

    /// Whether the instruction at hand compares `.bf16`, which takes no number for a predicate (assembler 13.5).
    #[cold]
    fn compares_brain(&self) -> bool {
        let plan = self.plans.get(self.body.mnemonic);
        plan.is_some_and(|plan| plan.grammar == OperandGrammar::Row(Beyond::BrainComparison))
    }

    /// Whether the sink is where a reduction in shared memory has its address, which the assembler (13.5) takes: there it
    /// reads the instruction as an atomic whose result is not used.
    #[inline]
    fn is_unused_address(&self, plan: &Plan, operand: &Operand) -> bool {
        operand.kind == OperandKind::Sink
            && plan.does.memory().is_some_and(MemoryOp::returns_nothing)
            && plan.modifiers.vector.is_none()
            && matches!(plan.space(), StateSpace::Shared | StateSpace::SharedCluster)
    }

    /// Compares a register with the type that the instruction expects.
    #[inline]
    pub(crate) fn fit(
        &mut self,
        span: Span,
        register: RegisterId,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<()> {
        let have = self.body.type_of(register);
        if ty.takes_register(have, fit) {
            return Some(());
        }
        if ty == ScalarType::Pred && have == ScalarType::F16x2 && self.takes_halves() {
            // Legal, but no predicate of a program has 32 bits.
            self.body.is_sayable = false;
            return Some(());
        }
        self.report(diagnose::type_mismatch(span, have, ty));
        None
    }

    /// Whether predicates of the instruction at hand may be packed halves.
    #[cold]
    fn takes_halves(&self) -> bool {
        let plan = self.plans.get(self.body.mnemonic);
        let bound = plan.and_then(|plan| plan.bound.as_ref());
        bound.is_some_and(|bound| bound.layout.form.takes(Takes::Halves))
    }

    /// The opcode of an instruction as written.
    pub(crate) fn opcode(&self, site: &Site<'a>) -> &'a str {
        self.tree.mnemonic_span(site.instruction).text(self.source)
    }
}

/// Whether the operand is not the one at the position of the row, which is left out before it.
#[cold]
fn is_left_out(site: &Site<'_>, operand: &Operand, position: usize) -> bool {
    let are_lanes_left_out = || {
        !matches!(operand.kind, OperandKind::Vector { .. })
            && (site.operands.count() < site.plan.n_most
                || site.plan.n_most - site.plan.n_least < 2)
    };
    site.plan.skipped >> position.min(31) & 1 != 0
        || site.plan.lanes == Some(position) && are_lanes_left_out()
}
