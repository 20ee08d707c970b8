//! Serialization of the elements of a buffer as a JSON list of numbers and bit patterns.

use serde::{Serialize, Serializer};
use warpgrid_launch::value::ElementType;

/// Elements of a buffer for serialization to JSON. The serialization converts the elements one by one, because a list of the converted
/// values of a 1 GiB buffer would occupy 32 GiB.
#[derive(Debug)]
pub struct BufferValues<'a> {
    pub ty: ElementType,
    pub bytes: &'a [u8],
}

impl Serialize for BufferValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Serialize integers of up to 32 bits directly, because a conversion to `Literal` would take twice as long.
        match self.ty {
            ElementType::U8 => self.collect(serializer, u8::from_le_bytes),
            ElementType::S8 => self.collect(serializer, i8::from_le_bytes),
            ElementType::U16 => self.collect(serializer, u16::from_le_bytes),
            ElementType::S16 => self.collect(serializer, i16::from_le_bytes),
            ElementType::U32 => self.collect(serializer, u32::from_le_bytes),
            ElementType::S32 => self.collect(serializer, i32::from_le_bytes),
            _ => {
                let elements = self.bytes.chunks(self.ty.width_bytes());
                let decode = |element| self.ty.decode(self.ty.bits(element));
                serializer.collect_seq(elements.map(decode))
            }
        }
    }
}

impl BufferValues<'_> {
    /// Serializes the elements. Each element is a number of `WIDTH` bytes, which `read` converts to `T`.
    fn collect<S: Serializer, T: Serialize, const WIDTH: usize>(
        &self,
        serializer: S,
        read: impl Fn([u8; WIDTH]) -> T,
    ) -> Result<S::Ok, S::Error> {
        let (elements, _) = self.bytes.as_chunks::<WIDTH>();
        serializer.collect_seq(elements.iter().map(|element| read(*element)))
    }
}

#[cfg(test)]
mod tests {
    use super::BufferValues;
    use warpgrid_launch::value::ElementType;

    #[test]
    fn serialization_matches_decode_for_every_type() {
        let bytes: Vec<u8> = (0..=255_u8).rev().chain([0; 32]).collect();
        for (name, ty) in ElementType::ALL.iter().copied() {
            let values = BufferValues { ty, bytes: &bytes };
            let written = serde_json::to_value(values).unwrap();
            let elements = bytes.chunks(ty.width_bytes());
            let decoded: Vec<_> = elements.map(|e| ty.decode(ty.bits(e))).collect();
            assert_eq!(written, serde_json::to_value(decoded).unwrap(), "{name}");
        }
    }
}
