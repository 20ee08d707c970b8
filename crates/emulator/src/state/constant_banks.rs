//! Constant banks of SASS: this module writes the launch parameters into bank 0, and saves the contents of all banks,
//! which the decoder reads as constants.

use crate::contract::launch::Launch;
use crate::state::memory::{Allocation, AllocationOwner};
use crate::state::memory_layout::{ConstantBank, MemoryLayout};
use warpgrid_program::{LaunchConstant, Program, SassKernelInfo};

impl MemoryLayout {
    /// Writes the launch parameters into bank 0.
    pub(crate) fn fill_facts(&self, program: &Program, launch: &Launch, bytes: &mut [u8]) {
        let entry = program.functions.get(launch.entry.0 as usize);
        let machine = entry.and_then(|function| function.machine.as_deref());
        for (offset, fact) in machine
            .into_iter()
            .flat_map(|machine| &machine.launch_constants)
        {
            let start = *offset as usize;
            if let Some(place) = bytes.get_mut(start..start.saturating_add(4)) {
                let word = match (fact, machine) {
                    (LaunchConstant::BankLow(bank), Some(machine)) => {
                        self.generic_bank_address(program, machine, *bank) as u32
                    }
                    (LaunchConstant::BankHigh(bank), Some(machine)) => {
                        (self.generic_bank_address(program, machine, *bank) >> 32) as u32
                    }
                    _ => self.launch_fact(*fact),
                };
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// Returns the generic address of a constant bank, or 0 for an empty bank.
    fn generic_bank_address(&self, program: &Program, machine: &SassKernelInfo, bank: u8) -> u64 {
        if bank == 0 {
            return self.map.parameters;
        }
        let constant_bank = machine.banks.iter().find(|(number, _)| *number == bank);
        let variable = constant_bank.map(|(_, variable)| *variable as usize);
        let address = variable.and_then(|index| {
            let space = program.variables.get(index)?.space;
            Some(self.generic(space, *self.module.get(index)?))
        });
        address.unwrap_or(0)
    }

    /// Returns a launch parameter as a 32-bit value.
    pub(crate) fn launch_fact(&self, fact: LaunchConstant) -> u32 {
        let (block, grid, cluster) = self.extents;
        let of = |extents: [u32; 3], axis: u8| extents.get(axis as usize).copied().unwrap_or(1);
        let stack = || {
            let entry = self.reachable.first();
            let frame = entry.and_then(|id| self.frame_bytes.get(id.0 as usize));
            frame.copied().unwrap_or(0)
        };
        let parameters = self.map.parameters + self.parameter_start;
        match fact {
            LaunchConstant::BlockExtent(axis) => of(block, axis),
            LaunchConstant::GridExtent(axis) => of(grid, axis),
            LaunchConstant::ClusterExtent(axis) => of(cluster, axis),
            LaunchConstant::ClusterReciprocal(axis) => reciprocal(of(cluster, axis)).to_bits(),
            LaunchConstant::ClusterCount(axis) => of(grid, axis) / of(cluster, axis).max(1),
            LaunchConstant::ClusterSize => cluster.iter().product(),
            LaunchConstant::ClusterIsExplicit => u32::from(cluster != [1, 1, 1]),
            LaunchConstant::StackPointer => stack(),
            LaunchConstant::SharedWindowLow => self.map.shared as u32,
            LaunchConstant::SharedWindowHigh => (self.map.shared >> 32) as u32,
            LaunchConstant::LocalWindowLow => self.map.local as u32,
            LaunchConstant::LocalWindowHigh => (self.map.local >> 32) as u32,
            LaunchConstant::ParametersLow => parameters as u32,
            LaunchConstant::ParametersHigh => (parameters >> 32) as u32,
            // Only bank 0 contains the addresses of constant banks, and [`MemoryLayout::fill_facts`] writes these
            // addresses.
            LaunchConstant::BankLow(_) | LaunchConstant::BankHigh(_) => 0,
        }
    }

    /// Saves the contents of the constant banks after memory has been initialized.
    pub(crate) fn keep_banks(
        &mut self,
        program: &Program,
        launch: &Launch,
        allocations: &[Allocation],
        arena: &[u8],
    ) {
        let entry = program.functions.get(launch.entry.0 as usize);
        let Some(machine) = entry.and_then(|function| function.machine.as_deref()) else {
            return;
        };
        for allocation in allocations {
            let numbers: Vec<u8> = match &allocation.owner {
                AllocationOwner::Parameters => vec![0],
                AllocationOwner::ConstVariable(variable, _) => {
                    let banks = machine.banks.iter();
                    banks
                        .filter(|(_, of)| of == variable)
                        .map(|(number, _)| *number)
                        .collect()
                }
                AllocationOwner::Buffer(..) | AllocationOwner::GlobalVariable(..) => Vec::new(),
            };
            let range = allocation.start..allocation.start + allocation.size as usize;
            for number in numbers {
                self.banks.push(ConstantBank {
                    number,
                    address: allocation.address,
                    bytes: arena.get(range.clone()).unwrap_or(&[]).to_vec(),
                });
            }
        }
    }

    /// Returns the address of a constant bank, or 0 for a missing bank. The result 0 is unambiguous, because no
    /// allocation contains this address.
    pub(crate) fn bank_address(&self, number: u8) -> u64 {
        let constant_bank = self.banks.iter().find(|bank| bank.number == number);
        constant_bank.map_or(0, |bank| bank.address)
    }

    /// Returns a value of up to 64 bits from a constant bank. Bytes that neither the source nor the launch defines are
    /// zero.
    pub(crate) fn bank_value(&self, number: u8, byte_offset: u64, bits: u32) -> u64 {
        let constant_bank = self.banks.iter().find(|bank| bank.number == number);
        let bytes = constant_bank.map_or(&[][..], |bank| &bank.bytes);
        let n = (bits / 8).clamp(1, 8) as usize;
        let mut value = [0; 8];
        for (index, byte) in value.iter_mut().enumerate().take(n) {
            let at = usize::try_from(byte_offset)
                .ok()
                .map(|start| start.saturating_add(index));
            *byte = at.and_then(|at| bytes.get(at)).copied().unwrap_or(0);
        }
        u64::from_le_bytes(value)
    }
}

/// Returns 1 / `n`, rounded so that the product of the result and `n` is at least 1. If a multiple of `n` is multiplied
/// by the result, truncating the product therefore yields the exact quotient.
fn reciprocal(n: u32) -> f32 {
    let nearest = 1.0 / n as f32;
    if f64::from(nearest) * f64::from(n) < 1.0 {
        nearest.next_up()
    } else {
        nearest
    }
}
