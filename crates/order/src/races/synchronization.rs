//! Synchronization of threads by barriers, fences and thread exits.

use crate::races::access_site::action_of;
use crate::races::detector::{BarrierArrivals, BlockState, RaceDetector};
use crate::races::release_set::ReleaseEvent;
use crate::races::tensor_maps::release_maps;
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{ClockGroup, ProxyFence, VectorClock, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::{ThreadLocation, acquires, releases};
use std::rc::Rc;
use warpgrid_emulator::{ArrivalMode, SyncEvent, SyncKind, WarpId};
use warpgrid_isa::{Flag, Modifiers, Proxy, Scope, Sem, StateSpace, SyncOp};

/// Maximum number of threads of a launch for which the detector orders the sequentially consistent fences that the
/// lanes of one warp execute in the same step.
const MAX_SORTED_THREADS: u64 = 4096;

impl RaceDetector {
    pub(crate) fn see_sync(&mut self, event: &SyncEvent<'_>) {
        let (block, warp) = (event.block, event.warp);
        match event.what {
            SyncKind::Fence => self.see_fence(event),
            SyncKind::BarrierArrived { id, waits } => {
                let mut state = self.take(block, warp);
                let arrival = self.arrival(event, ReleaseMode::Yes);
                let gathering = self.block(block).barrier(id);
                gathering.add(&mut state, arrival);
                if waits == ArrivalMode::Yes {
                    gathering.waiting.push((block, warp, event.lanes));
                }
                self.put(block, warp, state);
            }
            SyncKind::BarrierCompleted { id } => {
                if let Some(gathering) = self.block(block).take_barrier(id) {
                    self.complete_barrier(block, gathering);
                }
            }
            SyncKind::WarpBarrierCompleted { masks } => {
                self.see_warp_met(event.warp_id(), event.lanes, masks)
            }
            SyncKind::ClusterArrived => self.see_cluster_arrival(event),
            SyncKind::ClusterOpened => {
                let cluster = self.shape.home(block).cluster;
                let phases = self.clusters.entry(cluster).or_default();
                let over = std::mem::take(&mut phases[0]);
                phases[1] = over;
            }
            SyncKind::ClusterPassed => {
                let cluster = self.shape.home(block).cluster;
                let over = self
                    .clusters
                    .get(&cluster)
                    .and_then(|[_, over]| over.clock.clone());
                if let Some(clock) = over {
                    let mut state = self.take(block, warp);
                    state.join(event.lanes, &clock);
                    self.put(block, warp, state);
                }
            }
            SyncKind::Mbarrier { act, touched } => self.see_mbarrier(event, act, touched),
            SyncKind::Started(pending) => self.on_async_start(event, pending),
            SyncKind::Matrices { pending, tiles } => self.see_matrices(event, pending, tiles),
            SyncKind::Committed(kind) => {
                let mut state = self.take(block, warp);
                state.commit(kind, event.lanes);
                self.put(block, warp, state);
            }
            SyncKind::Waited(wait) => self.see_wait(event, wait),
            SyncKind::Completed { pending, signal } => self.on_completion(pending, signal),
            SyncKind::TensorMap { act, touched } => self.see_maps(event, act, touched),
            SyncKind::Exited => self.see_exit(event.warp_id(), event.lanes),
        }
    }

    /// Returns the arrival of lanes at a barrier.
    fn arrival(&self, event: &SyncEvent<'_>, releases: ReleaseMode) -> BarrierArrival {
        BarrierArrival {
            row: row_of(event.block, event.warp),
            lanes: event.lanes,
            present: self.shape.present(event.warp),
            releases,
        }
    }

    /// Completes a block barrier: the waiting threads acquire the clocks of the arrivals.
    fn complete_barrier(&mut self, block: u64, gathering: BarrierArrivals) {
        let BarrierArrivals {
            clock,
            waiting,
            latest,
        } = gathering;
        let mut clock = clock.unwrap_or_else(VectorClock::empty);
        let all = Rc::make_mut(&mut clock);
        for (block, warp, lanes) in &waiting {
            // Raise the clock components of the waiting threads to the latest epoch of all arrivals. The early raise is valid, because a
            // waiting thread performs no access between its arrival and the completion of the barrier.
            let mut lanes = *lanes;
            if lanes == self.shape.present(*warp) {
                lanes = u32::MAX;
            }
            all.advance(row_of(*block, *warp), lanes, latest);
        }
        let mut n_waiting = 0;
        for (block, warp, lanes) in waiting {
            let mut state = self.take(block, warp);
            state.set_clock(lanes, &clock);
            state.set_epochs(lanes, latest + 1);
            n_waiting += lanes.count_ones();
            self.put(block, warp, state);
        }
        self.update_common_clock(block, clock, n_waiting);
    }

    /// Records a warp-level synchronization between lanes whose member masks contain each other.
    fn see_warp_met(&mut self, of: WarpId, here: u32, masks: &[u32; 32]) {
        let WarpId { block, warp } = of;
        let mut state = self.take(block, warp);
        let row = row_of(block, warp);
        let live = state.live;
        let mut floor = None;
        let mut left = here;
        while left != 0 {
            let mask = masks[left.trailing_zeros() as usize];
            let named = lanes_of(here)
                .filter(|lane| masks[*lane] == mask)
                .fold(0, |lanes, lane| lanes | 1 << lane);
            left &= !named;
            let lanes = named & mask;
            let mut clock = VectorClock::empty();
            state.release_into(&mut clock, row, lanes, self.shape.present(warp));
            let latest = state.latest_epoch(lanes);
            if lanes != 0 {
                let known = if lanes == self.shape.present(warp) {
                    u32::MAX
                } else {
                    lanes
                };
                Rc::make_mut(&mut clock).advance(row, known, latest);
            }
            state.set_clock(lanes, &clock);
            state.set_epochs(lanes, latest + 1);
            if lanes == live {
                floor = Some((clock, lanes.count_ones()));
            }
        }
        self.put(block, warp, state);
        if let Some((clock, n_lanes)) = floor {
            self.update_common_clock(block, clock, n_lanes);
        }
    }

    /// Updates the lower-bound clock of a block if a barrier synchronized all live threads of the block.
    fn update_common_clock(&mut self, block: u64, clock: Rc<VectorClock>, n_met: u32) {
        let n_threads = self.shape.n_threads();
        let known = self.blocks.get(&block);
        let n_exited = known.map_or(0, |state| state.n_exited);
        if n_met + n_exited != n_threads {
            return;
        }
        let state: &mut BlockState = self.block(block);
        state.floor = Some(clock);
        state.n_floors += 1;
        self.n_barrier_completions += 1;
    }

    fn see_cluster_arrival(&mut self, event: &SyncEvent<'_>) {
        let block = event.block;
        let cluster = self.shape.home(block).cluster;
        let modifiers = self.modifiers(event);
        let is_relaxed = modifiers.is_some_and(|words| words.sem == Some(Sem::Relaxed));
        let releases = if is_relaxed {
            ReleaseMode::No
        } else {
            ReleaseMode::Yes
        };
        let mut state = self.take(block, event.warp);
        let arrival = self.arrival(event, releases);
        let [now, _] = self.clusters.entry(cluster).or_default();
        now.add(&mut state, arrival);
        self.put(block, event.warp, state);
    }

    fn see_exit(&mut self, of: WarpId, lanes: u32) {
        let WarpId { block, warp } = of;
        let mut state = self.take(block, warp);
        if self.shape.has_clusters() {
            self.end(block, warp, &state, lanes);
        } else {
            self.block(block).n_exited += lanes.count_ones();
        }
        state.live &= !lanes;
        let is_over = state.live == 0;
        self.put(block, warp, state);
        if is_over {
            self.warps.remove(of);
        }
        if !self.shape.has_clusters() && self.block(block).n_exited >= self.shape.n_threads() {
            self.shadow().forget_shared(block);
            self.blocks.remove(&block);
        }
    }

    pub(crate) fn modifiers(&self, event: &SyncEvent<'_>) -> Option<Modifiers> {
        let action = action_of(&self.program, event.function, event.instruction);
        action.map(|action| action.modifiers)
    }

    fn see_fence(&mut self, event: &SyncEvent<'_>) {
        let Some(words) = self.modifiers(event) else {
            return;
        };
        let mut state = self.take(event.block, event.warp);
        let row = row_of(event.block, event.warp);
        if words.has(Flag::MbarrierInit) {
            state.fence(event.lanes, &[ProxyFence::Init]);
            state.advance_epoch(event.lanes);
        } else if matches!(words.proxy, Some(Proxy::Async | Proxy::AsyncGeneric)) {
            fence_proxy(&mut state, event, words.space);
        } else if words.proxy == Some(Proxy::Tensormap) {
            release_maps(&mut state, event, words.scope);
        }
        let is_of_memory = words.proxy.is_none_or(|proxy| proxy == Proxy::AsyncGeneric)
            && !words.has(Flag::MbarrierInit);
        if is_of_memory {
            self.fence_memory(&mut state, row, event, &words);
        }
        self.put(event.block, event.warp, state);
    }

    fn fence_memory(
        &mut self,
        state: &mut WarpState,
        row: ClockGroup,
        event: &SyncEvent<'_>,
        words: &Modifiers,
    ) {
        let action = action_of(&self.program, event.function, event.instruction);
        let default =
            match action.and_then(|action| action.operation.sync()) == Some(SyncOp::Membar) {
                true => Sem::Sc,
                false => Sem::AcqRel,
            };
        let sem = match words.sem.unwrap_or(default) {
            Sem::Sc if !self.orders_atomics_and_fences => Sem::AcqRel,
            sem => sem,
        };
        let scope = words.scope.unwrap_or(Scope::Gpu);
        let home = self.shape.home(event.block);
        if acquires(sem) {
            self.acquire_by_fence(state, event.lanes, scope, home);
        }
        let n_blocks: u64 = self.shape.grid.iter().map(|n| u64::from(*n)).product();
        let in_order = n_blocks * u64::from(self.shape.n_threads()) <= MAX_SORTED_THREADS;
        if sem == Sem::Sc && !in_order {
            let mut all = VectorClock::empty();
            self.fences.acquire(&mut all, scope, home);
            state.join(event.lanes, &all);
        }
        let take_turns = sem == Sem::Sc && in_order;
        if take_turns && self.order_sc_fences(state, row, event.lanes, (scope, home)) {
            state.advance_epoch(event.lanes);
            return;
        }
        for lane in lanes_of(event.lanes) {
            if take_turns {
                self.fences.acquire(state.clock_mut(lane), scope, home);
            }
            if !releases(sem) {
                continue;
            }
            let release: ReleaseEvent = state.release(row, lane, scope, home);
            if sem == Sem::Sc {
                self.fences.add(&release);
            }
            state.add_fence(lane, release);
        }
        if releases(sem) {
            state.advance_epoch(event.lanes);
        }
    }

    /// Executes a sequentially consistent fence of several lanes in lane order. Returns `false` if the caller must process the lanes one by
    /// one.
    fn order_sc_fences(
        &mut self,
        state: &mut WarpState,
        row: ClockGroup,
        lanes: u32,
        (scope, home): (Scope, ThreadLocation),
    ) -> bool {
        let mut known = VectorClock::empty();
        self.fences.acquire(&mut known, scope, home);
        if !state.take_turns(row, lanes, known) {
            return false;
        }
        // Record the releases of the lanes together.
        if let Some(release) = state.release_of_lanes(row, lanes, scope, home) {
            state.add_fence_of_lanes(lanes, &Rc::new(release));
        }
        // Record only the release of the last lane for later fences, because it includes the releases of all other lanes.
        if let Some(last) = lanes.checked_ilog2() {
            let release = state.release(row, last as usize, scope, home);
            self.fences.add(&release);
        }
        true
    }
}

impl BarrierArrivals {
    /// Adds the arrival of lanes of a warp, and joins the clocks of these lanes.
    fn add(&mut self, state: &mut WarpState, arrival: BarrierArrival) {
        let BarrierArrival {
            row,
            lanes,
            present,
            releases,
        } = arrival;
        if releases == ReleaseMode::Yes {
            let clock = self.clock.get_or_insert_with(VectorClock::empty);
            state.release_into(clock, row, lanes, present);
        }
        self.latest = self.latest.max(state.latest_epoch(lanes));
        state.advance_epoch(lanes);
    }
}

/// Arrival of several lanes of a warp at a barrier.
#[derive(Clone, Copy)]
struct BarrierArrival {
    row: ClockGroup,
    lanes: u32,
    /// Mask of the lanes of the warp that contain a thread.
    present: u32,
    releases: ReleaseMode,
}

/// Whether an arrival at a barrier releases the clock of its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReleaseMode {
    Yes,
    No,
}

/// Records a proxy fence between the generic and the asynchronous proxy for one state space, or for all state spaces if
/// `space` is `None`.
fn fence_proxy(state: &mut WarpState, event: &SyncEvent<'_>, space: Option<StateSpace>) {
    let block = event.block;
    let all = [
        ProxyFence::Global(block),
        ProxyFence::Shared(block),
        ProxyFence::Init,
    ];
    let covered: &[ProxyFence] = match space {
        Some(StateSpace::Global) => &[ProxyFence::Global(block), ProxyFence::Init],
        Some(StateSpace::Shared | StateSpace::SharedCluster) => {
            &[ProxyFence::Shared(block), ProxyFence::Init]
        }
        _ => &all,
    };
    state.fence(event.lanes, covered);
    state.advance_epoch(event.lanes);
}
