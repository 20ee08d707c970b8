//! Parameters as they are read: first the fields of every kind, then those that the kind needs.
//!
//! Serde's own way to a tagged, flattened or untagged type holds any value in between, and that is 38 KB of the core.

use super::{Buffer, Field, Init, Parameter};
use crate::value::{Literal, LiteralVisitor};
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A parameter, or a member of a structure, with the fields of every kind.
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
    /// For readers.
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
}

/// By hand, so that a kind without a run is refused by its name, and not by the first of its fields.
impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        struct KindVisitor;
        impl Visitor<'_> for KindVisitor {
            type Value = Kind;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`buffer`, `scalar`, `struct` or `alias`")
            }

            fn visit_str<E: de::Error>(self, kind: &str) -> Result<Kind, E> {
                Ok(match kind {
                    "buffer" => Kind::Buffer,
                    "scalar" => Kind::Scalar,
                    "struct" => Kind::Struct,
                    "alias" => Kind::Alias,
                    "tensormap" | "texture" | "surface" => {
                        let why = format!("a parameter of kind `{kind}` does not run yet");
                        return Err(E::custom(why));
                    }
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
                f.write_str("a list of values, or one: ")?;
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
