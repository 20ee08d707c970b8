//! `.nv.info`: what a compiled file states of its kernels. The bytes of a section go in; its attributes come out.
//!
//! The numbers are those that the listings of the vendor's tools name (release 13.5).

/// Threads of a block at most: three words.
pub const MAX_THREADS: u8 = 0x05;
/// Where the parameters start in constant bank 0, and how many bytes they take.
pub const PARAM_CBANK: u8 = 0x0a;
/// Bytes of the frame of a function: its symbol, then the bytes.
pub const FRAME_SIZE: u8 = 0x11;
/// Bytes of stack of a thread, with all that a function calls: its symbol, then the bytes.
pub const MIN_STACK_SIZE: u8 = 0x12;
/// The stack of what calls itself, or what is not known.
pub const UNBOUNDED_STACK: u32 = u32::MAX;
/// Threads of a block that `.reqntid` requires: three words.
pub const REQUIRED_THREADS: u8 = 0x10;
/// A parameter: see [`ParameterInfo::read`].
pub const KPARAM_INFO: u8 = 0x17;
/// Registers of a thread: the symbol of its function, then the number.
pub const REGCOUNT: u8 = 0x2f;
/// Barriers of a block, in the attribute itself.
pub const NUM_BARRIERS: u8 = 0x4c;

/// How the length of an attribute is stated: the first byte of it.
const SIZED: u8 = 4;

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoAttribute {
    pub number: u8,
    /// The value of one without a size of its own.
    pub small: u16,
    /// Where the value starts in the section.
    pub start: usize,
    /// Bytes of the value; 0 without a size of its own. They may end past the section.
    pub size: usize,
}

/// The attributes of a section, in order.
pub fn attributes(bytes: &[u8]) -> Vec<InfoAttribute> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some([format, number, low, high]) = bytes.get(at..at + 4) {
        let small = u16::from_le_bytes([*low, *high]);
        let size = match *format {
            SIZED => usize::from(small),
            _ => 0,
        };
        found.push(InfoAttribute {
            number: *number,
            small,
            start: at + 4,
            size,
        });
        at += 4 + size;
    }
    found
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub ordinal: u32,
    /// From the first parameter on.
    pub byte_offset: u32,
    pub size_bytes: u32,
}

impl ParameterInfo {
    /// Reads the second and the third word of a [`KPARAM_INFO`].
    pub const fn read(place: u32, bits: u32) -> ParameterInfo {
        ParameterInfo {
            ordinal: place & 0xffff,
            byte_offset: place >> 16,
            // The lower bits say alignment, space and bank.
            size_bytes: bits >> 18,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_follow_each_other_with_and_without_a_size() {
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
