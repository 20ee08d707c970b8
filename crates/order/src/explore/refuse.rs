//! What cannot be followed. In: an instruction of a thread; out: a sentence that says so, and what to write in its place.

use super::path::{Path, Walker};
use super::question::ExploreError;
use warpgrid_isa::{ControlOp, Does, MbarrierOp, SyncOp};

impl Walker<'_> {
    /// The instruction at hand is none that can be followed.
    pub(crate) fn refuse(&self, path: &Path, opcode: &str) -> ExploreError {
        let at = path.place().saturating_sub(1) as usize;
        let instruction = self.function.instructions.get(at);
        let action = instruction.and_then(|i| self.question.program.action(i));
        let instead = action.map_or(LEAVE_OUT, |action| instead_of(action.does));
        self.no_place(
            path,
            &format!("`{opcode}` cannot be followed in a litmus test: {instead}"),
        )
    }
}

const LEAVE_OUT: &str = "leave it out";
const MOVE: &str = "move the number that it gives into its register, or leave it out";

/// What to write where such an instruction goes.
fn instead_of(does: Does) -> &'static str {
    match does {
        Does::Control(op) => match op {
            ControlOp::Trap => {
                "leave it out, with the branch that leads to it, since a launch that traps has no outcome"
            }
            ControlOp::BranchIndexed | ControlOp::BranchIndirect => {
                "compare the index with `setp`, and branch to each label with `bra`"
            }
            ControlOp::Call => {
                "call a function by its name, with its `.func` before the first thread"
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
                "leave it out, since it changes nothing that other threads see"
            }
        },
        Does::Sync(
            SyncOp::Fence
            | SyncOp::Bar
            | SyncOp::Barrier
            | SyncOp::WarpBarrier
            | SyncOp::ClusterArrive
            | SyncOp::ClusterWait,
        ) => {
            "use `bar.sync`, which orders the same, and move the number that it gives into its register"
        }
        Does::Mbarrier(MbarrierOp::Inval) => {
            "leave it out, and use another location for what comes after it"
        }
        Does::Mbarrier(_) => {
            "leave it out, and wait for the phase with `mbarrier.test_wait` or `mbarrier.try_wait`"
        }
        Does::Async(_) => {
            "use `cp.async`, `cp.async.bulk` of one place, or a load and a store, which order what they say"
        }
        Does::Matrix(_) | Does::Unit(_) => {
            "load and store what it reads and writes with `ld` and `st`, as far as other threads see it"
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
