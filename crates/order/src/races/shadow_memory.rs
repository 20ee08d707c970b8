//! Shadow memory: the accesses with which later accesses may race, stored per line or per word.

use crate::races::access_site::AccessSiteId;
use crate::races::fast_hash::FastHashMap;
use crate::races::footprints::FootprintCache;
use crate::races::line_shadow::{LineRecord, ShadowLine};
use crate::races::location::{LINE, MemoryInstance, WORD};
use crate::races::vector_clock::{ClockGroup, lanes_of};

/// Access record of a word: the accesses to the word by lanes of one vector clock row at one site and one epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessRecord {
    pub(crate) row: ClockGroup,
    pub(crate) epoch: u32,
    pub(crate) lanes: u32,
    pub(crate) site: AccessSiteId,
    /// Accessed bytes of the word, with one bit for each byte.
    pub(crate) bytes: u8,
}

#[derive(Clone, Copy, Debug)]
struct RecordNode {
    entry: AccessRecord,
    next: u32,
}

/// Bit field in the state of a word: number of the first node in the list of access records. The next constants are the fields for the mask
/// of the written bytes and for the strong-write flag.
const FIRST: u32 = (1 << 27) - 1;
const WRITTEN: u32 = 27;
const STRONG: u32 = 1 << 31;

/// Number of lines per page.
const LINES: usize = 32;

/// State of a line: without accesses, tracked as a whole line, or tracked per word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineState {
    Nothing,
    Whole(u32),
    Words,
}

/// Flag of an element of [`ShadowPage::lines`]: the line is tracked per word.
const BY_WORD: u32 = 1 << 31;

#[derive(Debug)]
struct ShadowPage {
    /// State of each line: 0 for a line without accesses, the number of a [`ShadowLine`], or the flag [`BY_WORD`] combined with the number
    /// of the line's words.
    lines: [u32; LINES],
    number: u64,
    /// Number of the next page of the same shared memory.
    next: Option<u32>,
}

/// Position of a line in the shadow memory, as a page and an index in the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineIndex {
    page: u32,
    at: u8,
}

/// Strong write of one element and lane that results from the expansion of a line record. The detector records its releases, and removes
/// the earlier writes to its bytes.
#[derive(Clone, Debug)]
pub(crate) struct ExpandedWrite {
    pub(crate) memory: MemoryInstance,
    /// Address of the first byte that the lane wrote.
    pub(crate) address: u64,
    pub(crate) n_bytes: u32,
    pub(crate) lane: u32,
    pub(crate) mark: LineRecord,
}

/// Shadow memory for global memory and all shared memories, which the race detector owns.
#[derive(Debug, Default)]
pub(crate) struct ShadowMemory {
    pub(crate) shapes: FootprintCache,
    pages: Vec<ShadowPage>,
    index: FastHashMap<(MemoryInstance, u64), u32>,
    /// Number of the latest page of each shared memory, by the linear index of its block.
    of_block: FastHashMap<u64, u32>,
    free_pages: Vec<u32>,
    /// Cache of the latest page lookups, indexed by the low bits of the page number.
    recent: [Option<((MemoryInstance, u64), u32)>; N_RECENT],
    links: Vec<RecordNode>,
    free: u32,
    /// Lines that are tracked as a whole. The number 0 represents the absence of a line.
    whole: Vec<ShadowLine>,
    free_whole: Vec<u32>,
    words: Vec<[u32; 32]>,
    /// For each line that is tracked per word, the number of the lower-bound clock with which the detector last compared the records of the
    /// line.
    floors: Vec<u32>,
    free_words: Vec<u32>,
    /// Number of lines with strong writes that are tracked as a whole.
    n_strong_lines: u32,
    expanded_writes: Vec<ExpandedWrite>,
}

const N_RECENT: usize = 4;
/// Initial capacity for lines, which is sufficient for small kernels.
const INITIAL_LINES: usize = 16;

/// Position of a word in the shadow memory, as an index into the words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordIndex {
    line: u32,
    at: u8,
}

impl ShadowMemory {
    /// Returns the word at an address of a memory, and creates it if necessary. Afterward, the detector tracks the line that contains the
    /// word per word.
    #[inline]
    pub(crate) fn word(&mut self, memory: MemoryInstance, address: u64) -> WordIndex {
        let LineIndex { page, at } = self.line_at(memory, address);
        let held = self.pages[page as usize].lines[usize::from(at)];
        let line = match held & BY_WORD {
            0 => self.expand_to_words(memory, address / LINE * LINE, LineIndex { page, at }),
            _ => held & !BY_WORD,
        };
        WordIndex {
            line,
            at: (address / WORD % 32) as u8,
        }
    }

    /// Returns the line at an address of a memory.
    #[inline]
    pub(crate) fn line_at(&mut self, memory: MemoryInstance, address: u64) -> LineIndex {
        let line = address / LINE;
        LineIndex {
            page: self.page_of(memory, line / LINES as u64),
            at: (line % LINES as u64) as u8,
        }
    }

    /// Returns the state of a line.
    #[inline(always)]
    pub(crate) fn held(&self, line: LineIndex) -> LineState {
        match self.pages[line.page as usize].lines[usize::from(line.at)] {
            0 => LineState::Nothing,
            held if held & BY_WORD != 0 => LineState::Words,
            held => LineState::Whole(held),
        }
    }

    /// Returns a line that is tracked as a whole, together with the cache of access shapes.
    #[inline]
    pub(crate) fn whole(&mut self, number: u32) -> (&mut ShadowLine, &FootprintCache) {
        (&mut self.whole[number as usize], &self.shapes)
    }

    /// Starts to track a line as a whole, and returns the number of the new [`ShadowLine`].
    pub(crate) fn begin_whole(&mut self, at: LineIndex) -> u32 {
        let number = self.free_whole.pop().unwrap_or_else(|| {
            if self.whole.is_empty() {
                self.whole.reserve(INITIAL_LINES);
                self.whole.push(ShadowLine::default());
            }
            self.whole.push(ShadowLine::default());
            self.whole.len() as u32 - 1
        });
        self.pages[at.page as usize].lines[usize::from(at.at)] = number;
        number
    }

    /// Changes a line from tracking per word to tracking as a whole if all records of its words happen before the lower-bound clock. A line
    /// that has already been compared with this clock is not compared again. Returns the number of the new [`ShadowLine`].
    pub(crate) fn make_whole(
        &mut self,
        at: LineIndex,
        n_floors: u32,
        is_over: impl Fn(&AccessRecord) -> bool,
    ) -> Option<u32> {
        let line = self.pages[at.page as usize].lines[usize::from(at.at)] & !BY_WORD;
        let floor = self.floors.get_mut(line as usize)?;
        if std::mem::replace(floor, n_floors) == n_floors {
            return None;
        }
        let states = self.words[line as usize];
        let is_quiet = |state: &u32| state & STRONG == 0 && self.entries(*state).all(&is_over);
        if !states.iter().all(is_quiet) {
            return None;
        }
        self.forget_words(line);
        let number = self.begin_whole(at);
        let whole = &mut self.whole[number as usize];
        for (word, state) in states.iter().enumerate() {
            whole.written |= u128::from(state >> WRITTEN & 15) << (word * WORD as usize);
        }
        Some(number)
    }

    /// Returns the access records of the word with the state `state`.
    fn entries(&self, state: u32) -> impl Iterator<Item = &AccessRecord> {
        let mut at = state & FIRST;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize).filter(|_| at != 0)?;
            at = link.next;
            Some(&link.entry)
        })
    }

    /// Increments the number of lines with strong writes that are tracked as a whole.
    pub(crate) fn count_strong_line(&mut self) {
        self.n_strong_lines += 1;
    }

    /// Checks whether some strong write is tracked with a whole line, or has been expanded but not returned by
    /// [`ShadowMemory::take_strong`].
    #[inline]
    pub(crate) fn has_strong_lines(&self) -> bool {
        self.n_strong_lines > 0 || !self.expanded_writes.is_empty()
    }

    /// Expands the lines that contain the given bytes to words, and removes and returns all expanded strong writes.
    pub(crate) fn take_strong(
        &mut self,
        memory: MemoryInstance,
        address: u64,
        n: u32,
    ) -> Vec<ExpandedWrite> {
        if self.n_strong_lines > 0 {
            let end = address.saturating_add(n.into());
            for line in address / LINE..=end.saturating_sub(1) / LINE {
                self.word(memory, line * LINE);
            }
        }
        std::mem::take(&mut self.expanded_writes)
    }

    #[inline]
    fn page_of(&mut self, memory: MemoryInstance, number: u64) -> u32 {
        let key = (memory, number);
        let is_shared = matches!(memory, MemoryInstance::Shared(_));
        let slot = (number as usize + 2 * usize::from(is_shared)) % N_RECENT;
        if let Some((last, page)) = self.recent[slot]
            && last == key
        {
            return page;
        }
        let page = self.page(memory, number);
        self.recent[slot] = Some((key, page));
        page
    }

    /// Expands the records of a line into records of each word.
    #[cold]
    #[inline(never)]
    fn expand_to_words(&mut self, memory: MemoryInstance, start: u64, at: LineIndex) -> u32 {
        let line = self.free_words.pop().unwrap_or_else(|| {
            self.words.push([0; 32]);
            self.floors.push(0);
            self.words.len() as u32 - 1
        });
        let held = &mut self.pages[at.page as usize].lines[usize::from(at.at)];
        let number = std::mem::replace(held, line | BY_WORD);
        if number == 0 {
            return line;
        }
        let line_state = std::mem::take(&mut self.whole[number as usize]);
        self.free_whole.push(number);
        self.n_strong_lines -= u32::from(line_state.is_strong);
        for mark in line_state.marks() {
            let pattern = self.shapes.pattern(mark.pattern).clone();
            for at in lanes_of(pattern.words) {
                let word = WordIndex { line, at: at as u8 };
                let entry = mark.entry(mark.lanes_at(&pattern, at), pattern.bytes);
                if entry.lanes != 0 {
                    self.put(word, entry);
                }
            }
            if line_state.is_strong && mark.kind.writes() {
                self.spell_write(memory, start, line, mark);
            }
        }
        for at in 0..32 {
            let word = WordIndex { line, at };
            self.set_written(word, (line_state.written >> (u32::from(at) * 4) & 15) as u8);
        }
        line
    }

    /// Expands a record of a line with strong writes into one write for each element and lane.
    fn spell_write(&mut self, memory: MemoryInstance, start: u64, line: u32, mark: &LineRecord) {
        let pattern = self.shapes.pattern(mark.pattern);
        let n_bytes = match mark.is_strong {
            true => u32::from(mark.element_bytes.max(1)),
            false => pattern.bytes.count_ones(),
        };
        for word in lanes_of(pattern.words) {
            let offset = word as u64 * WORD + u64::from(pattern.bytes.trailing_zeros());
            let is_first = (start + offset).is_multiple_of(n_bytes.into());
            for lane in lanes_of(mark.lanes_at(pattern, word)).filter(|_| is_first) {
                self.expanded_writes.push(ExpandedWrite {
                    memory,
                    address: start + offset,
                    n_bytes,
                    lane: lane as u32,
                    mark: mark.clone(),
                });
            }
            if mark.is_strong && mark.covers >> offset & 1 != 0 {
                self.words[line as usize][word] |= STRONG;
            }
        }
    }

    /// Adds an access record to a word, and removes the records that it replaces.
    fn put(&mut self, word: WordIndex, mut new: AccessRecord) {
        let mut merged = false;
        self.retain(word, |entry| {
            if (entry.site, entry.row, entry.bytes) != (new.site, new.row, new.bytes) {
                return true;
            }
            if entry.epoch == new.epoch {
                entry.lanes |= new.lanes;
                merged = true;
                return true;
            }
            // Remove the lanes of an earlier record, because a later access by the same thread and the same instruction replaces the
            // earlier access.
            if entry.epoch > new.epoch {
                new.lanes &= !entry.lanes;
                return true;
            }
            entry.lanes &= !new.lanes;
            entry.lanes != 0
        });
        if !merged && new.lanes != 0 {
            self.add(word, new);
        }
    }

    fn page(&mut self, memory: MemoryInstance, number: u64) -> u32 {
        if self.links.is_empty() {
            // Add an unused first node, because the number 0 marks the end of a list.
            self.links.push(RecordNode {
                entry: AccessRecord {
                    row: ClockGroup::single(0).0,
                    epoch: 0,
                    lanes: 0,
                    site: AccessSiteId(0),
                    bytes: 0,
                },
                next: 0,
            });
        }
        if let Some(page) = self.index.get(&(memory, number)) {
            return *page;
        }
        let page = self.free_pages.pop().unwrap_or_else(|| {
            self.pages.push(ShadowPage {
                lines: [0; LINES],
                number,
                next: None,
            });
            self.pages.len() as u32 - 1
        });
        self.pages[page as usize].number = number;
        if let MemoryInstance::Shared(block) = memory {
            self.pages[page as usize].next = self.of_block.insert(block, page);
        }
        self.index.insert((memory, number), page);
        page
    }

    #[inline(always)]
    fn state(&mut self, word: WordIndex) -> &mut u32 {
        &mut self.words[word.line as usize][usize::from(word.at)]
    }

    /// Checks whether a strong write is recorded at the word.
    pub(crate) fn is_strong(&mut self, word: WordIndex) -> bool {
        *self.state(word) & STRONG != 0
    }

    pub(crate) fn set_strong(&mut self, word: WordIndex) {
        *self.state(word) |= STRONG;
    }

    /// Returns the written bytes of the word.
    pub(crate) fn written(&mut self, word: WordIndex) -> u8 {
        (*self.state(word) >> WRITTEN & 15) as u8
    }

    pub(crate) fn set_written(&mut self, word: WordIndex, bytes: u8) {
        *self.state(word) |= u32::from(bytes & 15) << WRITTEN;
    }

    /// Calls `keep` for each access record of a word, and removes the records for which `keep` returns `false`. Returns
    /// the number of remaining records.
    #[inline]
    pub(crate) fn retain(
        &mut self,
        word: WordIndex,
        mut keep: impl FnMut(&mut AccessRecord) -> bool,
    ) -> usize {
        let state = *self.state(word);
        let mut at = state & FIRST;
        let mut before = 0;
        let mut n = 0;
        while at != 0 {
            let Some(link) = self.links.get_mut(at as usize) else {
                break;
            };
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

    /// Adds an access record to a word. Returns `false` if the shadow memory is full.
    #[inline]
    pub(crate) fn add(&mut self, word: WordIndex, entry: AccessRecord) -> bool {
        let first = *self.state(word) & FIRST;
        let link = RecordNode { entry, next: first };
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

    /// Discards the shadow state of the shared memory of a block.
    pub(crate) fn forget_shared(&mut self, block: u64) {
        let mut next = self.of_block.remove(&block);
        while let Some(page) = next {
            let gone = &mut self.pages[page as usize];
            next = gone.next.take();
            let lines = std::mem::replace(&mut gone.lines, [0; LINES]);
            self.index
                .remove(&(MemoryInstance::Shared(block), gone.number));
            for held in lines.into_iter().filter(|held| *held != 0) {
                if held & BY_WORD != 0 {
                    self.forget_words(held & !BY_WORD);
                } else {
                    let line = &mut self.whole[held as usize];
                    self.n_strong_lines -= u32::from(line.is_strong);
                    line.clear();
                    self.free_whole.push(held);
                }
            }
            self.free_pages.push(page);
        }
        self.recent = [None; N_RECENT];
    }

    fn forget_words(&mut self, line: u32) {
        for at in 0..32 {
            self.retain(WordIndex { line, at }, |_| false);
        }
        self.words[line as usize] = [0; 32];
        self.floors[line as usize] = 0;
        self.free_words.push(line);
    }
}
