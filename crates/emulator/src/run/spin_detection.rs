//! Detection of endless spin loops, in which every live thread either waits, or repeats loads whose results cannot
//! change.
//!
//! As long as memory, barriers and operations in flight do not change, a lane group that returns to the same registers
//! and program counter loops forever. After a number of steps without a change, the detector records the state of each
//! ready group of each warp, and observes the groups for a window of steps. The window includes a time slice of every
//! group, because a group that has not been scheduled may still change memory. An example is a lane that holds a lock
//! for which other lanes of its warp spin. The detector has no overhead between windows. The recorded states are part
//! of the machine state, so that a replay detects the same loops.
//!
//! A store that does not change memory is not progress. Therefore, while stores continue, the detector executes a
//! window of steps with a copy of the machine at exponentially growing intervals. If the copy repeats its complete
//! state, the launch never finishes.

use crate::contract::agent::{Agent, WarpId};
use crate::contract::fault::{FaultKind, PollTarget, WaitReason, WaitingGroup};
use crate::contract::inspect::MachineStatus;
use crate::contract::observer::{AccessEvent, EventMask, MemoryId, Observer};
use crate::contract::step_event::StepEvent;
use crate::contract::sync_event::{MbarrierOperation, SyncEvent, SyncKind};
use crate::exec::memory_context::ExecutionFault;
use crate::run::machine::Machine;
use crate::state::MachineState;
use crate::state::scheduler::WarpSlot;
use crate::state::spin_watch::WarpFingerprint;
use crate::state::warp::{Warp, WarpSplit};
use std::collections::BTreeMap;
use warpgrid_isa::{ControlOp, Operation};
use warpgrid_program::{FunctionId, Program};

/// Number of steps without a change before the first window, to which [`QUIET_OF_WARP`] steps per warp are added. The
/// delay avoids windows at the start of a launch, where the steps usually change nothing.
const QUIET_STEPS: u64 = 4096;
const QUIET_OF_WARP: u64 = 128;
/// Number of steps per warp for which each lane group is observed.
const STEPS_PER_WARP: u64 = 32 * 64;
/// Ratio of the delay before a window to the delay before the preceding window.
const BACKOFF_FACTOR: u64 = 16;
/// Maximum factor by which the number of warps extends a window with stores.
const MAX_REPEATED_WARPS: u64 = 64;
/// Number of steps per warp for which a window continues after the first store that changed memory, because later
/// stores may restore the previous contents.
const WATCHED_CHANGED: u64 = 8 * 64;
/// Maximum number of bytes that a repeated loop may change and restore.
const MAX_CHANGED_BYTES: usize = 4096;

impl WarpFingerprint {
    /// Checks whether the warp has executed a step since its group was recorded, and contains the group in the recorded
    /// state.
    fn is_repeated_by(&self, warp: &Warp) -> bool {
        let is_same = |split: &WarpSplit| split.mask == self.mask && split.is_ready();
        let group = warp.splits.all().iter().find(|split| is_same(split));
        self.steps != warp.steps
            && group.is_some_and(|group| fingerprint(warp, group) == self.fingerprint)
    }
}

/// Load or predicate test that a spinning lane group repeats, and the polled location.
#[derive(Clone, Copy, Debug)]
struct PolledRead {
    lanes: u32,
    origin: (FunctionId, u32),
    place: PollTarget,
}

impl Machine {
    /// Checks whether the launch is in an endless spin loop. `place` is the slot of the warp that executed last.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_for_spins(&mut self, place: WarpSlot) {
        let position = self.state.position;
        let changes = self.changes();
        let watch = &mut self.state.spin_detector;
        if watch.changes != changes || watch.pause == 0 {
            let n_warps: usize = self.state.blocks.iter().map(|b| b.warps.len()).sum();
            let quiet = QUIET_STEPS + QUIET_OF_WARP * n_warps as u64;
            let other_changes = changes - self.state.stores_done;
            let only_stores = watch.pause != 0 && watch.other_changes == other_changes;
            watch.changes = changes;
            watch.other_changes = other_changes;
            watch.pause = quiet;
            watch.next = position + quiet;
            watch.marks.clear();
            if only_stores && position >= watch.next_copy && self.state.in_flight.is_empty() {
                watch.next_copy = position.saturating_mul(BACKOFF_FACTOR);
                self.look_for_repeated_stores();
            }
            return;
        }
        if !self.state.in_flight.is_empty() {
            watch.next = position + QUIET_STEPS;
            return;
        }
        if watch.marks.is_empty() {
            let marks = marks(&self.state);
            let window = steps_of_window(&self.state) * n_warps(&marks);
            let watch = &mut self.state.spin_detector;
            watch.window_end = position + window;
            watch.marks = marks;
            return;
        }
        if position > watch.window_end {
            watch.marks.clear();
            watch.pause = watch.pause.saturating_mul(BACKOFF_FACTOR);
            watch.next = position.saturating_add(watch.pause);
            return;
        }
        if self.has_recurred(place) {
            self.find_spin();
        }
    }

    /// Returns the number of events that can change the result of a load or satisfy a wait condition.
    fn changes(&self) -> u64 {
        let state = &self.state;
        state.stores_done
            + state.in_flight.n_started()
            + state.blocks_done
            + state.spin_detector.events
    }

    /// Runs a copy of the machine for a window of steps, and records a fault if the copy repeats its complete state.
    fn look_for_repeated_stores(&mut self) {
        let mut marks = marks(&self.state);
        let n_warps = n_warps(&marks).min(MAX_REPEATED_WARPS);
        let mut copy = self.clone();
        copy.state.spin_detector.next = u64::MAX;
        let mut written = WrittenBytes::default();
        let other_changes = copy.changes() - copy.state.stores_done;
        for n_steps in 0..steps_of_window(&self.state) * n_warps {
            if written.has_changed && n_steps > WATCHED_CHANGED * n_warps {
                return;
            }
            let status = copy.run_observed(1, &mut written);
            let is_other = copy.changes() - copy.state.stores_done != other_changes;
            if status != MachineStatus::Running || is_other || written.is_beyond {
                return;
            }
            let Some(last) = &copy.state.last_step else {
                return;
            };
            let warp_of = |mark: &WarpFingerprint| {
                let block = copy.state.blocks.get(mark.place.block)?;
                Some((block.index, block.warps.get(mark.place.warp)?))
            };
            let is_of_last = |mark: &WarpFingerprint| {
                let marked_warp = warp_of(mark);
                marked_warp
                    .is_some_and(|(block, warp)| (block, warp.index) == (last.block, last.warp))
            };
            if !marks.iter().any(is_of_last) {
                return;
            }
            // The lane group that executed the step may have diverged or reconverged since its state was recorded.
            let ran = |mark: &WarpFingerprint| {
                let found = warp_of(mark);
                found.is_some_and(|(_, warp)| {
                    warp.splits.current().mask == mark.mask && mark.is_repeated_by(warp)
                })
            };
            let Some(nth) = marks.iter().position(|mark| is_of_last(mark) && ran(mark)) else {
                continue;
            };
            marks[nth].is_back = true;
            let are_all_back = marks.iter().all(|mark| mark.is_back);
            let is_repeated = match written.has_changed {
                false => are_all_back,
                // If memory has changed, all groups must be in their recorded states at the same step, memory must have
                // its previous contents, and the scheduler must have its previous state. For a single warp, the state
                // of the scheduler is irrelevant.
                true => {
                    let is_same_turn = match n_warps {
                        1 => true,
                        _ => copy.state.schedule == self.state.schedule,
                    };
                    let mut warps = marks.iter().map(|mark| (mark, warp_of(mark)));
                    written.n_different == 0
                        && is_same_turn
                        && are_all_back
                        && warps.all(|(mark, warp)| {
                            warp.is_some_and(|(_, warp)| mark.is_repeated_by(warp))
                        })
                }
            };
            if is_repeated && self.has_same_tensor_memory(&copy) {
                self.state.spin_detector.marks = marks;
                self.find_spin();
                return;
            }
        }
    }

    /// Checks whether the tensor memory of both machines has the same contents. The comparison is necessary because
    /// observers do not receive stores to tensor memory.
    fn has_same_tensor_memory(&self, other: &Machine) -> bool {
        let mut both = self.state.tensor.iter().zip(&other.state.tensor);
        both.all(|(one, other)| one.contents() == other.contents())
    }

    /// Checks whether every group has returned to its recorded state. The group that executed the last step of this
    /// warp must be the last group that returns.
    fn has_recurred(&mut self, place: WarpSlot) -> bool {
        let MachineState {
            blocks,
            spin_detector: watch,
            ..
        } = &mut self.state;
        let block = blocks.get(place.block);
        let Some(warp) = block.and_then(|block| block.warps.get(place.warp)) else {
            return false;
        };
        let mask = warp.splits.current().mask;
        let is_mark = |mark: &WarpFingerprint| mark.place == place && mark.mask == mask;
        let Some(index) = watch.marks.iter().position(is_mark) else {
            return false;
        };
        let mark = watch.marks[index];
        if mark.is_back || !mark.is_repeated_by(warp) {
            return false;
        }
        watch.marks[index].is_back = true;
        watch.marks.iter().all(|mark| mark.is_back)
    }

    /// Records a deadlock in which every ready warp spins, with the loads and predicate tests that each warp repeats.
    fn find_spin(&mut self) {
        let n_steps = steps_of_window(&self.state) * n_warps(&self.state.spin_detector.marks);
        let program = self.setup.program.clone();
        let mut reads = PollRecorder::of(&program);
        let mut rehearsal = self.clone();
        rehearsal.state.spin_detector.next = u64::MAX;
        rehearsal.run_observed(n_steps, &mut reads);
        let mut spinning = Vec::new();
        let mut places: Vec<WarpSlot> = self
            .state
            .spin_detector
            .marks
            .iter()
            .map(|m| m.place)
            .collect();
        places.dedup();
        for place in places {
            let Some(block) = self.state.blocks.get(place.block) else {
                return;
            };
            let key = WarpId {
                block: block.index,
                warp: place.warp as u32,
            };
            let found = reads.by_warp.remove(&key);
            let found = found.or_else(|| reads.tests.remove(&key));
            // A loop that contains neither loads nor branches on predicates has no wait condition.
            let found = found.unwrap_or_else(|| {
                let warp = block.warps.get(place.warp);
                let splits = warp.into_iter().flat_map(|warp| warp.splits.all());
                let ready = splits.filter(|split| split.is_ready());
                ready
                    .map(|split| PolledRead {
                        lanes: split.mask,
                        origin: self.setup.code.origin(split.pc),
                        place: PollTarget::Registers,
                    })
                    .collect()
            });
            spinning.push((place, found));
        }
        self.record_spin(&spinning);
    }

    fn record_spin(&mut self, spinning: &[(WarpSlot, Vec<PolledRead>)]) {
        self.note_stuck_parts();
        let mut waiting = self.waiters(0..self.state.blocks.len());
        for (place, reads) in spinning {
            let Some(block) = self.state.blocks.get(place.block) else {
                continue;
            };
            waiting.extend(reads.iter().map(|read| WaitingGroup {
                block: block.index,
                warp: place.warp as u32,
                lanes: read.lanes,
                function: read.origin.0,
                instruction: read.origin.1,
                waits_for: match read.place {
                    PollTarget::Phase { address, parity } => {
                        WaitReason::MbarrierPhase { address, parity }
                    }
                    PollTarget::Memory { .. } | PollTarget::Registers => WaitReason::Memory,
                },
                mbarrier: match read.place {
                    PollTarget::Phase { address, parity } => {
                        self.awaited(place.block, WaitReason::MbarrierPhase { address, parity })
                    }
                    PollTarget::Memory { .. } | PollTarget::Registers => None,
                },
                spins_at: Some(read.place),
            }));
        }
        let Some((first, _)) = spinning.first() else {
            return;
        };
        let warp = self.state.blocks.get(first.block);
        let warp = warp.and_then(|block| block.warps.get(first.warp));
        let (pc, lanes) = warp.map_or((0, 1), |warp| {
            let split = warp.splits.current();
            (split.pc, split.mask)
        });
        let kind = FaultKind::Deadlock { waiting };
        self.record_fault(*first, pc, *ExecutionFault::new(kind, lanes));
    }
}

/// Records the state of each ready lane group in each warp.
fn marks(state: &MachineState) -> Vec<WarpFingerprint> {
    let mut marks = Vec::new();
    for (index, block) in state.blocks.iter().enumerate() {
        for (number, warp) in block.warps.iter().enumerate() {
            let ready = warp.splits.all().iter().filter(|split| split.is_ready());
            marks.extend(ready.map(|group| WarpFingerprint {
                place: WarpSlot {
                    block: index,
                    warp: number,
                },
                mask: group.mask,
                fingerprint: fingerprint(warp, group),
                steps: warp.steps,
                is_back: false,
            }));
        }
    }
    marks
}

/// Returns the number of warps with recorded groups. The records of the same warp are adjacent.
fn n_warps(marks: &[WarpFingerprint]) -> u64 {
    let warps = marks.chunk_by(|one, other| one.place == other.place);
    warps.count() as u64
}

/// Returns the length of a window in steps per warp, so that each ready group executes `STEPS_PER_WARP` steps. The
/// length includes a time slice of each other group, after which the scheduler returns to a group.
fn steps_of_window(state: &MachineState) -> u64 {
    let warps = state.blocks.iter().flat_map(|block| &block.warps);
    let n_ready = |warp: &Warp| warp.splits.all().iter().filter(|s| s.is_ready()).count();
    match warps.map(n_ready).max().unwrap_or(0) as u64 {
        0 | 1 => STEPS_PER_WARP,
        n => 2 * STEPS_PER_WARP * (n + 1),
    }
}

/// Hashes the state that determines the execution of a ready lane group: its registers and program counter, and the
/// waiting groups of the warp. The hash includes neither memory nor other ready groups.
pub(crate) fn fingerprint(warp: &Warp, group: &WarpSplit) -> u64 {
    let waiting = warp.splits.all().iter().filter(|split| !split.is_ready());
    let splits = waiting.fold(0u64, |all, split| all.wrapping_add(place_of(split)));
    let mut mixer = HashMixer(splits);
    mixer.add(place_of(group));
    let lanes = || (0..32).filter(|lane| group.mask >> lane & 1 != 0);
    for row in &warp.banks.r32 {
        lanes().for_each(|lane| mixer.add(u64::from(row[lane])));
    }
    for row in &warp.banks.r64 {
        lanes().for_each(|lane| mixer.add(row[lane]));
    }
    for row in &warp.banks.r128 {
        for value in lanes().map(|lane| row[lane]) {
            mixer.add(value as u64);
            mixer.add((value >> 64) as u64);
        }
    }
    for mask in &warp.banks.predicates {
        mixer.add(u64::from(mask & group.mask));
    }
    mixer.add(u64::from(warp.carry & group.mask));
    mixer.0
}

/// Hashes the lanes, the program counter and the call depth of a group, and whether the group is ready.
pub(crate) fn place_of(split: &WarpSplit) -> u64 {
    let mut mixer = HashMixer(0);
    mixer.add(u64::from(split.mask) << 32 | u64::from(split.pc));
    mixer.add(u64::from(split.depth) << 1 | u64::from(split.is_ready()));
    mixer.0
}

/// Hash of a sequence of words.
#[derive(Default)]
pub(crate) struct HashMixer(u64);

impl HashMixer {
    pub(crate) fn finish(&self) -> u64 {
        self.0
    }

    pub(crate) fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// Observer that compares the bytes that a run writes with their contents at the start of the run.
#[derive(Default)]
struct WrittenBytes {
    /// Initial value of each byte that the run has written.
    first: BTreeMap<(MemoryId, u64), u8>,
    /// Number of bytes that currently differ from their initial value.
    n_different: usize,
    /// Whether any store has changed the contents of memory.
    has_changed: bool,
    /// Whether the run has modified state that this observer does not compare.
    is_beyond: bool,
}

impl Observer for WrittenBytes {
    fn interest(&self) -> EventMask {
        EventMask {
            loads: false,
            ..EventMask::ORDER
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for piece in event.written() {
            let both = event.before(piece).iter().zip(event.after(piece));
            for (offset, (before, after)) in both.enumerate() {
                let is_changed = before != after;
                let place = (piece.memory, piece.address.wrapping_add(offset as u64));
                if !is_changed && !self.first.contains_key(&place) {
                    continue;
                }
                self.has_changed |= is_changed;
                let first = *self.first.entry(place).or_insert(*before);
                self.n_different += usize::from(*after != first);
                self.n_different -= usize::from(*before != first);
            }
        }
        self.is_beyond |= self.first.len() > MAX_CHANGED_BYTES;
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if let SyncKind::Mbarrier { act, .. } = event.what {
            let is_read_only = matches!(act, MbarrierOperation::Test | MbarrierOperation::Query);
            self.is_beyond |= !is_read_only;
        }
    }
}

/// Observer that collects the loads of each warp, grouped by instruction, and the branches that test predicates.
struct PollRecorder<'p> {
    program: &'p Program,
    by_warp: BTreeMap<WarpId, Vec<PolledRead>>,
    tests: BTreeMap<WarpId, Vec<PolledRead>>,
}

impl<'p> PollRecorder<'p> {
    fn of(program: &'p Program) -> PollRecorder<'p> {
        PollRecorder {
            program,
            by_warp: BTreeMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// Checks whether an instruction is a branch with a guard predicate.
    fn is_test(&self, function: FunctionId, instruction: u32) -> bool {
        let body = self.program.functions.get(function.0 as usize);
        let found = body.and_then(|body| body.instructions.get(instruction as usize));
        found.is_some_and(|found| {
            let operation = self.program.opcode(found).map(|action| action.operation);
            let control = operation.and_then(Operation::control);
            found.guard.is_some() && control.is_some_and(ControlOp::is_branch)
        })
    }

    fn add(&mut self, of: WarpId, read: PolledRead) {
        let reads = self.by_warp.entry(of).or_default();
        match reads.iter_mut().find(|known| known.origin == read.origin) {
            Some(known) => known.lanes |= read.lanes,
            None => reads.push(read),
        }
    }
}

impl Observer for PollRecorder<'_> {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: false,
            steps: true,
            ..EventMask::ORDER
        }
    }

    fn step(&mut self, event: &StepEvent) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        let origin = (event.function, event.instruction);
        if !self.is_test(event.function, event.instruction) {
            return;
        }
        let tests = self.tests.entry(WarpId { block, warp }).or_default();
        match tests.iter_mut().find(|known| known.origin == origin) {
            Some(known) => known.lanes |= event.lanes,
            None => tests.push(PolledRead {
                lanes: event.lanes,
                origin,
                place: PollTarget::Registers,
            }),
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        let Some(piece) = event.pieces.first() else {
            return;
        };
        // Ignore loads from thread stacks, constants and parameters, because no other thread writes to these memories.
        let is_shared = matches!(piece.memory, MemoryId::Global | MemoryId::Shared { .. });
        if !is_shared || !(event.action.reads() || event.action.is_atomic()) {
            return;
        }
        let read = PolledRead {
            lanes: event.mask,
            origin: (event.function, event.instruction),
            place: PollTarget::Memory {
                memory: piece.memory,
                address: piece.address,
            },
        };
        let of = WarpId { block, warp };
        let is_phase = self
            .by_warp
            .get(&of)
            .is_some_and(|reads| reads.iter().any(|known| known.origin == read.origin));
        if !is_phase {
            self.add(of, read);
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        let SyncKind::Mbarrier {
            act: MbarrierOperation::Test,
            touched,
        } = event.what
        else {
            return;
        };
        let Some(touch) = touched.first() else {
            return;
        };
        let of = WarpId {
            block: event.block,
            warp: event.warp,
        };
        let origin = (event.function, event.instruction);
        let place = PollTarget::Phase {
            address: touch.address,
            parity: touch.value & 1 != 0,
        };
        let reads = self.by_warp.entry(of).or_default();
        reads.retain(|known| known.origin != origin);
        self.add(
            of,
            PolledRead {
                lanes: event.lanes,
                origin,
                place,
            },
        );
    }
}
