//! Code generation for operations that are defined with primitive operations. The module takes the results of an
//! operation as symbolic values, and generates code that computes these values and writes them to registers.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::lower::{LaneSelection, Lowering};
use crate::primitive::{Destination, Operands, results};
use crate::registers::RegisterKey;
use crate::value::Graph;
use warpgrid_emulator::translation_view::{
    DecodedOp, OperandLocation, RegisterBank, TranslationView,
};

/// Key of the register that contains the carry flag of each lane. A called function inherits the carry flag of its
/// caller.
const CARRY: RegisterKey = (RegisterBank::Predicate, u32::MAX);

impl Operands for Emitter<'_> {
    fn plain(&self) -> TranslationView<'_> {
        self.plain
    }

    fn known_register(&self, bank: RegisterBank, index: u32) -> Option<u64> {
        let register = self.frame_register(bank, index);
        let number = self.constants.get(&register).map(|number| (*number).into());
        self.local_address(register).or(number)
    }
}

impl Emitter<'_> {
    /// Translates an operation that is defined with primitive operations. Returns `false` for all other operations.
    pub(crate) fn primitive_operation(&mut self, op: &DecodedOp) -> Result<bool, BailoutReason> {
        let graph = Graph::default();
        let Some(results) = results(self, &graph, op) else {
            return Ok(false);
        };
        if let DecodedOp::SetPredicate { compare, .. } | DecodedOp::Set { compare, .. } = op
            && !compare.kind.is_integer()
        {
            self.compare_floats(compare)?;
            self.set(self.names.float_comparison());
        }
        if let [(Destination::Register(bank, slot), id)] = *results
            && let Some(scalar) = self.scalar(bank, slot)
            && let OperandLocation::Register(index) = slot.place()
        {
            Lowering::push_all(self, &graph, &[(id, LaneSelection::First)])?;
            self.set_scalar(scalar, self.frame_register(bank, index));
            return Ok(true);
        }
        // Compute all results before writing any register, because a destination register may also be a source. The
        // code pushes the results in reverse order, so that it writes the registers in operand order. If two results
        // have the same destination register, the register keeps the last result.
        let mut values = Vec::new();
        for (destination, id) in results.iter().rev() {
            match destination {
                Destination::Register(RegisterBank::B64, _) => {
                    values.extend([1, 0].map(|half| (*id, LaneSelection::Half(half))));
                }
                Destination::Register(..) | Destination::CarryFlag => {
                    values.push((*id, LaneSelection::All));
                }
            }
        }
        Lowering::push_all(self, &graph, &values)?;
        for (destination, _) in &results {
            match *destination {
                Destination::Register(RegisterBank::B64, slot) => {
                    self.write64(slot, 0);
                    self.write64(slot, 1);
                }
                Destination::Register(RegisterBank::Predicate, slot) => self.write_predicate(slot),
                Destination::Register(_, slot) => self.write32(slot),
                Destination::CarryFlag => self.write(CARRY, 0),
            }
        }
        Ok(true)
    }

    /// Pushes the row of carry flags, which contains one flag per lane.
    pub(crate) fn read_flag(&mut self) {
        let local = self.read_register(CARRY);
        self.get(local);
    }
}
