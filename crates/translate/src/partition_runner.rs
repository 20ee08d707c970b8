//! Execution of a partition of a translated kernel, block by block and barrier interval by barrier interval. The module
//! takes a module instance, and the progress of the partition, and returns the memory of the instance after the last
//! block of the partition, or the reason for an early exit.

use crate::bailout::BailoutReason;
use crate::engine::ModuleInstance;
use crate::host_calls::{Callers, HostCallBatch};
use crate::layout::{
    BLOCK_REGISTERS, FIRST_NAME, MemoryWindow, ModuleLayout, PHASE_CELLS, SUBWARP_LANES,
    SUBWARPS_PER_WARP, cell,
};
use crate::layout::{MAX_EPOCHS, RESUMES, stop};
use crate::module::CompiledKernel;
use std::time::Duration;
use warpgrid_emulator::translation_view::{StepCounts, TranslationView};

/// Maximum number of steps of one region call. The limit ends a region that polls for a store of another subwarp,
/// because no other subwarp can run during the call.
const MAX_REGION_STEPS: u64 = 1 << 26;

/// Limits on the number of steps, the speed and the duration of a run, which the caller specifies.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// Maximum number of steps of the run. For a divergent warp, the count includes only the steps on the longest path.
    pub max_steps: u64,
    /// Minimum throughput in lane-instructions per second, or `None` for no minimum. A slower run is abandoned after
    /// [`SPEED_CHECK_DELAY`].
    pub min_steps_per_second: Option<f64>,
}

impl RunLimits {
    /// Returns the limits of one of `n_parts` partitions. The minimum throughput is divided among the partitions.
    pub fn of_part(self, n_parts: u64) -> RunLimits {
        let least_pace = self.min_steps_per_second.map(|pace| pace / n_parts as f64);
        RunLimits {
            min_steps_per_second: least_pace,
            ..self
        }
    }
}

/// Duration after the start of a run before the first check of the throughput.
const SPEED_CHECK_DELAY: Duration = Duration::from_millis(50);
/// Number of steps between two checks of the throughput.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 15;

/// Parameters with which an attempt to run a partition is started.
#[derive(Clone, Copy)]
pub(crate) struct RunParams<'m> {
    pub(crate) plain: TranslationView<'m>,
    pub(crate) limits: RunLimits,
    /// Duration after which no further block starts, or `None` for no limit.
    pub(crate) time_slice: Option<Duration>,
    /// Function that returns the current time.
    pub(crate) now: fn() -> Duration,
}

impl RunParams<'_> {
    /// Checks whether the throughput of the run so far is below the minimum.
    fn is_slow(&self, lane_instructions: u64, took: Duration) -> bool {
        let least = self.limits.min_steps_per_second;
        let executed = lane_instructions as f64;
        least.is_some_and(|least| took > SPEED_CHECK_DELAY && executed < least * took.as_secs_f64())
    }
}

/// Reason for an early exit of an attempt to run a partition.
#[derive(Debug)]
pub(crate) enum RunExit {
    Again,
    Refused(BailoutReason),
}

/// Progress of a partition: its next block, its counts and its next epoch.
#[derive(Clone, Debug)]
pub(crate) struct PartitionProgress {
    pub(crate) next_block: u64,
    pub(crate) counts: ReplayBlock,
    /// First epoch of the next barrier interval.
    next_name: u32,
}

/// Counts of steps, stores and lane-instructions for some blocks of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayBlock {
    /// Number of executed lane-instructions.
    pub lane_instructions: u64,
    /// Number of steps. The number is only a lower bound if a warp has diverged.
    pub steps: u64,
    /// Number of steps that stored to memory. The number is not meaningful if a warp has diverged.
    pub stores: u64,
    pub has_diverged: bool,
}

impl ReplayBlock {
    /// Adds the counts of other blocks.
    pub(crate) fn and(self, other: ReplayBlock) -> ReplayBlock {
        ReplayBlock {
            lane_instructions: self.lane_instructions + other.lane_instructions,
            steps: self.steps + other.steps,
            stores: self.stores + other.stores,
            has_diverged: self.has_diverged || other.has_diverged,
        }
    }

    /// Returns the step counts of the interpreter, or `None` if they are unknown because a warp has diverged.
    pub(crate) fn of_steps(self) -> Option<StepCounts> {
        let ReplayBlock { steps, stores, .. } = self;
        (!self.has_diverged).then_some(StepCounts { steps, stores })
    }
}

impl PartitionProgress {
    /// Returns the progress before the first block of a partition.
    pub(crate) fn at(first_block: u64) -> PartitionProgress {
        PartitionProgress {
            next_block: first_block,
            counts: ReplayBlock::default(),
            next_name: FIRST_NAME,
        }
    }

    /// Resets the progress to a block. Epochs are not reused, because shadow memory still contains the epochs of the
    /// earlier attempt.
    pub(crate) fn begin_again(&mut self, first_block: u64) {
        (self.next_block, self.counts) = (first_block, ReplayBlock::default());
    }
}

/// Runner that executes the blocks of a partition in a module instance.
pub(crate) struct PartitionRunner<'r, I> {
    kernel: &'r CompiledKernel,
    instance: &'r mut I,
    progress: &'r mut PartitionProgress,
    /// First epoch of the first barrier interval of the block.
    block_name: u32,
}

impl<'r, I: ModuleInstance> PartitionRunner<'r, I> {
    pub(crate) fn new(
        kernel: &'r CompiledKernel,
        instance: &'r mut I,
        progress: &'r mut PartitionProgress,
    ) -> PartitionRunner<'r, I> {
        PartitionRunner {
            kernel,
            instance,
            progress,
            block_name: 0,
        }
    }

    fn places(&self) -> &'r ModuleLayout {
        &self.kernel.places
    }

    /// Runs the next blocks up to block `end`, or until the time slice in `launch` has expired.
    pub(crate) fn blocks(&mut self, launch: RunParams<'_>, end: u64) -> Result<(), RunExit> {
        let (plain, max_steps) = (launch.plain, launch.limits.max_steps);
        // Measure the throughput of each attempt separately, excluding the time of memory copies.
        let (started, before) = ((launch.now)(), self.progress.counts);
        let mut next_look = before.steps + STEPS_BETWEEN_LOOKS;
        while self.progress.next_block < end {
            let counts = self.progress.counts;
            if counts.steps >= next_look {
                next_look = counts.steps + STEPS_BETWEEN_LOOKS;
                let took = (launch.now)().saturating_sub(started);
                if launch.is_slow(counts.lane_instructions - before.lane_instructions, took) {
                    return Err(RunExit::Refused(BailoutReason::TooSlow));
                }
                if launch.time_slice.is_some_and(|rest| took > rest) {
                    return Ok(());
                }
            }
            self.block_name = self.progress.next_name;
            self.begin_block(plain, self.progress.next_block);
            let mut begins = self.kernel.n_entries as i32;
            loop {
                self.begin_interval(max_steps);
                let ran = self.run_phase(plain, begins);
                self.reserve_epochs();
                ran?;
                let has_ended = self.end_phase();
                if self.progress.counts.steps > max_steps {
                    return Err(RunExit::Refused(BailoutReason::StepLimit));
                }
                if has_ended {
                    break;
                }
                begins = -1;
            }
            self.progress.next_block += 1;
        }
        Ok(())
    }

    /// Runs one barrier interval of the current block, including its host calls.
    fn run_phase(&mut self, plain: TranslationView<'_>, begins: i32) -> Result<(), RunExit> {
        let mut begins = begins;
        loop {
            let stopped = self.instance.run_interval(begins);
            let stopped =
                stopped.map_err(|reason| RunExit::Refused(BailoutReason::Engine(reason)))?;
            begins = RESUMES;
            let callers = match stopped {
                stop::HOST_CALL => Callers::Lanes,
                stop::CALL_FOR_WARP => Callers::Warp,
                _ => return self.check(stopped),
            };
            if !self.run_host_calls(plain, callers) {
                return Err(RunExit::Refused(BailoutReason::Unsupported));
            }
        }
    }

    /// Executes the pending host calls of the current warp. Returns `false` if a host call fails.
    fn run_host_calls(&mut self, plain: TranslationView<'_>, callers: Callers) -> bool {
        let kernel = self.kernel;
        let places = &kernel.places;
        let cells = MemoryWindow::of(self.instance, PHASE_CELLS);
        let (warp, n_records) = (cells.get32(cell::WARP), cells.get32(cell::N_CONTEXTS));
        let subwarps = places.context(warp * SUBWARPS_PER_WARP) as usize
            ..places.context((warp + 1) * SUBWARPS_PER_WARP) as usize;
        let parts = places.context(places.n_subwarps) as usize..places.context(n_records) as usize;
        let mut served = HostCallBatch::default();
        for range in [subwarps.clone(), parts.clone()] {
            let records = MemoryWindow::of(self.instance, range);
            served.read(kernel, plain, &records, callers);
        }
        if !served.execute(plain) {
            return false;
        }
        for range in [subwarps, parts] {
            let start = range.start;
            self.instance.update(range, |bytes| {
                served.write(kernel, &mut MemoryWindow { start, bytes }, callers);
            });
        }
        true
    }

    /// Initializes a block: fills its special registers, zeroes shared and local memory, and discards copies in flight.
    fn begin_block(&mut self, plain: TranslationView<'_>, block: u64) {
        let places = self.places();
        let values: Vec<u8> = places
            .by_block
            .iter()
            .flat_map(|special| {
                let value = plain.special(*special, block, 0, 0) as u32;
                [value.to_le_bytes(); SUBWARP_LANES as usize]
                    .into_iter()
                    .flatten()
            })
            .collect();
        if !values.is_empty() {
            self.instance.write(BLOCK_REGISTERS as usize, &values);
        }
        let start = places.local as usize;
        if places.local_bytes > 0 {
            let bytes = places.local_bytes * places.n_subwarps * SUBWARP_LANES;
            self.instance.zero(start..start + bytes as usize);
        }
        let start = places.shared as usize;
        if places.shared_bytes > 0 {
            let end = start + places.shared_bytes as usize;
            self.instance.zero(start..end);
        }
        if places.copies_bytes > 0 {
            let start = places.copies as usize;
            let end = start + places.copies_bytes as usize;
            self.instance.zero(start..end);
            // Discard the copies of the previous block for which no thread has waited: clear the shadow words that mark
            // their destinations as in flight.
            let [written, _] = places.shared_shadow;
            let start = (places.shared + written) as usize;
            let end = start + places.shared_bytes as usize;
            self.instance.zero(start..end);
        }
    }

    fn begin_interval(&mut self, max_steps: u64) {
        let name = self.progress.next_name;
        let n_subwarps = self.places().n_subwarps;
        self.progress.next_name += FIRST_NAME;
        let left = max_steps.saturating_sub(self.progress.counts.steps);
        let fuel = left.min(MAX_REGION_STEPS);
        // Write all cells with a single call, because calls of a JavaScript engine are expensive. The cells without an
        // explicit value are zero, or the generated code initializes them for each subwarp.
        let mut cells = MemoryWindow {
            start: PHASE_CELLS.start,
            bytes: [0; PHASE_CELLS.end - PHASE_CELLS.start],
        };
        cells.put32(cell::N_CONTEXTS, n_subwarps);
        cells.put32(cell::PHASE, name);
        cells.put32(cell::NEXT_EPOCH, self.progress.next_name);
        cells.put32(cell::BLOCK, self.block_name);
        cells.put64(cell::FUEL, fuel);
        cells.put32(cell::FIRST_ENTRY, u32::MAX);
        self.instance.write(cells.start, &cells.bytes);
    }

    fn check(&self, stopped: u32) -> Result<(), RunExit> {
        let refusal = match stopped {
            0 if self.progress.next_name < MAX_EPOCHS => return Ok(()),
            0 => BailoutReason::TooLarge,
            stop::RESTART => return Err(RunExit::Again),
            stop::CONFLICT => BailoutReason::Conflict,
            stop::STEPS => BailoutReason::StepLimit,
            stop::UNSUPPORTED => BailoutReason::Unsupported,
            stop::DIVERGENT => BailoutReason::DivergentBarrier,
            stop::TOO_LARGE => BailoutReason::TooLarge,
            _ => BailoutReason::Fault,
        };
        Err(RunExit::Refused(refusal))
    }

    /// Reserves the epochs that this attempt has used. If the attempt stops within a barrier interval, shadow memory
    /// still contains these epochs during the next attempt.
    fn reserve_epochs(&mut self) {
        let cells = MemoryWindow::of(self.instance, PHASE_CELLS);
        self.progress.next_name = cells.get32(cell::NEXT_EPOCH);
    }

    /// Adds the counts of the barrier interval to the counts of the partition. Returns whether the block has ended.
    fn end_phase(&mut self) -> bool {
        let cells = MemoryWindow::of(self.instance, PHASE_CELLS);
        let stores = cells.get64(cell::STORES);
        let (stores, landings) = (stores & 0xffff_ffff, stores >> 32);
        self.progress.counts = self.progress.counts.and(ReplayBlock {
            lane_instructions: cells.get64(cell::LANE_INSTRUCTIONS),
            steps: cells.get64(cell::STEPS) + landings,
            stores,
            has_diverged: cells.get32(cell::DIVERGED) != 0,
        });
        cells.get32(cell::BARRIER_REACHED) == 0
    }
}
