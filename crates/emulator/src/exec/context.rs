//! The context of the instructions of a warp: the machine beyond the warp, the group of lanes that executes an instruction, and the outcome of a step.

use crate::code::plans::PlanId;
use crate::code::{BarrierPlan, Code, Instr};
use crate::contract::inspect::{Note, NoteKind};
use crate::contract::launch::Limits;
use crate::contract::observe::{EventBuffer, Interest, Observer};
use crate::contract::pending::PendingOrigin;
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::exec::reach::{Halt, Reach};
use crate::exec::waits::Outside;
use crate::semantics::registers::Lanes;
use crate::state::cluster::{ClusterBarrier, GridShape, Peers};
use crate::state::image::Image;
use crate::state::in_flight::Starter;
use crate::state::last_step::LastStep;
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::state::multicast::Multicast;
use crate::state::notes::add_once;
use crate::state::warp::{Stack, Warp};
use std::sync::Arc;

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
        plan: PlanId<BarrierPlan>,
        mask: u32,
    },
    /// Some lanes arrived at the barrier of the cluster; the step is not counted yet.
    ClusterArrive {
        mask: u32,
    },
    /// It gives way.
    Yield,
    /// A phase of an mbarrier of the cluster ended.
    PhaseEnded,
    /// Columns of tensor memory of the block were given back.
    ColumnsFreed,
    Fault(Box<Halt>),
}

/// What the steps of a warp can reach beyond the warp.
pub(crate) struct Surroundings<'a> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) limits: &'a Limits,
    /// Textures and surfaces.
    pub(crate) images: &'a [Image],
    /// Addresses that stand for several buffers.
    pub(crate) multicasts: &'a [Multicast],
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    /// Tensor memory of the block.
    pub(crate) tensor: &'a mut PagedBytes,
    /// Shared memory of the other blocks of the cluster.
    pub(crate) peers: Peers<'a>,
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) notes: &'a mut Arc<Vec<Note>>,
    /// For instructions whose effect comes later.
    pub(crate) starter: Starter<'a>,
    pub(crate) block: u64,
    /// Warps of the block.
    pub(crate) n_warps: u32,
    pub(crate) shape: &'a GridShape,
    /// The barrier of the cluster, and the number of the warp there.
    pub(crate) cluster_barrier: Option<(&'a ClusterBarrier, usize)>,
    /// Counts the steps that stored.
    pub(crate) stores: u64,
    /// Executed lane-instructions of this turn.
    pub(crate) lane_instructions: u64,
    /// Becomes the last of the steps. In place, since in wasm a copy of it is a call to the host.
    pub(crate) last_step: &'a mut Option<LastStep>,
}

impl Surroundings<'_> {
    /// Notes what lanes of a warp did, once for each instruction.
    pub(crate) fn note(&mut self, warp: u32, kind: NoteKind, step: u64) {
        let note = Note {
            step,
            block: self.block,
            warp,
            kind,
        };
        add_once(self.notes, note, self.limits.max_notes);
    }

    /// Reports what lanes of a warp did to the order of others.
    #[inline(always)]
    pub(crate) fn report_sync(&mut self, at: SyncAt, what: SyncKind<'_>) {
        if self.interest.syncs {
            self.send_sync(at, what);
        }
    }

    #[cold]
    #[inline(never)]
    fn send_sync(&mut self, at: SyncAt, what: SyncKind<'_>) {
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

    /// What an operation that a warp starts now comes from.
    pub(crate) fn origin(&self, warp: u32, pc: u32, step: u64) -> PendingOrigin {
        let (function, instruction) = self.code.origin(pc);
        PendingOrigin {
            step,
            block: self.block,
            warp,
            function,
            instruction,
        }
    }
}

/// Lanes of a warp that execute an instruction.
#[derive(Clone, Copy)]
pub(crate) struct SyncAt {
    pub(crate) warp: u32,
    /// Their place in the code.
    pub(crate) pc: u32,
    pub(crate) lanes: u32,
    pub(crate) step: u64,
}

impl SyncAt {
    pub(crate) fn of(warp: &Warp, choice: &Choice<'_>, step: u64) -> SyncAt {
        SyncAt {
            warp: warp.index,
            pc: choice.pc,
            lanes: choice.executed,
            step,
        }
    }
}

/// What became of the steps of a warp.
pub(crate) struct Run {
    /// Steps that were executed.
    pub(crate) steps: u32,
    pub(crate) stop: Stop,
    /// Who came to a barrier.
    pub(crate) came: Came,
}

/// Lanes that came to a barrier of the block or of the cluster.
#[derive(Clone, Copy, Default)]
pub(crate) struct Came {
    /// Their place in the code.
    pub(crate) pc: u32,
    /// Those whose guard holds, and those whose guard does not.
    pub(crate) lanes: u32,
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

impl<'a> Surroundings<'a> {
    /// What the waits of a warp look at.
    pub(crate) fn outside(&self) -> Outside<'_> {
        Outside {
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

    /// What an access of a warp with this stack can reach.
    #[inline(always)]
    pub(crate) fn reach<'r>(
        &'r mut self,
        stack: &'r mut Stack,
        warp: u32,
        step: u64,
        pc: u32,
    ) -> Reach<'r> {
        Reach {
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

/// What becomes of the running group.
pub(crate) enum After {
    /// It goes on with the next instruction.
    Next {
        stores: bool,
    },
    /// It goes on with the next instruction, after something else was looked at.
    NextThen {
        stores: bool,
        stop: Stop,
    },
    /// It has been sent elsewhere.
    Moved,
    Stops(Stop),
}

/// Runs an operation that reaches memory, in the lanes that take part; its result, and whether it stored.
pub(crate) fn reaching<T>(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    choice: &Choice<'_>,
    step: u64,
    run: impl FnOnce(&mut Reach<'_>, &mut Lanes<'_>) -> Result<T, Box<Halt>>,
) -> Result<(T, bool), Box<Halt>> {
    let code = around.code;
    let mut lanes = Lanes {
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

/// The registers of a frame of a warp.
#[inline(always)]
pub(crate) fn lanes_at<'a>(code: &'a Code, warp: &'a mut Warp, depth: u32, mask: u32) -> Lanes<'a> {
    Lanes {
        banks: &mut warp.banks,
        constants: &code.constants,
        specials: &warp.specials,
        base: code.base(depth),
        mask,
        carry: &mut warp.carry,
    }
}
