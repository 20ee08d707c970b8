//! Checks and lowers the operands of `st`: address, value and cache policy. [`crate::check::resolved_opcodes::rules`] checks the modifiers.

pub(crate) mod address;
pub(crate) mod policy;
pub(crate) mod source;
pub(crate) mod vector_elements;
pub(crate) mod width;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::check::resolved_opcodes::fix_validation;
use crate::opcode::Opcode;
use warpgrid_isa::SlotName;
use warpgrid_isa::StateSpace;
use warpgrid_program::{OperandValue, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks all operands of `st [a], b{, cache-policy}`, even if the modifiers are invalid.
    pub(crate) fn store(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let counted = self.count_operands(site);
        let store = site.plan.store?;
        let start = self.body.operands.len();
        self.check_width(site, &store);
        let address = self.store_address(site, &store);
        let sources = self.store_sources(site, &store);
        let policy = self.store_policy(site, &store);
        let (address, sources, policy) = (address?, sources?, policy?);
        counted?;
        let mut operands = site.operands;
        self.body
            .push(OperandValue::Address(address), operands.next()?.0.span);
        self.body.push(sources, operands.next()?.0.span);
        if let (Some(policy), Some((operand, _))) = (policy, operands.next()) {
            self.body.push(source(policy), operand.span);
        }
        self.fill_operands(site, start);
        Some(())
    }

    /// Returns whether the opcode would be legal if `space` replaced its state space.
    #[cold]
    fn can_name_space(&self, site: &InstructionSite<'a>, space: StateSpace) -> bool {
        let opcode = Opcode::read(self.source, self.tree, site.instruction.mnemonic);
        let plan = self.plans.get(site.instruction.mnemonic);
        let word = plan.and_then(|plan| plan.bound.as_ref()?.word(SlotName::Space));
        let module = &self.module;
        // If the opcode has other errors, offer the fix anyway, because it is one of several necessary changes.
        !fix_validation::is_legal(opcode.name(), opcode.modifiers(), module)
            || word.is_some_and(|word| {
                fix_validation::is_legal_with(&opcode, word, space.name(), module)
            })
    }

    /// Returns whether adding `.L2::cache_hint` to the opcode yields a legal opcode.
    #[cold]
    fn can_hint(&self, site: &InstructionSite<'a>) -> bool {
        let opcode = Opcode::read(self.source, self.tree, site.instruction.mnemonic);
        let mut modifiers = opcode.modifiers().to_vec();
        modifiers.push("L2::cache_hint");
        fix_validation::is_legal(opcode.name(), &modifiers, self.module)
    }

    /// Returns the span of the modifier with index `word`.
    fn place(&self, site: &InstructionSite<'a>, word: Option<usize>) -> Option<Span> {
        word.map(|word| self.tree.word_span(site.instruction, word + 1))
    }
}
