//! Inspection of a machine between two steps.

use crate::code::{RegisterBank, RegisterOperand};
use crate::contract::agent::{Agent, AsyncOperationId};
use crate::contract::inspect::*;
use crate::contract::launch::BufferIndex;
use crate::contract::mbarrier::MbarrierState;
use crate::contract::step_event::StepEvent;
use crate::exec::step::issue;
use crate::exec::wait_conditions::{WaitContext, block_if_not_ready, object_at};
use crate::run::last_writers::LastWriters;
use crate::run::machine::Machine;
use crate::semantics::registers::{LANES, OperandSlot};
use crate::state::memory::{Allocation, AllocationOwner, PagedMemory};
use crate::state::scheduler::ScheduledAction;
use crate::state::scheduler::{Scheduler, WarpSlot, can_run};
use crate::state::tensor_memory::CELL_BYTES;
use crate::state::warp::{Warp, WarpSplitState};
use std::sync::Arc;
use warpgrid_program::{FunctionId, Program, RegisterId};

/// Copies of the parts of the machine state that the search for the next step modifies.
struct SchedulerCopy {
    schedule: Scheduler,
    blocked: Vec<WarpSlot>,
}

impl Machine {
    /// Checks whether a value is the code address of a function in PTX, or of an instruction in SASS.
    pub fn is_code_address(&self, value: u64) -> bool {
        let setup = &self.setup;
        let addresses = &setup.code.addresses;
        if !addresses.is_empty() {
            return addresses
                .binary_search_by_key(&value, |(at, _)| *at)
                .is_ok();
        }
        let mut functions = (0..setup.program.functions.len() as u32).map(FunctionId);
        functions.any(|id| setup.layout.function_address(id) == value)
    }

    /// Returns the diagnostics that the run has recorded so far, including the output of `printf`.
    pub fn notes(&self) -> &[RunDiagnostic] {
        &self.state.diagnostics
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.setup.program
    }

    /// Returns the number of blocks of the grid.
    pub fn n_blocks(&self) -> u64 {
        self.setup.n_blocks
    }

    /// Returns the kernel of the launch.
    pub fn entry(&self) -> Option<FunctionId> {
        let functions = &self.setup.code.functions;
        functions.first().map(|function| function.id)
    }

    /// Returns the number of finished blocks.
    pub fn blocks_done(&self) -> u64 {
        self.state.blocks_done
    }

    /// Checks whether the block with this linear index is or was resident.
    pub fn has_started(&self, block: u64) -> bool {
        self.setup.cluster_of(block) < self.state.next_cluster
    }

    /// Returns the number of bytes of the registers, stacks, shared memory and tensor memory of the resident blocks.
    /// The number includes the registers of warps that have not run yet, although they are not allocated.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let registers = self.setup.code.entry_sizes.bytes();
        let of_warp = |warp: &Warp| match warp.has_not_run {
            true => warp.bytes() + registers,
            false => warp.bytes(),
        };
        self.state
            .blocks
            .iter()
            .flat_map(|b| &b.warps)
            .map(of_warp)
            .sum::<u64>()
            + self
                .state
                .shared
                .iter()
                .chain(&self.state.tensor)
                .map(PagedMemory::size)
                .sum::<u64>()
    }

    /// Returns the thread index, within its block, of the thread in a lane.
    pub fn thread(&self, warp: u32, lane: u32) -> [u32; 3] {
        self.setup.thread(warp, lane)
    }

    /// Returns the number of threads that have to arrive at a barrier of a resident block, and the number of threads
    /// that have arrived.
    pub fn barrier(&self, block: u64, id: u32) -> (u32, u32) {
        let resident_block = self.state.blocks.iter().find(|b| b.index == block);
        let Some(block) = resident_block else {
            return (0, 0);
        };
        let Some(barrier) = block.barriers.get(id as usize) else {
            return (0, 0);
        };
        let live = || block.warps.iter().map(|warp| warp.live().count_ones());
        let expected = match barrier.expected {
            0 => live().sum(),
            expected => expected,
        };
        let arrived = barrier.arrived.iter().map(|lanes| lanes.count_ones()).sum();
        (expected, arrived)
    }

    /// Returns the live lanes of each warp of a resident block.
    pub fn live_lanes(&self, block: u64) -> Vec<u32> {
        let resident_block = self.state.blocks.iter().find(|b| b.index == block);
        resident_block.map_or(Vec::new(), |block| {
            block.warps.iter().map(Warp::live).collect()
        })
    }

    /// Returns the grid position of the block with this linear index.
    pub fn block_position(&self, block: u64) -> [u32; 3] {
        self.setup.position_of(block)
    }

    fn allocation(&self, region: MemoryRegion) -> Option<&Allocation> {
        self.state
            .global
            .allocations()
            .iter()
            .find(|a| match (&a.owner, region) {
                (AllocationOwner::Buffer(index, _), MemoryRegion::Buffer(wanted)) => {
                    *index == wanted
                }
                (
                    AllocationOwner::GlobalVariable(index, _)
                    | AllocationOwner::ConstVariable(index, _),
                    MemoryRegion::Variable(wanted),
                ) => *index == wanted,
                (AllocationOwner::Parameters, MemoryRegion::Parameters) => true,
                _ => false,
            })
    }

    /// Returns the shared memory of a resident block.
    fn shared(&self, block: u64) -> Option<&PagedMemory> {
        let place = self.state.blocks.iter().position(|b| b.index == block)?;
        self.state.shared.get(place)
    }

    /// Returns the tensor memory of a resident block, or `None` if the code does not use tensor memory.
    fn tensor(&self, block: u64) -> Option<&PagedMemory> {
        let place = self.state.blocks.iter().position(|b| b.index == block)?;
        let tensor = self.state.tensor.get(place)?;
        (tensor.len() >= CELL_BYTES).then_some(tensor)
    }

    /// Returns the linear indices of all blocks in the cluster of a resident block, ordered by rank.
    pub fn cluster(&self, block: u64) -> Vec<u64> {
        let blocks = &self.state.blocks;
        let Some(place) = blocks.iter().position(|b| b.index == block) else {
            return Vec::new();
        };
        let first = place - self.setup.rank_of_place(place);
        let places = first..first + self.setup.n_ranks as usize;
        let cluster = blocks.get(places).unwrap_or(&[]);
        cluster.iter().map(|block| block.index).collect()
    }

    /// Returns the offsets and states of the mbarrier objects that were initialized in the shared memory of a resident
    /// block. The state is `None` if the object has been overwritten.
    pub fn mbarriers(&self, block: u64) -> Vec<(u64, Option<MbarrierState>)> {
        let Some(shared) = self.shared(block) else {
            return Vec::new();
        };
        let held = |offset: u64| object_at(shared, offset).and_then(MbarrierState::read);
        let objects = shared.objects().iter();
        objects.map(|offset| (*offset, held(*offset))).collect()
    }

    /// Returns the bytes of a memory region. Returns `None` if the region does not exist or its block is not resident.
    pub fn memory(&self, region: MemoryRegion) -> Option<&[u8]> {
        match region {
            MemoryRegion::Shared { block } => Some(self.shared(block)?.contents()),
            MemoryRegion::Tensor { block } => self.tensor(block)?.contents().get(..CELL_BYTES),
            MemoryRegion::Local { block, warp, lane } => {
                let stack = &self.find_warp(block, warp)?.stack;
                stack.bytes.get(stack.of_lane(lane as usize))
            }
            _ => {
                let a = self.allocation(region)?;
                self.state
                    .global
                    .arena
                    .bytes()
                    .get(a.start..a.start + a.size as usize)
            }
        }
    }

    /// Returns the address of the first byte of a memory region in its state space.
    pub fn address(&self, region: MemoryRegion) -> Option<u64> {
        match region {
            MemoryRegion::Shared { .. }
            | MemoryRegion::Tensor { .. }
            | MemoryRegion::Local { .. } => self.memory(region).map(|_| 0),
            _ => self.allocation(region).map(|a| a.address),
        }
    }

    /// Returns the memory region that contains a global, constant or parameter address, and the offset within this
    /// region.
    pub fn region_at(&self, address: u64) -> Option<(MemoryRegion, u64)> {
        let a = self.state.global.find(address)?;
        let region = match &a.owner {
            AllocationOwner::Buffer(index, _) => MemoryRegion::Buffer(BufferIndex(index.0)),
            AllocationOwner::GlobalVariable(index, _)
            | AllocationOwner::ConstVariable(index, _) => MemoryRegion::Variable(*index),
            AllocationOwner::Parameters => MemoryRegion::Parameters,
        };
        Some((region, address - a.address))
    }

    /// Returns the last writer of each byte in a memory region. Returns `None` unless the launch tracks writers.
    pub fn writers(&self, region: MemoryRegion) -> Option<LastWriters<'_>> {
        match region {
            MemoryRegion::Shared { block } => {
                let shared = self.shared(block)?;
                LastWriters::paged(shared.writers(), 0..shared.len())
            }
            MemoryRegion::Tensor { block } => {
                let tensor = self.tensor(block)?;
                LastWriters::paged(tensor.writers(), 0..CELL_BYTES)
            }
            MemoryRegion::Local { block, warp, lane } => {
                let stack = &self.find_warp(block, warp)?.stack;
                let entries = stack.writers.get(stack.of_lane(lane as usize))?;
                Some(LastWriters::plain(entries))
            }
            _ => {
                let a = self.allocation(region)?;
                let writers = self.state.global.arena.writers();
                LastWriters::paged(writers, a.start..a.start + a.size as usize)
            }
        }
    }

    /// Returns the shared variables with their offsets in the shared memory of each block.
    pub fn shared_variables(&self) -> &[SharedVariable] {
        &self.setup.layout.shared_variables
    }

    /// Returns the source-level name of an offset in shared memory: the name of the variable that contains the offset,
    /// with the index of the 8-byte element.
    pub fn shared_name(&self, offset: u64) -> Option<String> {
        let variable = self.shared_variables().iter().find(|variable| {
            (variable.byte_offset..variable.byte_offset + variable.size_bytes).contains(&offset)
        })?;
        Some(match (variable.size_bytes, offset - variable.byte_offset) {
            (8, 0) => variable.name.clone(),
            (_, at) if at % 8 == 0 => format!("{}[{}]", variable.name, at / 8),
            (_, at) => format!("{}+{at}", variable.name),
        })
    }

    /// Returns the offset in the parameter memory and the size of each kernel parameter.
    pub fn parameters(&self) -> &[(u64, u64)] {
        &self.setup.layout.parameters
    }

    /// Returns the resident blocks, ordered by slot.
    pub fn blocks(&self) -> Vec<BlockView> {
        self.state
            .blocks
            .iter()
            .map(|block| BlockView {
                index: block.index,
                position: block.position,
                n_warps: block.warps.len() as u32,
                finished: block.finished(),
            })
            .collect()
    }

    pub(crate) fn find_warp(&self, block: u64, warp: u32) -> Option<&Warp> {
        let block = self.state.blocks.iter().find(|b| b.index == block)?;
        block.warps.get(warp as usize)
    }

    /// Returns a warp with its lane groups. The first group is the group that executes next.
    pub fn warp(&self, block: u64, warp: u32) -> Option<WarpView> {
        let warp_state = self.find_warp(block, warp)?;
        let mut splits = warp_state.splits;
        let next = splits.select().then(|| splits.current_index());
        let mut groups: Vec<LaneGroup> = splits
            .all()
            .iter()
            .map(|split| {
                let (function, instruction) = self.setup.code.origin(split.pc);
                LaneGroup {
                    mask: split.mask,
                    function,
                    instruction,
                    call_depth: split.depth,
                    waiting: match split.state {
                        WarpSplitState::Ready => None,
                        WarpSplitState::Waiting(reason) => Some(reason),
                    },
                }
            })
            .collect();
        if let Some(next) = next {
            groups.swap(0, next);
        }
        Some(WarpView {
            block,
            warp,
            present: warp_state.present,
            exited: warp_state.exited,
            groups,
        })
    }

    /// Returns the event of the last step. Returns `None` before the first step.
    pub fn last_step(&self) -> Option<StepEvent> {
        let step = self.state.position.checked_sub(1)?;
        let last = self.state.last_step.as_ref()?;
        Some(last.event(&self.setup.code, step))
    }

    /// Returns the number of executed lane-instructions, which is the sum of the active lanes over all steps of warps.
    /// This number does not depend on the order in which the lane groups of a divergent warp execute.
    pub fn lane_instructions(&self) -> u64 {
        self.state.lane_instructions
    }

    /// Returns the number of completed steps that stored to memory.
    pub fn stores_done(&self) -> u64 {
        self.state.stores_done
    }

    /// Returns the agent and the instruction of the next step. The function executes the code of an actual step on
    /// copies of the state that this code modifies, so that the result agrees with an actual step.
    pub fn next_step(&self) -> Option<NextStep> {
        if self.state.fault.is_some() {
            return None;
        }
        let mut machine = SchedulerCopy {
            schedule: self.state.schedule.clone(),
            blocked: Vec::new(),
        };
        if let Some(id) = self.due_landing() {
            return self.next_landing(id);
        }
        let (blocks, in_flight) = (&self.state.blocks, &self.state.in_flight);
        loop {
            let blocked = &machine.blocked;
            let runs = |at: WarpSlot| !blocked.contains(&at) && can_run(blocks, at);
            let position = self.state.position;
            match machine
                .schedule
                .choose_where(blocks, in_flight, position, runs)?
            {
                ScheduledAction::InFlight(id) | ScheduledAction::Read(id) => {
                    return self.next_landing(id);
                }
                ScheduledAction::Warp(place) => match self.next_of_warp(place) {
                    Some(next) => return Some(next),
                    // If all lane groups of the warp would start to wait, select another agent, as an actual step does.
                    None => machine.blocked.push(place),
                },
            }
        }
    }

    fn next_landing(&self, id: AsyncOperationId) -> Option<NextStep> {
        let operation = &self.state.in_flight.get(id)?.operation;
        let lanes = operation
            .pieces
            .iter()
            .fold(0, |m, p| m | 1 << (p.lane & 31));
        Some(NextStep {
            agent: Agent::InFlight(id),
            block: operation.origin.block,
            warp: operation.origin.warp,
            function: operation.origin.function,
            instruction: operation.origin.instruction,
            mask: lanes,
            executed: lanes,
        })
    }

    /// Returns the next step of a warp. Returns `None` if all of its lane groups can only wait.
    fn next_of_warp(&self, place: WarpSlot) -> Option<NextStep> {
        let block = self.state.blocks.get(place.block)?;
        let mut warp = block.warps.get(place.warp)?.clone();
        let outside = WaitContext {
            cluster_pending: self.cluster_pending(place),
            map: &self.setup.layout.map,
            shared: self.state.shared.get(place.block)?,
            tensor: self.state.tensor.get(place.block)?,
            in_flight: &self.state.in_flight,
            block: block.index,
        };
        let code = &self.setup.code;
        loop {
            if !warp.splits.select() {
                return None;
            }
            let choice = issue(code, &mut warp)?;
            if block_if_not_ready(code, &mut warp, choice, &outside).is_some() {
                continue;
            }
            let (function, instruction) = code.origin(choice.pc);
            return Some(NextStep {
                agent: Agent::Warp {
                    block: block.index,
                    warp: warp.index,
                },
                block: block.index,
                warp: warp.index,
                function,
                instruction,
                mask: choice.lanes,
                executed: choice.executed,
            });
        }
    }

    /// Returns a row of a register bank by the slot of its register.
    fn row(
        &self,
        warp: &Warp,
        depth: u32,
        bank: RegisterBank,
        slot: OperandSlot,
    ) -> Option<[u128; LANES]> {
        // Read the row without `LaneRegisters`, which requires mutable access to the banks.
        let code = &self.setup.code;
        let base = code.base(depth);
        let (banks, start) = match slot.0 >> 30 {
            0 => (&warp.banks, base),
            1 => (&code.constants, Default::default()),
            _ => (&warp.specials, Default::default()),
        };
        let index = (slot.0 & ((1 << 30) - 1)) as usize;
        if warp.has_not_run && depth == 0 && slot.0 >> 30 == 0 {
            return Some([0; LANES]);
        }
        Some(match bank {
            RegisterBank::B32 => banks.r32.get(start.r32 as usize + index)?.map(u128::from),
            RegisterBank::B64 => banks.r64.get(start.r64 as usize + index)?.map(u128::from),
            RegisterBank::B128 => *banks.r128.get(start.r128 as usize + index)?,
            RegisterBank::Predicate => {
                let p = *banks.predicates.get(start.predicates as usize + index)?;
                let mut row = [0; LANES];
                for (lane, value) in row.iter_mut().enumerate() {
                    *value = u128::from(p >> lane & 1);
                }
                row
            }
        })
    }

    /// Returns the bits of a register in all lanes of a warp. The value of each lane belongs to the innermost frame of
    /// the register's function. Lanes that are not in this function, or that have exited, have the last value in the
    /// frame of the kernel.
    pub fn register_row(
        &self,
        block: u64,
        warp: u32,
        function: FunctionId,
        register: RegisterId,
    ) -> Option<[u128; LANES]> {
        let warp_state = self.find_warp(block, warp)?;
        let code = &self.setup.code;
        let index = code.functions.iter().position(|f| f.id == function)?;
        let RegisterOperand { slot, bank, .. } = *code
            .functions
            .get(index)?
            .registers
            .get(register.0 as usize)?;
        let mut row = [0; LANES];
        if index == 0 {
            row = self.row(warp_state, 0, bank, slot)?;
        }
        for split in warp_state.splits.all() {
            if code.origin(split.pc).0 == function {
                let values = self.row(warp_state, split.depth, bank, slot)?;
                for lane in crate::semantics::registers::lanes_of(split.mask) {
                    row[lane] = values[lane];
                }
            }
        }
        Some(row)
    }

    /// Returns the bits of a register in one lane. [`Machine::register_row`] defines the frame to which the value
    /// belongs.
    pub fn register(
        &self,
        block: u64,
        warp: u32,
        lane: u32,
        function: FunctionId,
        register: RegisterId,
    ) -> Option<u128> {
        let row = self.register_row(block, warp, function, register)?;
        row.get(lane as usize).copied()
    }
}
