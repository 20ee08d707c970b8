//! Resolves operands: names to registers, literals to bits, types compared. In: tree operands and what the plan
//! expects; out: values that [`super::lower`] puts into an operation.

mod address;
mod name;
mod source;

use super::Checker;
use super::plan::{Expect, MAX_OPERANDS, PairRule, Plan};
use super::types::{Fit, fits};
use crate::diagnostics::check as diagnose;
use crate::tree::{Instruction, Name, Operand, OperandKind, Operands};
use warpgrid_isa::ScalarType;
use warpgrid_program::{Address, RegisterId, Source, Span};

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

    /// The opcode of an instruction as written.
    pub(crate) fn opcode(&self, site: &Site<'a>) -> &'a str {
        self.tree.mnemonic_span(site.instruction).text(self.source)
    }
}
