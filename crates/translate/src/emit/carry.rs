//! Sums that take in the carry of a sum before, and leave one. In: rows, and the carry; out: rows, and in which lanes there is a carry.

use crate::emit::Emitter;
use crate::instructions::{halves, low_words, splat32};
use crate::refusal::Refusal;
use crate::registers::Register;
use warpgrid_emulator::plain::{Bank, CarryMode, CarryOp, IntOp, Slot};
use wasm_encoder::Instruction as I;

/// The carry of each lane. A function finds in it what its caller left.
const CARRY: Register = (Bank::Predicate, u32::MAX);

/// Instructions that differ by width.
struct Width {
    add: I<'static>,
    sub: I<'static>,
    /// Spreads the highest bit over all of a number.
    spread: [I<'static>; 2],
}

impl Emitter<'_> {
    /// `add.cc`, `subc`, `madc.hi` and relatives of 32 bits.
    pub(crate) fn carry32(
        &mut self,
        f: CarryOp,
        mode: CarryMode,
        slots @ [d, ..]: [Slot; 4],
    ) -> Result<(), Refusal> {
        let sum = self.names.vectors[5];
        let carry = self.names.addresses[0];
        self.sum_of(f, mode, slots, None)?;
        self.set(carry);
        self.get(sum);
        self.write32(d);
        if mode.writes {
            self.get(carry);
            self.write(CARRY, 0);
        }
        Ok(())
    }

    /// The same of 64 bits.
    pub(crate) fn carry64(
        &mut self,
        f: CarryOp,
        mode: CarryMode,
        slots @ [d, ..]: [Slot; 4],
    ) -> Result<(), Refusal> {
        let sum = self.names.vectors[5];
        let carries = self.names.addresses;
        for (half, carry) in (0..).zip(carries) {
            self.sum_of(f, mode, slots, Some(half))?;
            self.set(carry);
            self.get(sum);
            self.write64(d, half);
        }
        if mode.writes {
            for carry in carries {
                self.get(carry);
            }
            self.op(low_words());
            self.write(CARRY, 0);
        }
        Ok(())
    }

    /// A number or a product and what is added to it, of 32 bits, or halves of rows of 64: the sum is in a local, and the carry of each lane on the stack.
    fn sum_of(
        &mut self,
        f: CarryOp,
        mode: CarryMode,
        [_, a, b, c]: [Slot; 4],
        half: Option<u32>,
    ) -> Result<(), Refusal> {
        let [_, _, _, x, y, _] = self.names.vectors;
        let (product, second) = match f {
            CarryOp::Add | CarryOp::Sub => (None, b),
            CarryOp::MadLo => (Some(IntOp::MulLo), c),
            CarryOp::MadHi => (Some(IntOp::MulHi), c),
        };
        match (product, half) {
            (None, None) => self.read32(a)?,
            (None, Some(half)) => self.read64(a, half)?,
            (Some(product), None) => self.plain32(product, mode.signed, [a, b, c])?,
            (Some(product), Some(half)) => self.half64(product, mode.signed, [a, b, c], half)?,
        }
        self.set(x);
        match half {
            None => self.read32(second)?,
            Some(half) => self.read64(second, half)?,
        }
        self.set(y);
        self.add_with_carry(f, mode, half);
        Ok(())
    }

    /// Adds the two in locals. A subtraction adds the complement and one, as the interpreter does.
    fn add_with_carry(&mut self, f: CarryOp, mode: CarryMode, half: Option<u32>) {
        let [_, _, _, x, y, sum] = self.names.vectors;
        let Width { add, sub, spread } = match half {
            None => Width {
                add: I::I32x4Add,
                sub: I::I32x4Sub,
                spread: [I::I32Const(31), I::I32x4ShrS],
            },
            Some(_) => Width {
                add: I::I64x2Add,
                sub: I::I64x2Sub,
                spread: [I::I32Const(63), I::I64x2ShrS],
            },
        };
        if f == CarryOp::Sub {
            self.get(y);
            self.op(I::V128Not);
            self.set(y);
        }
        self.get(x);
        self.get(y);
        self.op(add);
        if mode.reads {
            let carry = self.read_register(CARRY);
            self.get(carry);
            if let Some(half) = half {
                self.op(halves(half));
            }
            self.op(sub);
        } else if f == CarryOp::Sub {
            self.op(splat32(u32::MAX));
            self.op(sub);
        }
        self.set(sum);
        // The highest bits of both carry, or one of them where the sum's is zero.
        self.get(x);
        self.get(y);
        self.op(I::V128And);
        self.get(x);
        self.get(y);
        self.op(I::V128Or);
        self.get(sum);
        self.ops([I::V128AndNot, I::V128Or]);
        self.ops(spread);
    }
}
