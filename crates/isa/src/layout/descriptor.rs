//! Descriptors of matrices in shared memory: 64 bits that say where each element lies (PTX ISA, "Matrix Descriptor Format" of `wgmma`,
//! "Shared memory descriptor" of `tcgen05`; layouts as CuTe computes them).

use super::swizzle::Swizzle;

/// Whose descriptor it is: the two families encode the swizzle otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorKind {
    /// Of `wgmma`.
    Warpgroup,
    /// Of `tcgen05`.
    TensorMemory,
}

/// Which of the two indices of a matrix runs along neighbours in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    K,
    /// Rows of A or columns of B.
    Mn,
}

/// A descriptor of a matrix in shared memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixDescriptor {
    /// Of the first element, in shared memory of the block.
    pub start: u64,
    pub leading_bytes: u64,
    pub stride_bytes: u64,
    /// Where the pattern of the swizzle begins, in lines of 128 bytes.
    pub base_offset: u64,
    pub swizzle: Swizzle,
}

impl MatrixDescriptor {
    /// Takes the 64 bits apart; `None` for a swizzle that does not exist.
    pub fn decode(bits: u64, kind: DescriptorKind) -> Option<MatrixDescriptor> {
        let bytes = |from: u32| (bits >> from & 0x3fff) << 4;
        let swizzle = match kind {
            DescriptorKind::Warpgroup => match bits >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::B128,
                2 => Swizzle::B64,
                _ => Swizzle::B32,
            },
            DescriptorKind::TensorMemory => match bits >> 61 {
                0 => Swizzle::None,
                1 => Swizzle::B128Atom32,
                2 => Swizzle::B128,
                4 => Swizzle::B64,
                6 => Swizzle::B32,
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

    /// The 64 bits of the descriptor; fields count 16 bytes, and what is below is lost. `None` for a swizzle that `kind` does not have.
    pub fn encode(&self, kind: DescriptorKind) -> Option<u64> {
        let field = |bytes: u64, at: u32| (bytes >> 4 & 0x3fff) << at;
        let codes = match kind {
            DescriptorKind::Warpgroup => match self.swizzle {
                Swizzle::None => 0,
                Swizzle::B128 => 1 << 62,
                Swizzle::B64 => 2 << 62,
                Swizzle::B32 => 3 << 62,
                Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 | Swizzle::B128Atom64 => {
                    return None;
                }
            },
            DescriptorKind::TensorMemory => {
                let swizzle: u64 = match self.swizzle {
                    Swizzle::None => 0,
                    Swizzle::B128Atom32 => 1,
                    Swizzle::B128 => 2,
                    Swizzle::B64 => 4,
                    Swizzle::B32 => 6,
                    Swizzle::B128Atom32Flip8 | Swizzle::B128Atom64 => return None,
                };
                // Bits 46 to 48 are a constant.
                swizzle << 61 | 1 << 46
            }
        };
        let sizes = field(self.leading_bytes, 16) | field(self.stride_bytes, 32);
        Some(field(self.start, 0) | sizes | (self.base_offset & 7) << 49 | codes)
    }

    /// The address of a byte: `mn` counts rows of A or columns of B, `k` bytes along k where the matrix is K-major; where it is MN-major,
    /// `mn` counts bytes and `k` elements.
    pub fn place(&self, major: Major, mn: u64, k: u64) -> u64 {
        let (lead, stride) = (self.leading_bytes, self.stride_bytes);
        let span = self.swizzle.span_bytes();
        let offset = match (major, span) {
            (Major::K, None) => mn / 8 * stride + mn % 8 * 16 + k / 16 * lead + k % 16,
            (Major::K, Some(span)) => mn / 8 * stride + mn % 8 * span + k,
            (Major::Mn, None) => mn / 16 * stride + mn % 16 + k / 8 * lead + k % 8 * 16,
            (Major::Mn, Some(_)) if self.swizzle == Swizzle::B128Atom32 => {
                mn / 128 * lead + mn % 128 + k / 4 * stride + k % 4 * 128
            }
            (Major::Mn, Some(span)) => mn / span * lead + mn % span + k / 8 * stride + k % 8 * span,
        };
        let address = self.start + offset;
        // That the pattern's beginning is subtracted is inferred; all known kernels have 0 here.
        let shift = self.base_offset << 7;
        self.swizzle
            .apply(address.wrapping_sub(shift))
            .wrapping_add(shift)
    }
}

/// How the elements of a factor lie side by side along k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Whole bytes each.
    Bytes(u32),
    /// 16 values of this many bits at the front of 16 bytes.
    Padded(u32),
    /// Two values in a byte, the low bits first.
    Nibbles,
}

impl Storage {
    /// Byte, first bit there and number of bits of element `k` along a row.
    const fn place(self, k: u64) -> (u64, u32, u32) {
        match self {
            Storage::Bytes(size) => (k * size as u64, 0, 8 * size),
            Storage::Padded(bits) => {
                let bit = k % 16 * bits as u64;
                (k / 16 * 16 + bit / 8, (bit % 8) as u32, bits)
            }
            Storage::Nibbles => (k / 2, 4 * (k % 2) as u32, 4),
        }
    }
}

/// A factor in shared memory: a descriptor says where rows and columns lie, the storage how elements lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedFactor {
    pub descriptor: MatrixDescriptor,
    pub major: Major,
    pub storage: Storage,
}

impl SharedFactor {
    /// Address, first bit there and number of bits of element `k` of a row of A, or of a column of B.
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
    use crate::layout::Swizzle;

    #[test]
    fn fields_count_sixteen_bytes() {
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
            swizzle: Swizzle::B128,
        };
        assert_eq!(descriptor, Some(expected));
        // Row 9, byte 2 of k: the second group of eight rows, line 1 of the pattern.
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
