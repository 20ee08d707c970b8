//! Execution context of the instructions of a warp: the state outside of the warp, the group of lanes that executes an
//! instruction, and the outcome of a step.

use crate::code::plan_table::PlanId;
use crate::code::{BarrierPlan, DecodedCode, DecodedInstruction};
use crate::contract::inspect::{RunDiagnostic, RunDiagnosticKind};
use crate::contract::launch::ResourceLimits;
use crate::contract::observer::{EventBuffer, EventMask, Observer};
use crate::contract::pending::AsyncOrigin;
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::exec::memory::address_translation::AddressTranslator;
use crate::exec::memory_context::{ExecutionFault, MemoryContext};
use crate::exec::wait_conditions::WaitContext;
use crate::semantics::registers::LaneRegisters;
use crate::state::cluster::{ClusterBarrier, ClusterSharedMemory, GridShape};
use crate::state::image::Image;
use crate::state::in_flight::AsyncIssuer;
use crate::state::last_step::LastStep;
use crate::state::memory::{AddressMap, GlobalMemory, PagedMemory};
use crate::state::multicast::Multicast;
use crate::state::notes::add_once;
use crate::state::warp::{LaneStacks, Warp};
use std::sync::Arc;

/// Reason why the step loop of a warp returned.
pub(crate) enum StopReason {
    /// The quantum has expired, or the machine must check before the next step whether asynchronous operations are due.
    Turn,
    /// All groups of lanes of the warp are waiting.
    Blocked,
    /// Some lanes of the warp exited.
    Exited,
    /// Some lanes arrived at a barrier of the block. The machine counts this step after it has handled the arrival.
    Barrier {
        plan: PlanId<BarrierPlan>,
        mask: u32,
    },
    /// Some lanes arrived at the barrier of the cluster. The machine counts this step after it has handled the arrival.
    ClusterArrive {
        mask: u32,
    },
    /// The instruction yields to other warps.
    Yield,
    /// A phase of an mbarrier in the cluster has completed.
    PhaseEnded,
    /// The block has deallocated columns of its tensor memory.
    ColumnsFreed,
    Fault(Box<ExecutionFault>),
}

/// Machine state that the steps of a warp access, without the warp itself.
pub(crate) struct ExecutionContext<'a> {
    pub(crate) code: &'a DecodedCode,
    pub(crate) map: &'a AddressMap,
    pub(crate) limits: &'a ResourceLimits,
    /// Textures and surfaces of the launch.
    pub(crate) images: &'a [Image],
    /// Multicast addresses of the launch.
    pub(crate) multicasts: &'a [Multicast],
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedMemory,
    /// Tensor memory of the block.
    pub(crate) tensor: &'a mut PagedMemory,
    /// Shared memory of the other blocks in the cluster.
    pub(crate) peers: ClusterSharedMemory<'a>,
    pub(crate) interest: EventMask,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) notes: &'a mut Arc<Vec<RunDiagnostic>>,
    /// Issuer of the warp's asynchronous operations.
    pub(crate) starter: AsyncIssuer<'a>,
    pub(crate) block: u64,
    /// Number of warps of the block.
    pub(crate) n_warps: u32,
    pub(crate) shape: &'a GridShape,
    /// Barrier of the cluster, and the index of the warp among the warps of the cluster.
    pub(crate) cluster_barrier: Option<(&'a ClusterBarrier, usize)>,
    /// Number of steps in this turn that modified memory.
    pub(crate) stores: u64,
    /// Number of lane-instructions that the warp has executed in this turn.
    pub(crate) lane_instructions: u64,
    /// Last executed step. The step loop updates this field in place, because a copy of the field requires a host call
    /// in WebAssembly.
    pub(crate) last_step: &'a mut Option<LastStep>,
}

impl ExecutionContext<'_> {
    /// Adds a run diagnostic about the current instruction of a warp, unless the instruction already has a diagnostic.
    pub(crate) fn note(&mut self, warp: u32, kind: RunDiagnosticKind, step: u64) {
        let note = RunDiagnostic {
            step,
            block: self.block,
            warp,
            kind,
        };
        add_once(self.notes, note, self.limits.max_notes);
    }

    /// Reports a synchronization event of some lanes of a warp to the observer.
    #[inline(always)]
    pub(crate) fn report_sync(&mut self, at: SyncLocation, what: SyncKind<'_>) {
        if self.interest.syncs {
            self.send_sync(at, what);
        }
    }

    #[cold]
    #[inline(never)]
    fn send_sync(&mut self, at: SyncLocation, what: SyncKind<'_>) {
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

    /// Returns the issuing instruction of an asynchronous operation that a warp issues in step `step`.
    pub(crate) fn origin(&self, warp: u32, pc: u32, step: u64) -> AsyncOrigin {
        let (function, instruction) = self.code.origin(pc);
        AsyncOrigin {
            step,
            block: self.block,
            warp,
            function,
            instruction,
        }
    }
}

/// Location of a synchronization event: the lanes of a warp, and the instruction that they execute in a step.
#[derive(Clone, Copy)]
pub(crate) struct SyncLocation {
    pub(crate) warp: u32,
    /// Program counter of the executing lanes.
    pub(crate) pc: u32,
    pub(crate) lanes: u32,
    pub(crate) step: u64,
}

impl SyncLocation {
    pub(crate) fn of(warp: &Warp, choice: &IssuedInstruction<'_>, step: u64) -> SyncLocation {
        SyncLocation {
            warp: warp.index,
            pc: choice.pc,
            lanes: choice.executed,
            step,
        }
    }
}

/// Result of one call of the step loop of a warp.
pub(crate) struct WarpRunResult {
    /// Number of steps that the step loop has executed.
    pub(crate) steps: u32,
    pub(crate) stop: StopReason,
    /// Lanes that arrived at a barrier in the last step.
    pub(crate) came: BarrierArrival,
}

/// Lanes that arrived at a barrier of the block or of the cluster.
#[derive(Clone, Copy, Default)]
pub(crate) struct BarrierArrival {
    /// Program counter of the arriving lanes.
    pub(crate) pc: u32,
    /// All lanes of the arriving group, including lanes that are predicated off.
    pub(crate) lanes: u32,
}

/// Instruction that a group of lanes executes, with the lanes of the group.
#[derive(Clone, Copy)]
pub(crate) struct IssuedInstruction<'c> {
    pub(crate) instr: &'c DecodedInstruction,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    /// Lanes of the group.
    pub(crate) lanes: u32,
    /// Lanes of the group that are not predicated off.
    pub(crate) executed: u32,
}

impl<'a> ExecutionContext<'a> {
    /// Returns the state outside of a warp on which the wait conditions of the warp depend.
    pub(crate) fn outside(&self) -> WaitContext<'_> {
        WaitContext {
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

    /// Returns the memories that the lanes of a warp can access, including the stacks of the warp.
    #[inline(always)]
    pub(crate) fn memories(&self, stack: &LaneStacks) -> AddressTranslator<'_> {
        AddressTranslator {
            global: self.global,
            map: self.map,
            shared_bytes: self.shared.len() as u64,
            stack_bytes: stack.lane_bytes as u64,
            stack_stride: stack.stride as u32,
            own_rank: self.peers.own_rank(),
            n_ranks: self.peers.n_ranks(),
        }
    }

    /// Returns the context of a memory access of a warp.
    #[inline(always)]
    pub(crate) fn reach<'r>(
        &'r mut self,
        stack: &'r mut LaneStacks,
        warp: u32,
        step: u64,
        pc: u32,
    ) -> MemoryContext<'r> {
        MemoryContext {
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

/// Continuation of the current group of lanes after an operation.
pub(crate) enum OpResult {
    /// The group continues with the next instruction.
    Next {
        stores: bool,
    },
    /// The group continues with the next instruction after the machine has handled `stop`.
    NextThen {
        stores: bool,
        stop: StopReason,
    },
    /// The operation has set the program counters of the lanes itself.
    Moved,
    Stops(StopReason),
}

/// Executes an operation that accesses memory. Returns the result of the operation, and whether it stored to memory.
pub(crate) fn with_memory_context<T>(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    choice: &IssuedInstruction<'_>,
    step: u64,
    run: impl FnOnce(&mut MemoryContext<'_>, &mut LaneRegisters<'_>) -> Result<T, Box<ExecutionFault>>,
) -> Result<(T, bool), Box<ExecutionFault>> {
    let code = around.code;
    let mut lanes = LaneRegisters {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(choice.depth),
        mask: choice.executed,
        carry: &mut warp.carry,
    };
    let mut reach = around.reach(&mut warp.stack, warp.index, step, choice.pc);
    let result = run(&mut reach, &mut lanes)?;
    Ok((result, reach.stored))
}

/// Returns the registers of the stack frame at a call depth, for the lanes of `mask`.
#[inline(always)]
pub(crate) fn lanes_at<'a>(
    code: &'a DecodedCode,
    warp: &'a mut Warp,
    depth: u32,
    mask: u32,
) -> LaneRegisters<'a> {
    LaneRegisters {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(depth),
        mask,
        carry: &mut warp.carry,
    }
}
