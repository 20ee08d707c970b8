//! Memory locations: a memory, an address, and the words that an access covers.

use crate::races::vector_clock::ProxyFence;
use warpgrid_emulator::MemoryId;

/// Size of a word in bytes.
pub(crate) const WORD: u64 = 4;

/// Memory in which accesses can race: global memory, or the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryInstance {
    Global,
    /// Shared memory of the block with this linear index.
    Shared(u64),
}

impl MemoryInstance {
    /// Returns the kind of proxy fence that covers this memory if threads of the given block execute the fence.
    pub(crate) const fn fenced(self, block: u64) -> ProxyFence {
        match self {
            MemoryInstance::Global => ProxyFence::Global(block),
            MemoryInstance::Shared(_) => ProxyFence::Shared(block),
        }
    }
}

/// Size of a line in bytes, which is 32 words.
pub(crate) const LINE: u64 = 128;

/// Range of bytes of a memory that an access covers, with properties of the written values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteRange {
    pub(crate) memory: MemoryInstance,
    pub(crate) address: u64,
    pub(crate) n: u32,
    /// Whether the access leaves the bytes unchanged.
    pub(crate) same_value: bool,
    /// Whether all lanes of the access write equal bytes.
    pub(crate) same_among: bool,
}

impl ByteRange {
    /// Returns a range of bytes whose values are unknown.
    pub(crate) const fn at(memory: MemoryInstance, address: u64, n: u32) -> ByteRange {
        ByteRange {
            memory,
            address,
            n,
            same_value: false,
            same_among: false,
        }
    }

    /// Returns the words that contain the bytes of the range. Each word is represented by its address and the mask of its bytes in the
    /// range.
    pub(crate) const fn words(self) -> WordIter {
        WordIter {
            at: self.address,
            end: self.address.saturating_add(self.n as u64),
        }
    }
}

/// Iterator over the words of a [`ByteRange`].
pub(crate) struct WordIter {
    pub(crate) at: u64,
    pub(crate) end: u64,
}

impl Iterator for WordIter {
    type Item = (u64, u8);

    fn next(&mut self) -> Option<(u64, u8)> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at / WORD * WORD;
        let (from, to) = (self.at - start, (self.end - start).min(WORD));
        self.at = start.saturating_add(WORD);
        Some((start, (1u8 << to).wrapping_sub(1 << from) & 15))
    }
}

/// Returns the memory in which accesses can race. Returns `None` for thread-private and read-only memory.
pub(crate) fn memory_of(memory: MemoryId) -> Option<MemoryInstance> {
    match memory {
        MemoryId::Global => Some(MemoryInstance::Global),
        MemoryId::Shared { block } => Some(MemoryInstance::Shared(block)),
        MemoryId::Constant | MemoryId::Parameters | MemoryId::Local { .. } => None,
    }
}

/// Memory and address of a location that strong operations access.
pub(crate) type StrongLocation = (MemoryInstance, u64);
