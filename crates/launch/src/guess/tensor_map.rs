//! Tensor maps for a kernel that came without any. In: the tensor copies of the kernel, in order, and the bytes that mbarriers are said to
//! expect; out: a map for each parameter that a copy names, whose box has these bytes, and the tensor it lies in.

use super::{Slot, Uses, element, variables};
use crate::reading::{Reading, TensorPart, Value, readers};
use crate::scenario::{Buffer, Init, TensorMap};
use crate::value::Literal;
use std::collections::BTreeMap;
use warpgrid_isa::{AtomicOp, LoadMode, ScalarType};
use warpgrid_program::{Function, Program, RegisterId};

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
/// Boxes that lie in a tensor along its first two dimensions.
const BOXES: u64 = 2;

/// What is known of the copies of a map.
#[derive(Clone, Copy, Debug)]
struct Use {
    slot: Slot,
    /// Whether the parameter is the address of the map.
    is_pointer: bool,
    rank: usize,
    mode: LoadMode,
    /// Of one copy.
    bytes: Option<u64>,
    reduces: Option<AtomicOp>,
}

/// The map of each parameter that tensor copies name, by its place among the parameters.
pub(super) fn tensor_maps(
    program: &Program,
    function: &Function,
    uses: &Uses,
) -> BTreeMap<usize, TensorMap> {
    let product = readers(program, function).find_map(|reader| reader.factor_type());
    let found = copies(program, function, uses);
    let known = found.iter().find_map(|copy| copy.bytes);
    let mut maps = BTreeMap::new();
    for copy in found {
        let (place, offset) = copy.slot;
        let name = variables(function).nth(place).map(|v| v.name.clone());
        let bytes = copy.bytes.or(known);
        if let (Some(name), 0) = (name, offset)
            && let Some(map) = map_of(name, &copy, bytes, product)
        {
            maps.entry(place).or_insert(map);
        }
    }
    maps
}

/// The tensor copies in the order of the text, each with its share of the bytes that its mbarrier expects.
fn copies(program: &Program, function: &Function, uses: &Uses) -> Vec<Use> {
    let mut constants: BTreeMap<RegisterId, u64> = BTreeMap::new();
    let mut found: Vec<Use> = Vec::new();
    // The bytes that are expected, and the first copy that they are for.
    let mut expected: Option<u64> = None;
    let mut first = 0;
    let share = |found: &mut [Use], expected: Option<u64>| {
        let n = found.len() as u64;
        for copy in found.iter_mut().filter(|copy| copy.bytes.is_none()) {
            copy.bytes = expected.map(|bytes| bytes / n.max(1));
        }
    };
    for reader in readers(program, function) {
        if let Reading::Copy {
            to,
            from: Value::Constant(bits),
        } = reader.read()
        {
            constants.insert(to, bits);
        }
        match reader.tensor_part() {
            Some(TensorPart::Expects(value)) => {
                // What no copy follows is for those before it.
                if expected.is_some() && found.len() > first {
                    share(&mut found[first..], expected);
                    first = found.len();
                }
                expected = match value {
                    Value::Constant(bytes) => Some(bytes),
                    Value::Register(register) => constants.get(&register).copied(),
                    Value::Variable(..) | Value::Special(_) | Value::Other => None,
                };
            }
            Some(TensorPart::Copy {
                map,
                rank,
                mode,
                is_load,
                reduces,
            }) => {
                let held = uses.held(map);
                let slot = match (held.base, held.origin) {
                    (Some(slot), _) => Some((slot, false)),
                    (None, Some(slot)) => Some((slot, true)),
                    (None, None) => None,
                };
                let Some((slot, is_pointer)) = slot else {
                    continue;
                };
                let copy = Use {
                    slot,
                    is_pointer,
                    rank,
                    mode,
                    bytes: None,
                    reduces,
                };
                match is_load {
                    true => found.push(copy),
                    // No mbarrier counts it: it is put before those that are still to be shared out.
                    false => {
                        found.insert(first, copy);
                        first += 1;
                    }
                }
            }
            None => {}
        }
    }
    if found.len() > first {
        share(&mut found[first..], expected);
    }
    found
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
    // What is combined has a type for which that is defined.
    let combined = copy.reduces.and_then(|op| match op {
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Inc | AtomicOp::Dec => {
            Some(ScalarType::U32)
        }
        AtomicOp::Min | AtomicOp::Max => Some(ScalarType::S32),
        AtomicOp::Add | AtomicOp::Exch | AtomicOp::Cas => None,
    });
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
