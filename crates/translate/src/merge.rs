//! Parts of a run, each with a memory of its own, made one. In: parts whose blocks have ended; out: whether blocks of different parts met at
//! a word, which ranges must be noted to know, and the memory that all blocks leave.

use crate::engine::{Instance, Memory};
use crate::place::{BYTES_SHIFT, Places, SEVERAL, Window, holds, range};
use crate::refusal::Refusal;
use std::borrow::Cow;
use warpgrid_emulator::plain::Plain;

/// How a part accessed a range.
#[derive(Clone, Copy)]
struct Access {
    holds: u32,
    sharing: u32,
}

impl Access {
    fn is_any(self) -> bool {
        self.holds & (holds::READ | holds::WRITTEN) != 0
    }

    fn is_store(self) -> bool {
        self.holds & holds::WRITTEN != 0
    }

    fn is_noted(self) -> bool {
        self.holds & holds::NOTED != 0
    }
}

/// The ranges that must be noted from the start of the run, which shows whether blocks of different parts met there; a refusal
/// where they did.
pub(crate) fn check(
    places: &Places,
    plain: Plain<'_>,
    parts: &[&dyn Memory],
) -> Result<Vec<u32>, Refusal> {
    let tables: Vec<_> = parts
        .iter()
        .map(|part| Window::of(*part, places.ranges()))
        .collect();
    let mut unnoted = Vec::new();
    for (index, place) in places.all(plain) {
        let at = places.ranges + index * range::BYTES;
        let access = |table: &Window<_>| Access {
            holds: table.get32(at + range::HOLDS),
            sharing: table.get32(at + range::SHARING),
        };
        let all: Vec<(&dyn Memory, Access)> = parts
            .iter()
            .copied()
            .zip(tables.iter().map(access))
            .collect();
        let touched: Vec<(&dyn Memory, Access)> =
            all.into_iter().filter(|(_, a)| a.is_any()).collect();
        let is_written = touched.iter().any(|(_, access)| access.is_store());
        if !is_written || touched.len() < 2 {
            continue;
        }
        let shared = touched.first().map_or(SEVERAL, |(_, first)| first.sharing);
        let is_shared_out = shared != SEVERAL && touched.iter().all(|(_, a)| a.sharing == shared);
        if is_shared_out && !touched.iter().any(|(_, access)| access.is_noted()) {
            continue;
        }
        if !touched.iter().all(|(_, access)| access.is_noted()) {
            unnoted.push(index);
            continue;
        }
        // Whole words: no other range begins in the last one.
        let place = place.start..place.end.next_multiple_of(4);
        let mut met = Met::new(place.len());
        for (part, _) in &touched {
            let [wrote, read] = places.arena_notes.map(|notes| {
                let notes = notes as usize;
                part.look(place.start + notes..place.end + notes)
            });
            let held = part.look(place.clone());
            met.add(&read, Stored { wrote, held })?;
        }
    }
    Ok(unnoted)
}

/// What a part has stored to a range.
struct Stored<'m> {
    /// Its notes of that.
    wrote: Cow<'m, [u8]>,
    /// What the range holds.
    held: Cow<'m, [u8]>,
}

impl Stored<'_> {
    /// Which bytes of a word it has stored, a bit each.
    fn bytes(&self, word: usize) -> u8 {
        (word_of(&self.wrote, word) >> BYTES_SHIFT) as u8
    }

    /// Whether it holds other bytes than another part where both have stored some of these.
    fn differs(&self, other: &Stored<'_>, word: usize) -> bool {
        let both = self.bytes(word) & other.bytes(word);
        let differ = word_of(&self.held, word) ^ word_of(&other.held, word);
        (0..4).any(|byte| both >> byte & 1 != 0 && differ >> (8 * byte) & 0xff != 0)
    }
}

/// A word, as the module reads it.
fn word_of(bytes: &[u8], word: usize) -> u32 {
    let bytes = bytes
        .get(4 * word..4 * word + 4)
        .and_then(|b| b.first_chunk());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The words of a range that the parts so far have accessed.
struct Met<'m> {
    words: Vec<u8>,
    parts: Vec<Stored<'m>>,
}

const READ: u8 = 1;
const WROTE: u8 = 2;

impl<'m> Met<'m> {
    fn new(n_bytes: usize) -> Met<'m> {
        Met {
            words: vec![0; n_bytes.div_ceil(4)],
            parts: Vec::new(),
        }
    }

    /// Adds what one more part has noted; a refusal where it met another one, unless both have stored the same there, which none has read.
    fn add(&mut self, read: &[u8], stored: Stored<'m>) -> Result<(), Refusal> {
        let is_noted = |note: &[u8]| note.iter().any(|byte| *byte != 0);
        let notes = stored.wrote.chunks(4).zip(read.chunks(4));
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
                    return Err(Refusal::Conflict);
                }
            }
            *word |= own;
        }
        self.parts.push(stored);
        Ok(())
    }
}

/// Adds to the memory of one part what another one has changed, in ranges that are given with their starts in the arena.
pub(crate) fn add(
    to: &mut impl Instance,
    from: &dyn Memory,
    plain: Plain<'_>,
    changed: &[(std::ops::Range<usize>, usize)],
) {
    for (place, start) in changed {
        let Some(before) = plain.arena().get(*start..*start + place.len()) else {
            continue;
        };
        let found = from.look(place.clone());
        to.edit(place.clone(), |bytes| {
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

/// Bytes that are compared at once.
const CHUNK: usize = 64;
