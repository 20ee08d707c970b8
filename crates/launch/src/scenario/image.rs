//! Textures and surfaces: arrays that are accessible only through handles, and handle parameters. Arrays and handles have three
//! representations: scenario fields, `//@` lines, and launch arguments.

use super::tensor_map::{innermost_first, known, number};
use super::{Buffer, BufferInitializer};
use crate::value::Literal;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use warpgrid_emulator::{AddressMode, BufferIndex, ImageInit, Sampler};
use warpgrid_isa::ScalarType;
use warpgrid_program::counted;

/// Array for textures and surfaces (CUDA driver API, "cuArray3DCreate").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(from = "ArrayFields")]
pub struct TexelArray {
    pub name: String,
    /// Channel type: `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of channels: 1, 2 or 4. Default: 1.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub channels: u64,
    pub width: u64,
    /// Height in rows. Default: 0, for a one-dimensional array.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub height: u64,
    /// Depth. Default: 0, for an array that is not a volume.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub depth: u64,
    /// Number of layers. Default: 0, for an array that is not layered.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub layers: u64,
    /// Whether the array is a cube map, in which each layer has six faces. A cube map has at least one layer.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub cubemap: bool,
    /// Whether the array can be bound to a surface. The value does not affect a run.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub surface: bool,
    /// Initial values in the order channel, x, y, z or layer and face, where the channel varies fastest.
    #[cfg_attr(feature = "typescript", ts(as = "Option<BufferInitializer>", optional))]
    pub init: BufferInitializer,
    /// Expected memory contents after the launch. `null` specifies no expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Vec<Literal>>,
    /// SHA-256 digest of the expected bytes in little-endian order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_sha256: Option<String>,
}

/// Fields of an array for deserialization.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrayFields {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    channels: Option<u64>,
    width: u64,
    #[serde(default)]
    height: u64,
    #[serde(default)]
    depth: u64,
    #[serde(default)]
    layers: u64,
    #[serde(default)]
    cubemap: bool,
    #[serde(default)]
    surface: bool,
    #[serde(default)]
    init: BufferInitializer,
    expect: Option<Vec<Literal>>,
    expect_sha256: Option<String>,
    /// Field that the deserializer accepts and ignores.
    #[serde(rename = "compare")]
    _compare: Option<IgnoredAny>,
    #[serde(rename = "notes")]
    _notes: Option<IgnoredAny>,
}

impl From<ArrayFields> for TexelArray {
    fn from(read: ArrayFields) -> TexelArray {
        TexelArray {
            name: read.name,
            ty: read.ty,
            channels: read.channels.unwrap_or(1),
            width: read.width,
            height: read.height,
            depth: read.depth,
            layers: read.layers,
            cubemap: read.cubemap,
            surface: read.surface,
            init: read.init,
            expect: read.expect,
            expect_sha256: read.expect_sha256,
        }
    }
}

/// Texture handle parameter (CUDA driver API, "cuTexObjectCreate").
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Texture {
    pub name: String,
    pub resource: ImageResource,
    /// Address modes for x, y and z: `wrap`, `clamp`, `mirror` or `border`. Default: `clamp`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<String>>", optional))]
    pub address_mode: Vec<String>,
    /// Filter mode: `point` or `linear`. Default: `point`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Read mode: `element` or `normalized_float`. Default: `element`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_mode: Option<String>,
    /// Whether coordinates are normalized to the range from 0 to 1.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub normalized: bool,
    /// Border colour with four channels. Default: zeros.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<f64>>", optional))]
    pub border_color: Vec<f64>,
}

/// Surface handle parameter (CUDA driver API, "cuSurfObjectCreate").
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Surface {
    pub name: String,
    pub resource: ImageResource,
}

/// Memory of a texture or surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(deny_unknown_fields)]
pub struct ImageResource {
    /// Kind of memory: `array`, or a part of a buffer. `linear` is one row of texels, and `pitch2d` has several rows with a
    /// pitch.
    pub kind: String,
    /// Name of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// Buffer that contains the texels. This field and the following fields apply to `linear` and `pitch2d`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub byte_offset: u64,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub width: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub height: u64,
    /// Row pitch in bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub pitch: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Names and indices of the buffers and arrays of a launch.
pub(crate) struct ImageMemory<'a> {
    pub(crate) arrays: &'a [TexelArray],
    pub(crate) find: &'a dyn Fn(&str) -> Option<BufferIndex>,
}

impl TexelArray {
    /// Returns the number of values of the whole array, or an error message for invalid extents.
    pub(crate) fn len(&self) -> Result<u64, String> {
        let facts = self.facts(BufferIndex(0))?;
        let texels = facts
            .n_planes()
            .checked_mul(self.height.max(1))
            .and_then(|rows| rows.checked_mul(self.width));
        texels
            .and_then(|texels| texels.checked_mul(self.channels))
            .ok_or_else(|| "the number of values of the array does not fit in 64 bits".to_owned())
    }

    /// Returns the image description of the array for the emulator, without a name and a sampler.
    fn facts(&self, buffer: BufferIndex) -> Result<ImageInit, String> {
        let channel = channel(&self.ty)?;
        check_channels(self.channels)?;
        if self.width == 0 {
            return Err("the array has a width of 0, expected at least 1".to_owned());
        }
        if self.depth > 0 && (self.height == 0 || self.layers > 0 || self.cubemap) {
            return Err("a volume must have a height and cannot have layers or faces".to_owned());
        }
        if self.cubemap && self.height != self.width {
            let (width, height) = (self.width, self.height);
            return Err(format!(
                "cube map faces must be square, found {width} x {height}"
            ));
        }
        for extent in [self.width, self.height, self.depth, self.layers] {
            if extent > 1 << 27 {
                return Err(format!(
                    "found the array extent {extent}, expected at most {}",
                    1 << 27
                ));
            }
        }
        Ok(ImageInit {
            name: String::new(),
            buffer,
            byte_offset: 0,
            channel,
            channels: self.channels,
            width: self.width,
            height: self.height,
            depth: self.depth,
            layers: self.layers,
            is_cubemap: self.cubemap,
            pitch: self.width * self.channels * u64::from(channel.width_bytes()),
            is_plain_memory: false,
            sampler: None,
            variable: None,
        })
    }

    /// Returns the values of the array as a buffer, whose extents are ordered from outermost to innermost.
    pub(crate) fn buffer(&self) -> Result<Buffer, String> {
        let mut shape: Vec<u64> = self.extents();
        if self.channels > 1 {
            shape.push(self.channels);
        }
        Ok(Buffer {
            name: self.name.clone(),
            ty: self.ty.clone(),
            len: self.len()?,
            shape,
            init: self.init.clone(),
            expect: self.expect.clone(),
            expect_sha256: self.expect_sha256.clone(),
            ..Buffer::default()
        })
    }

    /// Returns the extents of the values except channels, outermost first.
    fn extents(&self) -> Vec<u64> {
        let planes = match self.cubemap {
            true => 6 * self.layers.max(1),
            false => self.layers.max(self.depth),
        };
        let extents = [planes, self.height, self.width];
        extents.into_iter().filter(|extent| *extent > 0).collect()
    }

    /// Formats the text of an `array` annotation after the keyword.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("{}: {}", self.name, channels_text(&self.ty, self.channels));
        // A cube map without layers is printed with one layer.
        let planes = self.layers.max(self.depth);
        for extent in [planes, self.height, self.width] {
            if extent > 0 {
                let _ = write!(line, "[{extent}]");
            }
        }
        let words = [
            (self.cubemap, "cubemap"),
            (self.layers > 0 && !self.cubemap, "layered"),
            (self.surface, "surface"),
        ];
        for (_, word) in words.into_iter().filter(|(is, _)| *is) {
            let _ = write!(line, " {word}");
        }
        let _ = write!(line, " = {}", self.init.text());
        line
    }

    /// Parses the text between the name and the values of an `array` annotation.
    pub(crate) fn read(name: &str, text: &str) -> Result<TexelArray, String> {
        let mut words = text.split_whitespace();
        let form = "the array has no type, expected a type with extents such as `f32x4[5][7]`";
        let (ty, channels, extents) = texels(words.next().ok_or(form)?)?;
        let mut array = TexelArray {
            name: name.to_owned(),
            ty,
            channels,
            ..TexelArray::default()
        };
        let mut is_layered = false;
        for word in words {
            match word {
                "layered" => is_layered = true,
                "cubemap" => array.cubemap = true,
                "surface" => array.surface = true,
                _ => {
                    return Err(format!(
                        "found `{word}`, expected `layered`, `cubemap` or `surface`"
                    ));
                }
            }
        }
        let is_layered = is_layered || array.cubemap;
        match (extents.as_slice(), is_layered) {
            ([width], false) => array.width = *width,
            ([width, layers], true) if !array.cubemap => {
                (array.width, array.layers) = (*width, *layers);
            }
            ([width, height], _) => (array.width, array.height) = (*width, *height),
            ([width, height, depth], false) => {
                (array.width, array.height, array.depth) = (*width, *height, *depth);
            }
            ([width, height, layers], true) => {
                (array.width, array.height, array.layers) = (*width, *height, *layers);
            }
            _ => {
                let found = counted(extents.len(), "extent");
                return Err(format!(
                    "the array has {found}, expected one to three extents"
                ));
            }
        }
        array.len()?;
        Ok(array)
    }
}

impl ImageResource {
    /// Creates a resource that refers to the array `name`.
    pub(crate) fn of_array(name: &str) -> ImageResource {
        ImageResource {
            kind: "array".to_owned(),
            array: Some(name.to_owned()),
            ..ImageResource::default()
        }
    }

    /// Returns the image description of the resource for the emulator, without a sampler.
    fn image(&self, name: &str, memory: &ImageMemory<'_>) -> Result<ImageInit, String> {
        let image = match self.kind.as_str() {
            "array" => {
                let array = self.array.as_deref().ok_or("missing `array`")?;
                let found = memory.arrays.iter().find(|other| other.name == array);
                let missing = || format!("unknown array `{array}`");
                let index = (memory.find)(array).ok_or_else(missing)?;
                found.ok_or_else(missing)?.facts(index)?
            }
            "linear" | "pitch2d" => self.of_buffer(memory)?,
            other => {
                return Err(format!(
                    "found the resource kind `{other}`, expected `array`, `linear` or `pitch2d`"
                ));
            }
        };
        Ok(ImageInit {
            name: name.to_owned(),
            ..image
        })
    }

    fn of_buffer(&self, memory: &ImageMemory<'_>) -> Result<ImageInit, String> {
        let buffer = self.buffer.as_deref().ok_or("missing `buffer`")?;
        let index = (memory.find)(buffer).ok_or_else(|| format!("unknown buffer `{buffer}`"))?;
        let channel = channel(self.ty.as_deref().ok_or("missing `type`")?)?;
        let channels = self.channels.unwrap_or(1);
        check_channels(channels)?;
        let row = self
            .width
            .checked_mul(channels * u64::from(channel.width_bytes()));
        let row = row.filter(|row| *row > 0 && *row < 1 << 40);
        let row = row
            .ok_or_else(|| format!("the texture has an invalid width of {} texels", self.width))?;
        let is_row = self.kind == "linear";
        if is_row && (self.height > 0 || self.pitch > 0) {
            return Err(
                "`linear` memory has only one row, so it cannot have a `height` or `pitch`"
                    .to_owned(),
            );
        }
        if !is_row && (self.height == 0 || self.height >= 1 << 27) {
            return Err(format!(
                "the texture has an invalid height of {} rows",
                self.height
            ));
        }
        let pitch = if self.pitch == 0 { row } else { self.pitch };
        if pitch < row || pitch >= 1 << 40 {
            return Err(format!(
                "found a pitch of {pitch} bytes, expected at least the row size of {row} bytes and less than 2^40"
            ));
        }
        Ok(ImageInit {
            name: String::new(),
            buffer: index,
            byte_offset: self.byte_offset,
            channel,
            channels,
            width: self.width,
            height: self.height,
            depth: 0,
            layers: 0,
            is_cubemap: false,
            pitch,
            is_plain_memory: true,
            sampler: None,
            variable: None,
        })
    }

    fn text(&self) -> String {
        if let Some(array) = &self.array {
            return array.clone();
        }
        let mut text = format!("{} {}", self.kind, self.buffer.as_deref().unwrap_or(""));
        if self.byte_offset > 0 {
            let _ = write!(text, "+{}", self.byte_offset);
        }
        let ty = self.ty.as_deref().unwrap_or("");
        let _ = write!(text, ": {}", channels_text(ty, self.channels.unwrap_or(1)));
        if self.height > 0 {
            let _ = write!(text, "[{}]", self.height);
        }
        let _ = write!(text, "[{}]", self.width);
        if self.pitch > 0 {
            let _ = write!(text, " pitch={}", self.pitch);
        }
        text
    }

    /// Parses the resource in a texture or surface annotation. The second result contains the remaining words of the annotation.
    fn read(text: &str) -> Result<(ImageResource, Vec<&str>), String> {
        let form = "the texture has no resource, expected an array, or memory such as `linear x+128: f32x4[32]`";
        let Some((place, rest)) = text.split_once(':') else {
            let mut words = text.split_whitespace();
            let name = words.next().ok_or(form)?;
            return Ok((ImageResource::of_array(name), words.collect()));
        };
        let (kind, buffer) = place.trim().split_once(' ').ok_or(form)?;
        let (buffer, byte_offset) = match buffer.trim().rsplit_once('+') {
            Some((buffer, bytes)) => (buffer.trim(), number(bytes)?),
            None => (buffer.trim(), 0),
        };
        let mut words = rest.split_whitespace();
        let (ty, channels, extents) = texels(words.next().ok_or(form)?)?;
        let (width, height) = match (kind, extents.as_slice()) {
            ("linear", [width]) => (*width, 0),
            ("pitch2d", [width, height]) => (*width, *height),
            ("linear", _) => return Err("`linear` memory requires exactly one extent".to_owned()),
            ("pitch2d", _) => {
                return Err("`pitch2d` memory requires exactly two extents".to_owned());
            }
            _ => return Err(form.to_owned()),
        };
        let mut resource = ImageResource {
            kind: kind.to_owned(),
            array: None,
            buffer: Some(buffer.to_owned()),
            byte_offset,
            ty: Some(ty),
            channels: Some(channels),
            width,
            height,
            pitch: 0,
        };
        let mut left = Vec::new();
        for word in words {
            match word.strip_prefix("pitch=") {
                Some(bytes) => resource.pitch = number(bytes)?,
                None => left.push(word),
            }
        }
        Ok((resource, left))
    }
}

impl Texture {
    /// Returns the image description of the texture for the emulator, or an error message.
    pub(crate) fn image(&self, memory: &ImageMemory<'_>) -> Result<ImageInit, String> {
        let image = self.resource.image(&self.name, memory)?;
        let sampler = self.sampler()?;
        let is_narrow = image.channel.width_bytes() < 4;
        if sampler.is_linear
            && !image.channel.is_float()
            && !(sampler.reads_normalized && is_narrow)
        {
            return Err(format!(
                "the texture has `linear` filtering, but the texels of `{}` are read as integers",
                match self.resource.ty.as_deref() {
                    Some(ty) => ty,
                    None => self.resource.array.as_deref().unwrap_or(""),
                }
            ));
        }
        Ok(ImageInit {
            sampler: Some(sampler),
            ..image
        })
    }

    fn sampler(&self) -> Result<Sampler, String> {
        let mut address_modes = [AddressMode::Clamp; 3];
        if self.address_mode.len() > 3 {
            let n = self.address_mode.len();
            return Err(format!("found {n} address modes, expected one to three"));
        }
        for (dimension, mode) in address_modes.iter_mut().enumerate() {
            // If a texture specifies only one address mode, this mode applies to all dimensions.
            let word = self
                .address_mode
                .get(dimension)
                .or(match self.address_mode.len() {
                    1 => self.address_mode.first(),
                    _ => None,
                });
            if let Some(word) = word {
                *mode = known("address_mode", word, |word| match word {
                    "wrap" => Some(AddressMode::Wrap),
                    "clamp" => Some(AddressMode::Clamp),
                    "mirror" => Some(AddressMode::Mirror),
                    "border" => Some(AddressMode::Border),
                    _ => None,
                })?;
            }
        }
        let filter = self.filter.as_deref().unwrap_or("point");
        let read_mode = self.read_mode.as_deref().unwrap_or("element");
        let colour = &self.border_color;
        if !matches!(colour.len(), 0 | 4) {
            let n = colour.len();
            let found = counted(n, "component");
            return Err(format!("found {found} of `border_color`, expected 4"));
        }
        Ok(Sampler {
            address_modes,
            is_linear: known("filter", filter, |word| match word {
                "point" => Some(false),
                "linear" => Some(true),
                _ => None,
            })?,
            reads_normalized: known("read_mode", read_mode, |word| match word {
                "element" => Some(false),
                "normalized_float" => Some(true),
                _ => None,
            })?,
            is_normalized: self.normalized,
            border_color: std::array::from_fn(|channel| {
                colour.get(channel).map_or(0.0, |value| *value as f32)
            }),
        })
    }

    /// Formats the text of a `texture` annotation after the keyword.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("{} = {}", self.name, self.resource.text());
        let mut say = |word: &str, value: &str| {
            if !value.is_empty() {
                let _ = write!(line, " {word}={value}");
            }
        };
        say("filter", self.filter.as_deref().unwrap_or(""));
        say("address", &self.address_mode.join(","));
        say("read", self.read_mode.as_deref().unwrap_or(""));
        let colour: Vec<String> = self.border_color.iter().map(f64::to_string).collect();
        say("border", &colour.join(","));
        if self.normalized {
            line.push_str(" normalized");
        }
        line
    }

    /// Parses the text of a `texture` annotation after `texture name =`.
    pub(crate) fn read(name: &str, text: &str) -> Result<Texture, String> {
        let (resource, words) = ImageResource::read(text)?;
        let mut texture = Texture {
            name: name.to_owned(),
            resource,
            ..Texture::default()
        };
        for word in words {
            match word.split_once('=') {
                None if word == "normalized" => texture.normalized = true,
                Some(("filter", value)) => texture.filter = Some(value.to_owned()),
                Some(("read", value)) => texture.read_mode = Some(value.to_owned()),
                Some(("address", value)) => {
                    texture.address_mode = value.split(',').map(str::to_owned).collect();
                }
                Some(("border", value)) => {
                    texture.border_color =
                        value.split(',').map(number).collect::<Result<_, _>>()?;
                }
                _ => {
                    return Err(format!(
                        "found `{word}`, expected `filter=`, `address=`, `read=`, `border=`, `pitch=` or `normalized`"
                    ));
                }
            }
        }
        texture.sampler()?;
        Ok(texture)
    }
}

impl Surface {
    /// Returns the image description of the surface for the emulator, or an error message.
    pub(crate) fn image(&self, memory: &ImageMemory<'_>) -> Result<ImageInit, String> {
        if self.resource.kind != "array" {
            let kind = &self.resource.kind;
            return Err(format!(
                "found the resource kind `{kind}` of a surface, expected `array`"
            ));
        }
        self.resource.image(&self.name, memory)
    }

    /// Formats the text of a `surface` annotation after the keyword.
    pub(crate) fn line(&self) -> String {
        format!("{} = {}", self.name, self.resource.text())
    }

    /// Parses the text of a `surface` annotation after `surface name =`.
    pub(crate) fn read(name: &str, text: &str) -> Result<Surface, String> {
        let (resource, words) = ImageResource::read(text)?;
        match (words.as_slice(), resource.kind.as_str()) {
            ([], "array") => Ok(Surface {
                name: name.to_owned(),
                resource,
            }),
            _ => Err(format!(
                "found the resource `{text}` of a surface, expected the name of an array"
            )),
        }
    }
}

fn channel(ty: &str) -> Result<ScalarType, String> {
    use ScalarType as T;
    const CHANNELS: [ScalarType; 8] =
        [T::U8, T::S8, T::U16, T::S16, T::U32, T::S32, T::F16, T::F32];
    let found = CHANNELS.into_iter().find(|channel| channel.name() == ty);
    found.ok_or_else(|| {
        format!(
            "unknown type `{ty}`, expected `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`"
        )
    })
}

fn check_channels(n: u64) -> Result<(), String> {
    match n {
        1 | 2 | 4 => Ok(()),
        _ => Err(format!("found {n} channels, expected 1, 2 or 4")),
    }
}

/// Formats the channel type and the number of channels, such as `f32x4`, or `f32` for one channel.
fn channels_text(ty: &str, channels: u64) -> String {
    match channels {
        1 => ty.to_owned(),
        n => format!("{ty}x{n}"),
    }
}

/// Parses a text such as `f32x4[5][7]` into the channel type, the number of channels, and the extents, innermost first.
fn texels(text: &str) -> Result<(String, u64, Vec<u64>), String> {
    let bracket = text.find('[');
    let (ty, extents) = text.split_at(bracket.unwrap_or(text.len()));
    let (ty, channels) = match ty.split_once('x') {
        Some((ty, n)) => (ty, number(n)?),
        None => (ty, 1),
    };
    channel(ty)?;
    check_channels(channels)?;
    Ok((ty.to_owned(), channels, innermost_first(extents)?))
}

#[cfg(test)]
mod tests {
    use super::{Surface, TexelArray, Texture};

    #[test]
    fn texture_and_surface_lines_round_trip() {
        for line in [
            "image = texels",
            "image = texels filter=linear address=border read=normalized_float border=0,0.5,1,1 normalized",
            "image = texels address=wrap,mirror,clamp",
            "rows = linear x+128: f32x4[32]",
            "rows = pitch2d x: u8[6][9] pitch=160 filter=point",
        ] {
            let (name, rest) = line.split_once('=').expect("a name");
            let texture = Texture::read(name.trim(), rest.trim()).expect("a texture");
            assert_eq!(texture.line(), line);
        }
        let surface = Surface::read("to", "texels").expect("a surface");
        assert_eq!(surface.line(), "to = texels");
    }

    #[test]
    fn texel_array_lines_round_trip() {
        for text in [
            "u8[12]",
            "f32x4[5][7]",
            "s16x2[3][4][5] surface",
            "f32[3][9] layered",
            "f16[3][5][9] layered",
            "u8[8][8] cubemap",
            "u8[2][8][8] cubemap surface",
        ] {
            let array = TexelArray::read("a", text).expect("an array");
            assert_eq!(array.line(), format!("a: {text} = 0"));
        }
    }

    #[test]
    fn array_type_determines_channels_extents_and_shape() {
        let read = |text: &str| {
            let array = TexelArray::read("a", text).expect("an array");
            let buffer = array.buffer().expect("a buffer");
            let extents = [array.width, array.height, array.depth, array.layers];
            (array.channels, extents, buffer.shape)
        };
        for (text, expected) in [
            ("u8[12]", (1, [12, 0, 0, 0], vec![12])),
            ("f32x4[5][7]", (4, [7, 5, 0, 0], vec![5, 7, 4])),
            (
                "s16x2[3][4][5] surface",
                (2, [5, 4, 3, 0], vec![3, 4, 5, 2]),
            ),
            ("f32[3][9] layered", (1, [9, 0, 0, 3], vec![3, 9])),
            ("f16[3][5][9] layered", (1, [9, 5, 0, 3], vec![3, 5, 9])),
            ("u8[8][8] cubemap", (1, [8, 8, 0, 0], vec![6, 8, 8])),
            ("u8[2][8][8] cubemap", (1, [8, 8, 0, 2], vec![12, 8, 8])),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn invalid_images_are_rejected_with_reason() {
        for (text, reason) in [
            (
                "f64[4]",
                "unknown type `f64`, expected `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`",
            ),
            ("f32x3[4]", "found 3 channels, expected 1, 2 or 4"),
            (
                "f32",
                "the type has no extents, expected extents such as `[8][16]`",
            ),
            (
                "f32[4][4][4][4]",
                "the array has 4 extents, expected one to three extents",
            ),
            (
                "f32[4] layered",
                "the array has 1 extent, expected one to three extents",
            ),
            (
                "f32[4][4] sparse",
                "found `sparse`, expected `layered`, `cubemap` or `surface`",
            ),
            (
                "f32[4][8] cubemap",
                "cube map faces must be square, found 8 x 4",
            ),
            ("f32[0]", "the array has a width of 0, expected at least 1"),
        ] {
            assert_eq!(
                TexelArray::read("a", text).err().as_deref(),
                Some(reason),
                "{text}"
            );
        }
        for (text, reason) in [
            ("a filter=cubic", "unknown value `cubic` of `filter`"),
            (
                "a address=repeat",
                "unknown value `repeat` of `address_mode`",
            ),
            (
                "a address=wrap,wrap,wrap,wrap",
                "found 4 address modes, expected one to three",
            ),
            ("a read=float", "unknown value `float` of `read_mode`"),
            (
                "a border=1",
                "found 1 component of `border_color`, expected 4",
            ),
            (
                "a mirrored",
                "found `mirrored`, expected `filter=`, `address=`, `read=`, `border=`, `pitch=` or `normalized`",
            ),
            (
                "linear x: f32[4][4]",
                "`linear` memory requires exactly one extent",
            ),
            (
                "rows x: f32[4]",
                "the texture has no resource, expected an array, or memory such as `linear x+128: f32x4[32]`",
            ),
        ] {
            assert_eq!(
                Texture::read("t", text).err().as_deref(),
                Some(reason),
                "{text}"
            );
        }
        assert_eq!(
            Surface::read("s", "linear x: f32[4]").err().as_deref(),
            Some(
                "found the resource `linear x: f32[4]` of a surface, expected the name of an array"
            )
        );
    }
}
