//! Integers of 64 bits, and products as wide. In: halves of rows; out: halves of rows.

use crate::emit::Emitter;
use crate::instructions::splat64;
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{Int64Op, IntOp, ShiftOp, Slot, SlotPlace};
use wasm_encoder::{BlockType, Instruction as I, ValType};

impl Emitter<'_> {
    pub(crate) fn int64(
        &mut self,
        f: Int64Op,
        signed: bool,
        [d, a, b, c]: [Slot; 4],
    ) -> Result<(), Refusal> {
        let Int64Op::Plain(f) = f else {
            return self.refuse("64-bit Brev");
        };
        for half in 0..2 {
            self.half64(f, signed, [a, b, c], half)?;
            self.write64(d, half);
        }
        Ok(())
    }

    pub(crate) fn half64(
        &mut self,
        f: IntOp,
        signed: bool,
        [a, b, c]: [Slot; 3],
        half: u32,
    ) -> Result<(), Refusal> {
        if matches!(f, IntOp::MulHi | IntOp::MadHi) {
            self.high_half(signed, [a, b], half)?;
            if f == IntOp::MadHi {
                self.read64(c, half)?;
                self.op(I::I64x2Add);
            }
            return Ok(());
        }
        self.read64(a, half)?;
        match f {
            IntOp::Abs => self.op(I::I64x2Abs),
            IntOp::Neg => self.op(I::I64x2Neg),
            IntOp::Not => self.op(I::V128Not),
            IntOp::Cnot => self.ops([splat64(0), I::I64x2Eq, splat64(1), I::V128And]),
            IntOp::Add | IntOp::Sub | IntOp::MulLo | IntOp::And | IntOp::Or | IntOp::Xor => {
                self.read64(b, half)?;
                self.op(match f {
                    IntOp::Add => I::I64x2Add,
                    IntOp::Sub => I::I64x2Sub,
                    IntOp::MulLo => I::I64x2Mul,
                    IntOp::And => I::V128And,
                    IntOp::Or => I::V128Or,
                    _ => I::V128Xor,
                });
            }
            IntOp::MadLo => {
                self.read64(b, half)?;
                self.op(I::I64x2Mul);
                self.read64(c, half)?;
                self.op(I::I64x2Add);
            }
            IntOp::Min | IntOp::Max => {
                self.read64(b, half)?;
                self.read64(a, half)?;
                self.read64(b, half)?;
                self.less64(signed);
                if f == IntOp::Max {
                    self.op(I::V128Not);
                }
                self.op(I::V128Bitselect);
            }
            IntOp::Div | IntOp::Rem => self.divide64(f, signed, b, half)?,
            IntOp::Sad | IntOp::MulHi | IntOp::MadHi => {
                return self.refuse(format!("{f:?} of 64 bits"));
            }
        }
        Ok(())
    }

    /// The upper 64 bits of products, from those of their halves of 32 bits.
    fn high_half(&mut self, signed: bool, [a, b]: [Slot; 2], half: u32) -> Result<(), Refusal> {
        let [x, y, outer, ..] = self.names.vectors;
        for (slot, local) in [(a, x), (b, y)] {
            self.read64(slot, half)?;
            self.set(local);
        }
        let low = [splat64(0xffff_ffff), I::V128And];
        let high = [I::I32Const(32), I::I64x2ShrU];
        let product = |e: &mut Self, of_x: &[I<'static>; 2], of_y: &[I<'static>; 2]| {
            e.get(x);
            e.ops(of_x.clone());
            e.get(y);
            e.ops(of_y.clone());
            e.op(I::I64x2Mul);
        };
        product(self, &low, &low);
        self.ops(high.clone());
        product(self, &low, &high);
        self.tee(outer);
        self.ops(low.clone());
        self.op(I::I64x2Add);
        product(self, &high, &low);
        self.op(I::I64x2Add);
        self.ops(high.clone());
        self.get(outer);
        self.ops(high.clone());
        self.op(I::I64x2Add);
        product(self, &high, &high);
        self.op(I::I64x2Add);
        if signed {
            // A factor below zero counted as 2^64 more than it is.
            for (factor, other) in [(x, y), (y, x)] {
                self.get(factor);
                self.ops([I::I32Const(63), I::I64x2ShrS]);
                self.get(other);
                self.ops([I::V128And, I::I64x2Sub]);
            }
        }
        Ok(())
    }

    /// Whether the second of the stack is less than the first.
    pub(crate) fn less64(&mut self, signed: bool) {
        if signed {
            return self.op(I::I64x2LtS);
        }
        let kept = self.names.vectors[5];
        self.ops([splat64(1 << 63), I::V128Xor]);
        self.set(kept);
        self.ops([splat64(1 << 63), I::V128Xor]);
        self.get(kept);
        self.op(I::I64x2LtS);
    }

    /// The dividend is on the stack. A divisor of zero gives all ones; one of -1 overflows for the least number.
    fn divide64(&mut self, f: IntOp, signed: bool, b: Slot, half: u32) -> Result<(), Refusal> {
        let [x, y, ..] = self.names.vectors;
        let divisor = self.names.offset;
        self.set(x);
        self.read64(b, half)?;
        self.set(y);
        let wide = BlockType::Result(ValType::I64);
        self.each_wide_lane(|e, lane| {
            e.get(y);
            e.op(I::I64x2ExtractLane(lane));
            e.tee(divisor);
            e.ops([I::I64Eqz, I::If(wide), I::I64Const(-1), I::Else]);
            if signed {
                e.get(divisor);
                e.ops([I::I64Const(-1), I::I64Eq, I::If(wide)]);
                if f == IntOp::Div {
                    e.op(I::I64Const(0));
                    e.get(x);
                    e.ops([I::I64x2ExtractLane(lane), I::I64Sub, I::Else]);
                } else {
                    e.ops([I::I64Const(0), I::Else]);
                }
            }
            e.get(x);
            e.op(I::I64x2ExtractLane(lane));
            e.get(divisor);
            e.op(match (signed, f) {
                (true, IntOp::Div) => I::I64DivS,
                (true, _) => I::I64RemS,
                (false, IntOp::Div) => I::I64DivU,
                (false, _) => I::I64RemU,
            });
            e.op(I::End);
            if signed {
                e.op(I::End);
            }
        });
        Ok(())
    }

    pub(crate) fn shift64(
        &mut self,
        f: ShiftOp,
        signed: bool,
        [d, a, b]: [Slot; 3],
    ) -> Result<(), Refusal> {
        let (row, one) = match (f, signed) {
            (ShiftOp::Left, _) => (I::I64x2Shl, I::I64Shl),
            (ShiftOp::Right, true) => (I::I64x2ShrS, I::I64ShrS),
            (ShiftOp::Right, false) => (I::I64x2ShrU, I::I64ShrU),
        };
        let keeps_sign = f == ShiftOp::Right && signed;
        if let Some(amount) = self.known32(b) {
            for half in 0..2 {
                self.read64(a, half)?;
                match amount > 63 && !keeps_sign {
                    true => self.ops([I::Drop, splat64(0)]),
                    false => self.ops([I::I32Const(amount.min(63) as i32), row.clone()]),
                }
                self.write64(d, half);
            }
            return Ok(());
        }
        let amounts = self.keep(b)?;
        let kept = self.names.vectors[1];
        let amount = self.names.first;
        for half in 0..2 {
            self.read64(a, half)?;
            self.set(kept);
            self.each_wide_lane(|e, lane| {
                e.get(amounts);
                e.op(I::I32x4ExtractLane(lane + 2 * half as u8));
                e.set(amount);
                // All shifted out, or all but the sign, where the amount is beyond the width.
                e.get(kept);
                e.op(I::I64x2ExtractLane(lane));
                e.get(amount);
                if keeps_sign {
                    e.ops([I::I32Const(63)]);
                    e.get(amount);
                    e.ops([I::I32Const(63), I::I32LtU, I::Select]);
                    e.ops([I::I64ExtendI32U, one.clone()]);
                } else {
                    e.ops([I::I64ExtendI32U, one.clone(), I::I64Const(0)]);
                    e.get(amount);
                    e.ops([I::I32Const(64), I::I32LtU, I::Select]);
                }
            });
            self.write64(d, half);
        }
        Ok(())
    }

    /// Products of 32 bits, 64 bits wide, plus c.
    pub(crate) fn wide32(&mut self, signed: bool, [d, a, b, c]: [Slot; 4]) -> Result<(), Refusal> {
        for half in 0..2 {
            self.read32(a)?;
            self.read32(b)?;
            self.op(match (signed, half) {
                (true, 0) => I::I64x2ExtMulLowI32x4S,
                (true, _) => I::I64x2ExtMulHighI32x4S,
                (false, 0) => I::I64x2ExtMulLowI32x4U,
                (false, _) => I::I64x2ExtMulHighI32x4U,
            });
            if c.place() != SlotPlace::None {
                self.read64(c, half)?;
                self.op(I::I64x2Add);
            }
            self.write64(d, half);
        }
        Ok(())
    }

    /// Products of 16 bits, 32 bits wide, plus c.
    pub(crate) fn wide16(&mut self, signed: bool, [d, a, b, c]: [Slot; 4]) -> Result<(), Refusal> {
        self.read16(a, signed)?;
        self.read16(b, signed)?;
        self.op(I::I32x4Mul);
        if c.place() != SlotPlace::None {
            self.read32(c)?;
            self.op(I::I32x4Add);
        }
        self.write32(d);
        Ok(())
    }
}
