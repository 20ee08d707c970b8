//! Who wrote the bytes of a memory last, page by page: pages that no step wrote cost nothing, and snapshots share the
//! others with the memory until it changes.

use crate::run::inspect::Writer;
use crate::state::memory::PAGE_BYTES;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a word.
const WORD: usize = 4;

/// The entries of one page: see [`Writer::pack`].
#[derive(Clone, Debug)]
pub(crate) enum WriterPage {
    /// One entry for each word: all stores so far wrote whole words.
    Words(Box<[u64]>),
    /// One entry for each byte.
    Bytes(Box<[u64]>),
}

/// The entries of a page; none if no step wrote to it.
pub(crate) type SharedPage = Option<Arc<WriterPage>>;

/// The last writers of all bytes of a memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writers {
    /// Empty if last writers are not tracked.
    pages: Vec<SharedPage>,
}

impl WriterPage {
    fn new() -> WriterPage {
        WriterPage::Words(vec![0; PAGE_BYTES / WORD].into())
    }

    fn entry(&self, at: usize) -> u64 {
        let entry = match self {
            WriterPage::Words(words) => words.get(at / WORD),
            WriterPage::Bytes(bytes) => bytes.get(at),
        };
        entry.copied().unwrap_or(0)
    }

    /// Notes one writer for bytes of the page.
    #[inline(always)]
    fn note(&mut self, range: Range<usize>, entry: u64) {
        if let WriterPage::Words(words) = self {
            if range.start.is_multiple_of(WORD) && range.end.is_multiple_of(WORD) {
                if let Some(place) = words.get_mut(range.start / WORD..range.end / WORD) {
                    place.fill(entry);
                }
                return;
            }
            self.split_words();
        }
        if let WriterPage::Bytes(bytes) = self
            && let Some(place) = bytes.get_mut(range)
        {
            place.fill(entry);
        }
    }

    /// Notes `first` for `width` bytes from `at`, the next lane for as many bytes after them, and so on for `n_lanes`.
    fn note_lanes(&mut self, at: usize, width: usize, first: Writer, n_lanes: u32) {
        let Writer { step, lane } = first;
        let entries = (lane..lane + n_lanes).map(|lane| Writer { step, lane }.pack());
        match self {
            WriterPage::Words(words) if width == WORD => {
                let words = words.get_mut(at / WORD..).unwrap_or(&mut []);
                words
                    .iter_mut()
                    .zip(entries)
                    .for_each(|(word, entry)| *word = entry);
            }
            WriterPage::Words(_) | WriterPage::Bytes(_) => {
                for (i, entry) in entries.enumerate() {
                    let start = at + i * width;
                    self.note(start..start + width, entry);
                }
            }
        }
    }

    /// Gives each byte an entry of its own.
    #[cold]
    fn split_words(&mut self) {
        if let WriterPage::Words(words) = self {
            let bytes = words.iter().flat_map(|entry| [*entry; WORD]);
            *self = WriterPage::Bytes(bytes.collect());
        }
    }

    fn clear(&mut self) {
        match self {
            WriterPage::Words(entries) | WriterPage::Bytes(entries) => entries.fill(0),
        }
    }

    /// Memory that the entries take.
    pub(crate) fn size(&self) -> u64 {
        match self {
            WriterPage::Words(entries) | WriterPage::Bytes(entries) => 8 * entries.len() as u64,
        }
    }
}

impl Writers {
    /// For a memory of `size` bytes, which no step has written.
    pub(crate) fn new(size: usize) -> Writers {
        Writers {
            pages: vec![None; size.div_ceil(PAGE_BYTES)],
        }
    }

    #[inline(always)]
    pub(crate) fn is_tracked(&self) -> bool {
        !self.pages.is_empty()
    }

    /// The entry of a byte; 0 if no step wrote it.
    pub(crate) fn entry(&self, at: usize) -> u64 {
        let page = self.pages.get(at / PAGE_BYTES).and_then(Option::as_ref);
        page.map_or(0, |page| page.entry(at % PAGE_BYTES))
    }

    /// The page, to be changed; a copy of it if a snapshot has it too.
    #[inline(always)]
    fn page_mut(&mut self, page: usize) -> Option<&mut WriterPage> {
        let page = self.pages.get_mut(page)?;
        Some(Arc::make_mut(
            page.get_or_insert_with(|| Arc::new(WriterPage::new())),
        ))
    }

    /// Notes one writer for bytes that follow each other.
    #[inline(always)]
    pub(crate) fn note(&mut self, offset: usize, n_bytes: usize, writer: Writer) {
        if !self.is_tracked() {
            return;
        }
        let (mut at, end) = (offset, offset + n_bytes);
        while at < end {
            let index = at / PAGE_BYTES;
            let start = index * PAGE_BYTES;
            let stop = end.min(start + PAGE_BYTES);
            if let Some(page) = self.page_mut(index) {
                page.note(at - start..stop - start, writer.pack());
            }
            at = stop;
        }
    }

    /// Notes the writers of bytes that follow each other, `width` per lane of a whole warp. `width` is a power of two,
    /// and the bytes of a lane lie at a multiple of it.
    pub(crate) fn note_row(&mut self, offset: usize, width: usize, step: u64) {
        let mut lane = 0;
        while lane < 32 && self.is_tracked() {
            let at = offset + lane as usize * width;
            let (index, from) = (at / PAGE_BYTES, at % PAGE_BYTES);
            let here = (((PAGE_BYTES - from) / width).max(1) as u32).min(32 - lane);
            if let Some(page) = self.page_mut(index) {
                page.note_lanes(from, width, Writer { step, lane }, here);
            }
            lane += here;
        }
    }

    /// As for a memory that no step has written; keeps what memory it can.
    pub(crate) fn clear(&mut self) {
        for page in &mut self.pages {
            match page.as_mut().map(Arc::get_mut) {
                Some(Some(own)) => own.clear(),
                Some(None) | None => *page = None,
            }
        }
    }

    /// The entries of a page, shared.
    pub(crate) fn share(&self, page: usize) -> SharedPage {
        self.pages.get(page).cloned().flatten()
    }

    /// Puts the entries of a page back.
    pub(crate) fn restore(&mut self, page: usize, entries: &SharedPage) {
        if let Some(place) = self.pages.get_mut(page) {
            place.clone_from(entries);
        }
    }

    /// Memory that a copy takes once it is no longer shared.
    pub(crate) fn size(&self) -> u64 {
        self.pages.iter().flatten().map(|page| page.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Writers;
    use crate::run::inspect::Writer;

    const fn writer(step: u64, lane: u32) -> Writer {
        Writer { step, lane }
    }

    #[test]
    fn each_byte_has_its_last_writer() {
        let mut writers = Writers::new(10_000);
        assert_eq!((writers.entry(9_999), writers.size()), (0, 0));
        // Across two pages, whole words.
        writers.note(4092, 8, writer(7, 3));
        // One byte of a word.
        writers.note(4094, 1, writer(8, 4));
        let of = |at| Writer::unpack(writers.entry(at));
        assert_eq!([4091, 4100].map(of), [None, None]);
        assert_eq!([4092, 4095, 4099].map(of), [Some(writer(7, 3)); 3]);
        assert_eq!(of(4094), Some(writer(8, 4)));
    }

    #[test]
    fn a_row_has_one_writer_per_lane() {
        let mut row = Writers::new(10_000);
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
    fn what_a_snapshot_shares_stays_as_it_was() {
        let mut writers = Writers::new(4096);
        writers.note(0, 4, writer(1, 1));
        let kept = writers.share(0);
        writers.note(0, 4, writer(2, 2));
        assert_eq!(Writer::unpack(writers.entry(0)), Some(writer(2, 2)));
        writers.restore(0, &kept);
        assert_eq!(Writer::unpack(writers.entry(0)), Some(writer(1, 1)));
        writers.clear();
        assert_eq!(writers.entry(0), 0);
        assert!(kept.is_some_and(|page| page.entry(0) != 0));
    }
}
