//! Comparison of the operand table with the operands of the program. Builds with debug assertions check every
//! instruction that they decode.

use crate::code::decoded_op::DecodedOp;
use crate::code::operands::SlotAccess;
use crate::code::{DecodedInstruction, RegisterOperand};
use crate::decode::Decoder;
use std::collections::BTreeSet;
use warpgrid_isa::ComparisonOp;
use warpgrid_program::{Instruction, RegisterId};

impl Decoder<'_> {
    fn is_testp(&self, instruction: &Instruction) -> bool {
        let action = self.program.opcode(instruction);
        action.and_then(|action| action.operation.compare()) == Some(ComparisonOp::Testp)
    }

    /// Returns a description of the registers for which the decoded operations of an instruction disagree with the
    /// program. The operations must access only registers that the instruction names, and must write each destination
    /// of the instruction. The operations may ignore named sources, such as cache policies.
    pub(crate) fn operand_mismatch(&self, instruction: &Instruction) -> Option<String> {
        let start = self.starts.last().copied().unwrap_or(0) as usize;
        let code = self.code.instructions.get(start..).unwrap_or(&[]);
        let is_unsupported =
            |instr: &DecodedInstruction| matches!(instr.op, DecodedOp::Unsupported(_));
        // `testp` without a test leaves its destination unmodified.
        let is_ignored = self.modifiers.test.is_none() && self.is_testp(instruction);
        if is_ignored || code.iter().any(is_unsupported) {
            return None;
        }
        let names = &self.code.functions.get(self.index)?.registers;
        let (mut accessed, mut written) = (BTreeSet::new(), BTreeSet::new());
        for instr in code {
            self.code.visit_slots(&instr.op, |access, bank, slot| {
                let is_it = |name: &RegisterOperand| name.slot == slot && name.bank == bank;
                if let Some(id) = names.iter().position(is_it) {
                    let register = RegisterId(id as u32);
                    accessed.insert(register);
                    if access == SlotAccess::Write {
                        written.insert(register);
                    }
                }
            });
        }
        let mut named = BTreeSet::new();
        self.function.visit_registers(instruction, |_, register| {
            named.insert(register);
        });
        let destinations: BTreeSet<RegisterId> = self
            .function
            .destinations(instruction)
            .into_iter()
            .collect();
        let agrees = accessed.is_subset(&named) && destinations.is_subset(&written);
        (!agrees).then(|| {
            format!("accessed {accessed:?}, written {written:?}, named {named:?}, destinations {destinations:?}: {code:?}")
        })
    }
}
