//! Assignment of clusters to resident slots, and initialization of their blocks, warps and shared memory.

use crate::contract::launch::WriterTracking;
use crate::contract::mbarrier::MbarrierState;
use crate::run::setup::LaunchSetup;
use crate::semantics::registers::RegisterFile;
use crate::state::MachineState;
use crate::state::block::Block;
use crate::state::cluster::{Cluster, ClusterBarrier};
use crate::state::memory::PagedMemory;
use crate::state::tensor_memory::TENSOR_BYTES;
use crate::state::warp::{CallFrame, Warp};

impl MachineState {
    /// Creates resident slots, and starts the first clusters of the grid in these slots.
    pub(crate) fn allocate_slots(
        &mut self,
        setup: &LaunchSetup,
        n_clusters: usize,
        spare: &mut Vec<RegisterFile>,
    ) {
        spare.reserve(n_clusters * (setup.n_ranks * setup.n_threads.div_ceil(32)) as usize);
        for cluster in 0..n_clusters {
            self.clusters.push(Cluster {
                index: 0,
                n_live_blocks: 0,
                barrier: ClusterBarrier::default(),
            });
            for _ in 0..setup.n_ranks {
                self.blocks.push(setup.empty_block());
                let bytes = setup.layout.shared_bytes as usize;
                self.shared.push(PagedMemory::new(bytes, setup.tracking));
                let bytes = setup.tensor_bytes();
                self.tensor.push(PagedMemory::new(bytes, setup.tracking));
            }
            self.start_cluster(setup, cluster, cluster as u64, spare);
        }
        self.next_cluster = n_clusters as u64;
    }

    /// Starts a cluster of the grid in the resident slots of a cluster. Reuses the allocations of the previous cluster
    /// in these slots.
    fn start_cluster(
        &mut self,
        setup: &LaunchSetup,
        place: usize,
        index: u64,
        spare: &mut Vec<RegisterFile>,
    ) {
        let Some(cluster) = self.clusters.get_mut(place) else {
            return;
        };
        cluster.index = index;
        cluster.n_live_blocks = setup.n_ranks;
        cluster.barrier.reset();
        let n_ranks = setup.n_ranks as usize;
        let memories = self.shared.iter_mut().zip(&mut self.tensor);
        let blocks = self.blocks.iter_mut().zip(memories);
        for (rank, (block, (shared, tensor))) in
            blocks.skip(place * n_ranks).take(n_ranks).enumerate()
        {
            shared.reset();
            setup.fill_shared(shared);
            setup.fill_pair_barrier(shared, rank);
            tensor.reset();
            setup.start_block(block, setup.block_position(index, rank as u32), spare);
        }
    }

    /// Starts the next clusters of the grid in the resident slots of finished clusters. A slot for which an operation
    /// is in flight is reused only after the operation completes, because the operation may write to the shared memory
    /// of the slot.
    pub(crate) fn launch_next_clusters(
        &mut self,
        setup: &LaunchSetup,
        spare: &mut Vec<RegisterFile>,
    ) {
        for place in 0..self.clusters.len() {
            if self.next_cluster == setup.n_clusters {
                return;
            }
            let done = self
                .clusters
                .get(place)
                .is_some_and(|c| c.n_live_blocks == 0);
            if done && !self.has_operations(setup, place) {
                let index = self.next_cluster;
                self.next_cluster += 1;
                self.start_cluster(setup, place, index, spare);
            }
        }
    }

    /// Checks whether operations are in flight for the blocks in the resident slots of a cluster.
    pub(crate) fn has_operations(&self, setup: &LaunchSetup, place: usize) -> bool {
        if self.in_flight.is_empty() {
            return false;
        }
        let n_ranks = setup.n_ranks as usize;
        let blocks = self.blocks.get(place * n_ranks..(place + 1) * n_ranks);
        let blocks = blocks.unwrap_or(&[]);
        self.in_flight
            .touches(|index| blocks.iter().any(|block| block.index == index))
    }
}

impl LaunchSetup {
    /// Returns the grid position of the block with a given rank in a cluster. Cluster indices and ranks increase
    /// fastest in x.
    pub(crate) fn block_position(&self, cluster: u64, rank: u32) -> [u32; 3] {
        let [gx, gy, _] = [0, 1, 2].map(|i: usize| u64::from(self.grid[i] / self.cluster[i]));
        let [cx, cy, _] = self.cluster;
        let of_cluster = [cluster % gx, cluster / gx % gy, cluster / (gx * gy)];
        let in_cluster = [rank % cx, rank / cx % cy, rank / (cx * cy)];
        [0, 1, 2].map(|i: usize| of_cluster[i] as u32 * self.cluster[i] + in_cluster[i])
    }

    /// Returns the grid position of the block with this linear index.
    pub(crate) fn position_of(&self, block: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [
            (block % x) as u32,
            (block / x % y) as u32,
            (block / (x * y)) as u32,
        ]
    }

    /// Returns the index of the cluster that contains the block with this linear index.
    pub(crate) fn cluster_of(&self, block: u64) -> u64 {
        let position = self.position_of(block);
        let [x, y, z] = [0, 1, 2].map(|i: usize| u64::from(position[i] / self.cluster[i]));
        let [nx, ny, _] = [0, 1, 2].map(|i: usize| u64::from(self.grid[i] / self.cluster[i]));
        (z * ny + y) * nx + x
    }

    /// Returns the size of a block's tensor memory in bytes, or 0 if the code does not use tensor memory.
    fn tensor_bytes(&self) -> usize {
        match self.code.tensor_memory.is_empty() {
            true => 0,
            false => TENSOR_BYTES,
        }
    }

    fn empty_block(&self) -> Block {
        let n_warps = self.n_threads.div_ceil(32);
        Block {
            index: 0,
            position: [0; 3],
            warps: (0..n_warps).map(Warp::new).collect(),
            barriers: Vec::new(),
            n_live_warps: n_warps,
            dirty: true,
        }
    }

    /// Starts the block with a given grid position in a resident slot.
    fn start_block(&self, block: &mut Block, position: [u32; 3], spare: &mut Vec<RegisterFile>) {
        let [x, y, z] = position.map(u64::from);
        let [nx, ny, _] = self.grid.map(u64::from);
        block.index = (z * ny + y) * nx + x;
        block.position = position;
        block.n_live_warps = block.warps.len() as u32;
        block.dirty = true;
        for barrier in &mut block.barriers {
            barrier.arrived.fill(0);
            barrier.expected = 0;
        }
        for warp in &mut block.warps {
            self.start_warp(warp, position, spare);
        }
    }

    /// Initializes the mbarrier for pairs of blocks that use tensor memory. On the hardware, the system creates this
    /// mbarrier before the kernel starts.
    fn fill_pair_barrier(&self, shared: &mut PagedMemory, rank: usize) {
        let Some(start) = self.layout.pair_barrier else {
            return;
        };
        if self.n_ranks < 2 || self.code.tensor_memory.is_empty() {
            return;
        }
        let object = MbarrierState {
            parity: rank.is_multiple_of(2),
            pending: 1,
            expected: 1,
            bytes: 0,
        };
        let (bytes, _) = shared.raw();
        let place = start as usize..start as usize + 8;
        if let Some(place) = bytes.get_mut(place) {
            place.copy_from_slice(&object.word().to_le_bytes());
        }
    }

    /// Writes the initial values of shared variables. Only some dialects have initialized shared variables.
    fn fill_shared(&self, shared: &mut PagedMemory) {
        for placed in &self.layout.shared_variables {
            let variable = match (placed.function, placed.variable) {
                (_, warpgrid_program::VariableId::Module(i)) => {
                    self.program.variables.get(i as usize)
                }
                (Some(f), warpgrid_program::VariableId::Function(i)) => self
                    .program
                    .functions
                    .get(f.0 as usize)
                    .and_then(|f| f.variables.get(i as usize)),
                _ => None,
            };
            let Some(variable) = variable.filter(|v| !v.init.is_empty()) else {
                continue;
            };
            let start = placed.byte_offset as usize;
            let (bytes, _) = shared.raw();
            if let Some(place) = bytes.get_mut(start..start + variable.init.len()) {
                place.copy_from_slice(&variable.init);
            }
        }
    }

    fn start_warp(&self, warp: &mut Warp, position: [u32; 3], spare: &mut Vec<RegisterFile>) {
        let first = warp.index * 32;
        let n = (self.n_threads - first.min(self.n_threads)).min(32);
        warp.present = (u64::from(u32::MAX) >> (32 - n)) as u32;
        warp.exited = 0;
        let start = self.code.functions.first().map_or(0, |f| f.start);
        warp.splits.reset(warp.present, start);
        warp.splits.explicit_convergence = !self.code.addresses.is_empty();
        let linear = u64::from(warp.index) << 48
            ^ position.iter().fold(0, |all, n| all << 20 ^ u64::from(*n));
        warp.splits.draw_from(match self.seed % 8 {
            // For half of the seeds, do not select lane groups at random, so that the lanes of a warp remain converged
            // if the code permits convergence.
            0..4 => None,
            _ => Some(self.seed.wrapping_mul(0x9e37_79b9) ^ linear),
        });
        let entry = self.code.functions.first();
        warp.has_not_run = entry.is_none_or(|f| f.frame_addresses.is_empty());
        if warp.has_not_run {
            let mut banks = std::mem::take(&mut warp.banks);
            banks.grow(self.code.entry_sizes);
            // Keep at most as many spare register files as there are resident slots, because further register files
            // would remain unused after a seek.
            if spare.len() < spare.capacity() {
                spare.push(banks);
            }
        } else {
            warp.banks.reset(self.code.entry_sizes);
        }
        warp.carry = 0;
        warp.groups = None;
        warp.steps = 0;
        warp.dirty = true;
        warp.frames.clear();
        warp.frames.push(CallFrame::EMPTY);
        let frame = self.code.functions.first().map_or(0, |f| f.frame_bytes);
        warp.stack.clear();
        warp.stack.is_tracked = self.tracking == WriterTracking::LastWriter;
        // Stacks without writer tracking have no last-writer entries. Stacks with writer tracking always have at least
        // one entry, which indicates that writers are tracked.
        let least = if warp.stack.is_tracked { 16 } else { 0 };
        warp.stack.grow(frame.max(least) as usize);
        self.fill_specials(warp, position);
        let present = warp.present;
        crate::exec::control::set_frame_addresses(&self.code, warp, present, 0, 0);
    }
}
