//! The memory that addresses of a snippet are used for. In: what one instruction does at an address; out: what all of them need.

use warpgrid_isa::{ScalarType, StateSpace};

/// The memory that an address is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: StateSpace,
    /// That each lane accesses; 0 for one place for all.
    pub(crate) bytes: u32,
    /// The smallest and the largest constant added to the address, none counting as 0.
    pub(crate) offsets: (i64, i64),
    /// Whether a store goes there.
    pub(crate) is_stored: bool,
    /// As what it is read, where it is.
    pub(crate) loaded: Option<ScalarType>,
    /// What the text does with an mbarrier object there.
    pub(crate) barrier: Option<BarrierUse>,
    /// The object of the launch that it leads to, for people: "a tensor map".
    pub(crate) object: Option<&'static str>,
}

/// What a snippet does with an mbarrier object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BarrierUse {
    /// Whether the text initialises it.
    pub(crate) is_made: bool,
    /// Arrivals of each lane.
    pub(crate) arrivals: u32,
    /// Whether the text says how many bytes are to come.
    pub(crate) expects: bool,
    /// Bytes of each lane that asynchronous operations complete.
    pub(crate) bytes: u32,
}

impl BarrierUse {
    pub(crate) fn join(self, other: BarrierUse) -> BarrierUse {
        BarrierUse {
            is_made: self.is_made || other.is_made,
            arrivals: self.arrivals.saturating_add(other.arrivals),
            expects: self.expects || other.expects,
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// The memory that a space is part of: addresses of one memory may be one register.
pub(crate) const fn memory_of(space: StateSpace) -> StateSpace {
    match space {
        StateSpace::SharedCluster => StateSpace::Shared,
        StateSpace::Generic => StateSpace::Global,
        StateSpace::ParamEntry => StateSpace::ParamFunc,
        space => space,
    }
}

impl Place {
    pub(crate) fn join(self, other: Place) -> Place {
        Place {
            barrier: match (self.barrier, other.barrier) {
                (Some(one), Some(other)) => Some(one.join(other)),
                (one, other) => one.or(other),
            },
            space: self.space,
            bytes: self.bytes.max(other.bytes),
            offsets: (
                self.offsets.0.min(other.offsets.0),
                self.offsets.1.max(other.offsets.1),
            ),
            is_stored: self.is_stored || other.is_stored,
            loaded: self.loaded.or(other.loaded),
            object: self.object.or(other.object),
        }
    }
}
