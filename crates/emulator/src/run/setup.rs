//! Immutable data of a launch: program, code, layout and dimensions.

use crate::code::DecodedCode;
use crate::contract::launch::WriterTracking;
use crate::contract::launch::{Launch, LaunchError, ResourceLimits};
use crate::contract::schedule::ScheduledTurn;
use crate::state::cluster::GridShape;
use crate::state::image::Image;
use crate::state::memory_layout::MemoryLayout;
use crate::state::multicast::Multicast;
use std::sync::Arc;
use warpgrid_program::{FunctionKind, Program};

/// Immutable data of a launch, which all steps of the machine read.
#[derive(Debug)]
pub(crate) struct LaunchSetup {
    pub(crate) program: Arc<Program>,
    pub(crate) code: Arc<DecodedCode>,
    pub(crate) layout: MemoryLayout,
    /// Textures and surfaces, whose addresses are known after memory has been laid out.
    pub(crate) images: Vec<Image>,
    /// Multicast objects, which refer to several buffers and whose addresses are known after memory has been laid out.
    pub(crate) multicasts: Vec<Multicast>,
    pub(crate) limits: ResourceLimits,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) dynamic_shared_bytes: u64,
    pub(crate) n_threads: u32,
    pub(crate) n_blocks: u64,
    pub(crate) n_clusters: u64,
    /// Number of blocks per cluster.
    pub(crate) n_ranks: u32,
    pub(crate) shape: GridShape,
    pub(crate) tracking: WriterTracking,
    pub(crate) seed: u64,
    /// Turns with which the run starts.
    pub(crate) schedule: Arc<[ScheduledTurn]>,
}

/// Decoded code of a machine without its memory, which a host passes to
/// [`Machine::with_decoded`](crate::run::machine::Machine::with_decoded).
#[derive(Clone, Debug)]
pub struct DecodedLaunch(pub(crate) Arc<LaunchSetup>);

impl DecodedLaunch {
    /// Returns the decoded code if a program and a layout would be decoded to the same code, otherwise `None`.
    pub(crate) fn code_for(
        &self,
        program: &Arc<Program>,
        layout: &MemoryLayout,
    ) -> Option<Arc<DecodedCode>> {
        let DecodedLaunch(setup) = self;
        let is_same = Arc::ptr_eq(&setup.program, program) && setup.layout.decodes_as(layout);
        is_same.then(|| Arc::clone(&setup.code))
    }
}

impl LaunchSetup {
    /// Creates the setup of a launch without images and multicast objects.
    pub(crate) fn new(
        program: Arc<Program>,
        code: Arc<DecodedCode>,
        layout: MemoryLayout,
        launch: &Launch,
        limits: ResourceLimits,
    ) -> LaunchSetup {
        let n_ranks = launch.cluster.iter().product();
        let n_blocks = launch.grid.iter().map(|n| u64::from(*n)).product();
        LaunchSetup {
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            n_threads: launch.block.iter().product(),
            n_blocks,
            n_clusters: n_blocks / u64::from(n_ranks).max(1),
            n_ranks,
            shape: GridShape {
                grid: launch.grid,
                cluster: launch.cluster,
            },
            tracking: launch.writer_tracking,
            seed: launch.seed,
            schedule: Arc::clone(&launch.schedule),
            program,
            code,
            layout,
            images: Vec::new(),
            multicasts: Vec::new(),
            limits,
        }
    }

    /// Returns the number of bytes of host memory that a resident block requires.
    fn block_bytes(&self) -> u64 {
        let n_warps = u64::from(self.n_threads.div_ceil(32));
        let frame = self.code.functions.first().map_or(0, |f| f.frame_bytes);
        let registers = self.code.entry_sizes.bytes();
        let tracked = self.tracking.bytes_per_byte();
        n_warps * (registers + 32 * u64::from(frame) * tracked + 2048)
            + self.layout.shared_bytes * tracked
    }

    /// Returns the number of clusters that are resident at the same time. The blocks of a cluster are always
    /// co-resident (PTX ISA, "Cluster of Cooperative Thread Arrays").
    pub(crate) fn n_resident_clusters(&self, used_bytes: u64) -> Result<usize, LaunchError> {
        let n_ranks = u64::from(self.n_ranks);
        let most = self
            .limits
            .max_memory_bytes
            .saturating_add(self.limits.max_resident_bytes);
        let left = most.saturating_sub(used_bytes);
        let cluster = self.block_bytes().saturating_mul(n_ranks).max(1);
        if cluster > left {
            return Err(LaunchError::MemoryTooLarge {
                bytes: used_bytes.saturating_add(cluster),
                limit: most,
            });
        }
        let by_blocks = u64::from(self.limits.max_resident_blocks.max(1)) / n_ranks;
        if by_blocks == 0 {
            return Err(LaunchError::ClusterTooLarge {
                blocks: self.n_ranks,
                limit: self.limits.max_resident_blocks.max(1),
            });
        }
        let threads = u64::from(self.n_threads) * n_ranks;
        let by_threads = (u64::from(self.limits.max_resident_threads) / threads).max(1);
        let n = self
            .n_clusters
            .min(left / cluster)
            .min(by_threads)
            .min(by_blocks);
        Ok(n as usize)
    }

    /// Returns the rank in its cluster of the block in a resident slot.
    pub(crate) fn rank_of_place(&self, place: usize) -> usize {
        // Fast path for clusters of one block, which are the most frequent. For these clusters, a division would take
        // as long as a step.
        match self.n_ranks {
            0 | 1 => 0,
            n => place % n as usize,
        }
    }

    /// Returns the index of the cluster to which a resident slot belongs.
    pub(crate) fn cluster_of_place(&self, place: usize) -> usize {
        match self.n_ranks {
            0 | 1 => place,
            n => place / n as usize,
        }
    }

    /// Checks whether a function is a kernel that can be launched.
    pub(crate) fn is_entry(function: &warpgrid_program::Function) -> bool {
        function.kind == FunctionKind::Entry && function.defined
    }
}
