//! Undo log of a memory: the bytes that recent steps have overwritten. Scattered stores change few bytes in many pages,
//! so reverting a step with the log is cheaper than copying each modified page.

use crate::state::last_writer_table::{LastWriterTable, WORD};
use std::collections::VecDeque;

/// Byte range that one store changed.
#[derive(Clone, Copy, Debug)]
struct UndoRecord {
    offset: u32,
    n_bytes: u32,
    /// Number of bytes that share a last-writer entry: 4 for words, or 1 for bytes.
    part: u8,
}

/// Section of an [`UndoLog`]: the changes of memory since a recorded position of the run, from oldest to newest.
#[derive(Clone, Debug, Default)]
struct UndoSegment {
    changes: Vec<UndoRecord>,
    /// Overwritten bytes of all changes in the segment.
    bytes: Vec<u8>,
    /// Overwritten last-writer entries of all changes. A change has one entry per `part` bytes.
    entries: Vec<u64>,
}

impl UndoSegment {
    fn size(&self) -> u64 {
        (self.changes.len() * size_of::<UndoRecord>() + self.bytes.len() + 8 * self.entries.len())
            as u64
    }
}

/// Undo log of one memory, divided into segments. The `history` module begins and drops the segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoLog {
    segments: VecDeque<UndoSegment>,
}

impl UndoLog {
    /// Begins a segment. [`UndoLog::take_back`] can later revert the changes since the start of the segment.
    pub(crate) fn begin_segment(&mut self) {
        self.segments.push_back(UndoSegment::default());
    }

    /// Drops the oldest segment.
    pub(crate) fn forget_oldest(&mut self) {
        self.segments.pop_front();
    }

    /// Returns the size of the log in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.segments.iter().map(UndoSegment::size).sum()
    }

    /// Records the contents and the last writers of a byte range before the range changes.
    #[cold]
    #[inline(never)]
    pub(crate) fn note(&mut self, offset: usize, before: &[u8], writers: &LastWriterTable) {
        let Some(segment) = self.segments.back_mut() else {
            return;
        };
        let n_bytes = before.len();
        let is_words = offset.is_multiple_of(WORD) && n_bytes.is_multiple_of(WORD);
        let part = match is_words && writers.has_whole_words(offset, n_bytes) {
            true => WORD,
            false => 1,
        };
        segment.changes.push(UndoRecord {
            offset: offset as u32,
            n_bytes: n_bytes as u32,
            part: part as u8,
        });
        segment.bytes.extend_from_slice(before);
        let parts = (offset..offset + n_bytes).step_by(part);
        segment.entries.extend(parts.map(|at| writers.entry(at)));
    }

    /// Reverts the changes of the last segment in reverse order. Calls `touch` with the offset and the size of each
    /// reverted byte range.
    pub(crate) fn take_back(
        &mut self,
        memory: &mut [u8],
        writers: &mut LastWriterTable,
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

    /// Drops the last segment after its changes have been reverted.
    pub(crate) fn end_segment(&mut self) {
        self.segments.pop_back();
    }
}
