//! Snapshots of global memory. Consecutive snapshots share the pages that no step between them has written.

use crate::state::last_writer_table::SharedWriterPage;
use crate::state::memory::PagedMemory;
use crate::state::page::PAGE_BYTES;
use std::sync::Arc;

/// Number of pages in a chunk. Consecutive snapshots share chunks in which no page has changed.
const CHUNK_PAGES: usize = 64;

/// Contents of a page of global memory, and the last writers of its bytes if they are tracked.
#[derive(Debug)]
struct PageSnapshot {
    bytes: Box<[u8]>,
    writers: SharedWriterPage,
}

impl PageSnapshot {
    fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.writers.as_ref().map_or(0, |page| page.size())
    }
}

type Chunk = Arc<Vec<Arc<PageSnapshot>>>;

/// Snapshot of all pages of global memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArenaSnapshot {
    chunks: Vec<Chunk>,
}

fn page_range(page: usize, size: usize) -> std::ops::Range<usize> {
    let start = page * PAGE_BYTES;
    start..size.min(start + PAGE_BYTES)
}

/// Returns a copy of a page, or `like` if it has the same contents. This comparison stores memory that is zero or has a
/// repeating pattern only once.
fn copy_page(
    memory: &PagedMemory,
    page: usize,
    like: Option<&Arc<PageSnapshot>>,
) -> Arc<PageSnapshot> {
    let range = page_range(page, memory.len());
    let bytes = memory.bytes().get(range).unwrap_or(&[]);
    let writers = memory.writers().share(page);
    let is_same = |like: &&Arc<PageSnapshot>| {
        writers.is_none() && like.writers.is_none() && are_equal(&like.bytes, bytes)
    };
    match like.filter(is_same) {
        Some(like) => Arc::clone(like),
        None => Arc::new(PageSnapshot {
            bytes: bytes.into(),
            writers,
        }),
    }
}

/// Checks whether two slices are equal. In WebAssembly, `==` compares byte by byte, which took a sixth of the execution
/// time of a streaming kernel. Therefore, the function compares words in WebAssembly. On other hosts, `==` uses the
/// widest vectors of the host.
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

impl ArenaSnapshot {
    /// Takes a snapshot of the pages of a memory. The snapshot shares clean pages with `base`. The function adds the
    /// size of the copied pages to `fresh`.
    pub(crate) fn take(
        memory: &PagedMemory,
        base: Option<&ArenaSnapshot>,
        fresh: &mut u64,
    ) -> ArenaSnapshot {
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
        ArenaSnapshot { chunks }
    }

    /// Restores the pages of this snapshot in a memory that equals `base` except for the dirty pages of the memory.
    pub(crate) fn restore(&self, memory: &mut PagedMemory, base: &ArenaSnapshot) {
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

    /// Returns the total size in bytes of the pages that no other snapshot shares.
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
    use crate::history::arena_snapshot::are_equal_words;

    #[test]
    fn byte_comparison_detects_any_changed_byte_or_length() {
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
