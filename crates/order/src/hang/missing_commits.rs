//! Diagnosis of arrivals that `tcgen05.commit` performs when matrix operations complete. The diagnosis detects commits to the wrong
//! mbarrier, and missing commits.

use crate::hang::diagnosis::{Culprit, OTHER_MBARRIER};
use crate::hang::execution_trace::{InstructionRef, MbarrierRef};
use crate::hang::missing_arrivals::MissingArrivals;
use warpgrid_emulator::MbarrierOperation;
use warpgrid_isa::TensorMemoryOp;

impl MissingArrivals<'_> {
    /// Returns a commit or a copy that completes on an mbarrier for which no thread waits.
    pub(crate) fn committed_elsewhere(&self) -> Option<Culprit> {
        let trace = self.case.trace;
        let is_waited_for = |object: MbarrierRef| {
            let mut events = trace.mbarrier_events.iter();
            events.any(|event| event.object == object && event.act == MbarrierOperation::Test)
        };
        let mut start = trace.async_starts.iter().rev();
        let start = start.find(|start| {
            start.bytes.is_none() && start.object != self.object && !is_waited_for(start.object)
        })?;
        let is_missed = !self.has_any() && !is_waited_for(self.object);
        is_missed.then(|| Culprit::at(start.at, OTHER_MBARRIER))
    }

    /// Returns a matrix operation without a subsequent commit, so that no mbarrier signals the completion of the operation.
    pub(crate) fn uncommitted(&self) -> Option<Culprit> {
        let code = self.case.code;
        let operation = |at: &InstructionRef| code.operation_of(*at)?.unit()?.tensor_memory();
        let paths = self.case.trace.paths.values();
        let mut all: Vec<InstructionRef> = paths
            .flat_map(|path| path.steps.iter().map(|(at, _)| *at))
            .filter(|at| operation(at).is_some())
            .collect();
        all.dedup();
        let is_commit = |at: &InstructionRef| operation(at) == Some(TensorMemoryOp::Commit);
        if self.has_any() || all.iter().any(is_commit) {
            return None;
        }
        let is_product =
            |at: &InstructionRef| operation(at).is_some_and(TensorMemoryOp::is_product);
        let last = all.into_iter().rev().find(is_product)?;
        Some(Culprit::at(
            last,
            "no `tcgen05.commit` follows this MMA, so no mbarrier tracks the completion of the MMA",
        ))
    }
}
