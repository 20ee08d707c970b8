//! What steps overwrote in a memory, so that the last of them can be taken back without a copy of all pages that they
//! touched: a store to scattered places changes few bytes of many pages.

use crate::state::writers::{WORD, Writers};
use std::collections::VecDeque;

/// Bytes that were changed together.
#[derive(Clone, Copy, Debug)]
struct Change {
    offset: u32,
    n_bytes: u32,
    /// Bytes that share an entry of the last writers: a word, or one.
    part: u8,
}

/// The changes since a position, oldest first.
#[derive(Clone, Debug, Default)]
struct Segment {
    changes: Vec<Change>,
    /// What the bytes were before, change after change.
    bytes: Vec<u8>,
    /// Who had written them, an entry for each part.
    entries: Vec<u64>,
}

impl Segment {
    fn size(&self) -> u64 {
        (self.changes.len() * size_of::<Change>() + self.bytes.len() + 8 * self.entries.len())
            as u64
    }
}

/// What steps overwrote, in segments that the past begins and forgets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undo {
    segments: VecDeque<Segment>,
}

impl Undo {
    /// What follows can be taken back to here.
    pub(crate) fn begin_segment(&mut self) {
        self.segments.push_back(Segment::default());
    }

    /// The oldest changes can no longer be taken back.
    pub(crate) fn forget_oldest(&mut self) {
        self.segments.pop_front();
    }

    /// Memory that the changes take.
    pub(crate) fn size(&self) -> u64 {
        self.segments.iter().map(Segment::size).sum()
    }

    /// Notes what bytes are, and who wrote them, before they change.
    #[cold]
    #[inline(never)]
    pub(crate) fn note(&mut self, offset: usize, before: &[u8], writers: &Writers) {
        let Some(segment) = self.segments.back_mut() else {
            return;
        };
        let n_bytes = before.len();
        let is_words = offset.is_multiple_of(WORD) && n_bytes.is_multiple_of(WORD);
        let part = match is_words && writers.has_whole_words(offset, n_bytes) {
            true => WORD,
            false => 1,
        };
        segment.changes.push(Change {
            offset: offset as u32,
            n_bytes: n_bytes as u32,
            part: part as u8,
        });
        segment.bytes.extend_from_slice(before);
        let parts = (offset..offset + n_bytes).step_by(part);
        segment.entries.extend(parts.map(|at| writers.entry(at)));
    }

    /// Takes the changes of the last segment back, the latest first; `touch` learns which bytes change.
    pub(crate) fn take_back(
        &mut self,
        memory: &mut [u8],
        writers: &mut Writers,
        mut touch: impl FnMut(usize, usize),
    ) {
        let Some(segment) = self.segments.back_mut() else {
            return;
        };
        while let Some(change) = segment.changes.pop() {
            let (at, n_bytes) = (change.offset as usize, change.n_bytes as usize);
            let from = segment.bytes.len().saturating_sub(n_bytes);
            let before = segment.bytes.get(from..).unwrap_or(&[]);
            if let Some(place) = memory.get_mut(at..at + before.len()) {
                place.copy_from_slice(before);
            }
            segment.bytes.truncate(from);
            let part = usize::from(change.part).max(1);
            let first = segment.entries.len().saturating_sub(n_bytes / part);
            for (i, entry) in segment.entries.drain(first..).enumerate() {
                writers.put_back(at + i * part, part, entry);
            }
            touch(at, n_bytes);
        }
    }

    /// Forgets the last segment, whose changes were taken back.
    pub(crate) fn end_segment(&mut self) {
        self.segments.pop_back();
    }
}
