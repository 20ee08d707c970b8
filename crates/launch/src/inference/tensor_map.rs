//! Inference of tensor maps for a kernel whose scenario does not specify them. The input is the list of tensor copies of the kernel in
//! program order, with the number of bytes that mbarriers expect. For each parameter that a copy uses, the output contains a tensor map
//! whose box has the expected number of bytes, and the tensor of this map.

use super::copies::{DeviceTensorMaps, TensorMapUse, copies};
use super::{ParameterOffset, ParameterUses, PointerAccess, element, kernel_variables};
use crate::instruction_summary::readers;
use crate::scenario::{Buffer, BufferInitializer, TensorMap};
use crate::value::Literal;
use std::collections::BTreeMap;
use warpgrid_isa::{AtomicOp, LoadMode, ScalarType};
use warpgrid_program::{Function, Program};

/// Suffix of the name of an inferred tensor after the name of its tensor map.
const SUFFIX: &str = "_tensor";
/// Size of a box row in bytes, which is the span of the widest swizzle mode.
const ROW_BYTES: u64 = 128;
/// Number of rows of a box whose size is unknown.
const ROWS: u64 = 8;
/// Maximum extent of a box along a dimension in elements (CUDA driver API, "cuTensorMapEncodeTiled").
const MAX_BOX: u64 = 256;
/// Number of bytes that the channels of a pixel of an inferred image occupy.
const PIXEL_BYTES: u64 = 32;
/// Number of pixels along each side of an inferred image.
const IMAGE_SIDE: u64 = 16;
/// Size of a tensor map in bytes (PTX ISA, "Tensor-map").
const MAP_BYTES: u64 = 128;
/// Number of words of a tensor map. The memory of created tensor maps contains this number of words for each thread.
const WORDS: u32 = 32;
/// Number of boxes along each of the first two dimensions of an inferred tensor.
const BOXES: u64 = 2;

/// Parameters that launch inference derives from tensor copies.
#[derive(Debug, Default)]
pub(super) struct TensorMapConstraints {
    pub(super) maps: BTreeMap<usize, TensorMap>,
    /// Pointers to tensor maps that the kernel creates, and to the tensors of these maps. The kernel performs no loads or stores through
    /// these pointers.
    pub(super) pointers: Vec<(ParameterOffset, PointerAccess)>,
}

/// Infers a tensor map for each parameter that tensor copies use, and the memory of the tensor maps that the kernel creates.
pub(super) fn tensors(
    program: &Program,
    function: &Function,
    uses: &ParameterUses,
) -> TensorMapConstraints {
    let product = readers(program, function).find_map(|reader| reader.factor_type());
    let (found, made) = copies(program, function, uses);
    let known = found.iter().find_map(|copy| copy.bytes);
    let is_made = |copy: &&TensorMapUse| copy.is_pointer && made.memories.contains(&copy.slot);
    let mut tensors = TensorMapConstraints::default();
    for copy in found.iter().filter(|copy| !is_made(copy)) {
        let (place, offset) = copy.slot;
        let name = kernel_variables(function)
            .nth(place)
            .map(|v| v.name.clone());
        let bytes = copy.bytes.or(known);
        if let (Some(name), 0) = (name, offset)
            && let Some(map) = map_of(name, copy, bytes, product)
        {
            tensors.maps.entry(place).or_insert(map);
        }
    }
    // If the kernel replaces only some fields of a tensor map, the original tensor map is a structure parameter.
    if let Some(copy) = found.iter().find(is_made) {
        let mut rest = kernel_variables(function).enumerate();
        let first = rest.find(|(place, variable)| {
            variable.size_bytes >= MAP_BYTES && !tensors.maps.contains_key(place)
        });
        let bytes = copy.bytes.or(known);
        if let Some((place, variable)) = first
            && let Some(map) = first_map(variable.name.clone(), copy, bytes, &made)
        {
            tensors.maps.insert(place, map);
        }
    }
    let access = |n_elements| PointerAccess {
        ty: ScalarType::F32,
        n_elements,
        is_read: true,
    };
    let memories = made.memories.iter().map(|slot| (*slot, access(WORDS)));
    let read = made.tensors.iter().map(|slot| (*slot, access(WORDS)));
    tensors.pointers.extend(memories.chain(read));
    tensors
}

/// Returns the original tensor map whose fields the kernel replaces to create other tensor maps. The box of a created tensor map has
/// `bytes` bytes.
fn first_map(
    name: String,
    copy: &TensorMapUse,
    bytes: Option<u64>,
    made: &DeviceTensorMaps,
) -> Option<TensorMap> {
    let replaced = made.box_extents.iter();
    let replaced = replaced.filter(|(dimension, _)| (1..copy.rank).contains(*dimension));
    let rows = replaced.fold(1u64, |n, (_, extent)| n.saturating_mul(*extent));
    let mut map = TensorMap {
        passed: None,
        ..map_of(name, copy, bytes, None)?
    };
    let size = element(ScalarType::F32).width_bytes() as u64;
    if let Some(bytes) = bytes.filter(|_| rows > 1) {
        let along_row = bytes.checked_div(rows)?.checked_div(size)?;
        map.box_extents.fill(1);
        *map.box_extents.first_mut()? = u32::try_from(along_row).ok()?;
        *map.dims.first_mut()? = along_row.checked_mul(BOXES)?;
    }
    map.object().is_ok().then_some(map)
}

/// Returns an integer type for which a tensor reduction is defined, or `None` if the reduction is defined for every element type.
const fn combined_type(op: AtomicOp) -> Option<ScalarType> {
    match op {
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Inc | AtomicOp::Dec => {
            Some(ScalarType::U32)
        }
        AtomicOp::Min | AtomicOp::Max => Some(ScalarType::S32),
        AtomicOp::Add | AtomicOp::Exch | AtomicOp::Cas => None,
    }
}

/// Returns a tensor map whose box has `bytes` bytes, if possible. Returns `None` for im2col modes for which too few fields are known.
fn map_of(
    name: String,
    copy: &TensorMapUse,
    bytes: Option<u64>,
    product: Option<ScalarType>,
) -> Option<TensorMap> {
    let is_gathered = match copy.mode {
        LoadMode::Tile => false,
        LoadMode::Gather4 | LoadMode::Scatter4 => true,
        LoadMode::Im2col | LoadMode::Im2colNoOffsets => return image_map(name, copy, bytes),
        LoadMode::Im2colW | LoadMode::Im2colW128 => return None,
    };
    let combined = copy.reduces.and_then(combined_type);
    let ty = element(combined.or(product).unwrap_or(ScalarType::F32));
    let size = ty.width_bytes() as u64;
    let bytes = bytes.unwrap_or(match copy.rank {
        1 => ROW_BYTES,
        _ => ROWS * ROW_BYTES,
    });
    let (row_bytes, rows) = match (copy.rank, is_gathered) {
        (1, _) => (bytes, 1),
        (_, true) => (bytes / 4, 1),
        (_, false) if bytes.is_multiple_of(ROW_BYTES) => (ROW_BYTES, bytes / ROW_BYTES),
        (_, false) => (bytes, 1),
    };
    let mut boxed = vec![1; copy.rank];
    let mut rest = rows;
    *boxed.first_mut()? = row_bytes / size;
    for extent in boxed.iter_mut().skip(1) {
        *extent = rest.min(MAX_BOX);
        rest = rest.div_ceil(MAX_BOX);
    }
    let dims = boxed
        .iter()
        .enumerate()
        .map(|(dimension, extent)| match dimension {
            0 | 1 => extent * BOXES,
            _ => *extent,
        });
    let is_swizzled = product.is_some() && row_bytes == ROW_BYTES;
    let map = TensorMap {
        buffer: format!("{name}{SUFFIX}"),
        name,
        mode: "tiled".to_owned(),
        ty: ty.name().to_owned(),
        dims: dims.collect(),
        box_extents: boxed
            .iter()
            .map(|n| (*n).try_into().unwrap_or(u32::MAX))
            .collect(),
        swizzle: is_swizzled.then(|| "128B".to_owned()),
        passed: copy.is_pointer.then(|| "pointer".to_owned()),
        ..TensorMap::default()
    };
    // The inference discards a tensor map that the CUDA driver would reject.
    map.object().is_ok().then_some(map)
}

/// Returns an im2col tensor map without a border. One copy transfers `bytes` bytes of pixels.
fn image_map(name: String, copy: &TensorMapUse, bytes: Option<u64>) -> Option<TensorMap> {
    let ty = element(ScalarType::F32);
    let size = ty.width_bytes() as u64;
    let bytes = bytes.unwrap_or(ROWS * PIXEL_BYTES);
    let (pixel_bytes, pixels) = match bytes.is_multiple_of(PIXEL_BYTES) {
        true => (PIXEL_BYTES, bytes / PIXEL_BYTES),
        false => (bytes, 1),
    };
    let channels = pixel_bytes / size;
    let n_spatial = copy.rank.checked_sub(2)?;
    let mut dims = vec![channels * BOXES];
    dims.extend(std::iter::repeat_n(IMAGE_SIDE, n_spatial));
    dims.push(BOXES);
    let map = TensorMap {
        buffer: format!("{name}{SUFFIX}"),
        name,
        mode: "im2col".to_owned(),
        ty: ty.name().to_owned(),
        dims,
        lower_corner: vec![0; n_spatial],
        upper_corner: vec![0; n_spatial],
        channels_per_pixel: u32::try_from(channels).ok(),
        pixels_per_column: u32::try_from(pixels).ok(),
        passed: copy.is_pointer.then(|| "pointer".to_owned()),
        ..TensorMap::default()
    };
    map.object().is_ok().then_some(map)
}

/// Returns the tensor of an inferred tensor map, with ascending values.
pub(crate) fn tensor_of(map: &TensorMap) -> Buffer {
    Buffer {
        name: map.buffer.clone(),
        ty: map.ty.clone(),
        len: map.dims.iter().product(),
        shape: map.dims.iter().rev().copied().collect(),
        init: BufferInitializer::Fill(Literal::Text("iota".to_owned())),
        ..Buffer::default()
    }
}
