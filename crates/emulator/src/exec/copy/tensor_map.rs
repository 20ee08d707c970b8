//! Modifications of tensor maps (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy"), fences for tensor maps
//! ("fence.proxy.tensormap"), and the corresponding synchronization events.

use crate::code::{AccessPlan, TensorMapPlan};
use crate::contract::fault::{AccessKind, FaultKind};
use crate::contract::sync_event::{SyncKind, TensorMapAccess, TensorMapAction};
use crate::contract::tensor_map::{TENSOR_MAP_BYTES, TensorMap};
use crate::exec::memory::address_translation::{AccessMode, Backing};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::read64;
use crate::semantics::registers::{LaneRegisters, Row64, lanes_of};
use crate::state::memory::AttemptedAccess;
use warpgrid_isa::{StateSpace, TensorMapField};

/// Reads and decodes the tensor map at a generic address.
pub(crate) fn tensor_map(
    reach: &MemoryContext<'_>,
    address: u64,
    lane: usize,
) -> Result<TensorMap, Box<ExecutionFault>> {
    let space = StateSpace::Generic;
    let (bytes, _, _) = map_bytes(reach, space, address, AccessMode::Read, lane)?;
    TensorMap::decode(&bytes).ok_or_else(|| {
        let reason = format!("the address 0x{address:x} contains no tensor map");
        ExecutionFault::new(FaultKind::TensorCopy { why: reason }, 1 << lane)
    })
}

/// Returns the bytes of a tensor map and its location.
fn map_bytes(
    reach: &MemoryContext<'_>,
    space: StateSpace,
    address: u64,
    purpose: AccessMode,
    lane: usize,
) -> Result<([u8; TENSOR_MAP_BYTES], Backing, usize), Box<ExecutionFault>> {
    let (alignment, n_bytes) = (64, TENSOR_MAP_BYTES as u64);
    let found = reach
        .memories()
        .examine_range(space, address, alignment, n_bytes, purpose);
    let kind = match found {
        Ok((backing, at)) => {
            let bytes = reach.bytes_of(backing).get(at as usize..);
            if let Some(bytes) = bytes.and_then(<[u8]>::first_chunk) {
                return Ok((*bytes, backing, at as usize));
            }
            FaultKind::OutOfBounds
        }
        Err(kind) => kind,
    };
    let access = AttemptedAccess {
        kind: AccessKind::Load,
        space,
        address,
        width_bytes: TENSOR_MAP_BYTES as u32,
    };
    Err(ExecutionFault::of_access(access, kind, lane))
}

/// Reports to the observer that copies will read the tensor maps at the given generic addresses.
pub(crate) fn report_use(reach: &mut MemoryContext<'_>, places: &Row64, lanes: u32) {
    report(
        reach,
        TensorMapAction::Use,
        StateSpace::Generic,
        places,
        lanes,
    );
}

/// Reports accesses of lanes to tensor maps. The report omits invalid addresses, because a read of an invalid address
/// faults, and a fence for an invalid address orders nothing.
fn report(
    reach: &mut MemoryContext<'_>,
    act: TensorMapAction,
    space: StateSpace,
    places: &Row64,
    lanes: u32,
) {
    if !reach.interest.syncs {
        return;
    }
    let touch = |lane: usize| {
        let (_, backing, at) =
            map_bytes(reach, space, places[lane], AccessMode::Read, lane).ok()?;
        let (memory, address) = reach.memory_of(backing, at, lane, places[lane]);
        Some(TensorMapAccess {
            lane: lane as u8,
            memory,
            address,
        })
    };
    let touched: Vec<TensorMapAccess> = lanes_of(lanes).filter_map(touch).collect();
    let touched = touched.as_slice();
    reach.report_sync(lanes, SyncKind::TensorMap { act, touched });
}

/// Executes a modification of tensor maps, or a fence for tensor maps.
#[inline(never)]
pub(crate) fn change_map(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &TensorMapPlan,
) -> ExecResult {
    match plan {
        TensorMapPlan::Replace {
            access,
            field,
            dimension,
            value,
        } => {
            let (places, values) = (addresses(l, access), read64(l, *value));
            for lane in lanes_of(l.mask) {
                let value = match value.bits {
                    64 => values[lane],
                    _ => values[lane] & 0xffff_ffff,
                };
                let change = FieldChange {
                    field: *field,
                    dimension: *dimension,
                    value,
                };
                replace(reach, access.space, places[lane], change, lane)?;
            }
            report(
                reach,
                TensorMapAction::Replace,
                access.space,
                &places,
                l.mask,
            );
        }
        // Copy the tensor map only once for the warp, because all lanes have the same operands.
        TensorMapPlan::Publish { to, from } => publish(reach, l, to, from)?,
        TensorMapPlan::Acquire { map } => {
            let places = addresses(l, map);
            report(reach, TensorMapAction::Acquire, map.space, &places, l.mask);
        }
    }
    Ok(())
}

/// Operands of `tensormap.replace` in one lane.
#[derive(Clone, Copy)]
struct FieldChange {
    field: TensorMapField,
    /// Index of the dimension for fields that have one value per dimension.
    dimension: usize,
    value: u64,
}

/// Replaces a field of the tensor map at an address.
fn replace(
    reach: &mut MemoryContext<'_>,
    space: StateSpace,
    address: u64,
    change: FieldChange,
    lane: usize,
) -> ExecResult {
    let FieldChange {
        field,
        dimension,
        value,
    } = change;
    let (bytes, backing, at) = map_bytes(reach, space, address, AccessMode::Write, lane)?;
    let replaced = TensorMap::decode(&bytes).and_then(|mut map| {
        let is_right = map.replace(field, dimension, value);
        is_right.then_some(map)
    });
    let Some(map) = replaced else {
        let reason = match TensorMap::decode(&bytes) {
            Some(_) => format!("invalid value {value} for `.{}`", field.name()),
            None => format!("the address 0x{address:x} contains no tensor map"),
        };
        return Err(ExecutionFault::new(
            FaultKind::TensorCopy { why: reason },
            1 << lane,
        ));
    };
    reach.write(backing, at, lane, &map.encode());
    Ok(())
}

/// Copies a tensor map from shared memory to global memory.
fn publish(
    reach: &mut MemoryContext<'_>,
    l: &LaneRegisters<'_>,
    to: &AccessPlan,
    from: &AccessPlan,
) -> ExecResult {
    let lane = l.first();
    let (targets, sources) = (addresses(l, to), addresses(l, from));
    let (bytes, _, _) = map_bytes(reach, from.space, sources[lane], AccessMode::Read, lane)?;
    let (_, backing, at) = map_bytes(reach, to.space, targets[lane], AccessMode::Write, lane)?;
    report(
        reach,
        TensorMapAction::Load,
        from.space,
        &sources,
        1 << lane,
    );
    reach.write(backing, at, lane, &bytes);
    report(
        reach,
        TensorMapAction::CopyFenceProxy,
        to.space,
        &targets,
        1 << lane,
    );
    Ok(())
}
