//! A memory access of a warp, and the observers that receive it.

use crate::code::AccessPlan;
use crate::code::plans::PlanId;
use crate::contract::observe::Interest;
use crate::exec::memory::resolve::Backing;
use crate::state::cluster::Peers;
use crate::state::memory::{GlobalMemory, PagedBytes};
use warpgrid_isa::StateSpace;

/// A load or a store of a step.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) plan: PlanId<AccessPlan>,
    /// Whether the access is a load; otherwise a store.
    pub(crate) loads: bool,
    pub(crate) warp: u32,
    pub(crate) step: u64,
    /// Program counter of the instruction.
    pub(crate) pc: u32,
}

/// Level of detail in which the observer receives an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ear {
    /// No observer receives the access.
    Absent,
    /// The observer receives the access. No summary has been offered to it yet.
    Open,
    /// The observer has accepted a summary.
    Content,
    /// The observer receives an event with the transferred bytes.
    Insists,
}

impl Ear {
    /// Returns the initial state of an access.
    pub(crate) const fn before(interest: Interest, plan: &AccessPlan, request: Request) -> Ear {
        let is_heard = if request.loads {
            interest.loads
        } else {
            interest.stores
        };
        match is_heard {
            true if interest.syncs && is_of_one_thread(plan.space) => Ear::Absent,
            true if interest.syncs => Ear::Open,
            true => Ear::Insists,
            false => Ear::Absent,
        }
    }

    /// Checks whether the bytes may be transferred without an event.
    pub(crate) const fn is_quiet(self) -> bool {
        matches!(self, Ear::Absent | Ear::Content)
    }
}

/// Returns the paged memory of an access; `None` for stacks, which have no pages.
#[inline(always)]
pub(crate) fn paged<'m>(
    global: &'m mut GlobalMemory,
    shared: &'m mut PagedBytes,
    peers: &'m mut Peers<'_>,
    backing: Backing,
) -> Option<&'m mut PagedBytes> {
    match backing {
        Backing::Arena => Some(&mut global.arena),
        Backing::Shared => Some(shared),
        Backing::Peer(rank) => peers.get_mut(rank.into()),
        Backing::Stack => None,
    }
}

/// Checks whether no other thread writes to a state space, so that accesses to it cannot race.
const fn is_of_one_thread(space: StateSpace) -> bool {
    matches!(
        space,
        StateSpace::ParamEntry | StateSpace::ParamFunc | StateSpace::Local | StateSpace::Const
    )
}
