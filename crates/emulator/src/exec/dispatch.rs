//! Dispatch of operations to the modules of their instruction families, except for arithmetic on registers and plain
//! memory accesses, which the step loop executes itself.

use crate::code::decoded_op::DecodedOp;
use crate::code::decoded_op::{cold_alu_ops, hot_alu_ops};
use crate::code::plan_table::{PlanId, PlanTable};
use crate::code::{
    CollectivePlan, DecodedCode, DriverCallPlan, MbarrierPlan, RegisterOperand, UnsupportedReason,
};
use crate::contract::agent::AsyncOperationId;
use crate::contract::fault::FaultKind;
use crate::contract::inspect::{LastWriter, RunDiagnosticKind};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::{AsyncGroupKind, GroupWait};
use crate::contract::sync_event::SyncKind;
use crate::exec::cluster::{fill, map_to_rank, rank_of};
use crate::exec::collective::collective;
use crate::exec::context::lanes_at;
use crate::exec::context::{ExecutionContext, IssuedInstruction, StopReason, SyncLocation};
use crate::exec::context::{OpResult, with_memory_context};
use crate::exec::control::{branch, branch_indexed, branch_indirect, call, return_lanes};
use crate::exec::copy::start::start;
use crate::exec::copy::tensor_copy;
use crate::exec::copy::tensor_map::change_map;
use crate::exec::driver_calls::{DriverCallContext, system_call};
use crate::exec::matrix::operand_tiles::tiles;
use crate::exec::matrix::product::matrix;
use crate::exec::matrix::tensor_memory;
use crate::exec::matrix::wgmma;
use crate::exec::matrix::wgmma::note_touched;
use crate::exec::mbarrier::mbarrier;
use crate::exec::memory::atomic::atomic;
use crate::exec::memory::multimem::multimem;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext, plan_of};
use crate::exec::texture::access::image;
use crate::exec::wait_conditions::{
    break_convergence, is_divergent, meeting_masks, release_reconvergence, yield_convergence,
};
use crate::exec::{operand_rows, stack};
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot, lanes_of};
use crate::state::memory::AddressMap;
use crate::state::warp::Warp;
use std::sync::Arc;
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Records a diagnostic for a wait for async-groups if no instruction of the kernel commits async-groups of the same
/// kind.
#[inline(never)]
fn report_wait_without_groups(
    around: &mut ExecutionContext<'_>,
    warp: &Warp,
    kind: AsyncGroupKind,
    choice: &IssuedInstruction<'_>,
    step: u64,
) {
    let (function, instruction) = around.code.origin(choice.pc);
    let kind = RunDiagnosticKind::WaitWithoutGroups {
        function,
        instruction,
        kind,
    };
    around.note(warp.index, kind, step);
}

/// Records a diagnostic if the member mask in `slot` does not contain all executing lanes.
fn report_lanes_outside_mask(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    slot: OperandSlot,
    choice: &IssuedInstruction<'_>,
    step: u64,
) {
    // Report nothing for SASS, which permits executing lanes that are not in the member mask.
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
    let kind = RunDiagnosticKind::LanesOutsideMask {
        function,
        instruction,
        lanes,
    };
    around.note(warp.index, kind, step);
}

/// Executes an operation that is neither arithmetic nor a plain memory access. Reports the issued asynchronous
/// operations to observers of synchronization events.
#[inline(never)]
pub(crate) fn dispatch(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    choice: IssuedInstruction<'_>,
    step: u64,
) -> Result<OpResult, Box<ExecutionFault>> {
    let first = around.starter.in_flight.n_started();
    let after = Execution {
        around,
        warp,
        choice: &choice,
        step,
    }
    .execute()?;
    if around.interest.syncs {
        report_started(around, SyncLocation::of(warp, &choice, step), first);
    }
    Ok(after)
}

/// Reports the asynchronous operations with an ID of at least `first`, and the matrices that these operations access.
fn report_started(around: &mut ExecutionContext<'_>, at: SyncLocation, first: u64) {
    for id in first..around.starter.in_flight.n_started() {
        let Some(pending) = around.starter.in_flight.get(AsyncOperationId(id)).cloned() else {
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

/// Result of an operation that has not modified memory and continues with the next instruction.
const NEXT: OpResult = OpResult::Next { stores: false };
/// Result of an operation that continues with the next instruction but ends the turn of the warp, because an
/// asynchronous operation may complete before the next step.
const NEXT_TURN: OpResult = OpResult::NextThen {
    stores: false,
    stop: StopReason::Turn,
};

/// Execution of one instruction of a warp: the context, the warp and the executing lanes.
struct Execution<'e, 'a> {
    around: &'e mut ExecutionContext<'a>,
    warp: &'e mut Warp,
    choice: &'e IssuedInstruction<'e>,
    step: u64,
}

impl<'a> Execution<'_, 'a> {
    fn execute(mut self) -> Result<OpResult, Box<ExecutionFault>> {
        let code = self.around.code;
        match self.choice.instr.op {
            DecodedOp::Atomic(plan) => self.access(&code.atomics, plan, atomic),
            DecodedOp::Matrix(plan) => self.access(&code.matrices, plan, matrix),
            DecodedOp::TensorMap(plan) => self.access(&code.tensor_maps, plan, change_map),
            DecodedOp::Image(plan) => self.access(&code.images, plan, image),
            DecodedOp::Multimem(plan) => self.access(&code.multimem, plan, multimem),
            DecodedOp::BulkFill(plan) => {
                self.access(&code.fills, plan, |r, l, plan| fill(r, l, plan))
            }
            DecodedOp::Mbarrier(plan) => self.mbarrier(plan),

            DecodedOp::Warpgroup(plan) => {
                self.start(|at| wgmma::start(at.around, at.warp, plan, at.choice, at.step))
            }
            DecodedOp::StartAsync(plan) => self.start(|at| {
                let plan = plan_of(&code.starts, plan, at.choice.executed)?;
                start(at.around, at.warp, plan, at.choice, at.step)
            }),
            DecodedOp::TensorCopy(plan) => self.start(|at| {
                let plan = plan_of(&code.tensor_copies, plan, at.choice.executed)?;
                tensor_copy::start(at.around, at.warp, plan, at.choice, at.step)
            }),
            DecodedOp::Launch(plan) => self.start(|at| {
                let plan = plan_of(&code.launches, plan, at.choice.executed)?;
                stack::launch(at.around, at.warp, plan, at.choice, at.step)
            }),
            DecodedOp::TensorMemory(plan) => {
                tensor_memory::execute(self.around, self.warp, plan, self.choice, self.step)
            }
            DecodedOp::AsyncCommit(kind) => Ok(self.commit(kind)),
            DecodedOp::AsyncWait(wait) => Ok(self.pass_wait(wait)),
            DecodedOp::CheckInFlight(registers) => {
                let registers = plan_of(&code.touched, registers, self.choice.executed)?;
                note_touched(self.around, self.warp, registers, self.choice, self.step);
                Ok(NEXT)
            }

            DecodedOp::IsSpace { space, d, a } => Ok(self.is_space(space, d, a)),
            DecodedOp::MapToRank { d, a, b, generic } => {
                let map = self.around.map;
                let mut lanes = self.lanes();
                let ranks = *lanes.r32(b);
                let window = if generic { map.shared } else { 0 };
                map_to_rank(map, &mut lanes, d, a, &ranks, window);
                Ok(NEXT)
            }
            DecodedOp::RankOf { d, a, generic } => {
                let (map, own) = (self.around.map, self.around.peers.own_rank());
                let window = if generic { map.shared } else { 0 };
                rank_of(map, &mut self.lanes(), d, a, own, window);
                Ok(NEXT)
            }
            DecodedOp::PendingCount { d, a } => {
                pending_counts(&mut self.lanes(), d, a);
                Ok(NEXT)
            }
            DecodedOp::Stack(plan) => {
                let plan = plan_of(&code.stacks, plan, self.choice.executed)?;
                stack::stack(self.around, self.warp, plan, self.choice)?;
                Ok(NEXT)
            }
            DecodedOp::SystemCall(plan) => {
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

            DecodedOp::Collective(plan) => self.collective(plan),
            DecodedOp::WarpBarrier { mask } => Ok(self.warp_barrier(mask)),
            DecodedOp::Reconverge { .. } | DecodedOp::ReconvergeUnlessYielded { .. } => {
                release_reconvergence(code, self.warp, self.choice.executed);
                Ok(NEXT)
            }
            DecodedOp::BreakConvergence { mask } => {
                break_convergence(code, self.warp, mask, self.choice.executed);
                Ok(NEXT)
            }
            DecodedOp::YieldConvergence => {
                yield_convergence(code, self.warp);
                self.warp.splits.end_turn();
                Ok(NEXT)
            }

            DecodedOp::BranchIndirect { a } => {
                let addresses = operand_rows::read64(&self.lanes(), a);
                branch_indirect(code, self.warp, self.choice.executed, &addresses)?;
                Ok(OpResult::Moved)
            }
            DecodedOp::BranchDivergent { mask, target } => {
                let is_taken = is_divergent(code, self.warp, mask, self.choice.executed);
                let lanes = if is_taken { self.choice.executed } else { 0 };
                branch(self.warp, lanes, target);
                Ok(OpResult::Moved)
            }
            DecodedOp::BranchIndexed { index, table } => {
                let targets = plan_of(&code.branch_tables, table, self.choice.executed)?;
                let indices = *self.lanes().r32(index);
                branch_indexed(self.warp, self.choice.executed, &indices, targets)?;
                Ok(OpResult::Moved)
            }
            DecodedOp::Call(plan) => {
                let plan = plan_of(&code.calls, plan, self.choice.executed)?;
                let (limits, writer) = (self.around.limits, self.writer());
                call(code, limits, self.warp, self.choice.executed, plan, writer)?;
                Ok(OpResult::Moved)
            }
            DecodedOp::Return
                if return_lanes(code, self.warp, self.choice.executed, self.writer()) =>
            {
                Ok(OpResult::Moved)
            }
            DecodedOp::Return | DecodedOp::Exit => {
                self.report(SyncKind::Exited);
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                self.warp.exit(self.choice.executed);
                Ok(OpResult::Stops(StopReason::Exited))
            }

            DecodedOp::Barrier(plan) => Ok(OpResult::Stops(StopReason::Barrier {
                plan,
                mask: self.choice.executed,
            })),
            DecodedOp::ClusterArrive => {
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                let mask = self.choice.executed;
                Ok(OpResult::Stops(StopReason::ClusterArrive { mask }))
            }
            DecodedOp::ClusterWait => {
                self.report(SyncKind::ClusterPassed);
                Ok(NEXT)
            }
            DecodedOp::Fence => {
                self.report(SyncKind::Fence);
                Ok(NEXT)
            }
            DecodedOp::Yield => {
                self.warp.splits.current_mut().pc = self.choice.pc + 1;
                Ok(OpResult::Stops(StopReason::Yield))
            }
            DecodedOp::Trap => Err(ExecutionFault::new(FaultKind::Trap, self.choice.executed)),
            DecodedOp::Unsupported(index) => {
                let refused = plan_of(&code.refused, index, self.choice.executed)?;
                Err(ExecutionFault::new(
                    refused.clone().into(),
                    self.choice.executed,
                ))
            }
            hot_alu_ops!()
            | cold_alu_ops!()
            | DecodedOp::Load(_)
            | DecodedOp::Store(_)
            | DecodedOp::Branch { .. } => {
                let message = "no executor for an operation";
                Err(ExecutionFault::internal(message, self.choice.executed))
            }
        }
    }

    fn lanes(&mut self) -> LaneRegisters<'_> {
        let IssuedInstruction {
            depth, executed, ..
        } = *self.choice;
        lanes_at(self.around.code, self.warp, depth, executed)
    }

    const fn writer(&self) -> LastWriter {
        LastWriter {
            step: self.step,
            lane: 0,
        }
    }

    fn report(&mut self, what: SyncKind<'_>) {
        let at = SyncLocation::of(self.warp, self.choice, self.step);
        self.around.report_sync(at, what);
    }

    /// Executes an operation that accesses memory, given its plan and the function that implements it.
    fn access<P>(
        &mut self,
        plans: &'a PlanTable<P>,
        plan: PlanId<P>,
        run: impl FnOnce(&mut MemoryContext<'_>, &mut LaneRegisters<'_>, &P) -> ExecResult,
    ) -> Result<OpResult, Box<ExecutionFault>> {
        let plan = plan_of(plans, plan, self.choice.executed)?;
        let run =
            |reach: &mut MemoryContext<'_>, lanes: &mut LaneRegisters<'_>| run(reach, lanes, plan);
        let ((), stores) =
            with_memory_context(self.around, self.warp, self.choice, self.step, run)?;
        Ok(OpResult::Next { stores })
    }

    /// Executes an instruction that issues an operation, which completes in a later step.
    fn start(
        &mut self,
        start: impl FnOnce(&mut Self) -> ExecResult,
    ) -> Result<OpResult, Box<ExecutionFault>> {
        start(self)?;
        Ok(NEXT_TURN)
    }

    fn mbarrier(&mut self, plan: PlanId<MbarrierPlan>) -> Result<OpResult, Box<ExecutionFault>> {
        let plan = plan_of(&self.around.code.mbarriers, plan, self.choice.executed)?;
        let run = |reach: &mut MemoryContext<'_>, lanes: &mut LaneRegisters<'_>| {
            mbarrier(reach, lanes, plan)
        };
        let (performed, stores) =
            with_memory_context(self.around, self.warp, self.choice, self.step, run)?;
        if let Some(offset) = performed.reinitialized {
            let (function, instruction) = self.around.code.origin(self.choice.pc);
            let kind = RunDiagnosticKind::MbarrierReinitialized {
                function,
                instruction,
                offset,
            };
            self.around.note(self.warp.index, kind, self.step);
        }
        let stores = stores && plan.is_in_source;
        Ok(match performed.ends_phase {
            true => OpResult::NextThen {
                stores,
                stop: StopReason::PhaseEnded,
            },
            false => OpResult::Next { stores },
        })
    }

    fn commit(&mut self, kind: AsyncGroupKind) -> OpResult {
        let groups = self.warp.groups.get_or_insert_default();
        groups.commit(kind, self.choice.executed);
        self.report(SyncKind::Committed(kind));
        NEXT
    }

    /// Continues after a wait for async-groups. The wait condition already holds when the instruction executes.
    fn pass_wait(&mut self, wait: GroupWait) -> OpResult {
        let GroupWait { kind, latest, .. } = wait;
        if let (AsyncGroupKind::Products, Some(groups)) = (kind, &mut self.warp.groups) {
            groups.close(latest.unwrap_or(0));
        }
        if latest.is_some() && !self.around.code.makes_groups(kind) {
            report_wait_without_groups(self.around, self.warp, kind, self.choice, self.step);
        }
        self.report(SyncKind::Waited(wait));
        NEXT
    }

    fn is_space(&mut self, space: StateSpace, d: OperandSlot, a: RegisterOperand) -> OpResult {
        let inside = inside_space(self.around.map, space, self.around.peers.own_rank());
        let mut lanes = self.lanes();
        let addresses = operand_rows::read64(&lanes, a);
        let mask_of = |lanes, (lane, address)| lanes | u32::from(inside(address)) << lane;
        let result = addresses.into_iter().enumerate().fold(0, mask_of);
        lanes.set_predicate(d, result);
        NEXT
    }

    fn collective(
        &mut self,
        plan: PlanId<CollectivePlan>,
    ) -> Result<OpResult, Box<ExecutionFault>> {
        let plan = plan_of(&self.around.code.collectives, plan, self.choice.executed)?;
        report_lanes_outside_mask(self.around, self.warp, plan.mask, self.choice, self.step);
        collective(&mut self.lanes(), plan);
        Ok(NEXT)
    }

    fn warp_barrier(&mut self, mask: OperandSlot) -> OpResult {
        let code = self.around.code;
        let executed = self.choice.executed;
        report_lanes_outside_mask(self.around, self.warp, mask, self.choice, self.step);
        if self.around.interest.syncs {
            let (lanes, masks) = meeting_masks(code, self.warp, executed);
            let at = SyncLocation::of(self.warp, self.choice, self.step);
            let at = SyncLocation { lanes, ..at };
            self.around
                .report_sync(at, SyncKind::WarpBarrierCompleted { masks: &masks });
        }
        release_reconvergence(code, self.warp, executed);
        NEXT
    }
}

/// Stores the number of pending arrivals of each mbarrier state in register `a` to register `d`.
fn pending_counts(lanes: &mut LaneRegisters<'_>, d: OperandSlot, a: OperandSlot) {
    let states = *lanes.r64(a);
    let counts = states.map(|word| MbarrierState::read(word).map_or(0, |state| state.pending));
    lanes.set32(d, &counts);
}

impl From<UnsupportedReason> for FaultKind {
    fn from(refused: UnsupportedReason) -> FaultKind {
        match refused {
            UnsupportedReason::NotEmulated {
                opcode,
                why: reason,
            } => FaultKind::Unsupported {
                opcode,
                why: reason,
            },
            UnsupportedReason::Internal { what } => FaultKind::Internal { what },
        }
    }
}

fn run_system_call(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &DriverCallPlan,
    mask: u32,
    step: u64,
) -> ExecResult {
    let mut reach = DriverCallContext {
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
/// the executing block is mapped twice: in the shared window, and at the rank of the block in the cluster window.
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

/// Updates the special registers that contain the time. The clock contains the number of steps of the warp, and the
/// global timer contains the number of the current step.
#[inline(never)]
pub(crate) fn refresh_clocks(code: &DecodedCode, warp: &mut Warp, steps: u64, step: u64) {
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
