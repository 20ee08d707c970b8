//! Context of the memory accesses of one instruction, and the result of its execution.

use crate::code::Code;
use crate::code::plans::{PlanId, Plans};
use crate::contract::fault::FaultKind;
use crate::contract::observe::{EventBuffer, Interest, Observer};
use crate::state::cluster::{GridShape, Peers};
use crate::state::image::Image;
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes, TriedAccess};
use crate::state::multicast::Multicast;
use crate::state::warp::Stack;

/// Context of the memory accesses of one instruction of a warp.
pub(crate) struct Reach<'a> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    /// Shared memory of the other blocks of the cluster.
    pub(crate) peers: Peers<'a>,
    pub(crate) stack: &'a mut Stack,
    /// Textures and surfaces.
    pub(crate) images: &'a [Image],
    /// Multicast addresses, which denote several buffers.
    pub(crate) multicasts: &'a [Multicast],
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    /// Event builder. Owned by the machine, so that a step does not allocate memory.
    pub(crate) events: &'a mut EventBuffer,
    pub(crate) step: u64,
    pub(crate) block: u64,
    pub(crate) shape: &'a GridShape,
    pub(crate) warp: u32,
    pub(crate) pc: u32,
    /// Whether the instruction modified memory that is visible to hosts.
    pub(crate) stored: bool,
}

/// Reason why an instruction cannot be executed. The location and the agent are added later.
#[derive(Clone, Debug)]
pub(crate) struct Halt {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
    pub(crate) access: Option<TriedAccess>,
}

impl Halt {
    pub(crate) fn new(kind: FaultKind, lanes: u32) -> Box<Halt> {
        Box::new(Halt {
            kind,
            lanes,
            access: None,
        })
    }

    /// Returns a fault of one lane with the attempted access.
    pub(crate) fn of_access(access: TriedAccess, kind: FaultKind, lane: usize) -> Box<Halt> {
        Box::new(Halt {
            kind,
            lanes: 1 << lane,
            access: Some(access),
        })
    }

    /// Returns a fault for a state that the decoder should have prevented.
    #[cold]
    pub(crate) fn internal(what: &str, lanes: u32) -> Box<Halt> {
        let what = what.to_owned();
        Halt::new(FaultKind::Internal { what }, lanes)
    }
}

/// Returns the details of an operation. Faults for `lanes` if they are missing.
pub(crate) fn plan_of<P>(plans: &Plans<P>, id: PlanId<P>, lanes: u32) -> Result<&P, Box<Halt>> {
    let missing = || Halt::internal("no execution plan for an operation", lanes);
    plans.get(id).ok_or_else(missing)
}

pub(crate) type Executed = Result<(), Box<Halt>>;
