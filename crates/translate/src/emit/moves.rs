//! Moves between registers, selections, and values that are put together or taken apart. In: registers; out: registers.

use crate::emit::Emitter;
use crate::instructions::{halves, high_words, low_words, splat32, splat64};
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{Bank, Element, PlanId, Slot, SlotPlace};
use wasm_encoder::Instruction as I;

/// The low or the high words of two rows, by turns.
const ZIP: [I<'static>; 2] = [
    I::I8x16Shuffle([0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
    I::I8x16Shuffle([8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
];

impl Emitter<'_> {
    pub(crate) fn move32(&mut self, d: Slot, a: Slot) -> Result<(), Refusal> {
        self.read32(a)?;
        self.write32(d);
        Ok(())
    }

    pub(crate) fn move64(&mut self, d: Slot, a: Slot) -> Result<(), Refusal> {
        for half in 0..2 {
            self.read64(a, half)?;
            self.write64(d, half);
        }
        Ok(())
    }

    pub(crate) fn move_predicate(&mut self, d: Slot, a: Slot) -> Result<(), Refusal> {
        self.read_predicate(a)?;
        self.write_predicate(d);
        Ok(())
    }

    pub(crate) fn select32(&mut self, [d, a, b, p]: [Slot; 4]) -> Result<(), Refusal> {
        self.read32(a)?;
        self.read32(b)?;
        self.read_predicate(p)?;
        self.op(I::V128Bitselect);
        self.write32(d);
        Ok(())
    }

    pub(crate) fn select64(&mut self, [d, a, b, p]: [Slot; 4]) -> Result<(), Refusal> {
        for half in 0..2 {
            self.read64(a, half)?;
            self.read64(b, half)?;
            self.read_predicate(p)?;
            self.ops([halves(half), I::V128Bitselect]);
            self.write64(d, half);
        }
        Ok(())
    }

    /// Logic of two predicates; bit `2 * a + b` of the table is the result.
    pub(crate) fn predicate_logic(
        &mut self,
        table: u8,
        [d, a, b]: [Slot; 3],
    ) -> Result<(), Refusal> {
        self.op(splat32(0));
        for bit in (0..4u8).filter(|bit| table >> bit & 1 != 0) {
            for (shift, slot) in [(1, a), (0, b)] {
                self.read_predicate(slot)?;
                if bit >> shift & 1 == 0 {
                    self.op(I::V128Not);
                }
            }
            self.ops([I::V128And, I::V128Or]);
        }
        self.write_predicate(d);
        Ok(())
    }

    pub(crate) fn extend32(&mut self, signed: bool, d: Slot, a: Slot) -> Result<(), Refusal> {
        for half in 0..2 {
            self.read32(a)?;
            self.extend_half(signed, half);
            self.write64(d, half);
        }
        Ok(())
    }

    /// Half of a row to 64 bits.
    pub(crate) fn extend_half(&mut self, signed: bool, half: u32) {
        self.op(match (signed, half) {
            (true, half) => halves(half),
            (false, 0) => I::I64x2ExtendLowI32x4U,
            (false, _) => I::I64x2ExtendHighI32x4U,
        });
    }

    pub(crate) fn truncate64(&mut self, d: Slot, a: Slot) -> Result<(), Refusal> {
        self.read64(a, 0)?;
        self.read64(a, 1)?;
        self.op(low_words());
        self.write32(d);
        Ok(())
    }

    /// Adds to an address.
    pub(crate) fn add_offset(
        &mut self,
        d: Element,
        a: Element,
        addend: u64,
    ) -> Result<(), Refusal> {
        self.change_address(d, a, |e, is_wide| match is_wide {
            true => e.ops([splat64(addend), I::I64x2Add]),
            false => e.ops([splat32(addend as u32), I::I32x4Add]),
        })
    }

    /// Rounds an address down.
    pub(crate) fn align_down(&mut self, d: Element, a: Element, bytes: u32) -> Result<(), Refusal> {
        let mask = !u64::from(bytes.max(1) - 1);
        self.change_address(d, a, |e, is_wide| match is_wide {
            true => e.ops([splat64(mask), I::V128And]),
            false => e.ops([splat32(mask as u32), I::V128And]),
        })
    }

    fn change_address(
        &mut self,
        d: Element,
        a: Element,
        change: impl Fn(&mut Self, bool),
    ) -> Result<(), Refusal> {
        match (d.bank, a.bank) {
            (Bank::B64, Bank::B64) => {
                for half in 0..2 {
                    self.read64(a.slot, half)?;
                    change(self, true);
                    self.write64(d.slot, half);
                }
            }
            (Bank::B32, Bank::B32) if d.bits == 32 && a.bits == 32 => {
                self.read32(a.slot)?;
                change(self, false);
                self.write32(d.slot);
            }
            _ => return self.refuse("an address with a different width"),
        }
        Ok(())
    }

    /// Several elements as one value.
    pub(crate) fn pack(
        &mut self,
        d: Element,
        list: PlanId<Vec<Element>>,
        bits: u8,
    ) -> Result<(), Refusal> {
        let elements = self.plain.elements(list);
        match (d.bank, elements, bits) {
            (Bank::B64, [low, high], 32) => {
                for half in 0..2 {
                    self.read_part(*low)?;
                    self.read_part(*high)?;
                    self.op(ZIP[half as usize].clone());
                    self.write64(d.slot, half);
                }
            }
            (Bank::B32, [low, high], 16) => {
                self.read_part(*low)?;
                self.fit(16, false);
                self.read_part(*high)?;
                self.ops([I::I32Const(16), I::I32x4Shl, I::V128Or]);
                self.write32(d.slot);
            }
            _ => return self.refuse("a pack of elements of this width"),
        }
        Ok(())
    }

    fn read_part(&mut self, element: Element) -> Result<(), Refusal> {
        match element.slot.place() {
            SlotPlace::None => {
                self.op(splat32(0));
                Ok(())
            }
            _ => self.read_element32(element),
        }
    }

    /// One value as several elements.
    pub(crate) fn unpack(
        &mut self,
        a: Element,
        list: PlanId<Vec<Element>>,
        bits: u8,
    ) -> Result<(), Refusal> {
        let elements = self.plain.elements(list);
        let fits = elements.iter().all(|e| e.bank == Bank::B32);
        match (a.bank, elements, bits) {
            (Bank::B64, [low, high], 32) if fits => {
                let kept = self.names.vectors[0];
                self.read64(a.slot, 0)?;
                self.read64(a.slot, 1)?;
                self.op(high_words());
                self.set(kept);
                self.truncate64(low.slot, a.slot)?;
                self.get(kept);
                self.write32(high.slot);
            }
            (Bank::B32, [low, high], 16) if fits => {
                let kept = self.keep(a.slot)?;
                self.get(kept);
                self.fit(16, false);
                self.write32(low.slot);
                self.get(kept);
                self.ops([I::I32Const(16), I::I32x4ShrU]);
                self.write32(high.slot);
            }
            _ => return self.refuse("an unpack into elements of this width"),
        }
        Ok(())
    }
}
