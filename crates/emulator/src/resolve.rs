//! From addresses to bytes: which memory each lane means, and whether it may have it.

use crate::fault::FaultKind;
use crate::memory::{AddressMap, Allocation, GlobalMemory, Owner};
use crate::registers::{LANES, lanes_of};
use warpgrid_isa::StateSpace;

/// Which bytes an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    Arena,
    Shared,
    Stack,
}

/// Where the lanes' bytes start, all in one backing. Inactive lanes repeat an active one.
pub(crate) struct Resolved {
    pub(crate) backing: Backing,
    pub(crate) offsets: [u32; LANES],
    pub(crate) shape: AccessShape,
}

/// What is known of the offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessShape {
    /// Lane after lane without gaps.
    Contiguous,
    /// All the same.
    Uniform,
    Any,
}

/// Lanes that may not.
pub(crate) struct Denied {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
}

/// What an access wants.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) space: StateSpace,
    pub(crate) addresses: &'a [u64; LANES],
    pub(crate) mask: u32,
    pub(crate) width: u32,
    pub(crate) writes: bool,
}

/// Sizes that addresses are checked against.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) shared: u64,
    pub(crate) stack: u64,
}

/// The shape of 32 addresses that all count.
#[inline(always)]
fn shape_of(addresses: &[u64; LANES], width: u64) -> AccessShape {
    let first = addresses[0];
    if addresses[31].wrapping_sub(first) == 31 * width {
        let mut differ = 0;
        for (lane, address) in addresses.iter().enumerate() {
            differ |= address ^ first.wrapping_add(lane as u64 * width);
        }
        if differ == 0 {
            return AccessShape::Contiguous;
        }
    } else if addresses[31] == first {
        let differ = addresses.iter().fold(0, |d, address| d | address ^ first);
        if differ == 0 {
            return AccessShape::Uniform;
        }
    }
    AccessShape::Any
}

/// Finds the bytes of all active lanes, or says which lanes may not and why. When lanes of a
/// generic access lie in different memories the answer is [`Mixed`].
#[inline(always)]
pub(crate) fn resolve(
    memory: &GlobalMemory,
    map: &AddressMap,
    bounds: Bounds,
    request: &Request<'_>,
) -> Result<Resolved, Refusal> {
    let first = request.addresses[(request.mask.trailing_zeros() & 31) as usize];
    let (backing, start, size, at) = match request.space {
        StateSpace::Shared | StateSpace::SharedCluster => (Backing::Shared, 0, bounds.shared, 0),
        StateSpace::Local | StateSpace::ParamFunc => (Backing::Stack, 0, bounds.stack, 0),
        StateSpace::Generic if map.in_shared(first) => {
            (Backing::Shared, map.shared, bounds.shared, 0)
        }
        StateSpace::Generic if map.in_local(first) => (Backing::Stack, map.local, bounds.stack, 0),
        _ => {
            let allocation = memory
                .find(first)
                .filter(|a| space_allows(request.space, a) && !(request.writes && a.read_only()));
            match allocation {
                Some(a) => (Backing::Arena, a.address, a.size, a.start as u64),
                None => return Err(Refusal::LookCloser),
            }
        }
    };
    let width = u64::from(request.width);
    if size < width {
        return Err(Refusal::LookCloser);
    }
    let limit = size - width;
    let shape = shape_of(request.addresses, width);
    let mut offsets = [0u32; LANES];
    let bad = match shape {
        AccessShape::Uniform => {
            let offset = first.wrapping_sub(start);
            offsets = [offset.wrapping_add(at) as u32; LANES];
            (offset > limit) as u64 | first & (width - 1)
        }
        AccessShape::Contiguous => {
            let offset = first.wrapping_sub(start);
            let base = offset.wrapping_add(at) as u32;
            for (lane, o) in offsets.iter_mut().enumerate() {
                *o = base.wrapping_add(lane as u32 * request.width);
            }
            let last = 31 * width;
            u64::from(offset > limit || limit - offset < last) | first & (width - 1)
        }
        AccessShape::Any => {
            let mut outside = 0u64;
            let mut low = 0u64;
            for (o, address) in offsets.iter_mut().zip(request.addresses) {
                let offset = address.wrapping_sub(start);
                // The top bit is set for offsets beyond the limit, also for those before the start.
                outside |= offset | limit.wrapping_sub(offset);
                low |= address;
                *o = offset.wrapping_add(at) as u32;
            }
            outside >> 63 | low & (width - 1)
        }
    };
    if bad != 0 || !width.is_power_of_two() {
        return Err(Refusal::LookCloser);
    }
    Ok(Resolved {
        backing,
        offsets,
        shape,
    })
}

/// Why the quick way did not work.
pub(crate) enum Refusal {
    /// Lanes in several memories, or a fault: see [`examine`].
    LookCloser,
}

/// Whether an access that names a space may touch an allocation.
fn space_allows(space: StateSpace, allocation: &Allocation) -> bool {
    match space {
        StateSpace::Global => matches!(
            allocation.owner,
            Owner::Buffer(..) | Owner::GlobalVariable(..)
        ),
        StateSpace::Const => matches!(allocation.owner, Owner::ConstVariable(..)),
        StateSpace::ParamEntry => matches!(allocation.owner, Owner::Parameters),
        _ => true,
    }
}

/// Where each lane's bytes are.
pub(crate) struct Mixed {
    pub(crate) backings: [Backing; LANES],
    pub(crate) offsets: [u32; LANES],
}

/// Looks at each lane of its own: for accesses across memories, and to name the faulting lanes.
#[cold]
#[inline(never)]
pub(crate) fn examine(
    memory: &GlobalMemory,
    map: &AddressMap,
    bounds: Bounds,
    request: &Request<'_>,
) -> Result<Mixed, Denied> {
    let mut mixed = Mixed {
        backings: [Backing::Arena; LANES],
        offsets: [0; LANES],
    };
    let mut denied: Option<Denied> = None;
    for lane in lanes_of(request.mask) {
        let address = request.addresses[lane];
        match examine_one(memory, map, bounds, request, address) {
            Ok((backing, offset)) => {
                mixed.backings[lane] = backing;
                mixed.offsets[lane] = offset;
            }
            Err(kind) => match &mut denied {
                None => {
                    denied = Some(Denied {
                        kind,
                        lanes: 1 << lane,
                    });
                }
                Some(denied) => denied.lanes |= 1 << lane,
            },
        }
    }
    match denied {
        None => Ok(mixed),
        Some(denied) => Err(denied),
    }
}

fn examine_one(
    memory: &GlobalMemory,
    map: &AddressMap,
    bounds: Bounds,
    request: &Request<'_>,
    address: u64,
) -> Result<(Backing, u32), FaultKind> {
    let width = u64::from(request.width);
    if !address.is_multiple_of(width.next_power_of_two().max(1)) {
        return Err(FaultKind::Misaligned);
    }
    let window = |backing, offset: u64, size: u64| {
        if offset <= size && size - offset >= width {
            Ok((backing, offset as u32))
        } else {
            Err(FaultKind::OutOfBounds)
        }
    };
    match request.space {
        StateSpace::Shared | StateSpace::SharedCluster => {
            window(Backing::Shared, address, bounds.shared)
        }
        StateSpace::Local | StateSpace::ParamFunc => window(Backing::Stack, address, bounds.stack),
        StateSpace::Generic if map.in_shared(address) => {
            window(Backing::Shared, address - map.shared, bounds.shared)
        }
        StateSpace::Generic if map.in_local(address) => {
            window(Backing::Stack, address - map.local, bounds.stack)
        }
        space => {
            let allocation = memory.find(address).ok_or(FaultKind::OutOfBounds)?;
            if !space_allows(space, allocation) {
                return Err(FaultKind::WrongSpace);
            }
            if !allocation.holds(address, width) {
                return Err(FaultKind::OutOfBounds);
            }
            if request.writes && allocation.read_only() {
                return Err(FaultKind::ReadOnly);
            }
            let offset = address - allocation.address + allocation.start as u64;
            Ok((Backing::Arena, offset as u32))
        }
    }
}
