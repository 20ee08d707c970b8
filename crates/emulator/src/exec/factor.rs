//! Factors of products in shared memory: a descriptor says where rows and columns lie, the storage how elements lie side by side. In: bytes of
//! shared memory; out: elements, line after line.

use crate::exec::reach::Halt;
use crate::run::fault::FaultKind;
use crate::state::descriptor::{Major, MatrixDescriptor};
use std::ops::Range;
use warpgrid_isa::{AccessKind, StateSpace};

/// How the elements of a factor lie side by side along k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Whole bytes each.
    Bytes(u32),
    /// 16 values of this many bits at the front of 16 bytes.
    Padded(u32),
    /// Two values in a byte, the low bits first.
    Nibbles,
}

impl Storage {
    /// Byte, first bit there and number of bits of element `k` along a row.
    fn place(self, k: u64) -> (u64, u32, u32) {
        match self {
            Storage::Bytes(size) => (k * u64::from(size), 0, 8 * size),
            Storage::Padded(bits) => {
                let bit = k % 16 * u64::from(bits);
                (k / 16 * 16 + bit / 8, (bit % 8) as u32, bits)
            }
            Storage::Nibbles => (k / 2, 4 * (k % 2) as u32, 4),
        }
    }
}

/// A factor in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedFactor {
    pub(crate) descriptor: MatrixDescriptor,
    pub(crate) major: Major,
    pub(crate) storage: Storage,
}

impl SharedFactor {
    /// The elements of these rows of A, or columns of B, `depth` each; a fault of `lanes` where they are not in shared memory.
    pub(crate) fn lines(
        &self,
        shared: &[u8],
        lines: Range<usize>,
        depth: usize,
        lanes: u32,
    ) -> Result<Vec<u64>, Box<Halt>> {
        let mut values = Vec::with_capacity(lines.len() * depth);
        for line in lines {
            for k in 0..depth as u64 {
                let (byte, bit, n_bits) = self.storage.place(k);
                let (mn, k) = match self.major {
                    Major::K => (line as u64, byte),
                    Major::Mn => (line as u64 * u64::from(n_bits / 8).max(1), k),
                };
                let address = self.descriptor.place(self.major, mn, k);
                values.push(read_bits(shared, address, (bit, n_bits), lanes)?);
            }
        }
        Ok(values)
    }
}

/// `n_bits` bits from bit `bit` on of the bytes at an address in shared memory; a fault of `lanes` outside of it.
pub(crate) fn read_bits(
    shared: &[u8],
    address: u64,
    (bit, n_bits): (u32, u32),
    lanes: u32,
) -> Result<u64, Box<Halt>> {
    let n_bytes = (bit + n_bits).div_ceil(8);
    let start = address as usize;
    let Some(bytes) = shared.get(start..start + n_bytes as usize) else {
        return Err(Box::new(Halt {
            kind: FaultKind::OutOfBounds,
            lanes,
            access: Some((AccessKind::Load, StateSpace::Shared, address, n_bytes)),
        }));
    };
    let little = bytes.iter().rev();
    let value = little.fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    Ok(value >> bit & (u64::MAX >> (64 - n_bits)))
}
