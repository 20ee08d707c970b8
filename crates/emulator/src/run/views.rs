//! Looking into a machine that stands still.

use crate::decode::code::{Bank, Element, Instr, Op};
use crate::run::fault::WaitReason;
use crate::run::inspect::*;
use crate::run::launch::BufferIndex;
use crate::run::machine::Machine;
use crate::state::memory::{Allocation, Owner};
use crate::state::registers::{LANES, Slot};
use crate::state::warp::{Split, SplitState, Warp};
use std::sync::Arc;
use warpgrid_program::{FunctionId, Program, RegisterId};

impl Machine {
    /// What the program printed so far.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.setup.program
    }

    /// Blocks of the grid.
    pub fn n_blocks(&self) -> u64 {
        self.setup.n_blocks
    }

    /// Blocks that have finished.
    pub fn blocks_done(&self) -> u64 {
        self.blocks_done
    }

    /// Bytes of the resident blocks' registers, stacks and shared memory.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.blocks
            .iter()
            .map(|b| b.shared.size() + b.warps.iter().map(Warp::bytes).sum::<u64>())
            .sum()
    }

    /// The thread of a lane within its block.
    pub fn thread(&self, warp: u32, lane: u32) -> [u32; 3] {
        self.setup.thread(warp, lane)
    }

    fn allocation(&self, region: MemoryRegion) -> Option<&Allocation> {
        self.global
            .allocations()
            .iter()
            .find(|a| match (&a.owner, region) {
                (Owner::Buffer(index, _), MemoryRegion::Buffer(wanted)) => *index == wanted,
                (
                    Owner::GlobalVariable(index, _) | Owner::ConstVariable(index, _),
                    MemoryRegion::Variable(wanted),
                ) => *index == wanted,
                (Owner::Parameters, MemoryRegion::Parameters) => true,
                _ => false,
            })
    }

    /// The bytes of a region; `None` when it is not there (any more).
    pub fn memory(&self, region: MemoryRegion) -> Option<&[u8]> {
        match region {
            MemoryRegion::Shared { block } => {
                let block = self.blocks.iter().find(|b| b.index == block)?;
                Some(block.shared.contents())
            }
            MemoryRegion::Local { block, warp, lane } => {
                let stack = &self.find_warp(block, warp)?.stack;
                let start = lane as usize * stack.lane_bytes;
                stack.bytes.get(start..start + stack.lane_bytes)
            }
            _ => {
                let a = self.allocation(region)?;
                self.global
                    .arena
                    .bytes()
                    .get(a.start..a.start + a.size as usize)
            }
        }
    }

    /// The address of a region's first byte in its own space.
    pub fn address(&self, region: MemoryRegion) -> Option<u64> {
        match region {
            MemoryRegion::Shared { .. } | MemoryRegion::Local { .. } => {
                self.memory(region).map(|_| 0)
            }
            _ => self.allocation(region).map(|a| a.address),
        }
    }

    /// The region that holds a global, constant or parameter address, and the offset in it.
    pub fn region_at(&self, address: u64) -> Option<(MemoryRegion, u64)> {
        let a = self.global.find(address)?;
        let region = match &a.owner {
            Owner::Buffer(index, _) => MemoryRegion::Buffer(BufferIndex(index.0)),
            Owner::GlobalVariable(index, _) | Owner::ConstVariable(index, _) => {
                MemoryRegion::Variable(*index)
            }
            Owner::Parameters => MemoryRegion::Parameters,
        };
        Some((region, address - a.address))
    }

    /// Who wrote each byte last, one entry a byte: see [`Writer::unpack`]. Only when the launch asked for it.
    pub fn writers(&self, region: MemoryRegion) -> Option<&[u64]> {
        match region {
            MemoryRegion::Shared { block } => {
                let block = self.blocks.iter().find(|b| b.index == block)?;
                Some(block.shared.writers()).filter(|w| !w.is_empty())
            }
            MemoryRegion::Local { block, warp, lane } => {
                let stack = &self.find_warp(block, warp)?.stack;
                let start = lane as usize * stack.lane_bytes;
                stack.writers.get(start..start + stack.lane_bytes)
            }
            _ => {
                let a = self.allocation(region)?;
                self.global
                    .arena
                    .writers()
                    .get(a.start..a.start + a.size as usize)
            }
        }
    }

    /// Where the shared variables lie in the memory of each block.
    pub fn shared_variables(&self) -> &[SharedVariable] {
        &self.setup.layout.shared_variables
    }

    /// Offset and size of each kernel parameter in the parameters' memory.
    pub fn parameters(&self) -> &[(u64, u64)] {
        &self.setup.layout.parameters
    }

    /// Blocks that have a place now, in the order of their places.
    pub fn blocks(&self) -> Vec<BlockView> {
        self.blocks
            .iter()
            .map(|block| BlockView {
                index: block.index,
                position: block.position,
                n_warps: block.warps.len() as u32,
                finished: block.finished(),
            })
            .collect()
    }

    fn find_warp(&self, block: u64, warp: u32) -> Option<&Warp> {
        let block = self.blocks.iter().find(|b| b.index == block)?;
        block.warps.get(warp as usize)
    }

    /// A warp and its groups, the one that would run first in front.
    pub fn warp(&self, block: u64, warp: u32) -> Option<WarpView> {
        let found = self.find_warp(block, warp)?;
        let mut splits = found.splits;
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
                        SplitState::Ready => None,
                        SplitState::Lanes { missing } => Some(WaitReason::Lanes { missing }),
                        SplitState::Barrier { id } => Some(WaitReason::Barrier { id }),
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
            present: found.present,
            exited: found.exited,
            groups,
        })
    }

    /// Which warp runs next, and what.
    pub fn next_step(&self) -> Option<NextStep> {
        if self.fault.is_some() {
            return None;
        }
        let place = self.schedule.clone().pick(&self.blocks)?;
        let block = self.blocks.get(place.block)?;
        let warp = block.warps.get(place.warp)?;
        let split = self.next_split(warp)?;
        let (function, instruction) = self.setup.code.origin(split.pc);
        Some(NextStep {
            block: block.index,
            warp: warp.index,
            function,
            instruction,
            mask: split.mask,
        })
    }

    /// The group that executes next: one that would only begin to wait is passed over.
    fn next_split(&self, warp: &Warp) -> Option<Split> {
        let code = &self.setup.code;
        let mut splits = warp.splits;
        for _ in 0..2 * LANES {
            if !splits.select() {
                return None;
            }
            let split = *splits.current();
            let slot = match code.instructions.get(split.pc as usize) {
                Some(Instr {
                    op: Op::Collective(plan),
                    ..
                }) => code.collectives.get(*plan as usize)?.mask,
                _ => return Some(split),
            };
            let missing = if slot.is_some() {
                let row = self.row(warp, split.depth, Bank::B32, slot)?;
                crate::state::registers::lanes_of(split.mask)
                    .fold(0, |named, lane| named | row[lane] as u32)
                    & warp.live()
                    & !split.mask
            } else {
                0
            };
            if missing == 0 {
                return Some(split);
            }
            splits.current_mut().state = SplitState::Lanes { missing };
        }
        None
    }

    /// A row of any bank, by slot.
    fn row(&self, warp: &Warp, depth: u32, bank: Bank, slot: Slot) -> Option<[u128; LANES]> {
        // The banks are only read here, but lanes want to be able to write: a copy of one row is made by hand.
        let code = &self.setup.code;
        let base = code.base(depth);
        let (banks, start) = match slot.0 >> 30 {
            0 => (&warp.banks, base),
            1 => (&code.constants, Default::default()),
            _ => (&warp.specials, Default::default()),
        };
        let index = (slot.0 & ((1 << 30) - 1)) as usize;
        Some(match bank {
            Bank::B32 => banks.r32.get(start.r32 as usize + index)?.map(u128::from),
            Bank::B64 => banks.r64.get(start.r64 as usize + index)?.map(u128::from),
            Bank::B128 => *banks.r128.get(start.r128 as usize + index)?,
            Bank::Predicate => {
                let p = *banks.predicates.get(start.predicates as usize + index)?;
                let mut row = [0; LANES];
                for (lane, value) in row.iter_mut().enumerate() {
                    *value = u128::from(p >> lane & 1);
                }
                row
            }
        })
    }

    /// The bits of a register in all lanes of a warp: each lane's in the innermost frame of the function.
    /// Lanes that are not in the function, or have exited, show what the kernel's frame held last.
    pub fn register_row(
        &self,
        block: u64,
        warp: u32,
        function: FunctionId,
        register: RegisterId,
    ) -> Option<[u128; LANES]> {
        let found = self.find_warp(block, warp)?;
        let code = &self.setup.code;
        let index = code.functions.iter().position(|f| f.id == function)?;
        let Element { slot, bank, .. } = *code
            .functions
            .get(index)?
            .registers
            .get(register.0 as usize)?;
        let mut row = [0; LANES];
        if index == 0 {
            row = self.row(found, 0, bank, slot)?;
        }
        for split in found.splits.all() {
            if code.origin(split.pc).0 == function {
                let values = self.row(found, split.depth, bank, slot)?;
                for lane in crate::state::registers::lanes_of(split.mask) {
                    row[lane] = values[lane];
                }
            }
        }
        Some(row)
    }

    /// The bits of a register of a lane: see [`Machine::register_row`].
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
