//! The steps of one warp: which group of lanes goes on, its instruction, and what is kept of each step.

use crate::code::op::Op;
use crate::code::plans::PlanId;
use crate::code::{BarrierPlan, Code, Instr};
use crate::contract::event::{Agent, Outcome, WarpId};
use crate::contract::inspect::{Note, NoteKind};
use crate::contract::launch::Limits;
use crate::contract::observe::{EventBuffer, Interest, Observer};
use crate::contract::pending::PendingOrigin;
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::exec::arithmetic::compute::{compute, compute_apart};
use crate::exec::control::{branch, lanes_at};
use crate::exec::dispatch::{After, rare, refresh_clocks};
use crate::exec::elements::write64;
use crate::exec::memory::access::{Request, Rows, access, access_apart};
use crate::exec::memory::even::AskFor;
use crate::exec::reach::{Halt, Reach};
use crate::exec::waits::{Outside, begin_to_wait};
use crate::semantics::registers::{LANES, Lanes};
use crate::state::cluster::{ClusterBarrier, GridShape, Peers};
use crate::state::image::Image;
use crate::state::in_flight::Starter;
use crate::state::last_step::LastStep;
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::state::multicast::Multicast;
use crate::state::notes::add_once;
use crate::state::warp::{Stack, Warp};
use std::sync::Arc;

/// Why a warp stopped before its turn was over.
pub(crate) enum Stop {
    /// The turn is over, or something must be looked at before it goes on.
    Turn,
    /// No group of it can go on.
    Blocked,
    /// Some lanes ended.
    Exited,
    /// Some lanes came to a barrier of the block; the step is not counted yet.
    Barrier {
        plan: PlanId<BarrierPlan>,
        mask: u32,
    },
    /// Some lanes arrived at the barrier of the cluster; the step is not counted yet.
    ClusterArrive {
        mask: u32,
    },
    /// It gives way.
    Yield,
    /// A phase of an mbarrier of the cluster ended.
    PhaseEnded,
    /// Columns of tensor memory of the block were given back.
    ColumnsFreed,
    Fault(Box<Halt>),
}

/// What the steps of a warp can reach beyond the warp.
pub(crate) struct Surroundings<'a> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) limits: &'a Limits,
    /// Textures and surfaces.
    pub(crate) images: &'a [Image],
    /// Addresses that stand for several buffers.
    pub(crate) multicasts: &'a [Multicast],
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    /// Tensor memory of the block.
    pub(crate) tensor: &'a mut PagedBytes,
    /// Shared memory of the other blocks of the cluster.
    pub(crate) peers: Peers<'a>,
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) notes: &'a mut Arc<Vec<Note>>,
    /// For instructions whose effect comes later.
    pub(crate) starter: Starter<'a>,
    pub(crate) block: u64,
    /// Warps of the block.
    pub(crate) n_warps: u32,
    pub(crate) shape: &'a GridShape,
    /// The barrier of the cluster, and the number of the warp there.
    pub(crate) cluster_barrier: Option<(&'a ClusterBarrier, usize)>,
    /// Counts the steps that stored.
    pub(crate) stores: u64,
    /// Executed lane-instructions of this turn.
    pub(crate) lane_instructions: u64,
    /// Becomes the last of the steps. In place, since in wasm a copy of it is a call to the host.
    pub(crate) last_step: &'a mut Option<LastStep>,
}

impl Surroundings<'_> {
    /// Notes what lanes of a warp did, once for each instruction.
    pub(crate) fn note(&mut self, warp: u32, kind: NoteKind, step: u64) {
        let note = Note {
            step,
            block: self.block,
            warp,
            kind,
        };
        add_once(self.notes, note, self.limits.max_notes);
    }

    /// Reports what lanes of a warp did to the order of others.
    #[inline(always)]
    pub(crate) fn report_sync(&mut self, at: SyncAt, what: SyncKind<'_>) {
        if self.interest.syncs {
            self.send_sync(at, what);
        }
    }

    #[cold]
    #[inline(never)]
    fn send_sync(&mut self, at: SyncAt, what: SyncKind<'_>) {
        let (function, instruction) = self.code.origin(at.pc);
        self.observer.sync(&SyncEvent {
            step: at.step,
            block: self.block,
            warp: at.warp,
            function,
            instruction,
            lanes: at.lanes,
            what,
        });
    }

    /// What an operation that a warp starts now comes from.
    pub(crate) fn origin(&self, warp: u32, pc: u32, step: u64) -> PendingOrigin {
        let (function, instruction) = self.code.origin(pc);
        PendingOrigin {
            step,
            block: self.block,
            warp,
            function,
            instruction,
        }
    }
}

/// Lanes of a warp that execute an instruction.
#[derive(Clone, Copy)]
pub(crate) struct SyncAt {
    pub(crate) warp: u32,
    /// Their place in the code.
    pub(crate) pc: u32,
    pub(crate) lanes: u32,
    pub(crate) step: u64,
}

impl SyncAt {
    pub(crate) fn of(warp: &Warp, choice: &Choice<'_>, step: u64) -> SyncAt {
        SyncAt {
            warp: warp.index,
            pc: choice.pc,
            lanes: choice.executed,
            step,
        }
    }
}

/// What became of the steps of a warp.
pub(crate) struct Run {
    /// Steps that were executed.
    pub(crate) steps: u32,
    pub(crate) stop: Stop,
    /// Who came to a barrier.
    pub(crate) came: Came,
}

/// Lanes that came to a barrier of the block or of the cluster.
#[derive(Clone, Copy, Default)]
pub(crate) struct Came {
    /// Their place in the code.
    pub(crate) pc: u32,
    /// Those whose guard holds, and those whose guard does not.
    pub(crate) lanes: u32,
}

/// A group of lanes, and the instruction that it executes.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'c> {
    pub(crate) instr: &'c Instr,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    /// Lanes of the group.
    pub(crate) lanes: u32,
    /// Those whose guard lets the instruction happen.
    pub(crate) executed: u32,
}

/// Finds the instruction of the current group of lanes, and the lanes whose guard lets it happen; none if the group is
/// at a place without an instruction. The steps and the search for the next step call it and [`begin_to_wait`], so
/// that what is shown is what happens.
#[inline(always)]
pub(crate) fn choose<'c>(code: &'c Code, warp: &mut Warp) -> Option<Choice<'c>> {
    let split = warp.splits.current();
    let (pc, depth, lanes) = (split.pc, split.depth, split.mask);
    let instr = code.instructions.get(pc as usize)?;
    let mut executed = lanes;
    if instr.guard.is_some() {
        let guard = lanes_at(code, warp, depth, lanes).predicate(instr.guard);
        executed &= if instr.negated { !guard } else { guard };
    }
    Some(Choice {
        instr,
        pc,
        depth,
        lanes,
        executed,
    })
}

/// Runs a warp for at most `budget` steps, the first of which has number `step`. `FMA` says whether the host
/// multiplies and adds in one instruction, `APART` that the families stay functions of their own.
#[inline(always)]
pub(crate) fn run_warp_with<const FMA: bool, const APART: bool>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    rows: &mut Rows,
    step: u64,
    budget: u32,
    ask_for: impl AskFor,
) -> Run {
    let agent = WarpId {
        block: around.block,
        warp: warp.index,
    };
    warp.dirty = true;
    if std::mem::take(&mut warp.fresh) {
        warp.banks.reset(around.code.entry_sizes);
        if !around.code.initial.is_empty() {
            set_initial_registers(around.code, warp);
        }
    }
    let mut way = Way {
        first: step,
        steps: 0,
        in_bundle: false,
        last: Trace::default(),
    };
    let mut came = Came::default();
    let mut exited = false;
    let stop = loop {
        // The parts of a step belong to one group.
        if !way.in_bundle {
            if way.steps == budget {
                break Stop::Turn;
            }
            if !warp.splits.select() {
                break Stop::Blocked;
            }
        }
        // One group alone goes on until the turn ends; among several the next one is chosen at each step.
        let end = if warp.splits.len() == 1 && !around.interest.steps {
            budget
        } else {
            way.steps + 1
        };
        match go_straight_on::<FMA, APART>(around, warp, &mut way, end, rows, ask_for) {
            Ok(Straight::Done) => {
                if around.interest.steps {
                    report(around, agent, way.last, Outcome::Executed, way.step() - 1);
                }
                continue;
            }
            Ok(Straight::Clock) => continue,
            Ok(Straight::Other) => {}
            Err(halt) => break Stop::Fault(halt),
        }
        let Some(choice) = choose(around.code, warp) else {
            let what = "no instruction at the program counter";
            break Stop::Fault(Halt::internal(what, warp.splits.current().mask));
        };
        let mut stored = false;
        let mut ends = None;
        if let Op::Branch { target } = choice.instr.op {
            branch(warp, choice.executed, target);
        } else if let Some(reason) = begin_to_wait(around.code, warp, choice, &around.outside()) {
            way.in_bundle = false;
            if around.interest.steps {
                let what = Outcome::Waits(reason);
                report(around, agent, Trace::of(&choice, false), what, way.step());
            }
            continue;
        } else {
            match rare(around, warp, choice, way.step()) {
                Ok(After::Next { stores }) => {
                    stored = stores;
                    warp.splits.current_mut().pc = choice.pc + 1;
                }
                Ok(After::NextThen { stores, stop }) => {
                    stored = stores;
                    warp.splits.current_mut().pc = choice.pc + 1;
                    ends = Some(stop);
                }
                Ok(After::Moved) => {}
                // Counted by the machine, once the other warps are looked at.
                Ok(After::Stops(stop @ (Stop::Barrier { .. } | Stop::ClusterArrive { .. }))) => {
                    came = Came {
                        pc: choice.pc,
                        lanes: choice.lanes,
                    };
                    break stop;
                }
                Ok(After::Stops(stop)) => ends = Some(stop),
                Err(halt) => break Stop::Fault(halt),
            }
        }
        if stored {
            around.stores += 1;
            around.observer.store_step(way.step());
        }
        way.in_bundle = choice.instr.with_next && ends.is_none();
        if way.in_bundle {
            continue;
        }
        exited = matches!(ends, Some(Stop::Exited));
        way.last = Trace::of(&choice, stored);
        if around.interest.steps {
            report(around, agent, way.last, outcome(exited), way.step());
        }
        around.lane_instructions += u64::from(choice.lanes.count_ones());
        warp.steps += 1;
        way.steps += 1;
        if let Some(stop) = ends {
            break stop;
        }
    };
    if way.steps > 0 {
        *around.last_step = Some(way.last.last_step(agent, outcome(exited)));
    }
    Run {
        steps: way.steps,
        stop,
        came,
    }
}

/// Puts into registers what the launch says that they begin with.
#[cold]
#[inline(never)]
fn set_initial_registers(code: &Code, warp: &mut Warp) {
    let first = u64::from(warp.index) * LANES as u64;
    let mut lanes = lanes_at(code, warp, 0, u32::MAX);
    for register in &code.initial {
        let mut row = [0; LANES];
        for (lane, value) in (0u64..).zip(&mut row) {
            *value = register
                .start
                .wrapping_add(register.per_lane.wrapping_mul(lane))
                .wrapping_add(register.per_thread.wrapping_mul(first + lane));
        }
        write64(&mut lanes, register.place, &row);
    }
}

/// How a step that was executed ended for its lanes.
#[inline(always)]
fn outcome(exited: bool) -> Outcome {
    if exited {
        Outcome::Exited
    } else {
        Outcome::Executed
    }
}

/// How far a warp has come in its turn.
struct Way {
    /// Number of the first step.
    first: u64,
    /// Number of executed steps.
    steps: u32,
    /// Parts of a step are done, and not all of them.
    in_bundle: bool,
    last: Trace,
}

impl Way {
    /// Number of the next step.
    #[inline(always)]
    fn step(&self) -> u64 {
        self.first + u64::from(self.steps)
    }
}

/// Why [`go_straight_on`] ended.
enum Straight {
    /// As many steps are done as were asked for.
    Done,
    /// The next instruction shows the time, which must be put into its register first.
    Clock,
    /// The next instruction is of another kind. It has not been executed.
    Other,
}

/// Steps of the current group until `end` steps of the turn are done: arithmetic, loads, stores, and branches that the
/// whole group takes. They change no group but this one, so the groups need not be compared in between.
#[inline(always)]
fn go_straight_on<const FMA: bool, const APART: bool>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    way: &mut Way,
    end: u32,
    rows: &mut Rows,
    ask_for: impl AskFor,
) -> Result<Straight, Box<Halt>> {
    let code = around.code;
    let split = *warp.splits.current();
    let start = way.steps;
    let mut pc = split.pc;
    let first = code.instructions.get(pc as usize);
    let mut clock_is_fresh = first.is_some_and(|instr| instr.reads_clock);
    if clock_is_fresh {
        let steps = warp.steps;
        refresh_clocks(code, warp, steps, way.step());
    }
    let mut lanes = Lanes {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(split.depth),
        mask: split.mask,
        carry: &mut warp.carry,
    };
    let ended = loop {
        if way.steps >= end {
            break Ok(Straight::Done);
        }
        let Some(instr) = code.instructions.get(pc as usize) else {
            break Ok(Straight::Other);
        };
        let mut executed = split.mask;
        if !instr.is_plain {
            if instr.reads_clock && !std::mem::take(&mut clock_is_fresh) {
                break Ok(Straight::Clock);
            }
            if instr.guard.is_some() {
                let guard = lanes.predicate(instr.guard);
                executed &= if instr.negated { !guard } else { guard };
            }
        }
        lanes.mask = executed;
        let mut stored = false;
        let mut next = pc + 1;
        let results = &mut rows.results;
        let is_done = executed == 0
            || if APART {
                compute_apart(instr, code, &mut lanes, results)
            } else {
                compute::<FMA>(instr, code, &mut lanes, results)
            };
        if is_done {
            // Registers alone have changed.
        } else if let Op::Load(plan) | Op::Store(plan) = instr.op {
            let request = Request {
                plan,
                loads: matches!(instr.op, Op::Load(_)),
                warp: warp.index,
                step: way.step(),
                pc,
            };
            let stack = &mut warp.stack;
            let outcome = if APART {
                access_apart(around, &mut lanes, stack, request, rows)
            } else {
                access(around, &mut lanes, stack, request, rows, ask_for)
            };
            match outcome {
                Ok(stores) => stored = stores,
                Err(halt) => break Err(halt),
            }
            if stored {
                around.stores += 1;
                around.observer.store_step(way.step());
            }
        } else if let Op::Branch { target } = instr.op
            && executed == split.mask
        {
            next = target;
        } else {
            break Ok(Straight::Other);
        }
        way.in_bundle = instr.with_next;
        if !instr.with_next {
            way.last = Trace {
                pc,
                lanes: split.mask,
                executed,
                stored,
            };
            way.steps += 1;
        }
        pc = next;
    };
    warp.splits.current_mut().pc = pc;
    let n_steps = u64::from(way.steps - start);
    warp.steps += n_steps;
    around.lane_instructions += n_steps * u64::from(split.mask.count_ones());
    ended
}

/// What is kept of a step while its warp runs on.
#[derive(Clone, Copy, Default)]
struct Trace {
    pc: u32,
    lanes: u32,
    executed: u32,
    stored: bool,
}

impl Trace {
    #[inline(always)]
    fn of(choice: &Choice<'_>, stored: bool) -> Trace {
        Trace {
            pc: choice.pc,
            lanes: choice.lanes,
            executed: choice.executed,
            stored,
        }
    }

    fn last_step(self, of: WarpId, what: Outcome) -> LastStep {
        let WarpId { block, warp } = of;
        LastStep {
            agent: Agent::Warp { block, warp },
            block,
            warp,
            pc: self.pc,
            lanes: self.lanes,
            executed: self.executed,
            what,
            stored: self.stored,
        }
    }
}

/// Reports a step to the observer.
#[cold]
#[inline(never)]
fn report(around: &mut Surroundings<'_>, agent: WarpId, trace: Trace, what: Outcome, step: u64) {
    let event = trace.last_step(agent, what).event(around.code, step);
    around.observer.step(&event);
}

impl<'a> Surroundings<'a> {
    /// What the waits of a warp look at.
    fn outside(&self) -> Outside<'_> {
        Outside {
            cluster_pending: self
                .cluster_barrier
                .map_or(0, |(barrier, warp)| barrier.pending(warp)),
            map: self.map,
            shared: self.shared,
            tensor: self.tensor,
            in_flight: self.starter.in_flight,
            block: self.block,
        }
    }

    /// What an access of a warp with this stack can reach.
    #[inline(always)]
    pub(crate) fn reach<'r>(
        &'r mut self,
        stack: &'r mut Stack,
        warp: u32,
        step: u64,
        pc: u32,
    ) -> Reach<'r> {
        Reach {
            code: self.code,
            map: self.map,
            global: self.global,
            shared: self.shared,
            peers: self.peers.reborrow(),
            stack,
            images: self.images,
            multicasts: self.multicasts,
            interest: self.interest,
            observer: self.observer,
            events: self.events,
            step,
            block: self.block,
            shape: self.shape,
            warp,
            pc,
            stored: false,
        }
    }
}
