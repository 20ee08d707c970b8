//! Tensor maps for a kernel that came without any. In: the tensor copies of the kernel, in order, and the bytes that mbarriers are said to
//! expect; out: a map for each parameter that a copy names, whose box has these bytes, and the tensor it lies in.

use super::copies::{Made, Use, copies};
use super::{Access, Slot, Uses, element, variables};
use crate::reading::readers;
use crate::scenario::{Buffer, Init, TensorMap};
use crate::value::Literal;
use std::collections::BTreeMap;
use warpgrid_isa::{AtomicOp, LoadMode, ScalarType};
use warpgrid_program::{Function, Program};

/// What follows the name of a map in that of the tensor that was made for it.
const SUFFIX: &str = "_tensor";
/// Bytes of a row of a box: the widest swizzle.
const ROW_BYTES: u64 = 128;
/// Rows of a box of which nothing says how many bytes it has.
const ROWS: u64 = 8;
/// The most elements of a box along a dimension (CUDA driver API, "cuTensorMapEncodeTiled").
const MAX_BOX: u64 = 256;
/// Bytes of the channels of a pixel.
const PIXEL_BYTES: u64 = 32;
/// Pixels along each side of an image.
const IMAGE_SIDE: u64 = 16;
/// Bytes of a map (PTX ISA, "Tensor-map").
const MAP_BYTES: u64 = 128;
/// Words of a map, for each thread that may make one.
const WORDS: u32 = 32;
/// Boxes that lie in a tensor along its first two dimensions.
const BOXES: u64 = 2;

/// What tensor copies say of the parameters, by their places.
#[derive(Debug, Default)]
pub(super) struct Tensors {
    pub(super) maps: BTreeMap<usize, TensorMap>,
    /// Pointers that no access is made through: to maps that the kernel makes, and to their tensors.
    pub(super) pointers: Vec<(Slot, Access)>,
}

/// A map for each parameter that tensor copies name, and what the maps need that the kernel makes itself.
pub(super) fn tensors(program: &Program, function: &Function, uses: &Uses) -> Tensors {
    let product = readers(program, function).find_map(|reader| reader.factor_type());
    let (found, made) = copies(program, function, uses);
    let known = found.iter().find_map(|copy| copy.bytes);
    let is_made = |copy: &&Use| copy.is_pointer && made.memories.contains(&copy.slot);
    let mut tensors = Tensors::default();
    for copy in found.iter().filter(|copy| !is_made(copy)) {
        let (place, offset) = copy.slot;
        let name = variables(function).nth(place).map(|v| v.name.clone());
        let bytes = copy.bytes.or(known);
        if let (Some(name), 0) = (name, offset)
            && let Some(map) = map_of(name, copy, bytes, product)
        {
            tensors.maps.entry(place).or_insert(map);
        }
    }
    // What a kernel changes a part of is a map that it is given as a structure.
    if let Some(copy) = found.iter().find(is_made) {
        let mut rest = variables(function).enumerate();
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
    let access = |n_elements| Access {
        ty: ScalarType::F32,
        n_elements,
        is_read: true,
    };
    let memories = made.memories.iter().map(|slot| (*slot, access(WORDS)));
    let read = made.tensors.iter().map(|slot| (*slot, access(WORDS)));
    tensors.pointers.extend(memories.chain(read));
    tensors
}

/// The map that a kernel makes others of: with the parts that are replaced, its box has these bytes.
fn first_map(name: String, copy: &Use, bytes: Option<u64>, made: &Made) -> Option<TensorMap> {
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

/// Returns the element type for which an atomic operation on tensors is defined, unless floats have the operation.
const fn combined_type(op: AtomicOp) -> Option<ScalarType> {
    match op {
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Inc | AtomicOp::Dec => {
            Some(ScalarType::U32)
        }
        AtomicOp::Min | AtomicOp::Max => Some(ScalarType::S32),
        AtomicOp::Add | AtomicOp::Exch | AtomicOp::Cas => None,
    }
}

/// A map whose box has these bytes as far as that can be; none for lines of images, of which too much is open.
fn map_of(
    name: String,
    copy: &Use,
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
    // What the driver would refuse is no guess.
    map.object().is_ok().then_some(map)
}

/// A map of images without a border, whose pixels have these bytes together.
fn image_map(name: String, copy: &Use, bytes: Option<u64>) -> Option<TensorMap> {
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

/// The tensor of a map that was guessed: numbers that count.
pub(crate) fn tensor_of(map: &TensorMap) -> Buffer {
    Buffer {
        name: map.buffer.clone(),
        ty: map.ty.clone(),
        len: map.dims.iter().product(),
        shape: map.dims.iter().rev().copied().collect(),
        init: Init::Fill(Literal::Text("iota".to_owned())),
        ..Buffer::default()
    }
}
