//! One instruction of one group of lanes: a match on the decoded operation, one call a family.

use crate::decode::code::{Code, Collective, CollectiveKind, Element, Instr, Op, Refused};
use crate::exec::alu_float::{float32, float32x2, float64, half};
use crate::exec::alu_int::*;
use crate::exec::atomic::atomic;
use crate::exec::collective::collective;
use crate::exec::control::{branch, branch_indexed, call, lanes_at, returns};
use crate::exec::memory_ops::load;
use crate::exec::reach::{Executed, Halt, Reach};
use crate::exec::resolve::Target;
use crate::exec::system::{SystemReach, system_call};
use crate::exec::write::store;
use crate::exec::{compare, convert, elements, pack, predicate, select};
use crate::run::event::{Agent, LastStep, Outcome};
use crate::run::fault::{FaultKind, WaitReason};
use crate::run::inspect::{Note, Writer};
use crate::run::launch::Limits;
use crate::run::observe::{EventBuffer, Interest, Observer};
use crate::state::cluster::{GridShape, Peers};
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::state::pending::Starter;
use crate::state::registers::{LANES, Lanes, Results, Row64, Slot, copy, lanes_of};
use crate::state::warp::{SplitState, Warp};
use std::sync::Arc;
use warpgrid_isa::{SpecialRegister, StateSpace};

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
        plan: u32,
        mask: u32,
    },
    /// Some lanes arrived at the barrier of the cluster; the step is not counted yet.
    ClusterArrive {
        mask: u32,
    },
    /// It gives way.
    Yield,
    Fault(Box<Halt>),
}

/// What the steps of a warp can reach beyond the warp.
pub(crate) struct Surroundings<'a> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) limits: &'a Limits,
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    /// Shared memory of the other blocks of the cluster.
    pub(crate) peers: Peers<'a>,
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) notes: &'a mut Arc<Vec<Note>>,
    /// For instructions whose effect comes later.
    #[allow(dead_code, reason = "no instruction of the old contract starts one")]
    pub(crate) starter: Starter<'a>,
    pub(crate) block: u64,
    pub(crate) shape: &'a GridShape,
    /// Lanes of the warp that have arrived at the cluster's barrier in a phase that has not ended.
    pub(crate) cluster_pending: u32,
    /// Counts the steps that stored.
    pub(crate) stores: u64,
}

/// What became of the steps of a warp.
pub(crate) struct Run {
    /// Steps that were executed.
    pub(crate) steps: u32,
    pub(crate) stop: Stop,
    /// The last of these steps.
    pub(crate) last: Option<LastStep>,
    /// Where the warp stopped: place in the code, and lanes that were there.
    pub(crate) at: (u32, u32),
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

/// What a warp does next.
pub(crate) enum Next<'c> {
    Execute(Choice<'c>),
    /// A group begins to wait at its instruction, which is not executed and takes no step.
    Waits(Choice<'c>, WaitReason),
    /// No group can go on.
    Blocked,
    /// A group of these lanes is at a place without an instruction.
    Lost(u32),
}

/// Makes the group current that executes next, or lets it wait. The steps and whoever asks what comes next both ask
/// this function, so that what is shown is what happens.
#[inline(always)]
pub(crate) fn choose<'c>(
    code: &'c Code,
    warp: &mut Warp,
    cluster_pending: u32,
    in_bundle: bool,
) -> Next<'c> {
    // The parts of a step belong to one group.
    if !in_bundle && !warp.splits.select() {
        return Next::Blocked;
    }
    let split = warp.splits.current();
    let (pc, depth, lanes) = (split.pc, split.depth, split.mask);
    let Some(instr) = code.instructions.get(pc as usize) else {
        return Next::Lost(lanes);
    };
    let mut executed = lanes;
    if instr.guard.is_some() {
        let guard = lanes_at(code, warp, depth, lanes).predicate(instr.guard);
        executed &= if instr.negated { !guard } else { guard };
    }
    let choice = Choice {
        instr,
        pc,
        depth,
        lanes,
        executed,
    };
    if matches!(
        instr.op,
        Op::Collective(_) | Op::WarpBarrier { .. } | Op::ClusterWait
    ) && executed != 0
        && let Some(reason) = must_wait(code, warp, &choice, cluster_pending)
    {
        part_from_excluded(warp, executed);
        warp.splits.current_mut().state = SplitState::Waiting(reason);
        return Next::Waits(choice, reason);
    }
    Next::Execute(choice)
}

/// What the lanes that execute must wait for before they can.
#[inline(never)]
fn must_wait(
    code: &Code,
    warp: &mut Warp,
    choice: &Choice<'_>,
    cluster_pending: u32,
) -> Option<WaitReason> {
    let mask = choice.executed;
    let missing = match choice.instr.op {
        Op::Collective(plan) => match code.collectives.get(plan as usize) {
            // `elect` asks one of the lanes that are there.
            None
            | Some(Collective {
                kind: CollectiveKind::Elect { .. },
                ..
            }) => 0,
            Some(plan) => missing_lanes(code, warp, plan.mask, mask, mask),
        },
        Op::WarpBarrier { mask: slot } => {
            let here = mask | waiting_at_warp_barrier(code, warp);
            missing_lanes(code, warp, slot, mask, here)
        }
        Op::ClusterWait if cluster_pending & mask != 0 => return Some(WaitReason::ClusterBarrier),
        _ => 0,
    };
    (missing != 0).then_some(WaitReason::WarpLanes { missing })
}

/// Runs a warp for at most `budget` steps, the first of which has number `step`. `FMA` says whether the host
/// multiplies and adds in one instruction.
#[inline(always)]
pub(crate) fn run_warp_with<const FMA: bool>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    mut step: u64,
    budget: u32,
) -> Run {
    let code = around.code;
    let agent = (around.block, warp.index);
    warp.dirty = true;
    let mut results = Results {
        r32: [0; LANES],
        r64: [0; LANES],
    };
    let mut target = Target::UNKNOWN;
    let mut steps = 0;
    let mut in_bundle = false;
    let mut last = Trace::default();
    let mut at = (0, 0);
    let stop = loop {
        if steps == budget && !in_bundle {
            break Stop::Turn;
        }
        if !in_bundle && !around.interest.steps && warp.splits.len() == 1 && warp.splits.select() {
            let most = (step, budget - steps);
            let way = (&mut last, &mut at);
            let (n, halt) =
                go_straight_on::<FMA>(around, warp, most, way, &mut target, &mut results);
            warp.steps += u64::from(n);
            steps += n;
            step += u64::from(n);
            if let Some(halt) = halt {
                break Stop::Fault(halt);
            }
            if steps == budget {
                break Stop::Turn;
            }
        }
        let choice = match choose(code, warp, around.cluster_pending, in_bundle) {
            Next::Execute(choice) => choice,
            Next::Waits(choice, reason) => {
                in_bundle = false;
                if around.interest.steps {
                    let what = Outcome::Waits(reason);
                    report(around, agent, Trace::of(&choice, false), what, step);
                }
                continue;
            }
            Next::Blocked => break Stop::Blocked,
            Next::Lost(lanes) => {
                let what = "a place in the code without an instruction";
                break Stop::Fault(Halt::internal(what, lanes));
            }
        };
        at = (choice.pc, choice.lanes);
        if choice.instr.reads_clock {
            refresh_clocks(code, warp, step);
        }
        let mut stored = false;
        let mut lanes = lanes_at(code, warp, choice.depth, choice.executed);
        if choice.executed == 0 || compute::<FMA>(choice.instr, code, &mut lanes, &mut results) {
            warp.splits.current_mut().pc = choice.pc + 1;
        } else if let Op::Load(plan) | Op::Store(plan) = choice.instr.op {
            let executed = access(around, warp, &choice, plan, step, &mut target, &mut results);
            match executed {
                Ok(stores) => stored = stores,
                Err(halt) => break Stop::Fault(halt),
            }
            warp.splits.current_mut().pc = choice.pc + 1;
        } else if let Op::Branch { target } = choice.instr.op {
            branch(warp, choice.executed, target);
        } else {
            match rare(around, warp, &choice, step, &mut stored) {
                Ok(After::Next) => warp.splits.current_mut().pc = choice.pc + 1,
                Ok(After::Moved) => {}
                // Counted by the machine, once the other warps are looked at.
                Ok(After::Stops(stop @ (Stop::Barrier { .. } | Stop::ClusterArrive { .. }))) => {
                    break stop;
                }
                Ok(After::Stops(stop)) => {
                    let what = match stop {
                        Stop::Exited => Outcome::Exited,
                        _ => Outcome::Executed,
                    };
                    last = Trace::of(&choice, stored);
                    if around.interest.steps {
                        report(around, agent, last, what, step);
                    }
                    warp.steps += 1;
                    return Run {
                        steps: steps + 1,
                        stop,
                        last: Some(last.last_step(agent, what)),
                        at,
                    };
                }
                Err(halt) => break Stop::Fault(halt),
            }
        }
        if stored {
            around.stores += 1;
            around.observer.store_step(step);
        }
        in_bundle = choice.instr.with_next;
        if in_bundle {
            continue;
        }
        last = Trace::of(&choice, stored);
        if around.interest.steps {
            report(around, agent, last, Outcome::Executed, step);
        }
        warp.steps += 1;
        steps += 1;
        step += 1;
    };
    Run {
        steps,
        stop,
        last: (steps > 0).then(|| last.last_step(agent, Outcome::Executed)),
        at,
    }
}

/// Steps of a warp whose lanes are one group, none of which is reported: at most as many as `most` says after the number
/// of the first. Ends before any instruction that is more than arithmetic, a load, a store or a branch of the whole
/// group, so the groups need not be looked at in between. Returns the steps that were executed, and a fault; `last` and
/// `at` are as [`run_warp_with`] keeps them.
#[inline(always)]
fn go_straight_on<const FMA: bool>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    (step, most): (u64, u32),
    (last, at): (&mut Trace, &mut (u32, u32)),
    target: &mut Target,
    results: &mut Results,
) -> (u32, Option<Box<Halt>>) {
    let code = around.code;
    let split = *warp.splits.current();
    let mut pc = split.pc;
    let mut n = 0;
    let mut fault = None;
    while n < most {
        let Some(instr) = code.instructions.get(pc as usize) else {
            break;
        };
        if instr.reads_clock || instr.with_next {
            break;
        }
        let mut lanes = lanes_at(code, warp, split.depth, split.mask);
        if instr.guard.is_some() {
            let guard = lanes.predicate(instr.guard);
            lanes.mask &= if instr.negated { !guard } else { guard };
        }
        let choice = Choice {
            instr,
            pc,
            depth: split.depth,
            lanes: split.mask,
            executed: lanes.mask,
        };
        let mut stored = false;
        if choice.executed == 0 {
            pc += 1;
        } else if let Op::Load(plan) | Op::Store(plan) = instr.op {
            let step = step + u64::from(n);
            match access(around, warp, &choice, plan, step, target, results) {
                Ok(stores) => stored = stores,
                Err(halt) => {
                    *at = (pc, split.mask);
                    fault = Some(halt);
                    break;
                }
            }
            if stored {
                around.stores += 1;
                around.observer.store_step(step);
            }
            pc += 1;
        } else if let Op::Branch { target } = instr.op {
            if choice.executed != split.mask {
                break;
            }
            pc = target;
        } else if compute::<FMA>(instr, code, &mut lanes, results) {
            pc += 1;
        } else {
            break;
        }
        *last = Trace::of(&choice, stored);
        *at = (choice.pc, split.mask);
        n += 1;
    }
    warp.splits.current_mut().pc = pc;
    (n, fault)
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

    fn last_step(self, (block, warp): (u64, u32), what: Outcome) -> LastStep {
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
fn report(
    around: &mut Surroundings<'_>,
    agent: (u64, u32),
    trace: Trace,
    what: Outcome,
    step: u64,
) {
    let event = trace.last_step(agent, what).event(around.code, step);
    around.observer.step(&event);
}

/// A load or a store; whether it stored.
#[inline(always)]
fn access(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: &Choice<'_>,
    plan: u32,
    step: u64,
    target: &mut Target,
    results: &mut Results,
) -> Result<bool, Box<Halt>> {
    let Some(plan) = around.code.accesses.get(plan as usize) else {
        return Err(Halt::internal("an access without a plan", choice.executed));
    };
    let (mut reach, mut lanes) = reach(around, warp, choice, step);
    if matches!(choice.instr.op, Op::Load(_)) {
        load(&mut reach, &mut lanes, plan, target, results)?;
    } else {
        store(&mut reach, &mut lanes, plan, target)?;
    }
    Ok(reach.stored)
}

/// What an access of the warp can reach, and the lanes that access.
#[inline(always)]
fn reach<'r>(
    around: &'r mut Surroundings<'_>,
    warp: &'r mut Warp,
    choice: &Choice<'_>,
    step: u64,
) -> (Reach<'r>, Lanes<'r>) {
    let code = around.code;
    (
        Reach {
            code,
            map: around.map,
            global: around.global,
            shared: around.shared,
            peers: around.peers.reborrow(),
            stack: &mut warp.stack,
            interest: around.interest,
            observer: around.observer,
            events: around.events,
            step,
            block: around.block,
            shape: around.shape,
            warp: warp.index,
            pc: choice.pc,
            stored: false,
        },
        Lanes {
            banks: &mut warp.banks,
            constants: &code.constants,
            specials: &warp.specials,
            base: code.base(choice.depth),
            mask: choice.executed,
            carry: &mut warp.carry,
        },
    )
}

/// Operations that change registers alone and are frequent: [`compute`].
macro_rules! frequent {
    () => {
        Op::Int32 { .. }
            | Op::Int64 { .. }
            | Op::Wide32 { .. }
            | Op::Float32 { .. }
            | Op::Float64 { .. }
            | Op::Mov32 { .. }
            | Op::Mov64 { .. }
            | Op::SetPredicate { .. }
            | Op::Extend32 { .. }
            | Op::Truncate64 { .. }
            | Op::Select32 { .. }
            | Op::Shift64 { .. }
            | Op::Nop
    };
}

/// Operations that change registers alone and are less frequent: [`compute_more`].
macro_rules! infrequent {
    () => {
        Op::Int16 { .. }
            | Op::Int16x2 { .. }
            | Op::Extract64 { .. }
            | Op::Count64 { .. }
            | Op::Insert32(_)
            | Op::Insert64(_)
            | Op::Wide16 { .. }
            | Op::Float32x2 { .. }
            | Op::Half { .. }
            | Op::Carry32 { .. }
            | Op::Carry64 { .. }
            | Op::Mov128 { .. }
            | Op::MovPredicate { .. }
            | Op::Pack { .. }
            | Op::Unpack { .. }
            | Op::Convert { .. }
            | Op::ConvertPacked { .. }
            | Op::Offset { .. }
            | Op::Set { .. }
            | Op::TestFloat { .. }
            | Op::Select64 { .. }
            | Op::SelectSign { .. }
            | Op::PredicateLogic { .. }
            | Op::Modify { .. }
            | Op::AddressSum { .. }
            | Op::Policy { .. }
            | Op::ActiveMask { .. }
    };
}

/// Operations that reach memory or other warps, or change where lanes go: [`execute`] and [`rare`].
macro_rules! beyond_registers {
    () => {
        Op::Load(_)
            | Op::Store(_)
            | Op::Branch { .. }
            | Op::Atomic(_)
            | Op::IsSpace { .. }
            | Op::Collective(_)
            | Op::WarpBarrier { .. }
            | Op::BranchIndexed { .. }
            | Op::Call(_)
            | Op::SystemCall(_)
            | Op::Return
            | Op::Exit
            | Op::Barrier(_)
            | Op::ClusterArrive
            | Op::ClusterWait
            | Op::Yield
            | Op::Trap
            | Op::Refused(_)
    };
}

/// Operations that only change registers. False for all others, which are not executed.
#[inline(always)]
fn compute<const FMA: bool>(
    instr: &Instr,
    code: &Code,
    l: &mut Lanes<'_>,
    results: &mut Results,
) -> bool {
    let Results { r32, r64 } = results;
    match instr.op {
        Op::Int32 { f, signed, slots } => int32(l, r32, f, signed, slots),
        Op::Int64 { f, signed, slots } => int64(l, r64, f, signed, slots),
        Op::Wide32 { signed, slots } => wide32(l, r64, signed, slots),
        Op::Float32 { f, mode, slots } => float32::<FMA>(l, r32, f, mode, slots),
        Op::Float64 { f, mode, slots } => float64::<FMA>(l, r64, f, mode, slots),
        Op::Mov32 { d, a } => {
            copy(r32, l.r32(a));
            l.set32(d, r32);
        }
        Op::Mov64 { d, a } => {
            copy(r64, l.r64(a));
            l.set64(d, r64);
        }
        Op::SetPredicate {
            ref compare,
            d,
            q,
            combine,
        } => compare::set_predicate(l, compare, d, q, combine),
        Op::Extend32 { signed, d, a } => extend32(l, r64, signed, d, a),
        Op::Truncate64 { d, a } => {
            let a = l.r64(a);
            for lane in 0..LANES {
                r32[lane] = a[lane] as u32;
            }
            l.set32(d, r32);
        }
        Op::Select32 { d, a, b, p } => select::select32(l, [d, a, b, p]),
        Op::Shift64 { f, signed, slots } => shift64(l, r64, f, signed, slots),
        Op::Nop => {}
        infrequent!() => return compute_more(instr, code, l, results),
        beyond_registers!() => return false,
    }
    true
}

#[inline(always)]
fn extend32(l: &mut Lanes<'_>, row: &mut Row64, signed: bool, d: Slot, a: Slot) {
    let a = l.r32(a);
    for lane in 0..LANES {
        row[lane] = if signed {
            i64::from(a[lane] as i32) as u64
        } else {
            u64::from(a[lane])
        };
    }
    l.set64(d, row);
}

/// The less frequent part of [`compute`].
#[inline(never)]
fn compute_more(instr: &Instr, code: &Code, l: &mut Lanes<'_>, results: &mut Results) -> bool {
    let Results { r32, r64 } = results;
    let list_of = |index: u32| -> &[Element] { code.packs.get(index as usize).map_or(&[], |e| e) };
    match instr.op {
        Op::Int16 { f, signed, slots } => int16(l, r32, f, signed, slots),
        Op::Int16x2 { f, signed, slots } => int16x2(l, r32, f, signed, slots),
        Op::Extract64 { signed, slots } => extract64(l, r64, signed, slots),
        Op::Count64 { f, signed, slots } => count64(l, r32, f, signed, slots),
        Op::Insert32(slots) => insert32(l, r32, slots),
        Op::Insert64(slots) => insert64(l, r64, slots),
        Op::Wide16 { signed, slots } => wide16(l, r32, signed, slots),
        Op::Float32x2 { f, mode, slots } => float32x2(l, r64, f, mode, slots),
        Op::Half { f, ty, mode, slots } => half(l, r32, f, ty, mode, slots),
        Op::Carry32 { f, mode, slots } => carry32(l, r32, f, mode, slots),
        Op::Carry64 { f, mode, slots } => carry64(l, r64, f, mode, slots),
        Op::Mov128 { d, a } => {
            let row = *l.r128(a);
            l.set128(d, &row);
        }
        Op::MovPredicate { d, a } => {
            let value = l.predicate(a);
            l.set_predicate(d, value);
        }
        Op::Pack {
            d,
            elements: list,
            element_bits,
        } => pack::pack(l, d, list_of(list), u32::from(element_bits)),
        Op::Unpack {
            a,
            elements: list,
            element_bits,
        } => pack::unpack(l, a, list_of(list), u32::from(element_bits)),
        Op::Convert {
            ref conversion,
            d,
            a,
        } => convert::convert(l, conversion, d, a),
        Op::ConvertPacked {
            ref conversion,
            d,
            a,
            b,
        } => convert::convert_packed(l, conversion, [d, a, b]),
        Op::Offset { d, a, addend } => pack::offset(l, d, a, addend),
        Op::Set {
            ref compare,
            to,
            d,
            combine,
        } => compare::set(l, compare, to, d, combine),
        Op::TestFloat { test, wide, d, a } => compare::test_float(l, test, wide, d, a),
        Op::Select64 { d, a, b, p } => select::select64(l, [d, a, b, p]),
        Op::SelectSign { d, a, b, c, sign } => select::select_sign(l, d, [a, b, c], sign),
        Op::PredicateLogic { table, d, a, b } => {
            predicate::predicate_logic(l, table, [d, a, b]);
        }
        Op::Modify {
            modifiers,
            ty,
            d,
            a,
        } => predicate::modify(l, modifiers, ty, d, a),
        Op::AddressSum {
            d,
            base,
            scale,
            uniform,
        } => predicate::address_sum(l, d, base, scale, uniform),
        Op::Policy { d } => l.set64(d, &[0; LANES]),
        Op::ActiveMask { d } => {
            let mask = l.mask;
            l.set32(d, &[mask; LANES]);
        }
        frequent!() | beyond_registers!() => return false,
    }
    true
}

/// What becomes of the running group.
enum After {
    /// It goes on with the next instruction.
    Next,
    /// It has been sent elsewhere.
    Moved,
    Stops(Stop),
}

/// Operations that are neither arithmetic nor plain memory accesses.
#[inline(never)]
fn rare(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: &Choice<'_>,
    step: u64,
    stored: &mut bool,
) -> Result<After, Box<Halt>> {
    let code = around.code;
    let mask = choice.executed;
    let writer = Writer { step, lane: 0 };
    let without_plan = |what| Err(Halt::internal(what, mask));
    match choice.instr.op {
        Op::Atomic(plan) => {
            let Some(plan) = code.atomics.get(plan as usize) else {
                return without_plan("an atomic without a plan");
            };
            let (mut reach, mut lanes) = reach(around, warp, choice, step);
            atomic(&mut reach, &mut lanes, plan)?;
            *stored = reach.stored;
            Ok(After::Next)
        }
        Op::IsSpace { space, d, a } => {
            is_space(around, warp, (space, d, a), mask);
            Ok(After::Next)
        }
        Op::Collective(index) => {
            let Some(plan) = code.collectives.get(index as usize) else {
                return without_plan("a collective without a plan");
            };
            collective(&mut lanes_at(code, warp, choice.depth, mask), plan);
            Ok(After::Next)
        }
        Op::WarpBarrier { mask: slot } => {
            open_warp_barrier(code, warp, slot, mask);
            Ok(After::Next)
        }
        Op::BranchIndexed { index, table } => {
            let Some(targets) = code.branch_tables.get(table as usize) else {
                return without_plan("an indexed branch without a table");
            };
            let indices = *lanes_at(code, warp, choice.depth, mask).r32(index);
            branch_indexed(warp, mask, &indices, targets)?;
            Ok(After::Moved)
        }
        Op::Call(plan) => {
            call(code, around.limits, warp, mask, plan, writer)?;
            Ok(After::Moved)
        }
        Op::SystemCall(plan) => {
            run_system_call(around, warp, plan, mask, step)?;
            Ok(After::Next)
        }
        Op::Return if returns(code, warp, mask, writer) => Ok(After::Moved),
        Op::Return | Op::Exit => {
            warp.splits.current_mut().pc = choice.pc + 1;
            warp.exit(mask);
            Ok(After::Stops(Stop::Exited))
        }
        Op::Barrier(plan) => Ok(After::Stops(Stop::Barrier { plan, mask })),
        Op::ClusterArrive => {
            warp.splits.current_mut().pc = choice.pc + 1;
            Ok(After::Stops(Stop::ClusterArrive { mask }))
        }
        // Its lanes have waited before they got here.
        Op::ClusterWait => Ok(After::Next),
        Op::Yield => {
            warp.splits.current_mut().pc = choice.pc + 1;
            Ok(After::Stops(Stop::Yield))
        }
        Op::Trap => Err(Halt::new(FaultKind::Trap, mask)),
        Op::Refused(index) => {
            let kind = match code.refused.get(index as usize).cloned() {
                Some(Refused::NotEmulated { opcode }) => FaultKind::NotEmulated { opcode },
                Some(Refused::Internal { what }) => FaultKind::Internal { what },
                None => return without_plan("a refusal without a reason"),
            };
            Err(Halt::new(kind, mask))
        }
        frequent!() | infrequent!() | Op::Load(_) | Op::Store(_) | Op::Branch { .. } => {
            without_plan("an operation that no family executes")
        }
    }
}

fn run_system_call(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    plan: u32,
    mask: u32,
    step: u64,
) -> Executed {
    let Some(plan) = around.code.system_calls.get(plan as usize) else {
        return Err(Halt::internal("a call of the driver without a plan", mask));
    };
    let mut reach = SystemReach {
        code: around.code,
        map: around.map,
        global: around.global,
        shared: around.shared,
        notes: Arc::make_mut(around.notes),
        max_notes: around.limits.max_notes as usize,
        step,
        block: around.block,
    };
    system_call(&mut reach, warp, mask, plan)
}

/// Lanes that the active ones name and that are not among `here`.
pub(crate) fn missing_lanes(
    code: &Code,
    warp: &mut Warp,
    mask_slot: Slot,
    active: u32,
    here: u32,
) -> u32 {
    if !mask_slot.is_some() {
        return 0;
    }
    let live = warp.live();
    let depth = warp.splits.current().depth;
    let masks = *lanes_at(code, warp, depth, active).r32(mask_slot);
    let named = lanes_of(active).fold(0, |named, lane| named | masks[lane]);
    named & live & !here
}

/// Makes the lanes that the guard excludes a group of their own, after this instruction.
pub(crate) fn part_from_excluded(warp: &mut Warp, mask: u32) {
    let current = *warp.splits.current();
    let excluded = current.mask & !mask;
    if excluded != 0 {
        crate::exec::control::go(warp, excluded, current.pc + 1, current.depth);
    }
}

/// Whether a place in the code is a `bar.warp.sync`.
fn at_warp_barrier(code: &Code, pc: u32) -> bool {
    matches!(
        code.instructions.get(pc as usize).map(|i| i.op),
        Some(Op::WarpBarrier { .. })
    )
}

/// Lanes that wait at a `bar.warp.sync`; they may have come to it at different instructions.
fn waiting_at_warp_barrier(code: &Code, warp: &Warp) -> u32 {
    let splits = warp.splits.all().iter();
    splits
        .filter(|s| !s.is_ready() && at_warp_barrier(code, s.pc))
        .fold(0, |here, s| here | s.mask)
}

/// All named lanes have arrived at a `bar.warp.sync`: releases the groups that wait there.
fn open_warp_barrier(code: &Code, warp: &mut Warp, slot: Slot, mask: u32) {
    let depth = warp.splits.current().depth;
    let masks = *lanes_at(code, warp, depth, mask).r32(slot);
    let named = lanes_of(mask).fold(0, |named, lane| named | masks[lane]);
    for split in warp.splits.all_mut() {
        if !split.is_ready() && at_warp_barrier(code, split.pc) && split.mask & named != 0 {
            split.state = SplitState::Ready;
            split.pc += 1;
        }
    }
}

/// `isspacep`
fn is_space(
    around: &Surroundings<'_>,
    warp: &mut Warp,
    (space, d, a): (StateSpace, Slot, Element),
    mask: u32,
) {
    let depth = warp.splits.current().depth;
    let mut lanes = lanes_at(around.code, warp, depth, mask);
    let row = elements::read64(&lanes, a);
    let map = around.map;
    let mut result = 0;
    for (lane, address) in row.iter().enumerate() {
        let constant = address.wrapping_sub(map.constant) < 1 << 32;
        let parameter = address.wrapping_sub(map.parameters) < 1 << 16;
        let inside = match space {
            StateSpace::Shared => map.in_shared(*address),
            StateSpace::SharedCluster => map.in_shared_cluster(*address),
            StateSpace::Local => map.in_local(*address),
            StateSpace::Const => constant,
            StateSpace::ParamEntry | StateSpace::ParamFunc => parameter,
            _ => {
                !(map.in_shared_cluster(*address)
                    || map.in_local(*address)
                    || constant
                    || parameter)
            }
        };
        result |= u32::from(inside) << lane;
    }
    lanes.set_predicate(d, result);
}

/// Puts the present time into the special registers that show it.
fn refresh_clocks(code: &Code, warp: &mut Warp, step: u64) {
    let time = |special: SpecialRegister| match special {
        SpecialRegister::Clock | SpecialRegister::Clock64 => Some(warp.steps),
        SpecialRegister::ClockHi => Some(warp.steps >> 32),
        SpecialRegister::Globaltimer | SpecialRegister::GlobaltimerLo => Some(step),
        SpecialRegister::GlobaltimerHi => Some(step >> 32),
        _ => None,
    };
    for (special, row) in code.specials32.iter().zip(&mut warp.specials.r32) {
        if let Some(time) = time(*special) {
            *row = [time as u32; LANES];
        }
    }
    for (special, row) in code.specials64.iter().zip(&mut warp.specials.r64) {
        if let Some(time) = time(*special) {
            *row = [time; LANES];
        }
    }
}
