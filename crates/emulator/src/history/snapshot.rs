//! Snapshot of the state of a machine at one position. Snapshots share unchanged parts.
//!
//! A snapshot is a [`MachineState`] with [`SnapshotStorage`]. The conversions in both directions destructure the state
//! without `..`, so that a new field of [`MachineState`] without a conversion causes a compile error.

use crate::history::arena_snapshot::ArenaSnapshot;
use crate::state::block::{Barrier, Block};
use crate::state::memory::PagedMemory;
use crate::state::warp::Warp;
use crate::state::{LiveStorage, MachineState, StateStorage};
use std::sync::Arc;

/// Storage of a snapshot, whose large parts are shared with other snapshots.
#[derive(Clone, Debug)]
pub(crate) struct SnapshotStorage;

impl StateStorage for SnapshotStorage {
    type Global = ArenaSnapshot;
    type Shared = Arc<PagedMemory>;
    type Warp = Arc<Warp>;
    type Barriers = Arc<Vec<Barrier>>;
}

/// Snapshot of the state of a machine at one position of a run, from which the timeline restores the state.
pub(crate) type Snapshot = MachineState<SnapshotStorage>;

/// Approximate size in bytes of the small parts of a snapshot.
const FIXED_PARTS_BYTES: u64 = 1024;

impl Block<SnapshotStorage> {
    fn take(
        block: &mut Block,
        base: Option<&Block<SnapshotStorage>>,
        fresh: &mut u64,
    ) -> Block<SnapshotStorage> {
        let Block {
            index,
            position,
            warps,
            barriers,
            n_live_warps,
            dirty,
        } = block;
        let base_warp = |i: usize| base.and_then(|base| base.warps.get(i));
        let warps = warps.iter_mut().enumerate();
        let taken = Block {
            index: *index,
            position: *position,
            warps: warps
                .map(|(i, warp)| take_warp(warp, base_warp(i), fresh))
                .collect(),
            barriers: match base {
                Some(base) if !*dirty => Arc::clone(&base.barriers),
                _ => Arc::new(barriers.clone()),
            },
            n_live_warps: *n_live_warps,
            dirty: false,
        };
        *dirty = false;
        taken
    }

    fn restore(&self, block: &mut Block, base: Option<&Block<SnapshotStorage>>) {
        let Block {
            index,
            position,
            warps,
            barriers,
            n_live_warps,
            dirty: _,
        } = self;
        block.index = *index;
        block.position = *position;
        block.n_live_warps = *n_live_warps;
        for (i, (warp, kept)) in block.warps.iter_mut().zip(warps).enumerate() {
            if warp.dirty || !is_same(base.and_then(|base| base.warps.get(i)), kept) {
                warp.clone_from(kept);
                warp.dirty = false;
            }
        }
        if block.dirty || !is_same(base.map(|base| &base.barriers), barriers) {
            block.barriers.clone_from(barriers);
            block.dirty = false;
        }
    }
}

/// Checks whether a part of the state is the same object as in `base`, and therefore unchanged.
fn is_same<T>(base: Option<&Arc<T>>, kept: &Arc<T>) -> bool {
    base.is_some_and(|base| Arc::ptr_eq(base, kept))
}

fn take_warp(warp: &mut Warp, base: Option<&Arc<Warp>>, fresh: &mut u64) -> Arc<Warp> {
    if let Some(base) = base.filter(|_| !warp.dirty) {
        return Arc::clone(base);
    }
    warp.dirty = false;
    *fresh += warp.bytes();
    Arc::new(warp.clone())
}

fn take_shared(
    shared: &mut PagedMemory,
    base: Option<&Arc<PagedMemory>>,
    fresh: &mut u64,
) -> Arc<PagedMemory> {
    if let Some(base) = base.filter(|_| !shared.any_dirty()) {
        return Arc::clone(base);
    }
    shared.clear_dirty();
    *fresh += shared.size();
    Arc::new(shared.clone())
}

fn restore_shared(
    memory: &mut PagedMemory,
    base: Option<&Arc<PagedMemory>>,
    kept: &Arc<PagedMemory>,
) {
    if memory.any_dirty() || !is_same(base, kept) {
        memory.clone_from(kept);
        memory.clear_dirty();
    }
}

impl Snapshot {
    /// Takes a snapshot of the current state. Returns the snapshot, and the number of bytes that it does not share with
    /// `base`. `base` must be the snapshot that was last taken from, or restored to, this state.
    pub(crate) fn take(
        state: &mut MachineState<LiveStorage>,
        base: Option<&Snapshot>,
    ) -> (Snapshot, u64) {
        let mut fresh = 0;
        let arena = &mut state.global.arena;
        let pages = ArenaSnapshot::take(arena, base.map(|b| &b.global), &mut fresh);
        arena.clear_dirty();
        let (snapshot, rest) = Snapshot::with_pages(state, pages, base);
        (snapshot, fresh + rest)
    }

    /// Takes a snapshot of the current state except for global memory, which the snapshot shares with `base`. The
    /// caller restores global memory by other means.
    pub(crate) fn take_without_memory(
        state: &mut MachineState<LiveStorage>,
        base: &Snapshot,
    ) -> (Snapshot, u64) {
        Snapshot::with_pages(state, base.global.clone(), Some(base))
    }

    fn with_pages(
        state: &mut MachineState<LiveStorage>,
        pages: ArenaSnapshot,
        base: Option<&Snapshot>,
    ) -> (Snapshot, u64) {
        let mut fresh = FIXED_PARTS_BYTES;
        let MachineState {
            position,
            stores_done,
            lane_instructions,
            global: _,
            shared,
            tensor,
            blocks,
            clusters,
            next_cluster,
            blocks_done,
            schedule,
            in_flight,
            inputs_done,
            diagnostics: notes,
            fault,
            spin_detector: watch,
            last_step,
        } = state;
        let shared = shared.iter_mut().enumerate().map(|(i, shared)| {
            let base = base.and_then(|base| base.shared.get(i));
            take_shared(shared, base, &mut fresh)
        });
        let shared = shared.collect();
        let tensor = tensor.iter_mut().enumerate().map(|(i, tensor)| {
            let base = base.and_then(|base| base.tensor.get(i));
            take_shared(tensor, base, &mut fresh)
        });
        let tensor = tensor.collect();
        let blocks = blocks.iter_mut().enumerate().map(|(i, block)| {
            let base = base.and_then(|base| base.blocks.get(i));
            Block::take(block, base, &mut fresh)
        });
        let snapshot = MachineState {
            position: *position,
            stores_done: *stores_done,
            lane_instructions: *lane_instructions,
            global: pages,
            shared,
            tensor,
            blocks: blocks.collect(),
            clusters: clusters.clone(),
            next_cluster: *next_cluster,
            blocks_done: *blocks_done,
            schedule: schedule.clone(),
            in_flight: in_flight.clone(),
            inputs_done: *inputs_done,
            diagnostics: Arc::clone(notes),
            fault: fault.clone(),
            spin_detector: watch.clone(),
            last_step: *last_step,
        };
        (snapshot, fresh)
    }

    /// Restores this snapshot in a state that results from executing steps after `base`.
    pub(crate) fn restore(&self, state: &mut MachineState<LiveStorage>, base: &Snapshot) {
        self.global.restore(&mut state.global.arena, &base.global);
        self.restore_without_memory(state, base);
    }

    /// Restores all parts of the state except for global memory.
    pub(crate) fn restore_without_memory(
        &self,
        state: &mut MachineState<LiveStorage>,
        base: &Snapshot,
    ) {
        let MachineState {
            position,
            stores_done,
            lane_instructions,
            global: _,
            shared,
            tensor,
            blocks,
            clusters,
            next_cluster,
            blocks_done,
            schedule,
            in_flight,
            inputs_done,
            diagnostics: notes,
            fault,
            spin_detector: watch,
            last_step,
        } = self;
        state.position = *position;
        state.stores_done = *stores_done;
        state.lane_instructions = *lane_instructions;
        for (i, (memory, kept)) in state.shared.iter_mut().zip(shared).enumerate() {
            restore_shared(memory, base.shared.get(i), kept);
        }
        for (i, (memory, kept)) in state.tensor.iter_mut().zip(tensor).enumerate() {
            restore_shared(memory, base.tensor.get(i), kept);
        }
        for (i, (block, kept)) in state.blocks.iter_mut().zip(blocks).enumerate() {
            kept.restore(block, base.blocks.get(i));
        }
        state.clusters.clone_from(clusters);
        state.next_cluster = *next_cluster;
        state.blocks_done = *blocks_done;
        state.schedule = schedule.clone();
        state.in_flight = in_flight.clone();
        state.inputs_done = *inputs_done;
        state.diagnostics = Arc::clone(notes);
        state.fault = fault.clone();
        state.spin_detector = watch.clone();
        state.last_step = *last_step;
    }

    /// Returns the total size in bytes of the parts that are not shared with other snapshots.
    pub(crate) fn own_bytes(&self) -> u64 {
        let warps = self.blocks.iter().flat_map(|block| &block.warps);
        let warps = warps.filter(|warp| Arc::strong_count(warp) == 1);
        let memories = self.shared.iter().chain(&self.tensor);
        let shared = memories.filter(|s| Arc::strong_count(s) == 1);
        FIXED_PARTS_BYTES
            + self.global.own_bytes()
            + warps.map(|warp| warp.bytes()).sum::<u64>()
            + shared.map(|shared| shared.size()).sum::<u64>()
    }
}
