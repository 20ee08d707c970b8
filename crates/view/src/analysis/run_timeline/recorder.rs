//! Observer that records the states of warps, the phases of barriers, and asynchronous operations of a run.

use crate::analysis::run_timeline::records::{
    AsyncFacts, LinkRecord, MarkEvent, MarkRecord, OPEN, PhaseFacts, PointRecord, SpanFacts,
    SpanRecord, TrackId, TrackKey, TrackRecord,
};
use crate::model::timeline::LinkKind;
use std::collections::BTreeMap;
use std::sync::Arc;
use warpgrid_emulator::{
    AccessEvent, Agent, ArrivalMode, AsyncEffect, AsyncOperation, AsyncOperationId,
    CompletionMechanism, EventMask, InFlightOperation, MbarrierAccess, MbarrierOperation,
    MbarrierState, Observer, StepEvent, StepOutcome, SyncEvent, SyncKind, WaitReason, WarpId,
};
use warpgrid_isa::{AsyncTransferKind, Operation};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_order::races::{ObservedLaunchShape, RaceSide};
use warpgrid_program::{FunctionId, Program};

/// Maximum number of recorded spans, links and marks of a run. The timeline ends at the step that exceeds this number.
pub(crate) const MAX_RECORDS: usize = 1 << 19;

/// Lanes of a warp that wait.
#[derive(Clone, Copy, Debug)]
struct WaitingLanes {
    lanes: u32,
    reason: WaitReason,
    at: (FunctionId, u32),
}

/// Current state of a warp.
#[derive(Clone, Debug)]
struct WarpState {
    track: TrackId,
    live: u32,
    waiting: Vec<WaitingLanes>,
    /// Index of the open span in the track.
    span: Option<usize>,
    /// Completion of the last operation of an async-group of the warp.
    last_completion: Option<PointRecord>,
}

/// Async-group, identified by its warp, the kind of its operations, and the number of groups that the warp had committed before.
type GroupKey = (WarpId, &'static str, u32);

/// Access whose step the recorder determines: the first access of a data race.
#[derive(Clone, Debug)]
pub(crate) struct WatchedAccess {
    pub(crate) side: RaceSide,
    /// First byte of the race and number of bytes.
    pub(crate) address: u64,
    pub(crate) n_bytes: u32,
    /// Step of the second access.
    pub(crate) before: u64,
    /// Step of the last matching access before the second access.
    pub(crate) step: Option<u64>,
}

/// Recorder of a timeline. Observes a run from its first step.
pub(crate) struct TimelineRecorder {
    program: Arc<Program>,
    shape: ObservedLaunchShape,
    pub(crate) tracks: Vec<TrackRecord>,
    index: BTreeMap<TrackKey, TrackId>,
    warps: Vec<WarpState>,
    /// Indices in `warps`.
    warp_indices: BTreeMap<WarpId, usize>,
    /// Warp of the last step and its index, because consecutive steps usually belong to the same warp.
    last_warp: Option<(WarpId, usize)>,
    /// Track, row and index of the span of each operation in flight.
    in_flight: BTreeMap<AsyncOperationId, (TrackId, usize)>,
    groups: BTreeMap<GroupKey, usize>,
    pub(crate) links: Vec<LinkRecord>,
    pub(crate) marks: Vec<MarkRecord>,
    pub(crate) watched: Vec<WatchedAccess>,
    n_spans: usize,
    /// Number of recorded steps.
    pub(crate) steps: u64,
    /// Whether the number of records has reached its limit.
    pub(crate) is_full: bool,
}

impl TimelineRecorder {
    pub(crate) fn new(
        program: Arc<Program>,
        shape: ObservedLaunchShape,
        watched: Vec<WatchedAccess>,
    ) -> TimelineRecorder {
        TimelineRecorder {
            program,
            shape,
            tracks: Vec::new(),
            index: BTreeMap::new(),
            warps: Vec::new(),
            warp_indices: BTreeMap::new(),
            last_warp: None,
            in_flight: BTreeMap::new(),
            groups: BTreeMap::new(),
            links: Vec::new(),
            marks: Vec::new(),
            watched,
            n_spans: 0,
            steps: 0,
            is_full: false,
        }
    }

    /// Closes all spans at the end of the recorded steps, except that the waits and the awaited phases of a hang remain open.
    pub(crate) fn finish(&mut self, is_hang: bool) {
        for track in &mut self.tracks {
            for span in track.spans.iter_mut().filter(|span| span.to == OPEN) {
                let never_ends = match &span.facts {
                    SpanFacts::Waiting { .. } | SpanFacts::InFlight(_) => true,
                    SpanFacts::Phase(phase) => phase.n_waiting > 0,
                    SpanFacts::Running | SpanFacts::Diverged => false,
                };
                if !is_hang || !never_ends {
                    span.to = self.steps.max(span.from);
                }
            }
        }
    }

    fn track(&mut self, key: TrackKey) -> TrackId {
        if let Some(id) = self.index.get(&key) {
            return *id;
        }
        let id = TrackId(self.tracks.len() as u32);
        self.tracks.push(TrackRecord::new(key));
        self.index.insert(key, id);
        id
    }

    fn cluster_barrier(&self, block: u64) -> TrackKey {
        TrackKey::ClusterBarrier {
            first_block: self.shape.first_block_of_cluster(block),
        }
    }

    fn track_mut(&mut self, track: TrackId) -> &mut TrackRecord {
        &mut self.tracks[track.0 as usize]
    }

    fn open_span(&mut self, track: TrackId, span: SpanRecord) -> usize {
        self.n_spans += 1;
        let spans = &mut self.track_mut(track).spans;
        spans.push(span);
        spans.len() - 1
    }

    /// Returns the open span of the current phase of a barrier or mbarrier.
    fn open_phase(&mut self, track: TrackId) -> Option<&mut SpanRecord> {
        let last = self.track_mut(track).spans.last_mut();
        last.filter(|span| span.to == OPEN)
    }

    fn warp(&mut self, warp: WarpId) -> &mut WarpState {
        let index = match self.last_warp {
            Some((last, index)) if last == warp => index,
            _ => self.warp_index(warp),
        };
        self.last_warp = Some((warp, index));
        &mut self.warps[index]
    }

    fn warp_index(&mut self, warp: WarpId) -> usize {
        if let Some(index) = self.warp_indices.get(&warp) {
            return *index;
        }
        let track = self.track(TrackKey::Warp(warp));
        self.warps.push(WarpState {
            track,
            live: self.shape.present(warp.warp),
            waiting: Vec::new(),
            span: None,
            last_completion: None,
        });
        let index = self.warps.len() - 1;
        self.warp_indices.insert(warp, index);
        index
    }

    /// Closes the span of a warp and opens the span of its new state at a step, unless the state is unchanged.
    fn set_warp_state(&mut self, warp: WarpId, step: u64, facts: Option<SpanFacts>) {
        let state = self.warp(warp);
        let (track, open) = (state.track, state.span);
        if let Some(index) = open {
            let span = &mut self.track_mut(track).spans[index];
            if Some(&span.facts) == facts.as_ref() {
                return;
            }
            span.to = step.max(span.from);
        }
        let next = facts.map(|facts| self.open_span(track, SpanRecord::new(step, facts)));
        self.warp(warp).span = next;
    }

    /// Ends the waits of a warp that `is_released` selects. Returns whether the warp had such a wait.
    fn release(
        &mut self,
        warp: WarpId,
        step: u64,
        is_released: impl Fn(WaitReason) -> bool,
    ) -> bool {
        let state = self.warp(warp);
        let before = state.waiting.len();
        state.waiting.retain(|wait| !is_released(wait.reason));
        let was_waiting = state.waiting.len() < before;
        let is_all_waiting = !state.waiting.is_empty()
            && state.waiting.iter().fold(0, |all, wait| all | wait.lanes) == state.live;
        if was_waiting && !is_all_waiting {
            self.set_warp_state(warp, step + 1, Some(SpanFacts::Running));
        }
        was_waiting
    }

    /// Ends the waits of all warps of a range that `is_released` selects, and links the cause to these warps.
    fn release_all(
        &mut self,
        warps: std::ops::RangeInclusive<WarpId>,
        step: u64,
        cause: Option<PointRecord>,
        is_released: impl Fn(WarpId, WaitReason) -> bool,
    ) {
        let of_range: Vec<WarpId> = self
            .warp_indices
            .range(warps)
            .map(|(warp, _)| *warp)
            .collect();
        for warp in of_range {
            if self.release(warp, step, |reason| is_released(warp, reason)) {
                let to = PointRecord::new(self.warp(warp).track, step + 1);
                if let Some(from) = cause.filter(|from| from.track != to.track) {
                    self.links
                        .push(LinkRecord::new(LinkKind::Release, from, to));
                }
            }
        }
    }

    fn record_barrier(&mut self, event: &SyncEvent<'_>, key: TrackKey, waits: bool) {
        let track = self.track(key);
        if self.open_phase(track).is_none() {
            self.start_phase(track, event.step, None);
        }
        let arrivals = event.lanes.count_ones();
        let Some(phase) = self.open_phase(track).and_then(SpanRecord::phase_mut) else {
            return;
        };
        phase.arrivals += arrivals;
        phase.n_waiting += u32::from(waits);
        let n_arrived = phase.arrivals;
        self.marks.push(MarkRecord {
            at: PointRecord::new(track, event.step),
            instruction: Some((event.function, event.instruction)),
            event: MarkEvent::BarrierArrival {
                arrivals,
                n_arrived,
            },
        });
    }

    fn complete_barrier(&mut self, event: &SyncEvent<'_>, key: TrackKey) {
        let track = self.track(key);
        self.track_mut(track).n_phases += 1;
        if let Some(span) = self.open_phase(track) {
            span.to = event.step + 1;
        }
        let arriving = self.warp(event.warp_id()).track;
        let cause = Some(PointRecord::new(arriving, event.step));
        match key {
            TrackKey::Barrier { block, id } => {
                let is_released =
                    |_: WarpId, reason: WaitReason| reason == WaitReason::Barrier { id };
                self.release_all(warps_of_block(block), event.step, cause, is_released);
            }
            _ => {
                let shape = self.shape;
                let first = shape.first_block_of_cluster(event.block);
                let all = WarpId::default()..=WarpId {
                    block: u64::MAX,
                    warp: u32::MAX,
                };
                self.release_all(all, event.step, cause, |warp, reason| {
                    reason == WaitReason::ClusterBarrier
                        && shape.first_block_of_cluster(warp.block) == first
                });
            }
        }
    }

    fn record_mbarrier(
        &mut self,
        event: &SyncEvent<'_>,
        operation: MbarrierOperation,
        accesses: &[MbarrierAccess],
    ) {
        let from = PointRecord::new(self.warp(event.warp_id()).track, event.step);
        let instruction = Some((event.function, event.instruction));
        let mut rest = accesses;
        // Consecutive accesses of lanes to the same object are one event.
        while let Some(first) = rest.first() {
            let key = (first.block, first.address);
            let n = rest
                .iter()
                .take_while(|access| (access.block, access.address) == key)
                .count();
            let (of_object, others) = rest.split_at(n);
            rest = others;
            let track = self.track(TrackKey::Mbarrier {
                block: key.0,
                address: key.1,
            });
            match operation {
                MbarrierOperation::Init => {
                    self.end_phase(track, event.step, None);
                    self.track_mut(track).n_phases = 0;
                    self.start_phase(track, event.step, first.after);
                }
                MbarrierOperation::Invalidate => self.end_phase(track, event.step, None),
                MbarrierOperation::Query | MbarrierOperation::Test => {}
                MbarrierOperation::Arrive
                | MbarrierOperation::ArriveExpecting
                | MbarrierOperation::Expect
                | MbarrierOperation::Complete => {
                    for access in of_object {
                        self.update_phase(track, event.step, from, access.before.zip(access.after));
                    }
                    let state = of_object.last().and_then(|access| access.after);
                    self.mark_mbarrier(track, event.step, instruction, state);
                }
            }
        }
    }

    fn mark_mbarrier(
        &mut self,
        track: TrackId,
        step: u64,
        instruction: Option<(FunctionId, u32)>,
        state: Option<MbarrierState>,
    ) {
        if let Some(state) = state {
            self.marks.push(MarkRecord {
                at: PointRecord::new(track, step),
                instruction,
                event: MarkEvent::Mbarrier { state },
            });
        }
    }

    fn start_phase(&mut self, track: TrackId, step: u64, state: Option<MbarrierState>) {
        let number = self.track_mut(track).n_phases;
        let facts = PhaseFacts {
            number,
            state,
            ..PhaseFacts::default()
        };
        self.open_span(track, SpanRecord::new(step, SpanFacts::Phase(facts)));
    }

    fn end_phase(&mut self, track: TrackId, step: u64, cause: Option<PointRecord>) {
        let Some(span) = self.open_phase(track) else {
            return;
        };
        span.to = step + 1;
        let parity = span
            .phase_mut()
            .and_then(|phase| phase.state)
            .map(|state| state.parity);
        self.track_mut(track).n_phases += 1;
        if let TrackKey::Mbarrier { block, address } = self.track_mut(track).key {
            self.release_all(warps_of_block(block), step, cause, |_, reason| {
                matches!(reason, WaitReason::MbarrierPhase { address: awaited, parity: of }
                    if awaited == address && parity.is_none_or(|parity| parity == of))
            });
        }
    }

    /// Records a change of an mbarrier from one state to another, which may complete the phase. `cause` is the point of the change.
    fn update_phase(
        &mut self,
        track: TrackId,
        step: u64,
        cause: PointRecord,
        change: Option<(MbarrierState, MbarrierState)>,
    ) {
        let Some((before, after)) = change else {
            return;
        };
        if self.open_phase(track).is_none() {
            self.start_phase(track, step, Some(before));
        }
        if let Some(phase) = self.open_phase(track).and_then(SpanRecord::phase_mut) {
            phase.arrivals += match before.parity == after.parity {
                true => before.pending.saturating_sub(after.pending),
                false => before.pending,
            };
            phase.bytes +=
                before.bytes.abs_diff(after.bytes) * u32::from(after.bytes > before.bytes);
            if before.parity == after.parity {
                phase.state = Some(after);
            }
        }
        if before.parity != after.parity {
            self.end_phase(track, step, Some(cause));
            self.start_phase(track, step + 1, Some(after));
        }
    }

    fn start_operation(&mut self, event: &SyncEvent<'_>, pending: &InFlightOperation) {
        let at = (event.function, event.instruction);
        let reader = InstructionView::at(&self.program, at.0, at.1);
        let operation = &pending.operation;
        let kind = async_track_name(operation, reader);
        let (bytes, group) = match operation.completion {
            CompletionMechanism::Mbarrier { bytes, .. } => (u64::from(bytes), None),
            CompletionMechanism::AsyncGroup { number, .. } => {
                (written_bytes(pending), Some(number))
            }
            CompletionMechanism::None | CompletionMechanism::Arrival { .. } => {
                (written_bytes(pending), None)
            }
        };
        let warp = event.warp_id();
        let track = self.track(TrackKey::AsyncOperations {
            block: event.block,
            kind,
        });
        let known = group.and_then(|number| self.groups.get(&(warp, kind, number)).copied());
        if let Some(index) = known
            && self.track_mut(track).reopen(index, bytes)
        {
            self.in_flight.insert(pending.id, (track, index));
            return;
        }
        let row = self.track_mut(track).free_row(event.step);
        let facts = AsyncFacts {
            warp,
            group,
            n_operations: 1,
            n_in_flight: 1,
            bytes,
            at,
        };
        let span = SpanRecord {
            row,
            ..SpanRecord::new(event.step, SpanFacts::InFlight(facts))
        };
        let index = self.open_span(track, span);
        self.in_flight.insert(pending.id, (track, index));
        if let Some(number) = group {
            self.groups.insert((warp, kind, number), index);
        }
        let from = PointRecord::new(self.warp(warp).track, event.step);
        let to = PointRecord {
            track,
            row,
            step: event.step,
        };
        self.links.push(LinkRecord::new(LinkKind::Issue, from, to));
    }

    fn complete_operation(
        &mut self,
        event: &SyncEvent<'_>,
        pending: &InFlightOperation,
        signal: Option<[MbarrierState; 2]>,
    ) {
        let Some((track, index)) = self.in_flight.remove(&pending.id) else {
            return;
        };
        let span = &mut self.track_mut(track).spans[index];
        let from = PointRecord {
            track,
            row: span.row,
            step: event.step,
        };
        let SpanFacts::InFlight(facts) = &mut span.facts else {
            return;
        };
        facts.n_in_flight -= 1;
        let warp = facts.warp;
        if facts.n_in_flight == 0 {
            span.to = event.step + 1;
        }
        match pending.operation.completion {
            CompletionMechanism::Mbarrier { block, address, .. }
            | CompletionMechanism::Arrival { block, address, .. } => {
                let mbarrier = self.track(TrackKey::Mbarrier { block, address });
                let to = PointRecord::new(mbarrier, event.step);
                self.links
                    .push(LinkRecord::new(LinkKind::Completion, from, to));
                if let Some([before, after]) = signal {
                    self.update_phase(mbarrier, event.step, from, Some((before, after)));
                    self.mark_mbarrier(mbarrier, event.step, None, Some(after));
                }
            }
            CompletionMechanism::AsyncGroup { .. } => self.warp(warp).last_completion = Some(from),
            CompletionMechanism::None => {}
        }
    }

    /// Counts a warp that waits for a phase of an mbarrier.
    fn count_waiting_warp(&mut self, block: u64, reason: WaitReason) {
        let WaitReason::MbarrierPhase { address, .. } = reason else {
            return;
        };
        let track = self.track(TrackKey::Mbarrier { block, address });
        if let Some(phase) = self.open_phase(track).and_then(SpanRecord::phase_mut) {
            phase.n_waiting += 1;
        }
    }

    /// Ends the wait of lanes that continue, and links the completed operation that they waited for.
    fn resume(&mut self, event: &StepEvent) {
        let state = self.warp(event.warp_id());
        if state.waiting.is_empty() {
            return;
        }
        let resumed = |wait: &WaitingLanes| wait.lanes & event.lanes != 0;
        let waited_for_group = state
            .waiting
            .iter()
            .any(|wait| resumed(wait) && matches!(wait.reason, WaitReason::AsyncGroup { .. }));
        state.waiting.retain(|wait| !resumed(wait));
        if let Some(from) = state.last_completion.filter(|_| waited_for_group) {
            let to = PointRecord::new(state.track, event.position);
            self.links
                .push(LinkRecord::new(LinkKind::Release, from, to));
        }
    }

    /// Checks whether a step continues a span in which the warp runs with all its lanes, which is the most frequent case.
    fn continues_running(&mut self, event: &StepEvent) -> bool {
        let state = self.warp(event.warp_id());
        let (track, span) = (state.track, state.span);
        event.what == StepOutcome::Executed
            && state.waiting.is_empty()
            && state.live & !event.lanes == 0
            && span
                .is_some_and(|index| self.track_mut(track).spans[index].facts == SpanFacts::Running)
    }
}

impl Observer for TimelineRecorder {
    fn interest(&self) -> EventMask {
        if self.is_full {
            return EventMask::NONE;
        }
        let accesses = !self.watched.is_empty();
        EventMask {
            steps: true,
            syncs: true,
            loads: accesses,
            stores: accesses,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for watched in &mut self.watched {
            let side = &watched.side;
            let is_instruction =
                (event.function, event.instruction) == (side.function, side.instruction);
            let is_warp = event.warp().is_none_or(|warp| {
                warp == WarpId {
                    block: side.block,
                    warp: side.thread / 32,
                }
            });
            let end = watched.address + u64::from(watched.n_bytes);
            let touches = || {
                event.pieces.iter().any(|piece| {
                    u32::from(piece.address_lane) == side.thread % 32
                        && piece.address < end
                        && watched.address < piece.address + u64::from(piece.n_bytes)
                })
            };
            if event.step <= watched.before && is_instruction && is_warp && touches() {
                watched.step = Some(event.step);
            }
        }
    }

    fn step(&mut self, event: &StepEvent) {
        if self.is_full {
            return;
        }
        self.is_full = self.n_spans + self.links.len() + self.marks.len() >= MAX_RECORDS;
        let consumes_step = event.consumes_step();
        self.steps = self.steps.max(event.position + u64::from(consumes_step));
        if matches!(event.agent, Agent::InFlight(_)) || self.continues_running(event) {
            return;
        }
        self.resume(event);
        let at = (event.function, event.instruction);
        let mut next_step = event.position;
        match event.what {
            StepOutcome::Waits(reason) => {
                self.count_waiting_warp(event.block, reason);
                let state = self.warp(event.warp_id());
                state.waiting.push(WaitingLanes {
                    lanes: event.lanes,
                    reason,
                    at,
                });
                next_step += u64::from(consumes_step);
            }
            StepOutcome::Exited => {
                self.warp(event.warp_id()).live &= !event.executed;
                next_step += 1;
            }
            StepOutcome::Executed | StepOutcome::Landed | StepOutcome::Read => {}
        }
        let state = self.warp(event.warp_id());
        let waiting = state.waiting.iter().fold(0, |all, wait| all | wait.lanes);
        let facts = match (state.live, waiting == state.live, state.waiting.last()) {
            (0, ..) => None,
            (_, true, Some(wait)) => Some(SpanFacts::Waiting {
                reason: wait.reason,
                at: wait.at,
            }),
            (live, ..) if live & !event.lanes == 0 => Some(SpanFacts::Running),
            _ => Some(SpanFacts::Diverged),
        };
        self.set_warp_state(event.warp_id(), next_step, facts);
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if self.is_full {
            return;
        }
        let block = event.block;
        match event.what {
            SyncKind::BarrierArrived { id, waits } => {
                let waits = waits == ArrivalMode::Yes;
                self.record_barrier(event, TrackKey::Barrier { block, id }, waits);
            }
            SyncKind::BarrierCompleted { id } => {
                self.complete_barrier(event, TrackKey::Barrier { block, id });
            }
            SyncKind::ClusterArrived => {
                self.record_barrier(event, self.cluster_barrier(block), true)
            }
            SyncKind::ClusterOpened => self.complete_barrier(event, self.cluster_barrier(block)),
            SyncKind::Mbarrier { act, touched } => self.record_mbarrier(event, act, touched),
            SyncKind::Started(pending) => self.start_operation(event, pending),
            SyncKind::Completed { pending, signal } => {
                self.complete_operation(event, pending, signal);
            }
            SyncKind::Fence
            | SyncKind::WarpBarrierCompleted { .. }
            | SyncKind::ClusterPassed
            | SyncKind::Matrices { .. }
            | SyncKind::Committed(_)
            | SyncKind::Waited(_)
            | SyncKind::TensorMap { .. }
            | SyncKind::Exited => {}
        }
    }
}

fn warps_of_block(block: u64) -> std::ops::RangeInclusive<WarpId> {
    WarpId { block, warp: 0 }..=WarpId {
        block,
        warp: u32::MAX,
    }
}

/// Returns the number of bytes that an operation writes, or 0 if the pieces of the operation are not known before its completion.
fn written_bytes(pending: &InFlightOperation) -> u64 {
    let pieces = pending.operation.pieces.iter();
    pieces.map(|piece| piece.bytes.len() as u64).sum()
}

/// Returns the name of the track that shows an asynchronous operation.
fn async_track_name(
    operation: &AsyncOperation,
    instruction: Option<InstructionView<'_>>,
) -> &'static str {
    match &operation.work {
        AsyncEffect::Tensor(_) | AsyncEffect::TensorPieces(_) => "tensor copies",
        AsyncEffect::Product(_) => "wgmma",
        AsyncEffect::TensorMemory(_) => "tcgen05",
        AsyncEffect::Cancel { .. } => "cluster cancellations",
        AsyncEffect::Pieces => {
            let operation = instruction.and_then(InstructionView::operation);
            match operation.map_or(AsyncTransferKind::None, Operation::transfer) {
                AsyncTransferKind::Bulk => "bulk copies",
                AsyncTransferKind::Registers => "st.async and red.async",
                AsyncTransferKind::Copy => "cp.async",
                AsyncTransferKind::Arrival | AsyncTransferKind::None => "asynchronous arrivals",
            }
        }
    }
}
