//! Block map of a launch, which shows the finished, running, waiting and not yet started blocks. The module also implements the seek to a
//! block.

use crate::model::cluster::{ClusterBlock, ClusterView};
use crate::model::warp::{BlockMap, BlockProgress, ResidentBlock};
use crate::session::Session;
use warpgrid_emulator::{BlockView, Machine, WarpView};

/// Maximum number of cells in a block map.
const MAX_CELLS: u64 = 512;
/// Maximum number of warps in a block map.
const MAX_WARPS: usize = 1024;
/// Number of steps between two checks in the search for the start of a block.
const STRIDE: u64 = 4096;

/// Returns the block map of a machine.
pub(crate) fn map(machine: &Machine, grid: [u32; 3]) -> BlockMap {
    let n_blocks = machine.n_blocks();
    let blocks_per_cell = n_blocks.div_ceil(MAX_CELLS).max(1);
    let mut n_warps = 0;
    let mut resident = Vec::new();
    for block in machine.blocks() {
        n_warps += block.n_warps as usize;
        if n_warps > MAX_WARPS {
            break;
        }
        resident.push(resident_block(machine, &block));
    }
    resident.sort_by_cached_key(|block| block.block);
    let cells = (0..n_blocks.div_ceil(blocks_per_cell)).map(|cell| {
        let first = cell * blocks_per_cell;
        let last = (first + blocks_per_cell).min(n_blocks) - 1;
        progress_of(machine, &resident, first, last)
    });
    BlockMap {
        grid,
        n_blocks,
        n_finished: machine.blocks_done(),
        blocks_per_cell,
        cells: cells.collect(),
        resident,
    }
}

/// Returns the combined progress of the blocks `first..=last`.
fn progress_of(
    machine: &Machine,
    resident: &[ResidentBlock],
    first: u64,
    last: u64,
) -> BlockProgress {
    let from = resident.partition_point(|block| block.block < first);
    let here = resident.iter().skip(from);
    let here = here.take_while(|block| block.block <= last);
    let live = here.filter_map(|block| match of_all(&block.warps) {
        BlockProgress::Done => None,
        progress => Some(progress),
    });
    // A cell with both running and waiting blocks counts as running.
    let live = live.max_by_key(|progress| *progress == BlockProgress::Running);
    match (live, machine.has_started(first), machine.has_started(last)) {
        (Some(progress), ..) => progress,
        (None, false, _) => BlockProgress::NotStarted,
        (None, true, true) => BlockProgress::Done,
        (None, true, false) => BlockProgress::Running,
    }
}

fn resident_block(machine: &Machine, block: &BlockView) -> ResidentBlock {
    let warps = (0..block.n_warps).map(|warp| {
        let state = machine.warp(block.index, warp);
        state.map_or(BlockProgress::Done, |state| warp_progress(&state))
    });
    ResidentBlock {
        block: block.index,
        warps: warps.collect(),
    }
}

fn warp_progress(warp: &WarpView) -> BlockProgress {
    if warp.exited == warp.present {
        BlockProgress::Done
    } else if warp.groups.iter().all(|group| group.waiting.is_some()) {
        BlockProgress::Waiting
    } else {
        BlockProgress::Running
    }
}

fn of_all(warps: &[BlockProgress]) -> BlockProgress {
    if warps.iter().all(|warp| *warp == BlockProgress::Done) {
        BlockProgress::Done
    } else if warps.contains(&BlockProgress::Running) {
        BlockProgress::Running
    } else {
        BlockProgress::Waiting
    }
}

/// Returns the cluster of a resident block, or `None` if the launch has no clusters of several blocks.
pub(crate) fn cluster(machine: &Machine, block: u64) -> Option<ClusterView> {
    let of_cluster = machine.cluster(block);
    if of_cluster.len() < 2 {
        return None;
    }
    let views = machine.blocks();
    let view_of = |index: &u64| views.iter().find(|view| view.index == *index);
    let found = of_cluster.iter().filter_map(view_of).zip(0..);
    let blocks = found.map(|(view, rank)| ClusterBlock {
        rank,
        block: view.index,
        block_id: view.position,
        warps: resident_block(machine, view).warps,
    });
    Some(ClusterView {
        blocks: blocks.collect(),
    })
}

impl Session {
    /// Returns the cluster of a resident block with the linear index `block`, or `None` if the block is not resident.
    pub fn cluster(&self, block: u64) -> Option<ClusterView> {
        cluster(self.timeline.machine(), block)
    }

    /// Seeks to the block with the linear index `block`. If the block is resident and has not finished, the position does not change.
    /// Otherwise, the session seeks to the first position at which the block is resident, and executes at most about `budget` steps
    /// forward. Returns whether the session has reached this position or the end of the run. If the result is `false`, further calls
    /// continue the search.
    pub fn go_to_block(&mut self, block: u64, budget: u64) -> bool {
        let is_live = |machine: &Machine| {
            let found = machine
                .blocks()
                .into_iter()
                .find(|found| found.index == block);
            found.is_some_and(|found| !found.finished)
        };
        if is_live(self.timeline.machine()) {
            return true;
        }
        let mut before = 0;
        if !self.timeline.machine().has_started(block) {
            let end = self.position().saturating_add(budget);
            let stride = STRIDE.min(budget.max(1));
            loop {
                before = self.position();
                self.timeline
                    .seek_within(before.saturating_add(stride), stride);
                if self.timeline.machine().has_started(block) {
                    break;
                }
                if self.is_finished() || self.position() >= end {
                    return self.is_finished();
                }
            }
        }
        // Use a binary search to find the first position at which the block has started. A binary search is possible because the block also
        // counts as started at all later positions.
        let mut after = self.position();
        while before + 1 < after {
            let middle = before + (after - before) / 2;
            self.timeline.seek(middle);
            match self.timeline.machine().has_started(block) {
                true => after = middle,
                false => before = middle,
            }
        }
        self.timeline.seek(before);
        if !self.timeline.machine().has_started(block) {
            self.timeline.seek(after);
        }
        true
    }
}
