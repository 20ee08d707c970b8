//! Memory access of a warp, and the level of detail in which observers receive it.

use crate::code::AccessPlan;
use crate::code::plan_table::PlanId;
use crate::contract::observer::EventMask;
use crate::exec::memory::address_translation::Backing;
use crate::state::cluster::ClusterSharedMemory;
use crate::state::memory::{GlobalMemory, PagedMemory};
use warpgrid_isa::StateSpace;

/// A load or a store that a warp executes in one step.
#[derive(Clone, Copy)]
pub(crate) struct AccessRequest {
    pub(crate) plan: PlanId<AccessPlan>,
    /// Whether the access is a load instead of a store.
    pub(crate) loads: bool,
    pub(crate) warp: u32,
    pub(crate) step: u64,
    /// Program counter of the instruction.
    pub(crate) pc: u32,
}

/// Level of detail in which the observer receives an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObserverDetail {
    /// No observer receives the access.
    Off,
    /// The observer receives the access. The interpreter has not offered a summary yet.
    Undecided,
    /// The observer has accepted a summary in place of an event.
    SummaryAccepted,
    /// The observer receives an event with the transferred bytes.
    Full,
}

impl ObserverDetail {
    /// Returns the level of detail of an access before its execution.
    pub(crate) const fn before(
        interest: EventMask,
        plan: &AccessPlan,
        request: AccessRequest,
    ) -> ObserverDetail {
        let is_heard = if request.loads {
            interest.loads
        } else {
            interest.stores
        };
        match is_heard {
            true if interest.syncs
                && !interest.private_accesses
                && is_of_one_thread(plan.space) =>
            {
                ObserverDetail::Off
            }
            true if interest.syncs => ObserverDetail::Undecided,
            true => ObserverDetail::Full,
            false => ObserverDetail::Off,
        }
    }

    /// Checks whether the access may transfer its bytes without producing an event.
    pub(crate) const fn needs_no_events(self) -> bool {
        matches!(self, ObserverDetail::Off | ObserverDetail::SummaryAccepted)
    }
}

/// Returns the paged memory that backs an access, or `None` for local memory, which has no pages.
#[inline(always)]
pub(crate) fn paged<'m>(
    global: &'m mut GlobalMemory,
    shared: &'m mut PagedMemory,
    peers: &'m mut ClusterSharedMemory<'_>,
    backing: Backing,
) -> Option<&'m mut PagedMemory> {
    match backing {
        Backing::Arena => Some(&mut global.arena),
        Backing::Shared => Some(shared),
        Backing::Peer(rank) => peers.get_mut(rank.into()),
        Backing::Stack => None,
    }
}

/// Checks whether accesses to a state space cannot race, because at most one thread writes to each of its bytes.
const fn is_of_one_thread(space: StateSpace) -> bool {
    matches!(
        space,
        StateSpace::ParamEntry | StateSpace::ParamFunc | StateSpace::Local | StateSpace::Const
    )
}
