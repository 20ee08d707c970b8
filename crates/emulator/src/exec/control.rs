//! Branches, calls and returns (PTX ISA, "Control Flow Instructions").

use crate::code::decoded_op::DecodedOp;
use crate::code::{CallPlan, CallTargetPlan, CallValueLocation, DecodedCode, RegisterBank};
use crate::contract::fault::FaultKind;
use crate::contract::inspect::LastWriter;
use crate::contract::launch::ResourceLimits;
use crate::exec::context::lanes_at;
use crate::exec::memory_context::{ExecResult, ExecutionFault};
use crate::exec::operand_rows::{read64, read128, write128};
use crate::exec::wait_conditions::split_predicated_off;
use crate::semantics::registers::{LANES, lanes_of};
use crate::state::warp::{CallFrame, Warp, WarpSplit, WarpSplitState};

/// Moves `lanes` of the current group to program counter `pc` at call depth `depth`. Splits the group if the other
/// lanes of the group do not move.
pub(crate) fn redirect_lanes(warp: &mut Warp, lanes: u32, pc: u32, depth: u32) {
    // An empty lane mask occurs for a `BRA.DIV` in a converged warp, which takes no branch.
    if lanes == 0 {
        return;
    }
    let current = warp.splits.current_mut();
    if current.mask == lanes {
        current.pc = pc;
        current.depth = depth;
        return;
    }
    let split = WarpSplit {
        mask: lanes,
        pc,
        depth,
        ..*current
    };
    current.mask &= !lanes;
    warp.splits.add(split);
}

/// Executes `bra`. The lanes of the current group that do not take the branch continue with the next instruction.
#[inline(always)]
pub(crate) fn branch(warp: &mut Warp, taken: u32, target: u32) {
    let current = warp.splits.current_mut();
    if taken == current.mask {
        current.pc = target;
        return;
    }
    current.pc += 1;
    let depth = current.depth;
    redirect_lanes(warp, taken, target, depth);
}

/// Executes `brx.idx`.
#[inline(never)]
pub(crate) fn branch_indexed(
    warp: &mut Warp,
    mask: u32,
    indices: &[u32; LANES],
    targets: &[u32],
) -> ExecResult {
    let bad = lanes_of(mask)
        .filter(|lane| indices[*lane] as usize >= targets.len())
        .fold(0, |lanes, lane| lanes | 1u32 << lane);
    if bad != 0 {
        let index = u64::from(indices[(bad.trailing_zeros() & 31) as usize]);
        let n_targets = targets.len() as u32;
        return Err(ExecutionFault::new(
            FaultKind::BadBranchIndex { index, n_targets },
            bad,
        ));
    }
    let mut left = mask;
    let depth = warp.splits.current().depth;
    let others = warp.splits.current().mask & !mask;
    warp.splits.current_mut().pc += 1;
    while left != 0 {
        let first = indices[(left.trailing_zeros() & 31) as usize];
        let lanes = lanes_of(left)
            .filter(|lane| indices[*lane] == first)
            .fold(0, |lanes, lane| lanes | 1 << lane);
        let target = targets.get(first as usize).copied().unwrap_or(0);
        redirect_lanes(warp, lanes, target, depth);
        left &= !lanes;
        if left == 0 && others == 0 {
            break;
        }
    }
    Ok(())
}

/// Executes branches to the code addresses in the registers of the lanes.
#[inline(never)]
pub(crate) fn branch_indirect(
    code: &DecodedCode,
    warp: &mut Warp,
    mask: u32,
    addresses: &[u64; LANES],
) -> ExecResult {
    let place = |address: u64| {
        let index = code.addresses.binary_search_by_key(&address, |(at, _)| *at);
        index
            .ok()
            .and_then(|index| code.addresses.get(index))
            .map(|(_, place)| *place)
    };
    let bad = lanes_of(mask)
        .filter(|lane| place(addresses[*lane]).is_none())
        .fold(0, |lanes, lane| lanes | 1u32 << lane);
    if bad != 0 {
        let address = addresses[(bad.trailing_zeros() & 31) as usize];
        return Err(ExecutionFault::new(
            FaultKind::BadCallTarget { address },
            bad,
        ));
    }
    let depth = warp.splits.current().depth;
    if warp.splits.current().mask != mask {
        split_predicated_off(warp, mask);
    }
    let mut left = mask;
    while left != 0 {
        let first = addresses[(left.trailing_zeros() & 31) as usize];
        let lanes = lanes_of(left)
            .filter(|lane| addresses[*lane] == first)
            .fold(0, |lanes, lane| lanes | 1 << lane);
        redirect_lanes(warp, lanes, place(first).unwrap_or(0), depth);
        left &= !lanes;
    }
    Ok(())
}

/// Executes `call`. Lanes with the same callee form a group.
#[inline(never)]
pub(crate) fn call(
    code: &DecodedCode,
    limits: &ResourceLimits,
    warp: &mut Warp,
    mask: u32,
    plan: &CallPlan,
    writer: LastWriter,
) -> ExecResult {
    let depth = warp.splits.current().depth;
    if depth + 1 >= limits.max_call_depth {
        return Err(ExecutionFault::new(FaultKind::StackOverflow, mask));
    }
    if !plan.register.slot.is_some() {
        let Some(target) = plan.targets.first() else {
            return Err(ExecutionFault::internal("no target for a call", mask));
        };
        reserve(code, limits, warp, mask, depth, target)?;
        enter(code, warp, mask, depth, target, writer);
        return Ok(());
    }
    let addresses = read64(&lanes_at(code, warp, depth, mask), plan.register);
    let find = |lane: usize| {
        plan.targets
            .iter()
            .position(|t| t.address == addresses[lane])
    };
    let bad = lanes_of(mask)
        .filter(|lane| find(*lane).is_none())
        .fold(0, |lanes, lane| lanes | 1u32 << lane);
    if bad != 0 {
        let address = addresses[(bad.trailing_zeros() & 31) as usize];
        return Err(ExecutionFault::new(
            FaultKind::BadCallTarget { address },
            bad,
        ));
    }
    for (index, target) in plan.targets.iter().enumerate() {
        let lanes = lanes_of(mask)
            .filter(|lane| find(*lane) == Some(index))
            .fold(0, |lanes, lane| lanes | 1 << lane);
        if lanes != 0 {
            reserve(code, limits, warp, lanes, depth, target)?;
        }
    }
    let caller = *warp.splits.current();
    for (index, target) in plan.targets.iter().enumerate() {
        let lanes = lanes_of(mask)
            .filter(|lane| find(*lane) == Some(index))
            .fold(0, |lanes, lane| lanes | 1 << lane);
        if lanes == 0 {
            continue;
        }
        // Reset the current group to the call instruction, at which the remaining lanes are until they enter their
        // callees.
        let current = warp.splits.current_mut();
        (current.pc, current.depth) = (caller.pc, caller.depth);
        enter(code, warp, lanes, depth, target, writer);
    }
    Ok(())
}

/// Allocates a stack frame for the called function in each lane.
#[inline(never)]
fn reserve(
    code: &DecodedCode,
    limits: &ResourceLimits,
    warp: &mut Warp,
    lanes: u32,
    depth: u32,
    target: &CallTargetPlan,
) -> ExecResult {
    let caller = code.function_at(warp.splits.current().pc);
    let caller_bytes = caller.map_or(0, |f| f.frame_bytes);
    let callee_bytes = code
        .functions
        .get(target.function as usize)
        .map_or(0, |f| f.frame_bytes);
    let Some(frame) = warp.frames.get(depth as usize).copied() else {
        return Err(ExecutionFault::internal("no stack frame for a call", lanes));
    };
    let mut next = warp
        .frames
        .get(depth as usize + 1)
        .copied()
        .unwrap_or(CallFrame::EMPTY);
    let mut needed = 0u64;
    for lane in lanes_of(lanes) {
        let reserved = u64::from(caller_bytes) + u64::from(frame.reserved[lane]);
        // Align the frame, because its first stack variable may have the maximum alignment.
        let start = (u64::from(frame.stack_start[lane]) + reserved).next_multiple_of(16);
        needed = needed.max(start + u64::from(callee_bytes));
        next.stack_start[lane] = start.min(u64::from(u32::MAX)) as u32;
        next.reserved[lane] = 0;
    }
    if needed > limits.max_local_bytes {
        return Err(ExecutionFault::new(FaultKind::StackOverflow, lanes));
    }
    if warp.frames.len() < depth as usize + 2 {
        warp.frames.resize(depth as usize + 2, CallFrame::EMPTY);
        warp.banks.grow(code.base(depth + 2));
    }
    warp.stack.grow(needed as usize);
    if let Some(slot) = warp.frames.get_mut(depth as usize + 1) {
        *slot = next;
    }
    Ok(())
}

/// Enters a called function, whose stack frame has already been allocated.
#[inline(never)]
fn enter(
    code: &DecodedCode,
    warp: &mut Warp,
    lanes: u32,
    depth: u32,
    target: &CallTargetPlan,
    writer: LastWriter,
) {
    let return_pc = warp.splits.current().pc + 1;
    if let Some(frame) = warp.frames.get_mut(depth as usize + 1) {
        for lane in lanes_of(lanes) {
            frame.return_pc[lane] = return_pc;
        }
    }
    let Some(function) = code.functions.get(target.function as usize) else {
        return;
    };
    set_frame_addresses(code, warp, lanes, depth + 1, target.function as usize);
    for (from, to) in &target.arguments {
        let (from, to) = (from.at(depth), to.at(depth + 1));
        transfer(code, warp, lanes, from, to, writer);
    }
    let others = warp.splits.current().mask & !lanes;
    if others != 0 {
        warp.splits.current_mut().pc += 1;
    }
    redirect_lanes(warp, lanes, function.start, depth + 1);
}

/// Initializes the registers that contain the addresses of stack variables.
pub(crate) fn set_frame_addresses(
    code: &DecodedCode,
    warp: &mut Warp,
    lanes: u32,
    depth: u32,
    function: usize,
) {
    let (Some(function), Some(frame)) = (
        code.functions.get(function),
        warp.frames.get(depth as usize).copied(),
    ) else {
        return;
    };
    let mut l = lanes_at(code, warp, depth, lanes);
    for address in &function.frame_addresses {
        let row = frame
            .stack_start
            .map(|start| u64::from(start).wrapping_add(address.addend));
        match address.bank {
            RegisterBank::B64 => l.set64(address.slot, &row),
            _ => l.set32(address.slot, &row.map(|v| v as u32)),
        }
    }
}

/// Location of an argument or a result in the stack frame at a call depth.
#[derive(Clone, Copy)]
struct FrameLocation {
    depth: u32,
    place: CallValueLocation,
}

impl CallValueLocation {
    const fn at(self, depth: u32) -> FrameLocation {
        FrameLocation { depth, place: self }
    }
}

/// Copies an argument or a result between the stack frames of the caller and the callee.
#[inline(never)]
fn transfer(
    code: &DecodedCode,
    warp: &mut Warp,
    lanes: u32,
    from: FrameLocation,
    to: FrameLocation,
    writer: LastWriter,
) {
    let (from_depth, to_depth) = (from.depth, to.depth);
    match (from.place, to.place) {
        (CallValueLocation::Register(from), CallValueLocation::Register(to)) => {
            let row = read128(&lanes_at(code, warp, from_depth, lanes), from);
            write128(&mut lanes_at(code, warp, to_depth, lanes), to, &row);
        }
        (CallValueLocation::Register(from), CallValueLocation::Stack { offset, size }) => {
            let row = read128(&lanes_at(code, warp, from_depth, lanes), from);
            for lane in lanes_of(lanes) {
                let at = stack_place(warp, to_depth, lane, offset);
                let bytes = row[lane].to_le_bytes();
                let n = (size as usize).min(16);
                let writer = LastWriter {
                    lane: lane as u32,
                    ..writer
                };
                warp.stack.write(at, bytes.get(..n).unwrap_or(&[]), writer);
            }
        }
        (CallValueLocation::Stack { offset, size }, CallValueLocation::Register(to)) => {
            let mut row = [0u128; LANES];
            for lane in lanes_of(lanes) {
                let at = stack_place(warp, from_depth, lane, offset);
                let n = (size as usize).min(16);
                let mut bytes = [0; 16];
                if let Some(from) = warp.stack.bytes.get(at..at + n) {
                    bytes[..n].copy_from_slice(from);
                }
                row[lane] = u128::from_le_bytes(bytes);
            }
            write128(&mut lanes_at(code, warp, to_depth, lanes), to, &row);
        }
        (
            CallValueLocation::Stack { offset, size },
            CallValueLocation::Stack {
                offset: to_offset,
                size: to_size,
            },
        ) => {
            let n = size.min(to_size) as usize;
            for lane in lanes_of(lanes) {
                let from = stack_place(warp, from_depth, lane, offset);
                let at = stack_place(warp, to_depth, lane, to_offset);
                let writer = LastWriter {
                    lane: lane as u32,
                    ..writer
                };
                warp.stack.copy(from, at, n, writer);
            }
        }
    }
}

/// Returns the index in the stack memory of the warp for an offset within the stack frame of a lane.
pub(crate) fn stack_place(warp: &Warp, depth: u32, lane: usize, offset: u32) -> usize {
    let start = warp
        .frames
        .get(depth as usize)
        .map_or(0, |frame| frame.stack_start[lane]);
    lane * warp.stack.stride + start as usize + offset as usize
}

/// Executes `ret` for some lanes of the current group. Returns `false` if the lanes are executing the kernel itself,
/// which has no caller.
#[inline(never)]
pub(crate) fn return_lanes(
    code: &DecodedCode,
    warp: &mut Warp,
    mask: u32,
    writer: LastWriter,
) -> bool {
    let WarpSplit { depth, pc, .. } = *warp.splits.current();
    if depth == 0 {
        return false;
    }
    let function = code
        .functions
        .partition_point(|f| f.start <= pc)
        .saturating_sub(1) as u32;
    let Some(frame) = warp.frames.get(depth as usize).copied() else {
        return false;
    };
    let others = warp.splits.current().mask & !mask;
    let mut left = mask;
    while left != 0 {
        let return_pc = frame.return_pc[(left.trailing_zeros() & 31) as usize];
        let lanes = lanes_of(left)
            .filter(|lane| frame.return_pc[*lane] == return_pc)
            .fold(0, |lanes, lane| lanes | 1 << lane);
        left &= !lanes;
        let caller = code.instructions.get(return_pc.wrapping_sub(1) as usize);
        if let Some(DecodedOp::Call(plan)) = caller.map(|i| i.op)
            && let Some(plan) = code.calls.get(plan)
            && let Some(target) = plan.targets.iter().find(|t| t.function == function)
        {
            for (from, to) in &target.returns {
                let (from, to) = (from.at(depth), to.at(depth - 1));
                transfer(code, warp, lanes, from, to, writer);
            }
        }
        let last = left == 0 && others == 0;
        if last {
            let current = warp.splits.current_mut();
            current.pc = return_pc;
            current.depth = depth - 1;
        } else {
            let current = warp.splits.current_mut();
            let split = WarpSplit {
                mask: lanes,
                pc: return_pc,
                depth: depth - 1,
                state: WarpSplitState::Ready,
                ..*current
            };
            current.mask &= !lanes;
            warp.splits.add(split);
        }
    }
    if others != 0 {
        warp.splits.current_mut().pc = pc + 1;
    }
    true
}
