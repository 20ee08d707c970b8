//! What was accessed: for each word of memory the accesses that later ones may race with.

use super::clock::Row;
use super::site::SiteId;
use std::collections::HashMap;

/// Bytes of a word.
pub(crate) const WORD: u64 = 4;
const PAGE_WORDS: usize = 1024;

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

type Page = Box<[u32; PAGE_WORDS]>;

/// The words of all memories.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: Vec<Page>,
    index: HashMap<(Memory, u64), u32>,
    free_pages: Vec<u32>,
    last: Option<((Memory, u64), u32)>,
    links: Vec<Link>,
    free: u32,
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
        let key = (memory, word / PAGE_WORDS as u64);
        let at = (word % PAGE_WORDS as u64) as u16;
        if let Some((last, page)) = self.last
            && last == key
        {
            return Word { page, at };
        }
        let page = self.page(key);
        self.last = Some((key, page));
        Word { page, at }
    }

    fn page(&mut self, key: (Memory, u64)) -> u32 {
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
        if let Some(page) = self.index.get(&key) {
            return *page;
        }
        let page = self.free_pages.pop().unwrap_or_else(|| {
            self.pages.push(Box::new([0; PAGE_WORDS]));
            self.pages.len() as u32 - 1
        });
        self.index.insert(key, page);
        page
    }

    fn state(&mut self, word: Word) -> &mut u32 {
        &mut self.pages[word.page as usize][word.at as usize]
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
        let state = self.pages[word.page as usize][word.at as usize];
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
