//! Uniform and strided registers, which are represented by the value of their first lane. The module takes uniform or
//! strided registers, and constants, and generates code that computes the value of the first lane, and adds multiples
//! of the stride to obtain the values of the other lanes.

use crate::bailout::BailoutReason;
use crate::emit::{Emitter, RECORD};
use crate::instructions::at;
use crate::lane_stride::LaneStrides;
use crate::layout::{BLOCK_REGISTERS, record};
use crate::registers::RegisterKey;
use std::collections::BTreeSet;
use warpgrid_emulator::translation_view::{
    OperandLocation, OperandSlot, RegisterBank, RegisterOperand,
};
use wasm_encoder::{Instruction as I, ValType};

/// Uniform or strided register: a local that contains the value of its first lane, and the difference between
/// neighboring lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarRegister {
    pub(crate) local: u32,
    pub(crate) stride: u64,
}

/// Returns the WebAssembly type of a scalar for a register bank.
fn type_of(bank: RegisterBank) -> ValType {
    match bank {
        RegisterBank::B64 => ValType::I64,
        _ => ValType::I32,
    }
}

impl Emitter<'_> {
    /// Allocates a local for the first-lane value of each register in `strides`, and marks these registers as scalars.
    pub(crate) fn keep_scalars(&mut self, strides: &LaneStrides) {
        for (register, stride) in strides {
            let local = self.local(type_of(register.0));
            let scalar = ScalarRegister {
                local,
                stride: *stride,
            };
            self.scalars.insert(*register, scalar);
        }
    }

    /// Returns the scalar that represents a register operand, or `None` if the register is not a scalar.
    pub(crate) fn scalar(&self, bank: RegisterBank, slot: OperandSlot) -> Option<ScalarRegister> {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.scalars.get(&self.frame_register(bank, index)).copied()
            }
            OperandLocation::Constant(_) | OperandLocation::Special(_) | OperandLocation::None => {
                None
            }
        }
    }

    /// Pushes the row of four lanes that a scalar represents, or half of the row for 64-bit lanes.
    pub(crate) fn splat(&mut self, bank: RegisterBank, scalar: ScalarRegister, half: u32) {
        let ScalarRegister { local, stride } = scalar;
        self.get(local);
        if bank == RegisterBank::B64 {
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

    /// Writes the number on the stack to a scalar register.
    pub(crate) fn set_scalar(&mut self, scalar: ScalarRegister, register: RegisterKey) {
        self.address_patterns
            .retain(|(base, _), _| *base != register);
        self.set(scalar.local);
    }

    /// Writes the first lane of the row or half row on the stack to a scalar register.
    pub(crate) fn write_scalar(
        &mut self,
        scalar: ScalarRegister,
        register: RegisterKey,
        part: u32,
    ) {
        if part > 0 {
            return self.op(I::Drop);
        }
        self.op(match register.0 {
            RegisterBank::B64 => I::I64x2ExtractLane(0),
            _ => I::I32x4ExtractLane(0),
        });
        self.set_scalar(scalar, register);
    }

    /// Loads a scalar register from memory. The address is the sum of the number on the stack and the constant `from`.
    pub(crate) fn load_scalar(&mut self, element: RegisterOperand, from: u32) {
        let place = (
            self.scalar(element.bank, element.slot),
            element.slot.place(),
        );
        if let (Some(scalar), OperandLocation::Register(index)) = place {
            self.op(match element.bank {
                RegisterBank::B64 => I::I64Load(at(from)),
                _ => I::I32Load(at(from)),
            });
            self.set_scalar(scalar, self.frame_register(element.bank, index));
        }
    }

    /// Checks whether a register is represented by the value of the first lane.
    pub(crate) fn is_scalar(&self, register: RegisterKey) -> bool {
        self.scalars.contains_key(&register)
    }

    /// Zeroes the scalars that represent the given registers.
    pub(crate) fn clear_scalars(&mut self, registers: &BTreeSet<RegisterKey>) {
        for register in registers {
            let Some(scalar) = self.scalars.get(register).copied() else {
                continue;
            };
            self.op(match register.0 {
                RegisterBank::B64 => I::I64Const(0),
                _ => I::I32Const(0),
            });
            self.set(scalar.local);
        }
    }

    /// Loads scalars from the context record. The first lane may be inactive, so the code computes its value from the
    /// value of an active lane by subtracting the stride times the number of the active lane.
    pub(crate) fn load_scalars(&mut self, registers: &BTreeSet<RegisterKey>) {
        let found = registers.iter().filter_map(|register| {
            let scalar = *self.scalars.get(register)?;
            Some((*register, scalar, self.offset_of(*register)?))
        });
        let found: Vec<(RegisterKey, ScalarRegister, u32)> = found.collect();
        if found.is_empty() {
            return;
        }
        let (lane, pointer, wide) = (self.names.first, self.names.pointer, self.names.active);
        self.get(self.names.mask);
        self.op(I::I32Ctz);
        self.set(lane);
        for (shift, local) in [(2, pointer), (3, wide)] {
            self.get_all([RECORD, lane]);
            self.ops([I::I32Const(shift), I::I32Shl, I::I32Add]);
            self.set(local);
        }
        for ((bank, _), ScalarRegister { local, stride }, offset) in found {
            let from = at(record::REGISTERS + offset);
            if bank == RegisterBank::B64 {
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

    /// Pushes the value of the first lane of a scalar, a constant or a special register.
    pub(crate) fn push_first(
        &mut self,
        bank: RegisterBank,
        slot: OperandSlot,
    ) -> Result<(), BailoutReason> {
        if let Some(scalar) = self.scalar(bank, slot) {
            self.get(scalar.local);
            return Ok(());
        }
        match (slot.place(), bank) {
            (OperandLocation::None, RegisterBank::B64) => self.op(I::I64Const(0)),
            (OperandLocation::None, _) => self.op(I::I32Const(0)),
            (OperandLocation::Constant(index), RegisterBank::B64) => {
                self.op(I::I64Const(self.plain.constant64(index).cast_signed()));
            }
            (OperandLocation::Constant(index), RegisterBank::Predicate) => {
                let value = self.plain.constant_predicate(index);
                self.op(I::I32Const(-i32::from(value)));
            }
            (OperandLocation::Constant(index), _) => {
                self.op(I::I32Const(self.plain.constant32(index).cast_signed()));
            }
            (OperandLocation::Special(index), _) => self.push_first_special(index)?,
            (OperandLocation::Register(_), RegisterBank::B64) => {
                self.read64(slot, 0)?;
                self.op(I::I64x2ExtractLane(0));
            }
            (OperandLocation::Register(_), _) => {
                self.read32(slot)?;
                self.op(I::I32x4ExtractLane(0));
            }
        }
        Ok(())
    }

    fn push_first_special(&mut self, index: u32) -> Result<(), BailoutReason> {
        let special = self.plain.special32(index);
        let place = |all: &[_]| all.iter().position(|one| Some(*one) == special);
        if let Some(place) = place(&self.places.by_block) {
            let from = at(BLOCK_REGISTERS + 16 * place as u32);
            self.ops([I::I32Const(0), I::I32Load(from)]);
        } else if let Some(place) = place(&self.places.by_thread) {
            self.get_table();
            self.op(I::I32Load(at(16 * place as u32)));
        } else {
            return self.unsupported("a clock register");
        }
        Ok(())
    }
}
