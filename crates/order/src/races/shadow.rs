//! What was accessed: for each word of memory the accesses that later ones may race with.

use super::clock::Row;
use super::hash::Map;
use super::site::SiteId;

/// Bytes of a word.
pub(crate) const WORD: u64 = 4;
const PAGE_WORDS: usize = 256;

/// A memory: global, or the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    Global,
    /// Linear index of the block.
    Shared(u64),
}

/// Accesses of one site by lanes of one row at one epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) row: Row,
    pub(crate) epoch: u32,
    pub(crate) lanes: u32,
    pub(crate) site: SiteId,
    /// Of the word.
    pub(crate) bytes: u8,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    entry: Entry,
    next: u32,
}

/// What is kept of a word: where its entries begin, which bytes were written, and whether a strong write is known there.
const FIRST: u32 = (1 << 27) - 1;
const WRITTEN: u32 = 27;
const STRONG: u32 = 1 << 31;

/// Bytes of a line: 32 words.
pub(crate) const LINE: u64 = 128;
const LINES: usize = PAGE_WORDS / 32;
/// Sites that a line in whole keeps.
const MOST_SITES: usize = 3;

#[derive(Debug)]
struct Page {
    words: Box<[u32; PAGE_WORDS]>,
    /// For each line the number of its entry in whole, where it has one; its words have none then.
    whole: [u32; LINES],
}

/// Who accesses the words of a line: each by a lane of its own, and always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) row: Row,
    /// The lane of the first word.
    pub(crate) first_lane: u8,
    /// Bytes that each lane accesses.
    pub(crate) lane_bytes: u8,
}

/// A line that a warp alone has accessed.
#[derive(Clone, Copy, Debug)]
struct Whole {
    spread: Spread,
    n: u8,
    sites: [(SiteId, u32); MOST_SITES],
    is_written: bool,
}

/// The words of all memories.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: Vec<Page>,
    index: Map<(Memory, u64), u32>,
    free_pages: Vec<u32>,
    last: Option<((Memory, u64), u32)>,
    links: Vec<Link>,
    free: u32,
    /// Number 0 is none.
    whole: Vec<Whole>,
    free_whole: Vec<u32>,
}

/// A word's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    page: u32,
    at: u16,
}

impl Shadow {
    /// The word at an address of a memory, which is made if it is new.
    #[inline]
    pub(crate) fn word(&mut self, memory: Memory, address: u64) -> Word {
        let word = address / WORD;
        let number = word / PAGE_WORDS as u64;
        let at = (word % PAGE_WORDS as u64) as u16;
        let page = self.page_of(memory, number);
        if self.pages[page as usize].whole[at as usize / 32] != 0 {
            self.spell_out(page, at as usize / 32);
        }
        Word { page, at }
    }

    #[inline]
    fn page_of(&mut self, memory: Memory, number: u64) -> u32 {
        let key = (memory, number);
        if let Some((last, page)) = self.last
            && last == key
        {
            return page;
        }
        let page = self.page(memory, number);
        self.last = Some((key, page));
        page
    }

    /// Keeps an access of a whole line by the lanes of a warp, each its own words; false where others have accessed it, so that its words must
    /// be looked at.
    #[inline]
    pub(crate) fn add_line(
        &mut self,
        address: u64,
        spread: Spread,
        site: SiteId,
        epoch: u32,
        writes: bool,
    ) -> bool {
        let line = address / LINE;
        let page = self.page_of(Memory::Global, line / LINES as u64);
        let at = (line % LINES as u64) as usize;
        let held = &mut self.pages[page as usize];
        let number = held.whole[at];
        if number == 0 {
            if held.words[at * 32..at * 32 + 32]
                .iter()
                .any(|word| *word != 0)
            {
                return false;
            }
            let new = Whole {
                spread,
                n: 1,
                sites: [(site, epoch); MOST_SITES],
                is_written: writes,
            };
            held.whole[at] = match self.free_whole.pop() {
                Some(free) => {
                    self.whole[free as usize] = new;
                    free
                }
                None => {
                    if self.whole.is_empty() {
                        self.whole.push(new);
                    }
                    self.whole.push(new);
                    self.whole.len() as u32 - 1
                }
            };
            return true;
        }
        let whole = &mut self.whole[number as usize];
        if whole.spread != spread {
            return false;
        }
        let n = usize::from(whole.n);
        whole.is_written |= writes;
        if let Some(known) = whole.sites[..n].iter_mut().find(|known| known.0 == site) {
            known.1 = epoch;
            return true;
        }
        if n == MOST_SITES {
            return false;
        }
        whole.sites[n] = (site, epoch);
        whole.n += 1;
        true
    }

    /// Gives each word of a line the entries that the line has in whole.
    #[cold]
    #[inline(never)]
    fn spell_out(&mut self, page: u32, line: usize) {
        let number = std::mem::take(&mut self.pages[page as usize].whole[line]);
        self.free_whole.push(number);
        let Whole {
            spread,
            n,
            sites,
            is_written,
        } = self.whole[number as usize];
        for word in 0..32 {
            let at = Word {
                page,
                at: (line * 32 + word) as u16,
            };
            let lane =
                u32::from(spread.first_lane) + (word as u32 * 4) / u32::from(spread.lane_bytes);
            for (site, epoch) in &sites[..usize::from(n)] {
                self.add(
                    at,
                    Entry {
                        row: spread.row,
                        epoch: *epoch,
                        lanes: 1 << (lane & 31),
                        site: *site,
                        bytes: 15,
                    },
                );
            }
            if is_written {
                self.set_written(at, 15);
            }
        }
    }

    fn page(&mut self, memory: Memory, number: u64) -> u32 {
        if self.links.is_empty() {
            // Number 0 is none.
            self.links.push(Link {
                entry: Entry {
                    row: Row::single(0).0,
                    epoch: 0,
                    lanes: 0,
                    site: SiteId(0),
                    bytes: 0,
                },
                next: 0,
            });
        }
        if let Some(page) = self.index.get(&(memory, number)) {
            return *page;
        }
        let page = self.free_pages.pop().unwrap_or_else(|| {
            self.pages.push(Page {
                words: Box::new([0; PAGE_WORDS]),
                whole: [0; LINES],
            });
            self.pages.len() as u32 - 1
        });
        self.index.insert((memory, number), page);
        page
    }

    fn state(&mut self, word: Word) -> &mut u32 {
        &mut self.pages[word.page as usize].words[word.at as usize]
    }

    /// Whether a strong write was noted at the word.
    pub(crate) fn is_strong(&mut self, word: Word) -> bool {
        *self.state(word) & STRONG != 0
    }

    pub(crate) fn set_strong(&mut self, word: Word) {
        *self.state(word) |= STRONG;
    }

    /// Bytes of the word that something wrote.
    pub(crate) fn written(&mut self, word: Word) -> u8 {
        (*self.state(word) >> WRITTEN & 15) as u8
    }

    pub(crate) fn set_written(&mut self, word: Word, bytes: u8) {
        *self.state(word) |= u32::from(bytes & 15) << WRITTEN;
    }

    /// Looks at each entry of a word; those for which `keep` is false go. The number that is left.
    #[inline]
    pub(crate) fn retain(&mut self, word: Word, mut keep: impl FnMut(&mut Entry) -> bool) -> usize {
        let state = self.pages[word.page as usize].words[word.at as usize];
        let mut at = state & FIRST;
        let mut before = 0;
        let mut n = 0;
        while at != 0 {
            let link = &mut self.links[at as usize];
            let next = link.next;
            if keep(&mut link.entry) {
                before = at;
                n += 1;
            } else {
                link.next = self.free;
                self.free = at;
                match before {
                    0 => {
                        let state = self.state(word);
                        *state = *state & !FIRST | next;
                    }
                    before => self.links[before as usize].next = next,
                }
            }
            at = next;
        }
        n
    }

    /// Adds an entry to a word; false if no more can be kept.
    #[inline]
    pub(crate) fn add(&mut self, word: Word, entry: Entry) -> bool {
        let first = *self.state(word) & FIRST;
        let link = Link { entry, next: first };
        let at = match self.free {
            0 if self.links.len() >= FIRST as usize => return false,
            0 => {
                self.links.push(link);
                self.links.len() as u32 - 1
            }
            free => {
                self.free = self.links[free as usize].next;
                self.links[free as usize] = link;
                free
            }
        };
        let state = self.state(word);
        *state = *state & !FIRST | at;
        true
    }

    /// Forgets the shared memory of a block.
    pub(crate) fn forget_shared(&mut self, block: u64, bytes: u64) {
        for page in 0..bytes.div_ceil(WORD * PAGE_WORDS as u64) {
            let Some(index) = self.index.remove(&(Memory::Shared(block), page)) else {
                continue;
            };
            for at in 0..PAGE_WORDS as u16 {
                let word = Word { page: index, at };
                if *self.state(word) & FIRST != 0 {
                    self.retain(word, |_| false);
                }
                *self.state(word) = 0;
            }
            self.free_pages.push(index);
        }
        self.last = None;
    }
}
