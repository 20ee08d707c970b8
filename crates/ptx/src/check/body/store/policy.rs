//! Cache policy of a store: the third operand, and the modifier that requires it.

use crate::check::body::checker::BodyChecker;
use crate::check::body::element::WARP_SZ;
use crate::check::body::lower::register as register_source;
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::diagnostics::store as diagnose;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_program::{Source, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the cache-policy operand. Returns `None` after an error has been reported, and `Some(None)` if the operand is absent.
    pub(crate) fn store_policy(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
    ) -> Option<Option<Source>> {
        let Some((operand, _)) = site.operand(2) else {
            let Some(hint) = self.place(site, store.hint_word) else {
                return Some(None);
            };
            let end = site.operand(1).map_or(hint.end, |(b, _)| b.span.end);
            self.report(diagnose::policy_missing(hint, end));
            return None;
        };
        if store.hint_word.is_none() && store.words_fit {
            return self.report_hint_missing(site, store);
        }
        self.policy_value(operand)
    }

    #[cold]
    fn report_hint_missing(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
    ) -> Option<Option<Source>> {
        let (operand, _) = site.operand(2)?;
        let from = site
            .operand(1)
            .map_or(operand.span.start, |(b, _)| b.span.end);
        let n_before = self.n_errors();
        // `policy_value` reports an operand that is not a cache policy. Do not offer the fix that adds the modifier for an operand that is
        // not a cache policy.
        self.policy_value(operand);
        let is_policy = self.n_errors() == n_before && self.can_hint(site);
        let first = self.tree.word_span(site.instruction, store.first_word + 1);
        let at = is_policy.then_some(Span::at(first.start.saturating_sub(1)));
        self.report(diagnose::hint_missing(operand.span, from, at));
        None
    }

    /// Returns the cache policy that an operand contains.
    fn policy_value(&mut self, operand: &Operand) -> Option<Option<Source>> {
        let register = match operand.kind {
            OperandKind::Integer { value, .. } => return Some(Some(Source::Immediate(value))),
            OperandKind::Name(name) if operand.span.text(self.source) != WARP_SZ => {
                match self.binding(name, operand.span) {
                    Binding::Register(register) => Some((register, None)),
                    Binding::Special(_) => {
                        self.report(diagnose::special_register(operand.span));
                        return None;
                    }
                    Binding::None => {
                        self.unknown(operand.span);
                        return None;
                    }
                    _ => None,
                }
            }
            OperandKind::Name(_) => return Some(Some(Source::Immediate(32))),
            OperandKind::Sum { name, offset } => match self.binding(name, operand.span) {
                Binding::Register(register) => Some((register, Some(offset))),
                _ => None,
            },
            OperandKind::Component { name, component } => match self.binding(name, operand.span) {
                Binding::Vector { first, n } if component.index() < usize::from(n) => Some((
                    warpgrid_program::RegisterId(first.0 + component.index() as u32),
                    None,
                )),
                _ => None,
            },
            OperandKind::Error => return None,
            _ => None,
        };
        let fits = register.filter(|(register, _)| {
            let ty = self.body.type_of(*register);
            ty.is_integer() && ty.width_bits() == 64
        });
        match fits {
            Some((register, None)) => Some(Some(register_source(register))),
            Some((register, Some(offset))) => {
                Some(Some(Source::RegisterOffset { register, offset }))
            }
            None => {
                self.report(diagnose::policy_type(operand.span));
                None
            }
        }
    }
}
