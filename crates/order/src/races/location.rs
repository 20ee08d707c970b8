//! Memory locations: a memory, an address, and the words that an access covers.

use crate::races::clock::Fenced;
use warpgrid_emulator::MemoryId;

/// Bytes of a word.
pub(crate) const WORD: u64 = 4;

/// A memory: global, or the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    Global,
    /// Linear index of the block.
    Shared(u64),
}

impl Memory {
    /// A fence between proxies for this memory, by threads of a block.
    pub(crate) const fn fenced(self, block: u64) -> Fenced {
        match self {
            Memory::Global => Fenced::Global(block),
            Memory::Shared(_) => Fenced::Shared(block),
        }
    }
}

/// Bytes of a line: 32 words.
pub(crate) const LINE: u64 = 128;

/// Bytes of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) memory: Memory,
    pub(crate) address: u64,
    pub(crate) n: u32,
    /// Whether they are the same before and after.
    pub(crate) same_value: bool,
    /// Whether all lanes write the same there.
    pub(crate) same_among: bool,
}

impl Bytes {
    /// Bytes of which nothing is known to be the same.
    pub(crate) const fn at(memory: Memory, address: u64, n: u32) -> Bytes {
        Bytes {
            memory,
            address,
            n,
            same_value: false,
            same_among: false,
        }
    }

    /// The words that they are in: address of each, and its bytes.
    pub(crate) const fn words(self) -> Words {
        Words {
            at: self.address,
            end: self.address.saturating_add(self.n as u64),
        }
    }
}

/// The words that bytes are in.
pub(crate) struct Words {
    pub(crate) at: u64,
    pub(crate) end: u64,
}

impl Iterator for Words {
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

/// The memory that a detector looks at; what belongs to one thread, and what no thread writes, it does not.
pub(crate) fn memory_of(memory: MemoryId) -> Option<Memory> {
    match memory {
        MemoryId::Global => Some(Memory::Global),
        MemoryId::Shared { block } => Some(Memory::Shared(block)),
        MemoryId::Constant | MemoryId::Parameters | MemoryId::Local { .. } => None,
    }
}

/// A place that strong operations access.
pub(crate) type Location = (Memory, u64);
