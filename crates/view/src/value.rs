//! Element values: JSON numbers and `"0x…"` bit patterns on one side, little-endian bytes on the other.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A value as a scenario writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Integer(i128),
    Float(f64),
    /// `"0x…"`: the bits of the element, or a word such as `"iota"`.
    Text(String),
}

impl Default for Literal {
    fn default() -> Literal {
        Literal::Integer(0)
    }
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Literal::Integer(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => serializer.serialize_str(&format!("{value:#x}")),
            },
            Literal::Float(value) => serializer.serialize_f64(*value),
            Literal::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Literal, D::Error> {
        struct LiteralVisitor;
        impl Visitor<'_> for LiteralVisitor {
            type Value = Literal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a bit pattern such as \"0x7fc00000\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Literal, E> {
                Ok(Literal::Integer(value.into()))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Literal, E> {
                Ok(Literal::Integer(value.into()))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Literal, E> {
                Ok(Literal::Float(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Literal, E> {
                Ok(Literal::Text(value.to_owned()))
            }
        }
        deserializer.deserialize_any(LiteralVisitor)
    }
}
