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
    /// Else it stores.
    pub(crate) loads: bool,
    pub(crate) warp: u32,
    pub(crate) step: u64,
    /// The instruction's place in the code.
    pub(crate) pc: u32,
}

/// Whether an observer is to hear of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ear {
    /// None is.
    Absent,
    /// One is, and was not asked yet whether the addresses are enough.
    Open,
    /// One has heard of it, and the addresses were enough.
    Content,
    /// One is to receive all that is moved.
    Insists,
}

impl Ear {
    /// Before anything was asked.
    pub(crate) const fn before(interest: Interest, space: StateSpace, loads: bool) -> Ear {
        let is_heard = if loads {
            interest.loads
        } else {
            interest.stores
        };
        match is_heard {
            true if interest.syncs && is_of_one_thread(space) => Ear::Absent,
            true if interest.syncs => Ear::Open,
            true => Ear::Insists,
            false => Ear::Absent,
        }
    }

    /// Whether bytes may move without being noted.
    pub(crate) const fn is_quiet(self) -> bool {
        matches!(self, Ear::Absent | Ear::Content)
    }
}

/// Memory that keeps track of its pages; the stacks do not.
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

/// Whether no other thread writes what is accessed, so that its order is of no interest.
const fn is_of_one_thread(space: StateSpace) -> bool {
    matches!(
        space,
        StateSpace::ParamEntry | StateSpace::ParamFunc | StateSpace::Local | StateSpace::Const
    )
}
