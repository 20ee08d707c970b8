//! Context of the memory accesses of one instruction, and the fault that an instruction returns.

use crate::code::DecodedCode;
use crate::code::plan_table::{PlanId, PlanTable};
use crate::contract::fault::FaultKind;
use crate::contract::observer::{EventBuffer, EventMask, Observer};
use crate::state::cluster::{ClusterSharedMemory, GridShape};
use crate::state::image::Image;
use crate::state::memory::{AddressMap, AttemptedAccess, GlobalMemory, PagedMemory};
use crate::state::multicast::Multicast;
use crate::state::warp::LaneStacks;

/// Context of the memory accesses of one instruction of a warp: the memories, the observer, and the origin of the
/// access.
pub(crate) struct MemoryContext<'a> {
    pub(crate) code: &'a DecodedCode,
    pub(crate) map: &'a AddressMap,
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedMemory,
    /// Shared memory of the other blocks in the cluster.
    pub(crate) peers: ClusterSharedMemory<'a>,
    pub(crate) stack: &'a mut LaneStacks,
    /// Textures and surfaces of the launch.
    pub(crate) images: &'a [Image],
    /// Multicast addresses of the launch, each of which denotes several buffers.
    pub(crate) multicasts: &'a [Multicast],
    pub(crate) interest: EventMask,
    pub(crate) observer: &'a mut dyn Observer,
    /// Buffer in which events are built. The machine owns the buffer, so that a step does not allocate memory.
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) step: u64,
    pub(crate) block: u64,
    pub(crate) shape: &'a GridShape,
    pub(crate) warp: u32,
    pub(crate) pc: u32,
    /// Whether the instruction modified memory that is visible to the host.
    pub(crate) stored: bool,
}

/// Fault of an instruction: its kind, the faulting lanes, and the failed access. The caller adds the location and the
/// agent.
#[derive(Clone, Debug)]
pub(crate) struct ExecutionFault {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
    pub(crate) access: Option<AttemptedAccess>,
}

impl ExecutionFault {
    pub(crate) fn new(kind: FaultKind, lanes: u32) -> Box<ExecutionFault> {
        Box::new(ExecutionFault {
            kind,
            lanes,
            access: None,
        })
    }

    /// Creates the fault of one lane with the access that the lane attempted.
    pub(crate) fn of_access(
        access: AttemptedAccess,
        kind: FaultKind,
        lane: usize,
    ) -> Box<ExecutionFault> {
        Box::new(ExecutionFault {
            kind,
            lanes: 1 << lane,
            access: Some(access),
        })
    }

    /// Creates a fault for a state that should be impossible after decoding.
    #[cold]
    pub(crate) fn internal(what: &str, lanes: u32) -> Box<ExecutionFault> {
        let what = what.to_owned();
        ExecutionFault::new(FaultKind::Internal { what }, lanes)
    }
}

/// Returns the plan with the details of an operation. Returns a fault of `lanes` if the plan is missing.
pub(crate) fn plan_of<P>(
    plans: &PlanTable<P>,
    id: PlanId<P>,
    lanes: u32,
) -> Result<&P, Box<ExecutionFault>> {
    let missing = || ExecutionFault::internal("no execution plan for an operation", lanes);
    plans.get(id).ok_or_else(missing)
}

pub(crate) type ExecResult = Result<(), Box<ExecutionFault>>;
