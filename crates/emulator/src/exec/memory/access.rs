//! Loads and stores of one step. Accesses in one memory without an observer transfer whole rows. All other accesses use
//! [`Reach`].

use crate::code::{AccessPlan, Code};
use crate::contract::fault::AccessKind;
use crate::contract::observe::{
    AccessAction, EvenAccess, Interest, LanesAccess, MemoryId, Observer, RowAccess, WarpAccess,
};
use crate::exec::context::Surroundings;
use crate::exec::memory::even::{AskFor, access_words};
use crate::exec::memory::load::{load_lane_by_lane, load_rows};
use crate::exec::memory::partial_load::{load_used, may_be_partial};
use crate::exec::memory::request::{Ear, Request, paged};
use crate::exec::memory::resolve::{Backing, Place, Purpose, Target};
use crate::exec::memory::store::{store_lane_by_lane, store_rows};
use crate::exec::reach::{Halt, Reach, plan_of};
use crate::semantics::registers::{FULL, LANES, Lanes, Results, Row64};
use crate::state::warp::Stack;
use warpgrid_isa::StateSpace;

/// Scratch space for steps. Owned by the machine, because its initialization takes as long as a step.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) results: Results,
    pub(crate) target: Target,
    /// Most recently accessed allocation of each access, indexed by the low bits of its plan.
    hints: [u32; N_HINTS],
}

const N_HINTS: usize = 8;

impl Rows {
    pub(crate) const EMPTY: Rows = Rows {
        results: Results {
            r32: [0; LANES],
            r64: [0; LANES],
        },
        target: Target::UNKNOWN,
        hints: [0; N_HINTS],
    };
}

/// Executes a load or a store of the lanes in `l`. Returns whether it modified memory.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
pub(crate) fn access(
    around: &mut Surroundings<'_>,
    l: &mut Lanes<'_>,
    stack: &mut Stack,
    request: Request,
    rows: &mut Rows,
    ask_for: impl AskFor,
) -> Result<bool, Box<Halt>> {
    let code = around.code;
    let plan = plan_of(&code.accesses, request.plan, l.mask)?;
    let loads = request.loads;
    let hint = &mut rows.hints[request.plan.number() as usize % N_HINTS];
    let mut ear = Ear::Absent;
    if access_words(around, l, plan, request, hint, &mut ear, ask_for).is_some() {
        return Ok(!loads && stores(plan));
    }
    if ear == Ear::Absent {
        ear = Ear::before(around.interest, plan, request);
    }
    let purpose = match loads {
        true => Purpose::Read,
        false => Purpose::Write,
    };
    let memories = around.memories(stack);
    let found = memories.quick(l, plan, purpose, hint, &mut rows.target);
    if found && ear == Ear::Open {
        ear = offer_target(around, l, plan, request, &rows.target);
    }
    if found && ear.is_quiet() {
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
    if ear == Ear::Content {
        reach.interest = Interest::NONE;
    }
    if !found {
        let target = &mut rows.target;
        match find_closer(&mut reach, l, plan, target, request)? {
            Closer::Found => {}
            Closer::Loaded => return Ok(false),
        }
    }
    access_closer(&mut reach, l, plan, &rows.target, request)
}

/// Offers the summary of an access in a single memory to an observer.
#[cold]
#[inline(never)]
fn offer_target(
    around: &mut Surroundings<'_>,
    l: &Lanes<'_>,
    plan: &AccessPlan,
    request: Request,
    target: &Target,
) -> Ear {
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
        Backing::Stack => return Ear::Insists,
    };
    if target.backing() == Backing::Arena && base < around.map.global {
        return Ear::Insists;
    }
    let follows = matches!(target.place, Place::Contiguous(Backing::Arena, _));
    let row = follows.then_some(base);
    let addresses = || addresses_of(target, plan, l.first(), base);
    around
        .offer(plan, request)
        .make(memory, row, l.mask, addresses)
}

/// A load or a store whose summary an observer may accept.
pub(crate) struct Offer<'a> {
    code: &'a Code,
    block: u64,
    observer: &'a mut dyn Observer,
    plan: &'a AccessPlan,
    request: Request,
}

impl Surroundings<'_> {
    pub(crate) fn offer<'o>(&'o mut self, plan: &'o AccessPlan, request: Request) -> Offer<'o> {
        Offer {
            code: self.code,
            block: self.block,
            observer: self.observer,
            plan,
            request,
        }
    }
}

impl Offer<'_> {
    /// Offers a summary to the observer. `row` is the start address if the access is in global memory and the addresses
    /// of all lanes are contiguous.
    fn make(
        &mut self,
        memory: MemoryId,
        row: Option<u64>,
        mask: u32,
        addresses: impl FnOnce() -> Row64,
    ) -> Ear {
        let Some(access) = self.access() else {
            return Ear::Insists;
        };
        if self.is_content_with(access, row) {
            return Ear::Content;
        }
        self.ask(access, memory, mask, &addresses())
    }

    /// Offers a strided summary of all lanes to the observer. `starts` contains the address of the first lane of each
    /// half-warp, and `step` is the stride between lanes.
    pub(crate) fn make_even(
        &mut self,
        memory: MemoryId,
        row: Option<u64>,
        starts: [u64; 2],
        step: u64,
    ) -> Ear {
        let Some(access) = self.access() else {
            return Ear::Insists;
        };
        let even = EvenAccess {
            access,
            memory,
            starts,
            step,
        };
        if self.is_content_with(access, row) || self.observer.even(&even) {
            return Ear::Content;
        }
        self.ask(access, memory, FULL, &even.addresses())
    }

    /// Returns the common fields of the summary, or `None` if some elements are sinks.
    fn access(&self) -> Option<WarpAccess> {
        let Offer { plan, request, .. } = *self;
        if plan.written.count_ones() as usize != plan.elements.len() {
            return None;
        }
        let (function, instruction) = self.code.origin(request.pc);
        let action = match request.loads {
            true => AccessAction::Load,
            false => AccessAction::Store,
        };
        Some(WarpAccess {
            step: request.step,
            block: self.block,
            warp: request.warp,
            function,
            instruction,
            action,
            sem: plan.noted.sem,
            scope: plan.noted.scope,
            lane_bytes: plan.width_bytes,
            element_bytes: plan.element_bytes,
            non_coherent: plan.noted.cache.non_coherent,
        })
    }

    fn is_content_with(&mut self, access: WarpAccess, row: Option<u64>) -> bool {
        row.is_some_and(|address| {
            self.plan.space == StateSpace::Global
                && !access.non_coherent
                && self.observer.row(&RowAccess { access, address })
        })
    }

    fn ask(&mut self, access: WarpAccess, memory: MemoryId, mask: u32, addresses: &Row64) -> Ear {
        let is_content = self.observer.lanes(&LanesAccess {
            access,
            memory,
            mask,
            addresses,
        });
        match is_content {
            true => Ear::Content,
            false => Ear::Insists,
        }
    }
}

/// Returns the address of the first participating lane.
fn first_address(l: &Lanes<'_>, plan: &AccessPlan) -> u64 {
    match plan.wide {
        true => l.r64(plan.base)[l.first()].wrapping_add(plan.offset as u64),
        false => u64::from(l.r32(plan.base)[l.first()].wrapping_add(plan.offset as u32)),
    }
}

/// Returns the address of each lane in the address space of its memory. Global addresses are relative to `base`, the
/// address of lane `first`.
fn addresses_of(target: &Target, plan: &AccessPlan, first: usize, base: u64) -> Row64 {
    let width = plan.width_bytes as usize;
    let own = match target.backing() {
        Backing::Shared | Backing::Peer(_) => 0,
        _ => base.wrapping_sub(target.of_lane(first, width).1 as u64),
    };
    match target.place {
        Place::Contiguous(_, start) => {
            let mut addresses = [0; LANES];
            let mut address = own.wrapping_add(start as u64);
            for own in &mut addresses {
                *own = address;
                address = address.wrapping_add(width as u64);
            }
            addresses
        }
        Place::Uniform(_, start) => [own.wrapping_add(start as u64); LANES],
        Place::Each(_) | Place::Mixed => {
            let mut addresses = [0; LANES];
            for (address, offset) in addresses.iter_mut().zip(&target.offsets) {
                *address = own.wrapping_add(u64::from(*offset));
            }
            addresses
        }
    }
}

/// Like [`access`], but never inlined.
#[inline(never)]
pub(crate) fn access_apart(
    around: &mut Surroundings<'_>,
    l: &mut Lanes<'_>,
    stack: &mut Stack,
    request: Request,
    rows: &mut Rows,
) -> Result<bool, Box<Halt>> {
    access(around, l, stack, request, rows, |_| {})
}

/// Checks whether a store to the state space of the plan modifies memory that is visible to hosts. Call parameters are
/// not visible.
pub(crate) fn stores(plan: &AccessPlan) -> bool {
    plan.space != StateSpace::ParamFunc
}

/// Result of the slow path of an access.
enum Closer {
    /// The addresses of all lanes were resolved.
    Found,
    /// Some elements are out of bounds, but are sinks. The other elements have been loaded.
    Loaded,
}

/// Resolves the addresses of an access across several memories, or of an access that faults.
#[inline(never)]
fn find_closer(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    target: &mut Target,
    request: Request,
) -> Result<Closer, Box<Halt>> {
    let kind = if request.loads {
        AccessKind::Load
    } else {
        AccessKind::Store
    };
    match reach.find_closer(kind, l, plan, target) {
        Err(halt) if request.loads && may_be_partial(plan, &halt) => {
            load_used(reach, l, plan, target, halt)?;
            Ok(Closer::Loaded)
        }
        found => found.map(|()| Closer::Found),
    }
}

/// Executes accesses across several memories, accesses with tracked writers, and accesses that an observer receives.
/// Returns whether the access modified memory.
#[inline(never)]
fn access_closer(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    target: &Target,
    request: Request,
) -> Result<bool, Box<Halt>> {
    if request.loads {
        load_lane_by_lane(reach, l, plan, target);
        return Ok(false);
    }
    store_lane_by_lane(reach, l, plan, target);
    Ok(stores(plan))
}
