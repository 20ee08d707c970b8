//! Loads and stores of one step. An access to a single memory transfers whole rows if no observer receives the access.
//! All other accesses use [`MemoryContext`].

use crate::code::{AccessPlan, DecodedCode};
use crate::contract::fault::AccessKind;
use crate::contract::observer::{
    AccessAction, ContiguousAccess, EventMask, HalfWarpAccess, MemoryId, Observer, PerLaneAccess,
    WarpAccessSummary,
};
use crate::exec::context::ExecutionContext;
use crate::exec::memory::address_translation::{AccessMode, Backing, LanePattern, ResolvedAccess};
use crate::exec::memory::coalesced_access::{Prefetch, access_coalesced_words};
use crate::exec::memory::load::{load_lane_by_lane, load_rows};
use crate::exec::memory::partial_load::{load_used, may_be_partial};
use crate::exec::memory::request::{AccessRequest, ObserverDetail, paged};
use crate::exec::memory::store::{store_lane_by_lane, store_rows};
use crate::exec::memory_context::{ExecutionFault, MemoryContext, plan_of};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, ResultRows, Row64};
use crate::state::warp::LaneStacks;
use warpgrid_isa::StateSpace;

/// Scratch buffers of the step loop. The machine owns them, because their initialization takes as long as a step.
#[derive(Clone)]
pub(crate) struct ScratchBuffers {
    pub(crate) results: ResultRows,
    pub(crate) target: ResolvedAccess,
    /// Most recently accessed allocation of each access plan, indexed by the low bits of the plan number.
    hints: [u32; N_HINTS],
}

const N_HINTS: usize = 8;

impl ScratchBuffers {
    pub(crate) const EMPTY: ScratchBuffers = ScratchBuffers {
        results: ResultRows {
            r32: [0; LANES],
            r64: [0; LANES],
        },
        target: ResolvedAccess::UNKNOWN,
        hints: [0; N_HINTS],
    };
}

/// Executes a load or a store of the active lanes. Returns whether the access modified memory.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
pub(crate) fn access(
    around: &mut ExecutionContext<'_>,
    l: &mut LaneRegisters<'_>,
    stack: &mut LaneStacks,
    request: AccessRequest,
    rows: &mut ScratchBuffers,
    ask_for: impl Prefetch,
) -> Result<bool, Box<ExecutionFault>> {
    let code = around.code;
    let plan = plan_of(&code.accesses, request.plan, l.mask)?;
    let loads = request.loads;
    let hint = &mut rows.hints[request.plan.number() as usize % N_HINTS];
    let mut observer_detail = ObserverDetail::Off;
    if access_coalesced_words(
        around,
        l,
        plan,
        request,
        hint,
        &mut observer_detail,
        ask_for,
    )
    .is_some()
    {
        return Ok(!loads && stores(plan));
    }
    if observer_detail == ObserverDetail::Off {
        observer_detail = ObserverDetail::before(around.interest, plan, request);
    }
    let purpose = match loads {
        true => AccessMode::Read,
        false => AccessMode::Write,
    };
    let memories = around.memories(stack);
    let found = memories.resolve_fast(l, plan, purpose, hint, &mut rows.target);
    if found && observer_detail == ObserverDetail::Undecided {
        observer_detail = offer_target(around, l, plan, request, &rows.target);
    }
    if found && observer_detail.needs_no_events() {
        let backing = rows.target.backing();
        if loads {
            let bytes = match backing {
                Backing::Arena => around.global.arena.bytes(),
                Backing::Shared => around.shared.bytes(),
                Backing::Peer(rank) => around.peers.get(rank.into()).map_or(&[][..], |m| m.bytes()),
                Backing::Stack => &stack.bytes,
            };
            load_rows(bytes, l, plan, &rows.target, &mut rows.results);
            return Ok(false);
        }
        if plan.whole_registers
            && let Some(memory) = paged(around.global, around.shared, &mut around.peers, backing)
            && store_rows(memory, l, plan, &rows.target)
        {
            return Ok(stores(plan));
        }
    }
    let mut reach = around.reach(stack, request.warp, request.step, request.pc);
    if observer_detail == ObserverDetail::SummaryAccepted {
        reach.interest = EventMask::NONE;
    }
    if !found {
        let target = &mut rows.target;
        match find_closer(&mut reach, l, plan, target, request)? {
            SlowPathResult::Found => {}
            SlowPathResult::Loaded => return Ok(false),
        }
    }
    access_closer(&mut reach, l, plan, &rows.target, request)
}

/// Offers the observer the summary of an access to a single memory.
#[cold]
#[inline(never)]
fn offer_target(
    around: &mut ExecutionContext<'_>,
    l: &LaneRegisters<'_>,
    plan: &AccessPlan,
    request: AccessRequest,
    target: &ResolvedAccess,
) -> ObserverDetail {
    let (base, memory) = match target.backing() {
        Backing::Arena => (first_address(l, plan), MemoryId::Global),
        Backing::Shared => (
            0,
            MemoryId::Shared {
                block: around.block,
            },
        ),
        Backing::Peer(rank) => {
            let own = around.peers.own_rank();
            let block = around.shape.peer(around.block, own, rank.into());
            (0, MemoryId::Shared { block })
        }
        Backing::Stack => return ObserverDetail::Full,
    };
    if target.backing() == Backing::Arena && base < around.map.global {
        return ObserverDetail::Full;
    }
    let follows = matches!(target.place, LanePattern::Contiguous(Backing::Arena, _));
    let row = follows.then_some(base);
    let addresses = || addresses_of(target, plan, l.first(), base);
    around
        .offer(plan, request)
        .make(memory, row, l.mask, addresses)
}

/// Load or store whose summary the interpreter offers to an observer in place of an event with the transferred bytes.
pub(crate) struct AccessSummaryOffer<'a> {
    code: &'a DecodedCode,
    block: u64,
    observer: &'a mut dyn Observer,
    plan: &'a AccessPlan,
    request: AccessRequest,
}

impl ExecutionContext<'_> {
    pub(crate) fn offer<'o>(
        &'o mut self,
        plan: &'o AccessPlan,
        request: AccessRequest,
    ) -> AccessSummaryOffer<'o> {
        AccessSummaryOffer {
            code: self.code,
            block: self.block,
            observer: self.observer,
            plan,
            request,
        }
    }
}

impl AccessSummaryOffer<'_> {
    /// Offers a summary with the addresses of all lanes to the observer. `row` is the start address of an access to
    /// global memory if the addresses of all lanes are contiguous.
    fn make(
        &mut self,
        memory: MemoryId,
        row: Option<u64>,
        mask: u32,
        addresses: impl FnOnce() -> Row64,
    ) -> ObserverDetail {
        let Some(access) = self.access() else {
            return ObserverDetail::Full;
        };
        if self.is_content_with(access, row) {
            return ObserverDetail::SummaryAccepted;
        }
        self.ask(access, memory, mask, &addresses())
    }

    /// Offers a summary with a constant stride between lanes to the observer. `starts` contains the address of the
    /// first lane of each half-warp, and `step` is the stride.
    pub(crate) fn make_even(
        &mut self,
        memory: MemoryId,
        row: Option<u64>,
        starts: [u64; 2],
        step: u64,
    ) -> ObserverDetail {
        let Some(access) = self.access() else {
            return ObserverDetail::Full;
        };
        let even = HalfWarpAccess {
            access,
            memory,
            starts,
            step,
        };
        if self.is_content_with(access, row) || self.observer.even(&even) {
            return ObserverDetail::SummaryAccepted;
        }
        self.ask(access, memory, FULL, &even.addresses())
    }

    /// Returns the fields that are common to all kinds of access summaries, or `None` if the access has sinks.
    fn access(&self) -> Option<WarpAccessSummary> {
        let AccessSummaryOffer { plan, request, .. } = *self;
        if plan.written.count_ones() as usize != plan.elements.len() {
            return None;
        }
        let (function, instruction) = self.code.origin(request.pc);
        let action = match request.loads {
            true => AccessAction::Load,
            false => AccessAction::Store,
        };
        Some(WarpAccessSummary {
            step: request.step,
            block: self.block,
            warp: request.warp,
            function,
            instruction,
            action,
            sem: plan.metadata.sem,
            scope: plan.metadata.scope,
            lane_bytes: plan.width_bytes,
            element_bytes: plan.element_bytes,
            non_coherent: plan.metadata.cache.non_coherent,
        })
    }

    fn is_content_with(&mut self, access: WarpAccessSummary, row: Option<u64>) -> bool {
        row.is_some_and(|address| {
            self.plan.space == StateSpace::Global
                && !access.non_coherent
                && self.observer.row(&ContiguousAccess { access, address })
        })
    }

    fn ask(
        &mut self,
        access: WarpAccessSummary,
        memory: MemoryId,
        mask: u32,
        addresses: &Row64,
    ) -> ObserverDetail {
        let is_content = self.observer.lanes(&PerLaneAccess {
            access,
            memory,
            mask,
            addresses,
        });
        match is_content {
            true => ObserverDetail::SummaryAccepted,
            false => ObserverDetail::Full,
        }
    }
}

/// Returns the address of the first participating lane.
fn first_address(l: &LaneRegisters<'_>, plan: &AccessPlan) -> u64 {
    match plan.has_64_bit_base {
        true => l.r64(plan.base)[l.first()].wrapping_add(plan.offset as u64),
        false => u64::from(l.r32(plan.base)[l.first()].wrapping_add(plan.offset as u32)),
    }
}

/// Returns the address of each lane in the address space of the accessed memory. For global memory, the function
/// computes the addresses from `base`, the address of lane `first`.
fn addresses_of(target: &ResolvedAccess, plan: &AccessPlan, first: usize, base: u64) -> Row64 {
    let width = plan.width_bytes as usize;
    let own = match target.backing() {
        Backing::Shared | Backing::Peer(_) => 0,
        _ => base.wrapping_sub(target.of_lane(first, width).1 as u64),
    };
    match target.place {
        LanePattern::Contiguous(_, start) => {
            let mut addresses = [0; LANES];
            let mut address = own.wrapping_add(start as u64);
            for own in &mut addresses {
                *own = address;
                address = address.wrapping_add(width as u64);
            }
            addresses
        }
        LanePattern::Uniform(_, start) => [own.wrapping_add(start as u64); LANES],
        LanePattern::Each(_) | LanePattern::Mixed => {
            let mut addresses = [0; LANES];
            for (address, offset) in addresses.iter_mut().zip(&target.offsets) {
                *address = own.wrapping_add(u64::from(*offset));
            }
            addresses
        }
    }
}

/// Calls [`access`]. This function is never inlined, so that rare call sites do not duplicate the code of [`access`].
#[inline(never)]
pub(crate) fn access_outlined(
    around: &mut ExecutionContext<'_>,
    l: &mut LaneRegisters<'_>,
    stack: &mut LaneStacks,
    request: AccessRequest,
    rows: &mut ScratchBuffers,
) -> Result<bool, Box<ExecutionFault>> {
    access(around, l, stack, request, rows, |_| {})
}

/// Checks whether a store to the state space of the plan modifies memory that is visible to the host. Call parameters
/// are not visible.
pub(crate) fn stores(plan: &AccessPlan) -> bool {
    plan.space != StateSpace::ParamFunc
}

/// Result of the slow path of an access.
enum SlowPathResult {
    /// The slow path has resolved the addresses of all lanes.
    Found,
    /// Some elements are out of bounds, but are loaded to sinks. The other elements have been loaded.
    Loaded,
}

/// Slow path for the addresses of an access that spans several memories or faults.
#[inline(never)]
fn find_closer(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &mut ResolvedAccess,
    request: AccessRequest,
) -> Result<SlowPathResult, Box<ExecutionFault>> {
    let kind = if request.loads {
        AccessKind::Load
    } else {
        AccessKind::Store
    };
    match reach.find_closer(kind, l, plan, target) {
        Err(halt) if request.loads && may_be_partial(plan, &halt) => {
            load_used(reach, l, plan, target, halt)?;
            Ok(SlowPathResult::Loaded)
        }
        found => found.map(|()| SlowPathResult::Found),
    }
}

/// Executes accesses that span several memories, accesses with writer tracking, and accesses that an observer receives.
/// Returns whether the access modified memory.
#[inline(never)]
fn access_closer(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &ResolvedAccess,
    request: AccessRequest,
) -> Result<bool, Box<ExecutionFault>> {
    if request.loads {
        load_lane_by_lane(reach, l, plan, target);
        return Ok(false);
    }
    store_lane_by_lane(reach, l, plan, target);
    Ok(stores(plan))
}
