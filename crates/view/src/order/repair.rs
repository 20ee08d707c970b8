//! The weakest repair of data races. In: a launch and its races; out: a list of edits of the text that ends all of them, while what is weaker
//! does not: candidates are made from weak to strong, and each is tried by running the changed text.

mod completion;
mod executed;
mod maps;
mod meeting;
mod products;
mod strength;
mod text;
mod updates;

use super::wording::TENSOR_MAP;
use super::{RaceSure, RaceView, RepairEdit, Why};
use crate::session::Session;
use text::Text;
use warpgrid_launch::{Front, Scenario};

/// Candidates that are tried, at most.
const MOST_TRIED: usize = 400;
/// Candidates that are tried before atomic operations in place of updates, at most.
const MOST_TRIED_BEFORE_UPDATES: usize = 200;
/// Steps of all trials, at most.
const MOST_STEPS: u64 = 4_000_000;
/// Steps of a run beyond which no repair is looked for.
const LONGEST_RUN: u64 = 60_000;
/// Blocks whose mbarriers are looked at.
const MOST_BLOCKS: u64 = 16;
/// Seeds that a repaired text must pass with.
const SEEDS: [u64; 4] = [0, 1, 2, 3];

/// A repair: edits that belong together.
pub(super) type Edits = Vec<RepairEdit>;

/// A race with all that candidates are made from.
#[derive(Clone, Copy)]
pub(super) struct Broken<'a> {
    pub(super) text: &'a Text,
    pub(super) race: &'a RaceView,
    /// The line of the first access, and that of the second.
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) is_one_block: bool,
    pub(super) is_one_warp: bool,
    pub(super) is_one_cluster: bool,
    /// Blocks of a cluster.
    pub(super) n_blocks: u32,
    /// Bytes that came to mbarriers without being expected.
    pub(super) unexpected: &'a [u32],
}

impl Session {
    /// Looks for the weakest repair of these races, and notes it with them.
    pub(super) fn add_repairs(&mut self, races: &mut [RaceView]) {
        let is_small = self.position() <= LONGEST_RUN;
        // Lanes that store the same value in one instruction are worth no search.
        let is_harmless = |race: &RaceView| race.same_value && race.first.line == race.second.line;
        if races.iter().all(is_harmless) || !is_small || self.scenario().front != Front::Ptx {
            return;
        }
        let text = self.executed_text();
        let updates = self.atomic_updates(&text, races);
        let mixed = self.mixed_barriers(races);
        let mut trial = Trial {
            scenario: self.scenario(),
            text: &text,
            left: MOST_TRIED,
            steps: MOST_STEPS,
        };
        // What is certain is mended first; the rest follows from the axioms alone.
        let certain = races.iter().filter(|race| race.sure != RaceSure::Axiom);
        let mut order: Vec<&RaceView> = certain.collect();
        order.extend(races.iter().filter(|race| race.sure == RaceSure::Axiom));
        let unexpected = self.unexpected_bytes();
        // Barriers that the text does not pair are mended before others are added.
        let mut all: Vec<Edits> = mixed
            .iter()
            .flat_map(|lines| meeting::of_mixed_barriers(&text, lines))
            .collect();
        for race in order {
            for candidate in self.candidates(&text, race, &unexpected) {
                if !all.contains(&candidate) && !updates.are_made_strong_by(&candidate) {
                    all.push(candidate);
                }
            }
        }
        // Where a lock or a barrier protects the updates, its repair is weaker than an atomic operation. Accesses besides the
        // updates may need a repair of their own.
        let others = all.clone();
        all.truncate(MOST_TRIED_BEFORE_UPDATES);
        all.extend(updates.repairs.iter().cloned());
        all.extend(updates.with(&others));
        let Some(found) = all.into_iter().find(|edits| trial.heals(edits)) else {
            return;
        };
        for race in races {
            race.repair.clone_from(&found);
            race.repair_tried = true;
        }
    }

    /// Bytes that came to mbarriers without being expected, as the run has left them.
    fn unexpected_bytes(&self) -> Vec<u32> {
        let machine = self.timeline.machine();
        let blocks = 0..machine.n_blocks().min(MOST_BLOCKS);
        let held = blocks.flat_map(|block| machine.mbarriers(block));
        let missing = held.filter_map(|(_, state)| u32::try_from(-i64::from(state?.bytes)).ok());
        let mut all: Vec<u32> = missing.filter(|bytes| *bytes > 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What could end a race, the weakest first.
    fn candidates(&self, text: &Text, race: &RaceView, unexpected: &[u32]) -> Vec<Edits> {
        let Some(first) = race.first.line else {
            return Vec::new();
        };
        let machine = self.timeline.machine();
        let cluster = self.scenario().cluster.unwrap_or([1; 3]);
        let of_cluster = |block: [u32; 3]| [0, 1, 2].map(|i: usize| block[i] / cluster[i].max(1));
        let warp = |thread: [u32; 3]| self.thread_number(thread) / 32;
        let (a, b) = (&race.first, &race.second);
        let is_one_block = a.block == b.block;
        let broken = Broken {
            text,
            race,
            first,
            second: race.second.line.unwrap_or(first),
            is_one_block,
            is_one_warp: is_one_block && warp(a.thread) == warp(b.thread),
            is_one_cluster: of_cluster(a.block) == of_cluster(b.block)
                && cluster.iter().any(|n| *n > 1)
                && machine.n_blocks() > 1,
            n_blocks: cluster.iter().product(),
            unexpected,
        };
        match race.why {
            Why::Init => completion::of_init(&broken),
            Why::Lifetime => meeting::of_lives(&broken),
            Why::Proxy if race.second.proxy == TENSOR_MAP => maps::of_maps(&broken),
            Why::Proxy => completion::of_proxies(&broken),
            Why::Completion => {
                let mut all = completion::of_copies(&broken);
                all.extend(meeting::of_clusters(&broken));
                all
            }
            Why::Order | Why::Scope if is_one_block => {
                let is_of_copy = a.asynchronous || b.asynchronous;
                let mut all = match is_of_copy {
                    true => completion::of_copies(&broken),
                    false => completion::of_mbarriers(&broken),
                };
                all.extend(meeting::of_threads(&broken));
                if is_of_copy {
                    all.extend(meeting::before_copies(&broken));
                }
                all.extend(strength::of_accesses(&broken));
                all
            }
            Why::Order | Why::Scope => {
                let mut all = meeting::of_clusters(&broken);
                all.splice(0..0, strength::of_accesses(&broken));
                all
            }
        }
    }

    fn thread_number(&self, [x, y, z]: [u32; 3]) -> u32 {
        let [nx, ny, _] = self.scenario().block.unwrap_or([1; 3]);
        (z * ny + y) * nx + x
    }
}

/// Tries texts.
struct Trial<'a> {
    scenario: &'a Scenario,
    text: &'a Text,
    left: usize,
    steps: u64,
}

impl Trial<'_> {
    /// Whether each run of the changed text meets the stated expectations and has no race, lost update, exchange between lanes that
    /// lockstep execution alone orders, or other fault.
    fn heals(&mut self, edits: &[RepairEdit]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let scenario = Scenario {
            source: self.text.changed(edits),
            seed: SEEDS.first().copied(),
            ..self.scenario.clone()
        };
        let Ok(first) = Session::untracked(scenario) else {
            return false;
        };
        let again = first.restart();
        let others = SEEDS.iter().skip(1);
        let others = others.map(|seed| again.with_seed(*seed).ok());
        std::iter::once(Some(first))
            .chain(others)
            .all(|session| session.is_some_and(|session| self.is_healthy(session)))
    }

    fn is_healthy(&mut self, mut session: Session) -> bool {
        let most = (4 * LONGEST_RUN).min(self.steps);
        let is_quiet = session.is_free_of_races(most);
        self.steps = self.steps.saturating_sub(session.position());
        is_quiet
            && session.is_over()
            && session.fault().is_none()
            && session.hang().is_none()
            && session.meets_expectations()
            && !session.loses_update()
            && session.lockstep_notes().is_empty()
    }
}
