//! Memory to which the inferred addresses of a snippet refer, with the combined requirements of all instructions that use an address.

use warpgrid_isa::{ScalarType, StateSpace};

/// Requirements for the memory to which an inferred address refers, from which the snippet prologue declares a buffer or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    pub(crate) space: StateSpace,
    /// Number of bytes that each lane accesses, or 0 if all lanes share one location.
    pub(crate) bytes: u32,
    /// Minimum and maximum of the offsets that instructions add to the address. An address without an offset has the offset 0.
    pub(crate) offsets: (i64, i64),
    /// Whether an instruction stores to this memory.
    pub(crate) is_stored: bool,
    /// Element type of the loads from this memory, or `None` if the snippet contains no load from it.
    pub(crate) loaded: Option<ScalarType>,
    /// Operations of the snippet on an mbarrier object in this memory.
    pub(crate) barrier: Option<BarrierUse>,
    /// Description of the launch object to which the address refers, such as "a tensor map". The field is `None` if the address refers to
    /// memory.
    pub(crate) object: Option<&'static str>,
}

/// Operations of a snippet on an mbarrier object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BarrierUse {
    /// Whether the snippet initializes the mbarrier object.
    pub(crate) is_made: bool,
    /// Number of arrivals that each lane performs.
    pub(crate) arrivals: u32,
    /// Whether the snippet specifies the expected number of bytes, with an operation such as `mbarrier.arrive.expect_tx`.
    pub(crate) expects: bool,
    /// Number of bytes per lane that asynchronous operations complete.
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

/// Returns the state space that represents the memory of a state space. A register may contain addresses in all state spaces of the same
/// memory.
pub(crate) const fn memory_of(space: StateSpace) -> StateSpace {
    match space {
        StateSpace::SharedCluster => StateSpace::Shared,
        StateSpace::Generic => StateSpace::Global,
        StateSpace::ParamEntry => StateSpace::ParamFunc,
        space => space,
    }
}

impl MemoryUse {
    pub(crate) fn join(self, other: MemoryUse) -> MemoryUse {
        MemoryUse {
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
