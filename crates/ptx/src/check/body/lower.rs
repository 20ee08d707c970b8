//! Lowering of operands: converts the operands of an instruction to a range of program operands in the order of the syntax line.
//!
//! The table row specifies the expected kind of each operand. Instruction families with special operand syntax have separate lowering
//! functions.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use warpgrid_isa::{Modifiers, Operation};
use warpgrid_program::{
    OpcodeId, OpcodeInfo, Operand, OperandList, OperandValue, RegisterId, RegisterTuple, Source,
    SourceModifiers, Span,
};

impl<'a> BodyChecker<'a, '_> {
    /// Lowers the operands of an instruction. Returns `None` after an error has been reported.
    pub(crate) fn lower(&mut self, site: &InstructionSite<'a>) -> Option<OperandList> {
        let start = self.body.operands.len();
        // Fast path for instructions without family-specific checks. A separate call avoids the expensive prologue of the function that
        // handles all families.
        let done = match site.plan.grammar == OperandGrammar::Row(ExtraOperandCheck::Nothing) {
            true => self.resolve(site),
            false => self.operands(site, start),
        };
        if done.is_none() {
            self.body.operands.truncate(start);
            self.body.elements.clear();
            return None;
        }
        Some(self.body.close_list(start))
    }

    #[inline(never)]
    fn operands(&mut self, site: &InstructionSite<'a>, start: usize) -> Option<()> {
        match site.plan.grammar {
            OperandGrammar::Names => self.names_only(site),
            OperandGrammar::Store => self.store(site),
            OperandGrammar::Fill => self.store_bulk(site),
            OperandGrammar::StoreAsync => self.store_async(site),
            OperandGrammar::Matrix(op) => self.matrix(op, site),
            OperandGrammar::Video(op, lanes) => self.video(site, op, lanes),
            OperandGrammar::Mov => self.mov(site),
            OperandGrammar::Branch => self.branch(site),
            OperandGrammar::BranchIndexed => self.branch_indexed(site),
            OperandGrammar::Call => self.call(site),
            OperandGrammar::Row(ExtraOperandCheck::Nothing) => self.resolve(site),
            OperandGrammar::Row(beyond) => {
                self.resolve(site)?;
                self.check_beyond(beyond, site, start)
            }
        }
    }

    /// Resolves the names in the operands of an unknown instruction without further checks.
    fn names_only(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        let mut ok = true;
        for operand in site.instruction.operands.of(&self.tree.operands) {
            ok &= self.names_known(operand);
        }
        ok.then_some(())
    }

    /// Returns the lowered operand at position `index` of the instruction whose operands start at index `start`.
    pub(crate) fn lowered(&self, start: usize, index: usize) -> Option<&Operand> {
        self.body.operands.get(start + index)
    }

    /// Returns an opcode with an unknown operation. It represents a legal instruction that the program representation cannot express.
    #[cold]
    pub(crate) fn unsayable(&mut self, site: &InstructionSite<'a>) -> OpcodeId {
        let opcode = self.opcode(site).to_owned();
        self.made.action(OpcodeInfo {
            operation: Operation::Unknown,
            modifiers: Modifiers::default(),
            opcode,
        })
    }
}

/// Creates a source operand without modifiers from a source value.
pub(crate) const fn source(source: Source) -> OperandValue {
    OperandValue::Source(source, SourceModifiers::NONE)
}

/// Creates a register source.
pub(crate) const fn register(register: RegisterId) -> Source {
    Source::Register(RegisterTuple::one(register))
}

/// Creates a register destination.
pub(crate) const fn destination(register: RegisterId) -> OperandValue {
    OperandValue::Destination(Some(RegisterTuple::one(register)))
}

/// Creates an operand of an instruction that the checker inserts.
pub(crate) const fn inserted(value: OperandValue) -> Operand {
    Operand {
        value,
        span: Span::at(0),
    }
}
