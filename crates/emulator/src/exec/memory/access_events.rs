//! Reporting of memory accesses to observers. The interpreter collects the accessed pieces of memory during the
//! execution of an access, and reports them after the access has taken effect.

use crate::code::AccessPlan;
use crate::code::MAX_WIDTH;
use crate::contract::agent::Agent;
use crate::contract::observer::{
    AccessAction, ElementAccessHeader, EventBuffer, EventHeader, MemoryId, OperandIndex,
};
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::exec::memory::address_translation::{Backing, ResolvedAccess};
use crate::exec::memory_context::MemoryContext;
use crate::semantics::registers::{Row64, lanes_of};
use crate::state::memory::copy_few;

impl MemoryContext<'_> {
    /// Returns the memory that a lane accesses, and the address of the access within that memory.
    pub(crate) fn place_of(
        &self,
        target: &ResolvedAccess,
        addresses: &Row64,
        lane: usize,
        width: usize,
    ) -> (MemoryId, u64) {
        let (backing, at) = target.of_lane(lane, width);
        self.memory_of(backing, at, lane, addresses[lane])
    }

    /// Returns the memory of a resolved location, and the address of the location within that memory. `address` is the
    /// address that the lane specifies.
    pub(crate) fn memory_of(
        &self,
        backing: Backing,
        at: usize,
        lane: usize,
        address: u64,
    ) -> (MemoryId, u64) {
        match backing {
            Backing::Shared => (MemoryId::Shared { block: self.block }, at as u64),
            Backing::Peer(rank) => {
                let own = self.peers.own_rank();
                let block = self.shape.peer(self.block, own, rank.into());
                (MemoryId::Shared { block }, at as u64)
            }
            Backing::Stack => {
                let memory = MemoryId::Local {
                    block: self.block,
                    warp: self.warp,
                    lane: lane as u32,
                };
                (memory, (at - lane * self.stack.stride) as u64)
            }
            Backing::Arena => (self.memory_at(address), address),
        }
    }

    /// Returns the memory whose address window contains an address of the arena.
    fn memory_at(&self, address: u64) -> MemoryId {
        // Addresses between the start of the constant window and the start of the global window belong to constants and
        // parameters.
        if address.wrapping_sub(self.map.constant) < self.map.global - self.map.constant {
            MemoryId::Constant
        } else if address.wrapping_sub(self.map.parameters)
            < self.map.constant - self.map.parameters
        {
            MemoryId::Parameters
        } else {
            MemoryId::Global
        }
    }

    /// Reads the bytes that one lane accesses.
    pub(crate) fn read_lane(&self, backing: Backing, at: usize, width: usize) -> [u8; MAX_WIDTH] {
        let mut bytes = [0; MAX_WIDTH];
        if let (Some(from), Some(to)) = (
            self.bytes_of(backing).get(at..at + width),
            bytes.get_mut(..width),
        ) {
            copy_few(to, from);
        }
        bytes
    }

    /// Reports a synchronization event of some lanes.
    pub(crate) fn report_sync(&mut self, lanes: u32, what: SyncKind<'_>) {
        let (function, instruction) = self.code.origin(self.pc);
        self.observer.sync(&SyncEvent {
            step: self.step,
            block: self.block,
            warp: self.warp,
            function,
            instruction,
            lanes,
            what,
        });
    }

    /// Reports the collected pieces to the observer.
    #[inline(never)]
    pub(crate) fn report(&mut self, action: AccessAction, mask: u32, plan: &AccessPlan) {
        let head = EventHeader {
            step: self.step,
            agent: Agent::Warp {
                block: self.block,
                warp: self.warp,
            },
            origin: self.code.origin(self.pc),
            action,
            space: plan.space,
            sem: plan.metadata.sem,
            scope: plan.metadata.scope,
            cache: plan.metadata.cache,
            mask,
            width_bytes: plan.width_bytes,
            access_bytes: plan.metadata.access_bytes.unwrap_or(plan.width_bytes),
        };
        self.observer.access(&self.events.event(&head));
    }
}

/// Memory access of one lane, as reported to an observer.
pub(crate) struct LaneAccessRecord<'b> {
    pub(crate) lane: usize,
    pub(crate) memory: MemoryId,
    /// Address of the first element.
    pub(crate) address: u64,
    pub(crate) written: bool,
    /// Transferred bytes of all elements.
    pub(crate) bytes: &'b [u8],
    /// Contents of the accessed bytes before the access.
    pub(crate) old: &'b [u8],
}

/// Adds the memory pieces that one lane accesses, with one piece for each element that is not a sink.
pub(crate) fn add_pieces(events: &mut EventBuffer, plan: &AccessPlan, of: &LaneAccessRecord<'_>) {
    let size = plan.element_bytes as usize;
    for element in lanes_of(plan.written) {
        let from = element * size;
        let piece = ElementAccessHeader {
            address_lane: of.lane as u8,
            data_lane: of.lane as u8,
            element: element as u8,
            written: of.written,
            ty: plan.metadata.ty,
            operand: plan
                .metadata
                .operands
                .get(element)
                .copied()
                .map(OperandIndex),
            memory: of.memory,
            address: of.address.wrapping_add(from as u64),
        };
        events.add(
            piece,
            of.bytes.get(from..from + size).unwrap_or(&[]),
            of.old.get(from..from + size).unwrap_or(&[]),
        );
    }
}
