//! Identifiers of the memories of a launch, with a text representation for hosts. For example, `out` identifies a buffer, `shared:0`
//! identifies the shared memory of block 0, `tensor:0` identifies the tensor memory of block 0, and `var:table` identifies a module
//! variable.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Identifier of a memory of a launch, with which hosts request its contents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub enum MemoryKey {
    /// Buffer with this name.
    Buffer(String),
    /// Shared memory of the block with this linear index.
    Shared(u64),
    /// Tensor memory of the block with this linear index.
    Tensor(u64),
    /// Module variable with this name.
    Variable(String),
}

const SHARED: &str = "shared:";
const TENSOR: &str = "tensor:";
const VARIABLE: &str = "var:";

impl From<&str> for MemoryKey {
    /// Parses the text representation of an identifier. Every text is a valid identifier, but the identified memory may not exist.
    fn from(text: &str) -> MemoryKey {
        if let Some(Ok(block)) = text.strip_prefix(SHARED).map(str::parse) {
            return MemoryKey::Shared(block);
        }
        if let Some(Ok(block)) = text.strip_prefix(TENSOR).map(str::parse) {
            return MemoryKey::Tensor(block);
        }
        match text.strip_prefix(VARIABLE) {
            Some(name) => MemoryKey::Variable(name.to_owned()),
            None => MemoryKey::Buffer(text.to_owned()),
        }
    }
}

impl fmt::Display for MemoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryKey::Buffer(name) => f.write_str(name),
            MemoryKey::Shared(block) => write!(f, "{SHARED}{block}"),
            MemoryKey::Tensor(block) => write!(f, "{TENSOR}{block}"),
            MemoryKey::Variable(name) => write!(f, "{VARIABLE}{name}"),
        }
    }
}

impl Serialize for MemoryKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemoryKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MemoryKey, D::Error> {
        String::deserialize(deserializer).map(|text| MemoryKey::from(text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_through_string() {
        let ids = [
            MemoryKey::Buffer("out".into()),
            MemoryKey::Shared(3),
            MemoryKey::Tensor(1),
            MemoryKey::Variable("table".into()),
        ];
        for id in ids {
            assert_eq!(MemoryKey::from(id.to_string().as_str()), id);
        }
    }
}
