//! A launch in progress: the blocks that have a place, the memory that they share, and whose turn it is.

use crate::decode::code::Code;
use crate::decode::decode;
use crate::exec::barrier;
use crate::exec::memory_ops::Halt;
use crate::exec::step::{Stop, Surroundings};
use crate::exec::vectors::run_warp;
use crate::run::fault::{AccessFault, Fault, FaultKind, Place, Region, WaitReason, Waiter};
use crate::run::inspect::{Note, Status};
use crate::run::launch::{Launch, LaunchError, Limits};
use crate::run::observe::Observer;
use crate::run::schedule::{Schedule, WarpPlace};
use crate::state::block::Block;
use crate::state::layout::Layout;
use crate::state::memory::{GlobalMemory, Owner, PagedBytes, Tracking};
use crate::state::registers::LANES;
use crate::state::warp::{Frame, SplitState, Splits, Warp};
use std::sync::Arc;
use warpgrid_isa::{SpecialRegister, StateSpace};
use warpgrid_program::{FunctionKind, Program};

/// What never changes while a launch runs.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) program: Arc<Program>,
    pub(crate) code: Code,
    pub(crate) layout: Layout,
    pub(crate) limits: Limits,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) dynamic_shared_bytes: u64,
    pub(crate) n_threads: u32,
    pub(crate) n_blocks: u64,
    pub(crate) tracking: Tracking,
}

/// A launch in progress: one step is one instruction of one group of lanes of one warp.
#[derive(Clone)]
pub struct Machine {
    pub(crate) setup: Arc<Setup>,
    pub(crate) global: GlobalMemory,
    /// Places for blocks; a place is taken again when its block is done.
    pub(crate) blocks: Vec<Block>,
    pub(crate) schedule: Schedule,
    /// Steps done.
    pub(crate) position: u64,
    /// The next block that gets a place.
    pub(crate) next_block: u64,
    pub(crate) blocks_done: u64,
    pub(crate) fault: Option<Fault>,
    pub(crate) notes: Vec<Note>,
}

impl Machine {
    /// Lays out memory and decodes; refuses what cannot run.
    pub fn new(
        program: Arc<Program>,
        launch: &Launch,
        limits: Limits,
    ) -> Result<Machine, LaunchError> {
        crate::run::check_launch::check_launch(&program, launch)?;
        let tracking = if launch.track_writers {
            Tracking::LastWriter
        } else {
            Tracking::Off
        };
        let mut layout = Layout::new(&program, launch);
        crate::run::check_launch::check_layout(&program, launch, &layout, &limits)?;
        let global = layout.build_memory(&program, launch, &limits, tracking)?;
        let code = decode(&program, &layout);
        let n_threads = launch.block.iter().product();
        let setup = Setup {
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            n_threads,
            n_blocks: launch.grid.iter().map(|n| u64::from(*n)).product(),
            program,
            code,
            layout,
            limits,
            tracking,
        };
        let n_places = setup.n_places(global.arena.len() as u64)?;
        let mut machine = Machine {
            global,
            blocks: Vec::with_capacity(n_places),
            schedule: Schedule::new(launch.seed),
            position: 0,
            next_block: n_places as u64,
            blocks_done: 0,
            fault: None,
            notes: Vec::new(),
            setup: Arc::new(setup),
        };
        for index in 0..n_places {
            let mut block = machine.setup.empty_block();
            machine.setup.start_block(&mut block, index as u64);
            machine.blocks.push(block);
        }
        Ok(machine)
    }

    /// One instruction of one warp.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Status {
        self.run_observed(1, observer)
    }

    /// Up to so many steps, as fast as they go.
    pub fn run(&mut self, max_steps: u64) -> Status {
        self.run_observed(max_steps, &mut ())
    }

    /// As [`Machine::run`], with somebody listening.
    pub fn run_observed(&mut self, max_steps: u64, observer: &mut dyn Observer) -> Status {
        let end = self.position.saturating_add(max_steps);
        while self.position < end && self.fault.is_none() {
            let Some(place) = self.schedule.pick(&self.blocks) else {
                break;
            };
            self.turn(place, end, observer);
        }
        self.status()
    }

    /// Steps of one warp, until its turn is over, it stops, or `end` is reached.
    fn turn(&mut self, place: WarpPlace, end: u64, observer: &mut dyn Observer) {
        let setup = Arc::clone(&self.setup);
        let Some(block) = self.blocks.get_mut(place.block) else {
            return;
        };
        let Some(warp) = block.warps.get_mut(place.warp) else {
            return;
        };
        let budget = u64::from(self.schedule.left).min(end - self.position) as u32;
        let mut around = Surroundings {
            code: &setup.code,
            map: &setup.layout.map,
            limits: &setup.limits,
            global: &mut self.global,
            shared: &mut block.shared,
            interest: observer.interest(),
            observer,
            notes: &mut self.notes,
            block: block.index,
        };
        let (steps, stop) = run_warp(&mut around, warp, self.position, budget);
        self.position += u64::from(steps);
        self.schedule.left -= steps;
        match stop {
            Stop::Turn => {}
            Stop::Yield => self.schedule.end_turn(),
            Stop::Fault(halt) => self.stop(place, *halt),
            Stop::Blocked => self.if_stuck(place),
            Stop::Barrier { plan, mask } => {
                warp.steps += 1;
                match barrier::arrive(&setup.code, block, place.warp, plan, mask) {
                    Ok(()) => {
                        self.position += 1;
                        self.schedule.left -= 1;
                        self.if_stuck(place);
                    }
                    Err(halt) => self.stop(place, *halt),
                }
            }
            Stop::Exited => self.after_exit(place),
        }
    }

    /// Lanes have ended: barriers may open, and the block may be done.
    fn after_exit(&mut self, place: WarpPlace) {
        let setup = Arc::clone(&self.setup);
        let Some(block) = self.blocks.get_mut(place.block) else {
            return;
        };
        barrier::after_exit(&setup.code, block);
        block.n_live_warps = block.warps.iter().filter(|w| w.live() != 0).count() as u32;
        if block.n_live_warps > 0 {
            self.if_stuck(place);
            return;
        }
        self.blocks_done += 1;
        if self.next_block < setup.n_blocks {
            setup.start_block(block, self.next_block);
            self.next_block += 1;
        }
    }

    /// A block in which nobody can run, and somebody should, is stuck.
    fn if_stuck(&mut self, place: WarpPlace) {
        let Some(block) = self.blocks.get(place.block) else {
            return;
        };
        let runs = |warp: &Warp| warp.splits.all().iter().any(|s| s.is_ready());
        if block.n_live_warps == 0 || block.warps.iter().any(runs) {
            return;
        }
        let code = &self.setup.code;
        let mut waiting = Vec::new();
        let mut first = None;
        for (index, warp) in block.warps.iter().enumerate() {
            for split in warp.splits.all() {
                let waits_for = match split.state {
                    SplitState::Ready => continue,
                    SplitState::Barrier { id } => WaitReason::Barrier { id },
                    SplitState::Lanes { missing } => WaitReason::Lanes { missing },
                };
                let (function, instruction) = code.origin(split.pc);
                first.get_or_insert((index, split.pc, split.mask));
                waiting.push(Waiter {
                    warp: warp.index,
                    lanes: split.mask,
                    function,
                    instruction,
                    waits_for,
                });
            }
        }
        if let Some((warp, pc, lanes)) = first {
            let place = WarpPlace {
                block: place.block,
                warp,
            };
            let kind = FaultKind::Deadlock { waiting };
            self.record_fault(place, pc, *Halt::new(kind, lanes));
        }
    }

    /// A fault at the instruction where the running group stands.
    fn stop(&mut self, place: WarpPlace, halt: Halt) {
        let pc = self
            .blocks
            .get(place.block)
            .and_then(|b| b.warps.get(place.warp))
            .map_or(0, |w| w.splits.current().pc);
        self.record_fault(place, pc, halt);
    }

    fn record_fault(&mut self, place: WarpPlace, pc: u32, halt: Halt) {
        let Some(block) = self.blocks.get(place.block) else {
            return;
        };
        let (function, instruction) = self.setup.code.origin(pc);
        let lane = halt.lanes.trailing_zeros() & 31;
        let access = halt.access.map(|(kind, space, address, width_bytes)| {
            let stack = block
                .warps
                .get(place.warp)
                .map_or(0, |w| w.stack.lane_bytes as u64);
            AccessFault {
                kind,
                space,
                address,
                width_bytes,
                place: self.place_of(space, address, stack),
            }
        });
        self.fault = Some(Fault {
            kind: halt.kind,
            step: self.position,
            function,
            instruction,
            block: block.position,
            block_index: block.index,
            warp: place.warp as u32,
            lanes: halt.lanes,
            thread: self.setup.thread(place.warp as u32, lane),
            access,
        });
    }

    /// What an address belongs to, or what is near.
    fn place_of(&self, space: StateSpace, address: u64, stack_bytes: u64) -> Place {
        let layout = &self.setup.layout;
        let window = |region, offset: u64, size_bytes| Place {
            region,
            byte_offset: offset as i64,
            size_bytes,
        };
        match space {
            StateSpace::Shared | StateSpace::SharedCluster => {
                return window(Region::Shared, address, layout.shared_bytes);
            }
            StateSpace::Local | StateSpace::ParamFunc => {
                return window(Region::Local, address, stack_bytes);
            }
            StateSpace::Generic if layout.map.in_shared(address) => {
                let offset = address - layout.map.shared;
                return window(Region::Shared, offset, layout.shared_bytes);
            }
            StateSpace::Generic if layout.map.in_local(address) => {
                let offset = address - layout.map.local;
                return window(Region::Local, offset, stack_bytes);
            }
            _ => {}
        }
        // Beyond a few megabytes nothing counts as near.
        let near = self.global.nearest(address).filter(|a| {
            let distance = address.wrapping_sub(a.address) as i64;
            distance > -(1 << 22) && distance < a.size as i64 + (1 << 22)
        });
        let Some(allocation) = near else {
            return Place {
                region: Region::Nothing,
                byte_offset: 0,
                size_bytes: 0,
            };
        };
        let region = match &allocation.owner {
            Owner::Buffer(index, name) => Region::Buffer {
                index: *index,
                name: name.clone(),
            },
            Owner::GlobalVariable(index, name) | Owner::ConstVariable(index, name) => {
                Region::Variable {
                    index: *index,
                    name: name.clone(),
                }
            }
            Owner::Parameters => Region::Parameters,
        };
        Place {
            region,
            byte_offset: address.wrapping_sub(allocation.address) as i64,
            size_bytes: allocation.size,
        }
    }

    /// Steps done.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn status(&self) -> Status {
        if self.fault.is_some() {
            Status::Faulted
        } else if self.blocks_done == self.setup.n_blocks {
            Status::Finished
        } else {
            Status::Running
        }
    }

    /// Why the run stopped before its end.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }
}

impl Setup {
    /// Bytes that one block takes while it runs.
    fn block_bytes(&self) -> u64 {
        let n_warps = u64::from(self.n_threads.div_ceil(32));
        let frame = self.code.functions.first().map_or(0, |f| f.frame_bytes);
        let registers = self.code.entry_sizes.bytes();
        let tracked = if self.tracking == Tracking::Off { 1 } else { 9 };
        n_warps * (registers + 32 * u64::from(frame) * tracked + 2048)
            + self.layout.shared_bytes * tracked
    }

    /// How many blocks run at the same time.
    fn n_places(&self, used_bytes: u64) -> Result<usize, LaunchError> {
        let tracked = if self.tracking == Tracking::Off { 1 } else { 9 };
        let used = used_bytes.saturating_mul(tracked);
        let left = self.limits.max_memory_bytes.saturating_sub(used);
        let block = self.block_bytes().max(1);
        if block > left {
            return Err(LaunchError::MemoryTooLarge {
                bytes: used.saturating_add(block),
                limit: self.limits.max_memory_bytes,
            });
        }
        let by_threads = u64::from((self.limits.max_resident_threads / self.n_threads).max(1));
        let n = self
            .n_blocks
            .min(left / block)
            .min(by_threads)
            .min(u64::from(self.limits.max_resident_blocks.max(1)));
        Ok(n as usize)
    }

    fn empty_block(&self) -> Block {
        let n_warps = self.n_threads.div_ceil(32);
        Block {
            index: 0,
            position: [0; 3],
            warps: (0..n_warps).map(Warp::new).collect(),
            shared: PagedBytes::new(self.layout.shared_bytes as usize, self.tracking),
            barriers: Vec::new(),
            n_live_warps: n_warps,
            dirty: true,
        }
    }

    /// Puts a block of the grid into a place; keeps the allocations of the one that was there.
    pub(crate) fn start_block(&self, block: &mut Block, index: u64) {
        let [x, y, _] = self.grid.map(u64::from);
        block.index = index;
        block.position = [
            (index % x) as u32,
            (index / x % y) as u32,
            (index / (x * y)) as u32,
        ];
        block.n_live_warps = block.warps.len() as u32;
        block.shared.reset();
        self.fill_shared(block);
        block.dirty = true;
        for barrier in &mut block.barriers {
            barrier.arrived.fill(0);
            barrier.expected = 0;
        }
        let position = block.position;
        for warp in &mut block.warps {
            self.start_warp(warp, position);
        }
    }

    /// Initial values of shared variables, where a dialect allows them.
    fn fill_shared(&self, block: &mut Block) {
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
            let (bytes, _, _) = block.shared.raw();
            if let Some(place) = bytes.get_mut(start..start + variable.init.len()) {
                place.copy_from_slice(&variable.init);
            }
        }
    }

    fn start_warp(&self, warp: &mut Warp, position: [u32; 3]) {
        let first = warp.index * 32;
        let n = (self.n_threads - first.min(self.n_threads)).min(32);
        warp.present = (u64::from(u32::MAX) >> (32 - n)) as u32;
        warp.exited = 0;
        let start = self.code.functions.first().map_or(0, |f| f.start);
        warp.splits = Splits::new(warp.present, start);
        warp.banks.reset(self.code.entry_sizes);
        warp.carry = 0;
        warp.steps = 0;
        warp.dirty = true;
        warp.frames.clear();
        warp.frames.push(Frame::EMPTY);
        let frame = self.code.functions.first().map_or(0, |f| f.frame_bytes);
        warp.stack.clear();
        if self.tracking == Tracking::LastWriter && warp.stack.lane_bytes == 0 {
            warp.stack.grow(frame.max(16) as usize, true);
        } else {
            warp.stack.grow(frame as usize, false);
        }
        self.fill_specials(warp, position);
        let present = warp.present;
        crate::exec::control::set_frame_addresses(&self.code, warp, present, 0, 0);
    }

    /// Fills the special registers; what depends on the lane alone is as it was for the block before.
    fn fill_specials(&self, warp: &mut Warp, position: [u32; 3]) {
        let index = warp.index;
        let row = |special: SpecialRegister| {
            let mut row = [0u64; LANES];
            for (lane, value) in row.iter_mut().enumerate() {
                *value = self.special(special, position, index, lane as u32);
            }
            row
        };
        let of_block = |special: SpecialRegister| self.special(special, position, index, 0);
        let banks = &mut warp.specials;
        if banks.r32.len() != self.code.specials32.len()
            || banks.r64.len() != self.code.specials64.len()
        {
            banks.r32 = vec![[0; LANES]; self.code.specials32.len()];
            banks.r64 = vec![[0; LANES]; self.code.specials64.len()];
            for (special, place) in self.code.specials32.iter().zip(&mut banks.r32) {
                *place = row(*special).map(|v| v as u32);
            }
            for (special, place) in self.code.specials64.iter().zip(&mut banks.r64) {
                *place = row(*special);
            }
            return;
        }
        for (special, place) in self.code.specials32.iter().zip(&mut banks.r32) {
            if !special_of_lane(*special) {
                *place = [of_block(*special) as u32; LANES];
            }
        }
        for (special, place) in self.code.specials64.iter().zip(&mut banks.r64) {
            if !special_of_lane(*special) {
                *place = [of_block(*special); LANES];
            }
        }
    }

    /// The thread of a lane.
    pub(crate) fn thread(&self, warp: u32, lane: u32) -> [u32; 3] {
        let linear = warp * 32 + lane;
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// The value of a special register (PTX ISA, "Special Registers").
    fn special(&self, special: SpecialRegister, position: [u32; 3], warp: u32, lane: u32) -> u64 {
        use SpecialRegister as S;
        let of = |v: [u32; 3], axis: u8| v.get(axis as usize).copied().unwrap_or(0);
        let cluster = self.cluster;
        let in_cluster = [0, 1, 2].map(|i: usize| position[i] % cluster[i]);
        let n_clusters = [0, 1, 2].map(|i: usize| self.grid[i] / cluster[i]);
        let value = match special {
            S::Tid(axis) => of(self.thread(warp, lane), axis),
            S::Ntid(axis) => of(self.block, axis),
            S::Ctaid(axis) => of(position, axis),
            S::Nctaid(axis) => of(self.grid, axis),
            S::Clusterid(axis) => of([0, 1, 2].map(|i: usize| position[i] / cluster[i]), axis),
            S::Nclusterid(axis) => of(n_clusters, axis),
            S::ClusterCtaid(axis) => of(in_cluster, axis),
            S::ClusterNctaid(axis) => of(cluster, axis),
            S::ClusterCtarank => {
                in_cluster[0] + cluster[0] * (in_cluster[1] + cluster[1] * in_cluster[2])
            }
            S::ClusterNctarank => cluster.iter().product(),
            S::IsExplicitCluster => u32::from(cluster != [1, 1, 1]),
            S::Laneid => lane,
            S::Warpid => warp,
            S::Nwarpid => 64,
            S::Nsmid => 1,
            S::LanemaskEq => 1 << lane,
            S::LanemaskLe => u32::MAX >> (31 - lane),
            S::LanemaskLt => (1 << lane) - 1,
            S::LanemaskGe => u32::MAX << lane,
            S::LanemaskGt => u32::MAX << lane << 1,
            S::DynamicSmemSize => self.dynamic_shared_bytes as u32,
            S::TotalSmemSize | S::AggrSmemSize => self.layout.shared_bytes as u32,
            S::Smid
            | S::Gridid
            | S::Clock
            | S::ClockHi
            | S::Clock64
            | S::Globaltimer
            | S::GlobaltimerLo
            | S::GlobaltimerHi
            | S::ReservedSmemOffset
            | S::Envreg(_)
            | S::Pm(_)
            | S::Pm64(_)
            | S::CurrentGraphExec => 0,
        };
        u64::from(value)
    }

    /// Whether a function is the kind that can be launched.
    pub(crate) fn is_entry(function: &warpgrid_program::Function) -> bool {
        function.kind == FunctionKind::Entry && function.defined
    }
}

/// Whether a special register differs between the lanes of a warp, and is the same in every block.
fn special_of_lane(special: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(
        special,
        S::Tid(_)
            | S::Laneid
            | S::LanemaskEq
            | S::LanemaskLe
            | S::LanemaskLt
            | S::LanemaskGe
            | S::LanemaskGt
    )
}
