//! Whose turn it is: a deterministic choice among the warps that can run and the operations in flight.

use crate::contract::event::PendingId;
use crate::state::block::Block;
use crate::state::in_flight::{InFlight, NATURAL_DELAY};

/// Steps that a warp has before the next one gets its turn.
const QUANTUM: u32 = 32;

/// The longest turns that seeds draw, by the low bits of the seed: short turns find what happens between two steps, long
/// ones what happens when a warp is far ahead.
const LONGEST_TURNS: [u64; 4] = [1, 4, 16, 64];

/// The longest delay of a landing that a seed draws, as a power of two.
const LONGEST_DELAY_LOG2: u64 = 9;

/// The place of a warp on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpPlace {
    pub(crate) block: usize,
    pub(crate) warp: usize,
}

/// Seed 0 goes round; other seeds draw the next warp and the length of its turn, the group of lanes that goes on where a
/// warp has several, and when operations in flight land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    at: WarpPlace,
    pub(crate) left: u32,
    seed: u64,
    random: u64,
}

/// A step of splitmix64.
pub(crate) fn draw(random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *random;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Schedule {
    pub(crate) fn new(seed: u64) -> Schedule {
        Schedule {
            at: WarpPlace { block: 0, warp: 0 },
            // Other seeds draw the first turn as well.
            left: if seed == 0 { QUANTUM } else { 0 },
            seed,
            random: seed,
        }
    }

    fn draw(&mut self) -> u64 {
        draw(&mut self.random)
    }

    /// The agent that steps now; none when no warp can run and nothing is in flight. An operation whose time has come
    /// goes before the warps, one whose time has not come after them.
    #[inline]
    pub(crate) fn choose(
        &mut self,
        blocks: &[Block],
        in_flight: &InFlight,
        position: u64,
    ) -> Option<Turn> {
        self.choose_where(blocks, in_flight, position, |at| can_run(blocks, at))
    }

    /// As [`Schedule::choose`], with another opinion about which warps can run.
    #[inline]
    pub(crate) fn choose_where(
        &mut self,
        blocks: &[Block],
        in_flight: &InFlight,
        position: u64,
        can_run: impl Fn(WarpPlace) -> bool,
    ) -> Option<Turn> {
        let landing = || in_flight.first();
        if in_flight.next_landing().is_some_and(|at| at <= position) {
            return landing();
        }
        if self.left > 0 && can_run(self.at) {
            return Some(Turn::Warp(self.at));
        }
        let next = self.next(blocks, can_run);
        next.map(Turn::Warp).or_else(landing)
    }

    /// Steps between the start of an operation in flight and its landing: always the same for seed 0.
    pub(crate) fn landing_delay(&mut self) -> u64 {
        match self.seed {
            0 => NATURAL_DELAY,
            _ => {
                // As often short as long.
                let longest = 1 << (self.draw() % (LONGEST_DELAY_LOG2 + 1));
                self.draw() % longest
            }
        }
    }

    fn next(&mut self, blocks: &[Block], can_run: impl Fn(WarpPlace) -> bool) -> Option<WarpPlace> {
        self.left = QUANTUM;
        if self.seed != 0 {
            let draw = self.draw();
            let [a, b, c, d] = LONGEST_TURNS;
            let longest = match self.seed % 4 {
                1 => a,
                2 => b,
                3 => c,
                _ => d,
            };
            self.left = 1 + ((draw >> 32) % longest) as u32;
            let n_warps: usize = blocks.iter().map(|b| b.warps.len()).sum();
            self.skip(blocks, draw as usize % n_warps.max(1));
        }
        let start = self.at;
        // Most often the next one can.
        self.skip(blocks, 1);
        if can_run(self.at) {
            return Some(self.at);
        }
        let n_warps: usize = blocks.iter().map(|b| b.warps.len()).sum();
        for _ in 1..n_warps {
            self.skip(blocks, 1);
            if can_run(self.at) {
                return Some(self.at);
            }
        }
        self.at = start;
        None
    }

    /// Goes on by `n` warps.
    fn skip(&mut self, blocks: &[Block], n: usize) {
        for _ in 0..n {
            self.at.warp += 1;
            if blocks
                .get(self.at.block)
                .is_none_or(|b| self.at.warp >= b.warps.len())
            {
                self.at.warp = 0;
                self.at.block += 1;
                if self.at.block >= blocks.len() {
                    self.at.block = 0;
                }
            }
        }
    }

    /// Ends the turn of the warp that runs.
    pub(crate) fn end_turn(&mut self) {
        self.left = 0;
    }
}

/// Whether a group of lanes of a warp is ready to run.
#[inline]
pub(crate) fn can_run(blocks: &[Block], at: WarpPlace) -> bool {
    blocks
        .get(at.block)
        .and_then(|b| b.warps.get(at.warp))
        .is_some_and(|warp| warp.can_run())
}

/// The one that the scheduler chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Warp(WarpPlace),
    /// It lands.
    InFlight(PendingId),
    /// It reads its source.
    Read(PendingId),
}
