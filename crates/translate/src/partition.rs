//! Partitions of the blocks of a launch, each of which has a separate memory. A run divides its launch into a single
//! partition, or into one partition for each thread or host. The module takes a machine that has not executed a step,
//! and returns the memory and the counts at the end of the run, or the reason for a bailout.

use crate::bailout::BailoutReason;
use crate::engine::{Engine, LinearMemory, ModuleInstance};
use crate::layout::{ModuleLayout, holds};
use crate::module::{CompiledKernel, translate};
use crate::partition_merge;
use crate::partition_runner::{
    PartitionProgress, PartitionRunner, ReplayBlock, RunExit, RunLimits, RunParams,
};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use warpgrid_emulator::translation_view::{TranslatedRunResult, TranslationView};

/// Minimum number of blocks in a partition. For fewer blocks, creating a separate memory takes more time than the
/// partition saves.
const MIN_BLOCKS_PER_PARTITION: u64 = 4;

/// Maximum total size in bytes of the memories of all partitions. In a native process, all of these memories belong to
/// the process. In a web page, each memory belongs to a worker and is copied once.
const MAX_TOTAL_BYTES: u64 = if cfg!(target_arch = "wasm32") {
    1 << 30
} else {
    4 << 30
};

/// Finished run of a translated kernel: the memory at its end, its counts and its durations.
#[derive(Debug)]
pub struct FinishedRun<I> {
    instance: I,
    /// Ranges of linear memory that the blocks may have changed, each with its start offset in the arena.
    changed: Vec<(Range<usize>, usize)>,
    pub counts: ReplayBlock,
    /// Time that the translation and compilation of the kernel took.
    pub translating: Duration,
    /// Time that the execution of the blocks took.
    pub running: Duration,
    pub n_parts: usize,
}

impl<I: ModuleInstance> FinishedRun<I> {
    /// Calls `take` with the result of the run, which a machine can adopt.
    pub fn with_result<R>(&self, take: impl FnOnce(&TranslatedRunResult<'_>) -> R) -> R {
        let changed = self.changed.iter();
        let looked: Vec<(usize, Cow<'_, [u8]>)> = changed
            .map(|(range, start)| (*start, self.instance.read(range.clone())))
            .collect();
        let changes: Vec<(usize, &[u8])> = looked
            .iter()
            .map(|(start, bytes)| (*start, &**bytes))
            .collect();
        take(&TranslatedRunResult {
            changes: &changes,
            counts: self.counts.of_steps(),
            lane_instructions: self.counts.lane_instructions,
        })
    }
}

/// Translates and runs the kernel of a machine that has not executed a step, within the given limits.
pub fn run<E: Engine>(
    engine: &E,
    plain: TranslationView<'_>,
    limits: RunLimits,
) -> Result<FinishedRun<E::Instance>, BailoutReason> {
    let parted = PartitionedRun::new(engine, plain)?;
    let parts = vec![parted.part(engine, 0..plain.n_blocks())?];
    parted.run(plain, limits, parts, |parts, noted| {
        for part in parts {
            parted.try_part(plain, limits, part, noted);
        }
    })
}

/// Translates a kernel, and divides the blocks of its launch among threads, each of which has a separate memory. The
/// result does not depend on the number of threads.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_on_threads<E>(
    engine: &E,
    plain: TranslationView<'_>,
    limits: RunLimits,
    n_threads: u32,
) -> Result<FinishedRun<E::Instance>, BailoutReason>
where
    E: Engine,
    E::Module: Sync,
    E::Instance: Send,
{
    let parted = PartitionedRun::<E>::new(engine, plain)?;
    let n_parts = parted
        .max_partitions(plain)
        .min(u64::from(n_threads))
        .max(1);
    let shares = split_evenly(0..plain.n_blocks(), n_parts);
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
pub fn split_evenly(blocks: Range<u64>, n_parts: u64) -> impl Iterator<Item = Range<u64>> {
    let n_blocks = blocks.end - blocks.start;
    // Compute the number of blocks before a partition with 128 bits, because the intermediate product may exceed 64
    // bits.
    let before = move |part: u64| {
        let n = u128::from(n_blocks) * u128::from(part) / u128::from(n_parts.max(1));
        blocks.start + n as u64
    };
    (0..n_parts).map(move |part| before(part)..before(part + 1))
}

/// Compiled kernel from which a host creates partitions of the blocks for its workers.
#[derive(Debug)]
pub struct PartitionedRun<E: Engine> {
    kernel: CompiledKernel,
    module: E::Module,
    translating: Duration,
    /// Start time of the run.
    started: Duration,
}

impl<E: Engine> PartitionedRun<E> {
    /// Translates the kernel of a machine that has not executed a step.
    pub fn new(engine: &E, plain: TranslationView<'_>) -> Result<PartitionedRun<E>, BailoutReason> {
        let translation_start = E::now();
        let kernel = translate(plain, engine.products())?;
        let module = engine
            .compile(&kernel.wasm)
            .map_err(BailoutReason::Engine)?;
        let started = E::now();
        Ok(PartitionedRun {
            kernel,
            module,
            translating: started.saturating_sub(translation_start),
            started,
        })
    }

    /// Returns the maximum number of partitions into which the blocks of the launch may be divided.
    pub fn max_partitions(&self, plain: TranslationView<'_>) -> u64 {
        if self.kernel.is_unpartitionable {
            return 1;
        }
        let by_bytes = MAX_TOTAL_BYTES / self.kernel.places.bytes.max(1);
        by_bytes.min(plain.n_blocks() / MIN_BLOCKS_PER_PARTITION)
    }

    /// Returns the size in bytes of a partition's memory, which a host must send to merge the partition.
    pub fn n_bytes(&self) -> u64 {
        self.kernel.places.bytes
    }

    /// Creates a partition with the given blocks of the launch, which have not run.
    pub fn part(
        &self,
        engine: &E,
        blocks: Range<u64>,
    ) -> Result<Partition<E::Instance>, BailoutReason> {
        let memory = engine
            .instantiate(&self.module)
            .map_err(BailoutReason::Engine)?;
        Ok(Partition {
            progress: PartitionProgress::at(blocks.start),
            blocks,
            n_bytes: self.n_bytes(),
            is_filled: false,
            outcome: Ok(()),
            memory,
        })
    }

    /// Runs the remaining blocks of a partition. If `rest` is given, no block starts after this duration.
    /// [`Partition::remaining_blocks`] then returns the blocks that have not run.
    pub fn run_part(
        &self,
        plain: TranslationView<'_>,
        limits: RunLimits,
        rest: Option<Duration>,
        part: &mut Partition<E::Instance>,
    ) {
        self.fill(plain, part);
        let launch = RunParams {
            plain,
            limits,
            time_slice: rest,
            now: E::now,
        };
        let mut run = PartitionRunner::new(&self.kernel, &mut part.memory, &mut part.progress);
        part.outcome = run.blocks(launch, part.blocks.end);
    }

    /// Resets a partition to its initial state. In the next attempt, shadow memory tracks the accesses to the given
    /// address ranges from the start.
    pub fn restart(
        &self,
        plain: TranslationView<'_>,
        noted: &[u32],
        part: &mut Partition<E::Instance>,
    ) {
        self.fill(plain, part);
        let kernel = &self.kernel;
        let memory = &mut part.memory;
        kernel.places.reset(plain, noted, &kernel.sites, memory);
        part.progress.begin_again(part.blocks.start);
    }

    fn try_part(
        &self,
        plain: TranslationView<'_>,
        limits: RunLimits,
        part: &mut Partition<E::Instance>,
        noted: &[u32],
    ) {
        if !noted.is_empty() {
            self.restart(plain, noted, part);
        }
        self.run_part(plain, limits, None, part);
    }

    fn fill(&self, plain: TranslationView<'_>, part: &mut Partition<E::Instance>) {
        if !part.is_filled {
            part.is_filled = true;
            let kernel = &self.kernel;
            let memory = &mut part.memory;
            let places = &kernel.places;
            places.fill(plain, &kernel.sites, memory);
        }
    }

    /// Runs all partitions with the function `each`, which receives the address ranges that shadow memory must track,
    /// and merges the memories of the partitions.
    fn run(
        &self,
        plain: TranslationView<'_>,
        limits: RunLimits,
        mut parts: Vec<Partition<E::Instance>>,
        each: impl Fn(&mut [Partition<E::Instance>], &[u32]),
    ) -> Result<FinishedRun<E::Instance>, BailoutReason> {
        let mut noted = Vec::new();
        loop {
            each(&mut parts, &noted);
            let parts: Vec<&AnyPartition<'_>> = parts.iter().map(|part| part as _).collect();
            match self.ranges_to_track(plain, &noted, &parts)? {
                Some(more) => noted = more,
                None => break,
            }
        }
        let mut parts = parts.into_iter();
        let own = parts.next().ok_or(BailoutReason::Launch)?;
        let others = Vec::from_iter(parts);
        let others: Vec<&AnyPartition<'_>> = others.iter().map(|part| part as _).collect();
        self.end(plain, limits, own, &others)
    }

    /// Returns the address ranges that all partitions must track in the next attempt, if this attempt tracked the
    /// ranges `noted`. Returns `None` if the accesses of different partitions do not conflict. Returns an error if a
    /// partition bailed out, or if accesses conflict.
    pub fn ranges_to_track(
        &self,
        plain: TranslationView<'_>,
        noted: &[u32],
        parts: &[&AnyPartition<'_>],
    ) -> Result<Option<Vec<u32>>, BailoutReason> {
        let more = untracked_ranges(&self.kernel.places, plain, parts)?;
        if more.is_empty() {
            return Ok(None);
        }
        let all: BTreeSet<u32> = noted.iter().copied().chain(more).collect();
        // Each attempt must track at least one range more than the previous attempt, which bounds the number of
        // attempts.
        if all.len() <= noted.len() {
            return Err(BailoutReason::Conflict);
        }
        Ok(Some(Vec::from_iter(all)))
    }

    /// Merges the memories of partitions whose blocks do not conflict.
    pub fn end(
        &self,
        plain: TranslationView<'_>,
        limits: RunLimits,
        own: Partition<E::Instance>,
        others: &[&AnyPartition<'_>],
    ) -> Result<FinishedRun<E::Instance>, BailoutReason> {
        let places = &self.kernel.places;
        let each = others.iter().map(|part| part.progress.counts);
        let counts = each.fold(own.progress.counts, ReplayBlock::and);
        if counts.steps > limits.max_steps {
            return Err(BailoutReason::StepLimit);
        }
        let wanted_bits = holds::TRACKED | holds::WRITTEN;
        let mut changed = BTreeSet::from_iter(places.that_hold(wanted_bits, &own.memory));
        for part in others {
            changed.extend(places.that_hold(wanted_bits, &part.memory));
        }
        let changed = places.changed(plain, &Vec::from_iter(changed));
        let mut instance = own.memory;
        for other in others {
            partition_merge::add(&mut instance, &other.memory, plain, &changed);
        }
        Ok(FinishedRun {
            changed,
            instance,
            counts,
            translating: self.translating,
            running: E::now().saturating_sub(self.started),
            n_parts: 1 + others.len(),
        })
    }
}

/// Returns the address ranges that must be tracked from the start of the run: ranges that a partition has requested,
/// and ranges in which blocks of different partitions may conflict. Returns an error if a partition bailed out, or if
/// blocks conflict.
fn untracked_ranges(
    places: &ModuleLayout,
    plain: TranslationView<'_>,
    parts: &[&AnyPartition<'_>],
) -> Result<Vec<u32>, BailoutReason> {
    let mut ranges = Vec::new();
    let mut have_ended = true;
    for part in parts {
        match &part.outcome {
            Ok(()) => {}
            Err(RunExit::Again) => {
                have_ended = false;
                ranges.extend(places.that_hold(holds::TRACKED, &part.memory));
            }
            Err(RunExit::Refused(reason)) => return Err(reason.clone()),
        }
    }
    if have_ended && parts.len() > 1 {
        let memories: Vec<&dyn LinearMemory> = parts.iter().map(|part| &part.memory as _).collect();
        return partition_merge::check(places, plain, &memories);
    }
    Ok(ranges)
}

/// Partition of a launch: a range of blocks with a separate memory. The memory is the linear memory of the instance
/// that runs the blocks, or a copy received from another host.
#[derive(Debug)]
pub struct Partition<M: ?Sized> {
    blocks: Range<u64>,
    n_bytes: u64,
    is_filled: bool,
    progress: PartitionProgress,
    outcome: Result<(), RunExit>,
    memory: M,
}

/// Partition as a trait object, so that partitions of this host and of other hosts can be merged.
pub type AnyPartition<'m> = Partition<dyn LinearMemory + 'm>;

/// Results of a partition: counts, tracking requirement and bailout reason. A host sends them together with the
/// partition's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSummary {
    pub counts: ReplayBlock,
    /// Whether shadow memory must track the accesses to some address range from the start of the run.
    pub needs_tracking: bool,
    /// Reason for the bailout of the partition, as a message fragment.
    pub refused: Option<String>,
}

impl<M> Partition<M> {
    /// Returns the blocks of the partition that have not run.
    pub fn remaining_blocks(&self) -> Range<u64> {
        match self.outcome {
            Ok(()) => self.progress.next_block..self.blocks.end,
            Err(_) => self.blocks.end..self.blocks.end,
        }
    }

    pub fn blocks(&self) -> &Range<u64> {
        &self.blocks
    }

    /// Removes the blocks from `end` on from the partition, so that another partition can run them. These blocks must
    /// not have run.
    pub fn release_blocks(&mut self, end: u64) {
        self.blocks.end = end.clamp(self.progress.next_block, self.blocks.end);
    }

    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the size in bytes of the linear memory that a host must send to merge the partition.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the results of the partition that are sent together with its memory.
    pub fn facts(&self) -> PartitionSummary {
        PartitionSummary {
            counts: self.progress.counts,
            needs_tracking: matches!(self.outcome, Err(RunExit::Again)),
            refused: match &self.outcome {
                Err(RunExit::Refused(reason)) => Some(reason.to_string()),
                _ => None,
            },
        }
    }

    /// Creates a partition from the results and the memory that another host has sent.
    pub fn from_host(facts: PartitionSummary, memory: M) -> Partition<M> {
        let outcome = match facts.refused {
            Some(reason) => Err(RunExit::Refused(BailoutReason::RemotePartition(reason))),
            None if facts.needs_tracking => Err(RunExit::Again),
            None => Ok(()),
        };
        let mut progress = PartitionProgress::at(0);
        progress.counts = facts.counts;
        Partition {
            blocks: 0..0,
            n_bytes: 0,
            is_filled: true,
            progress,
            outcome,
            memory,
        }
    }
}
