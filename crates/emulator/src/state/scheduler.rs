//! Deterministic scheduler: selects the next runnable warp or asynchronous operation.

use crate::contract::agent::{Agent, AsyncOperationId};
use crate::contract::schedule::ScheduledTurn;
use crate::state::block::Block;
use crate::state::in_flight::{DEFAULT_COMPLETION_DELAY, InFlightQueue};
use std::sync::Arc;

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
    turns: FixedTurns,
}

/// Turns with which a run starts. They take precedence over the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FixedTurns {
    turns: Arc<[ScheduledTurn]>,
    /// Number of turns that have ended.
    n_done: usize,
    /// Position at which the current turn ends. The field is `None` before the first step of the turn.
    end: Option<u64>,
}

impl FixedTurns {
    /// Returns the action of the current turn and the number of steps that remain in the turn. Skips turns whose agent
    /// cannot execute a step.
    fn next(
        &mut self,
        blocks: &[Block],
        in_flight: &InFlightQueue,
        position: u64,
        can_run: impl Fn(WarpSlot) -> bool,
    ) -> Option<(ScheduledAction, u32)> {
        while let Some(turn) = self.turns.get(self.n_done) {
            let end = *self.end.get_or_insert(position + u64::from(turn.n_steps));
            if position < end
                && let Some(action) = action_of(turn.agent, blocks, in_flight, &can_run)
            {
                return Some((action, (end - position) as u32));
            }
            self.n_done += 1;
            self.end = None;
        }
        None
    }
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
    /// Creates a scheduler for a seed. The run starts with `turns`.
    pub(crate) fn new(seed: u64, turns: Arc<[ScheduledTurn]>) -> Scheduler {
        Scheduler {
            at: WarpSlot { block: 0, warp: 0 },
            // For nonzero seeds, no steps remain, so that the first turn also draws its quantum.
            left: if seed == 0 { QUANTUM } else { 0 },
            seed,
            random: seed,
            turns: FixedTurns {
                turns,
                ..FixedTurns::default()
            },
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
        if let Some((action, left)) = self.turns.next(blocks, in_flight, position, &can_run) {
            self.take_turn(action, left);
            return Some(action);
        }
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

    /// Starts or continues a turn that the scheduler does not select by its seed. `left` is the number of steps that
    /// remain in the turn.
    pub(crate) fn take_turn(&mut self, action: ScheduledAction, left: u32) {
        if let ScheduledAction::Warp(at) = action {
            self.at = at;
            self.left = left;
        }
    }

    /// Checks whether the current step belongs to a fixed turn. The completion of an asynchronous operation that is due
    /// does not interrupt such a turn.
    pub(crate) fn is_in_fixed_turn(&self) -> bool {
        self.turns.end.is_some()
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

/// Returns the next action of an agent, or `None` if the agent cannot execute a step. An asynchronous operation can
/// complete if it depends on no operation in flight.
pub(crate) fn action_of(
    agent: Agent,
    blocks: &[Block],
    in_flight: &InFlightQueue,
    can_run: impl Fn(WarpSlot) -> bool,
) -> Option<ScheduledAction> {
    match agent {
        Agent::Warp { block, warp } => {
            let at = WarpSlot {
                block: blocks.iter().position(|slot| slot.index == block)?,
                warp: warp as usize,
            };
            can_run(at).then_some(ScheduledAction::Warp(at))
        }
        Agent::InFlight(id) => in_flight.action(id),
    }
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
