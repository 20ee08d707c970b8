//! Data flow of an instruction: queries for the registers that the instruction reads as addresses, data, and guards.

use super::InstructionView;
use warpgrid_isa::{AccessKind, ControlOp, Modifiers, Operation, ScalarType};
use warpgrid_program::{AddressBase, OperandValue, RegisterId};

impl<'a> InstructionView<'a> {
    /// Returns the registers from which the address of an access is computed. For a copy, `accessed` selects the source
    /// address or the destination address.
    pub fn base_registers(self, accessed: Option<AccessKind>) -> Vec<RegisterId> {
        let mut ids = Vec::new();
        let action = self.program.opcode(self.instruction);
        let source = match action.map(|action| action.operation) {
            Some(Operation::Async(op)) => op.source(),
            _ => None,
        };
        for (place, operand) in self.operands().iter().enumerate() {
            if let (Some(source), Some(accessed)) = (source, accessed)
                && (place == source) != (accessed == AccessKind::Load)
            {
                continue;
            }
            if let OperandValue::Address(address) = &operand.value
                && !matches!(address.base, AddressBase::Variable(_))
            {
                ids.extend(self.function.operand_registers(&operand.value));
            }
        }
        ids
    }

    /// Returns the registers of the last operand.
    pub fn last_registers(self) -> Vec<RegisterId> {
        let last = self.operands().last();
        last.map_or_else(Vec::new, |operand| {
            self.function.operand_registers(&operand.value)
        })
    }

    /// Returns the format of the floating-point sources of a computation, a comparison or a conversion.
    pub(crate) fn float_source(self) -> Option<ScalarType> {
        self.computation_modifiers()?
            .source_type()
            .filter(|ty| ty.is_float())
    }

    /// Returns the format of the floating-point result of a computation or a conversion.
    pub(crate) fn float_result(self) -> Option<ScalarType> {
        self.computation_modifiers()?
            .result_type()
            .filter(|ty| ty.is_float())
    }

    /// Returns the modifiers of an instruction that computes registers from registers.
    fn computation_modifiers(self) -> Option<&'a Modifiers> {
        let action = self.program.opcode(self.instruction)?;
        action
            .operation
            .is_computation()
            .then_some(&action.modifiers)
    }

    /// Returns the register of the guard predicate.
    pub fn guard_register(self) -> Option<RegisterId> {
        self.instruction.guard.map(|guard| guard.predicate)
    }

    /// Checks whether the instruction is a branch that can diverge.
    pub fn is_conditional_branch(self) -> bool {
        let action = self.program.opcode(self.instruction);
        let control = action.and_then(|action| action.operation.control());
        control.is_some_and(ControlOp::is_branch) && self.instruction.guard.is_some()
    }

    /// Returns the name of a register of the function.
    pub fn name(self, register: RegisterId) -> String {
        self.function.registers.name(register).to_owned()
    }
}
