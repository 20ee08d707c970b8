//! Last writers of the bytes of a memory, stored per page. Pages that no step has written consume no memory. Snapshots
//! share all other pages until these pages are modified.

use crate::contract::inspect::LastWriter;
use crate::state::page::PAGE_BYTES;
use std::ops::Range;
use std::sync::Arc;

/// Size in bytes of a word. A row consists of one word for each lane of a warp.
pub(crate) const WORD: usize = 4;
const ROW: usize = 32 * WORD;

/// Maximum total size in bytes of the last-writer entries of one memory. Beyond this limit, pages record only which
/// bytes have been written.
const MAX_BYTES: u64 = 1 << 30;

/// Entry of a written byte whose writer is unknown.
const UNKNOWN: u64 = 0xff;

/// Last-writer entries of one page in the encoding of [`LastWriter::pack`].
#[derive(Clone, Debug)]
pub(crate) enum WriterPage {
    /// One entry per row. All stores to the page so far have written whole rows with one word per lane. The entry
    /// contains the writer of the word in lane 0.
    Rows(Box<[u64]>),
    /// One entry per word. All stores to the page so far have written whole words.
    Words(Box<[u64]>),
    /// One entry per byte.
    Bytes(Box<[u64]>),
    /// One bit per byte, which is set if the byte was written.
    Marks(Box<[u64]>),
}

/// Granularity of the last-writer entries of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Granularity {
    Row,
    Word,
    Byte,
}

impl Granularity {
    /// Returns the coarsest granularity to which both ends of a byte range are aligned.
    #[inline(always)]
    fn of(range: &Range<usize>) -> Granularity {
        match range.start.is_multiple_of(WORD) && range.end.is_multiple_of(WORD) {
            true => Granularity::Word,
            false => Granularity::Byte,
        }
    }

    /// Returns the size of the entries of a page in bytes.
    const fn page_bytes(self) -> u64 {
        let parts = match self {
            Granularity::Row => PAGE_BYTES / ROW,
            Granularity::Word => PAGE_BYTES / WORD,
            Granularity::Byte => PAGE_BYTES,
        };
        8 * parts as u64
    }

    /// Creates a page without writers.
    fn page(self) -> WriterPage {
        let entries = vec![0; self.page_bytes() as usize / 8].into();
        match self {
            Granularity::Row => WriterPage::Rows(entries),
            Granularity::Word => WriterPage::Words(entries),
            Granularity::Byte => WriterPage::Bytes(entries),
        }
    }
}

/// Last-writer entries of a page, shared with snapshots. The value is `None` if no step has written to the page.
pub(crate) type SharedWriterPage = Option<Arc<WriterPage>>;

/// Table of the last writer of each byte of a memory. [`PagedMemory`](super::memory::PagedMemory) updates it on each
/// store.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWriterTable {
    /// Entries by page. The vector is empty if last writers are not tracked.
    pages: Vec<SharedWriterPage>,
    /// Number of bytes that remain in the memory budget for entries.
    left: u64,
}

impl WriterPage {
    fn entry(&self, at: usize) -> u64 {
        let entry = match self {
            WriterPage::Rows(rows) => rows.get(at / ROW).map(|entry| match entry {
                0 => 0,
                // Consecutive words of a row were written by consecutive lanes, and the low bits of an entry contain
                // the lane.
                entry => entry + (at % ROW / WORD) as u64,
            }),
            WriterPage::Words(words) => words.get(at / WORD).copied(),
            WriterPage::Bytes(bytes) => bytes.get(at).copied(),
            WriterPage::Marks(marks) => {
                let marked = |marks: &u64| (marks >> (at % 64) & 1) * UNKNOWN;
                marks.get(at / 64).map(marked)
            }
        };
        entry.unwrap_or(0)
    }

    /// Returns the granularity of the page, or `None` for a page that records only which bytes have been written.
    #[inline(always)]
    const fn grain(&self) -> Option<Granularity> {
        match self {
            WriterPage::Rows(_) => Some(Granularity::Row),
            WriterPage::Words(_) => Some(Granularity::Word),
            WriterPage::Bytes(_) => Some(Granularity::Byte),
            WriterPage::Marks(_) => None,
        }
    }

    /// Records one writer for a byte range of the page. The granularity of the page must be at least as fine as the
    /// alignment of the range.
    #[inline(always)]
    fn note(&mut self, range: Range<usize>, entry: u64) {
        let place = match self {
            WriterPage::Words(words) => words.get_mut(range.start / WORD..range.end / WORD),
            WriterPage::Bytes(bytes) => bytes.get_mut(range),
            WriterPage::Rows(_) => None,
            WriterPage::Marks(marks) => {
                mark(marks, range);
                None
            }
        };
        if let Some(place) = place {
            place.fill(entry);
        }
    }

    /// Restores the entry of a byte range. The entry may state that no step has written the range.
    fn put_back(&mut self, range: Range<usize>, entry: u64) {
        match (&mut *self, entry) {
            (WriterPage::Marks(marks), 0) => {
                for at in range {
                    if let Some(marks) = marks.get_mut(at / 64) {
                        *marks &= !(1 << (at % 64));
                    }
                }
            }
            (page, entry) => page.note(range, entry),
        }
    }

    /// Records the writers of consecutive bytes: `first` has written the `width` bytes that start at `at`, and each of
    /// the following lanes has written the next `width` bytes. `n_lanes` is the total number of lanes.
    fn note_lanes(&mut self, at: usize, width: usize, first: LastWriter, n_lanes: u32) {
        let LastWriter { step, lane } = first;
        let entries = (lane..lane + n_lanes).map(|lane| LastWriter { step, lane }.pack());
        match self {
            WriterPage::Rows(rows) => {
                if let Some(row) = rows.get_mut(at / ROW) {
                    *row = first.pack();
                }
            }
            WriterPage::Words(words) if width == WORD => {
                let words = words.get_mut(at / WORD..).unwrap_or(&mut []);
                words
                    .iter_mut()
                    .zip(entries)
                    .for_each(|(word, entry)| *word = entry);
            }
            WriterPage::Words(_) | WriterPage::Bytes(_) | WriterPage::Marks(_) => {
                for (i, entry) in entries.enumerate() {
                    let start = at + i * width;
                    self.note(start..start + width, entry);
                }
            }
        }
    }

    /// Converts the entries of the page to a finer granularity.
    #[cold]
    fn refined(&self, grain: Granularity) -> WriterPage {
        let mut page = grain.page();
        if let WriterPage::Words(entries) | WriterPage::Bytes(entries) = &mut page {
            let size = PAGE_BYTES / entries.len().max(1);
            for (part, entry) in entries.iter_mut().enumerate() {
                *entry = self.entry(part * size);
            }
        }
        page
    }

    /// Converts the entries of the page to a bit mask of written bytes.
    #[cold]
    fn marked(&self) -> WriterPage {
        let mut marks = vec![0; PAGE_BYTES / 64].into_boxed_slice();
        for at in (0..PAGE_BYTES).filter(|at| self.entry(*at) != 0) {
            mark(&mut marks, at..at + 1);
        }
        WriterPage::Marks(marks)
    }

    fn clear(&mut self) {
        match self {
            WriterPage::Rows(entries)
            | WriterPage::Words(entries)
            | WriterPage::Bytes(entries)
            | WriterPage::Marks(entries) => entries.fill(0),
        }
    }

    /// Returns the size of the entries in bytes.
    pub(crate) fn size(&self) -> u64 {
        match self {
            WriterPage::Rows(entries)
            | WriterPage::Words(entries)
            | WriterPage::Bytes(entries)
            | WriterPage::Marks(entries) => 8 * entries.len() as u64,
        }
    }
}

/// Marks a byte range as written.
fn mark(marks: &mut [u64], range: Range<usize>) {
    for at in range {
        if let Some(marks) = marks.get_mut(at / 64) {
            *marks |= 1 << (at % 64);
        }
    }
}

fn size_of(page: &SharedWriterPage) -> u64 {
    page.as_ref().map_or(0, |page| page.size())
}

impl LastWriterTable {
    /// Creates the last-writer table for a memory of `size` bytes that no step has written.
    pub(crate) fn new(size: usize) -> LastWriterTable {
        LastWriterTable::within(size, MAX_BYTES)
    }

    /// Creates an empty last-writer table for a memory of `size` bytes, with a budget of `left` bytes for its entries.
    fn within(size: usize, left: u64) -> LastWriterTable {
        LastWriterTable {
            pages: vec![None; size.div_ceil(PAGE_BYTES)],
            left,
        }
    }

    #[inline(always)]
    pub(crate) fn is_tracked(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Returns the entry of a byte, or 0 if no step has written the byte.
    pub(crate) fn entry(&self, at: usize) -> u64 {
        let page = self.pages.get(at / PAGE_BYTES).and_then(Option::as_ref);
        page.map_or(0, |page| page.entry(at % PAGE_BYTES))
    }

    /// Refines a page to at least the granularity `grain`, and returns mutable access to the page. If a snapshot shares
    /// the page, the page is copied first.
    #[inline(always)]
    fn page_mut(&mut self, index: usize, grain: Granularity) -> Option<&mut WriterPage> {
        let has_grain = |page: &Arc<WriterPage>| page.grain().is_none_or(|own| own >= grain);
        if !self.pages.get(index)?.as_ref().is_some_and(has_grain) {
            self.refine(index, grain);
        }
        self.pages.get_mut(index)?.as_mut().map(Arc::make_mut)
    }

    /// Converts a page to a finer granularity, or to a bit mask if the memory budget is exceeded.
    #[cold]
    #[inline(never)]
    fn refine(&mut self, index: usize, grain: Granularity) {
        let Some(place) = self.pages.get_mut(index) else {
            return;
        };
        self.left += size_of(place);
        let page = match (&*place, grain.page_bytes() <= self.left) {
            (None, true) => grain.page(),
            (Some(page), true) => page.refined(grain),
            (None, false) => WriterPage::Marks(vec![0; PAGE_BYTES / 64].into()),
            (Some(page), false) => page.marked(),
        };
        // Bit masks are allocated regardless of the budget, because they are small.
        self.left = self.left.saturating_sub(page.size());
        *place = Some(Arc::new(page));
    }

    /// Records one writer for a range of consecutive bytes.
    #[inline(always)]
    pub(crate) fn note(&mut self, offset: usize, n_bytes: usize, writer: LastWriter) {
        if !self.is_tracked() {
            return;
        }
        let (mut at, end) = (offset, offset + n_bytes);
        while at < end {
            let index = at / PAGE_BYTES;
            let start = index * PAGE_BYTES;
            let stop = end.min(start + PAGE_BYTES);
            let range = at - start..stop - start;
            if let Some(page) = self.page_mut(index, Granularity::of(&range)) {
                page.note(range, writer.pack());
            }
            at = stop;
        }
    }

    /// Records the writers of consecutive bytes, of which each lane of a warp has written `width` bytes. `width` must
    /// be a power of two, and the bytes of each lane must be aligned to `width`.
    pub(crate) fn note_row(&mut self, offset: usize, width: usize, step: u64) {
        let mut lane = 0;
        while lane < 32 && self.is_tracked() {
            let at = offset + lane as usize * width;
            let (index, from) = (at / PAGE_BYTES, at % PAGE_BYTES);
            let n_lanes = (((PAGE_BYTES - from) / width).max(1) as u32).min(32 - lane);
            let grain = match width {
                WORD if n_lanes == 32 && from.is_multiple_of(ROW) => Granularity::Row,
                _ if width.is_multiple_of(WORD) => Granularity::Word,
                _ => Granularity::Byte,
            };
            if let Some(page) = self.page_mut(index, grain) {
                page.note_lanes(from, width, LastWriter { step, lane }, n_lanes);
            }
            lane += n_lanes;
        }
    }

    /// Clears all entries. The table reuses existing allocations if possible.
    pub(crate) fn clear(&mut self) {
        for page in &mut self.pages {
            match page.as_mut().map(Arc::get_mut) {
                Some(Some(own)) if own.grain().is_some() => own.clear(),
                Some(_) | None => {
                    self.left += size_of(page);
                    *page = None;
                }
            }
        }
    }

    /// Checks whether the pages of a byte range have one entry per word or per row.
    pub(crate) fn has_whole_words(&self, at: usize, n_bytes: usize) -> bool {
        let pages = at / PAGE_BYTES..=(at + n_bytes.max(1) - 1) / PAGE_BYTES;
        let mut pages = self.pages.get(pages).unwrap_or(&[]).iter().flatten();
        pages.all(|page| matches!(page.grain(), Some(Granularity::Row | Granularity::Word)))
    }

    /// Restores the entry of a word or a byte, which [`LastWriterTable::entry`] returned earlier.
    pub(crate) fn put_back(&mut self, at: usize, n_bytes: usize, entry: u64) {
        let (index, from) = (at / PAGE_BYTES, at % PAGE_BYTES);
        let range = from..from + n_bytes;
        // Skip pages that no step has written, because they contain nothing to revert.
        if !matches!(self.pages.get(index), Some(Some(_))) {
            return;
        }
        if let Some(page) = self.page_mut(index, Granularity::of(&range)) {
            page.put_back(range, entry);
        }
    }

    /// Returns the size of the entries of a page in bytes.
    pub(crate) fn page_size(&self, page: usize) -> u64 {
        self.pages.get(page).map_or(0, size_of)
    }

    /// Returns the entries of a page, shared with the caller.
    pub(crate) fn share(&self, page: usize) -> SharedWriterPage {
        self.pages.get(page).cloned().flatten()
    }

    /// Restores the entries of a page.
    pub(crate) fn restore(&mut self, page: usize, entries: &SharedWriterPage) {
        if let Some(place) = self.pages.get_mut(page) {
            let left = self.left + size_of(place);
            self.left = left.saturating_sub(size_of(entries));
            place.clone_from(entries);
        }
    }

    /// Returns the size of an unshared copy of all entries in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.pages.iter().flatten().map(|page| page.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::inspect::LastWriter;
    use crate::state::last_writer_table::LastWriterTable;

    const fn writer(step: u64, lane: u32) -> LastWriter {
        LastWriter { step, lane }
    }

    #[test]
    fn each_byte_records_last_writer() {
        let mut writers = LastWriterTable::new(10_000);
        assert_eq!((writers.entry(9_999), writers.size()), (0, 0));
        // The range consists of whole words and spans two pages.
        writers.note(4092, 8, writer(7, 3));
        // The range is a single byte of a word.
        writers.note(4094, 1, writer(8, 4));
        let of = |at| LastWriter::unpack(writers.entry(at));
        assert_eq!([4091, 4100].map(of), [None, None]);
        assert_eq!([4092, 4095, 4099].map(of), [Some(writer(7, 3)); 3]);
        assert_eq!(of(4094), Some(writer(8, 4)));
    }

    #[test]
    fn note_row_matches_per_lane_notes() {
        let mut row = LastWriterTable::new(10_000);
        let mut each = row.clone();
        for (offset, width) in [(4096 - 64, 4), (0, 16), (8, 1), (4096 - 32, 2)] {
            row.note_row(offset, width, 5);
            for lane in 0..32 {
                each.note(offset + lane as usize * width, width, writer(5, lane));
            }
        }
        assert!((0..10_000).all(|at| row.entry(at) == each.entry(at)));
    }

    #[test]
    fn row_entries_stay_compact_until_partial_write() {
        let mut writers = LastWriterTable::new(8192);
        for row in 0..32 {
            writers.note_row(row * 128, 4, row as u64);
        }
        assert_eq!(writers.size(), 256);
        assert_eq!(
            LastWriter::unpack(writers.entry(3 * 128 + 4 * 7 + 1)),
            Some(writer(3, 7))
        );
        writers.note(130, 1, writer(40, 9));
        let of = |at| LastWriter::unpack(writers.entry(at));
        assert_eq!(
            [129, 130, 131].map(of),
            [Some(writer(1, 0)), Some(writer(40, 9)), Some(writer(1, 0))]
        );
        assert_eq!(of(31 * 128 + 124), Some(writer(31, 31)));
    }

    #[test]
    fn over_budget_pages_record_writes_without_writers() {
        let mut writers = LastWriterTable::within(3 * 4096, 10_000);
        writers.note(0, 4, writer(1, 1));
        writers.note(4096, 4, writer(2, 2));
        assert_eq!(LastWriter::unpack(writers.entry(0)), Some(writer(1, 1)));
        assert_eq!(writers.entry(4096), super::UNKNOWN);
        assert_eq!(LastWriter::unpack(writers.entry(4099)), None);
        assert_eq!(writers.entry(4100), 0);
        // A page that would exceed the budget at a finer granularity loses its writers.
        writers.note(1, 1, writer(3, 3));
        assert_eq!(
            [0, 1, 4].map(|at| writers.entry(at)),
            [super::UNKNOWN, super::UNKNOWN, 0]
        );
        // The budget is now sufficient for the last page. Restoring the page recovers its previous entries.
        let shared_page = writers.share(2);
        writers.note(8192, 4, writer(4, 4));
        assert_eq!(LastWriter::unpack(writers.entry(8192)), Some(writer(4, 4)));
        let left = writers.left;
        writers.restore(2, &shared_page);
        assert_eq!(writers.left, left + 4096 * 2);
    }

    #[test]
    fn put_back_restores_previous_writers() {
        for most in [1 << 20, 0] {
            let mut writers = LastWriterTable::within(8192, most);
            writers.note(0, 8, writer(1, 1));
            let before = writers.clone();
            let previous_entries = [0, 4, 6].map(|at| writers.entry(at));
            writers.note_row(0, 4, 9);
            writers.note(6, 1, writer(10, 2));
            writers.put_back(6, 1, previous_entries[2]);
            writers.put_back(0, 4, previous_entries[0]);
            writers.put_back(4, 4, previous_entries[1]);
            (8..128)
                .step_by(4)
                .for_each(|at| writers.put_back(at, 4, 0));
            writers.put_back(5000, 4, 0);
            assert!((0..8192).all(|at| writers.entry(at) == before.entry(at)));
        }
    }

    #[test]
    fn shared_page_is_unchanged_by_later_writes() {
        let mut writers = LastWriterTable::new(4096);
        writers.note(0, 4, writer(1, 1));
        let shared_page = writers.share(0);
        writers.note(0, 4, writer(2, 2));
        assert_eq!(LastWriter::unpack(writers.entry(0)), Some(writer(2, 2)));
        writers.restore(0, &shared_page);
        assert_eq!(LastWriter::unpack(writers.entry(0)), Some(writer(1, 1)));
        writers.clear();
        assert_eq!(writers.entry(0), 0);
        assert!(shared_page.is_some_and(|page| page.entry(0) != 0));
    }
}
