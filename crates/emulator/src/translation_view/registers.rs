//! Execution of single instructions that access only registers and that the JIT compiler does not translate.

use crate::code::decoded_op::DecodedOp;
use crate::code::decoded_op::{cold_alu_ops, hot_alu_ops, side_effect_ops};
use crate::code::matrix_plan::MatrixPlan;
use crate::code::operands::SlotAccess;
use crate::code::{DecodedInstruction, RegisterBank};
use crate::exec::arithmetic::alu::compute_apart;
use crate::exec::collective::collective;
use crate::exec::matrix::product::product;
use crate::semantics::registers::{
    LANES, LaneRegisters, RegisterFile, RegisterFileSizes, ResultRows,
};
use crate::semantics::registers::{OperandLocation, OperandSlot};
use crate::translation_view::TranslationView;

/// Bank and index that identify a register.
pub type BankRegister = (RegisterBank, u32);

/// Sets of registers that an instruction reads and writes, which the JIT compiler transfers around a call of the
/// interpreter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterUseDef {
    pub read: Vec<BankRegister>,
    pub written: Vec<BankRegister>,
    /// Whether the instruction reads a special register or accesses a 128-bit register.
    has_others: bool,
}

impl RegisterUseDef {
    /// Adds the register of an operand slot to the read or written registers.
    fn add(&mut self, access: SlotAccess, bank: RegisterBank, slot: OperandSlot) {
        let registers = match access {
            SlotAccess::Read => &mut self.read,
            SlotAccess::Write => &mut self.written,
        };
        match slot.place() {
            OperandLocation::Register(index) if bank != RegisterBank::B128 => {
                registers.push((bank, index))
            }
            OperandLocation::Register(_) | OperandLocation::Special(_) => self.has_others = true,
            OperandLocation::Constant(_) | OperandLocation::None => {}
        }
    }
}

/// Register file of a warp for [`TranslationView::execute`], with one row of 32 lanes per register.
#[derive(Clone, Debug)]
pub struct WarpRegisterFile {
    banks: RegisterFile,
}

impl WarpRegisterFile {
    /// Returns the value of a register with 32 or 64 bits in a lane. The value of a predicate is `u32::MAX` or 0, and
    /// the value of a register that does not exist is 0.
    pub fn lane(&self, (bank, index): BankRegister, lane: usize) -> u64 {
        let (index, lane) = (index as usize, lane % LANES);
        match bank {
            RegisterBank::B32 => self.banks.r32.get(index).map_or(0, |row| row[lane].into()),
            RegisterBank::B64 => self.banks.r64.get(index).map_or(0, |row| row[lane]),
            RegisterBank::Predicate => {
                let row = self.banks.predicates.get(index).copied().unwrap_or(0);
                u64::from(if row >> lane & 1 != 0 { u32::MAX } else { 0 })
            }
            RegisterBank::B128 => 0,
        }
    }

    /// Sets the value of a register in a lane. The value has the encoding that [`WarpRegisterFile::lane`] returns.
    pub fn set_lane(&mut self, (bank, index): BankRegister, lane: usize, value: u64) {
        let (index, lane) = (index as usize, lane % LANES);
        match bank {
            RegisterBank::B32 => {
                if let Some(row) = self.banks.r32.get_mut(index) {
                    row[lane] = value as u32;
                }
            }
            RegisterBank::B64 => {
                if let Some(row) = self.banks.r64.get_mut(index) {
                    row[lane] = value;
                }
            }
            RegisterBank::Predicate => {
                if let Some(row) = self.banks.predicates.get_mut(index) {
                    *row = *row & !(1 << lane) | u32::from(value != 0) << lane;
                }
            }
            RegisterBank::B128 => {}
        }
    }
}

impl TranslationView<'_> {
    /// Returns the registers of a warp, initialized to zero.
    pub fn warp_registers(self) -> WarpRegisterFile {
        let mut banks = RegisterFile::default();
        banks.grow(self.code().entry_sizes.max(self.code().frame_sizes));
        WarpRegisterFile { banks }
    }

    /// Returns the registers that the instruction at index `at` of the code reads and writes, except for its guard
    /// predicate.
    pub fn registers_at(self, at: u32) -> RegisterUseDef {
        let mut use_def = RegisterUseDef::default();
        if let Some(instr) = self.all_instructions().get(at as usize) {
            let code = self.code();
            code.visit_slots(&instr.op, |access, bank, slot| {
                use_def.add(access, bank, slot)
            });
        }
        use_def
    }

    /// Returns the registers that the instruction at index `at` of the code reads and writes, including its guard
    /// predicate. Returns `None` if [`TranslationView::execute`] does not support the instruction.
    pub fn register_use_def(self, at: u32) -> Option<RegisterUseDef> {
        let instr = self.all_instructions().get(at as usize)?;
        if !self.needs_registers_alone(&instr.op) {
            return None;
        }
        let mut use_def = self.registers_at(at);
        use_def.add(SlotAccess::Read, RegisterBank::Predicate, instr.guard);
        if instr.guard.is_some() {
            // Destination registers are also read, because lanes whose guard predicate is false keep their values.
            use_def.read.extend(use_def.written.iter().copied());
        }
        (!use_def.has_others).then_some(use_def)
    }

    /// Executes the instruction at index `at` of the code for the lanes of a mask, with the results of the interpreter.
    /// Returns `false` without an effect if the instruction accesses state other than registers.
    pub fn execute(self, at: u32, lanes: u32, registers: &mut WarpRegisterFile) -> bool {
        let Some(instr) = self.all_instructions().get(at as usize) else {
            return false;
        };
        let code = self.code();
        let mut carry = 0;
        let specials = RegisterFile::default();
        let mut lanes = LaneRegisters {
            banks: &mut registers.banks,
            constants: &code.constants,
            specials: &specials,
            base: RegisterFileSizes::default(),
            mask: lanes,
            carry: &mut carry,
        };
        let DecodedInstruction { guard, negated, .. } = *instr;
        if guard.is_some() {
            let guard = lanes.predicate(guard);
            lanes.mask &= if negated { !guard } else { guard };
        }
        if lanes.mask == 0 {
            return true;
        }
        if let DecodedOp::Collective(plan) = instr.op {
            let plan = code.collectives.get(plan);
            plan.inspect(|plan| collective(&mut lanes, plan));
            return plan.is_some();
        }
        if let DecodedOp::Matrix(plan) = instr.op {
            return match code.matrices.get(plan) {
                Some(MatrixPlan::Product(plan)) => product(&mut lanes, plan).is_ok(),
                _ => false,
            };
        }
        let mut results = ResultRows {
            r32: [0; LANES],
            r64: [0; LANES],
        };
        compute_apart(instr, code, &mut lanes, &mut results)
    }

    /// Checks whether [`TranslationView::execute`] supports an operation.
    fn needs_registers_alone(self, op: &DecodedOp) -> bool {
        match *op {
            DecodedOp::Collective(_) => true,
            DecodedOp::Matrix(plan) => {
                let plan = self.code().matrices.get(plan);
                matches!(plan, Some(MatrixPlan::Product(_)))
            }
            hot_alu_ops!() | cold_alu_ops!() => !is_excluded(op),
            DecodedOp::Warpgroup(_)
            | DecodedOp::TensorMemory(_)
            | DecodedOp::WarpBarrier { .. }
            | DecodedOp::Reconverge { .. }
            | DecodedOp::ReconvergeUnlessYielded { .. }
            | DecodedOp::ClusterWait
            | DecodedOp::Mbarrier(_)
            | DecodedOp::AsyncWait(_)
            | side_effect_ops!() => false,
        }
    }
}

/// Checks whether [`TranslationView::execute`] does not support an operation on registers. Moves and address
/// computations are excluded because the translator itself emits code for them. The other excluded operations access
/// state that [`WarpRegisterFile`] does not contain, such as carry flags and the active mask.
const fn is_excluded(op: &DecodedOp) -> bool {
    matches!(
        op,
        DecodedOp::Mov32 { .. }
            | DecodedOp::Mov64 { .. }
            | DecodedOp::Mov128 { .. }
            | DecodedOp::MovPredicate { .. }
            | DecodedOp::Extend32 { .. }
            | DecodedOp::Truncate64 { .. }
            | DecodedOp::Offset { .. }
            | DecodedOp::Select32 { .. }
            | DecodedOp::Select64 { .. }
            | DecodedOp::PredicateLogic { .. }
            | DecodedOp::AlignDown { .. }
            | DecodedOp::AddressSum { .. }
            | DecodedOp::Nop
            | DecodedOp::Policy { .. }
            | DecodedOp::ActiveMask { .. }
            | DecodedOp::Machine(_)
            | DecodedOp::Carry32 { .. }
            | DecodedOp::Carry64 { .. }
    )
}
