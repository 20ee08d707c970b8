//! Matrix descriptors: 64-bit descriptions of the layout of a matrix in shared memory (PTX ISA, "Matrix Descriptor Format" of `wgmma`,
//! "Shared memory descriptor" of `tcgen05`; the layouts are those of CuTe).

use super::swizzle::SwizzleMode;

/// Instruction family of a 64-bit shared-memory descriptor: `wgmma` or `tcgen05`. The families use different encodings of the swizzle
/// mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorKind {
    /// `wgmma`
    Warpgroup,
    /// `tcgen05`
    TensorMemory,
}

/// Matrix dimension that is contiguous in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    K,
    /// Rows of A or columns of B (MN-major).
    Mn,
}

/// Decoded matrix descriptor. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixDescriptor {
    /// Address of the first element in the shared memory of the CTA.
    pub start: u64,
    pub leading_bytes: u64,
    pub stride_bytes: u64,
    /// Base offset: start of the swizzle pattern, in lines of 128 bytes.
    pub base_offset: u64,
    pub swizzle: SwizzleMode,
}

impl MatrixDescriptor {
    /// Decodes a 64-bit descriptor. Returns `None` for an invalid swizzle mode.
    pub fn decode(bits: u64, kind: DescriptorKind) -> Option<MatrixDescriptor> {
        let bytes = |from: u32| (bits >> from & 0x3fff) << 4;
        let swizzle = match kind {
            DescriptorKind::Warpgroup => match bits >> 62 {
                0 => SwizzleMode::None,
                1 => SwizzleMode::B128,
                2 => SwizzleMode::B64,
                _ => SwizzleMode::B32,
            },
            DescriptorKind::TensorMemory => match bits >> 61 {
                0 => SwizzleMode::None,
                1 => SwizzleMode::B128Atom32,
                2 => SwizzleMode::B128,
                4 => SwizzleMode::B64,
                6 => SwizzleMode::B32,
                _ => return None,
            },
        };
        Some(MatrixDescriptor {
            start: bytes(0),
            leading_bytes: bytes(16),
            stride_bytes: bytes(32),
            base_offset: bits >> 49 & 7,
            swizzle,
        })
    }

    /// Encodes the descriptor. Addresses and sizes are encoded in units of 16 bytes, and the lower four bits are dropped. Returns `None`
    /// for a swizzle mode that `kind` does not support.
    pub fn encode(&self, kind: DescriptorKind) -> Option<u64> {
        let field = |bytes: u64, at: u32| (bytes >> 4 & 0x3fff) << at;
        let codes = match kind {
            DescriptorKind::Warpgroup => match self.swizzle {
                SwizzleMode::None => 0,
                SwizzleMode::B128 => 1 << 62,
                SwizzleMode::B64 => 2 << 62,
                SwizzleMode::B32 => 3 << 62,
                SwizzleMode::B128Atom32
                | SwizzleMode::B128Atom32Flip8
                | SwizzleMode::B128Atom64 => {
                    return None;
                }
            },
            DescriptorKind::TensorMemory => {
                let swizzle: u64 = match self.swizzle {
                    SwizzleMode::None => 0,
                    SwizzleMode::B128Atom32 => 1,
                    SwizzleMode::B128 => 2,
                    SwizzleMode::B64 => 4,
                    SwizzleMode::B32 => 6,
                    SwizzleMode::B128Atom32Flip8 | SwizzleMode::B128Atom64 => return None,
                };
                // Bits 46 to 48 have the constant value 0b001.
                swizzle << 61 | 1 << 46
            }
        };
        let sizes = field(self.leading_bytes, 16) | field(self.stride_bytes, 32);
        Some(field(self.start, 0) | sizes | (self.base_offset & 7) << 49 | codes)
    }

    /// Returns the shared memory address of a byte of the matrix. In K-major layout, `mn` is the index of the row of A or column of B, and
    /// `k` is an offset in bytes. In MN-major layout, `mn` is an offset in bytes, and `k` is the index of an element.
    pub fn place(&self, major: Major, mn: u64, k: u64) -> u64 {
        let (lead, stride) = (self.leading_bytes, self.stride_bytes);
        let span = self.swizzle.span_bytes();
        let offset = match (major, span) {
            (Major::K, None) => mn / 8 * stride + mn % 8 * 16 + k / 16 * lead + k % 16,
            (Major::K, Some(span)) => mn / 8 * stride + mn % 8 * span + k,
            (Major::Mn, None) => mn / 16 * stride + mn % 16 + k / 8 * lead + k % 8 * 16,
            (Major::Mn, Some(_)) if self.swizzle == SwizzleMode::B128Atom32 => {
                mn / 128 * lead + mn % 128 + k / 4 * stride + k % 4 * 128
            }
            (Major::Mn, Some(span)) => mn / span * lead + mn % span + k / 8 * stride + k % 8 * span,
        };
        let address = self.start + offset;
        // The manual does not specify how the base offset modifies the swizzle. The subtraction of the base offset is inferred, and the
        // base offset of all known kernels is 0.
        let shift = self.base_offset << 7;
        self.swizzle
            .apply(address.wrapping_sub(shift))
            .wrapping_add(shift)
    }
}

/// Packing of the elements of an operand matrix in the k dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementPacking {
    /// Each element occupies this number of whole bytes.
    Bytes(u32),
    /// Each 16-byte unit begins with 16 packed elements of this number of bits, followed by padding.
    Padded(u32),
    /// Each byte contains two elements. The first element is in the low bits.
    Nibbles,
}

impl ElementPacking {
    /// Returns the byte offset, the bit offset within the byte, and the number of bits of element `k` of a row.
    const fn place(self, k: u64) -> (u64, u32, u32) {
        match self {
            ElementPacking::Bytes(size) => (k * size as u64, 0, 8 * size),
            ElementPacking::Padded(bits) => {
                let bit = k % 16 * bits as u64;
                (k / 16 * 16 + bit / 8, (bit % 8) as u32, bits)
            }
            ElementPacking::Nibbles => (k / 2, 4 * (k % 2) as u32, 4),
        }
    }
}

/// Operand matrix in shared memory. The descriptor specifies the layout, and the storage specifies the packing of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMatrixOperand {
    pub descriptor: MatrixDescriptor,
    pub major: Major,
    pub storage: ElementPacking,
}

impl SharedMatrixOperand {
    /// Returns the byte address, the bit offset within the byte, and the number of bits of element `k` in row `line` of A or column `line`
    /// of B.
    pub fn element(&self, line: u64, k: u64) -> (u64, u32, u32) {
        let (byte, bit, n_bits) = self.storage.place(k);
        let (mn, k) = match self.major {
            Major::K => (line, byte),
            Major::Mn => (line * u64::from(n_bits / 8).max(1), k),
        };
        (self.descriptor.place(self.major, mn, k), bit, n_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::{DescriptorKind, Major, MatrixDescriptor};
    use crate::tensor_layout::SwizzleMode;

    #[test]
    fn matrix_descriptor_fields_use_16_byte_units() {
        let bits = 0x40 | 2 << 16 | 64 << 32 | 1 << 62;
        let descriptor = MatrixDescriptor::decode(bits, DescriptorKind::Warpgroup);
        let kind = DescriptorKind::Warpgroup;
        assert_eq!(
            descriptor.and_then(|descriptor| descriptor.encode(kind)),
            Some(bits)
        );
        let expected = MatrixDescriptor {
            start: 0x400,
            leading_bytes: 32,
            stride_bytes: 1024,
            base_offset: 0,
            swizzle: SwizzleMode::B128,
        };
        assert_eq!(descriptor, Some(expected));
        // Byte 2 of row 9 in the k dimension is in the second group of eight rows, and in line 1 of the swizzle pattern.
        assert_eq!(
            expected.place(Major::K, 9, 2),
            0x400 + 1024 + 128 + (2 ^ 16)
        );
        assert_eq!(
            MatrixDescriptor::decode(3 << 61, DescriptorKind::TensorMemory),
            None
        );
    }
}
