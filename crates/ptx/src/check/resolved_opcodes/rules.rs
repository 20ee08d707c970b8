//! Checks of the rules for combinations of modifiers of one opcode, which the bound form contains as data. Diagnostics refer to the
//! offending modifier, and to the modifier with which it conflicts.

use crate::diagnostics::rules as diagnose;
use crate::diagnostics::rules::RuleContext;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::{BindError, BoundForm, RuleKind, SlotPredicate, WideAccess};
use warpgrid_program::{Diagnostic, Severity};

/// Returns the violated rules of the form in the order of the table. The operand check examines the rules for vector widths.
pub(crate) fn find_broken(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    find_some(opcode, bound, module, |kind| {
        !matches!(kind, RuleKind::VectorBits { .. })
    })
}

/// Returns the violated rules for the total width of all elements.
pub(crate) fn find_too_wide(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    find_some(opcode, bound, module, |kind| {
        matches!(kind, RuleKind::VectorBits { .. })
    })
}

fn find_some(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
    which: impl Fn(&RuleKind) -> bool,
) -> Vec<Diagnostic> {
    let rules = bound.layout.form.rules.iter();
    rules
        .filter(|rule| which(&rule.kind))
        .filter_map(|rule| {
            let case = RuleContext {
                opcode,
                bound,
                module,
                rule,
            };
            case.problem()
        })
        .collect()
}

/// Returns whether no additional modifier can make the opcode legal, because the opcode contains mutually exclusive modifiers.
pub(crate) fn is_hopeless(opcode: &Opcode<'_>, bound: &BoundForm, module: &TargetContext) -> bool {
    let found = find_some(opcode, bound, module, |kind| {
        matches!(
            kind,
            RuleKind::Conflict { .. }
                | RuleKind::Restricts { .. }
                | RuleKind::CombinationGate { .. }
                | RuleKind::ValueGate { .. }
                | RuleKind::Before { .. }
                | RuleKind::VectorBits { .. }
        )
    });
    let is_misplaced = bound.misplaced_lead().is_some();
    is_misplaced || found.iter().any(|d| d.severity == Severity::Error)
}

/// Returns the reason why the form rejects a modifier, if a rule specifies a reason.
pub(crate) fn refusal(bound: &BoundForm, text: &str) -> Option<&'static str> {
    let mut rules = bound.layout.form.rules.iter();
    rules.find_map(|rule| match rule.kind {
        RuleKind::ForeignModifier { words } if words.contains(&text) => Some(rule.reason),
        _ => None,
    })
}

impl<'a> RuleContext<'a> {
    fn problem(&self) -> Option<Diagnostic> {
        match self.rule.kind {
            RuleKind::Conflict { a, b } => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                Some(diagnose::clash(self, a, b))
            }
            RuleKind::Requires { when, slot, among } => {
                let word = self.word(when)?;
                match self.filler(slot) {
                    None => Some(diagnose::needs(self, word, slot, among)),
                    Some((other, text)) => (!among.is_empty() && !among.contains(&text))
                        .then(|| diagnose::not_among(self, word, other, slot, among)),
                }
            }
            RuleKind::Restricts { when, slot, among } => {
                let word = self.word(when)?;
                let (other, text) = self.filler(slot)?;
                (!among.contains(&text))
                    .then(|| diagnose::not_among(self, word, other, slot, among))
            }
            RuleKind::CombinationGate { a, b, gate } => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                (!self.module.meets(gate)).then(|| diagnose::together(self, a, b, gate))
            }
            RuleKind::ValueGate { when, gate } => {
                let word = self.word(when)?;
                // Do not report the violation of a rule from the manual if the assembler rejects the modifier itself.
                let is_refused = self
                    .bound
                    .gates()
                    .any(|(place, gate)| place == Some(word) && !self.module.meets(gate));
                (!is_refused && !self.module.meets(gate)).then(|| diagnose::from(self, word, gate))
            }
            RuleKind::OmissionGate { slot, gate } => {
                (!self.bound.has(slot) && !self.is_complained(slot) && !self.module.meets(gate))
                    .then(|| diagnose::empty(self, slot, gate))
            }
            RuleKind::VectorBits { most, wide } => self.vector_bits(most, wide),
            RuleKind::WideOnly { when, wide } => {
                let word = self.word(when)?;
                (!self.is_wide(wide)).then(|| diagnose::wide_only(self, word, wide))
            }
            RuleKind::Before { first, second } => {
                let (a, b) = (self.bound.word(first)?, self.bound.word(second)?);
                (b < a).then(|| diagnose::wrong_order(self, a, b))
            }
            RuleKind::ForeignModifier { .. } => None,
        }
    }

    fn vector_bits(&self, most: u32, wide: &'static WideAccess) -> Option<Diagnostic> {
        let ty = self.bound.scalar(SlotName::Type)?;
        let (word, text) = self.filler(SlotName::Vector)?;
        if !self.is_wide(wide) {
            let n: u32 = text.trim_start_matches('v').parse().ok()?;
            let bits = n * ty.width_bits();
            return (bits > most).then(|| diagnose::too_wide(self, word, bits, most));
        }
        // If no version and target support this vector width in the state space, report the state space instead of a version or target.
        if let Some((space, text)) = self.filler(SlotName::Space)
            && !wide.spaces.contains(&text)
        {
            return Some(diagnose::wide_space(self, word, space, wide));
        }
        (!self.module.meets(wide.gate)).then(|| diagnose::wide_gate(self, word, wide))
    }

    fn is_wide(&self, wide: &WideAccess) -> bool {
        let width_bits = self
            .bound
            .scalar(SlotName::Type)
            .map_or(0, |ty| ty.width_bits());
        wide.has(self.bound.text(SlotName::Vector), width_bits)
    }

    /// Returns whether a rejected modifier was probably intended for the slot, so that the slot is not reported as empty.
    fn is_complained(&self, slot: SlotName) -> bool {
        slot == SlotName::Space
            && self
                .bound
                .complaints
                .iter()
                .any(|complaint| match complaint {
                    BindError::Unknown { word } | BindError::Illegal { word } => {
                        let text = self.opcode.modifier(*word);
                        matches!(text, "const" | "param::entry")
                            || warpgrid_isa::form::nearest(text, SPACES.iter().copied()).is_some()
                    }
                    _ => false,
                })
    }

    /// Returns the index of the modifier that satisfies a slot predicate.
    fn word(&self, pick: SlotPredicate) -> Option<usize> {
        let (word, text) = self.filler(pick.slot)?;
        pick.holds(Some(text)).then_some(word)
    }

    fn filler(&self, slot: SlotName) -> Option<(usize, &'static str)> {
        self.bound.spelled(slot)
    }
}

/// State spaces that a misspelled modifier may denote.
const SPACES: &[&str] = &["global", "shared", "local", "param", "shared::cta"];
