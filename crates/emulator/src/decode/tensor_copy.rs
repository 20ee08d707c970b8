//! Decoder of tensor copies and tensor map operations.

use crate::code::decoded_op::DecodedOp;
use crate::code::{AccessPlan, RegisterOperand, TensorCopyPlan, TensorMapPlan};
use crate::contract::support::Support;
use crate::contract::tensor_transfer::TensorCopyDirection;
use crate::decode::asynchronous::{object, place};
use crate::decode::{DecodeError, DecodeResult, Decoder};
use warpgrid_isa::{
    Completion, CtaGroup, Flag, LoadMode, ScalarType, StateSpace, TensorCopyOp, TensorMapField,
    TensorMapOp,
};

/// Alignment in bytes of the shared memory address of a tensor copy (CUDA programming guide, "Tensor Memory
/// Accelerator").
const ALIGNMENT: u32 = 128;
/// Alignment in bytes of a tensor map.
const MAP_ALIGNMENT: u32 = 64;

pub(crate) fn supports(op: TensorCopyOp) -> Support {
    match op {
        TensorCopyOp::Load
        | TensorCopyOp::Store
        | TensorCopyOp::Reduction
        | TensorCopyOp::Prefetch => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: TensorCopyOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        TensorCopyOp::Load => load(d)?,
        TensorCopyOp::Store | TensorCopyOp::Reduction => store(d)?,
        // A prefetch has no effect, because the emulator does not model caches.
        TensorCopyOp::Prefetch => return Ok(DecodedOp::Nop),
    };
    Ok(DecodedOp::TensorCopy(d.code.tensor_copies.add(plan)))
}

/// Decodes the operands of a tensor load: `[dst], [tensorMap, coordinates], [mbar]{, offsets}{, blocks}{,
/// cache-policy}`.
fn load(d: &mut Decoder<'_>) -> DecodeResult<TensorCopyPlan> {
    let space = d.modifiers.state_space();
    let shared = place(d, 0, space, ALIGNMENT)?;
    let (map, coordinates) = tensor(d, 1)?;
    let mbarrier = AccessPlan {
        space,
        ..object(d, 2)?
    };
    let mode = d.modifiers.unit.load_mode();
    let has_offsets = match mode {
        LoadMode::Im2col | LoadMode::Im2colW | LoadMode::Im2colW128 => true,
        LoadMode::Tile | LoadMode::Gather4 | LoadMode::Scatter4 | LoadMode::Im2colNoOffsets => {
            false
        }
    };
    let offsets = match has_offsets {
        true => d.sources(3, 16)?.0,
        false => Vec::new(),
    };
    let blocks = match d.modifiers.has(Flag::Multicast) {
        true => Some(d.element(3 + usize::from(has_offsets), 16)?),
        false => None,
    };
    Ok(TensorCopyPlan {
        direction: TensorCopyDirection::Load,
        mode,
        shared,
        map,
        coordinates,
        mbarrier: Some(mbarrier),
        offsets,
        blocks,
        is_pair: d.modifiers.unit.group == Some(CtaGroup::Two),
        reduces: None,
    })
}

/// Decodes the operands of a tensor store: `[tensorMap, coordinates], [src]{, cache-policy}`.
fn store(d: &mut Decoder<'_>) -> DecodeResult<TensorCopyPlan> {
    if d.modifiers.completion != Some(Completion::BulkGroup) {
        return Err(DecodeError::missing("bulk group"));
    }
    let (map, coordinates) = tensor(d, 0)?;
    let shared = place(d, 1, StateSpace::Shared, ALIGNMENT)?;
    Ok(TensorCopyPlan {
        direction: TensorCopyDirection::Store,
        mode: d.modifiers.unit.load_mode(),
        shared,
        map,
        coordinates,
        mbarrier: None,
        offsets: Vec::new(),
        blocks: None,
        is_pair: false,
        reduces: d.modifiers.atomic,
    })
}

/// Decodes the address of the tensor map and the coordinates.
fn tensor(
    d: &mut Decoder<'_>,
    index: usize,
) -> DecodeResult<(RegisterOperand, Vec<RegisterOperand>)> {
    let elements = d.place(index)?;
    match elements.split_first() {
        Some((map, coordinates)) => Ok((*map, coordinates.to_vec())),
        None => Err(DecodeError::missing("tensor map")),
    }
}

pub(crate) fn supports_map(op: TensorMapOp) -> Support {
    match op {
        TensorMapOp::Replace | TensorMapOp::CopyFenceProxy => Support::Runs,
    }
}

pub(crate) fn decode_map(d: &mut Decoder<'_>, op: TensorMapOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        TensorMapOp::Replace => replace(d)?,
        // The operands are `[dst], [src], 128`. The two addresses are in different state spaces.
        TensorMapOp::CopyFenceProxy => TensorMapPlan::Publish {
            to: place(d, 0, StateSpace::Global, MAP_ALIGNMENT)?,
            from: place(d, 1, StateSpace::Shared, MAP_ALIGNMENT)?,
        },
    };
    Ok(DecodedOp::TensorMap(d.code.tensor_maps.add(plan)))
}

/// Decodes `fence.proxy.tensormap::generic.acquire.scope [addr], 128`.
pub(crate) fn decode_acquire(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let map = place(d, 0, StateSpace::Generic, MAP_ALIGNMENT)?;
    Ok(DecodedOp::TensorMap(
        d.code.tensor_maps.add(TensorMapPlan::Acquire { map }),
    ))
}

/// Decodes the operands of `tensormap.replace`: `[addr]{, dimension}, value`.
fn replace(d: &mut Decoder<'_>) -> DecodeResult<TensorMapPlan> {
    let field = d.modifiers.unit.field;
    let field = field.ok_or_else(|| DecodeError::missing("field"))?;
    let has_dimension = match field {
        TensorMapField::Box
        | TensorMapField::Extent
        | TensorMapField::ElementStride
        | TensorMapField::Stride => true,
        TensorMapField::Address
        | TensorMapField::Rank
        | TensorMapField::ElementType
        | TensorMapField::Interleave
        | TensorMapField::Swizzle
        | TensorMapField::Atomicity
        | TensorMapField::Fill => false,
    };
    let access = AccessPlan {
        width_bytes: MAP_ALIGNMENT,
        ..object(d, 0)?
    };
    let dimension = match has_dimension {
        true => d.immediate(1)? as usize,
        false => 0,
    };
    let bits = d.modifiers.ty.map_or(32, ScalarType::width_bits);
    Ok(TensorMapPlan::Replace {
        access,
        field,
        dimension,
        value: d.element(1 + usize::from(has_dimension), bits)?,
    })
}
