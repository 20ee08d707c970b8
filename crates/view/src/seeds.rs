//! Whether a result depends on the order of the run. In: a scenario and seeds; out: which memory differs between two of
//! them, and the stores at which they part.

use crate::memory_id::MemoryId;
use crate::model::StoreView;
use crate::session::{Session, SessionError};
use serde::Serialize;
use std::ops::Range;
use warpgrid_launch::Scenario;
use warpgrid_launch::scenario::Buffer;
use warpgrid_launch::value::ElementType;

/// How many seeds of an ending are listed.
const MAX_LISTED: usize = 8;

/// What runs with different seeds end with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedReport {
    pub n_seeds: u64,
    /// Different ends, the most frequent first.
    pub ends: Vec<End>,
    /// How the first two ends differ, one entry per memory; empty where there is one end.
    pub differences: Vec<Difference>,
}

/// One way to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    pub n_seeds: u64,
    /// The first seeds that end so.
    pub seeds: Vec<u64>,
    /// The fault, if there is one.
    pub fault: Option<String>,
}

/// A memory that two runs leave differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub memory: MemoryId,
    /// The first element that differs.
    pub index: u64,
    pub n_elements: u64,
    /// One per run.
    pub sides: [Side; 2],
}

/// How one run came to its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    pub seed: u64,
    pub value: String,
    /// The last store to the element; none where no store went there.
    pub store: Option<LastStore>,
}

/// A store that wrote an element last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastStore {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u8,
    /// Line of the source, from 1.
    pub line: u32,
    pub instruction: String,
}

/// The memory after a run, and its fault.
#[derive(Clone, PartialEq)]
struct Outcome {
    buffers: Vec<Vec<u8>>,
    fault: Option<String>,
}

/// Runs the scenario with each of these seeds, for at most `max_steps` steps each.
pub fn compare_seeds(
    scenario: &Scenario,
    seeds: Range<u64>,
    max_steps: u64,
) -> Result<SeedReport, SessionError> {
    let mut found: Vec<(Outcome, End)> = Vec::new();
    let n_seeds = seeds.end.saturating_sub(seeds.start);
    for seed in seeds {
        let outcome = outcome(scenario, seed, max_steps)?;
        let known = found.iter_mut().find(|(other, _)| *other == outcome);
        match known {
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
                found.push((outcome, end));
            }
        }
    }
    found.sort_by_cached_key(|(_, end)| u64::MAX - end.n_seeds);
    let differences = match found.as_slice() {
        [(a, first), (b, second), ..] => {
            let seeds = [first, second].map(|end| end.seeds.first().copied().unwrap_or(0));
            differences(scenario, [a, b], seeds, max_steps)?
        }
        _ => Vec::new(),
    };
    Ok(SeedReport {
        n_seeds,
        ends: found.into_iter().map(|(_, end)| end).collect(),
        differences,
    })
}

fn with_seed(scenario: &Scenario, seed: u64) -> Scenario {
    Scenario {
        seed,
        ..scenario.clone()
    }
}

fn outcome(scenario: &Scenario, seed: u64, max_steps: u64) -> Result<Outcome, SessionError> {
    let mut session = Session::untracked(with_seed(scenario, seed))?;
    let fault = match session.run(max_steps) {
        true => session.fault().map(|fault| fault.message),
        false => Some(format!("not over after {max_steps} steps")),
    };
    let buffers = session.buffers();
    let bytes = buffers.iter().map(|buffer| {
        let memory = session.memory(&MemoryId::Buffer(buffer.name.clone()));
        memory.unwrap_or_default()
    });
    Ok(Outcome {
        buffers: bytes.collect(),
        fault,
    })
}

fn differences(
    scenario: &Scenario,
    outcomes: [&Outcome; 2],
    seeds: [u64; 2],
    max_steps: u64,
) -> Result<Vec<Difference>, SessionError> {
    let mut sessions = Vec::new();
    for seed in seeds {
        let mut session = Session::new(with_seed(scenario, seed))?;
        session.run(max_steps);
        sessions.push(session);
    }
    let [a, b] = sessions.as_mut_slice() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for (place, buffer) in a.buffers().iter().enumerate() {
        let [left, right] = outcomes.map(|o| o.buffers.get(place).map_or(&[][..], |b| b));
        let ty = ElementType::from_name(&buffer.ty).unwrap_or(ElementType::U8);
        let width = ty.width_bytes().max(1);
        let pairs = left.chunks(width).zip(right.chunks(width));
        let differing = pairs.enumerate().filter(|(_, (a, b))| a != b);
        let indices: Vec<usize> = differing.map(|(index, _)| index).collect();
        let Some(index) = indices.first().copied() else {
            continue;
        };
        let at = (buffer, index, ty);
        found.push(Difference {
            memory: MemoryId::Buffer(buffer.name.clone()),
            index: index as u64,
            n_elements: indices.len() as u64,
            sides: [side(a, seeds[0], left, at), side(b, seeds[1], right, at)],
        });
    }
    Ok(found)
}

fn side(
    session: &mut Session,
    seed: u64,
    bytes: &[u8],
    (buffer, index, ty): (&Buffer, usize, ElementType),
) -> Side {
    let width = ty.width_bytes().max(1);
    let element = bytes.get(index * width..(index + 1) * width).unwrap_or(&[]);
    Side {
        seed,
        value: ty.text(ty.bits(element)),
        store: last_store(session, buffer, (index * width) as u64),
    }
}

/// The store that wrote a byte of a buffer last.
fn last_store(session: &mut Session, buffer: &Buffer, offset: u64) -> Option<LastStore> {
    let memory = MemoryId::Buffer(buffer.name.clone());
    let (step, lane) = session.last_writer(&memory, offset)?;
    let store: StoreView = session.events(step, step + 1).into_iter().next()?;
    Some(LastStore {
        step,
        block: store.block,
        warp: store.warp,
        lane,
        line: store.range.line,
        instruction: store.instruction,
    })
}

impl Session {
    /// The step and lane of the last store to a byte of a memory; `None` where no store went.
    fn last_writer(&self, id: &MemoryId, offset: u64) -> Option<(u64, u8)> {
        let memory = self.memories().into_iter().find(|m| m.view.id == *id)?;
        let writers = self.timeline.machine().writers(memory.region)?;
        let writer = writers.of(usize::try_from(offset).ok()?)?;
        Some((writer.step, writer.lane as u8))
    }
}
