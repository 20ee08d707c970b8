//! Parser for `.nv.info` sections, which contain the attributes of the kernels in a compiled file.
//!
//! The attribute numbers are those of the vendor's tools (release 13.5).

/// Attribute number of the maximum number of threads per CTA. The value has three words.
pub const MAX_THREADS: u8 = 0x05;
/// Attribute number of the location of the kernel parameters: their offset in constant bank 0, and their size in bytes.
pub const PARAM_CBANK: u8 = 0x0a;
/// Attribute number of the frame size of a function. The value contains the symbol of the function and the size in bytes.
pub const FRAME_SIZE: u8 = 0x11;
/// Attribute number of the stack size per thread, including all callees. The value contains the symbol of the function and the size in
/// bytes.
pub const MIN_STACK_SIZE: u8 = 0x12;
/// Value of [`MIN_STACK_SIZE`] for recursive functions and for an unknown stack size.
pub const UNBOUNDED_STACK: u32 = u32::MAX;
/// Attribute number of the number of threads per CTA that `.reqntid` requires. The value has three words.
pub const REQUIRED_THREADS: u8 = 0x10;
/// Attribute number of a kernel parameter. See [`ParameterInfo::read`].
pub const KPARAM_INFO: u8 = 0x17;
/// Attribute number of the register count per thread. The value contains the symbol of the function and the count.
pub const REGCOUNT: u8 = 0x2f;
/// Attribute number of the number of CTA barriers. The value is stored in the attribute itself.
pub const NUM_BARRIERS: u8 = 0x4c;

/// Value of the format byte (the first byte) of attributes with an explicit size.
const SIZED: u8 = 4;

/// Attribute of a `.nv.info` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvInfoAttribute {
    pub number: u8,
    /// Value of an attribute without an explicit size.
    pub small: u16,
    /// Offset of the value in the section, in bytes.
    pub start: usize,
    /// Size of the value in bytes, or 0 for an attribute without an explicit size. The value may extend past the end of the section.
    pub size: usize,
}

/// Returns the attributes of a section, in order.
pub fn attributes(bytes: &[u8]) -> Vec<NvInfoAttribute> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some([format, number, low, high]) = bytes.get(at..at + 4) {
        let small = u16::from_le_bytes([*low, *high]);
        let size = match *format {
            SIZED => usize::from(small),
            _ => 0,
        };
        found.push(NvInfoAttribute {
            number: *number,
            small,
            start: at + 4,
            size,
        });
        at += 4 + size;
    }
    found
}

/// Parameter of a kernel, as described by a `.nv.info` attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub ordinal: u32,
    /// Offset from the first parameter, in bytes.
    pub byte_offset: u32,
    pub size_bytes: u32,
}

impl ParameterInfo {
    /// Decodes the second and third word of a [`KPARAM_INFO`] attribute.
    pub const fn read(place: u32, bits: u32) -> ParameterInfo {
        ParameterInfo {
            ordinal: place & 0xffff,
            byte_offset: place >> 16,
            // The lower 18 bits encode alignment, state space and constant bank.
            size_bytes: bits >> 18,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sized_and_unsized_attributes_are_parsed_in_sequence() {
        let bytes = [
            1,
            NUM_BARRIERS,
            2,
            0,
            SIZED,
            PARAM_CBANK,
            4,
            0,
            0,
            0,
            0x10,
            2,
            SIZED,
            9,
        ];
        let found = attributes(&bytes);
        let facts: Vec<_> = found
            .iter()
            .map(|a| (a.number, a.small, a.start, a.size))
            .collect();
        assert_eq!(facts, [(NUM_BARRIERS, 2, 4, 0), (PARAM_CBANK, 4, 8, 4)]);
    }
}
