//! Deterministic scheduler: selects the next runnable warp or asynchronous operation.

use crate::contract::step_event::AsyncOperationId;
use crate::state::block::Block;
use crate::state::in_flight::{DEFAULT_COMPLETION_DELAY, InFlightQueue};

/// Number of steps in the quantum of a warp for seed 0.
const QUANTUM: u32 = 32;

/// Quanta from which the low bits of the seed select the maximum. Short quanta test interleavings of adjacent steps,
/// and long quanta test warps that are far ahead of other warps.
const MAX_SEEDED_QUANTA: [u64; 4] = [1, 4, 16, 64];

/// Binary logarithm of the maximum completion delay for nonzero seeds.
const MAX_DELAY_LOG2: u64 = 9;

/// Location of a resident warp: the index of its block slot, and the index of the warp in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpSlot {
    pub(crate) block: usize,
    pub(crate) warp: usize,
}

/// State of the scheduler that selects the next warp of a run. Seed 0 selects round robin. Other seeds draw the next
/// warp and its quantum, the next group of lanes of a divergent warp, and the completion delay of asynchronous
/// operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scheduler {
    at: WarpSlot,
    pub(crate) left: u32,
    seed: u64,
    random: u64,
}

/// Advances a splitmix64 generator and returns its output.
pub(crate) fn draw(random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *random;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Scheduler {
    pub(crate) fn new(seed: u64) -> Scheduler {
        Scheduler {
            at: WarpSlot { block: 0, warp: 0 },
            // For nonzero seeds, no steps remain, so that the first turn also draws its quantum.
            left: if seed == 0 { QUANTUM } else { 0 },
            seed,
            random: seed,
        }
    }

    fn draw(&mut self) -> u64 {
        draw(&mut self.random)
    }

    /// Returns the agent of the next step, or `None` if no warp is runnable and no operation is in flight. An operation
    /// that is due takes precedence over all warps. If no warp is runnable, the next operation in flight completes
    /// early.
    #[inline]
    pub(crate) fn choose(
        &mut self,
        blocks: &[Block],
        in_flight: &InFlightQueue,
        position: u64,
    ) -> Option<ScheduledAction> {
        self.choose_where(blocks, in_flight, position, |at| can_run(blocks, at))
    }

    /// Selects the next agent by the rules of [`Scheduler::choose`]. The predicate `can_run` determines which warps are
    /// runnable.
    #[inline]
    pub(crate) fn choose_where(
        &mut self,
        blocks: &[Block],
        in_flight: &InFlightQueue,
        position: u64,
        can_run: impl Fn(WarpSlot) -> bool,
    ) -> Option<ScheduledAction> {
        let landing = || in_flight.first();
        if in_flight.next_landing().is_some_and(|at| at <= position) {
            return landing();
        }
        if self.left > 0 && can_run(self.at) {
            return Some(ScheduledAction::Warp(self.at));
        }
        let next = self.next(blocks, can_run);
        next.map(ScheduledAction::Warp).or_else(landing)
    }

    /// Returns the number of steps between the issue and the completion of an asynchronous operation, which is constant
    /// for seed 0.
    pub(crate) fn landing_delay(&mut self) -> u64 {
        match self.seed {
            0 => DEFAULT_COMPLETION_DELAY,
            _ => {
                // Draw a power of two as the upper bound, then draw the delay below this bound. The distribution of
                // delays is therefore approximately log-uniform.
                let longest = 1 << (self.draw() % (MAX_DELAY_LOG2 + 1));
                self.draw() % longest
            }
        }
    }

    fn next(&mut self, blocks: &[Block], can_run: impl Fn(WarpSlot) -> bool) -> Option<WarpSlot> {
        self.left = QUANTUM;
        if self.seed != 0 {
            let draw = self.draw();
            let [a, b, c, d] = MAX_SEEDED_QUANTA;
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
        // Try the next warp first, because it is usually runnable.
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

    /// Advances the round-robin position by `n` warps.
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

    /// Ends the quantum of the current warp.
    pub(crate) fn end_turn(&mut self) {
        self.left = 0;
    }
}

/// Checks whether a warp has a ready group of lanes.
#[inline]
pub(crate) fn can_run(blocks: &[Block], at: WarpSlot) -> bool {
    blocks
        .get(at.block)
        .and_then(|b| b.warps.get(at.warp))
        .is_some_and(|warp| warp.can_run())
}

/// Agent that the scheduler has selected for the next step: a warp, or an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScheduledAction {
    Warp(WarpSlot),
    /// Completion of an asynchronous operation.
    InFlight(AsyncOperationId),
    /// Read of the source of an asynchronous operation.
    Read(AsyncOperationId),
}
