//! Interned shapes of warp accesses. A shape specifies the lanes that access each byte of each line. The key of a shape consists of the
//! lane addresses relative to the line of the first lane. Accesses at different addresses therefore share a shape, which is computed only
//! once.

use crate::races::access_site::AccessSiteId;
use crate::races::location::{LINE, WORD};
use crate::races::vector_clock::{are_equal, lanes_of};
use std::ops::Range;
use warpgrid_emulator::HalfWarpAccess;

/// Pattern of an access within a line: the lanes that access each word. The access covers the same bytes of every accessed word.
#[derive(Clone, Debug)]
pub(crate) struct LinePattern {
    /// One bit for each accessed byte of the line.
    pub(crate) covers: u128,
    /// One bit for each accessed word of the line.
    pub(crate) words: u32,
    /// Mask of all lanes that access the line.
    all: u32,
    /// Bytes that the lanes access within every accessed word, one bit for each byte.
    pub(crate) bytes: u8,
    /// Whether each word is accessed by at most one lane.
    pub(crate) is_single: bool,
    /// Lanes that access each word of the line.
    pub(crate) lanes: [u32; 32],
}

impl LinePattern {
    const fn new(bytes: u8) -> LinePattern {
        LinePattern {
            covers: 0,
            words: 0,
            all: 0,
            bytes,
            is_single: true,
            lanes: [0; 32],
        }
    }

    fn add(&mut self, words: Range<usize>, lane: usize) {
        for word in words {
            let lanes = &mut self.lanes[word & 31];
            *lanes |= 1 << lane;
            self.is_single &= lanes.is_power_of_two();
            self.words |= 1 << (word & 31);
        }
        self.all |= 1 << lane;
    }

    /// Returns the bytes of the line that the lanes of `mask` access, as one bit for each byte.
    #[inline]
    pub(crate) fn covers_of(&self, mask: u32) -> u128 {
        if self.all & !mask == 0 {
            return self.covers;
        }
        let mut words = 0;
        for (word, lanes) in self.lanes.iter().enumerate() {
            words |= u32::from(lanes & mask != 0) << word;
        }
        covers_of_words(words, self.bytes)
    }

    /// Checks whether at most one lane of `mask` accesses each word.
    pub(crate) fn is_single_of(&self, mask: u32) -> bool {
        self.is_single
            || self
                .lanes
                .iter()
                .all(|lanes| (lanes & mask).count_ones() < 2)
    }

    /// Checks whether each byte that lanes of both patterns access is accessed by a single lane, which is the same in
    /// both patterns.
    pub(crate) fn has_lanes_of(&self, mask: u32, other: &LinePattern, other_mask: u32) -> bool {
        let is_same = std::ptr::eq(self, other) && self.is_single;
        if is_same || self.bytes & other.bytes == 0 {
            return true;
        }
        let both = self.words & other.words;
        lanes_of(both).all(|word| {
            let (own, others) = (self.lanes[word] & mask, other.lanes[word] & other_mask);
            own == 0 || others == 0 || own == others && own.is_power_of_two()
        })
    }
}

/// Returns the byte mask of a line in which each word of `words` contains the byte mask `bytes`.
const fn covers_of_words(words: u32, bytes: u8) -> u128 {
    // Spread the bits of `words` to every fourth bit position, with the technique for interleaving bits with zeros
    // (Warren, "Hacker's Delight", "Shuffling Bits").
    let mut apart = words as u128;
    apart = (apart | apart << 48) & 0xffff_0000_0000_0000_ffff;
    apart = (apart | apart << 24) & 0xff_0000_00ff_0000_00ff_0000_00ff;
    apart = (apart | apart << 12) & 0xf_000f_000f_000f_000f_000f_000f_000f;
    apart = (apart | apart << 6) & 0x303_0303_0303_0303_0303_0303_0303_0303;
    apart = (apart | apart << 3) & 0x1111_1111_1111_1111_1111_1111_1111_1111;
    apart * bytes as u128
}

/// Number of a stored [`LinePattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PatternId(u32);

/// Part of a shape: a line that the access touches, with the pattern of the lanes in this line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinePart {
    /// Distance of the line from the line of the first lane, in lines.
    pub(crate) line: i32,
    pub(crate) pattern: PatternId,
}

/// Number of an interned shape in the [`FootprintCache`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FootprintId(u32);

#[derive(Debug)]
struct Footprint {
    key: FootprintKey,
    first: u32,
    n: u32,
}

/// Hash key of a shape: lane addresses relative to the line of the first lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootprintKey {
    mask: u32,
    lane_bytes: u32,
    /// Byte offset of each lane address from the start of the line that contains the first lane address. The offset of
    /// an inactive lane is 0.
    offsets: [u32; 32],
}

/// Addresses of the active lanes of an access. Each active lane accesses `lane_bytes` bytes at its address.
pub(crate) struct LaneAddresses<'a> {
    pub(crate) mask: u32,
    pub(crate) lane_bytes: u32,
    pub(crate) addresses: &'a [u64; 32],
}

impl LaneAddresses<'_> {
    fn first(&self) -> usize {
        self.mask.trailing_zeros() as usize & 31
    }

    /// Checks whether the access is a full-warp coalesced access that begins at a line boundary.
    fn is_row(&self) -> bool {
        let (first, n) = (self.addresses[0], u64::from(self.lane_bytes));
        let all = self.addresses.iter().enumerate();
        let gaps = all.fold(0, |gaps, (lane, address)| {
            gaps | address.wrapping_sub(lane as u64 * n) ^ first
        });
        self.mask == u32::MAX && first.is_multiple_of(LINE) && gaps == 0
    }
}

impl FootprintKey {
    /// Returns the key of an access, or `None` if the distance between two lane addresses exceeds 32 bits.
    fn of(places: &LaneAddresses<'_>) -> Option<FootprintKey> {
        let start = places.addresses[places.first()] / LINE * LINE;
        let mut offsets = [0; 32];
        for lane in lanes_of(places.mask) {
            let far = places.addresses[lane].wrapping_sub(start);
            if far as i64 != i64::from(far as i32) {
                return None;
            }
            offsets[lane] = far as u32;
        }
        Some(FootprintKey {
            mask: places.mask,
            lane_bytes: places.lane_bytes,
            offsets,
        })
    }

    /// Returns the address of the line of the first lane if the access has the shape of this key, otherwise `None`. The lanes of the access
    /// may be a subset of the lanes of the key.
    #[inline]
    fn start_of(&self, places: &LaneAddresses<'_>) -> Option<u64> {
        if self.lane_bytes != places.lane_bytes || places.mask & !self.mask != 0 {
            return None;
        }
        let start = self.start_at(places, places.first());
        if !start.is_multiple_of(LINE) {
            return None;
        }
        let place = |offset: u32| start.wrapping_add_signed(i64::from(offset as i32));
        let mut differ = 0;
        if places.mask == u32::MAX {
            // The loop over all lanes has no branches, so that the compiler vectorizes it.
            for (address, offset) in places.addresses.iter().zip(&self.offsets) {
                differ |= address ^ place(*offset);
            }
        } else {
            for lane in lanes_of(places.mask) {
                differ |= places.addresses[lane] ^ place(self.offsets[lane]);
            }
        }
        (differ == 0).then_some(start)
    }

    /// Returns the address of the line of the first lane, computed from the key and the address of one lane.
    fn start_at(&self, places: &LaneAddresses<'_>, lane: usize) -> u64 {
        places.addresses[lane].wrapping_add_signed(-i64::from(self.offsets[lane] as i32))
    }

    /// Returns the union of the key and an access, or `None` if their common lanes access different addresses.
    fn with(&self, places: &LaneAddresses<'_>) -> Option<FootprintKey> {
        let both = self.mask & places.mask;
        if both == 0 || self.lane_bytes != places.lane_bytes {
            return None;
        }
        let start = self.start_at(places, both.trailing_zeros() as usize);
        let mut joined = *self;
        for lane in lanes_of(places.mask) {
            let far = places.addresses[lane].wrapping_sub(start);
            let is_near = far as i64 == i64::from(far as i32);
            if !is_near || self.mask >> lane & 1 != 0 && far as u32 != self.offsets[lane] {
                return None;
            }
            joined.offsets[lane] = far as u32;
        }
        joined.mask |= places.mask;
        start.is_multiple_of(LINE).then_some(joined)
    }

    fn is(&self, other: &FootprintKey) -> bool {
        (self.mask, self.lane_bytes) == (other.mask, other.lane_bytes)
            && are_equal(&self.offsets, &other.offsets)
    }

    fn hash(&self) -> u32 {
        let mut sum = self.mask ^ self.lane_bytes;
        for (lane, offset) in self.offsets.iter().enumerate() {
            let factor = 0x9e37_79b9_u32.wrapping_mul(2 * lane as u32 + 1);
            sum = sum.wrapping_add(offset.wrapping_mul(factor));
        }
        (sum ^ sum >> 16).wrapping_mul(0x85eb_ca6b)
    }
}

/// Number of slots of the shape table, which is two-way associative.
const SLOTS: usize = 128;
/// Number of slots of the cache for contiguous ranges within a line.
const RANGES: usize = 64;
/// Initial capacity for patterns, which is sufficient for small kernels.
const INITIAL_PATTERNS: usize = 16;
/// Initial capacity for sites, which is sufficient for small kernels.
const INITIAL_SITES: usize = 16;
/// Number of cached shapes per site.
const N_LATEST: usize = 4;
/// Maximum number of stored patterns.
const MAX_PATTERNS: usize = 1 << 14;
/// Number of cached regular address patterns per site.
const STRIDED_PER_SITE: usize = 2;
/// Initial value of [`FootprintCache::credit`]: number of shapes that may be created before the first cache hit.
const INITIAL_CREDIT: i32 = 512;

/// Regular address pattern of the lanes, relative to the first accessed line, with its shape.
#[derive(Clone, Copy, Debug)]
struct StridedFootprint {
    lane_bytes: u32,
    /// Byte distances: `offset` from the start of the line to the first lane, `gap` from the first lane to the first
    /// lane of the other half-warp, and `step` between neighboring lanes.
    offset: u64,
    gap: u64,
    step: u64,
    shape: FootprintId,
}

/// Cache of the interned shapes of a run's accesses, which the fast path looks up by lane addresses. The cache stops growing when new
/// shapes are not reused.
#[derive(Debug)]
pub(crate) struct FootprintCache {
    patterns: Vec<LinePattern>,
    parts: Vec<LinePart>,
    shapes: Vec<Footprint>,
    slots: Vec<[u32; 2]>,
    /// Shapes of the latest accesses of each site.
    latest: Vec<[Option<FootprintId>; N_LATEST]>,
    /// Latest regular address patterns of each site.
    strided: Vec<[Option<StridedFootprint>; STRIDED_PER_SITE]>,
    /// Shapes of coalesced full-warp accesses at a line boundary, by the binary logarithm of the bytes per lane.
    rows: [Option<FootprintId>; 5],
    /// Cache of the shapes of contiguous byte ranges within one line: byte offset in the line, number of bytes, and shape.
    ranges: Vec<Option<(u32, u32, FootprintId)>>,
    /// Remaining number of shapes that the detector may create. The number is limited, because shapes reduce the run time only if several
    /// accesses have the same shape.
    credit: i32,
}

impl Default for FootprintCache {
    fn default() -> FootprintCache {
        FootprintCache {
            patterns: Vec::new(),
            parts: Vec::new(),
            shapes: Vec::new(),
            slots: Vec::new(),
            latest: Vec::new(),
            strided: Vec::new(),
            rows: [None; 5],
            ranges: Vec::new(),
            credit: INITIAL_CREDIT,
        }
    }
}

impl FootprintCache {
    #[inline]
    pub(crate) fn pattern(&self, id: PatternId) -> &LinePattern {
        &self.patterns[id.0 as usize]
    }

    /// Returns the numbers of the parts of a shape, one for each accessed line.
    pub(crate) fn parts_of(&self, id: FootprintId) -> Range<usize> {
        let shape = &self.shapes[id.0 as usize];
        shape.first as usize..(shape.first + shape.n) as usize
    }

    #[inline]
    pub(crate) fn part(&self, number: usize) -> LinePart {
        self.parts[number]
    }

    /// Returns the parts of a shape, one for each accessed line.
    #[cfg(test)]
    fn parts(&self, id: FootprintId) -> &[LinePart] {
        &self.parts[self.parts_of(id)]
    }

    /// Returns the shape of a coalesced full-warp access at a line boundary.
    pub(crate) fn of_row(&mut self, lane_bytes: u32) -> Option<FootprintId> {
        let at = lane_bytes.trailing_zeros() as usize;
        let known = *self.rows.get(at)?;
        if !lane_bytes.is_power_of_two() {
            return None;
        }
        if known.is_some() {
            return known;
        }
        let offsets = std::array::from_fn(|lane| lane as u32 * lane_bytes);
        let key = FootprintKey {
            mask: u32::MAX,
            lane_bytes,
            offsets,
        };
        let made = match u64::from(lane_bytes) < WORD {
            true => self.make(&key),
            false => Some(self.make_row(&key)),
        };
        self.rows[at] = made;
        made
    }

    /// Returns the shape of contiguous bytes within one line, and the address of the line.
    pub(crate) fn of_range(&mut self, address: u64, n: u32) -> Option<(FootprintId, u64)> {
        let start = address / LINE * LINE;
        let offset = (address - start) as u32;
        let slot = ((offset / 4) ^ ((offset + n) / 4 * 5)) as usize % RANGES;
        if let Some(Some((at, n_bytes, shape))) = self.ranges.get(slot)
            && (*at, *n_bytes) == (offset, n)
        {
            return Some((*shape, start));
        }
        let mut offsets = [0; 32];
        offsets[0] = offset;
        let shape = self.find(&FootprintKey {
            mask: 1,
            lane_bytes: n,
            offsets,
        })?;
        self.ranges.resize(RANGES, None);
        self.ranges[slot] = Some((offset, n, shape));
        Some((shape, start))
    }

    /// Returns the shape of an access, and the address of its first line. The shape may contain additional lanes that the access does not
    /// contain. Returns `None` if the access has no shape, or if creating a shape is not worthwhile.
    #[inline]
    pub(crate) fn of(
        &mut self,
        site: AccessSiteId,
        places: &LaneAddresses<'_>,
    ) -> Option<(FootprintId, u64)> {
        let at = site.0 as usize;
        if let Some(latest) = self.latest.get_mut(at) {
            for index in 0..N_LATEST {
                let Some(shape) = latest[index] else { break };
                if let Some(start) = self.shapes[shape.0 as usize].key.start_of(places) {
                    latest[..=index].rotate_right(1);
                    self.credit = (self.credit + 1).min(INITIAL_CREDIT);
                    return Some((shape, start));
                }
            }
        }
        self.of_new(at, places)
    }

    /// Returns the shape of a full-warp access with a regular address pattern, and the address of its first line. Returns `None` if the
    /// access has no shape.
    #[inline]
    pub(crate) fn of_even(
        &mut self,
        site: AccessSiteId,
        even: &HalfWarpAccess,
    ) -> Option<(FootprintId, u64)> {
        let [first, second] = even.starts;
        let line = first / LINE * LINE;
        let (offset, gap) = (first - line, second.wrapping_sub(first));
        if let Some(latest) = self.strided.get(site.0 as usize) {
            let is_same = |known: &&StridedFootprint| {
                (known.offset, known.gap, known.step) == (offset, gap, even.step)
                    && known.lane_bytes == even.access.lane_bytes
            };
            if let Some(known) = latest.iter().flatten().find(is_same) {
                self.credit = (self.credit + 1).min(INITIAL_CREDIT);
                return Some((known.shape, line));
            }
        }
        self.of_new_even(site, even)
    }

    #[cold]
    #[inline(never)]
    fn of_new_even(
        &mut self,
        site: AccessSiteId,
        even: &HalfWarpAccess,
    ) -> Option<(FootprintId, u64)> {
        let places = LaneAddresses {
            mask: u32::MAX,
            lane_bytes: even.access.lane_bytes,
            addresses: &even.addresses(),
        };
        let (shape, start) = self.of(site, &places)?;
        let [first, second] = even.starts;
        let offset = first.wrapping_sub(start);
        if offset < LINE {
            let at = site.0 as usize;
            if self.strided.len() <= at {
                let n = (at + 1).next_power_of_two().max(INITIAL_SITES);
                self.strided.resize(n, [None; STRIDED_PER_SITE]);
            }
            self.strided[at].rotate_right(1);
            self.strided[at][0] = Some(StridedFootprint {
                lane_bytes: even.access.lane_bytes,
                offset,
                gap: second.wrapping_sub(first),
                step: even.step,
                shape,
            });
        }
        Some((shape, start))
    }

    #[cold]
    #[inline(never)]
    fn of_new(&mut self, at: usize, places: &LaneAddresses<'_>) -> Option<(FootprintId, u64)> {
        if self.latest.len() <= at {
            let n = (at + 1).next_power_of_two().max(INITIAL_SITES);
            self.latest.resize(n, [None; N_LATEST]);
        }
        let row = match places.is_row() {
            true => self.of_row(places.lane_bytes),
            false => None,
        };
        let (shape, start) = match row {
            Some(row) => (row, places.addresses[0]),
            None => self.of_places(at, places)?,
        };
        self.latest[at].rotate_right(1);
        self.latest[at][0] = Some(shape);
        Some((shape, start))
    }

    /// Returns the shape of an access. If the access is compatible with a cached shape of the site, the returned shape
    /// is the union of both.
    fn of_places(&mut self, at: usize, places: &LaneAddresses<'_>) -> Option<(FootprintId, u64)> {
        let mut known = self.latest[at].iter().flatten();
        let joined = known.find_map(|shape| self.shapes[shape.0 as usize].key.with(places));
        let key = match joined {
            Some(joined) => joined,
            None => FootprintKey::of(places)?,
        };
        let shape = self.find(&key)?;
        Some((shape, key.start_at(places, places.first())))
    }

    fn find(&mut self, key: &FootprintKey) -> Option<FootprintId> {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, [0; 2]);
        }
        let slot = key.hash() as usize >> 8 & (SLOTS - 1);
        let [newer, older] = self.slots[slot];
        for number in [newer, older] {
            let Some(index) = number.checked_sub(1) else {
                continue;
            };
            if self.shapes[index as usize].key.is(key) {
                self.credit = (self.credit + 1).min(INITIAL_CREDIT);
                return Some(FootprintId(index));
            }
        }
        if self.credit <= 0 || self.patterns.len() >= MAX_PATTERNS {
            return None;
        }
        self.credit -= 4;
        let made = self.make(key)?;
        self.slots[slot] = [made.0 + 1, newer];
        Some(made)
    }

    /// Creates the shape of a coalesced access of whole words, in which consecutive lanes cover all words of each line.
    #[cold]
    #[inline(never)]
    fn make_row(&mut self, key: &FootprintKey) -> FootprintId {
        self.reserve();
        let first = self.parts.len() as u32;
        let words_of_lane = key.lane_bytes / WORD as u32;
        for line in 0..words_of_lane {
            let lane = |word: usize| (line * 32 + word as u32) / words_of_lane;
            let lanes = std::array::from_fn(|word| 1 << lane(word));
            self.parts.push(LinePart {
                line: line as i32,
                pattern: PatternId(self.patterns.len() as u32),
            });
            self.patterns.push(LinePattern {
                covers: u128::MAX,
                words: u32::MAX,
                all: lanes.iter().fold(0, |all, lane| all | lane),
                bytes: 15,
                is_single: true,
                lanes,
            });
        }
        self.keep(key, first, words_of_lane)
    }

    /// Stores a shape whose parts are the `n` latest parts of the part list, and returns its number.
    fn keep(&mut self, key: &FootprintKey, first: u32, n: u32) -> FootprintId {
        self.shapes.push(Footprint {
            key: *key,
            first,
            n,
        });
        FootprintId(self.shapes.len() as u32 - 1)
    }

    fn reserve(&mut self) {
        if self.patterns.is_empty() {
            self.patterns.reserve(INITIAL_PATTERNS);
            self.parts.reserve(INITIAL_PATTERNS);
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, key: &FootprintKey) -> Option<FootprintId> {
        let n = key.lane_bytes;
        let step = n.min(WORD as u32);
        if n == 0 || !step.is_power_of_two() || !n.is_multiple_of(step) || n > LINE as u32 {
            return None;
        }
        let is_even = |lane: usize| key.offsets[lane].is_multiple_of(step);
        if !lanes_of(key.mask).all(is_even) {
            return None;
        }
        self.reserve();
        let (first, first_pattern) = (self.parts.len(), self.patterns.len() as u32);
        // Line, byte mask within a word, and part number of the previously processed piece.
        let (mut last, mut highest) = ((i32::MIN, 0, 0), i32::MIN);
        for lane in lanes_of(key.mask) {
            let mut at = i64::from(key.offsets[lane] as i32);
            let end = at + i64::from(n);
            while at < end {
                let line = at.div_euclid(LINE as i64) as i32;
                let within = at.rem_euclid(LINE as i64) as u64;
                let n_here = (end - at).min((LINE - within) as i64);
                at += n_here;
                let bytes = ((1u8 << step) - 1) << (within % WORD);
                if (line, bytes) != (last.0, last.1) {
                    let parts = &self.parts[first..];
                    let is_it = |part: &LinePart| {
                        part.line == line && self.patterns[part.pattern.0 as usize].bytes == bytes
                    };
                    let known = match line > highest {
                        true => None,
                        false => parts.iter().position(is_it),
                    };
                    highest = highest.max(line);
                    last = (line, bytes, known.unwrap_or(parts.len()));
                    if known.is_none() {
                        let pattern = PatternId(first_pattern + last.2 as u32);
                        self.parts.push(LinePart { line, pattern });
                        self.patterns.push(LinePattern::new(bytes));
                    }
                }
                let word = (within / WORD) as usize;
                let words = word..word + (n_here as usize).div_ceil(WORD as usize);
                self.patterns[first_pattern as usize + last.2].add(words, lane);
            }
        }
        let made = &mut self.patterns[first_pattern as usize..];
        for pattern in made.iter_mut() {
            pattern.covers = covers_of_words(pattern.words, pattern.bytes);
        }
        let n = made.len() as u32;
        Some(self.keep(key, first as u32, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        shapes: &mut FootprintCache,
        mask: u32,
        lane_bytes: u32,
        addresses: &[u64; 32],
    ) -> Option<(FootprintId, u64)> {
        let places = LaneAddresses {
            mask,
            lane_bytes,
            addresses,
        };
        shapes.of(AccessSiteId(3), &places)
    }

    fn shape(
        shapes: &mut FootprintCache,
        mask: u32,
        lane_bytes: u32,
        at: impl Fn(u64) -> u64,
    ) -> FootprintId {
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let (id, _) = of(shapes, mask, lane_bytes, &addresses).expect("a shape");
        id
    }

    #[test]
    fn coalesced_shape_matches_generic_shape() {
        for lane_bytes in [4, 8, 16] {
            let mut shapes = FootprintCache::default();
            let offsets = std::array::from_fn(|lane| lane as u32 * lane_bytes);
            let key = FootprintKey {
                mask: u32::MAX,
                lane_bytes,
                offsets,
            };
            let row = shapes.make_row(&key);
            let made = shapes.make(&key).expect("a shape");
            let patterns = |id: FootprintId| {
                let parts = shapes.parts(id).iter();
                let all = parts.map(|part| (part.line, shapes.pattern(part.pattern)));
                format!("{:?}", all.collect::<Vec<_>>())
            };
            assert_eq!(patterns(row), patterns(made), "{lane_bytes} bytes");
        }
        let mut shapes = FootprintCache::default();
        assert!(shapes.of_row(4).is_some() && shapes.of_row(12).is_none());
    }

    #[test]
    fn coalesced_word_access_is_one_pattern() {
        let mut shapes = FootprintCache::default();
        let id = shape(&mut shapes, u32::MAX, 4, |lane| 0x1000 + lane * 4);
        let [part] = *shapes.parts(id) else {
            panic!("one line");
        };
        let pattern = shapes.pattern(part.pattern);
        assert_eq!((part.line, pattern.covers), (0, u128::MAX));
        assert!(pattern.is_single && pattern.lanes[31] == 1 << 31);
        assert_eq!(
            shape(&mut shapes, u32::MAX, 4, |lane| 0x2080 + lane * 4),
            id
        );
        assert_eq!(shapes.of_row(4), Some(id));
    }

    #[test]
    fn access_starting_within_line_extends_to_next_line() {
        let mut shapes = FootprintCache::default();
        let id = shape(&mut shapes, u32::MAX, 4, |lane| 0x1040 + lane * 4);
        let lines: Vec<i32> = shapes.parts(id).iter().map(|part| part.line).collect();
        assert_eq!(lines, [0, 1]);
        let second = shapes.pattern(shapes.parts(id)[1].pattern);
        assert_eq!((second.words, second.lanes[0]), (0xffff, 1 << 16));
    }

    #[test]
    fn lane_below_first_lane_maps_to_preceding_line() {
        let mut shapes = FootprintCache::default();
        let id = shape(&mut shapes, 0b11, 8, |lane| 0x1000 - lane * 8);
        let lines: Vec<i32> = shapes.parts(id).iter().map(|part| part.line).collect();
        assert_eq!(lines, [0, -1]);
        assert_eq!(shapes.pattern(shapes.parts(id)[1].pattern).words, 3 << 30);
    }

    #[test]
    fn byte_accesses_form_one_pattern_per_byte_of_word() {
        let mut shapes = FootprintCache::default();
        let id = shape(&mut shapes, u32::MAX, 1, |lane| 0x1000 + lane);
        let of_byte: Vec<u8> = shapes
            .parts(id)
            .iter()
            .map(|part| shapes.pattern(part.pattern).bytes)
            .collect();
        assert_eq!(of_byte, [1, 2, 4, 8]);
        assert!(
            shapes
                .parts(id)
                .iter()
                .all(|part| shapes.pattern(part.pattern).is_single)
        );
        let all = shapes
            .parts(id)
            .iter()
            .fold(0, |all, part| all | shapes.pattern(part.pattern).covers);
        assert_eq!(all, u128::from(u32::MAX));
    }

    #[test]
    fn overlapping_lane_accesses_are_not_single() {
        let mut shapes = FootprintCache::default();
        let is_single = |shapes: &mut FootprintCache, apart: u64| {
            let id = shape(shapes, 0b11, 8, |lane| 0x1000 + lane * apart);
            let pattern = shapes.pattern(shapes.parts(id)[0].pattern);
            assert!(pattern.is_single_of(0b10));
            pattern.is_single_of(0b11)
        };
        assert!(!is_single(&mut shapes, 0));
        assert!(!is_single(&mut shapes, 4));
        assert!(is_single(&mut shapes, 8));
    }

    #[test]
    fn has_lanes_of_requires_same_lane_at_shared_words() {
        let mut shapes = FootprintCache::default();
        let row = shape(&mut shapes, u32::MAX, 4, |lane| 0x1000 + lane * 4);
        let pairs = shape(&mut shapes, 3, 8, |lane| 0x1000 + lane * 8);
        let of = |id: FootprintId| shapes.pattern(shapes.parts(id)[0].pattern);
        assert!(of(row).has_lanes_of(1, of(pairs), 1));
        assert!(!of(row).has_lanes_of(3, of(pairs), 1));
        assert!(of(row).has_lanes_of(0xf0, of(pairs), 3));
    }

    #[test]
    fn accesses_with_compatible_offsets_share_merged_shape() {
        let mut shapes = FootprintCache::default();
        let row = |lane: u64| 0x1000 + lane * 4;
        let (low, high) = (
            shape(&mut shapes, 0x00ff, 4, row),
            shape(&mut shapes, 0x0ff0, 4, row),
        );
        assert_ne!(low, high);
        assert_eq!(shape(&mut shapes, 0x0f0f, 4, row), high);
        let pattern = shapes.pattern(shapes.parts(high)[0].pattern);
        assert_eq!(pattern.covers, (1 << 48) - 1);
        assert_eq!(pattern.covers_of(0b101), 0xf0f);
    }

    #[test]
    fn misaligned_or_distant_addresses_have_no_shape() {
        let mut shapes = FootprintCache::default();
        let odd = std::array::from_fn(|lane| 0x1001 + lane as u64 * 4);
        assert_eq!(of(&mut shapes, u32::MAX, 4, &odd), None);
        let mut far = [0x180; 32];
        far[1] = 1 << 40;
        assert_eq!(of(&mut shapes, 0b11, 4, &far), None);
        let near = of(&mut shapes, 0b01, 4, &far).map(|(_, start)| start);
        assert_eq!(near, Some(0x180));
    }

    #[test]
    fn shape_creation_stops_if_shapes_never_recur() {
        let mut shapes = FootprintCache::default();
        let mut random = |number: u64| {
            let addresses =
                std::array::from_fn(|lane| (number * 37 + lane as u64 * number * 13) % 4096 * 4);
            of(&mut shapes, u32::MAX, 4, &addresses).is_some()
        };
        let n_made = (1..1000).filter(|number| random(*number)).count();
        assert!((100..400).contains(&n_made), "{n_made}");
    }
}
