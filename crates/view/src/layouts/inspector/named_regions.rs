//! Lookup of named memory regions, which maps an address to a shared variable, a buffer of the launch or a module-scope variable.

use crate::session::Session;
use warpgrid_emulator::{BufferIndex, MemoryId as Place, MemoryRegion};

/// Name and address range of a shared variable, a buffer of the launch or a module-scope variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedRegion {
    pub(crate) name: String,
    pub(crate) is_shared: bool,
    /// Start address of the region, in the address space of recorded accesses.
    pub(crate) start: u64,
    pub(crate) size: u64,
}

impl NamedRegion {
    pub(crate) fn holds(&self, place: Place, address: u64) -> bool {
        let is_there = match place {
            Place::Shared { .. } => self.is_shared,
            Place::Global => !self.is_shared,
            Place::Constant | Place::Parameters | Place::Local { .. } => false,
        };
        is_there
            && address
                .checked_sub(self.start)
                .is_some_and(|offset| offset < self.size.max(1))
    }
}

impl Session {
    /// Returns the named regions of shared and global memory. A dynamic shared variable extends to the end of shared memory.
    pub(crate) fn named_places(&self) -> Vec<NamedRegion> {
        let machine = self.timeline.machine();
        let mut all: Vec<NamedRegion> = machine
            .shared_variables()
            .iter()
            .map(|variable| NamedRegion {
                name: variable.name.clone(),
                is_shared: true,
                start: variable.byte_offset,
                size: match variable.size_bytes {
                    0 => u64::MAX - variable.byte_offset,
                    size => size,
                },
            })
            .collect();
        for (index, buffer) in self.buffers().iter().enumerate() {
            let region = MemoryRegion::Buffer(BufferIndex(index as u32));
            all.extend(self.global(region, &buffer.name));
        }
        for (index, variable) in machine.program().variables.iter().enumerate() {
            let region = MemoryRegion::Variable(index as u32);
            all.extend(self.global(region, &variable.name));
        }
        all
    }

    fn global(&self, region: MemoryRegion, name: &str) -> Option<NamedRegion> {
        let machine = self.timeline.machine();
        Some(NamedRegion {
            name: name.to_owned(),
            is_shared: false,
            start: machine.address(region)?,
            size: machine.memory(region)?.len() as u64,
        })
    }
}
