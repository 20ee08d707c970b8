//! Step loop of one warp: selects a group of lanes, executes its instruction, and records the step.

use crate::code::DecodedCode;
use crate::code::decoded_op::DecodedOp;
use crate::contract::agent::{Agent, WarpId};
use crate::contract::step_event::StepOutcome;
use crate::exec::arithmetic::alu::{compute, compute_apart};
use crate::exec::context::OpResult;
use crate::exec::context::lanes_at;
use crate::exec::context::{
    BarrierArrival, ExecutionContext, IssuedInstruction, StopReason, WarpRunResult,
};
use crate::exec::control::branch;
use crate::exec::dispatch::{dispatch, refresh_clocks};
use crate::exec::memory::access::{ScratchBuffers, access, access_outlined};
use crate::exec::memory::coalesced_access::Prefetch;
use crate::exec::memory::request::AccessRequest;
use crate::exec::memory_context::ExecutionFault;
use crate::exec::operand_rows::write64;
use crate::exec::wait_conditions::block_if_not_ready;
use crate::semantics::registers::{LANES, LaneRegisters};
use crate::state::last_step::LastStep;
use crate::state::warp::Warp;

/// Returns the instruction of the current group of lanes, and the lanes that are not predicated off. Returns `None` if
/// the program counter is out of bounds. The step loop and the preview of the next step share this function and
/// [`block_if_not_ready`], so that the preview agrees with the execution.
#[inline(always)]
pub(crate) fn issue<'c>(code: &'c DecodedCode, warp: &mut Warp) -> Option<IssuedInstruction<'c>> {
    let split = warp.splits.current();
    let (pc, depth, lanes) = (split.pc, split.depth, split.mask);
    let instr = code.instructions.get(pc as usize)?;
    let mut executed = lanes;
    if instr.guard.is_some() {
        let guard = lanes_at(code, warp, depth, lanes).predicate(instr.guard);
        executed &= if instr.negated { !guard } else { guard };
    }
    Some(IssuedInstruction {
        instr,
        pc,
        depth,
        lanes,
        executed,
    })
}

/// Executes at most `budget` steps of a warp, starting with step number `step`. `FMA` specifies whether the host has an
/// FMA instruction, and `APART` whether the instruction families are called as separate functions.
#[inline(always)]
pub(crate) fn run_warp_with<const FMA: bool, const APART: bool>(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    rows: &mut ScratchBuffers,
    step: u64,
    budget: u32,
    ask_for: impl Prefetch,
) -> WarpRunResult {
    let agent = WarpId {
        block: around.block,
        warp: warp.index,
    };
    warp.dirty = true;
    if std::mem::take(&mut warp.has_not_run) {
        warp.banks.reset(around.code.entry_sizes);
        if !around.code.initial.is_empty() {
            set_initial_registers(around.code, warp);
        }
    }
    let mut way = TurnProgress {
        first: step,
        steps: 0,
        is_mid_bundle: false,
        last: StepRecord::default(),
    };
    let mut came = BarrierArrival::default();
    let mut outcome = StepOutcome::Executed;
    let stop = loop {
        // Select a group only between bundles, because all instructions of a step belong to one group.
        if !way.is_mid_bundle {
            if way.steps == budget {
                break StopReason::Turn;
            }
            if !warp.splits.select() {
                break StopReason::Blocked;
            }
        }
        // A converged warp executes instructions until the end of its turn. For a divergent warp, the loop selects a
        // group before each step.
        let end = if warp.splits.len() == 1 && !around.interest.steps {
            budget
        } else {
            way.steps + 1
        };
        match run_straight_line::<FMA, APART>(around, warp, &mut way, end, rows, ask_for) {
            Ok(StraightLineExit::Done) => {
                if around.interest.steps {
                    report(
                        around,
                        agent,
                        way.last,
                        StepOutcome::Executed,
                        way.step() - 1,
                    );
                }
                continue;
            }
            Ok(StraightLineExit::Clock) => continue,
            Ok(StraightLineExit::Other) => {}
            Err(halt) => break StopReason::Fault(halt),
        }
        let Some(choice) = issue(around.code, warp) else {
            let message = "no instruction at the program counter";
            break StopReason::Fault(ExecutionFault::internal(
                message,
                warp.splits.current().mask,
            ));
        };
        let mut stored = false;
        let mut ends = None;
        if let DecodedOp::Branch { target } = choice.instr.op {
            branch(warp, choice.executed, target);
        } else if let Some(reason) =
            block_if_not_ready(around.code, warp, choice, &around.outside())
        {
            way.is_mid_bundle = false;
            if around.interest.steps {
                let what = StepOutcome::Waits(reason);
                report(around, agent, StepRecord::of(&choice), what, way.step());
            }
            continue;
        } else {
            match dispatch(around, warp, choice, way.step()) {
                Ok(OpResult::Next { stores }) => {
                    stored = stores;
                    warp.splits.current_mut().pc = choice.pc + 1;
                }
                Ok(OpResult::NextThen { stores, stop }) => {
                    stored = stores;
                    warp.splits.current_mut().pc = choice.pc + 1;
                    ends = Some(stop);
                }
                Ok(OpResult::Moved) => {}
                // Do not count this step here, because the machine counts it after it has checked the other warps.
                Ok(OpResult::Stops(
                    stop @ (StopReason::Barrier { .. } | StopReason::ClusterArrive { .. }),
                )) => {
                    came = BarrierArrival {
                        pc: choice.pc,
                        lanes: choice.lanes,
                    };
                    break stop;
                }
                Ok(OpResult::Stops(stop)) => ends = Some(stop),
                Err(halt) => break StopReason::Fault(halt),
            }
        }
        if stored {
            around.stores += 1;
            around.observer.store_step(way.step());
        }
        way.is_mid_bundle = choice.instr.continues_bundle && ends.is_none();
        if way.is_mid_bundle {
            continue;
        }
        outcome = match ends {
            Some(StopReason::Exited) => StepOutcome::Exited,
            _ => StepOutcome::Executed,
        };
        way.last = StepRecord {
            stored,
            ..StepRecord::of(&choice)
        };
        if around.interest.steps {
            report(around, agent, way.last, outcome, way.step());
        }
        around.lane_instructions += u64::from(choice.lanes.count_ones());
        warp.steps += 1;
        way.steps += 1;
        if let Some(stop) = ends {
            break stop;
        }
    };
    if way.steps > 0 {
        *around.last_step = Some(way.last.last_step(agent, outcome));
    }
    WarpRunResult {
        steps: way.steps,
        stop,
        came,
    }
}

/// Initializes registers with the values that the launch specifies for the first step.
#[cold]
#[inline(never)]
fn set_initial_registers(code: &DecodedCode, warp: &mut Warp) {
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

/// Progress of a warp in the current turn of the scheduler.
struct TurnProgress {
    /// Number of the first step of the turn.
    first: u64,
    /// Number of steps that have been executed in this turn.
    steps: u32,
    /// Whether the last executed instruction is not the last instruction of its bundle.
    is_mid_bundle: bool,
    last: StepRecord,
}

impl TurnProgress {
    /// Returns the number of the next step.
    #[inline(always)]
    fn step(&self) -> u64 {
        self.first + u64::from(self.steps)
    }
}

/// Reason why [`run_straight_line`] returned.
enum StraightLineExit {
    /// The requested number of steps has been executed.
    Done,
    /// The next instruction reads a clock, whose special register must be updated first.
    Clock,
    /// The next instruction is of a kind that [`run_straight_line`] does not execute.
    Other,
}

/// Executes arithmetic, loads, stores and uniform branches of the current group until `end` steps of the turn have been
/// executed. These instructions modify only the current group, so that groups of lanes need not be merged between them.
#[inline(always)]
fn run_straight_line<const FMA: bool, const APART: bool>(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    way: &mut TurnProgress,
    end: u32,
    rows: &mut ScratchBuffers,
    ask_for: impl Prefetch,
) -> Result<StraightLineExit, Box<ExecutionFault>> {
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
    let mut lanes = LaneRegisters {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(split.depth),
        mask: split.mask,
        carry: &mut warp.carry,
    };
    let ended = loop {
        if way.steps >= end {
            break Ok(StraightLineExit::Done);
        }
        let Some(instr) = code.instructions.get(pc as usize) else {
            break Ok(StraightLineExit::Other);
        };
        let mut executed = split.mask;
        if !instr.is_plain {
            if instr.reads_clock && !std::mem::take(&mut clock_is_fresh) {
                break Ok(StraightLineExit::Clock);
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
            // The instruction has modified only registers, and requires no further action.
        } else if let DecodedOp::Load(plan) | DecodedOp::Store(plan) = instr.op {
            let request = AccessRequest {
                plan,
                loads: matches!(instr.op, DecodedOp::Load(_)),
                warp: warp.index,
                step: way.step(),
                pc,
            };
            let stack = &mut warp.stack;
            let outcome = if APART {
                access_outlined(around, &mut lanes, stack, request, rows)
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
        } else if let DecodedOp::Branch { target } = instr.op
            && executed == split.mask
        {
            next = target;
        } else {
            break Ok(StraightLineExit::Other);
        }
        way.is_mid_bundle = instr.continues_bundle;
        if !instr.continues_bundle {
            way.last = StepRecord {
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

/// Data of the last executed step, from which [`LastStep`] is built at the end of the turn.
#[derive(Clone, Copy, Default)]
struct StepRecord {
    pc: u32,
    lanes: u32,
    executed: u32,
    stored: bool,
}

impl StepRecord {
    #[inline(always)]
    fn of(choice: &IssuedInstruction<'_>) -> StepRecord {
        StepRecord {
            pc: choice.pc,
            lanes: choice.lanes,
            executed: choice.executed,
            stored: false,
        }
    }

    fn last_step(self, of: WarpId, what: StepOutcome) -> LastStep {
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
fn report(
    around: &mut ExecutionContext<'_>,
    agent: WarpId,
    trace: StepRecord,
    what: StepOutcome,
    step: u64,
) {
    let event = trace.last_step(agent, what).event(around.code, step);
    around.observer.step(&event);
}
