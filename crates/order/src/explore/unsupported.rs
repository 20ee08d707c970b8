//! Error messages for instructions that the explorer does not support. If possible, a message suggests a replacement
//! for the instruction.

use crate::explore::query::ExploreError;
use crate::explore::thread_path::{PathExplorer, ThreadPath};
use warpgrid_isa::{ControlOp, MbarrierOp, Operation, SyncOp};

impl PathExplorer<'_> {
    /// Returns the error for the current instruction, which litmus tests do not support.
    pub(crate) fn refuse(&self, path: &ThreadPath, opcode: &str) -> ExploreError {
        let at = path.place().saturating_sub(1) as usize;
        let instruction = self.function.instructions.get(at);
        let action = instruction.and_then(|i| self.question.program.opcode(i));
        let instead = action.map_or(HINT_REMOVE, |action| replacement_hint(action.operation));
        self.unsupported_error(
            path,
            &format!("`{opcode}` is not supported in litmus tests: {instead}"),
        )
    }
}

const HINT_REMOVE: &str = "remove the instruction";
const HINT_USE_MOV: &str = "replace the instruction with a move of the result into the destination register, or remove the instruction";

/// Returns the suggested replacement of an unsupported instruction.
fn replacement_hint(operation: Operation) -> &'static str {
    match operation {
        Operation::Control(op) => match op {
            ControlOp::Trap => {
                "remove the instruction and the branch to this instruction, since a launch that traps has no outcome"
            }
            ControlOp::BranchIndexed | ControlOp::BranchIndirect => {
                "compare the index with `setp`, and branch to each label with `bra`"
            }
            ControlOp::Call => {
                "call a function by its name, and define the function with `.func` before the first thread"
            }
            ControlOp::Branch
            | ControlOp::Return
            | ControlOp::Exit
            | ControlOp::Breakpoint
            | ControlOp::PushReconvergence
            | ControlOp::Reconverge
            | ControlOp::ReconvergeYieldable
            | ControlOp::Yield
            | ControlOp::BreakReconvergence
            | ControlOp::BranchDivergent => {
                "remove the instruction, since it has no effect on other threads"
            }
        },
        Operation::Sync(
            SyncOp::Fence
            | SyncOp::Membar
            | SyncOp::Bar
            | SyncOp::Barrier
            | SyncOp::WarpBarrier
            | SyncOp::ClusterArrive
            | SyncOp::ClusterWait,
        ) => {
            "use `bar.sync`, which provides the same ordering, and move the result into the destination register"
        }
        Operation::Mbarrier(MbarrierOp::Inval) => {
            "remove the instruction, and use another location for the subsequent accesses"
        }
        Operation::Mbarrier(_) => {
            "remove the instruction, and wait for the phase with `mbarrier.test_wait` or `mbarrier.try_wait`"
        }
        Operation::Async(_) => {
            "use `cp.async`, a contiguous `cp.async.bulk`, or a load and a store"
        }
        Operation::Matrix(_) | Operation::Unit(_) => {
            "replace the instruction with the `ld` and `st` instructions that access the shared locations"
        }
        Operation::Memory(_)
        | Operation::Arithmetic(_)
        | Operation::Carry(_)
        | Operation::Video(..)
        | Operation::Compare(_)
        | Operation::Move(_)
        | Operation::Warp(_) => HINT_USE_MOV,
        Operation::Hint(_) | Operation::Machine(_) | Operation::Unknown => HINT_REMOVE,
    }
}
