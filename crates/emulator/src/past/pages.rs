//! Global memory in a snapshot: pages that snapshots share as long as nothing is written to them.

use crate::state::memory::PagedBytes;
use crate::state::page::PAGE_BYTES;
use crate::state::writers::SharedPage;
use std::sync::Arc;

/// Pages that are shared or copied together.
const CHUNK_PAGES: usize = 64;

/// The bytes of one page, and who wrote them where that is tracked.
#[derive(Debug)]
struct Page {
    bytes: Box<[u8]>,
    writers: SharedPage,
}

impl Page {
    fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.writers.as_ref().map_or(0, |page| page.size())
    }
}

type Chunk = Arc<Vec<Arc<Page>>>;

/// All pages of the global memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    chunks: Vec<Chunk>,
}

fn page_range(page: usize, size: usize) -> std::ops::Range<usize> {
    let start = page * PAGE_BYTES;
    start..size.min(start + PAGE_BYTES)
}

/// A copy of a page, or `like` if that is the same: memory that is zero or filled with a pattern is kept once.
fn copy_page(memory: &PagedBytes, page: usize, like: Option<&Arc<Page>>) -> Arc<Page> {
    let range = page_range(page, memory.len());
    let bytes = memory.bytes().get(range).unwrap_or(&[]);
    let writers = memory.writers().share(page);
    let is_same = |like: &&Arc<Page>| {
        writers.is_none() && like.writers.is_none() && are_equal(&like.bytes, bytes)
    };
    match like.filter(is_same) {
        Some(like) => Arc::clone(like),
        None => Arc::new(Page {
            bytes: bytes.into(),
            writers,
        }),
    }
}

/// Whether both have the same bytes. What `==` calls in wasm goes byte by byte, which was a sixth of a streaming kernel's
/// time, so words are compared there; elsewhere it has the widest vectors of the host, which words lack.
fn are_equal(a: &[u8], b: &[u8]) -> bool {
    match cfg!(target_arch = "wasm32") {
        true => are_equal_words(a, b),
        false => a == b,
    }
}

fn are_equal_words(a: &[u8], b: &[u8]) -> bool {
    const WORD: usize = size_of::<u64>();
    let (a_words, a_rest) = a.as_chunks::<{ 4 * WORD }>();
    let (b_words, b_rest) = b.as_chunks::<{ 4 * WORD }>();
    let are_equal = |(a, b): (&[u8; 4 * WORD], &[u8; 4 * WORD])| {
        let words = a.as_chunks::<WORD>().0.iter().zip(b.as_chunks::<WORD>().0);
        let differing = words.map(|(a, b)| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b));
        differing.fold(0, |all, bits| all | bits) == 0
    };
    a_words.len() == b_words.len() && a_words.iter().zip(b_words).all(are_equal) && a_rest == b_rest
}

impl Pages {
    /// The memory's pages; those that are clean are shared with `base`. Adds what is new to `fresh`.
    pub(crate) fn take(memory: &PagedBytes, base: Option<&Pages>, fresh: &mut u64) -> Pages {
        let n_pages = memory.len().div_ceil(PAGE_BYTES);
        let mut chunks = Vec::with_capacity(n_pages.div_ceil(CHUNK_PAGES));
        let mut last = None;
        for first in (0..n_pages).step_by(CHUNK_PAGES) {
            let pages = first..n_pages.min(first + CHUNK_PAGES);
            let old = base.and_then(|base| base.chunks.get(first / CHUNK_PAGES));
            if let Some(old) = old
                && !pages.clone().any(|page| memory.is_dirty(page))
            {
                chunks.push(Arc::clone(old));
                continue;
            }
            let chunk = pages
                .map(|page| match old.and_then(|c| c.get(page - first)) {
                    Some(old) if !memory.is_dirty(page) => Arc::clone(old),
                    _ => {
                        let page = copy_page(memory, page, last.as_ref());
                        if last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &page)) {
                            *fresh += page.size();
                            last = Some(Arc::clone(&page));
                        }
                        page
                    }
                })
                .collect();
            chunks.push(Arc::new(chunk));
        }
        Pages { chunks }
    }

    /// Brings memory, which is `base` but for dirty pages, to what these pages say.
    pub(crate) fn restore(&self, memory: &mut PagedBytes, base: &Pages) {
        let size = memory.len();
        for (index, chunk) in self.chunks.iter().enumerate() {
            let first = index * CHUNK_PAGES;
            let old = base.chunks.get(index);
            let same_chunk = old.is_some_and(|old| Arc::ptr_eq(old, chunk));
            for (i, page) in chunk.iter().enumerate() {
                let same = same_chunk
                    || old
                        .and_then(|old| old.get(i))
                        .is_some_and(|old| Arc::ptr_eq(old, page));
                if same && !memory.is_dirty(first + i) {
                    continue;
                }
                let range = page_range(first + i, size);
                let (bytes, writers) = memory.raw();
                if let Some(place) = bytes.get_mut(range) {
                    place.copy_from_slice(&page.bytes);
                }
                writers.restore(first + i, &page.writers);
            }
        }
        memory.clear_dirty();
    }

    /// Bytes that no other snapshot holds.
    pub(crate) fn own_bytes(&self) -> u64 {
        let own = |chunk: &&Chunk| Arc::strong_count(chunk) == 1;
        let pages = self
            .chunks
            .iter()
            .filter(own)
            .flat_map(|chunk| chunk.iter());
        pages
            .filter(|page| Arc::strong_count(page) == 1)
            .map(|page| page.size())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::past::pages::are_equal_words;

    #[test]
    fn one_different_byte_or_length_is_seen() {
        for length in [0, 1, 31, 32, 33, 100] {
            let bytes: Vec<u8> = (0..length).collect();
            assert!(are_equal_words(&bytes, &bytes.clone()));
            for index in 0..bytes.len() {
                let mut other = bytes.clone();
                other[index] ^= 1;
                assert!(!are_equal_words(&bytes, &other), "{length}, byte {index}");
                assert!(
                    !are_equal_words(&bytes, &bytes[..index]),
                    "{length}, cut to {index}"
                );
            }
        }
    }
}
