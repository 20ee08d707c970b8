//! Integers of 16 and 32 bits. In: rows; out: rows, as the interpreter's units make them.

use crate::emit::Emitter;
use crate::instructions::{high_words, low_words, splat32};
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{CountOp, Int16Op, Int32Op, IntOp, Overflow, Slot};
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    pub(crate) fn int32(
        &mut self,
        f: Int32Op,
        signed: bool,
        [d, a, b, c]: [Slot; 4],
    ) -> Result<(), Refusal> {
        use Int32Op as A;
        match f {
            A::Plain(f) => self.plain32(f, signed, [a, b, c])?,
            A::Lop3(table) => self.lop3(table, [a, b, c])?,
            A::Shl => self.shift(I::I32x4Shl, I::I32Shl, [a, b], 31)?,
            A::Shr if signed => self.shift(I::I32x4ShrS, I::I32ShrS, [a, b], 31)?,
            A::Shr => self.shift(I::I32x4ShrU, I::I32ShrU, [a, b], 31)?,
            A::ShfLeft(overflow) => self.funnel([a, b, c], overflow, true)?,
            A::ShfRight(overflow) => self.funnel([a, b, c], overflow, false)?,
            A::Count(CountOp::Popc) => {
                self.read32(a)?;
                self.ops([
                    I::I8x16Popcnt,
                    I::I16x8ExtAddPairwiseI8x16U,
                    I::I32x4ExtAddPairwiseI16x8U,
                ]);
            }
            A::Count(CountOp::Clz) => {
                let row = self.keep(a)?;
                self.each_lane(|e, lane| {
                    e.get(row);
                    e.ops([I::I32x4ExtractLane(lane), I::I32Clz]);
                });
            }
            A::Count(CountOp::Bfind) => self.find_top_bit(a, signed, false)?,
            A::Count(CountOp::BfindShiftAmount) => self.find_top_bit(a, signed, true)?,
            A::Brev => self.reverse_bits(a)?,
            A::Dp4a { a_signed, b_signed } => self.sum_of_bytes([a, b, c], [a_signed, b_signed])?,
            A::Bfe => self.extract([a, b, c], signed)?,
            A::Prmt => self.permute([a, b, c])?,
            A::Mul24Lo => {
                self.read24(a, signed)?;
                self.read24(b, signed)?;
                self.op(I::I32x4Mul);
            }
            A::Mad24Lo => {
                self.read24(a, signed)?;
                self.read24(b, signed)?;
                self.op(I::I32x4Mul);
                self.read32(c)?;
                self.op(I::I32x4Add);
            }
            A::AddSaturated
            | A::SubSaturated
            | A::MadHiSaturated
            | A::Mul24Hi
            | A::Mad24Hi
            | A::Mad24HiSaturated
            | A::Fns
            | A::Szext(_)
            | A::Bmsk(_)
            | A::PrmtMode(_)
            | A::Dp2a { .. } => return self.refuse(format!("{f:?}")),
        }
        self.write32(d);
        Ok(())
    }

    /// Keeps a row in a local, to be read lane by lane.
    pub(crate) fn keep(&mut self, a: Slot) -> Result<u32, Refusal> {
        self.read32(a)?;
        let row = self.names.vectors[0];
        self.set(row);
        Ok(row)
    }

    /// Keeps two rows.
    pub(crate) fn keep_two(&mut self, [a, b]: [Slot; 2]) -> Result<[u32; 2], Refusal> {
        let [first, second, ..] = self.names.vectors;
        self.read32(a)?;
        self.set(first);
        self.read32(b)?;
        self.set(second);
        Ok([first, second])
    }

    fn read_two(&mut self, [a, b]: [Slot; 2]) -> Result<(), Refusal> {
        self.read32(a)?;
        self.read32(b)
    }

    pub(crate) fn plain32(
        &mut self,
        f: IntOp,
        signed: bool,
        [a, b, c]: [Slot; 3],
    ) -> Result<(), Refusal> {
        let two = match f {
            IntOp::Add => I::I32x4Add,
            IntOp::Sub => I::I32x4Sub,
            IntOp::MulLo | IntOp::MadLo => I::I32x4Mul,
            IntOp::Min if signed => I::I32x4MinS,
            IntOp::Min => I::I32x4MinU,
            IntOp::Max if signed => I::I32x4MaxS,
            IntOp::Max => I::I32x4MaxU,
            IntOp::And => I::V128And,
            IntOp::Or => I::V128Or,
            IntOp::Xor => I::V128Xor,
            IntOp::MulHi | IntOp::MadHi => return self.high_product(f, signed, [a, b, c]),
            IntOp::Sad => return self.difference(signed, [a, b, c]),
            IntOp::Div | IntOp::Rem => return self.divide(f, signed, [a, b]),
            IntOp::Abs | IntOp::Neg | IntOp::Not | IntOp::Cnot => return self.one32(f, a),
        };
        self.read_two([a, b])?;
        self.op(two);
        if f == IntOp::MadLo {
            self.read32(c)?;
            self.op(I::I32x4Add);
        }
        Ok(())
    }

    fn one32(&mut self, f: IntOp, a: Slot) -> Result<(), Refusal> {
        self.read32(a)?;
        match f {
            IntOp::Abs => self.op(I::I32x4Abs),
            IntOp::Neg => self.op(I::I32x4Neg),
            IntOp::Not => self.op(I::V128Not),
            _ => self.ops([splat32(0), I::I32x4Eq, splat32(1), I::V128And]),
        }
        Ok(())
    }

    fn high_product(
        &mut self,
        f: IntOp,
        signed: bool,
        [a, b, c]: [Slot; 3],
    ) -> Result<(), Refusal> {
        let (low, high) = match signed {
            true => (I::I64x2ExtMulLowI32x4S, I::I64x2ExtMulHighI32x4S),
            false => (I::I64x2ExtMulLowI32x4U, I::I64x2ExtMulHighI32x4U),
        };
        self.read_two([a, b])?;
        self.op(low);
        self.read_two([a, b])?;
        self.ops([high, high_words()]);
        if f == IntOp::MadHi {
            self.read32(c)?;
            self.op(I::I32x4Add);
        }
        Ok(())
    }

    /// |a - b| + c
    fn difference(&mut self, signed: bool, [a, b, c]: [Slot; 3]) -> Result<(), Refusal> {
        let (low, high) = match signed {
            true => (I::I32x4MinS, I::I32x4MaxS),
            false => (I::I32x4MinU, I::I32x4MaxU),
        };
        self.read_two([a, b])?;
        self.op(high);
        self.read_two([a, b])?;
        self.ops([low, I::I32x4Sub]);
        self.read32(c)?;
        self.op(I::I32x4Add);
        Ok(())
    }

    /// In 64 bits nothing overflows; a divisor of zero gives all ones.
    fn divide(&mut self, f: IntOp, signed: bool, [a, b]: [Slot; 2]) -> Result<(), Refusal> {
        let [a, b] = self.keep_two([a, b])?;
        let (extend, divide) = match (signed, f) {
            (true, IntOp::Div) => (I::I64ExtendI32S, I::I64DivS),
            (true, _) => (I::I64ExtendI32S, I::I64RemS),
            (false, IntOp::Div) => (I::I64ExtendI32U, I::I64DivU),
            (false, _) => (I::I64ExtendI32U, I::I64RemU),
        };
        let divisor = self.names.first;
        self.each_lane(|e, lane| {
            e.get(b);
            e.op(I::I32x4ExtractLane(lane));
            e.tee(divisor);
            e.op(I::If(wasm_encoder::BlockType::Result(
                wasm_encoder::ValType::I32,
            )));
            e.get(a);
            e.ops([I::I32x4ExtractLane(lane), extend.clone()]);
            e.get(divisor);
            e.ops([
                extend.clone(),
                divide.clone(),
                I::I32WrapI64,
                I::Else,
                I::I32Const(-1),
                I::End,
            ]);
        });
        Ok(())
    }

    /// Shifts of 32 bits; amounts beyond `most` leave nothing, or the sign.
    fn shift(
        &mut self,
        row: I<'static>,
        one: I<'static>,
        [a, b]: [Slot; 2],
        most: u32,
    ) -> Result<(), Refusal> {
        let keeps_sign = matches!(row, I::I32x4ShrS);
        if let Some(amount) = self.known32(b) {
            if amount > most && !keeps_sign {
                self.op(splat32(0));
                return Ok(());
            }
            self.read32(a)?;
            self.ops([I::I32Const(amount.min(most) as i32), row]);
            return Ok(());
        }
        let [a, b] = self.keep_two([a, b])?;
        if keeps_sign {
            self.get(b);
            self.ops([splat32(most), I::I32x4MinU]);
            self.set(b);
        }
        self.each_lane(|e, lane| {
            e.get(a);
            e.op(I::I32x4ExtractLane(lane));
            e.get(b);
            e.ops([I::I32x4ExtractLane(lane), one.clone()]);
        });
        if !keeps_sign {
            self.get(b);
            self.ops([splat32(most), I::I32x4LeU, I::V128And]);
        }
        Ok(())
    }

    /// `shf`: 64 bits of b and a, of which 32 are kept.
    fn funnel(
        &mut self,
        [a, b, c]: [Slot; 3],
        overflow: Overflow,
        is_left: bool,
    ) -> Result<(), Refusal> {
        let known = self.known32(c).map(|amount| match overflow {
            Overflow::Clamp => amount.min(32),
            Overflow::Wrap => amount & 31,
        });
        let Some(amount) = known else {
            return self.funnel_by_register([a, b, c], overflow, is_left);
        };
        // From the right: bits `amount` to `amount + 31` of the pair, or `32 - amount` on.
        let start = if is_left { 32 - amount } else { amount };
        match start {
            0 => self.read32(a)?,
            32 => self.read32(b)?,
            _ => {
                self.read32(a)?;
                self.ops([I::I32Const(start as i32), I::I32x4ShrU]);
                self.read32(b)?;
                self.ops([I::I32Const(32 - start as i32), I::I32x4Shl, I::V128Or]);
            }
        }
        Ok(())
    }

    fn funnel_by_register(
        &mut self,
        [a, b, c]: [Slot; 3],
        overflow: Overflow,
        is_left: bool,
    ) -> Result<(), Refusal> {
        let [low, high] = self.keep_two([a, b])?;
        let amounts = self.names.vectors[2];
        self.read32(c)?;
        match overflow {
            Overflow::Clamp => self.ops([splat32(32), I::I32x4MinU]),
            Overflow::Wrap => self.ops([splat32(31), I::V128And]),
        }
        self.set(amounts);
        self.each_lane(|e, lane| {
            for (part, local) in [(1, high), (0, low)] {
                e.get(local);
                e.ops([I::I32x4ExtractLane(lane), I::I64ExtendI32U]);
                if part == 1 {
                    e.ops([I::I64Const(32), I::I64Shl]);
                }
            }
            e.op(I::I64Or);
            e.get(amounts);
            e.ops([I::I32x4ExtractLane(lane), I::I64ExtendI32U]);
            match is_left {
                true => e.ops([I::I64Shl, I::I64Const(32), I::I64ShrU]),
                false => e.op(I::I64ShrU),
            }
            e.op(I::I32WrapI64);
        });
        Ok(())
    }

    /// `bfind`: where the highest bit is that differs from the sign, all ones if none does; `from_top` counts from the other end.
    fn find_top_bit(&mut self, a: Slot, signed: bool, from_top: bool) -> Result<(), Refusal> {
        let row = self.keep(a)?;
        if signed {
            self.get(row);
            self.get(row);
            self.ops([I::I32Const(31), I::I32x4ShrS, I::V128Xor]);
            self.set(row);
        }
        self.each_lane(|e, lane| {
            if !from_top {
                e.op(I::I32Const(31));
            }
            e.get(row);
            e.ops([I::I32x4ExtractLane(lane), I::I32Clz]);
            if !from_top {
                e.op(I::I32Sub);
            }
        });
        if from_top {
            // No bit at all.
            self.get(row);
            self.ops([splat32(0), I::I32x4Eq, I::V128Or]);
        }
        Ok(())
    }

    /// `brev`: bytes the other way round, then the bits of each.
    fn reverse_bits(&mut self, a: Slot) -> Result<(), Refusal> {
        let row = self.keep(a)?;
        self.get(row);
        self.get(row);
        let bytes = std::array::from_fn(|at| (at / 4 * 4 + 3 - at % 4) as u8);
        self.op(I::I8x16Shuffle(bytes));
        for (shift, mask) in [(4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
            self.tee(row);
            self.ops([I::I32Const(shift), I::I32x4ShrU, splat32(mask), I::V128And]);
            self.get(row);
            self.ops([splat32(mask), I::V128And, I::I32Const(shift), I::I32x4Shl]);
            self.op(I::V128Or);
        }
        Ok(())
    }

    /// `dp4a`: products of bytes, four of them and a number added up.
    fn sum_of_bytes(
        &mut self,
        [a, b, c]: [Slot; 3],
        [a_signed, b_signed]: [bool; 2],
    ) -> Result<(), Refusal> {
        let [x, y, low, ..] = self.names.vectors;
        for (slot, row) in [(a, x), (b, y)] {
            self.read32(slot)?;
            self.set(row);
        }
        let extended = |signed: bool, half: u32| match (signed, half) {
            (true, 0) => I::I16x8ExtendLowI8x16S,
            (true, _) => I::I16x8ExtendHighI8x16S,
            (false, 0) => I::I16x8ExtendLowI8x16U,
            (false, _) => I::I16x8ExtendHighI8x16U,
        };
        for half in 0..2 {
            for (row, signed) in [(x, a_signed), (y, b_signed)] {
                self.get(row);
                self.op(extended(signed, half));
            }
            self.op(I::I16x8Mul);
            // Only products without a sign need all 16 bits.
            self.op(match a_signed || b_signed {
                true => I::I32x4ExtAddPairwiseI16x8S,
                false => I::I32x4ExtAddPairwiseI16x8U,
            });
            if half == 0 {
                self.set(low);
            }
        }
        self.set(x);
        for words in [low_words(), high_words()] {
            self.get(low);
            self.get(x);
            self.op(words);
        }
        self.op(I::I32x4Add);
        self.read32(c)?;
        self.op(I::I32x4Add);
        Ok(())
    }

    /// `bfe` of a field that the code names.
    fn extract(&mut self, [a, b, c]: [Slot; 3], signed: bool) -> Result<(), Refusal> {
        let (Some(position), Some(length)) = (self.known32(b), self.known32(c)) else {
            return self.refuse("a bit field with position or length in registers");
        };
        let (position, length) = (position & 0xff, length & 0xff);
        if length == 0 || position > 31 && !signed {
            self.op(splat32(0));
            return Ok(());
        }
        let position = position.min(31) as i32;
        let shift = 32 - length.min(32) as i32;
        let right = if signed { I::I32x4ShrS } else { I::I32x4ShrU };
        self.read32(a)?;
        self.ops([
            I::I32Const(position),
            right.clone(),
            I::I32Const(shift),
            I::I32x4Shl,
            I::I32Const(shift),
            right,
        ]);
        Ok(())
    }

    /// `bfi` of a field that the code names.
    pub(crate) fn insert32(&mut self, [d, a, b, c, e]: [Slot; 5]) -> Result<(), Refusal> {
        let (Some(position), Some(length)) = (self.known32(c), self.known32(e)) else {
            return self.refuse("a bit field with position or length in registers");
        };
        let (position, length) = (position & 0xff, length & 0xff);
        let low = u32::MAX.checked_shl(length).map_or(u32::MAX, |high| !high);
        let mask = low.checked_shl(position).unwrap_or(0);
        self.read32(a)?;
        self.ops([I::I32Const(position.min(31) as i32), I::I32x4Shl]);
        self.read32(b)?;
        self.ops([splat32(mask), I::V128Bitselect]);
        self.write32(d);
        Ok(())
    }

    /// `prmt` by a selector that the code names and that repeats no sign: one shuffle.
    fn permute(&mut self, [a, b, c]: [Slot; 3]) -> Result<(), Refusal> {
        let Some(selector) = self.known32(c).filter(|s| s & 0x8888 == 0) else {
            return self.refuse("a permutation with a selector in a register");
        };
        let lanes = std::array::from_fn(|at| {
            let (lane, byte) = (at as u32 / 4, at as u32 % 4);
            let picked = selector >> (4 * byte) & 7;
            (4 * lane + picked % 4 + picked / 4 * 16) as u8
        });
        self.read_two([a, b])?;
        self.op(I::I8x16Shuffle(lanes));
        Ok(())
    }

    fn read24(&mut self, a: Slot, signed: bool) -> Result<(), Refusal> {
        self.read32(a)?;
        self.fit(24, signed);
        Ok(())
    }

    /// Logic of three sources by its table, a term for each combination that gives one.
    fn lop3(&mut self, table: u8, [a, b, c]: [Slot; 3]) -> Result<(), Refusal> {
        self.op(splat32(0));
        for bit in (0..8u8).filter(|bit| table >> bit & 1 != 0) {
            for (shift, slot) in [(2, a), (1, b), (0, c)] {
                self.read32(slot)?;
                if bit >> shift & 1 == 0 {
                    self.op(I::V128Not);
                }
                if shift < 2 {
                    self.op(I::V128And);
                }
            }
            self.op(I::V128Or);
        }
        Ok(())
    }

    /// Integers of 16 bits, which lie in rows of 32.
    pub(crate) fn int16(
        &mut self,
        f: Int16Op,
        signed: bool,
        [d, a, b, c]: [Slot; 4],
    ) -> Result<(), Refusal> {
        match f {
            // Their low bits depend on those of the sources alone.
            Int16Op::Plain(
                f @ (IntOp::Add
                | IntOp::Sub
                | IntOp::MulLo
                | IntOp::MadLo
                | IntOp::And
                | IntOp::Or
                | IntOp::Xor
                | IntOp::Not
                | IntOp::Neg),
            ) => self.plain32(f, signed, [a, b, c])?,
            Int16Op::Plain(f @ (IntOp::Min | IntOp::Max)) => {
                self.read16(a, signed)?;
                self.read16(b, signed)?;
                self.op(match f {
                    IntOp::Min => I::I32x4MinS,
                    _ => I::I32x4MaxS,
                });
            }
            Int16Op::Plain(IntOp::Abs) => {
                self.read16(a, true)?;
                self.op(I::I32x4Abs);
            }
            Int16Op::Shl => self.shift(I::I32x4Shl, I::I32Shl, [a, b], 15)?,
            Int16Op::Shr => {
                let Some(amount) = self.known32(b) else {
                    return self.refuse("a 16-bit shift with the amount in a register");
                };
                self.read16(a, signed)?;
                self.ops([I::I32Const(amount.min(31) as i32), I::I32x4ShrS]);
            }
            Int16Op::Plain(
                IntOp::MulHi | IntOp::MadHi | IntOp::Sad | IntOp::Div | IntOp::Rem | IntOp::Cnot,
            ) => return self.refuse(format!("{f:?} of 16 bits")),
        }
        self.fit(16, false);
        self.write32(d);
        Ok(())
    }

    /// A row of 16 bits, extended.
    pub(crate) fn read16(&mut self, a: Slot, signed: bool) -> Result<(), Refusal> {
        self.read32(a)?;
        self.fit(16, signed);
        Ok(())
    }
}
