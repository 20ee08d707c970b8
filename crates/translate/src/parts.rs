//! Partitions of the blocks of a launch, each with a separate memory: a single partition, or one per thread or per
//! host. Input: a machine that has not executed a step. Output: memory and counts at the end of the run, or the reason
//! for a bailout.

use crate::engine::{Engine, Instance, Memory};
use crate::merge;
use crate::module::{Kernel, translate};
use crate::place::{Places, holds};
use crate::refusal::Refusal;
use crate::run::{Counts, Launch, Limits, Progress, Run, Stopped};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use warpgrid_emulator::plain::{Plain, PlainEnd};

/// Minimum number of blocks of a partition; fewer blocks do not justify a memory.
const FEWEST_BLOCKS: u64 = 4;

/// Maximum size in bytes of the memories of all partitions: of a process, or of a web page, whose partitions are in the
/// memories of their workers and are copied once.
const MOST_BYTES: u64 = if cfg!(target_arch = "wasm32") {
    1 << 30
} else {
    4 << 30
};

/// Finished run.
#[derive(Debug)]
pub struct Ended<I> {
    instance: I,
    /// Ranges of linear memory that blocks may have changed, and their starts in the arena.
    changed: Vec<(Range<usize>, usize)>,
    pub counts: Counts,
    /// Duration of the translation, and of the run.
    pub translating: Duration,
    pub running: Duration,
    pub n_parts: usize,
}

impl<I: Instance> Ended<I> {
    /// Passes the result of the run to a machine.
    pub fn hand_over<R>(&self, take: impl FnOnce(&PlainEnd<'_>) -> R) -> R {
        let changed = self.changed.iter();
        let looked: Vec<(usize, Cow<'_, [u8]>)> = changed
            .map(|(range, start)| (*start, self.instance.look(range.clone())))
            .collect();
        let changes: Vec<(usize, &[u8])> = looked
            .iter()
            .map(|(start, bytes)| (*start, &**bytes))
            .collect();
        take(&PlainEnd {
            changes: &changes,
            counts: self.counts.of_steps(),
            lane_instructions: self.counts.lane_instructions,
        })
    }
}

/// Translates and runs the kernel of a machine that has not executed a step, within limits.
pub fn run<E: Engine>(
    engine: &E,
    plain: Plain<'_>,
    limits: Limits,
) -> Result<Ended<E::Instance>, Refusal> {
    let parted = Parted::new(engine, plain)?;
    let parts = vec![parted.part(engine, 0..plain.n_blocks())?];
    parted.run(plain, limits, parts, |parts, noted| {
        for part in parts {
            parted.try_part(plain, limits, part, noted);
        }
    })
}

/// Runs a kernel like [`run`] with the blocks divided among threads, each with a separate memory. The result does not
/// depend on the number of threads.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_on_threads<E>(
    engine: &E,
    plain: Plain<'_>,
    limits: Limits,
    n_threads: u32,
) -> Result<Ended<E::Instance>, Refusal>
where
    E: Engine,
    E::Module: Sync,
    E::Instance: Send,
{
    let parted = Parted::<E>::new(engine, plain)?;
    let n_parts = parted.most_parts(plain).min(u64::from(n_threads)).max(1);
    let shares = shares(0..plain.n_blocks(), n_parts);
    let parts: Result<Vec<_>, _> = shares.map(|blocks| parted.part(engine, blocks)).collect();
    let limits = limits.of_part(n_parts);
    let (parts, parted) = (parts?, &parted);
    parted.run(plain, limits, parts, |parts, noted| {
        std::thread::scope(|scope| {
            let mut parts = parts.iter_mut();
            let own = parts.next();
            for part in parts {
                scope.spawn(move || parted.try_part(plain, limits, part, noted));
            }
            if let Some(part) = own {
                parted.try_part(plain, limits, part, noted);
            }
        });
    })
}

/// Divides a range of blocks into `n_parts` ranges of similar size.
pub fn shares(blocks: Range<u64>, n_parts: u64) -> impl Iterator<Item = Range<u64>> {
    let n_blocks = blocks.end - blocks.start;
    // Number of blocks before a partition; the product can exceed 64 bits.
    let before = move |part: u64| {
        let n = u128::from(n_blocks) * u128::from(part) / u128::from(n_parts.max(1));
        blocks.start + n as u64
    };
    (0..n_parts).map(move |part| before(part)..before(part + 1))
}

/// Compiled kernel, and the launch whose blocks are partitioned.
#[derive(Debug)]
pub struct Parted<E: Engine> {
    kernel: Kernel,
    module: E::Module,
    translating: Duration,
    /// Start time of the run.
    started: Duration,
}

impl<E: Engine> Parted<E> {
    /// Translates the kernel of a machine that has not executed a step.
    pub fn new(engine: &E, plain: Plain<'_>) -> Result<Parted<E>, Refusal> {
        let asked = E::now();
        let kernel = translate(plain, engine.products())?;
        let module = engine.compile(&kernel.wasm).map_err(Refusal::Engine)?;
        let started = E::now();
        Ok(Parted {
            kernel,
            module,
            translating: started.saturating_sub(asked),
            started,
        })
    }

    /// Returns the maximum number of partitions.
    pub fn most_parts(&self, plain: Plain<'_>) -> u64 {
        if self.kernel.is_whole {
            return 1;
        }
        let by_bytes = MOST_BYTES / self.kernel.places.bytes.max(1);
        by_bytes.min(plain.n_blocks() / FEWEST_BLOCKS)
    }

    /// Returns the size in bytes of the memory of a partition that another host must receive.
    pub fn n_bytes(&self) -> u64 {
        self.kernel.places.bytes
    }

    /// Returns a partition of the launch whose blocks have not run.
    pub fn part(&self, engine: &E, blocks: Range<u64>) -> Result<Part<E::Instance>, Refusal> {
        let memory = engine.instantiate(&self.module).map_err(Refusal::Engine)?;
        Ok(Part {
            progress: Progress::at(blocks.start),
            blocks,
            n_bytes: self.n_bytes(),
            is_filled: false,
            outcome: Ok(()),
            memory,
        })
    }

    /// Runs the remaining blocks of a partition. With `rest`, no block starts after this time; [`Part::left`] returns
    /// the remaining blocks.
    pub fn run_part(
        &self,
        plain: Plain<'_>,
        limits: Limits,
        rest: Option<Duration>,
        part: &mut Part<E::Instance>,
    ) {
        self.fill(plain, part);
        let launch = Launch {
            plain,
            limits,
            rest,
            now: E::now,
        };
        let mut run = Run::new(&self.kernel, &mut part.memory, &mut part.progress);
        part.outcome = run.blocks(launch, part.blocks.end);
    }

    /// Resets a partition to its initial state, with shadow memory for these ranges from the start.
    pub fn begin_again(&self, plain: Plain<'_>, noted: &[u32], part: &mut Part<E::Instance>) {
        self.fill(plain, part);
        let kernel = &self.kernel;
        let memory = &mut part.memory;
        kernel.places.refill(plain, noted, &kernel.sites, memory);
        part.progress.begin_again(part.blocks.start);
    }

    fn try_part(
        &self,
        plain: Plain<'_>,
        limits: Limits,
        part: &mut Part<E::Instance>,
        noted: &[u32],
    ) {
        if !noted.is_empty() {
            self.begin_again(plain, noted, part);
        }
        self.run_part(plain, limits, None, part);
    }

    fn fill(&self, plain: Plain<'_>, part: &mut Part<E::Instance>) {
        if !part.is_filled {
            part.is_filled = true;
            let kernel = &self.kernel;
            let memory = &mut part.memory;
            let places = &kernel.places;
            places.fill(plain, &kernel.sites, memory);
        }
    }

    /// Runs all partitions with the function `each`, which receives the ranges to track, and merges their memories.
    fn run(
        &self,
        plain: Plain<'_>,
        limits: Limits,
        mut parts: Vec<Part<E::Instance>>,
        each: impl Fn(&mut [Part<E::Instance>], &[u32]),
    ) -> Result<Ended<E::Instance>, Refusal> {
        let mut noted = Vec::new();
        loop {
            each(&mut parts, &noted);
            let parts: Vec<&AnyPart<'_>> = parts.iter().map(|part| part as _).collect();
            match self.more_to_note(plain, &noted, &parts)? {
                Some(more) => noted = more,
                None => break,
            }
        }
        let mut parts = parts.into_iter();
        let own = parts.next().ok_or(Refusal::Launch)?;
        let others = Vec::from_iter(parts);
        let others: Vec<&AnyPart<'_>> = others.iter().map(|part| part as _).collect();
        self.end(plain, limits, own, &others)
    }

    /// Returns the ranges that all partitions must track in the next attempt, if this attempt tracked `noted`, or
    /// `None` if no blocks conflict. Returns an error if a partition bailed out, or blocks conflict.
    pub fn more_to_note(
        &self,
        plain: Plain<'_>,
        noted: &[u32],
        parts: &[&AnyPart<'_>],
    ) -> Result<Option<Vec<u32>>, Refusal> {
        let more = unnoted(&self.kernel.places, plain, parts)?;
        if more.is_empty() {
            return Ok(None);
        }
        let all: BTreeSet<u32> = noted.iter().copied().chain(more).collect();
        // Each attempt tracks at least one additional range.
        if all.len() <= noted.len() {
            return Err(Refusal::Conflict);
        }
        Ok(Some(Vec::from_iter(all)))
    }

    /// Merges partitions without conflicts.
    pub fn end(
        &self,
        plain: Plain<'_>,
        limits: Limits,
        own: Part<E::Instance>,
        others: &[&AnyPart<'_>],
    ) -> Result<Ended<E::Instance>, Refusal> {
        let places = &self.kernel.places;
        let each = others.iter().map(|part| part.progress.counts);
        let counts = each.fold(own.progress.counts, Counts::and);
        if counts.steps > limits.max_steps {
            return Err(Refusal::Steps);
        }
        let what = holds::NOTED | holds::WRITTEN;
        let mut changed = BTreeSet::from_iter(places.that_hold(what, &own.memory));
        for part in others {
            changed.extend(places.that_hold(what, &part.memory));
        }
        let changed = places.changed(plain, &Vec::from_iter(changed));
        let mut instance = own.memory;
        for other in others {
            merge::add(&mut instance, &other.memory, plain, &changed);
        }
        Ok(Ended {
            changed,
            instance,
            counts,
            translating: self.translating,
            running: E::now().saturating_sub(self.started),
            n_parts: 1 + others.len(),
        })
    }
}

/// Returns the ranges that must be tracked from the start of the run: ranges that a partition has requested, or in
/// which blocks of different partitions may conflict. Returns an error if a partition bailed out, or blocks conflict.
fn unnoted(places: &Places, plain: Plain<'_>, parts: &[&AnyPart<'_>]) -> Result<Vec<u32>, Refusal> {
    let mut found = Vec::new();
    let mut have_ended = true;
    for part in parts {
        match &part.outcome {
            Ok(()) => {}
            Err(Stopped::Again) => {
                have_ended = false;
                found.extend(places.that_hold(holds::NOTED, &part.memory));
            }
            Err(Stopped::Refused(why)) => return Err(why.clone()),
        }
    }
    if have_ended && parts.len() > 1 {
        let memories: Vec<&dyn Memory> = parts.iter().map(|part| &part.memory as _).collect();
        return merge::check(places, plain, &memories);
    }
    Ok(found)
}

/// Partition: a range of blocks with a separate memory, which is an instance that runs the blocks, or a memory
/// received from another host.
#[derive(Debug)]
pub struct Part<M: ?Sized> {
    blocks: Range<u64>,
    n_bytes: u64,
    is_filled: bool,
    progress: Progress,
    outcome: Result<(), Stopped>,
    memory: M,
}

/// Partition with a memory of any type.
pub type AnyPart<'m> = Part<dyn Memory + 'm>;

/// Metadata that is sent with the memory of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFacts {
    pub counts: Counts,
    /// Whether a range must be tracked from the start of the run.
    pub must_note: bool,
    /// Reason for a bailout, as a message fragment.
    pub refused: Option<String>,
}

impl<M> Part<M> {
    /// Returns the remaining blocks.
    pub fn left(&self) -> Range<u64> {
        match self.outcome {
            Ok(()) => self.progress.next_block..self.blocks.end,
            Err(_) => self.blocks.end..self.blocks.end,
        }
    }

    pub fn blocks(&self) -> &Range<u64> {
        &self.blocks
    }

    /// Releases the blocks from `end` on, which have not run, to other partitions.
    pub fn leave(&mut self, end: u64) {
        self.blocks.end = end.clamp(self.progress.next_block, self.blocks.end);
    }

    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the size in bytes of the memory that describes the accesses of the partition.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the metadata that is sent with the memory.
    pub fn facts(&self) -> PartFacts {
        PartFacts {
            counts: self.progress.counts,
            must_note: matches!(self.outcome, Err(Stopped::Again)),
            refused: match &self.outcome {
                Err(Stopped::Refused(why)) => Some(why.to_string()),
                _ => None,
            },
        }
    }

    /// Returns a partition that has run in another host.
    pub fn from_host(facts: PartFacts, memory: M) -> Part<M> {
        let outcome = match facts.refused {
            Some(why) => Err(Stopped::Refused(Refusal::Part(why))),
            None if facts.must_note => Err(Stopped::Again),
            None => Ok(()),
        };
        let mut progress = Progress::at(0);
        progress.counts = facts.counts;
        Part {
            blocks: 0..0,
            n_bytes: 0,
            is_filled: true,
            progress,
            outcome,
            memory,
        }
    }
}
