//! Finds waiting loops that no other agent can end: every thread that is left waits, or repeats loads whose answers cannot change.
//!
//! As long as memory, barriers and operations in flight do not change, a warp whose registers and places in the code are once more what they
//! were goes round for ever. When nothing has changed for a while, each warp is marked and watched for a window of steps; between windows
//! the machine runs as if no thread looked. What is remembered belongs to the state, so that going back and running again finds the same.

use crate::exec::reach::Halt;
use crate::run::event::{Agent, StepEvent, WarpId};
use crate::run::fault::{FaultKind, SpinPlace, WaitReason, Waiter};
use crate::run::machine::Machine;
use crate::run::observe::{AccessEvent, Interest, Observer};
use crate::run::schedule::WarpPlace;
use crate::run::sync_event::{MbarrierAct, SyncEvent, SyncKind};
use crate::state::State;
use crate::state::warp::Warp;
use std::collections::BTreeMap;
use warpgrid_isa::{ControlOp, Does};
use warpgrid_program::{FunctionId, Program};

/// Steps without a change after which warps are watched, and as many for each of them: at first all go on without one.
const QUIET: u64 = 4096;
const QUIET_OF_WARP: u64 = 128;
/// Steps that each warp is watched for.
const WATCHED: u64 = 32 * 64;
/// How much longer the next pause is than the one before.
const LONGER: u64 = 16;
/// Rounds of all warps in which every spinning warp shows what it reads.
const ROUNDS: u64 = 64;

/// What is remembered of a run in which nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinWatch {
    /// Counts barriers that open, threads that end, and whatever else changes without a store.
    pub(crate) events: u64,
    /// All changes when something was last seen to change.
    changes: u64,
    /// Before this step no thread looks.
    pub(crate) next: u64,
    pause: u64,
    window_end: u64,
    /// What each warp was when the window began, and whether it has been so again; by place.
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Mark {
    place: WarpPlace,
    fingerprint: u64,
    steps: u64,
    is_back: bool,
}

/// What a spinning group of lanes reads, and where.
#[derive(Clone, Copy, Debug)]
struct Read {
    lanes: u32,
    origin: (FunctionId, u32),
    place: SpinPlace,
}

impl Machine {
    /// Looks whether the run can ever end; `place` is the warp that ran last.
    #[cold]
    #[inline(never)]
    pub(crate) fn look_for_spins(&mut self, place: WarpPlace) {
        let position = self.state.position;
        let changes = self.changes();
        let watch = &mut self.state.watch;
        if watch.changes != changes || watch.pause == 0 {
            let n_warps: usize = self.state.blocks.iter().map(|b| b.warps.len()).sum();
            let quiet = QUIET + QUIET_OF_WARP * n_warps as u64;
            watch.changes = changes;
            watch.pause = quiet;
            watch.next = position + quiet;
            watch.marks.clear();
            return;
        }
        if !self.state.in_flight.is_empty() {
            watch.next = position + QUIET;
            return;
        }
        if watch.marks.is_empty() {
            let marks = marks(&self.state);
            let watch = &mut self.state.watch;
            watch.window_end = position + WATCHED * marks.len() as u64;
            watch.marks = marks;
            return;
        }
        if position > watch.window_end {
            watch.marks.clear();
            watch.pause = watch.pause.saturating_mul(LONGER);
            watch.next = position.saturating_add(watch.pause);
            return;
        }
        if self.is_back(place) {
            self.find_spin();
        }
    }

    /// Counts all that can change what a load reads or whom somebody waits for.
    fn changes(&self) -> u64 {
        let state = &self.state;
        state.stores_done + state.in_flight.n_started() + state.blocks_done + state.watch.events
    }

    /// Whether the warp that ran last, and with it all others, are what they were when the window began.
    fn is_back(&mut self, place: WarpPlace) -> bool {
        let State { blocks, watch, .. } = &mut self.state;
        let block = blocks.get(place.block);
        let Some(warp) = block.and_then(|block| block.warps.get(place.warp)) else {
            return false;
        };
        let Some(index) = watch.marks.iter().position(|mark| mark.place == place) else {
            return false;
        };
        let mark = watch.marks[index];
        if mark.is_back || mark.steps == warp.steps || fingerprint(warp) != mark.fingerprint {
            return false;
        }
        watch.marks[index].is_back = true;
        watch.marks.iter().all(|mark| mark.is_back)
    }

    /// Every warp that can run goes round for ever: a fault, if all of them read memory or test registers.
    fn find_spin(&mut self) {
        let n_marks = self.state.watch.marks.len() as u64;
        let program = self.setup.program.clone();
        let mut reads = Reads::of(&program);
        let mut rehearsal = self.clone();
        rehearsal.state.watch.next = u64::MAX;
        rehearsal.run_observed(n_marks * 32 * ROUNDS, &mut reads);
        let mut spinning = Vec::new();
        for mark in self.state.watch.marks.iter() {
            let Some(block) = self.state.blocks.get(mark.place.block) else {
                return;
            };
            let key = WarpId {
                block: block.index,
                warp: mark.place.warp as u32,
            };
            let found = reads.by_warp.remove(&key);
            let Some(found) = found.or_else(|| reads.tests.remove(&key)) else {
                // It waits for nothing: a loop without a test.
                self.state.watch.next = u64::MAX;
                return;
            };
            spinning.push((mark.place, found));
        }
        self.record_spin(&spinning);
    }

    fn record_spin(&mut self, spinning: &[(WarpPlace, Vec<Read>)]) {
        self.note_stuck_parts();
        let mut waiting = self.waiters(0..self.state.blocks.len());
        for (place, reads) in spinning {
            let Some(block) = self.state.blocks.get(place.block) else {
                continue;
            };
            waiting.extend(reads.iter().map(|read| Waiter {
                block: block.index,
                warp: place.warp as u32,
                lanes: read.lanes,
                function: read.origin.0,
                instruction: read.origin.1,
                waits_for: match read.place {
                    SpinPlace::Phase { address, parity } => {
                        WaitReason::MbarrierPhase { address, parity }
                    }
                    SpinPlace::Memory { .. } | SpinPlace::Registers => WaitReason::Memory,
                },
                mbarrier: match read.place {
                    SpinPlace::Phase { address, parity } => {
                        self.awaited(place.block, WaitReason::MbarrierPhase { address, parity })
                    }
                    SpinPlace::Memory { .. } | SpinPlace::Registers => None,
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
        self.record_fault(*first, pc, *Halt::new(kind, lanes));
    }
}

/// Marks the warps that can run.
fn marks(state: &State) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, block) in state.blocks.iter().enumerate() {
        for (number, warp) in block.warps.iter().enumerate() {
            if warp.can_run() {
                marks.push(Mark {
                    place: WarpPlace {
                        block: index,
                        warp: number,
                    },
                    fingerprint: fingerprint(warp),
                    steps: warp.steps,
                    is_back: false,
                });
            }
        }
    }
    marks
}

/// A number of all that decides what a warp does next, but memory.
fn fingerprint(warp: &Warp) -> u64 {
    let splits = warp.splits.all().iter().fold(0u64, |all, split| {
        let mut one = Mixer(0);
        one.add(u64::from(split.mask) << 32 | u64::from(split.pc));
        one.add(u64::from(split.depth) << 1 | u64::from(split.is_ready()));
        all.wrapping_add(one.0)
    });
    let mut mixer = Mixer(splits);
    for row in &warp.banks.r32 {
        for pair in row.as_chunks::<2>().0 {
            mixer.add(u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
    }
    for value in warp.banks.r64.iter().flatten() {
        mixer.add(*value);
    }
    for value in warp.banks.r128.iter().flatten() {
        mixer.add(*value as u64);
        mixer.add((*value >> 64) as u64);
    }
    for mask in &warp.banks.predicates {
        mixer.add(u64::from(*mask));
    }
    mixer.add(u64::from(warp.carry));
    mixer.0
}

struct Mixer(u64);

impl Mixer {
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// Notes what each warp reads, group by group, and where it tests registers.
struct Reads<'p> {
    program: &'p Program,
    by_warp: BTreeMap<WarpId, Vec<Read>>,
    tests: BTreeMap<WarpId, Vec<Read>>,
}

impl<'p> Reads<'p> {
    fn of(program: &'p Program) -> Reads<'p> {
        Reads {
            program,
            by_warp: BTreeMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// Whether an instruction is a branch that depends on a predicate.
    fn is_test(&self, function: FunctionId, instruction: u32) -> bool {
        let body = self.program.functions.get(function.0 as usize);
        let found = body.and_then(|body| body.instructions.get(instruction as usize));
        found.is_some_and(|found| {
            let does = self.program.action(found).map(|action| action.does);
            let control = does.and_then(Does::control);
            found.guard.is_some() && control.is_some_and(ControlOp::is_branch)
        })
    }

    fn add(&mut self, of: WarpId, read: Read) {
        let reads = self.by_warp.entry(of).or_default();
        match reads.iter_mut().find(|known| known.origin == read.origin) {
            Some(known) => known.lanes |= read.lanes,
            None => reads.push(read),
        }
    }
}

impl Observer for Reads<'_> {
    fn interest(&self) -> Interest {
        Interest {
            stores: false,
            steps: true,
            ..Interest::ORDER
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
            None => tests.push(Read {
                lanes: event.lanes,
                origin,
                place: SpinPlace::Registers,
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
        let read = Read {
            lanes: event.mask,
            origin: (event.function, event.instruction),
            place: SpinPlace::Memory {
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
            act: MbarrierAct::Test,
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
        let place = SpinPlace::Phase {
            address: touch.address,
            parity: touch.value & 1 != 0,
        };
        let reads = self.by_warp.entry(of).or_default();
        reads.retain(|known| known.origin != origin);
        self.add(
            of,
            Read {
                lanes: event.lanes,
                origin,
                place,
            },
        );
    }
}
