//! Short descriptions of the registers and of the tensor memory that a step accessed.

use crate::session::Session;
use crate::session::step::warp::readable;
use std::collections::BTreeSet;
use warpgrid_emulator::WarpId;
use warpgrid_isa::tensor_layout::transfer_location;
use warpgrid_isa::{DeviceUnitOp, Flag, ScalarType, TensorMemoryAccessShape, TensorMemoryOp};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::{FunctionId, OperandValue, RegisterId, Source, counted};

/// Number of lanes whose values a description lists if the values of the lanes differ.
const LISTED_LANES: usize = 3;

impl Session {
    /// Describes the results of the last step, or returns `None` if the instruction has no result or more results than fit in one line.
    pub(crate) fn describe_results(
        &self,
        of: WarpId,
        place: (FunctionId, u32),
        executed: u32,
    ) -> Option<String> {
        let reader = self.reader(place.0, place.1)?;
        if let Some(op) = tensor_memory_op(reader)
            && op.moves_registers()
        {
            return self.describe_tensor_memory(of, place.0, reader, op);
        }
        match &reader.destinations()[..] {
            [register] => self.describe_register(of, place.0, reader, *register, executed),
            _ => None,
        }
    }

    fn describe_register(
        &self,
        of: WarpId,
        function: FunctionId,
        reader: InstructionView<'_>,
        register: RegisterId,
        executed: u32,
    ) -> Option<String> {
        let lanes: Vec<u32> = (0..32).filter(|lane| executed >> lane & 1 != 0).collect();
        let machine = self.timeline.machine();
        let bits = |lane: &u32| machine.register(of.block, of.warp, *lane, function, register);
        let values = lanes.iter().map(bits).collect::<Option<Vec<u128>>>()?;
        let registers = &reader.function.registers;
        let name = registers.name(register);
        let ty = registers.get(register.0 as usize)?.ty;
        let (first, n) = (*values.first()?, values.len());
        if ty == ScalarType::Pred {
            let n_set = values.iter().filter(|value| *value & 1 != 0).count();
            return Some(format!(
                "`{name}` is true in {n_set} of {}",
                counted(n, "lane")
            ));
        }
        if values.iter().all(|value| *value == first) {
            return Some(format!(
                "`{name}` = {} in {}",
                readable(ty, first),
                counted(n, "lane")
            ));
        }
        let listed = values.iter().take(LISTED_LANES);
        let listed: Vec<String> = listed.map(|value| readable(ty, *value)).collect();
        let rest = if n > LISTED_LANES { ", …" } else { "" };
        Some(format!(
            "`{name}` = {}{rest} in {}",
            listed.join(", "),
            counted(n, "lane")
        ))
    }

    /// Describes the lanes and columns of tensor memory that `tcgen05.ld` or `tcgen05.st` accessed.
    fn describe_tensor_memory(
        &self,
        of: WarpId,
        function: FunctionId,
        reader: InstructionView<'_>,
        op: TensorMemoryOp,
    ) -> Option<String> {
        let modifiers = &reader.program.opcode(reader.instruction)?.modifiers;
        let shape = modifiers.unit.moved?;
        let operands = || reader.function.operands_of(reader.instruction.operands);
        let counts = operands().iter().map(|operand| match operand.value {
            OperandValue::List(list) => reader.function.operands_of(list).len() as u32,
            OperandValue::Destination(Some(run))
            | OperandValue::Source(Source::Register(run), _) => run.n.into(),
            _ => 0,
        });
        let n_registers = counts.max().unwrap_or(1);
        let immediates = operands().iter().filter_map(|operand| match operand.value {
            OperandValue::Source(Source::Immediate(value), _) => Some(value as u32),
            _ => None,
        });
        let half = match shape {
            TensorMemoryAccessShape::M16x32x2 => immediates.last()?,
            _ => 0,
        };
        let per_register = match modifiers.has(Flag::Pack16) || modifiers.has(Flag::Unpack16) {
            true => 2,
            false => 1,
        };
        let threads = (0..32).flat_map(|thread| (0..n_registers).map(move |r| (thread, r)));
        let places = threads.map(|(thread, r)| transfer_location(shape, half, thread, r));
        let (lanes, columns): (BTreeSet<u32>, BTreeSet<u32>) = places.unzip();
        let verb = match op {
            TensorMemoryOp::Store => "stored",
            _ => "loaded",
        };
        let text = format!(
            "{verb} {} × {} ({}) of tensor memory",
            counted(lanes.len(), "lane"),
            counted(columns.len() * per_register, "column"),
            shape.name()
        );
        Some(match self.tensor_address(of, function, reader) {
            Some(address) => format!(
                "{text}, from lane {}, column {}",
                address >> 16,
                address & 0xffff
            ),
            None => text,
        })
    }

    /// Returns the address operand of a tensor memory access, or `None` if the instruction has overwritten the address register.
    fn tensor_address(
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
        let is_overwritten = reader.destinations().contains(&register);
        let machine = self.timeline.machine();
        let base = machine.register(of.block, of.warp, 0, function, register)?;
        (!is_overwritten).then_some((base as u32).wrapping_add(address.offset as u32))
    }
}

fn tensor_memory_op(reader: InstructionView<'_>) -> Option<TensorMemoryOp> {
    reader
        .operation()?
        .unit()
        .and_then(DeviceUnitOp::tensor_memory)
}
