//! Tensor maps of a scenario. JSON parameters list extents from innermost to outermost, as in the driver API, and `//@` lines list extents
//! from outermost to innermost, as in array declarations.
//!
//! ```text
//! //@ tensormap map = tiled x: f16[40][64] box=[24][64] swizzle=128B
//! //@ tensormap map = tiled x+256: f32[20][36] strides=[192] box=[8][16] step=[2][1] oob=nan
//! //@ tensormap map = im2col x: f16[2][6][7][16] lower=[-1][-1] upper=[-1][-1] channels=8 pixels=16 step=[1][2][2][1]
//! ```

use serde::Serialize;
use std::fmt::Write;
use warpgrid_emulator as machine;
use warpgrid_emulator::{Interleave, MAX_RANK, StorageUnit, TensorMode, TensorType};
use warpgrid_isa::tensor_layout::SwizzleMode;
use warpgrid_program::counted;

/// Tensor map parameter, which is passed by value as 128 bytes, or as the address of these bytes (CUDA driver API,
/// "cuTensorMapEncodeTiled").
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TensorMap {
    pub name: String,
    /// Mode: `tiled`, `im2col`, `im2col_w` or `im2col_w128`.
    pub mode: String,
    /// Buffer that contains the tensor.
    pub buffer: String,
    /// Byte offset of the tensor in the buffer.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub byte_offset: u64,
    /// Element type: `u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz u4_align8 u4_align16 u6_align16`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of elements along each of 1 to 5 dimensions, innermost first.
    pub dims: Vec<u64>,
    /// Strides in bytes along each dimension except the innermost. If empty, the tensor is packed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<u64>>", optional))]
    pub strides: Vec<u64>,
    /// Box extents in elements along each dimension, for `tiled`.
    #[serde(rename = "box", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<u32>>", optional))]
    pub box_extents: Vec<u32>,
    /// Element strides along each dimension. Default: 1 for each dimension.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<u32>>", optional))]
    pub element_strides: Vec<u32>,
    /// Corner of the bounding box along width, height and depth, for `im2col`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<i32>>", optional))]
    pub lower_corner: Vec<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<i32>>", optional))]
    pub upper_corner: Vec<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels_per_pixel: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels_per_column: Option<u32>,
    /// Interleave layout: `none`, `16B` or `32B`. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleave: Option<String>,
    /// Swizzle mode: `none`, `32B`, `64B`, `128B`, `128B_atom_32B`, `128B_atom_32B_flip_8B` or `128B_atom_64B`. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swizzle: Option<String>,
    /// L2 promotion: `none`, `64B`, `128B` or `256B`. The value does not affect results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_promotion: Option<String>,
    /// Fill value for out-of-bounds elements: `zeros` or `nan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oob_fill: Option<String>,
    /// Passing mode: `value`, or `pointer` for the address of the tensor map in global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<String>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl TensorMap {
    /// Checks whether the parameter is the address of the tensor map.
    pub(crate) fn is_pointer(&self) -> bool {
        self.passed.as_deref() == Some("pointer")
    }

    /// Returns the tensor map object, whose tensor address is the byte offset of the tensor in its buffer. The error is a message.
    pub(crate) fn object(&self) -> Result<machine::TensorMap, String> {
        let mode = known("mode", &self.mode, TensorMode::from_name)?;
        let ty = known("type", &self.ty, TensorType::from_name)?;
        let named = |field: &Option<String>| field.clone().unwrap_or_else(|| "none".to_owned());
        let interleave = known(
            "interleave",
            &named(&self.interleave),
            Interleave::from_name,
        )?;
        let swizzle = known("swizzle", &named(&self.swizzle), SwizzleMode::from_name)?;
        let promotions = ["none", "64B", "128B", "256B"];
        let promotion = |name: &str| promotions.contains(&name).then_some(());
        known("l2_promotion", &named(&self.l2_promotion), promotion)?;
        let fill = self.oob_fill.as_deref().unwrap_or("zeros");
        let fills_nan = known("oob_fill", fill, |name| match name {
            "zeros" => Some(false),
            "nan" => Some(true),
            _ => None,
        })?;
        known(
            "passed",
            self.passed.as_deref().unwrap_or("value"),
            |name| matches!(name, "value" | "pointer").then_some(()),
        )?;
        let rank = self.dims.len();
        if !(1..=MAX_RANK).contains(&rank) {
            let found = counted(rank, "dimension");
            return Err(format!("found {found}, expected 1 to {MAX_RANK}"));
        }
        self.check_lengths(mode)?;
        let (swizzle_mode, atomicity) = swizzle.numbers();
        let object = machine::TensorMap {
            mode,
            address: self.byte_offset,
            ty,
            rank,
            extents: padded(&self.dims, 1),
            strides: padded(&self.strides_or_packed(interleave.unit(ty)), 0),
            box_extents: padded(&self.box_extents, 1),
            element_strides: padded(&self.element_strides, 1),
            interleave,
            swizzle_mode,
            atomicity,
            fills_nan,
            lower_corner: padded(&self.lower_corner, 0),
            upper_corner: padded(&self.upper_corner, 0),
            channels_per_pixel: self.channels_per_pixel.unwrap_or(0),
            pixels_per_column: self.pixels_per_column.unwrap_or(0),
        };
        match object.problem() {
            None => Ok(object),
            Some(problem) => Err(problem),
        }
    }

    /// Checks that the number of values in each list matches the number of dimensions.
    fn check_lengths(&self, mode: TensorMode) -> Result<(), String> {
        let rank = self.dims.len();
        let is_tiled = mode == TensorMode::Tiled;
        let n_corners = mode.n_corners(rank);
        for (field, found, expected) in [
            ("strides", self.strides.len(), rank - 1),
            (
                "box",
                self.box_extents.len(),
                if is_tiled { rank } else { 0 },
            ),
            ("element_strides", self.element_strides.len(), rank),
            ("lower_corner", self.lower_corner.len(), n_corners),
            ("upper_corner", self.upper_corner.len(), n_corners),
        ] {
            let may_be_absent = !(field == "box" && is_tiled);
            if found != expected && (found != 0 || !may_be_absent) {
                let found = counted(found, "number");
                return Err(format!("found {found} for `{field}`, expected {expected}"));
            }
        }
        Ok(())
    }

    /// Returns the strides in bytes. By default, these are the strides of a packed tensor.
    fn strides_or_packed(&self, unit: StorageUnit) -> Vec<u64> {
        if !self.strides.is_empty() {
            return self.strides.clone();
        }
        let mut stride = None;
        let inner = self.dims.iter().take(self.dims.len().saturating_sub(1));
        inner
            .map(|extent| {
                let next = match stride {
                    None => extent
                        .div_ceil(unit.n_values)
                        .saturating_mul(unit.global_bytes),
                    Some(stride) => extent.saturating_mul(stride),
                };
                stride = Some(next);
                next
            })
            .collect()
    }

    /// Formats the text of a `tensormap` annotation after the keyword.
    pub(crate) fn line(&self) -> String {
        let offset = match self.byte_offset {
            0 => String::new(),
            bytes => format!("+{bytes}"),
        };
        let mut line = format!(
            "{} = {} {}{offset}: {}{}",
            self.name,
            self.mode,
            self.buffer,
            self.ty,
            outermost_first(&self.dims)
        );
        let mut list = |word: &str, extents: String| {
            if !extents.is_empty() {
                let _ = write!(line, " {word}={extents}");
            }
        };
        list("strides", outermost_first(&self.strides));
        list("box", outermost_first(&self.box_extents));
        list("step", outermost_first(&self.element_strides));
        list("lower", outermost_first(&self.lower_corner));
        list("upper", outermost_first(&self.upper_corner));
        list("channels", optional(self.channels_per_pixel));
        list("pixels", optional(self.pixels_per_column));
        for (word, value) in [
            ("interleave", &self.interleave),
            ("swizzle", &self.swizzle),
            ("l2", &self.l2_promotion),
            ("oob", &self.oob_fill),
            ("passed", &self.passed),
        ] {
            list(word, value.clone().unwrap_or_default());
        }
        line
    }

    /// Parses the text of a `tensormap` annotation after `tensormap name =`.
    pub(crate) fn read(name: &str, text: &str) -> Result<TensorMap, String> {
        let form = "the tensor map is incomplete, expected a tensor map such as `tiled x: f16[40][64] box=[24][64] swizzle=128B`";
        let (place, rest) = text.split_once(':').ok_or(form)?;
        let (mode, buffer) = place.trim().split_once(' ').ok_or(form)?;
        let (buffer, byte_offset) = match buffer.trim().rsplit_once('+') {
            Some((buffer, bytes)) => (buffer.trim(), number(bytes)?),
            None => (buffer.trim(), 0),
        };
        let mut words = rest.split_whitespace();
        let array = words.next().ok_or(form)?;
        let bracket = array.find('[').ok_or(form)?;
        let (ty, dims) = array.split_at(bracket);
        let mut map = TensorMap {
            name: name.to_owned(),
            mode: mode.to_owned(),
            buffer: buffer.to_owned(),
            byte_offset,
            ty: ty.to_owned(),
            dims: innermost_first(dims)?,
            ..TensorMap::default()
        };
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                format!("found the tensor map option `{word}`, expected an option such as `swizzle=128B`")
            })?;
            let named = || Some(value.to_owned());
            match key {
                "strides" => map.strides = innermost_first(value)?,
                "box" => map.box_extents = innermost_first(value)?,
                "step" => map.element_strides = innermost_first(value)?,
                "lower" => map.lower_corner = innermost_first(value)?,
                "upper" => map.upper_corner = innermost_first(value)?,
                "channels" => map.channels_per_pixel = Some(number(value)?),
                "pixels" => map.pixels_per_column = Some(number(value)?),
                "interleave" => map.interleave = named(),
                "swizzle" => map.swizzle = named(),
                "l2" => map.l2_promotion = named(),
                "oob" => map.oob_fill = named(),
                "passed" => map.passed = named(),
                _ => {
                    return Err(format!(
                        "found `{key}`, expected `strides`, `box`, `step`, `lower`, `upper`, `channels`, `pixels`, `interleave`, `swizzle`, `l2`, `oob` or `passed`"
                    ));
                }
            }
        }
        map.object()?;
        Ok(map)
    }
}

/// Returns the variant with the name `word`. The error is a message about the field.
pub(super) fn known<T>(
    field: &str,
    word: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    find(word).ok_or_else(|| format!("unknown value `{word}` of `{field}`"))
}

/// Converts a list to an array with `N` elements, and sets missing elements to `rest`.
fn padded<T: Copy, const N: usize>(list: &[T], rest: T) -> [T; N] {
    std::array::from_fn(|at| list.get(at).copied().unwrap_or(rest))
}

pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("found `{text}`, expected a number"))
}

fn optional(n: Option<u32>) -> String {
    n.map(|n| n.to_string()).unwrap_or_default()
}

/// Formats a list of extents, innermost first, in the notation of array declarations: 64, 40 as `[40][64]`.
fn outermost_first<T: ToString>(list: &[T]) -> String {
    list.iter()
        .rev()
        .map(|n| format!("[{}]", n.to_string()))
        .collect()
}

/// Parses the extents of an array declaration to a list, innermost first: `[40][64]` to 64, 40.
pub(super) fn innermost_first<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let inner = inner.ok_or_else(|| match text {
        "" => "the type has no extents, expected extents such as `[8][16]`".to_owned(),
        _ => format!("found the extents `{text}`, expected extents such as `[8][16]`"),
    })?;
    let mut list = inner
        .split("][")
        .map(number)
        .collect::<Result<Vec<T>, String>>()?;
    list.reverse();
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::TensorMap;

    #[test]
    fn tensor_map_lines_round_trip() {
        for line in [
            "map = tiled x: f16[40][64] box=[24][64] swizzle=128B",
            "map = tiled x+256: f32[20][36] strides=[192] box=[8][16] step=[2][1] oob=nan",
            "map = im2col x: f16[2][6][7][16] step=[1][2][2][1] lower=[-1][-2] upper=[-1][0] channels=8 pixels=16",
            "map = tiled x: u8[64] box=[64] interleave=none l2=128B oob=zeros passed=pointer",
        ] {
            let (name, rest) = line.split_once('=').expect("a name");
            let map = TensorMap::read(name.trim(), rest.trim()).expect("a tensor map");
            assert_eq!(map.line(), line);
        }
    }

    #[test]
    fn invalid_tensor_maps_are_rejected_with_reason() {
        for (text, reason) in [
            (
                "tiled x",
                "the tensor map is incomplete, expected a tensor map such as `tiled x: f16[40][64] box=[24][64] swizzle=128B`",
            ),
            ("tile x: f16[8] box=[8]", "unknown value `tile` of `mode`"),
            ("tiled x: f17[8] box=[8]", "unknown value `f17` of `type`"),
            ("tiled x: f16[8]", "found 0 numbers for `box`, expected 1"),
            (
                "tiled x: f16[8][8] box=[8]",
                "found 1 number for `box`, expected 2",
            ),
            (
                "tiled x: f16[8] box=[7]",
                "the box has 14 bytes along dimension 0, expected a multiple of 16",
            ),
            (
                "tiled x: f16[8][64] box=[8][64] swizzle=64B",
                "the box has 128 bytes along dimension 0, expected at most 64, the span of the swizzle",
            ),
            (
                "tiled x+8: f16[8] box=[8]",
                "the tensor address 0x8 is not a multiple of 16",
            ),
            (
                "tiled x: f16[8] box=[8] depth=3",
                "found `depth`, expected `strides`, `box`, `step`, `lower`, `upper`, `channels`, `pixels`, `interleave`, `swizzle`, `l2`, `oob` or `passed`",
            ),
            (
                "tiled x: u8[16] box=[16] oob=nan",
                "NaN fill is not supported for `u8`",
            ),
            (
                "im2col x: f16[8][8] channels=8 pixels=8",
                "found 2 dimensions, expected 3 to 5",
            ),
        ] {
            assert_eq!(
                TensorMap::read("map", text),
                Err(reason.to_owned()),
                "{text}"
            );
        }
    }
}
