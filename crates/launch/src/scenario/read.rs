//! Deserialization of parameters: first the fields of all kinds, then validation of the fields of the specific kind.
//!
//! Serde's implementation of tagged, flattened and untagged types buffers arbitrary values, which adds 38 KB to the emulator module.

use super::{Buffer, Field, Init, Parameter, Resource, Surface, TensorMap, Texture};
use crate::value::{Literal, LiteralVisitor};
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Parameter or member of a structure, with the fields of all kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    kind: Kind,
    name: String,
    offset: Option<u64>,
    #[serde(rename = "type")]
    ty: Option<String>,
    len: Option<u64>,
    #[serde(default)]
    shape: Vec<u64>,
    #[serde(default)]
    init: Init,
    #[serde(default)]
    start: u64,
    expect: Option<Vec<Literal>>,
    expect_sha256: Option<String>,
    one_of: Option<Vec<Vec<Literal>>>,
    value: Option<Literal>,
    size: Option<u64>,
    #[serde(default)]
    align: u64,
    fields: Option<Vec<Field>>,
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
    resource: Option<Resource>,
    #[serde(default)]
    address_mode: Vec<String>,
    buffers: Option<Vec<String>>,
    filter: Option<String>,
    read_mode: Option<String>,
    #[serde(default)]
    normalized: bool,
    #[serde(default)]
    border_color: Vec<f64>,
    /// Name of the array of a resource. Accepted by the deserializer and ignored.
    #[serde(rename = "array")]
    _array: Option<IgnoredAny>,
    /// Accepted by the deserializer and ignored.
    #[serde(rename = "compare")]
    _compare: Option<IgnoredAny>,
    #[serde(rename = "notes")]
    _notes: Option<IgnoredAny>,
}

enum Kind {
    Buffer,
    Scalar,
    Struct,
    Alias,
    Tensormap,
    Texture,
    Surface,
    Multimem,
}

/// Implemented manually, so that the error for an unknown kind names the kind rather than the first of its fields.
impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        struct KindVisitor;
        impl Visitor<'_> for KindVisitor {
            type Value = Kind;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "`buffer`, `scalar`, `struct`, `alias`, `tensormap`, `texture`, `surface` or `multimem`",
                )
            }

            fn visit_str<E: de::Error>(self, kind: &str) -> Result<Kind, E> {
                Ok(match kind {
                    "buffer" => Kind::Buffer,
                    "scalar" => Kind::Scalar,
                    "struct" => Kind::Struct,
                    "alias" => Kind::Alias,
                    "tensormap" => Kind::Tensormap,
                    "texture" => Kind::Texture,
                    "surface" => Kind::Surface,
                    "multimem" => Kind::Multimem,
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

impl TryFrom<Fields> for Parameter {
    type Error = String;

    fn try_from(read: Fields) -> Result<Parameter, String> {
        let name = read.name;
        Ok(match read.kind {
            Kind::Buffer => Parameter::Buffer(Buffer {
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
            Kind::Scalar => Parameter::Scalar {
                name,
                ty: need(read.ty, "type")?,
                value: need(read.value, "value")?,
            },
            Kind::Struct => Parameter::Struct {
                name,
                size: need(read.size, "size")?,
                align: read.align,
                fields: need(read.fields, "fields")?,
            },
            Kind::Alias => Parameter::Alias {
                name,
                of: need(read.of, "of")?,
            },
            Kind::Tensormap => {
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
            Kind::Texture => Parameter::Texture(Texture {
                name,
                resource: need(read.resource, "resource")?,
                address_mode: read.address_mode,
                filter: read.filter,
                read_mode: read.read_mode,
                normalized: read.normalized,
                border_color: read.border_color,
            }),
            Kind::Surface => Parameter::Surface(Surface {
                name,
                resource: need(read.resource, "resource")?,
            }),
            Kind::Multimem => Parameter::Multimem {
                name,
                buffers: need(read.buffers, "buffers")?,
            },
        })
    }
}

impl TryFrom<Fields> for Field {
    type Error = String;

    fn try_from(read: Fields) -> Result<Field, String> {
        Ok(Field {
            offset: need(read.offset, "offset")?,
            parameter: read.try_into()?,
        })
    }
}

impl<'de> Deserialize<'de> for Init {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Init, D::Error> {
        struct InitVisitor;
        impl<'de> Visitor<'de> for InitVisitor {
            type Value = Init;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of values, or one single value: ")?;
                LiteralVisitor.expecting(f)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Init, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Init::List(values))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Init, E> {
                LiteralVisitor.visit_i64(value).map(Init::Fill)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Init, E> {
                LiteralVisitor.visit_u64(value).map(Init::Fill)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Init, E> {
                LiteralVisitor.visit_f64(value).map(Init::Fill)
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Init, E> {
                LiteralVisitor.visit_str(value).map(Init::Fill)
            }
        }
        deserializer.deserialize_any(InitVisitor)
    }
}
