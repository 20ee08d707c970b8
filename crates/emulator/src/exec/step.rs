//! One instruction of one group of lanes: a match on the decoded operation, one call a family.

use crate::decode::code::{Code, CollectiveKind, Element, Instr, Op};
use crate::exec::alu_float::{float32, float32x2, float64, half};
use crate::exec::alu_int::*;
use crate::exec::atomic::atomic;
use crate::exec::collective::collective;
use crate::exec::control::{branch, branch_indexed, call, returns};
use crate::exec::memory_ops::{Executed, Halt, Reach, load, store};
use crate::exec::resolve::Target;
use crate::exec::system::{SystemReach, system_call};
use crate::exec::{compare, convert, elements, pack, select};
use crate::run::fault::FaultKind;
use crate::run::inspect::{Note, Writer};
use crate::run::launch::Limits;
use crate::run::observe::{Interest, Observer};
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::state::registers::{LANES, Lanes, Results, Row64, Slot, copy, lanes_of};
use crate::state::warp::{Split, SplitState, Warp};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Why a warp stopped before its turn was over.
pub(crate) enum Stop {
    /// The turn is over.
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
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) notes: &'a mut Vec<Note>,
    pub(crate) block: u64,
}

/// Runs a warp for at most `budget` steps, the first of which has number `step`. Returns the steps
/// that were executed. `FMA` says whether the host multiplies and adds in one instruction.
#[inline(always)]
pub(crate) fn run_warp_with<const FMA: bool>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    mut step: u64,
    budget: u32,
) -> (u32, Stop) {
    let code = around.code;
    warp.dirty = true;
    let mut results = Results {
        r32: [0; LANES],
        r64: [0; LANES],
    };
    let mut target = Target::UNKNOWN;
    let mut done = 0;
    while done < budget {
        if !warp.splits.select() {
            return (done, Stop::Blocked);
        }
        let split = *warp.splits.current();
        let reads_clock = |instr: &Instr| instr.reads_clock;
        if code
            .instructions
            .get(split.pc as usize)
            .is_some_and(reads_clock)
        {
            refresh_clocks(code, warp, step);
        }
        // Where lanes have parted, the group that goes next is chosen anew after every step.
        let most = match warp.splits.len() {
            1 => budget - done,
            _ => 1,
        };
        let (pc, steps, ended) =
            go_straight_on::<FMA>(around, warp, split, (step, most), &mut results, &mut target);
        warp.splits.current_mut().pc = pc;
        warp.steps += u64::from(steps);
        done += steps;
        step += u64::from(steps);
        match ended {
            Ended::Steps => continue,
            Ended::Fault(halt) => return (done, Stop::Fault(halt)),
            Ended::Parted { mask, target } => branch(warp, mask, target),
            Ended::Rare { instr, mask } => match rare(around, warp, instr, mask, step) {
                Ok(After::Next) => warp.splits.current_mut().pc = pc + 1,
                Ok(After::Moved) => {}
                // Nothing happened: another group is looked for, and no step is counted.
                Ok(After::Waits) => continue,
                Ok(After::Stops(stop)) => {
                    let counted = !matches!(stop, Stop::Barrier { .. });
                    warp.steps += u64::from(counted);
                    return (done + u32::from(counted), stop);
                }
                Err(halt) => return (done, Stop::Fault(halt)),
            },
        }
        warp.steps += 1;
        done += 1;
        step += 1;
    }
    (done, Stop::Turn)
}

/// Why a group of lanes does not go straight on; its next instruction is not executed yet.
enum Ended<'a> {
    /// All steps are done, or the clocks must be set before the next.
    Steps,
    /// Some of its lanes branch.
    Parted {
        mask: u32,
        target: u32,
    },
    /// Neither arithmetic nor a plain access to memory.
    Rare {
        instr: &'a Instr,
        mask: u32,
    },
    Fault(Box<Halt>),
}

/// At most `most` steps of a group, the first of which has number `step`. Returns where it is then, the steps that
/// were executed, and why they ended. Nothing but registers, memory and the place of the group changes, so
/// the groups of the warp need not be looked at.
#[inline(always)]
fn go_straight_on<'a, const FMA: bool>(
    around: &mut Surroundings<'a>,
    warp: &mut Warp,
    split: Split,
    (step, most): (u64, u32),
    results: &mut Results,
    target: &mut Target,
) -> (u32, u32, Ended<'a>) {
    let code = around.code;
    let mut lanes = Lanes {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(split.depth),
        mask: split.mask,
        carry: &mut warp.carry,
    };
    let mut pc = split.pc;
    let mut steps = 0;
    while steps < most {
        let Some(instr) = code.instructions.get(pc as usize) else {
            let halt = Halt::new(FaultKind::Trap, split.mask);
            return (pc, steps, Ended::Fault(halt));
        };
        if instr.reads_clock && steps > 0 {
            break;
        }
        lanes.mask = split.mask;
        if instr.guard.is_some() {
            let guard = lanes.predicate(instr.guard);
            lanes.mask &= if instr.negated { !guard } else { guard };
        }
        let mask = lanes.mask;
        match instr.op {
            _ if mask == 0 => pc += 1,
            Op::Load(plan) | Op::Store(plan) => {
                let mut reach = Reach {
                    code,
                    map: around.map,
                    global: around.global,
                    shared: around.shared,
                    stack: &mut warp.stack,
                    interest: around.interest,
                    observer: around.observer,
                    step: step + u64::from(steps),
                    block: around.block,
                    warp: warp.index,
                    pc,
                };
                let executed = match (code.accesses.get(plan as usize), instr.op) {
                    (Some(plan), Op::Load(_)) => {
                        load(&mut reach, &mut lanes, plan, target, results)
                    }
                    (Some(plan), _) => store(&mut reach, &mut lanes, plan, target),
                    (None, _) => {
                        let opcode = "access without a plan".to_string();
                        Err(Halt::new(FaultKind::NotEmulated { opcode }, mask))
                    }
                };
                if let Err(halt) = executed {
                    return (pc, steps, Ended::Fault(halt));
                }
                pc += 1;
            }
            Op::Branch { target } if mask == split.mask => pc = target,
            Op::Branch { target } => return (pc, steps, Ended::Parted { mask, target }),
            _ if compute::<FMA>(instr, code, &mut lanes, results) => pc += 1,
            _ => return (pc, steps, Ended::Rare { instr, mask }),
        }
        steps += 1;
    }
    (pc, steps, Ended::Steps)
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
        _ => return compute_more(instr, code, l, results),
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
        Op::SelectSign { d, a, b, c, float } => select::select_sign(l, d, [a, b, c], float),
        Op::PredicateLogic { op, d, a, b } => select::predicate_logic(l, op, [d, a, b]),
        Op::Policy { d } => l.set64(d, &[0; LANES]),
        Op::ActiveMask { d } => {
            let mask = l.mask;
            l.set32(d, &[mask; LANES]);
        }
        _ => return false,
    }
    true
}

/// What becomes of the running group.
enum After {
    /// It goes on with the next instruction.
    Next,
    /// It has been sent elsewhere.
    Moved,
    /// It waits at this instruction, which is not executed.
    Waits,
    Stops(Stop),
}

/// Operations that are neither arithmetic nor plain memory accesses.
#[inline(never)]
fn rare(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    instr: &Instr,
    mask: u32,
    step: u64,
) -> Result<After, Box<Halt>> {
    let code = around.code;
    let split = *warp.splits.current();
    let writer = Writer { step, lane: 0 };
    match instr.op {
        Op::Atomic(plan) => {
            let Some(plan) = code.atomics.get(plan as usize) else {
                return Ok(After::Next);
            };
            let mut reach = Reach {
                code,
                map: around.map,
                global: around.global,
                shared: around.shared,
                stack: &mut warp.stack,
                interest: around.interest,
                observer: around.observer,
                step,
                block: around.block,
                warp: warp.index,
                pc: split.pc,
            };
            let mut lanes = Lanes {
                banks: &mut warp.banks,
                constants: &code.constants,
                specials: &warp.specials,
                base: code.base(split.depth),
                mask,
                carry: &mut warp.carry,
            };
            atomic(&mut reach, &mut lanes, plan)?;
            Ok(After::Next)
        }
        Op::IsSpace { space, d, a } => {
            is_space(around, warp, (space, d, a), mask);
            Ok(After::Next)
        }
        Op::Collective(index) => {
            let Some(plan) = code.collectives.get(index as usize) else {
                return Ok(After::Next);
            };
            let missing = missing_lanes(code, warp, plan.mask, mask, mask);
            if missing != 0 && !matches!(plan.kind, CollectiveKind::Elect { .. }) {
                wait_for(warp, mask, missing);
                return Ok(After::Waits);
            }
            let mut lanes = crate::exec::control::lanes_at(code, warp, split.depth, mask);
            collective(&mut lanes, plan);
            Ok(After::Next)
        }
        Op::WarpBarrier { mask: slot } => Ok(warp_barrier(code, warp, slot, mask)),
        Op::BranchIndexed { index, table } => {
            let targets = code.branch_tables.get(table as usize);
            let indices = *crate::exec::control::lanes_at(code, warp, split.depth, mask).r32(index);
            branch_indexed(warp, mask, &indices, targets.map_or(&[], |t| t))?;
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
            warp.splits.current_mut().pc = split.pc + 1;
            warp.exit(mask);
            Ok(After::Stops(Stop::Exited))
        }
        Op::Barrier(plan) => Ok(After::Stops(Stop::Barrier { plan, mask })),
        Op::Yield => {
            warp.splits.current_mut().pc = split.pc + 1;
            Ok(After::Stops(Stop::Yield))
        }
        Op::Trap => Err(Halt::new(FaultKind::Trap, mask)),
        Op::Refused(index) => {
            let opcode = code.refused.get(index as usize).cloned();
            let opcode = opcode.unwrap_or_default();
            Err(Halt::new(FaultKind::NotEmulated { opcode }, mask))
        }
        _ => Ok(After::Next),
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
        return Ok(());
    };
    let mut reach = SystemReach {
        code: around.code,
        map: around.map,
        global: around.global,
        shared: around.shared,
        notes: around.notes,
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
    let masks = *crate::exec::control::lanes_at(code, warp, depth, active).r32(mask_slot);
    let named = lanes_of(active).fold(0, |named, lane| named | masks[lane]);
    named & live & !here
}

/// The active lanes of the running group wait; those that the guard excludes go on.
fn wait_for(warp: &mut Warp, mask: u32, missing: u32) {
    part_from_excluded(warp, mask);
    warp.splits.current_mut().state = SplitState::Lanes { missing };
}

/// Makes the lanes that the guard excludes a group of their own, behind this instruction.
pub(crate) fn part_from_excluded(warp: &mut Warp, mask: u32) {
    let current = *warp.splits.current();
    let excluded = current.mask & !mask;
    if excluded != 0 {
        crate::exec::control::go(warp, excluded, current.pc + 1, current.depth);
    }
}

/// `bar.warp.sync`: lanes may come to it at different instructions.
fn warp_barrier(code: &Code, warp: &mut Warp, slot: Slot, mask: u32) -> After {
    let at_barrier = |pc: u32| {
        matches!(
            code.instructions.get(pc as usize).map(|i| i.op),
            Some(Op::WarpBarrier { .. })
        )
    };
    let here = warp
        .splits
        .all()
        .iter()
        .filter(|s| matches!(s.state, SplitState::Lanes { .. }) && at_barrier(s.pc))
        .fold(mask, |here, s| here | s.mask);
    let missing = missing_lanes(code, warp, slot, mask, here);
    if missing != 0 {
        wait_for(warp, mask, missing);
        return After::Waits;
    }
    // Everybody is here: those that waited go on too.
    let depth = warp.splits.current().depth;
    let masks = *crate::exec::control::lanes_at(code, warp, depth, mask).r32(slot);
    let named = lanes_of(mask).fold(0, |named, lane| named | masks[lane]);
    for split in warp.splits.all_mut() {
        if matches!(split.state, SplitState::Lanes { .. })
            && at_barrier(split.pc)
            && split.mask & named != 0
        {
            split.state = SplitState::Ready;
            split.pc += 1;
        }
    }
    After::Next
}

/// `isspacep`
fn is_space(
    around: &Surroundings<'_>,
    warp: &mut Warp,
    (space, d, a): (StateSpace, Slot, Element),
    mask: u32,
) {
    let depth = warp.splits.current().depth;
    let mut lanes = crate::exec::control::lanes_at(around.code, warp, depth, mask);
    let row = elements::read64(&lanes, a);
    let map = around.map;
    let mut result = 0;
    for (lane, address) in row.iter().enumerate() {
        let constant = address.wrapping_sub(map.constant) < 1 << 32;
        let parameter = address.wrapping_sub(map.parameters) < 1 << 16;
        let inside = match space {
            StateSpace::Shared | StateSpace::SharedCluster => map.in_shared(*address),
            StateSpace::Local => map.in_local(*address),
            StateSpace::Const => constant,
            StateSpace::ParamEntry | StateSpace::ParamFunc => parameter,
            _ => !(map.in_shared(*address) || map.in_local(*address) || constant || parameter),
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
