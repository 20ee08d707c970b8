//! Operations that need registers alone, done one by one for a translator that lacks them. In: an operation by its place in the code, and
//! rows of registers; out: the registers that it reads and writes, and the rows after it.

use crate::code::matrix_plan::MatrixPlan;
use crate::code::op::Op;
use crate::code::op::beyond_registers;
use crate::code::plans::PlanId;
use crate::code::{Bank, Element, Instr};
use crate::code::{CollectiveKind, Combine, CompareKind, Comparison};
use crate::exec::arithmetic::compute::compute_apart;
use crate::exec::collective::collective;
use crate::exec::matrix::product::product;
use crate::plain::Plain;
use crate::semantics::registers::{BankSizes, Banks, LANES, Lanes, Results};
use crate::semantics::registers::{Slot, SlotPlace};
use warpgrid_isa::VoteMode;

/// A register, by bank and number.
pub type RegisterName = (Bank, u32);

/// The registers that an operation reads and writes, guard included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationRegisters {
    pub read: Vec<RegisterName>,
    pub written: Vec<RegisterName>,
    /// Whether it reads the number of a lane, a block or the like, or a register of 128 bits.
    has_others: bool,
}

impl OperationRegisters {
    /// Adds a source.
    pub fn read(&mut self, bank: Bank, slot: Slot) {
        let register = self.register(bank, slot);
        self.read.extend(register);
    }

    /// Adds a destination.
    pub fn write(&mut self, bank: Bank, slot: Slot) {
        let register = self.register(bank, slot);
        self.written.extend(register);
    }

    /// The register of a slot, if it has one that a translator hands over; what else it has is noted.
    fn register(&mut self, bank: Bank, slot: Slot) -> Option<RegisterName> {
        match slot.place() {
            SlotPlace::Register(index) if bank != Bank::B128 => Some((bank, index)),
            SlotPlace::Register(_) | SlotPlace::Special(_) => {
                self.has_others = true;
                None
            }
            SlotPlace::Constant(_) | SlotPlace::None => None,
        }
    }

    /// The sources of a comparison.
    fn read_comparison(&mut self, compare: &Comparison, combine: Option<Combine>) {
        self.read_all(bank_of(compare.kind), &[compare.a, compare.b]);
        self.read(Bank::Predicate, combine.map_or(Slot::NONE, |c| c.slot));
    }

    fn read_all(&mut self, bank: Bank, slots: &[Slot]) {
        for slot in slots {
            self.read(bank, *slot);
        }
    }

    fn read_element(&mut self, element: Element) {
        self.read(element.bank, element.slot);
    }

    fn write_element(&mut self, element: Element) {
        self.write(element.bank, element.slot);
    }

    /// A result and sources of one bank.
    fn all_of(&mut self, bank: Bank, slots: &[Slot]) {
        if let Some((d, sources)) = slots.split_first() {
            self.write(bank, *d);
            self.read_all(bank, sources);
        }
    }
}

/// Rows of registers of a warp, 32 lanes each.
#[derive(Clone, Debug)]
pub struct WarpRegisters {
    banks: Banks,
}

impl WarpRegisters {
    /// The word or, of 64 bits, the two words that a lane has of a register; of a predicate all ones or zeros. Zero where there is none.
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

    /// Gives a lane what [`WarpRegisters::lane`] reads.
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
    /// Registers of a warp, all zero.
    pub fn warp_registers(self) -> WarpRegisters {
        let mut banks = Banks::default();
        banks.grow(self.code().entry_sizes.max(self.code().frame_sizes));
        WarpRegisters { banks }
    }

    /// What the instruction at a place in the code reads and writes, if it needs registers alone and [`Plain::execute`] does it.
    pub fn registers_of(self, at: u32) -> Option<OperationRegisters> {
        let instr = self.all_instructions().get(at as usize)?;
        let mut found = OperationRegisters::default();
        self.add_operation(&mut found, &instr.op)?;
        found.read(Bank::Predicate, instr.guard);
        if instr.guard.is_some() {
            // What is not written stays.
            found.read.extend(found.written.iter().copied());
        }
        (!found.has_others).then_some(found)
    }

    /// Does the instruction at a place in the code for lanes of a warp, as the interpreter does. False, and nothing changes, if it needs
    /// more than registers.
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

    /// Adds the registers of an operation, but its guard. None if it needs more than registers.
    fn add_operation(self, found: &mut OperationRegisters, op: &Op) -> Option<()> {
        use Bank::{B32, B64, Predicate};
        let list_of = |list: PlanId<Vec<Element>>| self.elements(list);
        match *op {
            Op::Int16 { slots, .. } | Op::Int32 { slots, .. } | Op::Wide16 { slots, .. } => {
                found.all_of(B32, &slots);
            }
            Op::Float32 { slots, .. } | Op::Half { slots, .. } => found.all_of(B32, &slots),
            Op::Int16x2 { slots, .. } | Op::Int8x4 { slots, .. } => found.all_of(B32, &slots),
            Op::Insert32(slots) => found.all_of(B32, &slots),
            Op::Int64 { slots, .. } | Op::Float64 { slots, .. } | Op::Float32x2 { slots, .. } => {
                found.all_of(B64, &slots);
            }
            Op::Shift64 {
                slots: [d, a, b], ..
            } => {
                found.all_of(B64, &[d, a]);
                found.read(B32, b);
            }
            Op::Extract64 {
                slots: [d, a, b, c],
                ..
            } => {
                found.all_of(B64, &[d, a]);
                found.read_all(B32, &[b, c]);
            }
            Op::Insert64([d, a, b, c, e]) => {
                found.all_of(B64, &[d, a, b]);
                found.read_all(B32, &[c, e]);
            }
            Op::Count64 { slots: [d, a], .. } => {
                found.write(B32, d);
                found.read(B64, a);
            }
            Op::Wide32 {
                slots: [d, a, b, c],
                ..
            } => {
                found.all_of(B64, &[d, c]);
                found.read_all(B32, &[a, b]);
            }
            Op::Pack { d, elements, .. } => {
                found.write_element(d);
                list_of(elements)
                    .iter()
                    .for_each(|e| found.read_element(*e));
            }
            Op::Unpack { a, elements, .. } => {
                found.read_element(a);
                list_of(elements)
                    .iter()
                    .for_each(|e| found.write_element(*e));
            }
            Op::Convert { d, a, .. } | Op::Modify { d, a, .. } => {
                found.write_element(d);
                found.read_element(a);
            }
            Op::ConvertPacked { d, a, b, .. } => found.all_of(B32, &[d, a, b]),
            Op::ConvertBy { d, sources, by, .. } => {
                found.write_element(d);
                list_of(sources).iter().for_each(|e| found.read_element(*e));
                found.read(B32, by);
            }
            Op::SetPredicate {
                ref compare,
                d,
                q,
                combine,
            } => {
                found.read_comparison(compare, combine);
                found.write(Predicate, d);
                found.write(Predicate, q);
            }
            Op::Set {
                ref compare,
                d,
                combine,
                ..
            } => {
                found.read_comparison(compare, combine);
                found.write(B32, d);
            }
            Op::TestFloat { wide, d, a, .. } => {
                found.read(if wide { B64 } else { B32 }, a);
                found.write(Predicate, d);
            }
            Op::SelectSign { d, a, b, c, .. } => {
                found.write_element(d);
                found.read_all(d.bank, &[a, b]);
                found.read(B32, c);
            }
            Op::Collective(plan) => {
                let plan = self.code().collectives.get(plan)?;
                found.read(B32, plan.mask);
                add_collective(found, &plan.kind);
            }
            Op::Matrix(plan) => {
                let Some(MatrixPlan::Product(plan)) = self.code().matrices.get(plan) else {
                    return None;
                };
                for operand in [&plan.a, &plan.b, &plan.c] {
                    operand
                        .registers
                        .iter()
                        .for_each(|e| found.read_element(*e));
                }
                for factors in plan.factors.iter().flatten() {
                    found.read(B32, factors.register);
                    found.read_element(factors.byte);
                    found.read_element(factors.lane);
                }
                plan.d
                    .registers
                    .iter()
                    .for_each(|e| found.write_element(*e));
            }
            // Those that are translated, and those that reach more.
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
            | Op::Video(_)
            | Op::Carry32 { .. }
            | Op::Carry64 { .. }
            | Op::Warpgroup(_)
            | Op::TensorMemory(_)
            | Op::WarpBarrier { .. }
            | Op::Reconverge { .. }
            | Op::ReconvergeUnlessYielded { .. }
            | Op::ClusterWait
            | Op::Mbarrier(_)
            | Op::AsyncWait(_)
            | beyond_registers!() => return None,
        }
        Some(())
    }
}

fn bank_of(kind: CompareKind) -> Bank {
    match kind {
        CompareKind::U64 | CompareKind::S64 | CompareKind::F64 => Bank::B64,
        CompareKind::U16
        | CompareKind::S16
        | CompareKind::U32
        | CompareKind::S32
        | CompareKind::F32
        | CompareKind::F16
        | CompareKind::Bf16 => Bank::B32,
    }
}

fn add_collective(found: &mut OperationRegisters, kind: &CollectiveKind) {
    use Bank::{B32, Predicate};
    match *kind {
        CollectiveKind::Shuffle {
            d,
            predicate,
            a,
            b,
            c,
            ..
        } => {
            found.read_all(B32, &[a, b, c]);
            found.write(B32, d);
            found.write(Predicate, predicate);
        }
        CollectiveKind::Vote { mode, d, a } => {
            found.read(Predicate, a.slot);
            let bank = match mode {
                VoteMode::Ballot => B32,
                VoteMode::All | VoteMode::Any | VoteMode::Uni => Predicate,
            };
            found.write(bank, d);
        }
        CollectiveKind::Match {
            d, predicate, a, ..
        } => {
            found.read_element(a);
            found.write(B32, d);
            found.write(Predicate, predicate);
        }
        CollectiveKind::Reduce { d, a, .. } | CollectiveKind::Transpose { d, a } => {
            found.read(B32, a);
            found.write(B32, d);
        }
        CollectiveKind::Elect { d, predicate } => {
            found.write(B32, d);
            found.write(Predicate, predicate);
        }
    }
}
