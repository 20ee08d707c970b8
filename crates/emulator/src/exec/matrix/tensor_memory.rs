//! Tensor memory instructions (PTX ISA, "tcgen05"). Allocations, loads and stores complete in the step of the
//! instruction. Copies and matrix multiplications are only issued in the step of the instruction, and complete later.

use crate::code::plan_table::PlanId;
use crate::code::tensor_memory::{
    AllocationTarget, AsyncTensorKind, AsyncTensorPlan, LoadReduction, MatrixAOperand,
    TensorLoadStorePlan, TensorMemoryAddress, TensorMemoryPlan,
};
use crate::code::{AccessPlan, RegisterOperand};
use crate::contract::agent::AsyncOperationId;
use crate::contract::fault::{FaultKind, MatrixMisuse};
use crate::contract::inspect::LastWriter;
use crate::contract::pending::TensorMemoryOperation;
use crate::contract::pending::{AsyncEffect, AsyncOperation, CompletionMechanism};
use crate::exec::context::lanes_at;
use crate::exec::context::{ExecutionContext, IssuedInstruction, StopReason};
use crate::exec::context::{OpResult, with_memory_context};
use crate::exec::copy::tensor_copy::shared_place;
use crate::exec::mbarrier::block_of;
use crate::exec::memory::address_translation::{AccessMode, Backing};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext, plan_of};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, Row64, lanes_of};
use crate::semantics::rounding::FloatMode;
use crate::state::tensor_memory::{
    TensorMemoryLocation, free, is_relinquished, is_reservable, n_columns_in_use, read, relinquish,
    reserve, write,
};
use crate::state::warp::Warp;
use warpgrid_isa::tensor_layout::transfer_location;
use warpgrid_isa::{CtaGroup, ReduceOp, ScalarType, TensorMemoryAccessShape};
use warpgrid_program::counted;

/// Creates a fault of a tensor memory operation.
pub(crate) fn wrong(reason: String, lanes: u32) -> Box<ExecutionFault> {
    ExecutionFault::new(FaultKind::TensorMemory { why: reason }, lanes)
}

/// Executes a tensor memory operation, and ends the turn of the warp, because issued operations may complete before the
/// next step of the warp.
#[inline(never)]
pub(crate) fn execute(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    id: PlanId<TensorMemoryPlan>,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> Result<OpResult, Box<ExecutionFault>> {
    let mask = choice.executed;
    let code = around.code;
    let plan = plan_of(&code.tensor_memory, id, mask)?;
    let (mut stores, mut stop) = (false, StopReason::Turn);
    match plan {
        TensorMemoryPlan::Allocate { to, columns } => {
            if plan.takes_warp() {
                whole_warp(mask)?;
            }
            allocate(around, warp, to, *columns, choice, step)?;
            stores = true;
        }
        TensorMemoryPlan::Free { place, columns, .. } => {
            if plan.takes_warp() {
                whole_warp(mask)?;
            }
            let lanes = lanes_at(around.code, warp, choice.depth, mask);
            let lane = first_lane(mask);
            let first = address(&lanes, place)[lane] as u32;
            let n = read64(&lanes, *columns)[lane] as u32;
            let writer = LastWriter { step, lane: 0 };
            // Report an error only for PTX, because in SASS, an operation on the allocation mask may also clear the
            // bits of columns that are not allocated.
            if !free(around.tensor, first, n, writer) && plan.takes_warp() {
                let reason = format!(
                    "cannot deallocate {} at 0x{first:x}: at least one column is not allocated",
                    counted(n, "tensor memory column")
                );
                return Err(wrong(reason, mask));
            }
            stop = StopReason::ColumnsFreed;
        }
        TensorMemoryPlan::Relinquish => {
            whole_warp(mask)?;
            relinquish(around.tensor, LastWriter { step, lane: 0 });
        }
        TensorMemoryPlan::Load(plan) => {
            whole_warp(mask)?;
            load(around, warp, plan, choice)?;
        }
        TensorMemoryPlan::Store(plan) => {
            whole_warp(mask)?;
            store(around, warp, plan, choice, step)?;
            stores = true;
        }
        TensorMemoryPlan::Commit { object, blocks } => {
            commit(around, warp, object, *blocks, choice, step)?;
        }
        TensorMemoryPlan::Start(plan) => start(around, warp, id, plan, choice, step),
    }
    Ok(OpResult::NextThen { stores, stop })
}

/// Checks that all lanes of the warp execute the instruction, which `.sync.aligned` requires.
fn whole_warp(mask: u32) -> ExecResult {
    if mask == FULL {
        return Ok(());
    }
    let mistake = MatrixMisuse::MissingLanes { missing: !mask };
    Err(ExecutionFault::new(
        FaultKind::UndefinedMatrix(mistake),
        mask,
    ))
}

/// Returns the lowest executing lane, whose operands apply to all lanes.
fn first_lane(mask: u32) -> usize {
    mask.trailing_zeros() as usize % LANES
}

fn allocate(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    to: &AllocationTarget,
    columns: RegisterOperand,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let lanes = lanes_at(around.code, warp, choice.depth, choice.executed);
    let n = read64(&lanes, columns)[first_lane(choice.executed)] as u32;
    let mask = choice.executed;
    if !is_reservable(n) {
        let columns = counted(n, "column");
        let reason = format!(
            "found an allocation of {columns}, expected a power of two from 32 to 512 columns"
        );
        return Err(wrong(reason, mask));
    }
    if is_relinquished(around.tensor) {
        let reason = "the block allocates tensor memory after it has executed `tcgen05.relinquish_alloc_permit`";
        return Err(wrong(reason.to_owned(), mask));
    }
    let Some(first) = reserve(around.tensor, n, LastWriter { step, lane: 0 }) else {
        let used = n_columns_in_use(around.tensor);
        let reason =
            format!("cannot allocate {n} tensor memory columns: {used} of 512 columns are in use");
        return Err(wrong(reason, mask));
    };
    let to = match to {
        AllocationTarget::Memory(to) => to,
        AllocationTarget::Register(register) => {
            let mut lanes = lanes_at(around.code, warp, choice.depth, mask);
            write64(&mut lanes, *register, &[first.into(); LANES]);
            return Ok(());
        }
    };
    let run = |reach: &mut MemoryContext<'_>, l: &mut LaneRegisters<'_>| {
        let place = addresses(l, to)[0];
        let (backing, at) = shared_place(reach, to, place, 4, 0, AccessMode::Write)?;
        reach.write(backing, at as usize, 0, &first.to_le_bytes());
        Ok(())
    };
    with_memory_context(around, warp, choice, step, run).map(|_| ())
}

/// Returns the tensor memory address for each lane.
fn address(l: &LaneRegisters<'_>, plan: &TensorMemoryAddress) -> Row64 {
    read64(l, plan.base).map(|base| u64::from((base as u32).wrapping_add(plan.offset)))
}

/// Returns the first location of a load or store, and checks that the warp can access this location. Each warp of a
/// warpgroup can access 32 lanes of tensor memory.
fn start_of(
    l: &LaneRegisters<'_>,
    plan: &TensorLoadStorePlan,
    warp: u32,
) -> Result<TensorMemoryLocation, Box<ExecutionFault>> {
    let start = TensorMemoryLocation::of(address(l, &plan.place)[0] as u32);
    let first = 32 * (warp % 4);
    let is_reached = match plan.shape {
        TensorMemoryAccessShape::M32x32 => start.lane == first,
        TensorMemoryAccessShape::M16x64
        | TensorMemoryAccessShape::M16x128
        | TensorMemoryAccessShape::M16x256
        | TensorMemoryAccessShape::M16x32x2 => start.lane == first || start.lane == first + 16,
    };
    if is_reached {
        return Ok(start);
    }
    let reason = format!(
        "the address is in tensor memory lane {}, but warp {warp} can access only lanes {first} to {}",
        start.lane,
        first + 31
    );
    Err(wrong(reason, l.mask))
}

fn outside(place: TensorMemoryLocation) -> Box<ExecutionFault> {
    let reason = format!(
        "lane {}, column {} is out of bounds of tensor memory",
        place.lane, place.column
    );
    wrong(reason, FULL)
}

fn load(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &TensorLoadStorePlan,
    choice: &IssuedInstruction<'_>,
) -> ExecResult {
    let (code, index) = (around.code, warp.index);
    let mut l = lanes_at(code, warp, choice.depth, choice.executed & plan.lanes);
    let start = start_of(&l, plan, index)?;
    let mut rows = vec![[0u64; LANES]; plan.registers.len()];
    for (register, row) in rows.iter_mut().enumerate() {
        for thread in lanes_of(plan.lanes) {
            let value = &mut row[thread];
            let (lane, column) =
                transfer_location(plan.shape, plan.half, thread as u32, register as u32);
            let word = |column| {
                let place = start.plus(lane, column);
                read(around.tensor, place).ok_or_else(|| outside(place))
            };
            *value = u64::from(match plan.is_packed {
                true => word(2 * column)? & 0xffff | word(2 * column + 1)? << 16,
                false => word(column)?,
            });
        }
    }
    if let Some(reduced) = &plan.reduces {
        let row: Row64 = std::array::from_fn(|lane| {
            let words = rows.iter().map(|row| row[lane] as u32);
            u64::from(reduce(reduced, words))
        });
        write64(&mut l, reduced.to, &row);
    }
    for (register, row) in plan.registers.iter().zip(&rows) {
        write64(&mut l, *register, row);
    }
    Ok(())
}

/// Returns the minimum or the maximum of the loaded words.
fn reduce(plan: &LoadReduction, words: impl Iterator<Item = u32>) -> u32 {
    let is_min = plan.op == ReduceOp::Min;
    let mode = FloatMode {
        nan: plan.nan,
        ..FloatMode::default()
    };
    let pick = |a: u32, b: u32| match plan.ty {
        ScalarType::S32 => {
            let (a, b) = (a as i32, b as i32);
            (if is_min { a.min(b) } else { a.max(b) }) as u32
        }
        ScalarType::F32 => crate::exec::collective::float_extreme(plan.op, mode, a, b),
        _ => {
            if is_min {
                a.min(b)
            } else {
                a.max(b)
            }
        }
    };
    let magnitude = |word: u32| match plan.absolute {
        true => word & 0x7fff_ffff,
        false => word,
    };
    words.map(magnitude).reduce(pick).unwrap_or(0)
}

fn store(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &TensorLoadStorePlan,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let index = warp.index;
    let l = lanes_at(around.code, warp, choice.depth, choice.executed);
    let start = start_of(&l, plan, index)?;
    for (register, element) in plan.registers.iter().enumerate() {
        let row = read64(&l, *element);
        for thread in lanes_of(plan.lanes) {
            let word = row[thread];
            let (lane, column) =
                transfer_location(plan.shape, plan.half, thread as u32, register as u32);
            let writer = LastWriter {
                step,
                lane: thread as u32,
            };
            let word = word as u32;
            let mut write_word = |column, word| {
                let place = start.plus(lane, column);
                write(around.tensor, place, word, writer)
                    .then_some(())
                    .ok_or_else(|| outside(place))
            };
            // Clear the upper halves of the stored words, which are undefined.
            match plan.is_packed {
                true => {
                    write_word(2 * column, word & 0xffff)?;
                    write_word(2 * column + 1, word >> 16)?;
                }
                false => write_word(column, word)?,
            }
        }
    }
    Ok(())
}

/// Returns the pending operations on the tensor memory of the given blocks, each with the step of its completion.
fn in_flight(around: &ExecutionContext<'_>, blocks: &[u64]) -> Vec<(AsyncOperationId, u64)> {
    let all = around.starter.in_flight.all().iter();
    let touches = all.filter(|pending| match &pending.operation.work {
        AsyncEffect::TensorMemory(work) => work.blocks.iter().any(|block| blocks.contains(block)),
        AsyncEffect::Pieces
        | AsyncEffect::Tensor(_)
        | AsyncEffect::TensorPieces(_)
        | AsyncEffect::Product(_)
        | AsyncEffect::Cancel { .. } => false,
    });
    touches
        .map(|pending| (pending.id, pending.completes_at))
        .collect()
}

/// Issues a copy or a matrix multiplication for each lane. Issued operations complete in the order of their issue.
fn start(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    id: PlanId<TensorMemoryPlan>,
    plan: &AsyncTensorPlan,
    choice: &IssuedInstruction<'_>,
    step: u64,
) {
    let own = around.peers.own_rank();
    let block = |rank| around.shape.peer(around.block, own, rank);
    let blocks = match plan.group {
        CtaGroup::Two if around.peers.n_ranks() > 1 => vec![block(own & !1), block(own | 1)],
        CtaGroup::One | CtaGroup::Two => vec![around.block],
    };
    let origin = around.origin(warp.index, choice.pc, step);
    let works: Vec<TensorMemoryOperation> = {
        let l = lanes_at(around.code, warp, choice.depth, choice.executed);
        lanes_of(l.mask)
            .map(|lane| work(&l, id, plan, lane, &blocks))
            .collect()
    };
    for work in works {
        let earlier = in_flight(around, &blocks);
        let lands_after = earlier.iter().map(|(_, at)| *at).max().unwrap_or(0);
        around.starter.start(AsyncOperation {
            origin,
            pieces: Vec::new(),
            work: AsyncEffect::TensorMemory(Box::new(work)),
            completion: CompletionMechanism::None,
            earliest_step: lands_after.max(step + 1),
            depends_on: earlier.into_iter().map(|(id, _)| id).collect(),
        });
    }
}

/// Reads the register operands of an asynchronous operation for one lane.
fn work(
    l: &LaneRegisters<'_>,
    id: PlanId<TensorMemoryPlan>,
    plan: &AsyncTensorPlan,
    lane: usize,
    blocks: &[u64],
) -> TensorMemoryOperation {
    let at = |place: &TensorMemoryAddress| address(l, place)[lane] as u32;
    let of = |element: RegisterOperand| read64(l, element)[lane];
    let mut work = TensorMemoryOperation {
        plan: id.number(),
        d: at(&plan.d),
        a: 0,
        b: 0,
        descriptor: 0,
        adds: false,
        left_out: [0; 8],
        factors: [0; 2],
        metadata: 0,
        zeros: 0,
        lane: lane as u32,
        blocks: blocks.to_vec(),
    };
    match &plan.kind {
        AsyncTensorKind::Copy { source, .. } => work.a = of(*source),
        AsyncTensorKind::Shift => {}
        AsyncTensorKind::Product(operands) => {
            work.a = match &operands.a {
                MatrixAOperand::Kept(place) => at(place).into(),
                MatrixAOperand::Described(element) => of(*element),
            };
            work.b = of(operands.b);
            work.descriptor = of(operands.descriptor) as u32;
            work.adds = operands.adds.is_none_or(|predicate| {
                (l.predicate(predicate.slot) >> lane & 1 != 0) != predicate.negated
            });
            for (to, element) in work.left_out.iter_mut().zip(&operands.left_out) {
                *to = of(*element) as u32;
            }
            if let Some([of_a, of_b]) = &operands.factors {
                work.factors = [at(of_a), at(of_b)];
            }
            work.metadata = operands.metadata.as_ref().map_or(0, at);
            work.zeros = operands.zeros.map_or(0, of);
        }
    }
    work
}

/// `tcgen05.commit`: issues an arrival that triggers after all pending operations on tensor memory have completed.
fn commit(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    object: &AccessPlan,
    blocks: Option<RegisterOperand>,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let mut arrivals = Vec::new();
    let run = |reach: &mut MemoryContext<'_>, l: &mut LaneRegisters<'_>| {
        let places = addresses(l, object);
        let masks = blocks.map(|element| read64(l, element));
        for lane in lanes_of(l.mask) {
            let (backing, at) =
                shared_place(reach, object, places[lane], 8, lane, AccessMode::Write)?;
            let Some(masks) = &masks else {
                arrivals.push((block_of(reach, backing), at));
                continue;
            };
            for rank in (0..16).filter(|rank| masks[lane] >> rank & 1 != 0) {
                if rank >= reach.peers.n_ranks() {
                    let reason = format!("the cluster has no block with rank {rank}");
                    return Err(wrong(reason, 1 << lane));
                }
                let own = reach.peers.own_rank();
                let block = match backing {
                    Backing::Shared | Backing::Peer(_) => reach.shape.peer(reach.block, own, rank),
                    Backing::Arena | Backing::Stack => reach.block,
                };
                arrivals.push((block, at));
            }
        }
        Ok(())
    };
    with_memory_context(around, warp, choice, step, run)?;
    let origin = around.origin(warp.index, choice.pc, step);
    let earlier = in_flight(around, &[around.block]);
    let lands_after = earlier.iter().map(|(_, at)| *at).max().unwrap_or(0);
    for (block, address) in arrivals {
        around.starter.start(AsyncOperation {
            origin,
            pieces: Vec::new(),
            work: AsyncEffect::Pieces,
            completion: CompletionMechanism::Arrival {
                block,
                address,
                count: 1,
            },
            earliest_step: lands_after.max(step + 1),
            depends_on: earlier.iter().map(|(id, _)| *id).collect(),
        });
    }
    Ok(())
}
