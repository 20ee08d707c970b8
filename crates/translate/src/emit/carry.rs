//! Sums that take in the carry of a sum before, and leave one. In: rows, and the carry; out: rows, and in which lanes there is a carry.

use super::{Emitter, Register, halves, low_words, splat32};
use crate::Refusal;
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
    pub(super) fn carry32(
        &mut self,
        f: CarryOp,
        mode: CarryMode,
        slots @ [d, a, b, c]: [Slot; 4],
    ) -> Result<(), Refusal> {
        let [_, _, _, x, y, sum] = self.names.vectors;
        match f {
            CarryOp::Add | CarryOp::Sub => self.read32(a)?,
            CarryOp::MadLo => self.plain32(IntOp::MulLo, mode.signed, [a, b, c])?,
            CarryOp::MadHi => self.plain32(IntOp::MulHi, mode.signed, [a, b, c])?,
        }
        self.set(x);
        self.read32(second(f, slots))?;
        self.set(y);
        self.add_with_carry(f, mode, None);
        self.get(sum);
        self.write32(d);
        if mode.writes {
            self.write(CARRY, 0);
        } else {
            self.op(I::Drop);
        }
        Ok(())
    }

    /// The same of 64 bits.
    pub(super) fn carry64(
        &mut self,
        f: CarryOp,
        mode: CarryMode,
        slots @ [d, a, b, c]: [Slot; 4],
    ) -> Result<(), Refusal> {
        let [_, _, _, x, y, sum] = self.names.vectors;
        let carries = self.names.addresses;
        for (half, carry) in (0..).zip(carries) {
            match f {
                CarryOp::Add | CarryOp::Sub => self.read64(a, half)?,
                CarryOp::MadLo => self.half64(IntOp::MulLo, mode.signed, [a, b, c], half)?,
                CarryOp::MadHi => self.half64(IntOp::MulHi, mode.signed, [a, b, c], half)?,
            }
            self.set(x);
            self.read64(second(f, slots), half)?;
            self.set(y);
            self.add_with_carry(f, mode, Some(half));
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

    /// Adds two rows in locals, of 32 bits, or halves of rows of 64: the sum is in another one, and the carry of each lane on the stack. A subtraction adds the
    /// complement and one, as the interpreter does.
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

/// What is added to a number or to a product.
fn second(f: CarryOp, [_, _, b, c]: [Slot; 4]) -> Slot {
    match f {
        CarryOp::Add | CarryOp::Sub => b,
        CarryOp::MadLo | CarryOp::MadHi => c,
    }
}
