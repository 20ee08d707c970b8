//! Accesses to multicast addresses, which denote the memory of several devices (PTX ISA, "multimem"). Observers receive
//! an access as one event with the memory pieces of all devices.

use crate::code::MAX_WIDTH;
use crate::code::{AccessPlan, MultimemAction, MultimemPlan};
use crate::contract::fault::AccessKind;
use crate::contract::observer::AccessAction;
use crate::exec::memory::access_events::{LaneAccessRecord, add_pieces};
use crate::exec::memory::address_translation::ResolvedAccess;
use crate::exec::memory::atomic::combine;
use crate::exec::memory::load::{LaneBytes, addresses, set_elements};
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::read128;
use crate::semantics::registers::{LANES, LaneRegisters, Row64, Row128, lanes_of};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use crate::semantics::softfloat;
use crate::semantics::softfloat::parts_of;
use crate::state::multicast::members_of;
use warpgrid_isa::{AtomicOp, FloatFormat, ScalarType};

/// Executes a `multimem` access of a warp.
#[inline(never)]
pub(crate) fn multimem(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &MultimemPlan,
) -> ExecResult {
    let access = &plan.access;
    let width = access.width_bytes as usize;
    let (kind, action) = match plan.action {
        MultimemAction::Load(_) => (AccessKind::Load, AccessAction::Load),
        MultimemAction::Store => (AccessKind::Store, AccessAction::Store),
        MultimemAction::Reduce(_) => (AccessKind::Atomic, AccessAction::Reduction),
    };
    // Validate all addresses before any memory is modified.
    let places = places_of_members(reach, l, access, kind)?;
    let sources: Vec<Row128> = plan
        .sources
        .iter()
        .map(|source| read128(l, *source))
        .collect();
    let listens = reach.interest.covers(action);
    reach.events.clear();
    let mut loaded: LaneBytes = [0; LANES * MAX_WIDTH];
    for lane in lanes_of(l.mask) {
        let mut held: Vec<[u8; MAX_WIDTH]> = Vec::with_capacity(places.len());
        for (_, row, target) in places.iter().filter(|(mask, ..)| mask >> lane & 1 != 0) {
            let (backing, at) = target.of_lane(lane, width);
            let old = reach.read_lane(backing, at, width);
            let new = changed(plan, &old, &sources, lane);
            if let Some(new) = &new {
                reach.write(backing, at, lane, &new[..width]);
            }
            if listens {
                let (memory, address) = reach.place_of(target, row, lane, width);
                let pieces = LaneAccessRecord {
                    lane,
                    memory,
                    address,
                    written: new.is_some(),
                    bytes: new.as_ref().unwrap_or(&old),
                    old: &old,
                };
                add_pieces(reach.events, access, &pieces);
            }
            held.push(old);
        }
        if let MultimemAction::Load(op) = plan.action {
            let combined_bytes = combined(access, op, &held);
            loaded[lane * width..(lane + 1) * width].copy_from_slice(&combined_bytes[..width]);
        }
    }
    if listens {
        reach.report(action, l.mask, access);
    }
    if action == AccessAction::Load {
        set_elements(l, access, &loaded);
    }
    Ok(())
}

/// Returns the lanes, the addresses and the resolved locations of a `multimem` access for each device.
fn places_of_members(
    reach: &MemoryContext<'_>,
    l: &LaneRegisters<'_>,
    access: &AccessPlan,
    kind: AccessKind,
) -> Result<Vec<(u32, Row64, ResolvedAccess)>, Box<ExecutionFault>> {
    let lane_addresses = addresses(l, access);
    let members: [Vec<u64>; LANES] = std::array::from_fn(|lane| match l.mask >> lane & 1 {
        0 => Vec::new(),
        _ => members_of(
            reach.multicasts,
            lane_addresses[lane],
            access.width_bytes.into(),
        ),
    });
    let n_members = members.iter().map(Vec::len).max().unwrap_or(0);
    let mut places = Vec::with_capacity(n_members);
    for member in 0..n_members {
        let has = |lane: &usize| members[*lane].len() > member;
        let mask = lanes_of(l.mask)
            .filter(has)
            .fold(0, |mask, lane| mask | 1 << lane);
        let row: Row64 =
            std::array::from_fn(|lane| members[lane].get(member).copied().unwrap_or(0));
        let mut target = ResolvedAccess::UNKNOWN;
        reach.find_each(kind, access, &row, mask, &mut target)?;
        places.push((mask, row, target));
    }
    Ok(places)
}

/// Returns the bytes that a lane writes to the memory of one device, or `None` for a load.
fn changed(
    plan: &MultimemPlan,
    old: &[u8; MAX_WIDTH],
    sources: &[Row128],
    lane: usize,
) -> Option<[u8; MAX_WIDTH]> {
    let op = match plan.action {
        MultimemAction::Load(_) => return None,
        MultimemAction::Store => None,
        MultimemAction::Reduce(op) => Some(op),
    };
    let size = plan.access.element_bytes as usize;
    let mut new = *old;
    for (element, source) in new.chunks_exact_mut(size).zip(sources) {
        let value = match op {
            None => source[lane],
            Some(op) => pair(plan.access.metadata.ty, op, number(element), source[lane]),
        };
        element.copy_from_slice(&value.to_le_bytes()[..size]);
    }
    Some(new)
}

/// Combines the values of each element in the memories of all devices.
fn combined(access: &AccessPlan, op: AtomicOp, held: &[[u8; MAX_WIDTH]]) -> [u8; MAX_WIDTH] {
    let (ty, size) = (access.metadata.ty, access.element_bytes as usize);
    let mut combined_bytes = [0; MAX_WIDTH];
    for from in (0..access.width_bytes as usize).step_by(size) {
        let values = held.iter().map(|bytes| number(&bytes[from..from + size]));
        let value = match (op, parts_of(ty)) {
            (AtomicOp::Add, Some((format, bits, n))) => sum(format, bits, n, values),
            _ => values.reduce(|a, b| pair(ty, op, a, b)).unwrap_or(0),
        };
        combined_bytes[from..from + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    combined_bytes
}

/// Adds narrow floats exactly, with a single rounding. The PTX ISA does not define the order and the precision of the
/// addition.
fn sum(format: FloatFormat, bits: u32, n: u32, values: impl Iterator<Item = u128>) -> u128 {
    let values: Vec<u128> = values.collect();
    let part = |value: u128, at: u32| (value >> (at * bits)) as u32 & ((1 << bits) - 1);
    (0..n).fold(0, |whole, at| {
        let sum = values.iter().map(|value| format.value(part(*value, at)));
        let sum = softfloat::pack(format, sum.sum(), RoundingMode::Nearest);
        whole | u128::from(sum) << (at * bits)
    })
}

fn pair(ty: ScalarType, op: AtomicOp, a: u128, b: u128) -> u128 {
    combine(op, ty, FloatMode::default(), a, [b, 0]).0
}

/// Converts little-endian bytes to an integer.
fn number(bytes: &[u8]) -> u128 {
    let mut number = [0; 16];
    if let Some(to) = number.get_mut(..bytes.len()) {
        to.copy_from_slice(bytes);
    }
    u128::from_le_bytes(number)
}
