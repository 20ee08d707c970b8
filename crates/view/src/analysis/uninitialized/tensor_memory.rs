//! Reads of tensor memory columns that no instruction has written. The analysis executes the first steps of a run with last-writer tracking,
//! and examines the columns before each `tcgen05.ld`.

use crate::analysis::MAX_REPEATED_STEPS;
use crate::analysis::uninitialized::{MAX_USES, UninitializedUse};
use crate::session::Session;
use crate::session::step::tensor_memory_access::TensorMemoryAccess;
use warpgrid_emulator::{MachineStatus, MemoryRegion, NextStep, TENSOR_COLUMNS, WarpId};
use warpgrid_isa::{DeviceUnitOp, TensorMemoryOp};

/// Size in bytes of one column of a lane.
const COLUMN_BYTES: usize = 4;

impl Session {
    /// Returns the reads of unwritten tensor memory in the first steps of the launch.
    pub(super) fn uninitialized_tensor_reads(&self) -> Vec<UninitializedUse> {
        let loads =
            |op: TensorMemoryOp| op.moves_registers() && !matches!(op, TensorMemoryOp::Store);
        let has_loads = self.program.opcodes.iter().any(|opcode| {
            let unit = opcode.operation.unit();
            unit.and_then(DeviceUnitOp::tensor_memory)
                .is_some_and(loads)
        });
        match has_loads.then(|| self.restart_with_last_writers()) {
            Some(Ok(mut again)) => again.follow_tensor_reads(),
            Some(Err(_)) | None => Vec::new(),
        }
    }

    fn follow_tensor_reads(&mut self) -> Vec<UninitializedUse> {
        let mut found: Vec<UninitializedUse> = Vec::new();
        while self.position() < MAX_REPEATED_STEPS && found.len() < MAX_USES {
            if let Some(next) = self.timeline.machine().next_step() {
                let place = (next.function, next.instruction);
                let is_known = found
                    .iter()
                    .any(|read| (read.function, read.instruction) == place);
                found.extend(self.unwritten_column(&next).filter(|_| !is_known));
            }
            if self.timeline.step(&mut ()) != MachineStatus::Running {
                break;
            }
        }
        found
    }

    /// Returns the first unwritten column that the next step reads, if the step is a `tcgen05.ld`.
    fn unwritten_column(&self, next: &NextStep) -> Option<UninitializedUse> {
        let reader = self.reader(next.function, next.instruction)?;
        // Half of the lanes of a SASS instruction can be disabled.
        if reader.function.machine.is_some() {
            return None;
        }
        let access = TensorMemoryAccess::of(reader).filter(|access| !access.is_store)?;
        let of = WarpId {
            block: next.block,
            warp: next.warp,
        };
        let base = self.tensor_address(of, next.function, reader)?;
        let (first_lane, first_column) = (base >> 16, base & 0xffff);
        let machine = self.timeline.machine();
        let writers = machine.writers(MemoryRegion::Tensor { block: next.block })?;
        let mut places = access.places().into_iter();
        let (lane, column) = places.find_map(|(lane, column)| {
            let (lane, column) = (first_lane + lane, first_column + column);
            let word = lane * TENSOR_COLUMNS + column;
            let is_unwritten = !writers.is_written(word as usize * COLUMN_BYTES);
            is_unwritten.then_some((lane, column))
        })?;
        Some(UninitializedUse {
            function: next.function,
            instruction: next.instruction,
            message: format!(
                "warp {} of block {} reads lane {lane}, column {column} of tensor memory, which no instruction has written",
                next.warp, next.block
            ),
        })
    }
}
