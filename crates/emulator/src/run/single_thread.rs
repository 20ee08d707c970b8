//! Execution of a single thread: stores its registers, and executes instructions that access only registers. The
//! caller, such as the memory model explorer, handles memory, barriers, values from other lanes, and the order of
//! threads.

use crate::code::decoded_op::DecodedOp;
use crate::code::{DecodedCode, DecodedInstruction, RegisterBank, RegisterOperand};
use crate::contract::launch::{Launch, LaunchError, ResourceLimits};
use crate::exec::arithmetic::alu::compute_apart;
use crate::exec::collective::collective;
use crate::exec::memory::atomic::combine;
use crate::exec::operand_rows::{read64, write64};
use crate::run::machine::Machine;
use crate::semantics::registers::{LANES, LaneRegisters, RegisterFile, ResultRows};
use crate::semantics::rounding::FloatMode;
use crate::state::memory::AddressMap;
use crate::state::warp::Warp;
use std::sync::Arc;
use warpgrid_isa::{AtomicOp, ScalarType};
use warpgrid_program::{Program, RegisterId};

/// Position of a thread in a launch, which determines the values of its special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCoordinates {
    /// Position of the block in the grid.
    pub block: [u32; 3],
    /// Linear index of the thread within the block.
    pub thread: u32,
}

/// Registers of one thread, with the methods that execute its instructions. The memory model explorer uses it.
#[derive(Clone)]
pub struct SingleThread {
    code: Arc<DecodedCode>,
    banks: RegisterFile,
    specials: Arc<RegisterFile>,
    carry: u32,
    lane: usize,
    map: AddressMap,
}

/// Location in the shared memory of a block of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedAddress {
    /// Rank of the block in the cluster, or `None` for the block of the executing thread.
    pub rank: Option<u32>,
    pub offset: u64,
}

impl SharedAddress {
    /// Returns the shared memory address of the location in a program with 64-bit addresses.
    pub const fn number(self) -> u64 {
        match self.rank {
            Some(rank) => AddressMap::for_address_bits(64).map_to_rank(self.offset, rank),
            None => self.offset,
        }
    }
}

impl SingleThread {
    /// Creates a thread that has executed no instruction. All registers are zero.
    pub fn new(
        program: &Arc<Program>,
        launch: &Launch,
        place: ThreadCoordinates,
    ) -> Result<SingleThread, LaunchError> {
        let machine = Machine::new(Arc::clone(program), launch, ResourceLimits::default())?;
        let mut warp = Warp::new(place.thread / LANES as u32);
        machine.setup.fill_specials(&mut warp, place.block);
        let code = Arc::clone(&machine.setup.code);
        let mut banks = RegisterFile::default();
        banks.reset(code.entry_sizes);
        Ok(SingleThread {
            code,
            banks,
            specials: Arc::new(warp.specials),
            carry: 0,
            lane: place.thread as usize % LANES,
            map: machine.setup.layout.map,
        })
    }

    /// Executes an instruction of the entry function that accesses only registers, without evaluating its guard
    /// predicate. Returns `false` without an effect for all other instructions.
    pub fn execute_alu(&mut self, instruction: u32) -> bool {
        let code = Arc::clone(&self.code);
        let mut results = ResultRows {
            r32: [0; LANES],
            r64: [0; LANES],
        };
        let parts = parts_of(&code, instruction);
        let mut lanes = self.lanes(&code);
        !parts.is_empty()
            && parts
                .iter()
                .all(|part| compute_apart(part, &code, &mut lanes, &mut results))
    }

    /// Executes an instruction that exchanges values between the lanes of a warp. `others` contains the other lanes,
    /// and the values of the register `given` in these lanes. All participating lanes have the same member mask.
    /// Returns `false` without an effect for all other instructions.
    pub fn execute_collective(
        &mut self,
        instruction: u32,
        given: Option<RegisterId>,
        mask: Option<RegisterId>,
        others: &[(usize, u64)],
    ) -> bool {
        let code = Arc::clone(&self.code);
        let parts = parts_of(&code, instruction);
        let mask_held = mask.map(|mask| self.register(mask));
        let mut lanes = self.lanes(&code);
        let own = lanes.mask;
        for (lane, value) in others {
            lanes.mask = 1 << (lane % LANES);
            if let Some(given) = given {
                write64(&mut lanes, element_of(&code, given), &[*value; LANES]);
            }
            if let (Some(mask), Some(held)) = (mask, mask_held) {
                write64(&mut lanes, element_of(&code, mask), &[held; LANES]);
            }
        }
        let others = others.iter().map(|(lane, _)| 1u32 << (lane % LANES));
        lanes.mask = others.fold(own, |all, lane| all | lane);
        let mut results = ResultRows {
            r32: [0; LANES],
            r64: [0; LANES],
        };
        let mut runs = !parts.is_empty();
        for part in parts {
            if let DecodedOp::Collective(plan) = part.op {
                let plan = code.collectives.get(plan);
                plan.iter().for_each(|plan| collective(&mut lanes, plan));
                runs &= plan.is_some();
            } else {
                runs &= compute_apart(part, &code, &mut lanes, &mut results);
            }
        }
        runs
    }

    /// Returns the value of a register. A predicate has the value 0 or 1.
    pub fn register(&mut self, register: RegisterId) -> u64 {
        let code = Arc::clone(&self.code);
        let lane = self.lane;
        let element = element_of(&code, register);
        let row = read64(&self.lanes(&code), element);
        row.get(lane).copied().unwrap_or(0)
    }

    /// Sets a register to a value, which is truncated to the width of the register.
    pub fn set_register(&mut self, register: RegisterId, value: u64) {
        let code = Arc::clone(&self.code);
        let element = element_of(&code, register);
        write64(&mut self.lanes(&code), element, &[value; LANES]);
    }

    /// Resolves a shared memory address or a generic address to a location in shared memory. Returns `None` if the
    /// address is not in shared memory.
    pub fn shared_place(&self, address: u64) -> Option<SharedAddress> {
        let offset = match self.map.in_shared_cluster(address) {
            true => address.wrapping_sub(self.map.shared),
            false => address,
        };
        if !self
            .map
            .in_shared_cluster(offset.wrapping_add(self.map.shared))
        {
            return None;
        }
        let place = self.map.shared_place(offset);
        Some(SharedAddress {
            rank: place.rank,
            offset: place.offset,
        })
    }

    /// Executes `mapa`: returns the address of the same shared memory offset in the block with the given rank. The
    /// result is a generic address if `address` is generic.
    pub fn map_to_rank(&self, address: u64, rank: u32) -> u64 {
        let window = match self.map.in_shared_cluster(address) {
            true => self.map.shared,
            false => 0,
        };
        let mapped = self.map.map_to_rank(address.wrapping_sub(window), rank);
        mapped.wrapping_add(window)
    }

    fn lanes<'a>(&'a mut self, code: &'a DecodedCode) -> LaneRegisters<'a> {
        LaneRegisters {
            banks: &mut self.banks,
            constants: &code.constants,
            specials: &self.specials,
            base: Default::default(),
            mask: 1 << self.lane,
            carry: &mut self.carry,
        }
    }
}

/// Returns the register file element of a register in the entry function.
fn element_of(code: &DecodedCode, register: RegisterId) -> RegisterOperand {
    let registers = code.functions.first().map_or(&[][..], |f| &f.registers);
    let found = registers.get(register.0 as usize).copied();
    found.filter(is_narrow).unwrap_or(RegisterOperand::SINK)
}

/// Checks whether a register file element has at most 64 bits.
fn is_narrow(element: &RegisterOperand) -> bool {
    element.bank != RegisterBank::B128
}

/// Returns the contents of memory after an atomic operation on one element.
pub fn atomic_result(op: AtomicOp, ty: ScalarType, old: u64, operands: [u64; 2]) -> u64 {
    let (new, takes) = combine(
        op,
        ty,
        FloatMode::default(),
        u128::from(old),
        operands.map(u128::from),
    );
    if takes { new as u64 } else { old }
}

/// Returns the decoded operations of a source instruction.
fn parts_of(code: &DecodedCode, instruction: u32) -> &[DecodedInstruction] {
    let first = code.origins.partition_point(|o| *o < instruction);
    let parts = code.origins.iter().skip(first);
    let n = parts.take_while(|o| **o == instruction).count();
    code.instructions.get(first..first + n).unwrap_or(&[])
}
