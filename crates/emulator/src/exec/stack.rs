//! Dynamic stack allocation (PTX ISA, "alloca"), and cluster launch control (PTX ISA, "clusterlaunchcontrol").

use crate::code::stack::CancelResponseField;
use crate::code::{ClusterLaunchPlan, RegisterOperand, StackPlan};
use crate::contract::fault::FaultKind;
use crate::contract::pending::{AsyncEffect, AsyncOperation, CompletionMechanism};
use crate::exec::context::lanes_at;
use crate::exec::context::with_memory_context;
use crate::exec::context::{ExecutionContext, IssuedInstruction};
use crate::exec::copy::tensor_copy::shared_place;
use crate::exec::mbarrier::block_of;
use crate::exec::memory::address_translation::AccessMode;
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, read128, write64};
use crate::semantics::registers::{LaneRegisters, Row64, lanes_of};
use crate::state::warp::Warp;

/// Executes `alloca` and related stack operations.
#[inline(never)]
pub(crate) fn stack(
    around: &ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &StackPlan,
    choice: &IssuedInstruction<'_>,
) -> ExecResult {
    let (depth, mask) = (choice.depth, choice.executed);
    let frame_bytes = around
        .code
        .function_at(choice.pc)
        .map_or(0, |f| f.frame_bytes);
    let Some(mut frame) = warp.frames.get(depth as usize).copied() else {
        return Err(ExecutionFault::internal("no frame on the stack", mask));
    };
    // The top of the stack is the end of the current frame, including its dynamic allocations.
    let fixed: Row64 = frame
        .stack_start
        .map(|start| u64::from(start) + u64::from(frame_bytes));
    let top = |lane: usize, reserved: u32| fixed[lane] + u64::from(reserved);
    let overflow = |lane: usize| ExecutionFault::new(FaultKind::StackOverflow, 1 << lane);
    let mut needed = 0;
    match plan {
        StackPlan::Save(d) => {
            let row: Row64 = std::array::from_fn(|lane| top(lane, frame.reserved[lane]));
            write_lanes(around, warp, choice, *d, &row);
            return Ok(());
        }
        StackPlan::Restore(a) => {
            let values = read64(&lanes_at(around.code, warp, depth, mask), *a);
            for lane in lanes_of(mask) {
                let is_there = values[lane] <= around.limits.max_local_bytes;
                let reserved = values[lane].checked_sub(fixed[lane]).filter(|_| is_there);
                frame.reserved[lane] = reserved.ok_or_else(|| overflow(lane))? as u32;
            }
        }
        StackPlan::Allocate { d, size, alignment } => {
            let sizes = read64(&lanes_at(around.code, warp, depth, mask), *size);
            let mut row = [0; 32];
            for lane in lanes_of(mask) {
                let start = top(lane, frame.reserved[lane]).checked_next_multiple_of(*alignment);
                let start = start.ok_or_else(|| overflow(lane))?;
                let end = start.checked_add(sizes[lane]);
                let end = end.filter(|end| *end <= around.limits.max_local_bytes);
                let end = end.ok_or_else(|| overflow(lane))?;
                frame.reserved[lane] = (end - fixed[lane]) as u32;
                row[lane] = start;
                needed = needed.max(end);
            }
            write_lanes(around, warp, choice, *d, &row);
        }
    }
    warp.stack.grow(needed as usize);
    if let Some(place) = warp.frames.get_mut(depth as usize) {
        *place = frame;
    }
    Ok(())
}

fn write_lanes(
    around: &ExecutionContext<'_>,
    warp: &mut Warp,
    choice: &IssuedInstruction<'_>,
    d: RegisterOperand,
    row: &Row64,
) {
    let mut lanes = lanes_at(around.code, warp, choice.depth, choice.executed);
    write64(&mut lanes, d, row);
}

/// Decodes a field of the response of `clusterlaunchcontrol.try_cancel`.
fn read_answer(
    lanes: &mut LaneRegisters<'_>,
    answer: RegisterOperand,
    parts: &[(RegisterOperand, CancelResponseField)],
) {
    let answers = read128(lanes, answer);
    for (d, part) in parts {
        let row = answers.map(|answer| match part {
            CancelResponseField::IsCanceled => (answer >> 64) as u64 & 1,
            CancelResponseField::Block(0) => answer as u64 & 0xffff_ffff,
            CancelResponseField::Block(axis) => (answer >> (16 + 16 * axis)) as u64 & 0xffff,
        });
        write64(lanes, *d, &row);
    }
}

/// Executes a cluster launch control operation.
#[inline(never)]
pub(crate) fn launch(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &ClusterLaunchPlan,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let (to, mbarrier, to_all) = match plan {
        ClusterLaunchPlan::Read { answer, parts } => {
            let mut lanes = lanes_at(around.code, warp, choice.depth, choice.executed);
            read_answer(&mut lanes, *answer, parts);
            return Ok(());
        }
        ClusterLaunchPlan::TryCancel {
            to,
            mbarrier,
            to_all,
        } => (to, mbarrier, *to_all),
    };
    let mut places = Vec::new();
    let run = |reach: &mut MemoryContext<'_>, l: &mut LaneRegisters<'_>| {
        let (answers, objects) = (addresses(l, to), addresses(l, mbarrier));
        for lane in lanes_of(l.mask) {
            let write = AccessMode::Write;
            let (backing, answer) = shared_place(reach, to, answers[lane], 16, lane, write)?;
            let (_, object) = shared_place(reach, mbarrier, objects[lane], 8, lane, write)?;
            let own = reach.peers.own_rank();
            let blocks = match to_all {
                true => (0..reach.peers.n_ranks())
                    .map(|rank| reach.shape.peer(reach.block, own, rank))
                    .collect(),
                false => vec![block_of(reach, backing)],
            };
            places.push((lane, blocks, answer, object));
        }
        Ok(())
    };
    with_memory_context(around, warp, choice, step, run)?;
    for (lane, blocks, answer, object) in places {
        around.starter.start(AsyncOperation {
            origin: around.origin(warp.index, choice.pc, step),
            pieces: Vec::new(),
            completion: CompletionMechanism::None,
            work: AsyncEffect::Cancel {
                lane: lane as u32,
                blocks,
                address: answer,
                object,
            },
            earliest_step: step + 1,
            depends_on: Vec::new(),
        });
    }
    Ok(())
}
