//! Machine that executes a launch: the immutable setup, the mutable state, and the loop that executes one agent after
//! another.

use crate::contract::agent::Agent;
use crate::contract::fault::{Fault, WaitReason};
use crate::contract::inspect::MachineStatus;
use crate::contract::launch::{Launch, LaunchError, ResourceLimits};
use crate::contract::observer::{EventBuffer, Observer};
use crate::contract::step_event::StepOutcome;
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::decode::decode;
use crate::exec::barrier;
use crate::exec::barrier::ExitResult;
use crate::exec::context::{BarrierArrival, ExecutionContext, StopReason, WarpRunResult};
use crate::exec::memory::access::ScratchBuffers;
use crate::exec::simd_dispatch::run_warp;
use crate::run::host_inputs::HostInput;
use crate::run::initial_registers::initial_registers;
use crate::run::setup::{DecodedLaunch, LaunchSetup};
use crate::semantics::registers::RegisterFile;
use crate::state::MachineState;
use crate::state::cluster::ClusterSharedMemory;
use crate::state::image::place_images;
use crate::state::in_flight::{AsyncIssuer, InFlightQueue};
use crate::state::last_step::LastStep;
use crate::state::memory::GlobalMemory;
use crate::state::memory_layout::MemoryLayout;
use crate::state::multicast::place_multicasts;
use crate::state::scheduler::ScheduledAction;
use crate::state::scheduler::{Scheduler, WarpSlot};
use crate::state::spin_watch::SpinDetector;
use crate::state::warp::{Warp, WarpSplitState};
use std::sync::Arc;
use warpgrid_program::Program;

/// Machine that executes a launch step by step. A step is either one instruction of a lane group of a warp, or the
/// completion of an asynchronous operation.
#[derive(Clone)]
pub struct Machine {
    pub(crate) setup: Arc<LaunchSetup>,
    pub(crate) state: MachineState,
    /// Inputs of the host, ordered by position. Inputs are not part of the machine state, so that a replay after a seek
    /// applies them again.
    pub(crate) inputs: Vec<HostInput>,
    /// Scratch buffer in which access events are built. The buffer is not part of the machine state.
    pub(crate) events: EventBuffer,
    /// Register files for warps that have not executed yet. These register files are not part of the machine state.
    pub(crate) spare: Vec<RegisterFile>,
    /// Scratch rows for the executing instruction. The rows are not part of the machine state.
    pub(crate) rows: Box<ScratchBuffers>,
}

impl Machine {
    /// Creates a machine: lays out memory and decodes the program. Fails if the launch is invalid.
    pub fn new(
        program: Arc<Program>,
        launch: &Launch,
        limits: ResourceLimits,
    ) -> Result<Machine, LaunchError> {
        Machine::with_decoded(program, launch, limits, None)
    }

    /// Creates a machine that reuses the decoded code of another machine if both have the same program, and identical
    /// layouts of all objects to which instructions refer. Otherwise, the program is decoded as in [`Machine::new`].
    pub fn with_decoded(
        program: Arc<Program>,
        launch: &Launch,
        limits: ResourceLimits,
        decoded: Option<&DecodedLaunch>,
    ) -> Result<Machine, LaunchError> {
        crate::run::launch_validation::check_limits(&limits)?;
        crate::run::launch_validation::check_launch(&program, launch)?;
        let mut layout = MemoryLayout::new(&program, launch);
        crate::run::launch_validation::check_layout(&program, launch, &layout, &limits)?;
        let global = layout.build_memory(&program, launch, &limits, launch.writer_tracking)?;
        let shared = decoded.and_then(|decoded| decoded.code_for(&program, &layout));
        let mut code = shared.unwrap_or_else(|| Arc::new(decode(&program, &layout)));
        let initial = initial_registers(&program, launch, &code, &global);
        if !initial.is_empty() || !code.initial.is_empty() {
            Arc::make_mut(&mut code).initial = initial;
        }
        let mut setup = LaunchSetup::new(program, code, layout, launch, limits);
        setup.images = place_images(&launch.images, &global)?;
        setup.multicasts = place_multicasts(&launch.multicasts, global.allocations());
        Machine::start(setup, global)
    }

    /// Returns the decoded code as an argument for [`Machine::with_decoded`].
    pub fn decoded(&self) -> DecodedLaunch {
        DecodedLaunch(Arc::clone(&self.setup))
    }

    /// Creates a machine and makes the first clusters resident.
    pub(crate) fn start(setup: LaunchSetup, global: GlobalMemory) -> Result<Machine, LaunchError> {
        let n_clusters = setup.n_resident_clusters(global.arena.len() as u64)?;
        let mut state = MachineState {
            position: 0,
            stores_done: 0,
            lane_instructions: 0,
            global,
            shared: Vec::new(),
            tensor: Vec::new(),
            blocks: Vec::new(),
            clusters: Vec::new(),
            next_cluster: 0,
            blocks_done: 0,
            schedule: Scheduler::new(setup.seed, Arc::clone(&setup.schedule)),
            in_flight: InFlightQueue::default(),
            inputs_done: 0,
            diagnostics: Arc::default(),
            fault: None,
            spin_detector: SpinDetector::default(),
            last_step: None,
        };
        let mut spare = Vec::new();
        state.allocate_slots(&setup, n_clusters, &mut spare);
        Ok(Machine {
            setup: Arc::new(setup),
            state,
            inputs: Vec::new(),
            events: EventBuffer::default(),
            spare,
            rows: Box::new(ScratchBuffers::EMPTY),
        })
    }

    /// Executes one step of one agent.
    pub fn step(&mut self, observer: &mut dyn Observer) -> MachineStatus {
        self.run_observed(1, observer)
    }

    /// Runs up to `max_steps` steps without an observer.
    pub fn run(&mut self, max_steps: u64) -> MachineStatus {
        self.run_observed(max_steps, &mut ())
    }

    /// Runs up to `max_steps` steps and reports events to `observer`.
    pub fn run_observed(&mut self, max_steps: u64, observer: &mut dyn Observer) -> MachineStatus {
        let end = self.state.position.saturating_add(max_steps);
        loop {
            if self.state.inputs_done < self.inputs.len() {
                self.apply_starts();
            }
            if self.state.position >= end || self.state.fault.is_some() {
                break;
            }
            match self.choose() {
                Some(ScheduledAction::Warp(place)) => {
                    self.turn(place, end.min(self.next_interruption()), observer);
                    if self.state.position >= self.state.spin_detector.next {
                        self.check_for_spins(place);
                    }
                }
                Some(ScheduledAction::InFlight(id)) => self.complete_operation(id, observer),
                Some(ScheduledAction::Read(id)) => self.read_now(id, observer),
                None => {
                    self.find_machine_stuck();
                    break;
                }
            }
        }
        self.status()
    }

    /// Returns the agent of the next step. An asynchronous operation is selected if it is due, if the host has
    /// requested its completion, or if no warp is runnable.
    fn choose(&mut self) -> Option<ScheduledAction> {
        if let Some(id) = self.asked_landing() {
            return Some(ScheduledAction::InFlight(id));
        }
        let state = &mut self.state;
        state
            .schedule
            .choose(&state.blocks, &state.in_flight, state.position)
    }

    /// Executes steps of one warp until its quantum expires, the warp stops, or position `end` is reached.
    pub(crate) fn turn(&mut self, place: WarpSlot, end: u64, observer: &mut dyn Observer) {
        let setup = &*self.setup;
        let state = &mut self.state;
        let rank = setup.rank_of_place(place.block);
        let first = place.block - rank;
        let cluster = state.shared.get_mut(first..first + setup.n_ranks as usize);
        let (Some((shared, peers)), Some(block), Some(tensor)) = (
            cluster.and_then(|cluster| ClusterSharedMemory::split(cluster, rank)),
            state.blocks.get_mut(place.block),
            state.tensor.get_mut(place.block),
        ) else {
            return self.fail("the schedule chose a nonexistent agent", place);
        };
        let n_warps = block.warps.len();
        let Some(warp) = block.warps.get_mut(place.warp) else {
            return self.fail("the schedule chose a nonexistent warp", place);
        };
        if warp.has_not_run {
            warp.banks = self.spare.pop().unwrap_or_default();
        }
        let left = state.schedule.left;
        let budget = u64::from(left).min(end - state.position) as u32;
        let mut around = ExecutionContext {
            code: &setup.code,
            map: &setup.layout.map,
            limits: &setup.limits,
            images: &setup.images,
            multicasts: &setup.multicasts,
            global: &mut state.global,
            shared,
            tensor,
            peers,
            interest: observer.interest(),
            observer,
            events: &mut self.events,
            notes: &mut state.diagnostics,
            starter: AsyncIssuer {
                in_flight: &mut state.in_flight,
                schedule: &mut state.schedule,
            },
            block: block.index,
            n_warps: n_warps as u32,
            shape: &setup.shape,
            cluster_barrier: state
                .clusters
                .get(setup.cluster_of_place(place.block))
                .map(|cluster| (&cluster.barrier, rank * n_warps + place.warp)),
            stores: 0,
            lane_instructions: 0,
            last_step: &mut state.last_step,
        };
        let run = run_warp(&mut around, warp, &mut self.rows, state.position, budget);
        state.stores_done += around.stores;
        state.lane_instructions += around.lane_instructions;
        state.position += u64::from(run.steps);
        state.schedule.left = left - run.steps;
        self.after_run(place, run, observer);
    }

    /// Handles the reason why the step loop of a warp returned.
    fn after_run(&mut self, place: WarpSlot, run: WarpRunResult, observer: &mut dyn Observer) {
        if !matches!(
            run.stop,
            StopReason::Turn | StopReason::Yield | StopReason::Blocked
        ) {
            self.state.spin_detector.events += 1;
        }
        match run.stop {
            StopReason::Turn => {}
            StopReason::Yield => self.state.schedule.end_turn(),
            StopReason::PhaseEnded => self.wake_phases(place),
            StopReason::ColumnsFreed => self.wake_allocations(place),
            StopReason::Fault(halt) => self.stop(place, *halt),
            StopReason::Blocked => self.find_cluster_stuck(place),
            StopReason::Barrier { plan, mask } => {
                let Some(block) = self.state.blocks.get_mut(place.block) else {
                    return self.fail("the schedule chose a nonexistent agent", place);
                };
                match barrier::arrive(&self.setup.code, block, place.warp, plan, mask) {
                    Ok(arrived) => {
                        self.report_divergent_arrivals(place.block, &arrived.parts);
                        self.report_barrier(place, run.came.pc, mask, &arrived, observer);
                        self.after_arrival(place, run.came, mask, observer);
                    }
                    Err(halt) => self.stop(place, *halt),
                }
            }
            StopReason::ClusterArrive { mask } => {
                let opened = self.arrive_at_cluster_barrier(place, mask);
                let arrived = SyncKind::ClusterArrived;
                self.report_at(place, run.came.pc, mask, arrived, observer);
                if opened {
                    self.report_at(place, run.came.pc, 0, SyncKind::ClusterOpened, observer);
                }
                self.after_arrival(place, run.came, mask, observer);
            }
            StopReason::Exited => self.after_exit(place, observer),
        }
    }

    /// Completes the step in which lanes have arrived at a barrier, and reports to the observer whether the lanes wait.
    fn after_arrival(
        &mut self,
        place: WarpSlot,
        came: BarrierArrival,
        executed: u32,
        observer: &mut dyn Observer,
    ) {
        let state = &mut self.state;
        let Some(block) = state.blocks.get_mut(place.block) else {
            return;
        };
        let Some(warp) = block.warps.get_mut(place.warp) else {
            return;
        };
        warp.steps += 1;
        let waits = warp.splits.all().iter().find(|s| s.mask & executed != 0);
        let what = match waits.map(|split| split.state) {
            Some(WarpSplitState::Waiting(reason)) => StepOutcome::Waits(reason),
            Some(WarpSplitState::Ready) | None => StepOutcome::Executed,
        };
        let last = LastStep {
            agent: Agent::Warp {
                block: block.index,
                warp: warp.index,
            },
            block: block.index,
            warp: warp.index,
            pc: came.pc,
            lanes: came.lanes,
            executed,
            what,
            stored: false,
        };
        if observer.interest().steps {
            observer.step(&last.event(&self.setup.code, state.position));
        }
        state.last_step = Some(last);
        state.position += 1;
        state.lane_instructions += u64::from(came.lanes.count_ones());
        state.schedule.left = state.schedule.left.saturating_sub(1);
        self.find_cluster_stuck(place);
    }

    /// Reports the arrival of lanes at a barrier of the block, and the completion of the barrier.
    fn report_barrier(
        &self,
        place: WarpSlot,
        pc: u32,
        mask: u32,
        arrived: &barrier::ArrivalResult,
        observer: &mut dyn Observer,
    ) {
        let &barrier::ArrivalResult {
            id, waits, opened, ..
        } = arrived;
        self.report_at(
            place,
            pc,
            mask,
            SyncKind::BarrierArrived { id, waits },
            observer,
        );
        if opened {
            self.report_at(place, pc, 0, SyncKind::BarrierCompleted { id }, observer);
        }
    }

    /// Reports the barriers that the exit of threads has completed. `opened` has one bit per barrier.
    #[cold]
    #[inline(never)]
    fn report_opened(&self, place: WarpSlot, opened: u32, observer: &mut dyn Observer) {
        for id in (0..32).filter(|id| opened >> id & 1 != 0) {
            self.report_at(place, 0, 0, SyncKind::BarrierCompleted { id }, observer);
        }
    }

    /// Reports a synchronization event of lanes at a program counter.
    fn report_at(
        &self,
        place: WarpSlot,
        pc: u32,
        lanes: u32,
        what: SyncKind<'_>,
        observer: &mut dyn Observer,
    ) {
        if !observer.interest().syncs {
            return;
        }
        let (function, instruction) = self.setup.code.origin(pc);
        observer.sync(&SyncEvent {
            step: self.state.position,
            block: self.state.blocks.get(place.block).map_or(0, |b| b.index),
            warp: place.warp as u32,
            function,
            instruction,
            lanes,
            what,
        });
    }

    /// Returns the lanes of a warp that have arrived at the cluster barrier in the current, incomplete phase.
    pub(crate) fn cluster_pending(&self, place: WarpSlot) -> u32 {
        let rank = self.setup.rank_of_place(place.block);
        let block = self.state.blocks.get(place.block);
        let cluster = self.setup.cluster_of_place(place.block);
        let cluster = self.state.clusters.get(cluster);
        match (block, cluster) {
            (Some(block), Some(cluster)) => {
                let warp = rank * block.warps.len() + place.warp;
                cluster.barrier.pending(warp)
            }
            _ => 0,
        }
    }

    /// Records the arrival of lanes at the cluster barrier. If the phase completes, wakes the waiting groups and
    /// returns `true`.
    pub(crate) fn arrive_at_cluster_barrier(&mut self, place: WarpSlot, mask: u32) -> bool {
        let rank = self.setup.rank_of_place(place.block);
        let cluster = self.setup.cluster_of_place(place.block);
        let n_warps = self
            .state
            .blocks
            .get(place.block)
            .map_or(0, |b| b.warps.len());
        if let Some(cluster) = self.state.clusters.get_mut(cluster) {
            let n_all = n_warps * self.setup.n_ranks as usize;
            cluster
                .barrier
                .arrive(rank * n_warps + place.warp, n_all, mask);
        }
        self.end_cluster_phase(cluster)
    }

    /// Completes the phase of a cluster barrier if all live lanes have arrived. Returns whether the phase completed.
    fn end_cluster_phase(&mut self, index: usize) -> bool {
        let n_ranks = self.setup.n_ranks as usize;
        let MachineState {
            blocks, clusters, ..
        } = &mut self.state;
        let places = index * n_ranks..(index + 1) * n_ranks;
        let (Some(blocks), Some(cluster)) = (blocks.get_mut(places), clusters.get_mut(index))
        else {
            return false;
        };
        let warps = blocks.iter().flat_map(|block| &block.warps);
        if !cluster.barrier.end_phase(warps.map(Warp::live)) {
            return false;
        }
        for warp in blocks.iter_mut().flat_map(|block| &mut block.warps) {
            let woken = warp
                .splits
                .wake(|reason| matches!(reason, WaitReason::ClusterBarrier));
            warp.dirty |= woken;
        }
        true
    }

    /// Wakes the lane groups of the cluster that wait for an mbarrier phase. The machine calls this method after any
    /// mbarrier phase in the cluster has completed.
    fn wake_phases(&mut self, place: WarpSlot) {
        let n_ranks = self.setup.n_ranks as usize;
        let first = place.block - self.setup.rank_of_place(place.block);
        let blocks = self.state.blocks.get_mut(first..first + n_ranks);
        for warp in blocks.into_iter().flatten().flat_map(|b| &mut b.warps) {
            let woken = warp
                .splits
                .wake(|reason| matches!(reason, WaitReason::MbarrierPhase { .. }));
            warp.dirty |= woken;
        }
    }

    /// Wakes the lane groups of the block that wait for tensor memory columns.
    fn wake_allocations(&mut self, place: WarpSlot) {
        let block = self.state.blocks.get_mut(place.block);
        for warp in block.into_iter().flat_map(|block| &mut block.warps) {
            let woken = warp
                .splits
                .wake(|reason| matches!(reason, WaitReason::TensorColumns { .. }));
            warp.dirty |= woken;
        }
    }

    /// Handles exited lanes: completes barriers that waited only for these lanes, and finishes the block and its
    /// cluster.
    fn after_exit(&mut self, place: WarpSlot, observer: &mut dyn Observer) {
        let setup = &*self.setup;
        let cluster = setup.cluster_of_place(place.block);
        let n_ranks = setup.n_ranks;
        let Some(block) = self.state.blocks.get_mut(place.block) else {
            return;
        };
        let ExitResult { opened, parts } = barrier::after_exit(&setup.code, block, place.warp);
        let is_live = block.warps.get(place.warp).is_some_and(|w| w.live() != 0);
        block.n_live_warps = block.n_live_warps.saturating_sub(u32::from(!is_live));
        let finished = block.finished();
        self.report_divergent_arrivals(place.block, &parts);
        if opened != 0 {
            self.report_opened(place, opened, observer);
        }
        if n_ranks > 1 && self.end_cluster_phase(cluster) {
            self.report_at(place, 0, 0, SyncKind::ClusterOpened, observer);
        }
        if !finished {
            return self.find_cluster_stuck(place);
        }
        self.state.blocks_done += 1;
        self.note_kept_columns(place);
        let Some(live) = self.state.clusters.get_mut(cluster) else {
            return;
        };
        live.n_live_blocks -= 1;
        if live.n_live_blocks == 0 {
            self.state
                .launch_next_clusters(&self.setup, &mut self.spare);
        } else {
            self.find_cluster_stuck(place);
        }
    }

    /// Returns the number of executed steps.
    pub fn position(&self) -> u64 {
        self.state.position
    }

    /// Returns the status of the run. A launch is finished when all of its blocks have finished and no operation is in
    /// flight.
    pub fn status(&self) -> MachineStatus {
        if self.state.fault.is_some() {
            MachineStatus::Faulted
        } else if self.state.blocks_done == self.setup.n_blocks && self.state.in_flight.is_empty() {
            MachineStatus::Finished
        } else {
            MachineStatus::Running
        }
    }

    /// Returns the fault that stopped the run, if the run has faulted.
    pub fn fault(&self) -> Option<&Fault> {
        self.state.fault.as_ref()
    }
}
