//! Addresses in the shared memory of a cluster (PTX ISA, "mapa", "getctarank"), and bulk stores of zeros (PTX ISA,
//! "st.bulk").

use crate::code::{AccessPlan, BulkFillPlan, RegisterOperand};
use crate::contract::fault::{AccessKind, FaultKind};
use crate::contract::observer::{AccessAction, ElementAccessHeader, MemoryId};
use crate::exec::memory::address_translation::{AccessMode, Backing};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{LaneRegisters, Row32, Row64, lanes_of};
use crate::state::memory::{AddressMap, AttemptedAccess};
use warpgrid_isa::ScalarType;

/// Maximum number of bytes of an event piece, for data that is not divided into elements.
pub(crate) const PIECE_BYTES: usize = 16;

/// Unit of the size operand of `st.bulk` in bytes.
const FILL_UNIT: u64 = 8;

/// `mapa`: maps a shared memory address to the same offset in the shared memory of the block with rank `b`. Addresses
/// are relative to `window`.
pub(crate) fn map_to_rank(
    map: &AddressMap,
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    a: RegisterOperand,
    b: &Row32,
    window: u64,
) {
    let mut row = read64(l, a);
    for (address, rank) in row.iter_mut().zip(b) {
        *address = map
            .map_to_rank(address.wrapping_sub(window), *rank)
            .wrapping_add(window);
    }
    write64(l, d, &row);
}

/// `getctarank`: returns the rank of the block whose shared memory contains an address. For an address in the shared
/// window of the executing block, the result is `own_rank`.
pub(crate) fn rank_of(
    map: &AddressMap,
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    a: RegisterOperand,
    own_rank: u32,
    window: u64,
) {
    let row: Row64 = read64(l, a).map(|address| {
        let place = map.shared_place(address.wrapping_sub(window));
        u64::from(place.rank.unwrap_or(own_rank))
    });
    write64(l, d, &row);
}

/// `st.bulk`: fills ranges of shared memory with zeros.
#[inline(never)]
pub(crate) fn fill(
    reach: &mut MemoryContext<'_>,
    l: &LaneRegisters<'_>,
    plan: &BulkFillPlan,
) -> ExecResult {
    let access = &plan.access;
    let sizes = read64(l, plan.size);
    let starts = addresses(l, access);
    let mut places = Vec::new();
    for lane in lanes_of(l.mask) {
        let size = sizes[lane];
        if !size.is_multiple_of(FILL_UNIT) {
            let kind = FaultKind::InvalidCopySize {
                bytes: size,
                multiple: FILL_UNIT as u32,
            };
            return Err(ExecutionFault::new(kind, 1 << lane));
        }
        if size == 0 {
            continue;
        }
        places.push(fill_place(reach, access, starts[lane], size, lane)?);
    }
    let listens = reach.interest.covers(AccessAction::Store);
    reach.events.clear();
    for (lane, start, size) in places {
        for at in (start..start + size).step_by(PIECE_BYTES) {
            let n = PIECE_BYTES.min(start + size - at);
            let zeros = [0; PIECE_BYTES];
            let zeros = zeros.get(..n).unwrap_or(&zeros);
            if listens {
                let old = reach.read_lane(Backing::Shared, at, n);
                let piece = ElementAccessHeader {
                    address_lane: lane as u8,
                    data_lane: lane as u8,
                    element: 0,
                    written: true,
                    ty: if n == PIECE_BYTES {
                        ScalarType::B128
                    } else {
                        ScalarType::B64
                    },
                    operand: None,
                    memory: MemoryId::Shared { block: reach.block },
                    address: at as u64,
                };
                reach
                    .events
                    .add(piece, zeros, old.get(..n).unwrap_or(zeros));
            }
            reach.write(Backing::Shared, at, lane, zeros);
        }
    }
    if listens {
        reach.report(AccessAction::Store, l.mask, access);
    }
    Ok(())
}

/// Returns the lane of a `st.bulk`, and the offset and the size of the range that it clears in the shared memory of the
/// block.
fn fill_place(
    reach: &MemoryContext<'_>,
    access: &AccessPlan,
    address: u64,
    size: u64,
    lane: usize,
) -> Result<(usize, usize, usize), Box<ExecutionFault>> {
    let memories = reach.memories();
    let found = memories.examine_range(access.space, address, FILL_UNIT, size, AccessMode::Write);
    let (kind, width) = match found {
        Ok((Backing::Shared, at)) => return Ok((lane, at as usize, size as usize)),
        Ok((Backing::Peer(_) | Backing::Arena | Backing::Stack, _)) => {
            (FaultKind::WrongSpace, size)
        }
        Err(FaultKind::Misaligned) => (FaultKind::Misaligned, FILL_UNIT),
        Err(kind) => (kind, size),
    };
    let tried = AttemptedAccess {
        kind: AccessKind::Store,
        space: access.space,
        address,
        width_bytes: width as u32,
    };
    Err(ExecutionFault::of_access(tried, kind, lane))
}
