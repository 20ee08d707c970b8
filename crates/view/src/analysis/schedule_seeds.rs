//! Analysis of the dependence of a result on the schedule. The module takes a scenario and scheduler seeds, and returns the memories that
//! differ between two seeds, and the stores at which the runs with these seeds diverge.

pub use crate::analysis::memory_diff::{DifferenceSide, ElementStore, MemoryDifference};
use crate::analysis::memory_diff::{FinalMemory, differences_between, final_memories};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::create::LaunchTemplate;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warpgrid_launch::Scenario;

/// Maximum number of seeds that the report lists for each distinct end state.
const MAX_LISTED: usize = 8;

/// Result of running a scenario with different scheduler seeds: the distinct end states, and the memory that differs between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeedReport {
    pub n_seeds: u64,
    /// Distinct end states of the runs, the most frequent end state first.
    pub ends: Vec<OutcomeGroup>,
    /// Differences between the first two end states, one entry per memory. The list is empty if only one end state exists.
    pub differences: Vec<MemoryDifference>,
    /// Notes on the runs if all seeds lead to a single end state, see [`SeedSearch::lockstep_notes`]. The list is empty unless the host
    /// requests the notes.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// End state that one or more runs of a [`SeedReport`] have in common, with the seeds of these runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeGroup {
    pub n_seeds: u64,
    /// First seeds whose runs have this end state.
    pub seeds: Vec<u64>,
    /// Message of the fault that stopped the runs. The field is absent if the runs have no fault.
    pub fault: Option<String>,
}

/// Final memory contents and fault of one run.
#[derive(Clone, Debug, PartialEq)]
struct SeedOutcome {
    left: Vec<FinalMemory>,
    fault: Option<String>,
}

/// Search that runs a scenario with several scheduler seeds, one seed after another. A host advances it in slices.
pub struct SeedSearch {
    scenario: Scenario,
    seeds: Range<u64>,
    n_seeds: u64,
    /// Step limit of each run.
    max_steps: u64,
    /// Prepared launch that later seeds reuse, or `None` until the first session is opened.
    restart: Option<LaunchTemplate>,
    /// Seed and session of the run in progress.
    running: Option<(u64, Session)>,
    found: Vec<(SeedOutcome, OutcomeGroup)>,
}

/// Runs the scenario with each seed in `seeds`, with at most `max_steps` steps per run.
pub fn compare_seeds(
    scenario: &Scenario,
    seeds: Range<u64>,
    max_steps: u64,
) -> Result<SeedReport, RequestError> {
    let mut search = SeedSearch::new(scenario.clone(), seeds, max_steps);
    while !search.advance(u64::MAX)? {}
    search.report()
}

impl SeedSearch {
    pub fn new(scenario: Scenario, seeds: Range<u64>, max_steps: u64) -> SeedSearch {
        SeedSearch {
            scenario,
            n_seeds: seeds.end.saturating_sub(seeds.start),
            seeds,
            max_steps,
            restart: None,
            running: None,
            found: Vec::new(),
        }
    }

    /// Executes at most `budget` steps of the run with the current seed. Returns whether the runs of all seeds have finished, or an error
    /// if the scenario cannot run.
    pub fn advance(&mut self, budget: u64) -> Result<bool, RequestError> {
        let (seed, mut session) = match self.running.take() {
            Some(running) => running,
            None => match self.seeds.next() {
                Some(seed) => (seed, self.session(seed)?),
                None => return Ok(true),
            },
        };
        let left = self.max_steps.saturating_sub(session.position());
        let is_over = session.run(budget.min(left));
        if !is_over && session.position() < self.max_steps {
            self.running = Some((seed, session));
            return Ok(false);
        }
        let fault = match is_over {
            true => session.fault().map(|fault| fault.message),
            false => Some(format!(
                "the run has not finished after {} steps",
                self.max_steps
            )),
        };
        let outcome = SeedOutcome {
            left: final_memories(&session),
            fault,
        };
        self.record_outcome(seed, outcome);
        Ok(self.seeds.is_empty())
    }

    /// Returns the number of seeds whose runs have finished.
    pub fn n_done(&self) -> u64 {
        self.found.iter().map(|(_, end)| end.n_seeds).sum()
    }

    /// Returns the number of distinct end states of the finished runs.
    pub fn n_ends(&self) -> usize {
        self.found.len()
    }

    /// Opens a session with the scheduler seed `seed`. The first session checks, infers and decodes the launch, and later sessions reuse
    /// this prepared launch.
    fn session(&mut self, seed: u64) -> Result<Session, RequestError> {
        if let Some(restart) = &self.restart {
            return restart.with_seed(seed);
        }
        let session = Session::new_without_last_writers(with_seed(&self.scenario, seed))?;
        self.restart = Some(session.restart());
        Ok(session)
    }

    fn record_outcome(&mut self, seed: u64, outcome: SeedOutcome) {
        match self.found.iter_mut().find(|(other, _)| *other == outcome) {
            Some((_, end)) => {
                end.n_seeds += 1;
                if end.seeds.len() < MAX_LISTED {
                    end.seeds.push(seed);
                }
            }
            None => {
                let end = OutcomeGroup {
                    n_seeds: 1,
                    seeds: vec![seed],
                    fault: outcome.fault.clone(),
                };
                self.found.push((outcome, end));
            }
        }
    }

    /// Returns notes on a scenario with a single end state. The notes describe accesses of lanes that only the lockstep execution of a warp
    /// orders. The notes are not part of the report, because the race detector that finds these accesses is not part of the WebAssembly
    /// module that the page loads first.
    pub fn lockstep_notes(&self) -> Result<Vec<String>, RequestError> {
        match (self.found.as_slice(), &self.restart) {
            ([_], Some(restart)) => {
                let mut session = restart.with_seed(0)?;
                session.run(self.max_steps);
                Ok(session.lockstep_notes())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the end states of the finished runs. If several end states exist, the function runs two seeds again to find the differences
    /// between the first two end states.
    pub fn report(mut self) -> Result<SeedReport, RequestError> {
        self.found
            .sort_by_cached_key(|(_, end)| u64::MAX - end.n_seeds);
        let differences = match self.found.as_slice() {
            [(a, first), (b, second), ..] => {
                let seeds = [first, second].map(|end| end.seeds.first().copied().unwrap_or(0));
                differences(&self.scenario, [a, b], seeds, self.max_steps)?
            }
            _ => Vec::new(),
        };
        Ok(SeedReport {
            notes: Vec::new(),
            n_seeds: self.n_seeds,
            ends: self.found.into_iter().map(|(_, end)| end).collect(),
            differences,
        })
    }
}

fn with_seed(scenario: &Scenario, seed: u64) -> Scenario {
    Scenario {
        seed: Some(seed),
        ..scenario.clone()
    }
}

/// Runs the scenario again with two seeds, and returns the differences between their final memory contents.
fn differences(
    scenario: &Scenario,
    [a, b]: [&SeedOutcome; 2],
    seeds: [u64; 2],
    max_steps: u64,
) -> Result<Vec<MemoryDifference>, RequestError> {
    let run = |seed: u64| {
        let mut session = Session::new(with_seed(scenario, seed))?;
        session.run(max_steps);
        Ok::<Session, RequestError>(session)
    };
    let mut sessions = [run(seeds[0])?, run(seeds[1])?];
    Ok(differences_between([&a.left, &b.left], &mut sessions))
}
