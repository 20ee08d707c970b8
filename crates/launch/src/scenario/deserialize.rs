//! Deserialization of parameters: the deserializer first reads the fields of all kinds of parameters, and then
//! validates the fields for the specified kind.
//!
//! The implementation does not use tagged, flattened and untagged types of Serde, because their buffering of arbitrary
//! values adds 38 KB to the emulator module.

use super::{
    Buffer, BufferInitializer, ImageResource, Parameter, StructField, Surface, TensorMap, Texture,
};
use crate::value::{Literal, LiteralVisitor};
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Parameter or member of a structure, with the fields of all kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterFields {
    kind: ParameterKind,
    name: String,
    offset: Option<u64>,
    #[serde(rename = "type")]
    ty: Option<String>,
    len: Option<u64>,
    #[serde(default)]
    shape: Vec<u64>,
    #[serde(default)]
    init: BufferInitializer,
    #[serde(default)]
    start: u64,
    expect: Option<Vec<Literal>>,
    expect_sha256: Option<String>,
    one_of: Option<Vec<Vec<Literal>>>,
    value: Option<Literal>,
    size: Option<u64>,
    #[serde(default)]
    align: u64,
    fields: Option<Vec<StructField>>,
    of: Option<String>,
    mode: Option<String>,
    buffer: Option<String>,
    #[serde(default)]
    byte_offset: u64,
    dims: Option<Vec<u64>>,
    #[serde(default)]
    strides: Vec<u64>,
    #[serde(default, rename = "box")]
    box_extents: Vec<u32>,
    #[serde(default)]
    element_strides: Vec<u32>,
    #[serde(default)]
    lower_corner: Vec<i32>,
    #[serde(default)]
    upper_corner: Vec<i32>,
    channels_per_pixel: Option<u32>,
    pixels_per_column: Option<u32>,
    interleave: Option<String>,
    swizzle: Option<String>,
    l2_promotion: Option<String>,
    oob_fill: Option<String>,
    passed: Option<String>,
    resource: Option<ImageResource>,
    #[serde(default)]
    address_mode: Vec<String>,
    buffers: Option<Vec<String>>,
    filter: Option<String>,
    read_mode: Option<String>,
    #[serde(default)]
    normalized: bool,
    #[serde(default)]
    border_color: Vec<f64>,
    /// Name of the array of a resource. The deserializer accepts and ignores this field.
    #[serde(rename = "array")]
    _array: Option<IgnoredAny>,
    /// Field that the deserializer accepts and ignores.
    #[serde(rename = "compare")]
    _compare: Option<IgnoredAny>,
    #[serde(rename = "notes")]
    _notes: Option<IgnoredAny>,
}

enum ParameterKind {
    Buffer,
    Scalar,
    Struct,
    Alias,
    Tensormap,
    Texture,
    Surface,
    Multimem,
}

/// The manual implementation ensures that the error for an unknown kind contains the kind. The derived implementation
/// would report the first field of the parameter instead.
impl<'de> Deserialize<'de> for ParameterKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ParameterKind, D::Error> {
        struct KindVisitor;
        impl Visitor<'_> for KindVisitor {
            type Value = ParameterKind;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "`buffer`, `scalar`, `struct`, `alias`, `tensormap`, `texture`, `surface` or `multimem`",
                )
            }

            fn visit_str<E: de::Error>(self, kind: &str) -> Result<ParameterKind, E> {
                Ok(match kind {
                    "buffer" => ParameterKind::Buffer,
                    "scalar" => ParameterKind::Scalar,
                    "struct" => ParameterKind::Struct,
                    "alias" => ParameterKind::Alias,
                    "tensormap" => ParameterKind::Tensormap,
                    "texture" => ParameterKind::Texture,
                    "surface" => ParameterKind::Surface,
                    "multimem" => ParameterKind::Multimem,
                    _ => return Err(E::invalid_value(de::Unexpected::Str(kind), &self)),
                })
            }
        }
        deserializer.deserialize_str(KindVisitor)
    }
}

fn need<T>(field: Option<T>, name: &str) -> Result<T, String> {
    field.ok_or_else(|| format!("missing field `{name}`"))
}

impl TryFrom<ParameterFields> for Parameter {
    type Error = String;

    fn try_from(read: ParameterFields) -> Result<Parameter, String> {
        let name = read.name;
        Ok(match read.kind {
            ParameterKind::Buffer => Parameter::Buffer(Buffer {
                name,
                ty: need(read.ty, "type")?,
                len: need(read.len, "len")?,
                shape: read.shape,
                init: read.init,
                start: read.start,
                expect: read.expect,
                expect_sha256: read.expect_sha256,
                one_of: read.one_of,
            }),
            ParameterKind::Scalar => Parameter::Scalar {
                name,
                ty: need(read.ty, "type")?,
                value: need(read.value, "value")?,
            },
            ParameterKind::Struct => Parameter::Struct {
                name,
                size: need(read.size, "size")?,
                align: read.align,
                fields: need(read.fields, "fields")?,
            },
            ParameterKind::Alias => Parameter::Alias {
                name,
                of: need(read.of, "of")?,
            },
            ParameterKind::Tensormap => {
                let map = TensorMap {
                    name,
                    mode: need(read.mode, "mode")?,
                    buffer: need(read.buffer, "buffer")?,
                    byte_offset: read.byte_offset,
                    ty: need(read.ty, "type")?,
                    dims: need(read.dims, "dims")?,
                    strides: read.strides,
                    box_extents: read.box_extents,
                    element_strides: read.element_strides,
                    lower_corner: read.lower_corner,
                    upper_corner: read.upper_corner,
                    channels_per_pixel: read.channels_per_pixel,
                    pixels_per_column: read.pixels_per_column,
                    interleave: read.interleave,
                    swizzle: read.swizzle,
                    l2_promotion: read.l2_promotion,
                    oob_fill: read.oob_fill,
                    passed: read.passed,
                };
                Parameter::Tensormap(map)
            }
            ParameterKind::Texture => Parameter::Texture(Texture {
                name,
                resource: need(read.resource, "resource")?,
                address_mode: read.address_mode,
                filter: read.filter,
                read_mode: read.read_mode,
                normalized: read.normalized,
                border_color: read.border_color,
            }),
            ParameterKind::Surface => Parameter::Surface(Surface {
                name,
                resource: need(read.resource, "resource")?,
            }),
            ParameterKind::Multimem => Parameter::Multimem {
                name,
                buffers: need(read.buffers, "buffers")?,
            },
        })
    }
}

impl TryFrom<ParameterFields> for StructField {
    type Error = String;

    fn try_from(read: ParameterFields) -> Result<StructField, String> {
        Ok(StructField {
            offset: need(read.offset, "offset")?,
            parameter: read.try_into()?,
        })
    }
}

impl<'de> Deserialize<'de> for BufferInitializer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BufferInitializer, D::Error> {
        struct InitVisitor;
        impl<'de> Visitor<'de> for InitVisitor {
            type Value = BufferInitializer;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of values, or one single value: ")?;
                LiteralVisitor.expecting(f)
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<BufferInitializer, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(BufferInitializer::List(values))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<BufferInitializer, E> {
                LiteralVisitor.visit_i64(value).map(BufferInitializer::Fill)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<BufferInitializer, E> {
                LiteralVisitor.visit_u64(value).map(BufferInitializer::Fill)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<BufferInitializer, E> {
                LiteralVisitor.visit_f64(value).map(BufferInitializer::Fill)
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<BufferInitializer, E> {
                LiteralVisitor.visit_str(value).map(BufferInitializer::Fill)
            }
        }
        deserializer.deserialize_any(InitVisitor)
    }
}
