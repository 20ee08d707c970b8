//! Execution of single operations that access only registers, for operations that the JIT compiler does not translate.

use crate::code::matrix_plan::MatrixPlan;
use crate::code::op::Op;
use crate::code::op::{beyond_registers, frequent, infrequent};
use crate::code::operands::SlotAccess;
use crate::code::{Bank, Instr};
use crate::exec::arithmetic::compute::compute_apart;
use crate::exec::collective::collective;
use crate::exec::matrix::product::product;
use crate::plain::Plain;
use crate::semantics::registers::{BankSizes, Banks, LANES, Lanes, Results};
use crate::semantics::registers::{Slot, SlotPlace};

/// A register, identified by bank and index.
pub type RegisterName = (Bank, u32);

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationRegisters {
    pub read: Vec<RegisterName>,
    pub written: Vec<RegisterName>,
    /// Whether the instruction reads a special register or accesses a register of 128 bits.
    has_others: bool,
}

impl OperationRegisters {
    /// Adds a slot that an instruction accesses.
    fn add(&mut self, access: SlotAccess, bank: Bank, slot: Slot) {
        let registers = match access {
            SlotAccess::Read => &mut self.read,
            SlotAccess::Write => &mut self.written,
        };
        match slot.place() {
            SlotPlace::Register(index) if bank != Bank::B128 => registers.push((bank, index)),
            SlotPlace::Register(_) | SlotPlace::Special(_) => self.has_others = true,
            SlotPlace::Constant(_) | SlotPlace::None => {}
        }
    }
}

/// Register rows of a warp with 32 lanes each.
#[derive(Clone, Debug)]
pub struct WarpRegisters {
    banks: Banks,
}

impl WarpRegisters {
    /// Returns the value of a register in a lane, with 32 or 64 bits. Predicates are `u32::MAX` or 0. Returns 0 if the
    /// register does not exist.
    pub fn lane(&self, (bank, index): RegisterName, lane: usize) -> u64 {
        let (index, lane) = (index as usize, lane % LANES);
        match bank {
            Bank::B32 => self.banks.r32.get(index).map_or(0, |row| row[lane].into()),
            Bank::B64 => self.banks.r64.get(index).map_or(0, |row| row[lane]),
            Bank::Predicate => {
                let row = self.banks.predicates.get(index).copied().unwrap_or(0);
                u64::from(if row >> lane & 1 != 0 { u32::MAX } else { 0 })
            }
            Bank::B128 => 0,
        }
    }

    /// Sets the value that [`WarpRegisters::lane`] returns.
    pub fn set_lane(&mut self, (bank, index): RegisterName, lane: usize, value: u64) {
        let (index, lane) = (index as usize, lane % LANES);
        match bank {
            Bank::B32 => {
                if let Some(row) = self.banks.r32.get_mut(index) {
                    row[lane] = value as u32;
                }
            }
            Bank::B64 => {
                if let Some(row) = self.banks.r64.get_mut(index) {
                    row[lane] = value;
                }
            }
            Bank::Predicate => {
                if let Some(row) = self.banks.predicates.get_mut(index) {
                    *row = *row & !(1 << lane) | u32::from(value != 0) << lane;
                }
            }
            Bank::B128 => {}
        }
    }
}

impl Plain<'_> {
    /// Returns the registers of a warp, initialized to zero.
    pub fn warp_registers(self) -> WarpRegisters {
        let mut banks = Banks::default();
        banks.grow(self.code().entry_sizes.max(self.code().frame_sizes));
        WarpRegisters { banks }
    }

    /// Returns the registers that the instruction at an index of the code reads and writes, without its guard.
    pub fn registers_at(self, at: u32) -> OperationRegisters {
        let mut found = OperationRegisters::default();
        if let Some(instr) = self.all_instructions().get(at as usize) {
            let code = self.code();
            code.visit_slots(&instr.op, |access, bank, slot| {
                found.add(access, bank, slot)
            });
        }
        found
    }

    /// Returns the registers that the instruction at an index of the code reads and writes, guard included, if
    /// [`Plain::execute`] executes the instruction with these registers alone.
    pub fn registers_of(self, at: u32) -> Option<OperationRegisters> {
        let instr = self.all_instructions().get(at as usize)?;
        if !self.needs_registers_alone(&instr.op) {
            return None;
        }
        let mut found = self.registers_at(at);
        found.add(SlotAccess::Read, Bank::Predicate, instr.guard);
        if instr.guard.is_some() {
            // Lanes that are predicated off keep their values.
            found.read.extend(found.written.iter().copied());
        }
        (!found.has_others).then_some(found)
    }

    /// Executes the instruction at an index of the code for lanes of a warp, with the results of the interpreter.
    /// Returns `false` without an effect if the instruction accesses more than registers.
    pub fn execute(self, at: u32, lanes: u32, registers: &mut WarpRegisters) -> bool {
        let Some(instr) = self.all_instructions().get(at as usize) else {
            return false;
        };
        let code = self.code();
        let mut carry = 0;
        let specials = Banks::default();
        let mut lanes = Lanes {
            banks: &mut registers.banks,
            constants: &code.constants,
            specials: &specials,
            base: BankSizes::default(),
            mask: lanes,
            carry: &mut carry,
        };
        let Instr { guard, negated, .. } = *instr;
        if guard.is_some() {
            let guard = lanes.predicate(guard);
            lanes.mask &= if negated { !guard } else { guard };
        }
        if lanes.mask == 0 {
            return true;
        }
        if let Op::Collective(plan) = instr.op {
            let plan = code.collectives.get(plan);
            plan.inspect(|plan| collective(&mut lanes, plan));
            return plan.is_some();
        }
        if let Op::Matrix(plan) = instr.op {
            return match code.matrices.get(plan) {
                Some(MatrixPlan::Product(plan)) => product(&mut lanes, plan).is_ok(),
                _ => false,
            };
        }
        let mut results = Results {
            r32: [0; LANES],
            r64: [0; LANES],
        };
        compute_apart(instr, code, &mut lanes, &mut results)
    }

    /// Checks whether [`Plain::execute`] executes an operation that the translator may refuse.
    fn needs_registers_alone(self, op: &Op) -> bool {
        match *op {
            Op::Collective(_) => true,
            Op::Matrix(plan) => {
                let plan = self.code().matrices.get(plan);
                matches!(plan, Some(MatrixPlan::Product(_)))
            }
            frequent!() | infrequent!() => !is_excluded(op),
            Op::Warpgroup(_)
            | Op::TensorMemory(_)
            | Op::WarpBarrier { .. }
            | Op::Reconverge { .. }
            | Op::ReconvergeUnlessYielded { .. }
            | Op::ClusterWait
            | Op::Mbarrier(_)
            | Op::AsyncWait(_)
            | beyond_registers!() => false,
        }
    }
}

/// Checks whether an operation on registers is not left to the interpreter: the translator emits every move and address
/// computation, and the other operations access state that [`WarpRegisters`] lacks, such as carry flags and the active
/// mask.
const fn is_excluded(op: &Op) -> bool {
    matches!(
        op,
        Op::Mov32 { .. }
            | Op::Mov64 { .. }
            | Op::Mov128 { .. }
            | Op::MovPredicate { .. }
            | Op::Extend32 { .. }
            | Op::Truncate64 { .. }
            | Op::Offset { .. }
            | Op::Select32 { .. }
            | Op::Select64 { .. }
            | Op::PredicateLogic { .. }
            | Op::AlignDown { .. }
            | Op::AddressSum { .. }
            | Op::Nop
            | Op::Policy { .. }
            | Op::ActiveMask { .. }
            | Op::Machine(_)
            | Op::Carry32 { .. }
            | Op::Carry64 { .. }
    )
}
