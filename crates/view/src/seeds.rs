//! Whether a result depends on the order of the run. In: a scenario and seeds; out: which memory differs between two of
//! them, and the stores at which they part.

use crate::memory_id::MemoryId;
use crate::session::{Session, SessionError};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warpgrid_launch::Scenario;
use warpgrid_launch::value::ElementType;

/// How many seeds of an ending are listed.
const MAX_LISTED: usize = 8;
/// How many stores to an element are listed.
const MAX_STORES: usize = 4;

/// What runs with different seeds end with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedReport {
    pub n_seeds: u64,
    /// Different ends, the most frequent first.
    pub ends: Vec<End>,
    /// How the first two ends differ, one entry per memory; empty where there is one end.
    pub differences: Vec<Difference>,
}

/// One way to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub n_seeds: u64,
    /// The first seeds that end so.
    pub seeds: Vec<u64>,
    /// The fault, if there is one.
    pub fault: Option<String>,
}

/// A memory that two runs leave differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub memory: MemoryId,
    /// The first element that differs.
    pub index: u64,
    pub n_elements: u64,
    /// One per run.
    pub sides: [Side; 2],
}

/// How one run came to its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    pub seed: u64,
    pub value: String,
    /// The last stores to the element, the very last one at the end; empty where no store went there.
    pub stores: Vec<ElementStore>,
}

/// A store that wrote an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementStore {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u8,
    /// Line of the source, from 1.
    pub line: u32,
    pub instruction: String,
    /// What the element was after it.
    pub value: String,
}

/// A memory that outlives the run, and what it holds.
#[derive(Clone, Debug, PartialEq)]
struct Left {
    id: MemoryId,
    ty: ElementType,
    bytes: Vec<u8>,
}

/// The memory after a run, and its fault.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    left: Vec<Left>,
    fault: Option<String>,
}

/// Runs a scenario with one seed after the other, a stretch at a time.
pub struct SeedSearch {
    scenario: Scenario,
    seeds: Range<u64>,
    n_seeds: u64,
    /// Steps that one run may take.
    max_steps: u64,
    /// The seed that runs now.
    running: Option<(u64, Session)>,
    found: Vec<(Outcome, End)>,
}

/// Runs the scenario with each of these seeds, for at most `max_steps` steps each.
pub fn compare_seeds(
    scenario: &Scenario,
    seeds: Range<u64>,
    max_steps: u64,
) -> Result<SeedReport, SessionError> {
    let mut search = SeedSearch::new(scenario.clone(), seeds, max_steps);
    while !search.work(u64::MAX)? {}
    search.report()
}

impl SeedSearch {
    pub fn new(scenario: Scenario, seeds: Range<u64>, max_steps: u64) -> SeedSearch {
        SeedSearch {
            scenario,
            n_seeds: seeds.end.saturating_sub(seeds.start),
            seeds,
            max_steps,
            running: None,
            found: Vec::new(),
        }
    }

    /// Runs at most `budget` steps of one seed; true when every seed has run. An error if the scenario cannot run.
    pub fn work(&mut self, budget: u64) -> Result<bool, SessionError> {
        let (seed, mut session) = match self.running.take() {
            Some(running) => running,
            None => match self.seeds.next() {
                Some(seed) => (seed, Session::untracked(with_seed(&self.scenario, seed))?),
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
            false => Some(format!("not over after {} steps", self.max_steps)),
        };
        let outcome = Outcome {
            left: left_by(&session),
            fault,
        };
        self.note(seed, outcome);
        Ok(self.seeds.is_empty())
    }

    fn note(&mut self, seed: u64, outcome: Outcome) {
        match self.found.iter_mut().find(|(other, _)| *other == outcome) {
            Some((_, end)) => {
                end.n_seeds += 1;
                if end.seeds.len() < MAX_LISTED {
                    end.seeds.push(seed);
                }
            }
            None => {
                let end = End {
                    n_seeds: 1,
                    seeds: vec![seed],
                    fault: outcome.fault.clone(),
                };
                self.found.push((outcome, end));
            }
        }
    }

    /// What the seeds that have run end with. Where they part, two of them are run once more.
    pub fn report(mut self) -> Result<SeedReport, SessionError> {
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

/// Buffers and module variables: shared memory ends with its block.
fn left_by(session: &Session) -> Vec<Left> {
    let machine = session.timeline.machine();
    let memories = session.memories().into_iter();
    let stays = memories.filter(|memory| !matches!(memory.view.id, MemoryId::Shared(_)));
    stays
        .map(|memory| Left {
            bytes: machine.memory(memory.region).unwrap_or(&[]).to_vec(),
            ty: memory.element,
            id: memory.view.id,
        })
        .collect()
}

fn differences(
    scenario: &Scenario,
    [a, b]: [&Outcome; 2],
    seeds: [u64; 2],
    max_steps: u64,
) -> Result<Vec<Difference>, SessionError> {
    let run = |seed: u64| {
        let mut session = Session::new(with_seed(scenario, seed))?;
        session.run(max_steps);
        Ok(session)
    };
    let mut sessions = [run(seeds[0])?, run(seeds[1])?];
    let mut found = Vec::new();
    for (left, right) in a.left.iter().zip(&b.left) {
        let width = left.ty.width_bytes().max(1);
        let pairs = left.bytes.chunks(width).zip(right.bytes.chunks(width));
        let mut differing = pairs.enumerate().filter(|(_, (a, b))| a != b);
        let Some((index, (one, other))) = differing.next() else {
            continue;
        };
        let place = Element {
            id: &left.id,
            ty: left.ty,
            offset: (index * width) as u64,
        };
        let [first, second] = &mut sessions;
        found.push(Difference {
            memory: left.id.clone(),
            index: index as u64,
            n_elements: 1 + differing.count() as u64,
            sides: [
                side(first, seeds[0], one, &place),
                side(second, seeds[1], other, &place),
            ],
        });
    }
    Ok(found)
}

/// An element of a memory.
struct Element<'a> {
    id: &'a MemoryId,
    ty: ElementType,
    /// Bytes from the start of the memory.
    offset: u64,
}

fn side(session: &mut Session, seed: u64, bytes: &[u8], element: &Element<'_>) -> Side {
    let end = session.position();
    let mut stores = Vec::new();
    while stores.len() < MAX_STORES {
        let Some((step, lane)) = session.last_writer(element.id, element.offset) else {
            break;
        };
        let value = session.value(element);
        let Some(store) = session.events(step, step + 1).into_iter().next() else {
            break;
        };
        stores.push(ElementStore {
            step,
            block: store.block,
            warp: store.warp,
            lane,
            line: store.range.line,
            instruction: store.instruction,
            value,
        });
        session.seek(step);
    }
    session.seek(end);
    stores.reverse();
    Side {
        seed,
        value: element.ty.text(element.ty.bits(bytes)),
        stores,
    }
}

impl Session {
    /// The step and lane of the last store to a byte of a memory; `None` where no store went.
    fn last_writer(&self, id: &MemoryId, offset: u64) -> Option<(u64, u8)> {
        let memory = self.memories().into_iter().find(|m| m.view.id == *id)?;
        let writers = self.timeline.machine().writers(memory.region)?;
        let writer = writers.of(usize::try_from(offset).ok()?)?;
        Some((writer.step, writer.lane as u8))
    }

    fn value(&self, element: &Element<'_>) -> String {
        let bytes = self.memory(element.id).unwrap_or_default();
        let start = usize::try_from(element.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(element.ty.width_bytes());
        let bytes = bytes.get(start..end).unwrap_or(&[]);
        element.ty.text(element.ty.bits(bytes))
    }
}
