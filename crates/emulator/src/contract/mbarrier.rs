//! An mbarrier object: what its 64 bits hold, and what becomes of it when threads arrive and bytes land (PTX ISA,
//! "mbarrier").
//!
//! The manual leaves the layout open. Here it is, from the least significant bit: 20 bits of pending arrivals, 20 bits of
//! the arrivals that a phase expects, 21 bits of the bytes that are awaited (two's complement), the parity of the phase,
//! and two bits `10` that mark an object, so that zeroed memory is none. A state, as `mbarrier.arrive` gives it, is the
//! object as it was before the arrival.

use std::fmt;
use warpgrid_program::counted;

/// The largest count of arrivals and of bytes.
const MOST: u32 = (1 << 20) - 1;
const MARK: u64 = 0b10;

/// What an mbarrier object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierState {
    /// The parity of the phase that is not complete: false for the first.
    pub parity: bool,
    /// Arrivals that the phase still waits for.
    pub pending: u32,
    /// Expected arrival count of the next phase.
    pub expected: u32,
    /// Bytes of asynchronous operations that the phase still waits for; negative where more landed than are expected so far.
    pub bytes: i32,
}

/// Why an operation on an mbarrier object is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierMisuse {
    /// The memory holds no mbarrier object.
    NoObject,
    /// A count of arrivals that is 0 or larger than 2^20 - 1.
    Count(u32),
    /// More arrivals than are pending.
    TooManyArrivals(u32),
    /// `.noComplete` on an arrival that completes the phase.
    Completes(u32),
    /// More bytes than an object can count.
    TooManyBytes(i64),
}

impl MbarrierState {
    /// A new object that expects `count` arrivals in each phase.
    pub fn new(count: u32) -> Result<MbarrierState, MbarrierMisuse> {
        match count {
            1..=MOST => Ok(MbarrierState {
                parity: false,
                pending: count,
                expected: count,
                bytes: 0,
            }),
            _ => Err(MbarrierMisuse::Count(count)),
        }
    }

    /// The object in 64 bits of shared memory, if there is one.
    pub const fn read(word: u64) -> Option<MbarrierState> {
        if word >> 62 != MARK {
            return None;
        }
        // The 21 bits of the bytes are moved to the top, and back with their sign.
        let bytes = ((word >> 40) as u32) << 11;
        Some(MbarrierState {
            parity: word >> 61 & 1 != 0,
            pending: word as u32 & MOST,
            expected: (word >> 20) as u32 & MOST,
            bytes: bytes as i32 >> 11,
        })
    }

    /// The 64 bits of the object.
    pub const fn word(self) -> u64 {
        let bytes = self.bytes as u32 as u64 & 0x1f_ffff;
        MARK << 62
            | (self.parity as u64) << 61
            | bytes << 40
            | (self.expected as u64) << 20
            | self.pending as u64
    }

    /// Expects bytes of asynchronous operations in this phase.
    pub fn expect(&mut self, bytes: u32) -> Result<(), MbarrierMisuse> {
        self.add_bytes(i64::from(bytes))
    }

    /// Bytes have landed; whether that completes the phase.
    pub fn complete(&mut self, bytes: u32) -> Result<bool, MbarrierMisuse> {
        self.add_bytes(-i64::from(bytes))?;
        Ok(self.end_phase())
    }

    fn add_bytes(&mut self, bytes: i64) -> Result<(), MbarrierMisuse> {
        let sum = i64::from(self.bytes) + bytes;
        if sum.unsigned_abs() > u64::from(MOST) {
            return Err(MbarrierMisuse::TooManyBytes(sum));
        }
        self.bytes = sum as i32;
        Ok(())
    }

    /// Threads arrive; whether that completes the phase.
    pub fn arrive(&mut self, count: u32) -> Result<bool, MbarrierMisuse> {
        if count == 0 || count > MOST {
            return Err(MbarrierMisuse::Count(count));
        }
        let left = self.pending.checked_sub(count);
        self.pending = left.ok_or(MbarrierMisuse::TooManyArrivals(count))?;
        Ok(self.end_phase())
    }

    /// As [`MbarrierState::arrive`], which must not complete the phase.
    pub fn arrive_before_last(&mut self, count: u32) -> Result<bool, MbarrierMisuse> {
        match self.arrive(count)? {
            true => Err(MbarrierMisuse::Completes(count)),
            false => Ok(false),
        }
    }

    /// Makes later phases expect fewer arrivals.
    pub fn drop_expected(&mut self, count: u32) -> Result<(), MbarrierMisuse> {
        let left = self.expected.checked_sub(count);
        self.expected = left.ok_or(MbarrierMisuse::TooManyArrivals(count))?;
        Ok(())
    }

    /// Makes this phase wait for one arrival more.
    pub(crate) fn add_pending(&mut self, count: u32) -> Result<(), MbarrierMisuse> {
        let more = self.pending.saturating_add(count);
        if more > MOST {
            return Err(MbarrierMisuse::Count(more));
        }
        self.pending = more;
        Ok(())
    }

    /// Begins the next phase if this one waits for nothing more.
    fn end_phase(&mut self) -> bool {
        let ends = self.pending == 0 && self.bytes == 0;
        if ends {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
        ends
    }

    /// Whether the phase with this parity is complete: one that is not complete has the parity of the object.
    pub const fn is_complete(self, parity: bool) -> bool {
        self.parity != parity
    }
}

impl fmt::Display for MbarrierState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "phase parity {}, pending count {} of {}, tx-count {}",
            u32::from(self.parity),
            self.pending,
            self.expected,
            self.bytes
        )
    }
}

impl fmt::Display for MbarrierMisuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MbarrierMisuse::NoObject => write!(f, "the address contains no mbarrier object"),
            MbarrierMisuse::Count(count) => {
                write!(f, "found the arrival count {count}, expected 1 to {MOST}")
            }
            MbarrierMisuse::TooManyArrivals(count) => {
                let arrivals = counted(*count, "arrival");
                write!(f, "found {arrivals}, but the pending count is lower")
            }
            MbarrierMisuse::Completes(count) => {
                write!(
                    f,
                    "{} would complete the phase, which `.noComplete` does not allow",
                    counted(*count, "arrival")
                )
            }
            MbarrierMisuse::TooManyBytes(bytes) => {
                write!(f, "a tx-count of {bytes} bytes is out of range")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_survive_their_64_bits() {
        for bytes in [0, 1, -1, MOST as i32, -(MOST as i32)] {
            for parity in [false, true] {
                let state = MbarrierState {
                    parity,
                    pending: 3,
                    expected: MOST,
                    bytes,
                };
                assert_eq!(MbarrierState::read(state.word()), Some(state));
            }
        }
        assert_eq!(MbarrierState::read(0), None);
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival_and_its_last_byte() {
        let mut state = MbarrierState::new(2).unwrap();
        state.expect(64).unwrap();
        assert_eq!(state.arrive(2), Ok(false));
        assert_eq!(state.complete(32), Ok(false));
        assert!(!state.is_complete(false));
        assert_eq!(state.complete(32), Ok(true));
        assert!(state.is_complete(false) && !state.is_complete(true));
        assert_eq!((state.pending, state.bytes), (2, 0));
    }

    #[test]
    fn bytes_may_land_before_they_are_expected() {
        let mut state = MbarrierState::new(1).unwrap();
        assert_eq!(state.complete(16), Ok(false));
        state.expect(16).unwrap();
        assert_eq!(state.arrive(1), Ok(true));
    }

    #[test]
    fn dropped_arrivals_are_missing_from_the_next_phase() {
        let mut state = MbarrierState::new(3).unwrap();
        state.drop_expected(1).unwrap();
        assert_eq!(state.arrive(3), Ok(true));
        assert_eq!(state.pending, 2);
    }

    #[test]
    fn misuse_says_what_is_wrong() {
        let mut state = MbarrierState::new(1).unwrap();
        assert_eq!(MbarrierState::new(0), Err(MbarrierMisuse::Count(0)));
        assert_eq!(state.arrive(2), Err(MbarrierMisuse::TooManyArrivals(2)));
        assert_eq!(
            state.arrive_before_last(1),
            Err(MbarrierMisuse::Completes(1))
        );
        assert_eq!(
            state.expect(MOST + 1),
            Err(MbarrierMisuse::TooManyBytes(1 << 20))
        );
    }
}
