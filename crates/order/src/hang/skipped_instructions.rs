//! Control dependences of instructions that threads did not execute: the branch by which the lanes of a warp skipped an arrival, a copy or a
//! store on which other threads wait.

use crate::hang::diagnosis::HangContext;
use crate::hang::execution_trace::InstructionRef;
use crate::hang::root_cause::Wait;
use std::collections::BTreeSet;
use warpgrid_emulator::WarpId;

/// Warp that skipped an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkippingWarp {
    pub(crate) warp: WarpId,
    pub(crate) skipped: InstructionRef,
    /// Conditional branch or return that determined that the warp skips the instruction.
    pub(crate) branch: InstructionRef,
}

impl SkippingWarp {
    /// Returns a value that orders branches by their distance to the skipped instruction: branches of the same function are closer than
    /// branches of callers, and later branches are closer than earlier branches.
    fn proximity(&self) -> (bool, InstructionRef) {
        (self.branch.0 == self.skipped.0, self.branch)
    }
}

/// Returns the warps of a cluster, given a block of the cluster.
pub(crate) fn warps_of_cluster(case: &HangContext<'_>, block: u64) -> Vec<WarpId> {
    let cluster = case.machine.cluster(block);
    let warps = case.trace.paths.keys().copied();
    warps.filter(|warp| cluster.contains(&warp.block)).collect()
}

/// Checks whether a waiting warp can execute an instruction after its wait.
pub(crate) fn is_after_a_wait(case: &HangContext<'_>, at: InstructionRef) -> bool {
    let mut waits = case.waits.iter();
    waits.any(|wait| is_after(case, wait, at))
}

fn is_after(case: &HangContext<'_>, wait: &Wait, at: InstructionRef) -> bool {
    case.code
        .next_after(wait.at(), |place| place == at)
        .is_some()
}

/// Returns those of the given warps that skipped an instruction and do not execute the instruction after their waits.
pub(crate) fn skipping_warps(
    case: &HangContext<'_>,
    warps: impl IntoIterator<Item = WarpId>,
    at: InstructionRef,
) -> Vec<SkippingWarp> {
    let is_later = |warp: WarpId| {
        let mut waits = case.waits.iter().filter(|wait| wait.warp_id() == warp);
        waits.any(|wait| is_after(case, wait, at))
    };
    let warps = warps.into_iter().filter(|warp| !is_later(*warp));
    warps
        .filter_map(|warp| skipping_warp(case, warp, at))
        .collect()
}

/// Returns the branch by which a warp skipped an instruction, or `None` if lanes of the warp executed the instruction after their last
/// branch around the instruction, or have not reached such a branch.
pub(crate) fn skipping_warp(
    case: &HangContext<'_>,
    warp: WarpId,
    at: InstructionRef,
) -> Option<SkippingWarp> {
    let path = case.trace.paths.get(&warp)?;
    let branch = if path
        .steps
        .iter()
        .any(|((function, _), _)| *function == at.0)
    {
        skipping_branch(case, warp, at)?
    } else {
        let mut visited = BTreeSet::new();
        let mut open = case.code.call_sites(at.0);
        let mut found = None;
        while let Some(site) = open.pop() {
            found = found.or_else(|| skipping_branch(case, warp, site));
            if visited.insert(site.0) {
                open.extend(case.code.call_sites(site.0));
            }
        }
        found?
    };
    Some(SkippingWarp {
        warp,
        skipped: at,
        branch,
    })
}

/// Returns the last branch by which lanes of a warp skipped an instruction of the same function.
fn skipping_branch(
    case: &HangContext<'_>,
    warp: WarpId,
    at: InstructionRef,
) -> Option<InstructionRef> {
    let code = case.code;
    let before = code.instructions_before(at);
    let reaches = |from: InstructionRef| before.get(from.1 as usize) == Some(&true);
    let mut undecided = u32::MAX;
    // The path of a warp does not contain the wait that completes the deadlock.
    let own_waits = case.waits.iter().filter(|wait| wait.warp_id() == warp);
    let own_waits: Vec<&Wait> = own_waits.collect();
    let mut next: [Option<InstructionRef>; 32] = std::array::from_fn(|lane| {
        let mut own = own_waits.iter().filter(|wait| wait.lanes >> lane & 1 != 0);
        own.next().map(|wait| wait.at())
    });
    let mut last: Option<InstructionRef> = None;
    for (step, lanes) in case.trace.paths.get(&warp)?.steps.iter().rev() {
        let lanes = lanes & undecided;
        if lanes == 0 {
            continue;
        }
        if *step == at {
            return None;
        }
        let is_conditional =
            step.0 == at.0 && code.is_conditional_transfer(*step) && reaches(*step);
        for (lane, next) in next.iter_mut().enumerate() {
            if lanes >> lane & 1 == 0 {
                continue;
            }
            let successor = next.replace(*step);
            let is_skipped = is_conditional
                && match successor {
                    Some(successor) if successor.0 == at.0 => !reaches(successor),
                    Some(_) | None => code.is_exit(*step),
                };
            if is_skipped {
                undecided &= !(1 << lane);
                last = last.max(Some(*step));
            }
        }
    }
    last
}

/// Selects the branch by which as many warps skipped an instruction as there are missing executions of the instruction. Prefers warps that
/// do not wait for the same event as the root wait. `may_wait` selects the waiting warps that can be expected to execute the instruction
/// nevertheless.
pub(crate) fn branch_of_missing_warps(
    case: &HangContext<'_>,
    root: &Wait,
    skipping: &[SkippingWarp],
    may_wait: impl Fn(WarpId) -> bool,
    is_missing_count: impl Fn(usize) -> bool,
) -> Option<InstructionRef> {
    let waits = |warp: WarpId| waits_for_root(case, root, warp);
    let others = skipping.iter().filter(|skipping| !waits(skipping.warp));
    let all = skipping.iter();
    let all = all.filter(|skipping| !waits(skipping.warp) || may_wait(skipping.warp));
    [others.collect::<Vec<_>>(), all.collect()]
        .into_iter()
        .filter(|warps| is_missing_count(warps.len()))
        .find_map(|warps| {
            warps
                .into_iter()
                .max_by_key(|skipping| skipping.proximity())
        })
        .map(|skipping| skipping.branch)
}

/// Checks whether a warp waits for the event of the root wait.
pub(crate) fn waits_for_root(case: &HangContext<'_>, root: &Wait, warp: WarpId) -> bool {
    let mut waits = case.waits.iter();
    waits.any(|wait| wait.warp_id() == warp && wait.kind == root.kind)
}
