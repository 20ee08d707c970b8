//! A machine's state at one position, sharing with other snapshots all that did not change.

use crate::run::fault::Fault;
use crate::run::machine::Machine;
use crate::run::schedule::Schedule;
use crate::state::block::{Barrier, Block};
use crate::state::memory::{PAGE_BYTES, PagedBytes};
use crate::state::warp::Warp;
use std::sync::Arc;

/// Pages that are shared or copied together.
const CHUNK_PAGES: usize = 64;

/// The bytes of one page, and who wrote them where that is tracked.
#[derive(Debug)]
struct Page {
    bytes: Box<[u8]>,
    writers: Box<[u64]>,
}

impl Page {
    fn size(&self) -> u64 {
        (self.bytes.len() + 8 * self.writers.len()) as u64
    }
}

type Chunk = Arc<Vec<Arc<Page>>>;

/// All pages of the global memory.
#[derive(Clone, Debug, Default)]
struct Pages {
    chunks: Vec<Chunk>,
}

/// A block, warp by warp.
#[derive(Clone, Debug)]
struct BlockState {
    index: u64,
    position: [u32; 3],
    n_live_warps: u32,
    warps: Vec<Arc<Warp>>,
    shared: Arc<PagedBytes>,
    barriers: Arc<Vec<Barrier>>,
}

/// What a machine was at a position.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) position: u64,
    pages: Pages,
    blocks: Vec<BlockState>,
    schedule: Schedule,
    next_block: u64,
    blocks_done: u64,
    n_notes: usize,
    fault: Option<Fault>,
}

fn page_range(page: usize, size: usize) -> std::ops::Range<usize> {
    let start = page * PAGE_BYTES;
    start..size.min(start + PAGE_BYTES)
}

fn copy_page(memory: &PagedBytes, page: usize) -> Arc<Page> {
    let range = page_range(page, memory.len());
    Arc::new(Page {
        bytes: memory.bytes().get(range.clone()).unwrap_or(&[]).into(),
        writers: memory.writers().get(range).unwrap_or(&[]).into(),
    })
}

impl Pages {
    /// The memory's pages; those that are clean are shared with `base`. Adds what is new to `fresh`.
    fn take(memory: &PagedBytes, base: Option<&Pages>, fresh: &mut u64) -> Pages {
        let n_pages = memory.len().div_ceil(PAGE_BYTES);
        let mut chunks = Vec::with_capacity(n_pages.div_ceil(CHUNK_PAGES));
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
                        let page = copy_page(memory, page);
                        *fresh += page.size();
                        page
                    }
                })
                .collect();
            chunks.push(Arc::new(chunk));
        }
        Pages { chunks }
    }

    /// Brings memory, which is `base` but for dirty pages, to what these pages say.
    fn restore(&self, memory: &mut PagedBytes, base: &Pages) {
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
                let (bytes, writers, _) = memory.raw();
                if let Some(place) = bytes.get_mut(range.clone()) {
                    place.copy_from_slice(&page.bytes);
                }
                if let Some(place) = writers.get_mut(range) {
                    place.copy_from_slice(&page.writers);
                }
            }
        }
        memory.clear_dirty();
    }
}

impl BlockState {
    fn take(block: &Block, base: Option<&BlockState>, fresh: &mut u64) -> BlockState {
        let warps = block
            .warps
            .iter()
            .enumerate()
            .map(|(i, warp)| match base.and_then(|b| b.warps.get(i)) {
                Some(old) if !warp.dirty => Arc::clone(old),
                _ => {
                    *fresh += warp.bytes();
                    Arc::new(warp.clone())
                }
            })
            .collect();
        let shared = match base {
            Some(base) if !block.shared.any_dirty() => Arc::clone(&base.shared),
            _ => {
                *fresh += block.shared.size();
                Arc::new(block.shared.clone())
            }
        };
        let barriers = match base {
            Some(base) if !block.dirty => Arc::clone(&base.barriers),
            _ => Arc::new(block.barriers.clone()),
        };
        BlockState {
            index: block.index,
            position: block.position,
            n_live_warps: block.n_live_warps,
            warps,
            shared,
            barriers,
        }
    }

    fn restore(&self, block: &mut Block, base: &BlockState) {
        block.index = self.index;
        block.position = self.position;
        block.n_live_warps = self.n_live_warps;
        let pairs = block.warps.iter_mut().zip(&self.warps);
        for (i, (warp, state)) in pairs.enumerate() {
            let same = base.warps.get(i).is_some_and(|b| Arc::ptr_eq(b, state));
            if warp.dirty || !same {
                warp.clone_from(state);
                warp.dirty = false;
            }
        }
        if block.shared.any_dirty() || !Arc::ptr_eq(&self.shared, &base.shared) {
            block.shared.clone_from(&self.shared);
            block.shared.clear_dirty();
        }
        if block.dirty || !Arc::ptr_eq(&self.barriers, &base.barriers) {
            block.barriers.clone_from(&self.barriers);
            block.dirty = false;
        }
    }
}

impl Snapshot {
    /// The machine's state now, and the bytes that it takes beyond what it shares with `base`: the
    /// state that the machine was last snapshotted at or restored to.
    pub(crate) fn take(machine: &mut Machine, base: Option<&Snapshot>) -> (Snapshot, u64) {
        let mut fresh = 1024;
        let pages = Pages::take(&machine.global.arena, base.map(|b| &b.pages), &mut fresh);
        let blocks = machine
            .blocks
            .iter()
            .enumerate()
            .map(|(i, block)| {
                let base = base.and_then(|b| b.blocks.get(i));
                BlockState::take(block, base, &mut fresh)
            })
            .collect();
        machine.global.arena.clear_dirty();
        for block in &mut machine.blocks {
            block.dirty = false;
            block.shared.clear_dirty();
            for warp in &mut block.warps {
                warp.dirty = false;
            }
        }
        let snapshot = Snapshot {
            position: machine.position,
            pages,
            blocks,
            schedule: machine.schedule.clone(),
            next_block: machine.next_block,
            blocks_done: machine.blocks_done,
            n_notes: machine.notes.len(),
            fault: machine.fault.clone(),
        };
        (snapshot, fresh)
    }

    /// Brings a machine that was last at `base`, and has run since, to this state.
    pub(crate) fn restore(&self, machine: &mut Machine, base: &Snapshot) {
        self.pages.restore(&mut machine.global.arena, &base.pages);
        let pairs = machine.blocks.iter_mut().zip(&self.blocks);
        for (block, (state, base)) in pairs
            .zip(&base.blocks)
            .map(|((block, state), base)| (block, (state, base)))
        {
            state.restore(block, base);
        }
        machine.position = self.position;
        machine.schedule = self.schedule.clone();
        machine.next_block = self.next_block;
        machine.blocks_done = self.blocks_done;
        machine.notes.truncate(self.n_notes);
        machine.fault = self.fault.clone();
    }

    /// Bytes that nobody else holds.
    pub(crate) fn own_bytes(&self) -> u64 {
        let mut own = 1024;
        for chunk in &self.pages.chunks {
            if Arc::strong_count(chunk) == 1 {
                own += chunk
                    .iter()
                    .filter(|page| Arc::strong_count(page) == 1)
                    .map(|page| page.size())
                    .sum::<u64>();
            }
        }
        for block in &self.blocks {
            own += block
                .warps
                .iter()
                .filter(|warp| Arc::strong_count(warp) == 1)
                .map(|warp| warp.bytes())
                .sum::<u64>();
            if Arc::strong_count(&block.shared) == 1 {
                own += block.shared.size();
            }
        }
        own
    }
}
