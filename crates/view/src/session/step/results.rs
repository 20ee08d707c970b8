//! Short descriptions of the registers and of the tensor memory that a step accessed.

use crate::session::Session;
use crate::session::step::tensor_memory_access::TensorMemoryAccess;
use crate::session::step::warp::readable;
use std::collections::BTreeSet;
use warpgrid_emulator::WarpId;
use warpgrid_isa::{Flag, ScalarType};
use warpgrid_launch::instruction_summary::{InstructionView, SourceValue};
use warpgrid_program::{FunctionId, RegisterId, counted};

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
        if let Some(access) = TensorMemoryAccess::of(reader) {
            return Some(self.describe_tensor_memory(of, place.0, reader, &access));
        }
        if let Some(text) = self.describe_tensor_memory_management(of, place.0, reader, executed) {
            return Some(text);
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
        let (first, n) = (*values.first()?, counted(values.len(), "lane"));
        if ty == ScalarType::Pred {
            let n_set = values.iter().filter(|value| *value & 1 != 0).count();
            return Some(format!("`{name}` is true in {n_set} of {n}"));
        }
        let is_uniform = values.iter().all(|value| *value == first);
        let n_listed = if is_uniform { 1 } else { LISTED_LANES };
        let listed = values.iter().take(n_listed);
        let listed: Vec<String> = listed.map(|value| readable(ty, *value)).collect();
        let rest = match !is_uniform && values.len() > LISTED_LANES {
            true => ", …",
            false => "",
        };
        Some(format!("`{name}` = {}{rest} in {n}", listed.join(", ")))
    }

    /// Describes an allocation or deallocation of tensor memory, or a wait for accesses to tensor memory.
    fn describe_tensor_memory_management(
        &self,
        of: WarpId,
        function: FunctionId,
        reader: InstructionView<'_>,
        executed: u32,
    ) -> Option<String> {
        let action = self.program.opcode(reader.instruction)?;
        if action.operation.is_tensor_memory_wait() {
            let accesses = match action.modifiers.has(Flag::WaitLoads) {
                true => "loads from",
                false => "stores to",
            };
            let lanes = counted(executed.count_ones(), "lane");
            return Some(format!(
                "{lanes} completed the wait for {accesses} tensor memory"
            ));
        }
        let verb = action.operation.tensor_memory_verb()?;
        // The last operand is the number of columns.
        let n_columns = match *reader.source_values().last()? {
            SourceValue::Constant(n_columns) => n_columns,
            operand => {
                let lane = (executed != 0).then(|| executed.trailing_zeros())?;
                let machine = self.timeline.machine();
                let value = operand.register().and_then(|register| {
                    machine.register(of.block, of.warp, lane, function, register)
                });
                value? as u64
            }
        };
        Some(format!(
            "{verb} {} of tensor memory",
            counted(n_columns, "column")
        ))
    }

    /// Describes the lanes and columns of tensor memory that `tcgen05.ld` or `tcgen05.st` accessed.
    fn describe_tensor_memory(
        &self,
        of: WarpId,
        function: FunctionId,
        reader: InstructionView<'_>,
        access: &TensorMemoryAccess,
    ) -> String {
        let (lanes, columns): (BTreeSet<u32>, BTreeSet<u32>) = access.places().into_iter().unzip();
        let verb = match access.is_store {
            true => "stored",
            false => "loaded",
        };
        let text = format!(
            "{verb} {} × {} ({}) of tensor memory",
            counted(lanes.len(), "lane"),
            counted(columns.len(), "column"),
            access.shape.name()
        );
        // A load can overwrite the register that contained the address.
        let is_overwritten = |register: &RegisterId| reader.sources().contains(register);
        let is_known = !reader.destinations().iter().any(is_overwritten);
        match self
            .tensor_address(of, function, reader)
            .filter(|_| is_known)
        {
            Some(address) => format!(
                "{text}, from lane {}, column {}",
                address >> 16,
                address & 0xffff
            ),
            None => text,
        }
    }
}
