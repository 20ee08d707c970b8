//! Construction of faults from failed instructions: resolves the instruction, the thread, and the memory region of a
//! failed access.

use crate::contract::agent::Agent;
use crate::contract::fault::{AccessFault, Fault, FaultLocation, NamedRegion};
use crate::contract::pending::{AsyncOrigin, InFlightOperation};
use crate::exec::memory_context::ExecutionFault;
use crate::run::machine::Machine;
use crate::state::memory::AllocationOwner;
use crate::state::scheduler::WarpSlot;
use warpgrid_isa::StateSpace;

impl Machine {
    /// Records the fault of the current lane group at its instruction.
    pub(crate) fn stop(&mut self, place: WarpSlot, halt: ExecutionFault) {
        let pc = self
            .state
            .blocks
            .get(place.block)
            .and_then(|b| b.warps.get(place.warp))
            .map_or(0, |w| w.splits.current().pc);
        self.record_fault(place, pc, halt);
    }

    /// Records an internal fault, which is a bug of the emulator.
    #[cold]
    pub(crate) fn fail(&mut self, what: &str, place: WarpSlot) {
        self.stop(place, *ExecutionFault::internal(what, 1));
    }

    pub(crate) fn record_fault(&mut self, place: WarpSlot, pc: u32, halt: ExecutionFault) {
        let block = self.state.blocks.get(place.block);
        let warp = block.and_then(|block| block.warps.get(place.warp));
        let stack = warp.map_or(0, |warp| warp.stack.lane_bytes as u64);
        let (function, instruction) = self.setup.code.origin(pc);
        let block_index = block.map_or(0, |block| block.index);
        let origin = AsyncOrigin {
            step: self.state.position,
            block: block_index,
            warp: place.warp as u32,
            function,
            instruction,
        };
        let agent = Agent::Warp {
            block: block_index,
            warp: origin.warp,
        };
        self.record(agent, origin, stack, halt);
    }

    /// Records the fault of an asynchronous operation that cannot complete, at the instruction that issued the
    /// operation.
    pub(crate) fn record_landing_fault(
        &mut self,
        pending: &InFlightOperation,
        halt: ExecutionFault,
    ) {
        let agent = Agent::InFlight(pending.id);
        self.record(agent, pending.operation.origin, 0, halt);
    }

    fn record(
        &mut self,
        agent: Agent,
        origin: AsyncOrigin,
        stack_bytes: u64,
        halt: ExecutionFault,
    ) {
        let lane = halt.lanes.trailing_zeros() & 31;
        let access = halt.access.map(|tried| AccessFault {
            kind: tried.kind,
            space: tried.space,
            address: tried.address,
            width_bytes: tried.width_bytes,
            place: self.place_of(tried.space, tried.address, stack_bytes),
        });
        let named = halt.kind.mbarriers().into_iter();
        let names = named.filter_map(|address| Some((address, self.shared_name(address)?)));
        let mbarrier_names = names.collect();
        self.state.fault = Some(Fault {
            kind: halt.kind,
            agent,
            step: self.state.position,
            function: origin.function,
            instruction: origin.instruction,
            block: self.setup.position_of(origin.block),
            block_index: origin.block,
            warp: origin.warp,
            lanes: halt.lanes,
            thread: self.setup.thread(origin.warp, lane),
            access,
            mbarrier_names,
        });
    }

    /// Returns the region that contains an address, or the nearest region.
    fn place_of(&self, space: StateSpace, address: u64, stack_bytes: u64) -> FaultLocation {
        let layout = &self.setup.layout;
        let window = |region, offset: u64, size_bytes| FaultLocation {
            region,
            byte_offset: offset as i64,
            size_bytes,
        };
        // Make shared memory offsets relative to the first byte that the program uses.
        let in_shared = |offset: u64| {
            let reserved = layout.reserved_shared_bytes;
            let own = layout.shared_bytes.saturating_sub(reserved);
            window(NamedRegion::Shared, offset.wrapping_sub(reserved), own)
        };
        match space {
            StateSpace::Shared if layout.map.own_window => in_shared(address),
            StateSpace::Shared | StateSpace::SharedCluster => {
                in_shared(layout.map.shared_place(address).offset)
            }
            StateSpace::Local | StateSpace::ParamFunc => {
                window(NamedRegion::Local, address, stack_bytes)
            }
            StateSpace::Generic if layout.map.in_shared_cluster(address) => {
                let address = address - layout.map.shared;
                in_shared(layout.map.shared_place(address).offset)
            }
            StateSpace::Generic if layout.map.in_local(address) => {
                let offset = address - layout.map.local;
                window(NamedRegion::Local, offset, stack_bytes)
            }
            _ => self.place_near(address),
        }
    }

    /// Returns the allocation that contains an address, or the nearest allocation.
    fn place_near(&self, address: u64) -> FaultLocation {
        // Ignore allocations more than 4 MiB away from the address, which are considered unrelated.
        let near = self.state.global.nearest(address).filter(|a| {
            let distance = address.wrapping_sub(a.address) as i64;
            distance > -(1 << 22) && distance < a.size as i64 + (1 << 22)
        });
        let Some(allocation) = near else {
            return FaultLocation {
                region: NamedRegion::Nothing,
                byte_offset: 0,
                size_bytes: 0,
            };
        };
        let region = match &allocation.owner {
            AllocationOwner::Buffer(index, name) => NamedRegion::Buffer {
                index: *index,
                name: name.clone(),
            },
            AllocationOwner::GlobalVariable(index, name)
            | AllocationOwner::ConstVariable(index, name) => NamedRegion::Variable {
                index: *index,
                name: name.clone(),
            },
            AllocationOwner::Parameters => NamedRegion::Parameters,
        };
        FaultLocation {
            region,
            byte_offset: address.wrapping_sub(allocation.address) as i64,
            size_bytes: allocation.size,
        }
    }
}
