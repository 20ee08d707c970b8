//! Dispatches operations that are neither arithmetic on registers nor plain memory accesses to the modules of their
//! families.

use crate::code::op::Op;
use crate::code::op::{frequent, infrequent};
use crate::code::plans::{PlanId, Plans};
use crate::code::{Code, Collective, Element, MbarrierPlan, Refused, SystemPlan};
use crate::contract::event::PendingId;
use crate::contract::fault::FaultKind;
use crate::contract::inspect::{NoteKind, Writer};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::{GroupKind, GroupWait};
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

/// Adds a note about a wait for groups that are never committed.
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

/// Adds a note if the member mask in `slot` does not contain all executing lanes.
fn note_left_out(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    slot: Slot,
    choice: &Choice<'_>,
    step: u64,
) {
    // SASS permits lanes outside of the member mask.
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

/// Executes an operation that is neither arithmetic nor a plain memory access, and reports the asynchronous operations
/// that it issues to observers of synchronization events.
#[inline(never)]
pub(crate) fn dispatch(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: Choice<'_>,
    step: u64,
) -> Result<After, Box<Halt>> {
    let first = around.starter.in_flight.n_started();
    let after = Execution {
        around,
        warp,
        choice: &choice,
        step,
    }
    .execute()?;
    if around.interest.syncs {
        report_started(around, SyncAt::of(warp, &choice, step), first);
    }
    Ok(after)
}

/// Reports the asynchronous operations with an ID of at least `first`, and the matrices that they access.
fn report_started(around: &mut Surroundings<'_>, at: SyncAt, first: u64) {
    for id in first..around.starter.in_flight.n_started() {
        let Some(pending) = around.starter.in_flight.get(PendingId(id)).cloned() else {
            continue;
        };
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
}

/// The group continues with the next instruction; memory is unchanged.
const NEXT: After = After::Next { stores: false };
/// Like [`NEXT`], but ends the turn of the warp, since an asynchronous operation may complete before its next step.
const NEXT_TURN: After = After::NextThen {
    stores: false,
    stop: Stop::Turn,
};

/// The execution of one instruction of a warp.
struct Execution<'e, 'a> {
    around: &'e mut Surroundings<'a>,
    warp: &'e mut Warp,
    choice: &'e Choice<'e>,
    step: u64,
}

impl<'a> Execution<'_, 'a> {
    fn execute(mut self) -> Result<After, Box<Halt>> {
        let code = self.around.code;
        match self.choice.instr.op {
            Op::Atomic(plan) => self.access(&code.atomics, plan, atomic),
            Op::Matrix(plan) => self.access(&code.matrices, plan, matrix),
            Op::TensorMap(plan) => self.access(&code.tensor_maps, plan, change_map),
            Op::Image(plan) => self.access(&code.images, plan, image),
            Op::Multimem(plan) => self.access(&code.multimem, plan, multimem),
            Op::Fill(plan) => self.access(&code.fills, plan, |r, l, plan| fill(r, l, plan)),
            Op::Mbarrier(plan) => self.mbarrier(plan),

            Op::Warpgroup(plan) => {
                self.start(|at| warpgroup::start(at.around, at.warp, plan, at.choice, at.step))
            }
            Op::StartAsync(plan) => self.start(|at| {
                let plan = plan_of(&code.starts, plan, at.choice.executed)?;
                start(at.around, at.warp, plan, at.choice, at.step)
            }),
            Op::TensorCopy(plan) => self.start(|at| {
                let plan = plan_of(&code.tensor_copies, plan, at.choice.executed)?;
                tensor_copy::start(at.around, at.warp, plan, at.choice, at.step)
            }),
            Op::Launch(plan) => self.start(|at| {
                let plan = plan_of(&code.launches, plan, at.choice.executed)?;
                stack::launch(at.around, at.warp, plan, at.choice, at.step)
            }),
            Op::TensorMemory(plan) => {
                tensor_memory::execute(self.around, self.warp, plan, self.choice, self.step)
            }
            Op::AsyncCommit(kind) => Ok(self.commit(kind)),
            Op::AsyncWait(wait) => Ok(self.pass_wait(wait)),
            Op::Touch(registers) => {
                let registers = plan_of(&code.touched, registers, self.choice.executed)?;
                note_touched(self.around, self.warp, registers, self.choice, self.step);
                Ok(NEXT)
            }

            Op::IsSpace { space, d, a } => Ok(self.is_space(space, d, a)),
            Op::MapToRank { d, a, b, generic } => {
                let map = self.around.map;
                let mut lanes = self.lanes();
                let ranks = *lanes.r32(b);
                let window = if generic { map.shared } else { 0 };
                map_to_rank(map, &mut lanes, d, a, &ranks, window);
                Ok(NEXT)
            }
            Op::RankOf { d, a, generic } => {
                let (map, own) = (self.around.map, self.around.peers.own_rank());
                let window = if generic { map.shared } else { 0 };
                rank_of(map, &mut self.lanes(), d, a, own, window);
                Ok(NEXT)
            }
            Op::PendingCount { d, a } => {
                pending_counts(&mut self.lanes(), d, a);
                Ok(NEXT)
            }
            Op::Stack(plan) => {
                let plan = plan_of(&code.stacks, plan, self.choice.executed)?;
                stack::stack(self.around, self.warp, plan, self.choice)?;
                Ok(NEXT)
            }
            Op::SystemCall(plan) => {
                let plan = plan_of(&code.system_calls, plan, self.choice.executed)?;
                run_system_call(
                    self.around,
                    self.warp,
                    plan,
                    self.choice.executed,
                    self.step,
                )?;
                Ok(NEXT)
            }

            Op::Collective(plan) => self.collective(plan),
            Op::WarpBarrier { mask } => Ok(self.warp_barrier(mask)),
            Op::Reconverge { .. } | Op::ReconvergeUnlessYielded { .. } => {
                open_meeting(code, self.warp, self.choice.executed);
                Ok(NEXT)
            }
            Op::LeaveReconvergence { mask } => {
                leave_reconvergence(code, self.warp, mask, self.choice.executed);
                Ok(NEXT)
            }
            Op::GiveWay => {
                give_way(code, self.warp);
                self.warp.splits.end_turn();
                Ok(NEXT)
            }

            Op::BranchIndirect { a } => {
                let addresses = elements::read64(&self.lanes(), a);
                branch_indirect(code, self.warp, self.choice.executed, &addresses)?;
                Ok(After::Moved)
            }
            Op::BranchDivergent { mask, target } => {
                let is_taken = is_divergent(code, self.warp, mask, self.choice.executed);
                let lanes = if is_taken { self.choice.executed } else { 0 };
                branch(self.warp, lanes, target);
                Ok(After::Moved)
            }
            Op::BranchIndexed { index, table } => {
                let targets = plan_of(&code.branch_tables, table, self.choice.executed)?;
                let indices = *self.lanes().r32(index);
                branch_indexed(self.warp, self.choice.executed, &indices, targets)?;
                Ok(After::Moved)
            }
            Op::Call(plan) => {
                let plan = plan_of(&code.calls, plan, self.choice.executed)?;
                let (limits, writer) = (self.around.limits, self.writer());
                call(code, limits, self.warp, self.choice.executed, plan, writer)?;
                Ok(After::Moved)
            }
            Op::Return if returns(code, self.warp, self.choice.executed, self.writer()) => {
                Ok(After::Moved)
            }
            Op::Return | Op::Exit => {
                self.report(SyncKind::Exited);
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                self.warp.exit(self.choice.executed);
                Ok(After::Stops(Stop::Exited))
            }

            Op::Barrier(plan) => Ok(After::Stops(Stop::Barrier {
                plan,
                mask: self.choice.executed,
            })),
            Op::ClusterArrive => {
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                let mask = self.choice.executed;
                Ok(After::Stops(Stop::ClusterArrive { mask }))
            }
            Op::ClusterWait => {
                self.report(SyncKind::ClusterPassed);
                Ok(NEXT)
            }
            Op::Fence => {
                self.report(SyncKind::Fence);
                Ok(NEXT)
            }
            Op::Yield => {
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                Ok(After::Stops(Stop::Yield))
            }
            Op::Trap => Err(Halt::new(FaultKind::Trap, self.choice.executed)),
            Op::Refused(index) => {
                let refused = plan_of(&code.refused, index, self.choice.executed)?;
                Err(Halt::new(refused.clone().into(), self.choice.executed))
            }
            frequent!() | infrequent!() | Op::Load(_) | Op::Store(_) | Op::Branch { .. } => {
                let what = "no executor for an operation";
                Err(Halt::internal(what, self.choice.executed))
            }
        }
    }

    fn lanes(&mut self) -> Lanes<'_> {
        let Choice {
            depth, executed, ..
        } = *self.choice;
        lanes_at(self.around.code, self.warp, depth, executed)
    }

    const fn writer(&self) -> Writer {
        Writer {
            step: self.step,
            lane: 0,
        }
    }

    fn report(&mut self, what: SyncKind<'_>) {
        let at = SyncAt::of(self.warp, self.choice, self.step);
        self.around.report_sync(at, what);
    }

    /// Executes an operation that accesses memory.
    fn access<P>(
        &mut self,
        plans: &'a Plans<P>,
        plan: PlanId<P>,
        run: impl FnOnce(&mut Reach<'_>, &mut Lanes<'_>, &P) -> Executed,
    ) -> Result<After, Box<Halt>> {
        let plan = plan_of(plans, plan, self.choice.executed)?;
        let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| run(reach, lanes, plan);
        let ((), stores) = reaching(self.around, self.warp, self.choice, self.step, run)?;
        Ok(After::Next { stores })
    }

    /// Executes an operation that completes in a later step.
    fn start(&mut self, start: impl FnOnce(&mut Self) -> Executed) -> Result<After, Box<Halt>> {
        start(self)?;
        Ok(NEXT_TURN)
    }

    fn mbarrier(&mut self, plan: PlanId<MbarrierPlan>) -> Result<After, Box<Halt>> {
        let plan = plan_of(&self.around.code.mbarriers, plan, self.choice.executed)?;
        let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| mbarrier(reach, lanes, plan);
        let (performed, stores) = reaching(self.around, self.warp, self.choice, self.step, run)?;
        if let Some(offset) = performed.reinitialized {
            let (function, instruction) = self.around.code.origin(self.choice.pc);
            let kind = NoteKind::MbarrierReinitialized {
                function,
                instruction,
                offset,
            };
            self.around.note(self.warp.index, kind, self.step);
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

    fn commit(&mut self, kind: GroupKind) -> After {
        let groups = self.warp.groups.get_or_insert_default();
        groups.commit(kind, self.choice.executed);
        self.report(SyncKind::Committed(kind));
        NEXT
    }

    /// Continues after a wait for groups; the lanes have waited before they reach the instruction.
    fn pass_wait(&mut self, wait: GroupWait) -> After {
        let GroupWait { kind, latest, .. } = wait;
        if let (GroupKind::Products, Some(groups)) = (kind, &mut self.warp.groups) {
            groups.close(latest.unwrap_or(0));
        }
        if latest.is_some() && !self.around.code.makes_groups(kind) {
            note_no_groups(self.around, self.warp, kind, self.choice, self.step);
        }
        self.report(SyncKind::Waited(wait));
        NEXT
    }

    fn is_space(&mut self, space: StateSpace, d: Slot, a: Element) -> After {
        let inside = inside_space(self.around.map, space, self.around.peers.own_rank());
        let mut lanes = self.lanes();
        let addresses = elements::read64(&lanes, a);
        let mask_of = |lanes, (lane, address)| lanes | u32::from(inside(address)) << lane;
        let result = addresses.into_iter().enumerate().fold(0, mask_of);
        lanes.set_predicate(d, result);
        NEXT
    }

    fn collective(&mut self, plan: PlanId<Collective>) -> Result<After, Box<Halt>> {
        let plan = plan_of(&self.around.code.collectives, plan, self.choice.executed)?;
        note_left_out(self.around, self.warp, plan.mask, self.choice, self.step);
        collective(&mut self.lanes(), plan);
        Ok(NEXT)
    }

    fn warp_barrier(&mut self, mask: Slot) -> After {
        let code = self.around.code;
        let executed = self.choice.executed;
        note_left_out(self.around, self.warp, mask, self.choice, self.step);
        if self.around.interest.syncs {
            let (lanes, masks) = meeting_masks(code, self.warp, executed);
            let at = SyncAt::of(self.warp, self.choice, self.step);
            let at = SyncAt { lanes, ..at };
            self.around
                .report_sync(at, SyncKind::WarpMet { masks: &masks });
        }
        open_meeting(code, self.warp, executed);
        NEXT
    }
}

/// Stores the number of pending arrivals of each mbarrier state in `a` to `d`.
fn pending_counts(lanes: &mut Lanes<'_>, d: Slot, a: Slot) {
    let states = *lanes.r64(a);
    let counts = states.map(|word| MbarrierState::read(word).map_or(0, |state| state.pending));
    lanes.set32(d, &counts);
}

impl From<Refused> for FaultKind {
    fn from(refused: Refused) -> FaultKind {
        match refused {
            Refused::NotEmulated { opcode, why } => FaultKind::NotEmulated { opcode, why },
            Refused::Internal { what } => FaultKind::Internal { what },
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

/// Returns the test of `isspacep`: whether a generic address is in the window of a state space. The shared memory of
/// the own block is mapped twice, in the shared window of the block and at the rank of the block in the window of the
/// cluster.
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

/// Updates the special registers that contain the time: the number of steps of the warp, and the number of the step.
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
