//! Checks of asynchronous copies, mbarriers and cluster addresses that depend on both operands and modifiers.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::form::Gate;
use warpgrid_isa::forms::mbarrier::{COUNT, NO_COMPLETE_SINK};
use warpgrid_isa::{CacheOp, Flag, ScalarType, StateSpace, TypeMatch};
use warpgrid_program::{AddressBase, OperandValue, Source, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the mbarrier of a bulk copy. The address of the mbarrier may be in a register of any width except 16 bits. The assembler also
    /// accepts a value without brackets if the mbarrier is the last operand, but the program representation cannot express this address
    /// (assembler 13.5).
    pub(crate) fn mbarrier(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        space: StateSpace,
    ) -> Option<OperandValue> {
        let modifiers = &site.plan.modifiers;
        let follows = [Flag::CacheHint, Flag::Multicast, Flag::IgnoreOob];
        let is_last = !follows.iter().any(|flag| modifiers.has(*flag));
        let is_value = matches!(
            operand.kind,
            OperandKind::Name(_) | OperandKind::Integer { .. }
        );
        if is_last && is_value {
            self.source(site, operand, ScalarType::U64, TypeMatch::Integer)?;
            self.body.is_representable = false;
            return Some(OperandValue::Absent);
        }
        let address = self.address_in(site, operand, space)?;
        if let AddressBase::Register(run) = address.base {
            let ty = self.body.type_of(run.first);
            // The assembler accepts 16-bit registers for reductions (assembler 13.5).
            let is_copy = site.plan.grammar == OperandGrammar::Row(ExtraOperandCheck::BulkCopy);
            if ty.width_bits() == 16 && is_copy {
                self.report(diagnose::address_type(operand.span, ty));
                return None;
            }
        }
        Some(OperandValue::Address(address))
    }

    /// Checks the sizes of `cp.async`. The copy size is 4, 8 or 16 bytes, or only 16 bytes with `.cg`, and the source size must not exceed
    /// the copy size (PTX ISA, "cp.async").
    pub(crate) fn check_copy(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        let (span, size) = self.number_at(start, 2)?;
        let problem = match site.plan.modifiers.cache {
            Some(CacheOp::Cg) if size != 16 => Some(diagnose::copy_size(span, size, "16")),
            _ if !matches!(size, 4 | 8 | 16) => Some(diagnose::copy_size(span, size, "4, 8 or 16")),
            _ => self.number_at(start, 3).and_then(|(span, read)| {
                let opcode = self.opcode(site);
                (read > size)
                    .then(|| diagnose::out_of_range(opcode, span, &read.to_string(), 0..=size))
            }),
        };
        match problem {
            Some(problem) => {
                self.report(problem);
                None
            }
            None => Some(()),
        }
    }

    /// Checks CTA masks and byte masks. Masks have 16 bits, so the assembler rejects addresses as masks (assembler 13.5).
    pub(crate) fn check_masks(&mut self, plan: &'a ResolvedOpcode, start: usize) -> Option<()> {
        if !plan.modifiers.has(Flag::Multicast) && !plan.modifiers.has(Flag::CpMask) {
            return Some(());
        }
        let mask = self.lowered(start, 4);
        match mask.map(|mask| (mask.span, &mask.value)) {
            Some((span, OperandValue::Source(Source::VariableAddress { .. }, _))) => {
                self.report(diagnose::expected_register(span, "an address"));
                None
            }
            _ => Some(()),
        }
    }

    /// Returns the literal at an operand index, with its span.
    pub(crate) fn number_at(&self, start: usize, index: usize) -> Option<(Span, u64)> {
        let operand = self.lowered(start, index)?;
        match operand.value {
            OperandValue::Source(Source::Immediate(value), _) => Some((operand.span, value)),
            _ => None,
        }
    }

    /// Checks that the phase state of a wait is not an address (assembler 13.5).
    pub(crate) fn check_state(&mut self, start: usize) -> Option<()> {
        let state = self.lowered(start, 2)?;
        let span = state.span;
        if let OperandValue::Source(Source::VariableAddress { .. }, _) = state.value {
            self.report(diagnose::expected_register(span, "an address"));
            return None;
        }
        Some(())
    }

    /// Checks the state operand of an arrival, and the requirements of the variants of arrivals (PTX ISA, "mbarrier.arrive"; assembler
    /// 13.5).
    pub(crate) fn check_arrival(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        let modifiers = &site.plan.modifiers;
        let state = self.lowered(start, 0)?;
        let (span, discards) = (state.span, state.value == OperandValue::Destination(None));
        if modifiers.state_space() == StateSpace::SharedCluster && !discards {
            let problem = diagnose::sink_required(self.opcode(site), span);
            self.report(problem);
            return None;
        }
        let no_complete = modifiers.has(Flag::NoComplete);
        if no_complete && discards {
            self.check_operand_gate(site, span, "the sink", NO_COMPLETE_SINK)?;
        }
        let count = self.lowered(start, 2)?;
        let counts = count.value != OperandValue::Absent && !modifiers.has(Flag::ExpectTx);
        let span = count.span;
        if counts && !no_complete {
            self.check_operand_gate(site, span, "the count", COUNT)?;
        }
        Some(())
    }

    fn check_operand_gate(
        &mut self,
        site: &InstructionSite<'a>,
        span: Span,
        what: &str,
        gate: Gate,
    ) -> Option<()> {
        if self.module.meets(gate) {
            return Some(());
        }
        let problem = diagnose::operand_needs(self.opcode(site), span, what, gate);
        self.report(problem);
        None
    }

    /// Checks `mapa` and `getctarank`: a variable operand must be in shared memory, and the rank operand must not be the address of a
    /// variable.
    pub(crate) fn check_shared_address(
        &mut self,
        site: &InstructionSite<'a>,
        start: usize,
    ) -> Option<()> {
        let rank = self.lowered(start, 2).map(|rank| (rank.span, &rank.value));
        if let Some((span, OperandValue::Source(Source::VariableAddress { offset: 0, .. }, _))) =
            rank
        {
            self.report(diagnose::expected_register(span, "a variable"));
            return None;
        }
        let source = self.lowered(start, 1)?;
        let OperandValue::Source(Source::VariableAddress { variable, .. }, _) = source.value else {
            return Some(());
        };
        let span = source.span;
        let have = self.space_of(variable);
        if have == StateSpace::Shared {
            return Some(());
        }
        let opcode = self.opcode(site);
        self.report(diagnose::space_mismatch(
            opcode,
            span,
            have,
            StateSpace::Shared,
        ));
        None
    }
}
