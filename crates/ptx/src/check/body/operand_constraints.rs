//! Operand checks of individual instruction families that the instruction tables cannot express.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, SymbolOffsetRule};
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::check as diagnose;
use warpgrid_isa::form::Gate;
use warpgrid_isa::{Flag, SlotName, StateSpace, TargetRequirement};
use warpgrid_program::{AddressBase, OperandValue, Parameter, Source, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the operands that start at index `start` against the constraint `beyond`, which the instruction tables cannot express.
    pub(crate) fn check_beyond(
        &mut self,
        beyond: ExtraOperandCheck,
        site: &InstructionSite<'a>,
        start: usize,
    ) -> Option<()> {
        match beyond {
            ExtraOperandCheck::Nothing
            | ExtraOperandCheck::BrainComparison
            | ExtraOperandCheck::LongDivision => Some(()),
            ExtraOperandCheck::Load => {
                self.check_function_parameter(site, start)?;
                self.check_call_sequence(start)?;
                self.check_policy(site, start)
            }
            ExtraOperandCheck::Atomic => self.check_policy(site, start),
            ExtraOperandCheck::BulkCopy => self.check_masks(site.plan, start),
            ExtraOperandCheck::Copy => self.check_copy(site, start),
            ExtraOperandCheck::Arrival => self.check_arrival(site, start),
            ExtraOperandCheck::State => self.check_state(start),
            ExtraOperandCheck::ConvertedAddress => self.check_converted_address(site, start),
            ExtraOperandCheck::ClusterAddress => self.check_shared_address(site, start),
            ExtraOperandCheck::AccessProperty => self.check_property(start),
            ExtraOperandCheck::PolicyRange => self.check_range(site, start),
            ExtraOperandCheck::Extreme => self.check_extremes(site, start),
            ExtraOperandCheck::Barrier(sums) => {
                self.check_barrier(site.plan, start)?;
                self.check_sums(sums, start)
            }
            ExtraOperandCheck::Lanes(sums) => self.check_sums(sums, start),
        }
    }

    /// Checks that the modifier `.L2::cache_hint` and the cache policy operand are either both present or both absent (PTX ISA,
    /// "ld": `.level::cache_hint`).
    fn check_policy(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        let Some(position) = site.plan.policy else {
            return Some(());
        };
        let hinted = site.plan.modifiers.has(Flag::CacheHint);
        let operand = self.lowered(start, position)?;
        if let OperandValue::Source(Source::VariableAddress { .. }, _) = operand.value {
            let span = operand.span;
            self.report(diagnose::expected_register(span, "a variable"));
            return None;
        }
        let has_policy = operand.value != OperandValue::Absent;
        let problem = match (hinted, has_policy) {
            (true, false) => diagnose::hint_without_policy(self.opcode(site), site.span),
            (false, true) => diagnose::policy_without_hint(self.opcode(site), site.span),
            (true, true) | (false, false) => return Some(()),
        };
        self.report(problem);
        None
    }

    /// Checks `createpolicy.range d, [a], primary, total`: the primary size must not exceed the total size, compared as 32-bit numbers
    /// (assembler 13.5).
    fn check_range(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        if let (Some((_, whole)), Some((span, part))) =
            (self.number_at(start, 3), self.number_at(start, 2))
            && part as u32 > whole as u32
        {
            let written = span.text(self.source);
            let range = 0..=whole & u64::from(u32::MAX);
            self.report(diagnose::out_of_range(
                self.opcode(site),
                span,
                written,
                range,
            ));
            return None;
        }
        Some(())
    }

    /// Checks `createpolicy.cvt d, a`: the access property must not be the address of a variable (assembler 13.5).
    fn check_property(&mut self, start: usize) -> Option<()> {
        let property = self.lowered(start, 1)?;
        if !matches!(
            property.value,
            OperandValue::Source(Source::VariableAddress { .. }, _)
        ) {
            return Some(());
        }
        let span = property.span;
        self.report(diagnose::expected_register(span, "a variable"));
        None
    }

    /// Checks `cvta` of a variable. The variable must be in the state space of the instruction.
    fn check_converted_address(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        let operand = self.lowered(start, 1)?;
        let span = operand.span;
        let variable = match operand.value {
            OperandValue::Source(Source::VariableAddress { variable, .. }, _) => Some(variable),
            _ => self.indexed_variable(site.operand(1)?.0),
        };
        let Some(variable) = variable else {
            return Some(());
        };
        let have = self.space_of(variable);
        if site.plan.takes_space(have) {
            return Some(());
        }
        let opcode = self.opcode(site);
        self.report(diagnose::space_mismatch(
            opcode,
            span,
            have,
            site.plan.space(),
        ));
        None
    }

    /// Checks `min.f32` and `max.f32`. With two sources, `.abs` and `.xorsign` are permitted only together. With three sources,
    /// which require PTX 8.8 and `sm_100`, `.xorsign` is rejected (assembler 13.5).
    fn check_extremes(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        const THREE: Gate = Gate::ptx(8, 8).sm(100);
        let signs = site.plan.modifiers.has(Flag::Xorsign);
        let magnitudes = site.plan.modifiers.has(Flag::Abs);
        let third = self.lowered(start, 3)?;
        let (span, has_third) = (third.span, third.value != OperandValue::Absent);
        let opcode = self.opcode(site);
        let problem = match has_third {
            true if signs => diagnose::signs_of_three(opcode, span),
            true if !self.module.meets(THREE) => diagnose::third_source(opcode, span, THREE),
            false if signs != magnitudes => diagnose::signs_of_two(opcode, site.span),
            true | false => return Some(()),
        };
        self.report(problem);
        None
    }

    /// Checks the barrier index, which is less than 16, and the thread count, which is a multiple of the warp size (PTX ISA,
    /// "bar").
    fn check_barrier(&mut self, plan: &'a ResolvedOpcode, start: usize) -> Option<()> {
        let first = usize::from(plan.modifiers.has(Flag::Red));
        let literal = |checker: &Self, index: usize| {
            let operand = checker.lowered(start, index)?;
            match operand.value {
                OperandValue::Source(Source::Immediate(bits), _) => Some((operand.span, bits)),
                _ => None,
            }
        };
        if let Some((span, id)) = literal(self, first)
            && id > 15
        {
            self.report(diagnose::barrier_number(span, id));
            return None;
        }
        if let Some((span, threads)) = literal(self, first + 1)
            && (threads % 32 != 0 || threads == 0 && plan.modifiers.has(Flag::Arrive))
        {
            self.report(diagnose::barrier_threads(span, threads));
            return None;
        }
        Some(())
    }

    /// Checks operands that are sums of a name and a constant. For targets before `sm_90`, the assembler implements warp operations by
    /// calls of library functions, which do not accept sums (assembler 13.5).
    fn check_sums(&mut self, sums: SymbolOffsetRule, start: usize) -> Option<()> {
        const WITHOUT_LIBRARY: TargetRequirement = TargetRequirement::From(90);
        if sums == SymbolOffsetRule::Taken || WITHOUT_LIBRARY.met_by(self.module.target) {
            return Some(());
        }
        let own = self.body.operands.get(start..)?;
        let sum = own.iter().find(|operand| {
            let value = &operand.value;
            matches!(
                value,
                OperandValue::Source(
                    Source::VariableAddress { .. } | Source::RegisterOffset { .. },
                    _
                )
            )
        });
        match sum.map(|operand| operand.span) {
            None => Some(()),
            Some(span) => {
                let found = "an address expression";
                self.report(diagnose::expected_register(span, found));
                None
            }
        }
    }

    /// Checks that the body reads a `.param` variable for call results only after a call has written the variable (assembler 13.5).
    fn check_call_sequence(&mut self, start: usize) -> Option<()> {
        let operand = self.lowered(start, 1)?;
        let (span, OperandValue::Address(address)) = (operand.span, &operand.value) else {
            return Some(());
        };
        let AddressBase::Variable(variable) = address.base else {
            return Some(());
        };
        if self.is_result(variable) {
            let text = span.text(self.source);
            self.report(diagnose::read_of_result(span, text));
            return None;
        }
        if !self.is_call_parameter(variable) || self.body.returned.contains(&variable) {
            return Some(());
        }
        self.report(diagnose::call_sequence(span));
        None
    }

    /// Returns whether a variable is a result of the function. A function may write its results, but must not read them.
    fn is_result(&self, variable: VariableId) -> bool {
        match variable {
            VariableId::Function(index) => {
                let returns = &self.function.returns;
                returns.contains(&Parameter::Variable(index))
            }
            VariableId::Module(_) => false,
        }
    }

    /// Returns whether a variable is a parameter or result of the function itself.
    pub(crate) fn is_own_parameter(&self, variable: VariableId) -> bool {
        let n_head = self.function.variables.len();
        matches!(variable, VariableId::Function(index) if (index as usize) < n_head)
            && self.outline.header.is_some()
    }

    /// Returns whether a variable is a parameter that the body declares for calls.
    pub(crate) fn is_call_parameter(&self, variable: VariableId) -> bool {
        let n_head = self.function.variables.len();
        matches!(variable, VariableId::Function(index) if index as usize >= n_head)
            && self.space_of(variable) == StateSpace::ParamFunc
            && self.outline.header.is_some()
    }

    /// Checks `ld.param::func`, which accepts only the names of parameters of device functions, and rejects kernel parameters and addresses
    /// in registers (assembler 13.5).
    fn check_function_parameter(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        let bound = site.plan.bound.as_ref()?;
        if bound.text(SlotName::Space) != Some("param::func") {
            return Some(());
        }
        let operand = self.lowered(start, 1)?;
        let (span, OperandValue::Address(address)) = (operand.span, &operand.value) else {
            return Some(());
        };
        let have = match address.base {
            AddressBase::Variable(variable) => self.space_of(variable),
            AddressBase::Register(_) | AddressBase::Bank { .. } | AddressBase::None => {
                StateSpace::Generic
            }
        };
        if have == StateSpace::ParamFunc {
            return Some(());
        }
        let opcode = self.opcode(site);
        let problem = diagnose::space_mismatch(opcode, span, have, StateSpace::ParamFunc);
        self.report(problem);
        None
    }
}
