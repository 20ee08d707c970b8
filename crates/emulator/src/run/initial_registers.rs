//! Initial register values: resolves the register names of a launch to register file elements.

use crate::code::{DecodedCode, InitialRegister};
use crate::contract::launch::{Launch, RegisterInit};
use crate::state::memory::{AllocationOwner, GlobalMemory};
use warpgrid_program::{Program, SassKernelInfo};

/// Returns the register file elements and initial values of the registers that the launch initializes. The result omits
/// registers that the kernel does not use.
pub(crate) fn initial_registers(
    program: &Program,
    launch: &Launch,
    code: &DecodedCode,
    global: &GlobalMemory,
) -> Vec<InitialRegister> {
    let mut initial = Vec::new();
    let Some(function) = program.functions.get(launch.entry.0 as usize) else {
        return initial;
    };
    let registers = code.functions.first().map_or(&[][..], |f| &f.registers);
    let place = |name: &str| {
        let (register, _) = function.registers.find(name)?;
        registers.get(register.0 as usize).copied()
    };
    for given in &launch.registers {
        let start = start_of(given, global);
        let mut add = |name: &str, start: u64, given: &RegisterInit| {
            initial.extend(place(name).map(|place| InitialRegister {
                place,
                start,
                per_lane: given.per_lane,
                per_thread: given.per_thread,
            }));
        };
        add(&given.name, start, given);
        // Write the upper half of a 64-bit address to the next register, because the address occupies two 32-bit
        // registers.
        let is_half = place(&given.name).is_some_and(|place| place.bits == 32);
        if let Some(next) = given
            .buffer
            .and_then(|_| SassKernelInfo::register_after(&given.name))
            .filter(|_| is_half)
        {
            let upper = RegisterInit {
                per_lane: 0,
                per_thread: 0,
                ..given.clone()
            };
            add(&next, start >> 32, &upper);
        }
    }
    initial
}

/// Returns the initial value of a register without the contributions of the lane and the thread.
fn start_of(given: &RegisterInit, global: &GlobalMemory) -> u64 {
    let buffer = given.buffer.and_then(|buffer| {
        let mut allocations = global.allocations().iter();
        allocations.find_map(|allocation| match &allocation.owner {
            AllocationOwner::Buffer(index, _) if *index == buffer => Some(allocation.address),
            _ => None,
        })
    });
    given.start.wrapping_add(buffer.unwrap_or(0))
}
