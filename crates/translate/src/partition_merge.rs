//! Merge of the partitions of a run, each of which has a separate memory. The module takes partitions whose blocks have
//! finished, and returns whether blocks of different partitions access the same word in conflict, the address ranges
//! that must be tracked to detect such conflicts, and the merged memory.

use crate::bailout::BailoutReason;
use crate::engine::{LinearMemory, ModuleInstance};
use crate::layout::{BYTES_SHIFT, MemoryWindow, ModuleLayout, NO_COMMON_PATTERN, holds, range};
use std::borrow::Cow;
use warpgrid_emulator::translation_view::TranslationView;

/// Whether and how a partition has accessed an address range.
#[derive(Clone, Copy)]
struct RangeAccess {
    range_flags: u32,
    sharing: u32,
}

impl RangeAccess {
    fn is_any(self) -> bool {
        self.range_flags & (holds::READ | holds::WRITTEN) != 0
    }

    fn is_store(self) -> bool {
        self.range_flags & holds::WRITTEN != 0
    }

    fn is_noted(self) -> bool {
        self.range_flags & holds::TRACKED != 0
    }
}

/// Returns the address ranges that must be tracked from the start of the run in order to determine whether blocks of
/// different partitions conflict. Returns an error if blocks conflict.
pub(crate) fn check(
    places: &ModuleLayout,
    plain: TranslationView<'_>,
    parts: &[&dyn LinearMemory],
) -> Result<Vec<u32>, BailoutReason> {
    let tables: Vec<_> = parts
        .iter()
        .map(|part| MemoryWindow::of(*part, places.ranges()))
        .collect();
    let mut unnoted = Vec::new();
    for (index, place) in places.all(plain) {
        let at = places.ranges + index * range::BYTES;
        let access = |table: &MemoryWindow<_>| RangeAccess {
            range_flags: table.get32(at + range::HOLDS),
            sharing: table.get32(at + range::PRIVATE_PATTERN),
        };
        let all: Vec<(&dyn LinearMemory, RangeAccess)> = parts
            .iter()
            .copied()
            .zip(tables.iter().map(access))
            .collect();
        let touched: Vec<(&dyn LinearMemory, RangeAccess)> =
            all.into_iter().filter(|(_, a)| a.is_any()).collect();
        let is_written = touched.iter().any(|(_, access)| access.is_store());
        if !is_written || touched.len() < 2 {
            continue;
        }
        let shared = touched
            .first()
            .map_or(NO_COMMON_PATTERN, |(_, first)| first.sharing);
        let is_shared_out =
            shared != NO_COMMON_PATTERN && touched.iter().all(|(_, a)| a.sharing == shared);
        if is_shared_out && !touched.iter().any(|(_, access)| access.is_noted()) {
            continue;
        }
        if !touched.iter().all(|(_, access)| access.is_noted()) {
            unnoted.push(index);
            continue;
        }
        // Round the range up to whole words. No other address range begins in the last word of this range.
        let place = place.start..place.end.next_multiple_of(4);
        let mut met = ConflictMap::new(place.len());
        for (part, _) in &touched {
            let [wrote, read] = places.arena_shadow.map(|notes| {
                let notes = notes as usize;
                part.read(place.start + notes..place.end + notes)
            });
            let held = part.read(place.clone());
            met.add(
                &read,
                PartitionStores {
                    written_mask: wrote,
                    contents: held,
                },
            )?;
        }
    }
    Ok(unnoted)
}

/// Stores of a partition to an address range: the written bytes and their values.
struct PartitionStores<'m> {
    /// Shadow words that contain the writer of each word in the address range.
    written_mask: Cow<'m, [u8]>,
    /// Contents of the address range after the last block of the partition.
    contents: Cow<'m, [u8]>,
}

impl PartitionStores<'_> {
    /// Returns the mask of the bytes of a word that the partition has stored.
    fn bytes(&self, word: usize) -> u8 {
        (word_of(&self.written_mask, word) >> BYTES_SHIFT) as u8
    }

    /// Checks whether two partitions have stored different values to the same byte of a word.
    fn differs(&self, other: &PartitionStores<'_>, word: usize) -> bool {
        let both = self.bytes(word) & other.bytes(word);
        let differ = word_of(&self.contents, word) ^ word_of(&other.contents, word);
        (0..4).any(|byte| both >> byte & 1 != 0 && differ >> (8 * byte) & 0xff != 0)
    }
}

/// Returns a word of a little-endian byte range.
fn word_of(bytes: &[u8], word: usize) -> u32 {
    let bytes = bytes
        .get(4 * word..4 * word + 4)
        .and_then(|b| b.first_chunk());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Read and write flags for each word of an address range, combined from the partitions added so far. The merge detects
/// conflicts between partitions with these flags.
struct ConflictMap<'m> {
    words: Vec<u8>,
    parts: Vec<PartitionStores<'m>>,
}

const READ: u8 = 1;
const WROTE: u8 = 2;

impl<'m> ConflictMap<'m> {
    fn new(n_bytes: usize) -> ConflictMap<'m> {
        ConflictMap {
            words: vec![0; n_bytes.div_ceil(4)],
            parts: Vec::new(),
        }
    }

    /// Adds the accesses of a partition. Returns an error if another partition has accessed the same word, unless all
    /// accesses to the word are loads, or all are stores of equal values.
    fn add(&mut self, read: &[u8], stored: PartitionStores<'m>) -> Result<(), BailoutReason> {
        let is_noted = |note: &[u8]| note.iter().any(|byte| *byte != 0);
        let notes = stored.written_mask.chunks(4).zip(read.chunks(4));
        for (index, (word, (wrote, read))) in self.words.iter_mut().zip(notes).enumerate() {
            let mut own = 0;
            if is_noted(wrote) {
                own |= WROTE;
            }
            if is_noted(read) {
                own |= READ;
            }
            if own != 0 && *word != 0 && (own | *word) & WROTE != 0 {
                let is_read = (own | *word) & READ != 0;
                if is_read || self.parts.iter().any(|part| part.differs(&stored, index)) {
                    return Err(BailoutReason::Conflict);
                }
            }
            *word |= own;
        }
        self.parts.push(stored);
        Ok(())
    }
}

/// Copies the changes of one partition to the memory of another partition. Each address range is given with its start
/// in the arena.
pub(crate) fn add(
    to: &mut impl ModuleInstance,
    from: &dyn LinearMemory,
    plain: TranslationView<'_>,
    changed: &[(std::ops::Range<usize>, usize)],
) {
    for (place, start) in changed {
        let Some(before) = plain.arena().get(*start..*start + place.len()) else {
            continue;
        };
        let found = from.read(place.clone());
        to.update(place.clone(), |bytes| {
            let chunks = found.chunks(CHUNK).zip(before.chunks(CHUNK));
            for (bytes, (found, before)) in bytes.chunks_mut(CHUNK).zip(chunks) {
                if found != before {
                    for (byte, (found, before)) in bytes.iter_mut().zip(found.iter().zip(before)) {
                        if found != before {
                            *byte = *found;
                        }
                    }
                }
            }
        });
    }
}

/// Number of bytes that one comparison covers.
const CHUNK: usize = 64;
