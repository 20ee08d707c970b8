//! mbarrier objects: decoding and encoding of their 64 bits, and the state transitions for arrivals and completed bytes
//! (PTX ISA, "mbarrier").
//!
//! The PTX ISA does not define the layout of an object. The emulator uses the following fields, from the least
//! significant bit: 20 bits pending arrival count, 20 bits expected arrival count, 21 bits tx-count in bytes (two's
//! complement), one bit phase parity, and two bits `10` that mark an object, so that zeroed memory is not an mbarrier
//! object. The state that `mbarrier.arrive` returns is the value of the object before the arrival.

use std::fmt;
use warpgrid_program::counted;

/// Maximum of both arrival counts, and maximum magnitude of the tx-count.
const MAX_COUNT: u32 = (1 << 20) - 1;
const MARK: u64 = 0b10;

/// Decoded state of an mbarrier object: phase parity, arrival counts and tx-count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierState {
    /// Parity of the current, incomplete phase; `false` for the first phase.
    pub parity: bool,
    /// Pending arrival count of the current phase.
    pub pending: u32,
    /// Expected arrival count of the next phase.
    pub expected: u32,
    /// tx-count of the current phase in bytes. The tx-count is negative if more bytes have completed than instructions
    /// have announced so far.
    pub bytes: i32,
}

/// Reason why the behavior of an operation on an mbarrier object is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierMisuse {
    /// The memory does not contain an mbarrier object.
    NotAnMbarrier,
    /// The arrival count is 0 or exceeds 2^20 - 1.
    Count(u32),
    /// The arrival count exceeds the pending count.
    TooManyArrivals(u32),
    /// An arrival with `.noComplete` would complete the phase.
    UnexpectedCompletion(u32),
    /// The tx-count is outside of its range.
    TooManyBytes(i64),
}

impl MbarrierState {
    /// Returns an initialized object that expects `count` arrivals in each phase.
    pub fn new(count: u32) -> Result<MbarrierState, MbarrierMisuse> {
        match count {
            1..=MAX_COUNT => Ok(MbarrierState {
                parity: false,
                pending: count,
                expected: count,
                bytes: 0,
            }),
            _ => Err(MbarrierMisuse::Count(count)),
        }
    }

    /// Decodes an mbarrier object from 64 bits of shared memory. Returns `None` if the mark is missing.
    pub const fn read(word: u64) -> Option<MbarrierState> {
        if word >> 62 != MARK {
            return None;
        }
        // Shift the 21-bit tx-count to the top bits, then shift it back with sign extension.
        let bytes = ((word >> 40) as u32) << 11;
        Some(MbarrierState {
            parity: word >> 61 & 1 != 0,
            pending: word as u32 & MAX_COUNT,
            expected: (word >> 20) as u32 & MAX_COUNT,
            bytes: bytes as i32 >> 11,
        })
    }

    /// Encodes the object as 64 bits.
    pub const fn word(self) -> u64 {
        let bytes = self.bytes as u32 as u64 & 0x1f_ffff;
        MARK << 62
            | (self.parity as u64) << 61
            | bytes << 40
            | (self.expected as u64) << 20
            | self.pending as u64
    }

    /// Increases the tx-count of the current phase.
    pub fn expect(&mut self, bytes: u32) -> Result<(), MbarrierMisuse> {
        self.add_bytes(i64::from(bytes))
    }

    /// Decreases the tx-count by completed bytes. Returns whether the phase completes.
    pub fn complete(&mut self, bytes: u32) -> Result<bool, MbarrierMisuse> {
        self.add_bytes(-i64::from(bytes))?;
        Ok(self.end_phase())
    }

    fn add_bytes(&mut self, bytes: i64) -> Result<(), MbarrierMisuse> {
        let sum = i64::from(self.bytes) + bytes;
        if sum.unsigned_abs() > u64::from(MAX_COUNT) {
            return Err(MbarrierMisuse::TooManyBytes(sum));
        }
        self.bytes = sum as i32;
        Ok(())
    }

    /// Performs `count` arrivals. Returns whether the phase completes.
    pub fn arrive(&mut self, count: u32) -> Result<bool, MbarrierMisuse> {
        if count == 0 || count > MAX_COUNT {
            return Err(MbarrierMisuse::Count(count));
        }
        let left = self.pending.checked_sub(count);
        self.pending = left.ok_or(MbarrierMisuse::TooManyArrivals(count))?;
        Ok(self.end_phase())
    }

    /// Performs `count` arrivals that must not complete the phase. Returns an error if the phase would complete.
    pub fn arrive_before_last(&mut self, count: u32) -> Result<bool, MbarrierMisuse> {
        match self.arrive(count)? {
            true => Err(MbarrierMisuse::UnexpectedCompletion(count)),
            false => Ok(false),
        }
    }

    /// Decreases the expected arrival count of the phases after the current phase.
    pub fn drop_expected(&mut self, count: u32) -> Result<(), MbarrierMisuse> {
        let left = self.expected.checked_sub(count);
        self.expected = left.ok_or(MbarrierMisuse::TooManyArrivals(count))?;
        Ok(())
    }

    /// Increases the pending arrival count of the current phase.
    pub(crate) fn add_pending(&mut self, count: u32) -> Result<(), MbarrierMisuse> {
        let more = self.pending.saturating_add(count);
        if more > MAX_COUNT {
            return Err(MbarrierMisuse::Count(more));
        }
        self.pending = more;
        Ok(())
    }

    /// Starts the next phase if the pending count and the tx-count are zero. Returns whether the phase completed.
    fn end_phase(&mut self) -> bool {
        let ends = self.pending == 0 && self.bytes == 0;
        if ends {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
        ends
    }

    /// Checks whether the phase with a given parity is complete. The parity in the object is the parity of the current,
    /// incomplete phase.
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
            MbarrierMisuse::NotAnMbarrier => write!(f, "the address contains no mbarrier object"),
            MbarrierMisuse::Count(count) => {
                write!(
                    f,
                    "found the arrival count {count}, expected 1 to {MAX_COUNT}"
                )
            }
            MbarrierMisuse::TooManyArrivals(count) => {
                let arrivals = counted(*count, "arrival");
                write!(f, "found {arrivals}, but the pending count is lower")
            }
            MbarrierMisuse::UnexpectedCompletion(count) => {
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
    fn mbarrier_state_round_trips_through_64_bits() {
        for bytes in [0, 1, -1, MAX_COUNT as i32, -(MAX_COUNT as i32)] {
            for parity in [false, true] {
                let state = MbarrierState {
                    parity,
                    pending: 3,
                    expected: MAX_COUNT,
                    bytes,
                };
                assert_eq!(MbarrierState::read(state.word()), Some(state));
            }
        }
        assert_eq!(MbarrierState::read(0), None);
    }

    #[test]
    fn phase_completes_after_last_arrival_and_last_expected_byte() {
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
    fn complete_tx_may_precede_expect_tx() {
        let mut state = MbarrierState::new(1).unwrap();
        assert_eq!(state.complete(16), Ok(false));
        state.expect(16).unwrap();
        assert_eq!(state.arrive(1), Ok(true));
    }

    #[test]
    fn arrive_drop_reduces_pending_count_of_next_phase() {
        let mut state = MbarrierState::new(3).unwrap();
        state.drop_expected(1).unwrap();
        assert_eq!(state.arrive(3), Ok(true));
        assert_eq!(state.pending, 2);
    }

    #[test]
    fn misuse_is_rejected_with_specific_error() {
        let mut state = MbarrierState::new(1).unwrap();
        assert_eq!(MbarrierState::new(0), Err(MbarrierMisuse::Count(0)));
        assert_eq!(state.arrive(2), Err(MbarrierMisuse::TooManyArrivals(2)));
        assert_eq!(
            state.arrive_before_last(1),
            Err(MbarrierMisuse::UnexpectedCompletion(1))
        );
        assert_eq!(
            state.expect(MAX_COUNT + 1),
            Err(MbarrierMisuse::TooManyBytes(1 << 20))
        );
    }
}
