//! Operands of `tcgen05.ld` and `tcgen05.st`: the lanes and columns of tensor memory that the instruction accesses.

use crate::session::Session;
use std::collections::BTreeSet;
use warpgrid_emulator::WarpId;
use warpgrid_isa::tensor_layout::transfer_location;
use warpgrid_isa::{DeviceUnitOp, Flag, TensorMemoryAccessShape, TensorMemoryOp};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::{FunctionId, OperandValue, Source};

/// Access of a warp to tensor memory, relative to the address operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorMemoryAccess {
    pub(crate) is_store: bool,
    pub(crate) shape: TensorMemoryAccessShape,
    /// Number of columns between the halves of the lanes for the shape `.16x32bx2`.
    half: u32,
    n_registers: u32,
    /// Whether a register contains the low halves of two columns.
    is_packed: bool,
}

impl TensorMemoryAccess {
    /// Returns the access of an instruction, or `None` if the instruction is neither `tcgen05.ld` nor `tcgen05.st`.
    pub(crate) fn of(reader: InstructionView<'_>) -> Option<TensorMemoryAccess> {
        let opcode = reader.program.opcode(reader.instruction)?;
        let op = opcode
            .operation
            .unit()
            .and_then(DeviceUnitOp::tensor_memory)?;
        if !op.moves_registers() {
            return None;
        }
        let shape = opcode.modifiers.unit.moved?;
        let operands = || {
            reader
                .function
                .operands_of(reader.instruction.operands)
                .iter()
        };
        let counts = operands().map(|operand| match operand.value {
            OperandValue::List(list) => reader.function.operands_of(list).len() as u32,
            OperandValue::Destination(Some(run))
            | OperandValue::Source(Source::Register(run), _) => run.n.into(),
            _ => 0,
        });
        let mut immediates = operands().filter_map(|operand| match operand.value {
            OperandValue::Source(Source::Immediate(value), _) => Some(value as u32),
            _ => None,
        });
        Some(TensorMemoryAccess {
            is_store: matches!(op, TensorMemoryOp::Store),
            shape,
            half: match shape {
                TensorMemoryAccessShape::M16x32x2 => immediates.next_back()?,
                _ => 0,
            },
            n_registers: counts.max().unwrap_or(1),
            is_packed: opcode.modifiers.has(Flag::Pack16) || opcode.modifiers.has(Flag::Unpack16),
        })
    }

    /// Returns the accessed lanes and columns in ascending order, relative to the address operand.
    pub(crate) fn places(&self) -> BTreeSet<(u32, u32)> {
        let threads = (0..32).flat_map(|thread| (0..self.n_registers).map(move |r| (thread, r)));
        let words = threads
            .map(|(thread, register)| transfer_location(self.shape, self.half, thread, register));
        match self.is_packed {
            true => words
                .flat_map(|(lane, column)| [(lane, 2 * column), (lane, 2 * column + 1)])
                .collect(),
            false => words.collect(),
        }
    }
}

impl Session {
    /// Returns the address operand of a tensor memory access at the present position.
    pub(crate) fn tensor_address(
        &self,
        of: WarpId,
        function: FunctionId,
        reader: InstructionView<'_>,
    ) -> Option<u32> {
        let operands = reader.function.operands_of(reader.instruction.operands);
        let address = operands.iter().find_map(|operand| match &operand.value {
            OperandValue::Address(address) => Some(address),
            _ => None,
        })?;
        let register = address.base.register()?.first;
        let machine = self.timeline.machine();
        let base = machine.register(of.block, of.warp, 0, function, register)?;
        Some((base as u32).wrapping_add(address.offset as u32))
    }
}
