//! Computation of the memory traffic of one access, which consists of the sectors, the cache lines and the words of shared memory that its
//! elements touch.

use crate::model::traffic::{BankTraffic, SectorTraffic, Traffic};
use std::borrow::Cow;
use warpgrid_emulator::{ElementAccess, MemoryId as Place};
use warpgrid_isa::MemoryGeometry;

/// Size in bytes of the memory block that one mask of accessed bytes covers. The mask has one bit per byte.
const BLOCK: u64 = 32;
/// Size of a memory word in bytes. Local memory is interleaved by words, so that the corresponding words of 32 lanes are adjacent.
const WORD: u64 = 4;

/// Byte range that a lane accesses with one element of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneBytes {
    /// Lane that supplied the address of the byte range.
    pub(crate) lane: u8,
    pub(crate) memory: Place,
    /// Address of the first byte within the memory.
    pub(crate) address: u64,
    pub(crate) n_bytes: u32,
    /// Index of the element among the elements that the lane accesses.
    pub(crate) element: u8,
}

impl From<&ElementAccess> for LaneBytes {
    fn from(piece: &ElementAccess) -> LaneBytes {
        LaneBytes {
            lane: piece.address_lane,
            memory: piece.memory,
            address: piece.address,
            n_bytes: piece.n_bytes,
            element: piece.element,
        }
    }
}

/// Rule for the number of wavefronts that are necessary if several lanes access the same word of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WavefrontMode {
    /// The lanes share one wavefront: a load broadcasts the word, and a store writes the value of one lane.
    Together,
    /// Each access requires its own wavefront, because atomics are serialized.
    PerAccess,
}

/// Computes the traffic of an instruction with `n_lanes` active lanes. The instruction transfers `width_bytes` bytes per lane, of which one
/// access transfers `access_bytes` bytes. A matrix transfer consists of several accesses, each of which counts as one request.
pub(crate) fn count_accesses(
    parts: &[LaneBytes],
    n_lanes: u32,
    width_bytes: u32,
    access_bytes: u32,
    passes: WavefrontMode,
    shape: MemoryGeometry,
) -> Traffic {
    let mut traffic = Traffic::default();
    for (own, width_bytes) in accesses(parts, width_bytes, access_bytes) {
        traffic.add(&count_access(&own, n_lanes, width_bytes, passes, shape));
    }
    traffic
}

/// Splits an instruction into accesses, each with the bytes that it transfers per lane. Only matrix transfers consist of several accesses.
pub(crate) fn accesses(
    parts: &[LaneBytes],
    width_bytes: u32,
    access_bytes: u32,
) -> Vec<(Cow<'_, [LaneBytes]>, u32)> {
    if access_bytes >= width_bytes {
        return vec![(Cow::Borrowed(parts), width_bytes)];
    }
    let element_bytes = parts.iter().map(|part| part.n_bytes).max().unwrap_or(1);
    let access_bytes = access_bytes.max(1);
    let per_access = (access_bytes / element_bytes.max(1)).max(1);
    let access_of = |part: &LaneBytes| u32::from(part.element) / per_access;
    let numbers = 0..width_bytes.div_ceil(access_bytes);
    let split = numbers.map(|number| {
        let own = parts.iter().filter(|part| access_of(part) == number);
        (own.copied().collect(), access_bytes)
    });
    split.collect()
}

/// Computes the traffic of an access in which each of `n_lanes` lanes requests `width_bytes` bytes.
fn count_access(
    parts: &[LaneBytes],
    n_lanes: u32,
    width_bytes: u32,
    passes: WavefrontMode,
    shape: MemoryGeometry,
) -> Traffic {
    let mut traffic = Traffic {
        requests: 1,
        lanes: n_lanes.into(),
        ..Traffic::default()
    };
    let is_global = |part: &&LaneBytes| part.memory == Place::Global;
    traffic.global = sectors(parts.iter().filter(is_global), shape);
    let is_local = |part: &&LaneBytes| matches!(part.memory, Place::Local { .. });
    traffic.local = sectors(parts.iter().filter(is_local), shape);
    traffic.shared = banks(parts, width_bytes, passes, shape);
    traffic
}

fn sectors<'a>(parts: impl Iterator<Item = &'a LaneBytes>, shape: MemoryGeometry) -> SectorTraffic {
    let mut touched = TouchedSectors::default();
    for part in parts {
        match part.memory {
            Place::Local { lane, .. } => {
                // Count each word of local memory separately, because consecutive words of a lane are not adjacent: the corresponding words
                // of all other lanes are between them.
                let end = part.address.saturating_add(part.n_bytes.into());
                let mut at = part.address;
                while at < end {
                    let stop = end.min((at / WORD + 1) * WORD);
                    let place = (at / WORD * 32 + u64::from(lane)).wrapping_mul(WORD) + at % WORD;
                    touched.add(0, place, stop - at);
                    at = stop;
                }
            }
            Place::Global | Place::Constant | Place::Parameters | Place::Shared { .. } => {
                touched.add(0, part.address, part.n_bytes.into());
            }
        }
    }
    let bytes = touched.bytes();
    if bytes == 0 {
        return SectorTraffic::default();
    }
    let [sector_bytes, line_bytes] = [shape.sector_bytes, shape.line_bytes].map(u64::from);
    let (sectors, lines) = (touched.pieces(sector_bytes), touched.pieces(line_bytes));
    let sectors_ideal = bytes.div_ceil(sector_bytes);
    SectorTraffic {
        requests: 1,
        bytes,
        sectors,
        sectors_ideal,
        sectors_excessive: sectors.saturating_sub(sectors_ideal),
        lines,
        lines_excessive: lines.saturating_sub(bytes.div_ceil(line_bytes)),
        bytes_wasted: (sectors * sector_bytes).saturating_sub(bytes),
    }
}

fn banks(
    parts: &[LaneBytes],
    width_bytes: u32,
    passes: WavefrontMode,
    shape: MemoryGeometry,
) -> BankTraffic {
    let is_shared = |part: &&LaneBytes| matches!(part.memory, Place::Shared { .. });
    let shared = || parts.iter().filter(is_shared);
    let mut traffic = BankTraffic::default();
    if shared().next().is_none() {
        return traffic;
    }
    traffic.requests = 1;
    let mut all = TouchedSectors::default();
    let n_groups = groups(parts, width_bytes);
    let lanes_per_group = 32 / n_groups as u8;
    for group in 0..n_groups as u8 {
        let lanes = group * lanes_per_group..(group + 1) * lanes_per_group;
        let mut touched = TouchedSectors::default();
        let mut again = vec![0; shape.banks as usize];
        for part in shared().filter(|part| lanes.contains(&part.lane)) {
            let place = (key_of(part.memory), part.address, part.n_bytes.into());
            touched.add(place.0, place.1, place.2);
            all.add(place.0, place.1, place.2);
            if passes == WavefrontMode::PerAccess {
                add_words(&mut again, part.address, part.n_bytes.into(), shape);
            }
        }
        let words = touched.words_per_bank(shape);
        let n_words: u64 = words.iter().sum();
        if n_words == 0 {
            continue;
        }
        let most = match passes {
            WavefrontMode::Together => words.iter().max(),
            WavefrontMode::PerAccess => again.iter().max(),
        };
        traffic.wavefronts += most.copied().unwrap_or(0);
        traffic.wavefronts_ideal += n_words.div_ceil(u64::from(shape.banks).max(1));
    }
    traffic.bytes = all.bytes();
    traffic.bank_conflicts = traffic.wavefronts.saturating_sub(traffic.wavefronts_ideal);
    traffic
}

/// Adds the words of a byte range to the counts of their banks.
fn add_words(banks: &mut [u64], address: u64, n_bytes: u64, shape: MemoryGeometry) {
    let bank_bytes = u64::from(shape.bank_bytes).max(1);
    let last = address.saturating_add(n_bytes.saturating_sub(1)) / bank_bytes;
    for word in address / bank_bytes..=last {
        if let Some(bank) = banks.get_mut((word % u64::from(shape.banks).max(1)) as usize) {
            *bank += 1;
        }
    }
}

/// Returns the number of lane groups that access shared memory one after another. The number is two if each address refers to 8 bytes, and
/// four if each address refers to 16 bytes. A row of `ldmatrix` or `stmatrix` has 16 bytes at the address of one lane, regardless of the
/// number of registers per lane.
pub(crate) fn groups(parts: &[LaneBytes], width_bytes: u32) -> usize {
    let mut row_bytes = [0; 32];
    for part in parts {
        if let Some(bytes) = row_bytes.get_mut(usize::from(part.lane)) {
            *bytes = u32::saturating_add(*bytes, part.n_bytes);
        }
    }
    let widest_row = row_bytes.into_iter().max().unwrap_or(0);
    match width_bytes.max(widest_row) {
        0..=4 => 1,
        5..=8 => 2,
        _ => 4,
    }
}

/// Returns the number of wavefronts of one access to shared memory that transfers `width_bytes` bytes at each of up to 32 addresses. The
/// addresses are in lane order.
pub(crate) fn wavefronts_of(starts: &[u64], width_bytes: u32, shape: MemoryGeometry) -> u32 {
    let parts: Vec<LaneBytes> = starts
        .iter()
        .zip(0..32)
        .map(|(start, lane)| LaneBytes {
            lane,
            memory: Place::Shared { block: 0 },
            address: *start,
            n_bytes: width_bytes,
            element: 0,
        })
        .collect();
    banks(&parts, width_bytes, WavefrontMode::Together, shape).wavefronts as u32
}

/// Returns the number of sectors of one access to global memory that transfers `width_bytes` bytes at each address, and the number of
/// distinct bytes.
pub(crate) fn sectors_of(starts: &[u64], width_bytes: u32, shape: MemoryGeometry) -> (u64, u64) {
    let parts: Vec<LaneBytes> = starts
        .iter()
        .map(|start| LaneBytes {
            lane: 0,
            memory: Place::Global,
            address: *start,
            n_bytes: width_bytes,
            element: 0,
        })
        .collect();
    let found = sectors(parts.iter(), shape);
    (found.sectors, found.bytes)
}

/// Returns a key that distinguishes the shared memories of the blocks in a cluster.
fn key_of(place: Place) -> u64 {
    match place {
        Place::Shared { block } => block,
        Place::Global | Place::Constant | Place::Parameters | Place::Local { .. } => 0,
    }
}

/// Set of the bytes that an access touches. Each entry consists of a memory, the index of a 32-byte block, and the mask of the accessed
/// bytes of this block. The entries are sorted. An access adds few entries, mostly in ascending order, so binary search is sufficient.
#[derive(Debug, Default)]
struct TouchedSectors(Vec<(u64, u64, u32)>);

impl TouchedSectors {
    fn add(&mut self, memory: u64, address: u64, n_bytes: u64) {
        let end = address.saturating_add(n_bytes);
        let mut at = address;
        while at < end {
            let block = at / BLOCK;
            let stop = end.min((block + 1).saturating_mul(BLOCK));
            let mask = (u32::MAX >> (BLOCK - (stop - at))) << (at % BLOCK);
            self.add_block(memory, block, mask);
            at = stop;
        }
    }

    fn add_block(&mut self, memory: u64, block: u64, mask: u32) {
        let place = match self.0.last() {
            Some(last) if (last.0, last.1) < (memory, block) => Err(self.0.len()),
            _ => self
                .0
                .binary_search_by_key(&(memory, block), |touched| (touched.0, touched.1)),
        };
        match place {
            Ok(index) => {
                if let Some(touched) = self.0.get_mut(index) {
                    touched.2 |= mask;
                }
            }
            Err(index) => self.0.insert(index, (memory, block, mask)),
        }
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|b| u64::from(b.2.count_ones())).sum()
    }

    /// Returns the number of distinct aligned ranges of `size` bytes that contain an accessed byte. `size` is a multiple of the block size.
    fn pieces(&self, size: u64) -> u64 {
        let per_piece = (size / BLOCK).max(1);
        let same = |a: &(u64, u64, u32), b: &(u64, u64, u32)| {
            (a.0, a.1 / per_piece) == (b.0, b.1 / per_piece)
        };
        self.0.chunk_by(same).count() as u64
    }

    /// Returns the number of distinct accessed words in each bank.
    fn words_per_bank(&self, shape: MemoryGeometry) -> Vec<u64> {
        let mut banks = vec![0; shape.banks as usize];
        let bank_bytes = u64::from(shape.bank_bytes).clamp(1, BLOCK);
        let per_block = BLOCK / bank_bytes;
        for (_, block, mask) in &self.0 {
            for word in 0..per_block {
                let bytes = u64::from(*mask) >> (word * bank_bytes) & ((1 << bank_bytes) - 1);
                let bank = (block * per_block + word) % u64::from(shape.banks).max(1);
                if let Some(bank) = banks.get_mut(bank as usize).filter(|_| bytes != 0) {
                    *bank += 1;
                }
            }
        }
        banks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: MemoryGeometry = MemoryGeometry::COMMON;

    /// Computes the traffic of an access by 32 lanes of `width` bytes each at the addresses that `of` returns.
    fn access(
        memory: Place,
        width: u32,
        passes: WavefrontMode,
        of: impl Fn(u64) -> u64,
    ) -> Traffic {
        let parts: Vec<LaneBytes> = (0..32)
            .map(|lane| LaneBytes {
                lane,
                memory: match memory {
                    Place::Local { block, warp, .. } => Place::Local {
                        block,
                        warp,
                        lane: lane.into(),
                    },
                    other => other,
                },
                address: of(lane.into()),
                n_bytes: width,
                element: 0,
            })
            .collect();
        count_access(&parts, 32, width, passes, SHAPE)
    }

    fn global(width: u32, of: impl Fn(u64) -> u64) -> [u64; 5] {
        let found = access(Place::Global, width, WavefrontMode::Together, of).global;
        [
            found.bytes,
            found.sectors,
            found.sectors_excessive,
            found.lines,
            found.lines_excessive,
        ]
    }

    fn shared(width: u32, passes: WavefrontMode, of: impl Fn(u64) -> u64) -> [u64; 3] {
        let found = access(Place::Shared { block: 0 }, width, passes, of).shared;
        [
            found.wavefronts,
            found.wavefronts_ideal,
            found.bank_conflicts,
        ]
    }

    #[test]
    fn global_access_counts_bytes_sectors_and_cache_lines() {
        assert_eq!(global(4, |lane| 256 + lane * 4), [128, 4, 0, 1, 0]);
        // A misaligned access touches one additional sector and one additional cache line, compared with an aligned access.
        assert_eq!(global(4, |lane| 260 + lane * 4), [128, 5, 1, 2, 1]);
        assert_eq!(global(16, |lane| lane * 16), [512, 16, 0, 4, 0]);
        assert_eq!(global(4, |lane| lane * 128), [128, 32, 28, 32, 31]);
        assert_eq!(global(4, |_| 64), [4, 1, 0, 1, 0]);
    }

    #[test]
    fn shared_access_counts_wavefronts() {
        use WavefrontMode::{PerAccess, Together};
        assert_eq!(shared(4, Together, |lane| lane * 4), [1, 1, 0]);
        assert_eq!(shared(4, Together, |lane| lane * 8), [2, 1, 1]);
        assert_eq!(shared(4, Together, |lane| lane * 128), [32, 1, 31]);
        assert_eq!(shared(4, Together, |_| 12), [1, 1, 0]);
        // Accesses to different bytes of one word need only one wavefront.
        assert_eq!(shared(1, Together, |lane| lane), [1, 1, 0]);
        // Half warps (8 bytes per lane) and quarter warps (16 bytes per lane) are served one after another.
        assert_eq!(shared(8, Together, |lane| lane * 8), [2, 2, 0]);
        assert_eq!(shared(16, Together, |lane| lane * 16), [4, 4, 0]);
        assert_eq!(shared(16, Together, |lane| lane * 32), [8, 4, 4]);
        // Atomics on the same word are serialized.
        assert_eq!(shared(4, PerAccess, |_| 12), [32, 1, 31]);
        assert_eq!(shared(4, PerAccess, |lane| lane * 4), [1, 1, 0]);
    }

    #[test]
    fn ldmatrix_wavefronts_are_counted_per_matrix() {
        // The rows have 16 bytes and start 32 bytes apart. Lanes 8 * i to 8 * i + 7 supply the rows of matrix `i`.
        let wavefronts = |n_matrices: u8| {
            let rows = (0..8 * n_matrices).map(|lane| LaneBytes {
                lane,
                memory: Place::Shared { block: 0 },
                address: u64::from(lane % 8) * 32 + u64::from(lane / 8) * 16,
                n_bytes: 16,
                element: 0,
            });
            let (rows, width) = (rows.collect::<Vec<LaneBytes>>(), u32::from(n_matrices) * 4);
            count_access(&rows, 32, width, WavefrontMode::Together, SHAPE)
                .shared
                .wavefronts
        };
        assert_eq!([1, 2, 4].map(wavefronts), [2, 4, 8]);
    }

    #[test]
    fn same_local_word_of_all_lanes_shares_one_cache_line() {
        let stack = Place::Local {
            block: 0,
            warp: 0,
            lane: 0,
        };
        let found = access(stack, 4, WavefrontMode::Together, |_| 8).local;
        assert_eq!((found.sectors, found.lines, found.bytes), (4, 1, 128));
        let found = access(stack, 8, WavefrontMode::Together, |_| 8).local;
        assert_eq!((found.sectors, found.lines, found.bytes), (8, 2, 256));
    }
}
