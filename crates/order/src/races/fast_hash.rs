//! Hash maps with integer keys such as block numbers, warp numbers and addresses. The keys originate from the user's
//! own run, so resistance to hash flooding is not required.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hash map with short integer keys.
pub(crate) type FastHashMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Hasher that multiplies by a constant.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

/// Golden ratio as a 64-bit fixed-point fraction, which is the usual factor of multiplicative hashing (Knuth, "The Art
/// of Computer Programming", Volume 3).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl FastHasher {
    #[inline]
    fn add(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(FACTOR);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // Fold the high bits into the low bits, by which `HashMap` selects the slot, because multiplication mixes the low bits least.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.add(number.into());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.add(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, Hash};

    #[test]
    fn adjacent_keys_rarely_collide() {
        let maker = BuildHasherDefault::<FastHasher>::default();
        let hash = |key: (u64, u32)| maker.hash_one(key) & 0xfff;
        let mut slots: Vec<u64> = (0..64u64)
            .flat_map(|block| (0..8u32).map(move |warp| (block, warp)))
            .map(hash)
            .collect();
        slots.sort_unstable();
        slots.dedup();
        assert!(slots.len() > 440, "{} of 512", slots.len());
        let mut hasher = FastHasher::default();
        "text".hash(&mut hasher);
        assert_ne!(hasher.finish(), 0);
    }
}
