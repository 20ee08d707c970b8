//! Error messages for unsupported instructions. Input: an instruction of a thread. Output: a message that names a
//! replacement.

use crate::explore::path::{Path, Walker};
use crate::explore::question::ExploreError;
use warpgrid_isa::{ControlOp, Does, MbarrierOp, SyncOp};

impl Walker<'_> {
    /// Returns the error for the current instruction, which is not supported.
    pub(crate) fn refuse(&self, path: &Path, opcode: &str) -> ExploreError {
        let at = path.place().saturating_sub(1) as usize;
        let instruction = self.function.instructions.get(at);
        let action = instruction.and_then(|i| self.question.program.action(i));
        let instead = action.map_or(LEAVE_OUT, |action| instead_of(action.does));
        self.no_place(
            path,
            &format!("`{opcode}` is not supported in litmus tests: {instead}"),
        )
    }
}

const LEAVE_OUT: &str = "remove the instruction";
const MOVE: &str = "replace the instruction with a move of the result into the destination register, or remove the instruction";

/// Returns the replacement for an unsupported instruction.
fn instead_of(does: Does) -> &'static str {
    match does {
        Does::Control(op) => match op {
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
            | ControlOp::ReconvergeUnlessYielded
            | ControlOp::GiveWay
            | ControlOp::LeaveReconvergence
            | ControlOp::BranchDivergent => {
                "remove the instruction, since it has no effect on other threads"
            }
        },
        Does::Sync(
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
        Does::Mbarrier(MbarrierOp::Inval) => {
            "remove the instruction, and use another location for the subsequent accesses"
        }
        Does::Mbarrier(_) => {
            "remove the instruction, and wait for the phase with `mbarrier.test_wait` or `mbarrier.try_wait`"
        }
        Does::Async(_) => "use `cp.async`, a contiguous `cp.async.bulk`, or a load and a store",
        Does::Matrix(_) | Does::Unit(_) => {
            "replace the instruction with the `ld` and `st` instructions that access the shared locations"
        }
        Does::Memory(_)
        | Does::Arithmetic(_)
        | Does::Carry(_)
        | Does::Video(..)
        | Does::Compare(_)
        | Does::Move(_)
        | Does::Warp(_) => MOVE,
        Does::Hint(_) | Does::Machine(_) | Does::Unknown => LEAVE_OUT,
    }
}
