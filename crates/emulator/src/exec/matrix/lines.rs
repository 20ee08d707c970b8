//! `wmma.load` and `wmma.store` (PTX ISA): each lane transfers its elements of a matrix in memory. Consecutive lines of
//! the matrix are `stride` elements apart.

use crate::code::matrix_plan::MAX_REGISTERS;
use crate::code::matrix_plan::WmmaMemoryPlan;
use crate::contract::fault::{AccessKind, FaultKind, MatrixMisuse};
use crate::contract::observer::{
    AccessAction, ElementAccessHeader, OperandIndex, PerLaneAccess, WarpAccessSummary,
};
use crate::exec::memory::address_translation::{Backing, ResolvedAccess};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, Row64};
use crate::state::memory::AttemptedAccess;
use warpgrid_isa::StateSpace;
use warpgrid_isa::fragment::MisalignedStride;

/// Maximum number of contiguous memory units that one lane transfers.
const MAX_UNITS: usize = 16;

/// Resolved memory locations of the matrix units of all lanes.
enum UnitLocations {
    /// All units are in one memory. The fields are this memory and the location of the matrix in it.
    Whole(Backing, usize),
    /// Each unit is resolved separately, because the units are in several memories.
    Each(Vec<ResolvedAccess>),
}

/// Executes `wmma.load` or `wmma.store`.
pub(crate) fn lines(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &WmmaMemoryPlan,
) -> ExecResult {
    let (start, stride) = agreed(l, plan)?;
    check_alignment(plan, start, stride)?;
    let mut offsets = [[0; LANES]; MAX_UNITS];
    let offsets = fill_offsets(plan, stride, &mut offsets);
    let places = find(reach, plan, start, stride, offsets)?;
    match plan.kind {
        AccessKind::Load => load(reach, l, plan, start, offsets, &places),
        AccessKind::Store | AccessKind::Atomic => {
            store(reach, l, plan, start, offsets, &places);
        }
    }
    Ok(())
}

/// Returns the address and the stride of the matrix. Faults if the address or the stride is not equal in all lanes.
fn agreed(l: &LaneRegisters<'_>, plan: &WmmaMemoryPlan) -> Result<(u64, u32), Box<ExecutionFault>> {
    let odd = |differs: &dyn Fn(usize) -> bool| {
        (0..LANES).fold(0, |lanes, lane| lanes | u32::from(differs(lane)) << lane)
    };
    let starts = addresses(l, &plan.access);
    let lanes = odd(&|lane| starts[lane] != starts[0]);
    if lanes != 0 {
        let mistake = MatrixMisuse::UnequalAddresses;
        return Err(ExecutionFault::new(
            FaultKind::UndefinedMatrix(mistake),
            lanes,
        ));
    }
    let strides = l.r32(plan.stride);
    let lanes = odd(&|lane| strides[lane] != strides[0]);
    if lanes != 0 {
        let mistake = MatrixMisuse::UnequalStrides;
        return Err(ExecutionFault::new(
            FaultKind::UndefinedMatrix(mistake),
            lanes,
        ));
    }
    // Addresses of shared memory have 32 bits.
    let start = match plan.access.space {
        StateSpace::Shared => starts[0] & u64::from(u32::MAX),
        _ => starts[0],
    };
    Ok((start, strides[0]))
}

/// Checks the alignment that compiled code requires: only the widest access to each line must be aligned. The
/// requirement of the PTX ISA is stricter.
fn check_alignment(plan: &WmmaMemoryPlan, start: u64, stride: u32) -> ExecResult {
    let needed = u64::from(plan.rules.bytes);
    let misaligned = |address| {
        Err(Box::new(ExecutionFault {
            kind: FaultKind::Misaligned,
            lanes: FULL,
            access: Some(AttemptedAccess {
                kind: plan.kind,
                space: plan.access.space,
                address,
                width_bytes: plan.rules.bytes.into(),
            }),
        }))
    };
    if !start.is_multiple_of(needed) {
        return misaligned(start);
    }
    let stride_bits = u64::from(stride) * u64::from(plan.element_bits);
    if stride_bits.is_multiple_of(8 * needed) {
        return Ok(());
    }
    match plan.rules.short_stride {
        None => Ok(()),
        Some(MisalignedStride::Fault) => misaligned(start.wrapping_add(stride_bits / 8)),
        Some(MisalignedStride::Moved) => {
            let mistake = MatrixMisuse::MisalignedStride {
                stride,
                needed_bytes: plan.rules.bytes,
            };
            Err(ExecutionFault::new(
                FaultKind::UndefinedMatrix(mistake),
                FULL,
            ))
        }
    }
}

/// Computes the byte offset of each unit from the start of the matrix.
fn fill_offsets<'o>(
    plan: &WmmaMemoryPlan,
    stride: u32,
    offsets: &'o mut [Row64; MAX_UNITS],
) -> &'o [Row64] {
    let (stride, bits) = (u64::from(stride), u64::from(plan.element_bits));
    let n = plan.places.len().min(MAX_UNITS);
    for (row, places) in offsets.iter_mut().zip(&plan.places) {
        for (offset, [major, minor]) in row.iter_mut().zip(places) {
            *offset = (u64::from(*major) * stride + u64::from(*minor)) * bits / 8;
        }
    }
    &offsets[..n]
}

/// Returns the address of a unit. Addresses of shared memory wrap at 32 bits.
fn address_of(plan: &WmmaMemoryPlan, start: u64, offset: u64) -> u64 {
    let address = start.wrapping_add(offset);
    match plan.access.space {
        StateSpace::Shared => address & u64::from(u32::MAX),
        _ => address,
    }
}

/// Resolves the matrix as a whole, or each unit separately if the matrix is in several memories. Faults if the address
/// of a unit is out of bounds.
fn find(
    reach: &MemoryContext<'_>,
    plan: &WmmaMemoryPlan,
    start: u64,
    stride: u32,
    offsets: &[Row64],
) -> Result<UnitLocations, Box<ExecutionFault>> {
    let elements =
        u64::from(plan.n_major.saturating_sub(1)) * u64::from(stride) + u64::from(plan.n_minor);
    let n_bytes = (elements * u64::from(plan.element_bits)).div_ceil(8);
    if let Some((backing, at)) = reach.find_span(plan.kind, plan.access.space, start, n_bytes) {
        return Ok(UnitLocations::Whole(backing, at));
    }
    let mut unit = plan.access.clone();
    unit.width_bytes = plan.unit_bytes;
    let mut targets = Vec::with_capacity(offsets.len());
    for row in offsets {
        let addresses = row.map(|offset| address_of(plan, start, offset));
        let mut target = ResolvedAccess::UNKNOWN;
        reach.find_each(plan.kind, &unit, &addresses, FULL, &mut target)?;
        targets.push(target);
    }
    Ok(UnitLocations::Each(targets))
}

impl UnitLocations {
    fn of(&self, unit: usize, lane: usize, offset: u64, width: usize) -> (Backing, usize) {
        match self {
            UnitLocations::Whole(backing, at) => (*backing, at + offset as usize),
            UnitLocations::Each(targets) => match targets.get(unit) {
                Some(target) => target.of_lane(lane, width),
                None => (Backing::Arena, usize::MAX),
            },
        }
    }
}

fn load(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &WmmaMemoryPlan,
    start: u64,
    offsets: &[Row64],
    places: &UnitLocations,
) {
    let width = plan.unit_bytes as usize;
    let mut values = [[0; LANES]; MAX_UNITS];
    match places {
        UnitLocations::Whole(backing, at) => {
            let bytes = reach.bytes_of(*backing).get(*at..).unwrap_or(&[]);
            for (values, offsets) in values.iter_mut().zip(offsets) {
                read_units(bytes, width, offsets, values);
            }
        }
        UnitLocations::Each(_) => {
            for (unit, (values, offsets)) in values.iter_mut().zip(offsets).enumerate() {
                for lane in 0..LANES {
                    let (backing, at) = places.of(unit, lane, offsets[lane], width);
                    let bytes = reach.bytes_of(backing).get(at..).unwrap_or(&[]);
                    values[lane] = read_unit(bytes.get(..width).unwrap_or(&[]));
                }
            }
        }
    }
    let listens = reach.interest.covers(AccessAction::Load);
    if listens && !is_heard_whole(reach, plan, start, offsets, places) {
        report(reach, plan, start, offsets, places, &values, None);
    }
    let shift = 8 * plan.unit_bytes;
    let per_register = plan.per_register as usize;
    let mut rows = [[0u64; LANES]; MAX_REGISTERS];
    for (row, units) in rows.iter_mut().zip(values.chunks(per_register)) {
        for (part, unit) in units.iter().enumerate() {
            for (r, value) in row.iter_mut().zip(unit) {
                *r |= value << ((shift * part as u32) & 63);
            }
        }
    }
    for (index, register) in plan.access.elements.iter().enumerate() {
        let row = rows.get(index % plan.n_read.max(1)).unwrap_or(&rows[0]);
        write64(l, *register, row);
    }
}

fn read_units(bytes: &[u8], width: usize, offsets: &Row64, values: &mut Row64) {
    fn each<const W: usize>(
        bytes: &[u8],
        offsets: &Row64,
        values: &mut Row64,
        value: fn([u8; W]) -> u64,
    ) {
        for (v, offset) in values.iter_mut().zip(offsets) {
            let from = bytes.get(*offset as usize..).and_then(|b| b.first_chunk());
            *v = from.map_or(0, |bytes| value(*bytes));
        }
    }
    match width {
        1 => each(bytes, offsets, values, |[b]| b.into()),
        2 => each(bytes, offsets, values, |b| u16::from_le_bytes(b).into()),
        4 => each(bytes, offsets, values, |b| u32::from_le_bytes(b).into()),
        _ => each(bytes, offsets, values, u64::from_le_bytes),
    }
}

fn read_unit(bytes: &[u8]) -> u64 {
    let mut value = [0; 8];
    if let Some(to) = value.get_mut(..bytes.len()) {
        to.copy_from_slice(bytes);
    }
    u64::from_le_bytes(value)
}

fn store(
    reach: &mut MemoryContext<'_>,
    l: &LaneRegisters<'_>,
    plan: &WmmaMemoryPlan,
    start: u64,
    offsets: &[Row64],
    places: &UnitLocations,
) {
    let width = plan.unit_bytes as usize;
    let shift = 8 * plan.unit_bytes;
    let mut values = [[0; LANES]; MAX_UNITS];
    for (unit, values) in values.iter_mut().enumerate().take(offsets.len()) {
        let (register, part) = (
            unit as u32 / plan.per_register,
            unit as u32 % plan.per_register,
        );
        if let Some(element) = plan.access.elements.get(register as usize) {
            *values = read64(l, *element).map(|value| value >> ((shift * part) & 63));
        }
    }
    let mut before = [[0; LANES]; MAX_UNITS];
    for lane in 0..LANES {
        for (unit, row) in offsets.iter().enumerate() {
            let (backing, at) = places.of(unit, lane, row[lane], width);
            let old = reach.bytes_of(backing).get(at..at.saturating_add(width));
            before[unit][lane] = read_unit(old.unwrap_or(&[]));
            let bytes = values[unit][lane].to_le_bytes();
            reach.write(backing, at, lane, bytes.get(..width).unwrap_or(&bytes));
        }
    }
    let listens = reach.interest.covers(AccessAction::Store);
    if listens && !is_heard_whole(reach, plan, start, offsets, places) {
        report(reach, plan, start, offsets, places, &values, Some(&before));
    }
}

/// Checks whether the observer accepts one access summary per row of units, so that the interpreter need not build
/// events with all elements.
fn is_heard_whole(
    reach: &mut MemoryContext<'_>,
    plan: &WmmaMemoryPlan,
    start: u64,
    offsets: &[Row64],
    places: &UnitLocations,
) -> bool {
    let UnitLocations::Whole(backing @ (Backing::Arena | Backing::Shared), at) = *places else {
        return false;
    };
    if !reach.interest.syncs {
        return false;
    }
    let (memory, address) = reach.memory_of(backing, at, 0, start);
    let (function, instruction) = reach.code.origin(reach.pc);
    let access = WarpAccessSummary {
        step: reach.step,
        block: reach.block,
        warp: reach.warp,
        function,
        instruction,
        action: match plan.kind {
            AccessKind::Load => AccessAction::Load,
            AccessKind::Store | AccessKind::Atomic => AccessAction::Store,
        },
        sem: plan.access.metadata.sem,
        scope: plan.access.metadata.scope,
        lane_bytes: plan.unit_bytes,
        element_bytes: plan.unit_bytes,
        non_coherent: false,
    };
    offsets.iter().all(|row| {
        let addresses = row.map(|offset| address.wrapping_add(offset));
        reach.observer.lanes(&PerLaneAccess {
            access,
            memory,
            mask: FULL,
            addresses: &addresses,
        })
    })
}

/// Reports the memory accesses of all elements. For a store, the reported pieces contain the overwritten bytes.
fn report(
    reach: &mut MemoryContext<'_>,
    plan: &WmmaMemoryPlan,
    start: u64,
    offsets: &[Row64],
    places: &UnitLocations,
    values: &[Row64; MAX_UNITS],
    before: Option<&[Row64; MAX_UNITS]>,
) {
    let width = plan.unit_bytes as usize;
    reach.events.clear();
    for lane in 0..LANES {
        for (unit, row) in offsets.iter().enumerate() {
            let (backing, at) = places.of(unit, lane, row[lane], width);
            let address = address_of(plan, start, row[lane]);
            let (memory, address) = reach.memory_of(backing, at, lane, address);
            let register = unit / plan.per_register as usize;
            let operand = plan.access.metadata.operands.get(register).copied();
            let head = ElementAccessHeader {
                address_lane: lane as u8,
                data_lane: lane as u8,
                element: unit as u8,
                written: before.is_some(),
                ty: plan.access.metadata.ty,
                operand: operand.map(OperandIndex),
                memory,
                address,
            };
            let bytes = values[unit][lane].to_le_bytes();
            let old = before.map_or(bytes, |before| before[unit][lane].to_le_bytes());
            let of_unit = |bytes: &'_ [u8; 8]| {
                let mut copy = [0; 8];
                copy[..width.min(8)].copy_from_slice(&bytes[..width.min(8)]);
                copy
            };
            let (bytes, old) = (of_unit(&bytes), of_unit(&old));
            reach
                .events
                .add(head, &bytes[..width.min(8)], &old[..width.min(8)]);
        }
    }
    let action = match before {
        Some(_) => AccessAction::Store,
        None => AccessAction::Load,
    };
    reach.report(action, FULL, &plan.access);
}
