//! Operations on registers of which the first lane's value is kept alone. In: such registers and numbers; out: one number, from which the
//! lanes differ by the register's stride.

use crate::emit::{Emitter, RECORD};
use crate::instructions::at;
use crate::place::{cell, record};
use crate::refusal::Refusal;
use crate::registers::Register;
use crate::stride::Strides;
use std::collections::BTreeSet;
use warpgrid_emulator::plain::{
    Bank, CompareKind, Comparison, Element, Int32Op, Int64Op, IntOp, Op, ShiftOp, Slot, SlotPlace,
};
use warpgrid_isa::CompareOp;
use wasm_encoder::{Instruction as I, ValType};

/// Where the first lane's value is, and what each lane is beyond the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar {
    pub(crate) local: u32,
    pub(crate) stride: u64,
}

/// The type of a number in a bank.
fn type_of(bank: Bank) -> ValType {
    match bank {
        Bank::B64 => ValType::I64,
        _ => ValType::I32,
    }
}

impl Emitter<'_> {
    /// Keeps these registers, each with its stride, as the value of the first lane.
    pub(crate) fn keep_scalars(&mut self, strides: &Strides) {
        for (register, stride) in strides {
            let local = self.local(type_of(register.0));
            let scalar = Scalar {
                local,
                stride: *stride,
            };
            self.scalars.insert(*register, scalar);
        }
    }

    /// The scalar that a slot names.
    pub(crate) fn scalar(&self, bank: Bank, slot: Slot) -> Option<Scalar> {
        match slot.place() {
            SlotPlace::Register(index) => self.scalars.get(&self.own(bank, index)).copied(),
            SlotPlace::Constant(_) | SlotPlace::Special(_) | SlotPlace::None => None,
        }
    }

    /// Pushes a row of four lanes, or the half of one of 64 bits.
    pub(crate) fn spread(&mut self, bank: Bank, scalar: Scalar, half: u32) {
        let Scalar { local, stride } = scalar;
        self.get(local);
        if bank == Bank::B64 {
            self.op(I::I64x2Splat);
            let [a, b] = [2 * half, 2 * half + 1].map(|lane| stride.wrapping_mul(lane.into()));
            if a | b != 0 {
                self.op(I::V128Const((u128::from(a) | u128::from(b) << 64) as i128));
                self.op(I::I64x2Add);
            }
            return;
        }
        self.op(I::I32x4Splat);
        if stride as u32 != 0 {
            let lanes = [0, 1, 2, 3].map(|lane| (stride as u32).wrapping_mul(lane));
            let ramp = (0..).zip(lanes).fold(0u128, |ramp, (at, lane)| {
                ramp | u128::from(lane) << (32 * at)
            });
            self.ops([I::V128Const(ramp as i128), I::I32x4Add]);
        }
    }

    /// Writes the number on the stack.
    fn set_scalar(&mut self, scalar: Scalar, register: Register) {
        self.lies.retain(|(base, _), _| *base != register);
        self.set(scalar.local);
    }

    /// Writes the first lane of a row on the stack, or of its half.
    pub(crate) fn write_scalar(&mut self, scalar: Scalar, register: Register, part: u32) {
        if part > 0 {
            return self.op(I::Drop);
        }
        self.op(match register.0 {
            Bank::B64 => I::I64x2ExtractLane(0),
            _ => I::I32x4ExtractLane(0),
        });
        self.set_scalar(scalar, register);
    }

    /// Loads a scalar that is `from` bytes after the address on the stack.
    pub(crate) fn load_scalar(&mut self, element: Element, from: u32) {
        let place = (
            self.scalar(element.bank, element.slot),
            element.slot.place(),
        );
        if let (Some(scalar), SlotPlace::Register(index)) = place {
            self.op(match element.bank {
                Bank::B64 => I::I64Load(at(from)),
                _ => I::I32Load(at(from)),
            });
            self.set_scalar(scalar, self.own(element.bank, index));
        }
    }

    /// Whether the first lane's value of a register is kept alone.
    pub(crate) fn is_scalar(&self, register: Register) -> bool {
        self.scalars.contains_key(&register)
    }

    /// Makes those of some registers zero that are scalars.
    pub(crate) fn clear_scalars(&mut self, registers: &BTreeSet<Register>) {
        for register in registers {
            let Some(scalar) = self.scalars.get(register).copied() else {
                continue;
            };
            self.op(match register.0 {
                Bank::B64 => I::I64Const(0),
                _ => I::I32Const(0),
            });
            self.set(scalar.local);
        }
    }

    /// Loads scalars from the record: what a lane has that is there, less its distance from the first.
    pub(crate) fn load_scalars(&mut self, registers: &BTreeSet<Register>) {
        let found = registers.iter().filter_map(|register| {
            let scalar = *self.scalars.get(register)?;
            Some((*register, scalar, self.offset_of(*register)?))
        });
        let found: Vec<(Register, Scalar, u32)> = found.collect();
        if found.is_empty() {
            return;
        }
        let (lane, pointer, wide) = (self.names.first, self.names.pointer, self.names.active);
        self.get(self.names.mask);
        self.op(I::I32Ctz);
        self.set(lane);
        for (shift, local) in [(2, pointer), (3, wide)] {
            self.get(RECORD);
            self.get(lane);
            self.ops([I::I32Const(shift), I::I32Shl, I::I32Add]);
            self.set(local);
        }
        for ((bank, _), Scalar { local, stride }, offset) in found {
            let from = at(record::REGISTERS + offset);
            if bank == Bank::B64 {
                self.get(wide);
                self.op(I::I64Load(from));
                if stride != 0 {
                    self.get(lane);
                    self.ops([I::I64ExtendI32U, I::I64Const(stride.cast_signed())]);
                    self.ops([I::I64Mul, I::I64Sub]);
                }
            } else {
                self.get(pointer);
                self.op(I::I32Load(from));
                if stride as u32 != 0 {
                    self.get(lane);
                    self.ops([I::I32Const(stride as i32), I::I32Mul, I::I32Sub]);
                }
            }
            self.set(local);
        }
    }

    /// Pushes the first lane's value of a scalar, a number or a special register.
    pub(crate) fn push_first(&mut self, bank: Bank, slot: Slot) -> Result<(), Refusal> {
        if let Some(scalar) = self.scalar(bank, slot) {
            self.get(scalar.local);
            return Ok(());
        }
        match (slot.place(), bank) {
            (SlotPlace::None, Bank::B64) => self.op(I::I64Const(0)),
            (SlotPlace::None, _) => self.op(I::I32Const(0)),
            (SlotPlace::Constant(index), Bank::B64) => {
                self.op(I::I64Const(self.plain.constant64(index).cast_signed()));
            }
            (SlotPlace::Constant(index), Bank::Predicate) => {
                let value = self.plain.constant_predicate(index);
                self.op(I::I32Const(-i32::from(value)));
            }
            (SlotPlace::Constant(index), _) => {
                self.op(I::I32Const(self.plain.constant32(index).cast_signed()));
            }
            (SlotPlace::Special(index), _) => self.push_first_special(index)?,
            (SlotPlace::Register(_), Bank::B64) => {
                self.read64(slot, 0)?;
                self.op(I::I64x2ExtractLane(0));
            }
            (SlotPlace::Register(_), _) => {
                self.read32(slot)?;
                self.op(I::I32x4ExtractLane(0));
            }
        }
        Ok(())
    }

    fn push_first_special(&mut self, index: u32) -> Result<(), Refusal> {
        let special = self.plain.special32(index);
        let place = |all: &[_]| all.iter().position(|one| Some(*one) == special);
        if let Some(place) = place(&self.places.by_block) {
            let from = at(cell::BY_BLOCK + 16 * place as u32);
            self.ops([I::I32Const(0), I::I32Load(from)]);
        } else if let Some(place) = place(&self.places.by_thread) {
            self.get_table();
            self.op(I::I32Load(at(16 * place as u32)));
        } else {
            return self.refuse("a clock");
        }
        Ok(())
    }

    /// An operation that writes a scalar; false for all others.
    pub(crate) fn scalar_operation(&mut self, op: &Op) -> Result<bool, Refusal> {
        let (bank, d) = match *op {
            Op::Mov32 { d, .. } | Op::Truncate64 { d, .. } => (Bank::B32, d),
            Op::Int32 { slots: [d, ..], .. } => (Bank::B32, d),
            Op::Mov64 { d, .. } | Op::Extend32 { d, .. } => (Bank::B64, d),
            Op::Int64 { slots: [d, ..], .. } => (Bank::B64, d),
            Op::Shift64 { slots: [d, ..], .. } => (Bank::B64, d),
            Op::Wide32 { slots: [d, ..], .. } => (Bank::B64, d),
            Op::Offset { d, .. } => (d.bank, d.slot),
            Op::MovPredicate { d, .. } | Op::SetPredicate { d, .. } => (Bank::Predicate, d),
            _ => return Ok(false),
        };
        let (Some(scalar), SlotPlace::Register(index)) = (self.scalar(bank, d), d.place()) else {
            return Ok(false);
        };
        self.push_result(op)?;
        self.set_scalar(scalar, self.own(bank, index));
        Ok(true)
    }

    fn push_result(&mut self, op: &Op) -> Result<(), Refusal> {
        match *op {
            Op::Mov32 { a, .. } => self.push_first(Bank::B32, a),
            Op::Mov64 { a, .. } => self.push_first(Bank::B64, a),
            Op::MovPredicate { a, .. } => self.push_first(Bank::Predicate, a),
            Op::Truncate64 { a, .. } => {
                self.push_first(Bank::B64, a)?;
                self.op(I::I32WrapI64);
                Ok(())
            }
            Op::Extend32 { signed, a, .. } => {
                self.push_first(Bank::B32, a)?;
                self.op(extend(signed));
                Ok(())
            }
            Op::Offset { d, a, addend } => {
                self.push_first(a.bank, a.slot)?;
                match d.bank {
                    Bank::B64 => self.ops([I::I64Const(addend.cast_signed()), I::I64Add]),
                    _ => self.ops([I::I32Const(addend as i32), I::I32Add]),
                }
                Ok(())
            }
            Op::Int32 {
                f: Int32Op::Plain(f),
                slots: [_, a, b, c],
                ..
            } => self.push_integer(Bank::B32, f, [a, b, c]),
            Op::Int64 {
                f: Int64Op::Plain(f),
                slots: [_, a, b, c],
                ..
            } => self.push_integer(Bank::B64, f, [a, b, c]),
            Op::Int32 {
                f,
                signed,
                slots: [_, a, b, _],
            } => {
                let amount = self.known32(b).unwrap_or(0);
                self.push_first(Bank::B32, a)?;
                let keeps_sign = f == Int32Op::Shr && signed;
                if amount > 31 && !keeps_sign {
                    self.ops([I::Drop, I::I32Const(0)]);
                    return Ok(());
                }
                self.op(I::I32Const(amount.min(31) as i32));
                self.op(match (f, signed) {
                    (Int32Op::Shl, _) => I::I32Shl,
                    (_, true) => I::I32ShrS,
                    (_, false) => I::I32ShrU,
                });
                Ok(())
            }
            Op::Shift64 {
                f,
                signed,
                slots: [_, a, b],
            } => {
                let amount = self.known32(b).unwrap_or(0);
                self.push_first(Bank::B64, a)?;
                let keeps_sign = f == ShiftOp::Right && signed;
                if amount > 63 && !keeps_sign {
                    self.ops([I::Drop, I::I64Const(0)]);
                    return Ok(());
                }
                self.op(I::I64Const(amount.min(63).into()));
                self.op(match (f, signed) {
                    (ShiftOp::Left, _) => I::I64Shl,
                    (ShiftOp::Right, true) => I::I64ShrS,
                    (ShiftOp::Right, false) => I::I64ShrU,
                });
                Ok(())
            }
            Op::Wide32 {
                signed,
                slots: [_, a, b, c],
            } => {
                for factor in [a, b] {
                    self.push_first(Bank::B32, factor)?;
                    self.op(extend(signed));
                }
                self.op(I::I64Mul);
                self.push_first(Bank::B64, c)?;
                self.op(I::I64Add);
                Ok(())
            }
            Op::SetPredicate { ref compare, .. } => self.push_comparison(compare),
            _ => self.refuse("an operation on scalars"),
        }
    }

    fn push_integer(&mut self, bank: Bank, f: IntOp, [a, b, c]: [Slot; 3]) -> Result<(), Refusal> {
        let is_wide = bank == Bank::B64;
        let pick = |wide: I<'static>, narrow: I<'static>| if is_wide { wide } else { narrow };
        match f {
            IntOp::Neg => {
                self.op(pick(I::I64Const(0), I::I32Const(0)));
                self.push_first(bank, a)?;
                self.op(pick(I::I64Sub, I::I32Sub));
            }
            IntOp::Not => {
                self.push_first(bank, a)?;
                self.op(pick(I::I64Const(-1), I::I32Const(-1)));
                self.op(pick(I::I64Xor, I::I32Xor));
            }
            _ => {
                self.push_first(bank, a)?;
                self.push_first(bank, b)?;
                self.op(match f {
                    IntOp::Add => pick(I::I64Add, I::I32Add),
                    IntOp::Sub => pick(I::I64Sub, I::I32Sub),
                    IntOp::And => pick(I::I64And, I::I32And),
                    IntOp::Or => pick(I::I64Or, I::I32Or),
                    IntOp::Xor => pick(I::I64Xor, I::I32Xor),
                    _ => pick(I::I64Mul, I::I32Mul),
                });
            }
        }
        if f == IntOp::MadLo {
            self.push_first(bank, c)?;
            self.op(pick(I::I64Add, I::I32Add));
        }
        Ok(())
    }

    /// All ones where it holds.
    fn push_comparison(&mut self, c: &Comparison) -> Result<(), Refusal> {
        use CompareOp as C;
        let (bank, signed) = match c.kind {
            CompareKind::U64 => (Bank::B64, false),
            CompareKind::S64 => (Bank::B64, true),
            CompareKind::S32 => (Bank::B32, true),
            _ => (Bank::B32, false),
        };
        self.op(I::I32Const(0));
        self.push_first(bank, c.a)?;
        self.push_first(bank, c.b)?;
        let of =
            |[signed64, unsigned64, signed32, unsigned32]: [I<'static>; 4]| match (bank, signed) {
                (Bank::B64, true) => signed64,
                (Bank::B64, false) => unsigned64,
                (_, true) => signed32,
                (_, false) => unsigned32,
            };
        self.op(match c.op {
            C::Eq | C::Equ => of([I::I64Eq, I::I64Eq, I::I32Eq, I::I32Eq]),
            C::Ne | C::Neu => of([I::I64Ne, I::I64Ne, I::I32Ne, I::I32Ne]),
            C::Lt | C::Lo | C::Ltu => of([I::I64LtS, I::I64LtU, I::I32LtS, I::I32LtU]),
            C::Le | C::Ls | C::Leu => of([I::I64LeS, I::I64LeU, I::I32LeS, I::I32LeU]),
            C::Gt | C::Hi | C::Gtu => of([I::I64GtS, I::I64GtU, I::I32GtS, I::I32GtU]),
            C::Ge | C::Hs | C::Geu => of([I::I64GeS, I::I64GeU, I::I32GeS, I::I32GeU]),
            C::Num | C::Nan => return self.refuse("a comparison operator for floats only"),
        });
        self.op(I::I32Sub);
        Ok(())
    }
}

fn extend(signed: bool) -> I<'static> {
    match signed {
        true => I::I64ExtendI32S,
        false => I::I64ExtendI32U,
    }
}
