//! Last writers of the bytes in a memory region, for inspection by hosts.

use crate::contract::inspect::LastWriter;
use crate::state::last_writer_table::LastWriterTable;
use std::fmt;
use std::ops::Range;

/// Last writer of each byte in a memory region, which a host reads for inspection.
#[derive(Clone)]
pub struct LastWriters<'a> {
    kept: WriterSource<'a>,
}

#[derive(Clone)]
enum WriterSource<'a> {
    /// Slice with one packed entry per byte of the region.
    Plain(&'a [u64]),
    /// Byte range of the last-writer table of a paged memory.
    Paged(&'a LastWriterTable, Range<usize>),
}

impl<'a> LastWriters<'a> {
    pub(crate) fn plain(entries: &'a [u64]) -> LastWriters<'a> {
        LastWriters {
            kept: WriterSource::Plain(entries),
        }
    }

    /// Returns the last writers of a byte range in a paged memory, or `None` if the memory does not track writers.
    pub(crate) fn paged(
        writers: &'a LastWriterTable,
        range: Range<usize>,
    ) -> Option<LastWriters<'a>> {
        writers.is_tracked().then_some(LastWriters {
            kept: WriterSource::Paged(writers, range),
        })
    }

    /// Returns the size of the region in bytes.
    pub fn len(&self) -> usize {
        match &self.kept {
            WriterSource::Plain(entries) => entries.len(),
            WriterSource::Paged(_, range) => range.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entry(&self, byte: usize) -> u64 {
        match &self.kept {
            WriterSource::Plain(entries) => entries.get(byte).copied().unwrap_or(0),
            WriterSource::Paged(writers, range) if byte < range.len() => {
                writers.entry(range.start + byte)
            }
            WriterSource::Paged(..) => 0,
        }
    }

    /// Returns the last writer of a byte. Returns `None` if no step has written the byte, if the byte is outside of the
    /// region, or if the launch is so large that only [`LastWriters::is_written`] is known.
    pub fn of(&self, byte: usize) -> Option<LastWriter> {
        LastWriter::unpack(self.entry(byte))
    }

    /// Checks whether a step has written a byte.
    pub fn is_written(&self, byte: usize) -> bool {
        self.entry(byte) != 0
    }

    /// Returns the latest writer of a range of bytes.
    pub fn latest(&self, bytes: Range<usize>) -> Option<LastWriter> {
        bytes
            .filter_map(|byte| self.of(byte))
            .max_by_key(|writer| writer.step)
    }

    /// Returns the last writers of all bytes in address order.
    pub fn iter(&self) -> impl Iterator<Item = Option<LastWriter>> + '_ {
        (0..self.len()).map(|byte| self.of(byte))
    }
}

/// Two values are equal if the last writers of all bytes are equal.
impl PartialEq for LastWriters<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for LastWriters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
