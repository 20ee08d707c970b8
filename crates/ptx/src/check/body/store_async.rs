//! Checks and lowers the operands of `st.async`.
//!
//! The rules depend mainly on the presence of an mbarrier operand. With an mbarrier, the assembler accepts types of at least 32 bits and
//! vectors, and generic addressing is equivalent to `.shared::cluster`. Without an mbarrier, the assembler also accepts 8-bit and 16-bit
//! types.

use crate::check::body::address::{AddressConstraint, DiagnosticStyle};
use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::diagnostics::store_async as diagnose;
use crate::tree::operand::Operand;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::AddressCheck;
use warpgrid_isa::{ScalarType, Scope, StateSpace};
use warpgrid_program::{Address, OperandValue, Span};

/// Properties of a `st.async` instruction that determine the checks of its operands.
pub(crate) struct StoreAsyncConstraints {
    pub(crate) ty: ScalarType,
    /// Whether the store has release semantics. The assembler implements a store with release semantics by a library function, which does
    /// not accept sums as operands.
    pub(crate) is_release: bool,
    /// Number of elements of the vector, or 1 without a vector width.
    pub(crate) n: usize,
    pub(crate) has_barrier: bool,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks `st.async [a], b{, [mbar]}`.
    pub(crate) fn store_async(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let counted = self.count_operands(site);
        let space = site.plan.space();
        let mut operands = site.operands;
        let (place, _) = operands.next()?;
        let value = operands.next();
        let barrier = operands.next();
        let forms = self.async_form(site, space);
        let address = self.async_place(site, place, space, site.plan.addressing);
        let barrier_address = match barrier {
            None => Some(None),
            Some((operand, _)) => self
                .async_place(site, operand, space, barrier_addressing(space))
                .map(Some),
        };
        let wanted = StoreAsyncConstraints {
            ty: site.plan.modifiers.ty?,
            is_release: site.plan.modifiers.sem.is_some(),
            n: site.plan.modifiers.n_elements(),
            has_barrier: barrier.is_some(),
        };
        let sources = self.async_sources(site, &wanted);
        let (address, barrier_address, sources) = (address?, barrier_address?, sources?);
        forms?;
        counted?;
        self.body.push(OperandValue::Address(address), place.span);
        self.body
            .push(sources, value.map_or(place, |(b, _)| b).span);
        match (barrier, barrier_address) {
            (Some((operand, _)), Some(address)) => {
                self.body.push(OperandValue::Address(address), operand.span);
            }
            // Without an mbarrier, add an absent operand in its place, so that both forms have the same operand positions.
            _ => self
                .body
                .push(OperandValue::Absent, Span::at(site.span.end)),
        }
        Some(())
    }

    /// Checks the modifiers whose validity depends on the presence of an mbarrier.
    fn async_form(&mut self, site: &InstructionSite<'a>, space: StateSpace) -> Option<()> {
        let bound = site.plan.bound.as_ref()?;
        let completion = site.plan.modifiers.completion;
        let mut ok = true;
        let mut report = |checker: &mut Self, problem| {
            checker.report(problem);
            ok = false;
        };
        let word = |slot| {
            bound
                .word(slot)
                .map(|word| self.tree.word_span(site.instruction, word + 1))
        };
        let [vector, type_word, scope, space_word] = [
            SlotName::Vector,
            SlotName::Type,
            SlotName::Scope,
            SlotName::Space,
        ]
        .map(word);
        let ty = site.plan.modifiers.ty;
        let Some((barrier, _)) = site.operand(2) else {
            if let (Some(_), Some(at)) = (completion, type_word) {
                let subject = "the completion mechanism without an mbarrier operand";
                self.report(diagnose::beyond_manual(at, subject));
            }
            if let Some(at) = vector {
                report(self, diagnose::vector_without_barrier(at));
            }
            if let (Some(ScalarType::B128), Some(at)) = (ty, type_word) {
                report(self, diagnose::quad_without_barrier(at));
            }
            return ok.then_some(());
        };
        let removed = match site.operand(1) {
            Some((source, _)) => Span::new(source.span.end, barrier.span.end),
            None => barrier.span,
        };
        let is_device = matches!(site.plan.modifiers.scope, Some(Scope::Gpu | Scope::Sys));
        if space == StateSpace::Global || (space == StateSpace::Generic && is_device) {
            let because = match space {
                StateSpace::Global => space_word,
                _ => scope,
            };
            let because = because.unwrap_or(barrier.span);
            let problem = diagnose::barrier_with_global(barrier.span, removed, because);
            report(self, problem);
        } else if space == StateSpace::Generic && completion.is_none() {
            let at = vector
                .or(type_word)
                .map_or(barrier.span.start, |w| w.start - 1);
            report(self, diagnose::barrier_without_mechanism(barrier.span, at));
        }
        if let (Some(ty), Some(at)) = (ty, type_word)
            && ty.width_bits() < 32
        {
            report(self, diagnose::narrow_with_barrier(ty, at, barrier.span));
        }
        ok.then_some(())
    }

    fn async_place(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        space: StateSpace,
        addressing: AddressCheck,
    ) -> Option<Address> {
        let rule = AddressConstraint {
            addressing,
            space,
            takes_any_space: false,
            words: DiagnosticStyle::Strict(&diagnose::ADDRESS),
        };
        self.checked_address(site, operand, &rule)
    }
}

/// Returns the strictness of the check of an mbarrier address. A register of any width may contain an offset in shared memory, but a
/// generic address requires the full address width.
fn barrier_addressing(space: StateSpace) -> AddressCheck {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => AddressCheck::Barrier,
        _ => AddressCheck::Strict,
    }
}
