//! JIT run of a launch to its end, in which several hosts, such as the workers of a page, execute the blocks. Each host has a session of
//! the same launch. The first host merges the partitions that the other hosts have executed. The result is the session at its end, or the
//! reason why the interpreter must execute the run.

use crate::session::Session;
use crate::session::translated_run::TranslatedRunStats;
use std::ops::Range;
use std::time::Duration;
use warpgrid_emulator::translation_view::TranslationView;
use warpgrid_translate::{
    AnyPartition, BailoutReason, Engine, FinishedRun, LinearMemory, Partition, PartitionedRun,
    RunLimits, split_evenly,
};

/// Estimated number of bytes of memory that a host initializes, transfers and merges per second.
const BYTES_A_SECOND: f64 = 5e8;

/// Conditions under which a host distributes blocks to other hosts.
#[derive(Clone, Copy, Debug)]
pub struct WorkerPolicy {
    /// Number of hosts, including the host that started the run.
    pub n_hosts: u64,
    /// Minimum time that the run has lasted before the host distributes blocks to other hosts.
    pub alone: Duration,
    /// Time that another host requires to start, to open the launch and to compile it before it executes its first block.
    pub start: Duration,
}

impl WorkerPolicy {
    /// Returns the policy for `n_hosts` hosts, whose workers are not yet running.
    pub fn among(n_hosts: u64) -> WorkerPolicy {
        WorkerPolicy {
            n_hosts,
            alone: Duration::from_millis(100),
            start: Duration::from_millis(250),
        }
    }
}

/// State of a distributed JIT run on one of its hosts: the session, the engine and the local partition.
pub struct DistributedRun<E: Engine> {
    /// Session of the launch at its start.
    session: Session,
    parted: PartitionedRun<E>,
    limits: RunLimits,
    part: Option<Partition<E::Instance>>,
    /// Memory ranges whose writes all partitions track in shadow memory.
    tracked_ranges: Vec<u32>,
    ended: Option<FinishedRun<E::Instance>>,
}

impl<E: Engine> DistributedRun<E> {
    /// Compiles the launch of a session that is at its start.
    pub fn new(
        session: Session,
        engine: &E,
        limits: RunLimits,
    ) -> Result<DistributedRun<E>, FallbackReason> {
        let parted = match session.plain() {
            Some(plain) => PartitionedRun::new(engine, plain),
            None => Err(BailoutReason::Launch),
        };
        match parted {
            Ok(parted) => Ok(DistributedRun {
                session,
                parted,
                limits,
                part: None,
                tracked_ranges: Vec::new(),
                ended: None,
            }),
            Err(reason) => Err(FallbackReason::of(&session, &reason)),
        }
    }

    /// Starts the run on the host that collects the final state. If the estimated remaining time is long, the method returns the block
    /// ranges that other hosts should execute. If the run is complete, the list is empty.
    pub fn begin(
        &mut self,
        engine: &E,
        sharing: WorkerPolicy,
    ) -> Result<Vec<Range<u64>>, FallbackReason> {
        let found = self.try_to_begin(engine, sharing);
        found.map_err(|reason| FallbackReason::of(&self.session, &reason))
    }

    fn try_to_begin(
        &mut self,
        engine: &E,
        sharing: WorkerPolicy,
    ) -> Result<Vec<Range<u64>>, BailoutReason> {
        let plain = plain_of(&self.session)?;
        let n_hosts = sharing.n_hosts.min(self.parted.max_partitions(plain));
        let mut part = self.parted.part(engine, 0..plain.n_blocks())?;
        let rest = (n_hosts > 1).then_some(sharing.alone);
        let mut took;
        loop {
            let started = E::now();
            let limits = self.limits;
            self.parted.run_part(plain, limits, rest, &mut part);
            took = E::now().saturating_sub(started);
            match self
                .parted
                .ranges_to_track(plain, &self.tracked_ranges, &[&part])?
            {
                Some(more) => self.tracked_ranges = more,
                None => break,
            }
            self.parted.restart(plain, &self.tracked_ranges, &mut part);
        }
        let left = part.remaining_blocks();
        let n_bytes = self.parted.n_bytes() * n_hosts.saturating_sub(1);
        let start = sharing.start.as_secs_f64() + n_bytes as f64 / BYTES_A_SECOND;
        let n_others = blocks_of_others(&left, took, start, n_hosts);
        let others = left.end - n_others..left.end;
        part.release_blocks(others.start);
        self.part = Some(part);
        if others.is_empty() {
            self.run_local_partition(None)?;
            while !self.try_to_join(&[])? {
                self.run_local_partition(None)?;
            }
            return Ok(Vec::new());
        }
        self.limits = self.limits.of_part(n_hosts);
        Ok(split_evenly(others, n_hosts - 1).collect())
    }

    /// Executes blocks of the local partition, and pauses before the first block that would start after the time `rest`. Returns whether
    /// all blocks of the partition have run.
    pub fn run_local_blocks(&mut self, rest: Option<Duration>) -> Result<bool, FallbackReason> {
        let ran = self.run_local_partition(rest);
        ran.map_err(|reason| FallbackReason::of(&self.session, &reason))
    }

    fn run_local_partition(&mut self, rest: Option<Duration>) -> Result<bool, BailoutReason> {
        let plain = plain_of(&self.session)?;
        let part = self.part.as_mut().ok_or(BailoutReason::Launch)?;
        self.parted.run_part(plain, self.limits, rest, part);
        Ok(part.remaining_blocks().is_empty())
    }

    /// Executes a block range for the host that has started the run. `noted` contains the memory ranges that the partition tracks.
    pub fn run_share(
        &mut self,
        engine: &E,
        blocks: Range<u64>,
        noted: &[u32],
    ) -> Result<&Partition<E::Instance>, FallbackReason> {
        match self.try_share(engine, blocks, noted) {
            Ok(part) => Ok(self.part.insert(part)),
            Err(reason) => Err(FallbackReason::of(&self.session, &reason)),
        }
    }

    fn try_share(
        &mut self,
        engine: &E,
        blocks: Range<u64>,
        noted: &[u32],
    ) -> Result<Partition<E::Instance>, BailoutReason> {
        let plain = plain_of(&self.session)?;
        let before = self.part.take().filter(|part| *part.blocks() == blocks);
        let mut part = match before {
            Some(part) => part,
            None => self.parted.part(engine, blocks)?,
        };
        self.parted.restart(plain, noted, &mut part);
        self.parted.run_part(plain, self.limits, None, &mut part);
        Ok(part)
    }

    /// Merges all partitions. Returns whether the merge succeeded. If the result is `false`, the method has reset the local partition to
    /// its start, and all partitions must run again with the memory ranges of [`DistributedRun::tracked_ranges`].
    pub fn join<M: LinearMemory>(
        &mut self,
        others: &[Partition<M>],
    ) -> Result<bool, FallbackReason> {
        let others: Vec<&AnyPartition<'_>> = others.iter().map(|part| part as _).collect();
        let found = self.try_to_join(&others);
        found.map_err(|reason| FallbackReason::of(&self.session, &reason))
    }

    fn try_to_join(&mut self, others: &[&AnyPartition<'_>]) -> Result<bool, BailoutReason> {
        let plain = plain_of(&self.session)?;
        let mut own = self.part.take().ok_or(BailoutReason::Launch)?;
        let mut parts: Vec<&AnyPartition<'_>> = vec![&own];
        parts.extend(others);
        if let Some(more) = self
            .parted
            .ranges_to_track(plain, &self.tracked_ranges, &parts)?
        {
            self.tracked_ranges = more;
            self.parted.restart(plain, &self.tracked_ranges, &mut own);
            self.part = Some(own);
            return Ok(false);
        }
        self.ended = Some(self.parted.end(plain, self.limits, own, others)?);
        Ok(true)
    }

    /// Returns the step limit and the minimum throughput of the distributed run.
    pub fn limits(&self) -> RunLimits {
        self.limits
    }

    /// Returns the memory ranges whose writes all partitions track.
    pub fn tracked_ranges(&self) -> &[u32] {
        &self.tracked_ranges
    }

    /// Returns the session at its end, after a successful [`DistributedRun::join`].
    pub fn finish(mut self) -> Result<(Session, TranslatedRunStats), FallbackReason> {
        let took = match &self.ended {
            Some(ended) => self.session.adopt_result(ended),
            None => Err(BailoutReason::Launch),
        };
        match took {
            Ok(took) => Ok((self.session, took)),
            Err(reason) => Err(FallbackReason::of(&self.session, &reason)),
        }
    }
}

/// Reason why the interpreter must repeat a JIT run that is distributed over several workers. The text is a clause of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FallbackReason(pub String);

impl FallbackReason {
    fn of(session: &Session, reason: &BailoutReason) -> FallbackReason {
        FallbackReason(session.fallback_message(reason))
    }
}

fn plain_of(session: &Session) -> Result<TranslationView<'_>, BailoutReason> {
    session.plain().ok_or(BailoutReason::Launch)
}

/// Returns the number of remaining blocks that other hosts should execute. The finished blocks took the time `took`, other hosts start
/// after `start` seconds, and `n_hosts` hosts share the remaining blocks. Returns 0 if the run ends earlier without other hosts.
fn blocks_of_others(left: &Range<u64>, took: Duration, start: f64, n_hosts: u64) -> u64 {
    let n_left = left.end.saturating_sub(left.start) as f64;
    if n_hosts < 2 || n_left == 0.0 || left.start == 0 {
        return 0;
    }
    let a_block = took.as_secs_f64() / left.start as f64;
    if n_left * a_block < 2.0 * start {
        return 0;
    }
    // Subtract the blocks that this host executes until the other hosts start.
    let each = (n_left - start / a_block.max(f64::MIN_POSITIVE)) / n_hosts as f64;
    (each.max(0.0) * (n_hosts - 1) as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::blocks_of_others;
    use std::time::Duration;

    #[test]
    fn blocks_are_distributed_only_when_run_finishes_sooner() {
        let tenth = Duration::from_millis(100);
        // The execution of 10 blocks lasted 0.1 s, so one host requires 9.9 s for the remaining 990 blocks.
        let others = |n_left: u64, start, n_hosts| {
            blocks_of_others(&(10..10 + n_left), tenth, start, n_hosts)
        };
        assert_eq!(others(990, 0.25, 1), 0);
        assert_eq!(others(0, 0.25, 4), 0);
        // This host executes 25 blocks before the other hosts start, and then each host executes a quarter of the remaining blocks.
        assert_eq!(others(990, 0.25, 4), 723);
        assert_eq!(others(49, 0.25, 4), 0);
        assert_eq!(others(51, 0.25, 2), 13);
    }
}
