//! Operations that are neither arithmetic on registers nor plain memory accesses: what becomes of their lanes.

use crate::code::op::Op;
use crate::code::op::{frequent, infrequent};
use crate::code::{Code, GroupWait, Refused, SystemPlan};
use crate::contract::event::PendingId;
use crate::contract::fault::FaultKind;
use crate::contract::inspect::{NoteKind, Writer};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::GroupKind;
use crate::contract::sync_event::SyncKind;
use crate::exec::cluster::{fill, map_to_rank, rank_of};
use crate::exec::collective::collective;
use crate::exec::context::lanes_at;
use crate::exec::context::{After, reaching};
use crate::exec::context::{Choice, Stop, Surroundings, SyncAt};
use crate::exec::control::{branch, branch_indexed, branch_indirect, call, returns};
use crate::exec::copy::start::start;
use crate::exec::copy::tensor_copy;
use crate::exec::copy::tensor_map::change_map;
use crate::exec::matrix::product::matrix;
use crate::exec::matrix::tensor_memory;
use crate::exec::matrix::tiles::tiles;
use crate::exec::matrix::warpgroup;
use crate::exec::matrix::warpgroup::note_touched;
use crate::exec::mbarrier::mbarrier;
use crate::exec::memory::atomic::atomic;
use crate::exec::memory::multimem::multimem;
use crate::exec::reach::{Executed, Halt, Reach, plan_of};
use crate::exec::system::{SystemReach, system_call};
use crate::exec::texture::access::image;
use crate::exec::waits::{
    give_way, is_divergent, leave_reconvergence, meeting_masks, open_meeting,
};
use crate::exec::{elements, stack};
use crate::semantics::registers::{LANES, Lanes, Slot, lanes_of};
use crate::state::memory::AddressMap;
use crate::state::warp::Warp;
use std::sync::Arc;
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Notes that nothing is there to wait for.
#[inline(never)]
fn note_no_groups(
    around: &mut Surroundings<'_>,
    warp: &Warp,
    kind: GroupKind,
    choice: &Choice<'_>,
    step: u64,
) {
    let (function, instruction) = around.code.origin(choice.pc);
    let kind = NoteKind::NoGroups {
        function,
        instruction,
        kind,
    };
    around.note(warp.index, kind, step);
}

/// Notes that lanes execute an instruction of the warp whose mask, in `slot`, does not name them.
fn note_left_out(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    slot: Slot,
    choice: &Choice<'_>,
    step: u64,
) {
    // Machine code lets them pass.
    if !slot.is_some() || !around.code.addresses.is_empty() {
        return;
    }
    let masks = *lanes_at(around.code, warp, choice.depth, choice.executed).r32(slot);
    let left_out = lanes_of(choice.executed).filter(|lane| masks[*lane] >> lane & 1 == 0);
    let lanes = left_out.fold(0, |lanes, lane| lanes | 1 << lane);
    if lanes == 0 {
        return;
    }
    let (function, instruction) = around.code.origin(choice.pc);
    let kind = NoteKind::LanesLeftOut {
        function,
        instruction,
        lanes,
    };
    around.note(warp.index, kind, step);
}

/// Operations that are neither arithmetic nor plain memory accesses. An observer hears of what they put in flight.
#[inline(never)]
pub(crate) fn rare(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: Choice<'_>,
    step: u64,
) -> Result<After, Box<Halt>> {
    if !around.interest.syncs {
        return execute(around, warp, choice, step);
    }
    let first = around.starter.in_flight.n_started();
    let after = execute(around, warp, choice, step)?;
    for id in first..around.starter.in_flight.n_started() {
        let Some(pending) = around.starter.in_flight.get(PendingId(id)).cloned() else {
            continue;
        };
        let at = SyncAt::of(warp, &choice, step);
        around.report_sync(at, SyncKind::Started(&pending));
        let tiles = tiles(around.code, &pending);
        if !tiles.is_empty() {
            let matrices = SyncKind::Matrices {
                pending: &pending,
                tiles: &tiles,
            };
            around.report_sync(at, matrices);
        }
    }
    Ok(after)
}

#[inline(never)]
fn execute(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: Choice<'_>,
    step: u64,
) -> Result<After, Box<Halt>> {
    let at = SyncAt::of(warp, &choice, step);
    let code = around.code;
    let mask = choice.executed;
    let next = Ok(After::Next { stores: false });
    let writer = Writer { step, lane: 0 };
    match choice.instr.op {
        Op::Atomic(plan) => {
            let plan = plan_of(&code.atomics, plan, mask)?;
            let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| atomic(reach, lanes, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::IsSpace { space, d, a } => {
            let inside = inside_space(around.map, space, around.peers.own_rank());
            let mut lanes = lanes_at(code, warp, choice.depth, mask);
            let addresses = elements::read64(&lanes, a);
            let mask_of = |lanes, (lane, address)| lanes | u32::from(inside(address)) << lane;
            let result = addresses.into_iter().enumerate().fold(0, mask_of);
            lanes.set_predicate(d, result);
            next
        }
        Op::Collective(index) => {
            let plan = plan_of(&code.collectives, index, mask)?;
            note_left_out(around, warp, plan.mask, &choice, step);
            collective(&mut lanes_at(code, warp, choice.depth, mask), plan);
            next
        }
        Op::Matrix(index) => {
            let plan = plan_of(&code.matrices, index, mask)?;
            let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| matrix(reach, lanes, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::Warpgroup(index) => {
            warpgroup::start(around, warp, index, &choice, step)?;
            Ok(After::NextThen {
                stores: false,
                stop: Stop::Turn,
            })
        }
        Op::WarpBarrier { mask: slot } => {
            note_left_out(around, warp, slot, &choice, step);
            if around.interest.syncs {
                let (here, masks) = meeting_masks(code, warp, mask);
                let at = SyncAt { lanes: here, ..at };
                around.report_sync(at, SyncKind::WarpMet { masks: &masks });
            }
            open_meeting(code, warp, mask);
            next
        }
        Op::Reconverge { .. } | Op::ReconvergeUnlessYielded { .. } => {
            open_meeting(code, warp, mask);
            next
        }
        Op::GiveWay => {
            give_way(code, warp);
            warp.splits.end_turn();
            next
        }
        Op::LeaveReconvergence { mask: slot } => {
            leave_reconvergence(code, warp, slot, mask);
            next
        }
        Op::BranchIndirect { a } => {
            let addresses = elements::read64(&lanes_at(code, warp, choice.depth, mask), a);
            branch_indirect(code, warp, mask, &addresses)?;
            Ok(After::Moved)
        }
        Op::BranchDivergent { mask: slot, target } => {
            let lanes = if is_divergent(code, warp, slot, mask) {
                mask
            } else {
                0
            };
            branch(warp, lanes, target);
            Ok(After::Moved)
        }
        Op::BranchIndexed { index, table } => {
            let targets = plan_of(&code.branch_tables, table, mask)?;
            let indices = *lanes_at(code, warp, choice.depth, mask).r32(index);
            branch_indexed(warp, mask, &indices, targets)?;
            Ok(After::Moved)
        }
        Op::Call(plan) => {
            let plan = plan_of(&code.calls, plan, mask)?;
            call(code, around.limits, warp, mask, plan, writer)?;
            Ok(After::Moved)
        }
        Op::SystemCall(plan) => {
            let plan = plan_of(&code.system_calls, plan, mask)?;
            run_system_call(around, warp, plan, mask, step)?;
            next
        }
        Op::Return if returns(code, warp, mask, writer) => Ok(After::Moved),
        Op::Return | Op::Exit => {
            around.report_sync(at, SyncKind::Exited);
            warp.splits.current_mut().pc = choice.pc + 1;
            warp.exit(mask);
            Ok(After::Stops(Stop::Exited))
        }
        Op::Barrier(plan) => Ok(After::Stops(Stop::Barrier { plan, mask })),
        Op::ClusterArrive => {
            warp.splits.current_mut().pc = choice.pc + 1;
            Ok(After::Stops(Stop::ClusterArrive { mask }))
        }
        Op::Fence => {
            around.report_sync(at, SyncKind::Fence);
            next
        }
        // Its lanes have waited before they got here.
        Op::AsyncWait(GroupWait {
            kind,
            latest,
            reads,
        }) => {
            if let (GroupKind::Products, Some(groups)) = (kind, &mut warp.groups) {
                groups.close(latest.unwrap_or(0));
            }
            if latest.is_some() && !code.makes_groups(kind) {
                note_no_groups(around, warp, kind, &choice, step);
            }
            let waited = SyncKind::Waited {
                kind,
                latest,
                reads,
            };
            around.report_sync(at, waited);
            next
        }
        Op::ClusterWait => {
            around.report_sync(at, SyncKind::ClusterPassed);
            next
        }
        Op::Mbarrier(plan) => {
            let plan = plan_of(&code.mbarriers, plan, mask)?;
            let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| mbarrier(reach, lanes, plan);
            let (performed, stores) = reaching(around, warp, &choice, step, run)?;
            if let Some(offset) = performed.reinitialized {
                let (function, instruction) = around.code.origin(choice.pc);
                let kind = NoteKind::MbarrierReinitialized {
                    function,
                    instruction,
                    offset,
                };
                around.note(warp.index, kind, step);
            }
            let stores = stores && plan.is_of_text;
            Ok(match performed.ends_phase {
                true => After::NextThen {
                    stores,
                    stop: Stop::PhaseEnded,
                },
                false => After::Next { stores },
            })
        }
        Op::PendingCount { d, a } => {
            let mut lanes = lanes_at(code, warp, choice.depth, mask);
            let states = *lanes.r64(a);
            let counts = states.map(|word| MbarrierState::read(word).map_or(0, |s| s.pending));
            lanes.set32(d, &counts);
            next
        }
        Op::StartAsync(plan) => {
            let plan = plan_of(&code.starts, plan, mask)?;
            start(around, warp, plan, &choice, step)?;
            // What is in flight may land before the next step of the warp.
            Ok(After::NextThen {
                stores: false,
                stop: Stop::Turn,
            })
        }
        Op::TensorCopy(plan) => {
            let plan = plan_of(&code.tensor_copies, plan, mask)?;
            tensor_copy::start(around, warp, plan, &choice, step)?;
            Ok(After::NextThen {
                stores: false,
                stop: Stop::Turn,
            })
        }
        Op::TensorMemory(index) => tensor_memory::execute(around, warp, index, &choice, step),
        Op::Stack(plan) => {
            let plan = plan_of(&code.stacks, plan, mask)?;
            stack::stack(around, warp, plan, &choice)?;
            next
        }
        Op::Launch(plan) => {
            let plan = plan_of(&code.launches, plan, mask)?;
            stack::launch(around, warp, plan, &choice, step)?;
            Ok(After::NextThen {
                stores: false,
                stop: Stop::Turn,
            })
        }
        Op::TensorMap(plan) => {
            let plan = plan_of(&code.tensor_maps, plan, mask)?;
            let run = |reach: &mut Reach<'_>, l: &mut Lanes<'_>| change_map(reach, l, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::Image(plan) => {
            let plan = plan_of(&code.images, plan, mask)?;
            let run = |reach: &mut Reach<'_>, l: &mut Lanes<'_>| image(reach, l, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::Multimem(plan) => {
            let plan = plan_of(&code.multimem, plan, mask)?;
            let run = |reach: &mut Reach<'_>, l: &mut Lanes<'_>| multimem(reach, l, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::Touch(touched) => {
            let touched = plan_of(&code.touched, touched, mask)?;
            note_touched(around, warp, touched, &choice, step);
            next
        }
        Op::AsyncCommit(kind) => {
            warp.groups.get_or_insert_default().commit(kind, mask);
            around.report_sync(at, SyncKind::Committed(kind));
            next
        }
        Op::Fill(plan) => {
            let plan = plan_of(&code.fills, plan, mask)?;
            let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| fill(reach, lanes, plan);
            let ((), stores) = reaching(around, warp, &choice, step, run)?;
            Ok(After::Next { stores })
        }
        Op::MapToRank { d, a, b, generic } => {
            let mut lanes = lanes_at(code, warp, choice.depth, mask);
            let ranks = *lanes.r32(b);
            map_to_rank(around.map, &mut lanes, d, a, &ranks, generic);
            next
        }
        Op::RankOf { d, a, generic } => {
            let own = around.peers.own_rank();
            let mut lanes = lanes_at(code, warp, choice.depth, mask);
            rank_of(around.map, &mut lanes, d, a, own, generic);
            next
        }
        Op::Yield => {
            warp.splits.current_mut().pc = choice.pc + 1;
            Ok(After::Stops(Stop::Yield))
        }
        Op::Trap => Err(Halt::new(FaultKind::Trap, mask)),
        Op::Refused(index) => {
            let kind = match plan_of(&code.refused, index, mask)?.clone() {
                Refused::NotEmulated { opcode, why } => FaultKind::NotEmulated { opcode, why },
                Refused::Internal { what } => FaultKind::Internal { what },
            };
            Err(Halt::new(kind, mask))
        }
        frequent!() | infrequent!() | Op::Load(_) | Op::Store(_) | Op::Branch { .. } => {
            Err(Halt::internal("no executor for an operation", mask))
        }
    }
}

fn run_system_call(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    plan: &SystemPlan,
    mask: u32,
    step: u64,
) -> Executed {
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

/// Returns the test of `isspacep`: whether a generic address is in the window of a state space. The shared memory of the own block is
/// mapped twice, in the shared window of the block and at the rank of the block in the window of the cluster.
fn inside_space(map: &AddressMap, space: StateSpace, own_rank: u32) -> impl Fn(u64) -> bool {
    move |address| {
        let constant = address.wrapping_sub(map.constant) < 1 << 32;
        let parameter = address.wrapping_sub(map.parameters) < 1 << 16;
        match space {
            StateSpace::Shared => {
                let place = map.shared_place(address.wrapping_sub(map.shared));
                map.in_shared(address)
                    || map.in_shared_cluster(address) && place.rank == Some(own_rank)
            }
            StateSpace::SharedCluster => map.in_shared_cluster(address),
            StateSpace::Local => map.in_local(address),
            StateSpace::Const => constant,
            StateSpace::ParamEntry | StateSpace::ParamFunc => parameter,
            _ => {
                !(map.in_shared_cluster(address) || map.in_local(address) || constant || parameter)
            }
        }
    }
}

/// Puts the present time into the special registers that show it: `steps` of the warp, and the number of the step.
#[inline(never)]
pub(crate) fn refresh_clocks(code: &Code, warp: &mut Warp, steps: u64, step: u64) {
    let time = |special: SpecialRegister| match special {
        SpecialRegister::Clock | SpecialRegister::Clock64 => Some(steps),
        SpecialRegister::ClockHi => Some(steps >> 32),
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
