//! Contiguous accesses as vector operations, and uniform accesses as single loads. The generated code takes the address
//! of the first lane, and produces stored bytes or loaded registers.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::memory::address_pattern::CachedBound;
use crate::emit::memory::{AccessDirection, SubwarpAccess};
use crate::instructions::{halves, high_halves, high_words, low_halves, low_words, splat32};
use warpgrid_emulator::translation_view::{AccessPlan, RegisterBank, RegisterOperand};
use warpgrid_isa::Signedness::{Signed, Unsigned};
use wasm_encoder::{BlockType, Instruction as I};

/// Shuffles that interleave the low words or the high words of two rows.
const ZIP_LOW: I<'static> =
    I::I8x16Shuffle([0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]);
const ZIP_HIGH: I<'static> =
    I::I8x16Shuffle([8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]);
impl Emitter<'_> {
    /// Emits a contiguous access. After the access, the code exits the outer WebAssembly block.
    pub(crate) fn move_row(&mut self, access: &SubwarpAccess<'_>) -> Result<(), BailoutReason> {
        self.op(I::Block(BlockType::Empty));
        self.check_addresses(access, access.width());
        self.find_place(access, 4 * access.width(), CachedBound::Row);
        self.record_range_access(access, 4 * access.width());
        match access.way {
            AccessDirection::Load => self.load_row(access.plan),
            AccessDirection::Store => self.store_row(access.plan, None)?,
        }
        self.ops([I::Br(1), I::End]);
        Ok(())
    }

    pub(crate) fn load_row(&mut self, plan: &AccessPlan) {
        let pointer = self.pointer;
        let rows = self.names.vectors;
        match (plan.element_bytes, plan.elements.len()) {
            (8, _) => {
                for half in 0..2 {
                    self.get_pointer();
                    self.op(I::V128Load(pointer.at(16 * half)));
                    self.write64(plan.elements[0].slot, half);
                }
                return;
            }
            (4, n) => {
                for (part, local) in (0..n as u32).zip(rows) {
                    self.get_pointer();
                    self.op(I::V128Load(pointer.at(16 * part)));
                    self.set(local);
                }
                self.part_words(n);
            }
            (2, _) => {
                self.get_pointer();
                self.op(I::V128Load64Zero(pointer.at(0)));
                self.op(match plan.sign {
                    Signed => I::I32x4ExtendLowI16x8S,
                    Unsigned => I::I32x4ExtendLowI16x8U,
                });
                self.set(rows[0]);
            }
            _ => {
                self.get_pointer();
                self.op(I::V128Load32Zero(pointer.at(0)));
                match plan.sign {
                    Signed => self.ops([I::I16x8ExtendLowI8x16S, I::I32x4ExtendLowI16x8S]),
                    Unsigned => self.ops([I::I16x8ExtendLowI8x16U, I::I32x4ExtendLowI16x8U]),
                }
                self.set(rows[0]);
            }
        }
        for (element, local) in plan.elements.iter().zip(rows) {
            self.get(local);
            self.write_loaded(plan, *element);
        }
    }

    /// Transposes the loaded words of four lanes, so that each row contains one element of all lanes.
    pub(crate) fn part_words(&mut self, n: usize) {
        let [a, b, c, d, e, _] = self.names.vectors;
        if n == 2 {
            self.get_all([a, b]);
            self.op(low_words());
            self.get_all([a, b]);
            self.op(high_words());
            self.set(b);
            self.set(a);
        } else if n == 4 {
            // Interleave the first two elements of each pair of lanes, then the last two elements.
            for (zip, [low, high]) in [(ZIP_LOW, [a, e]), (ZIP_HIGH, [c, d])] {
                let is_first = low == a;
                self.get_all([a, b]);
                self.op(zip.clone());
                self.get_all([c, d]);
                self.op(zip);
                if is_first {
                    // Save this row in a second local until the other rows have been read.
                    self.set(self.names.addresses[1]);
                    self.set(e);
                } else {
                    self.set(high);
                    self.set(low);
                }
            }
            let [first, second] = [e, self.names.addresses[1]];
            self.get_all([first, second]);
            self.op(low_halves());
            self.set(a);
            self.get_all([first, second]);
            self.op(high_halves());
            self.set(b);
            self.get_all([c, d]);
            self.op(high_halves());
            self.get_all([c, d]);
            self.op(low_halves());
            self.set(c);
            self.set(d);
        }
    }

    /// Emits the store of a row to contiguous addresses. If `guard` is given, the code stores only the words of the
    /// lanes in the mask that the local `guard` contains.
    pub(crate) fn store_row(
        &mut self,
        plan: &AccessPlan,
        guard: Option<u32>,
    ) -> Result<(), BailoutReason> {
        let pointer = self.pointer;
        let element = plan.elements[0];
        let keep = |e: &mut Self, place: u32, select: &[I<'static>]| {
            let Some(guard) = guard else {
                return;
            };
            e.get_pointer();
            e.op(I::V128Load(pointer.at(place)));
            e.get(guard);
            e.out.extend_from_slice(select);
            e.op(I::V128Bitselect);
        };
        match (plan.element_bytes, plan.elements.as_slice()) {
            (8, _) => {
                for half in 0..2 {
                    self.get_pointer();
                    self.read64(element.slot, half)?;
                    keep(self, 16 * half, &[halves(half)]);
                    self.op(I::V128Store(pointer.at(16 * half)));
                }
            }
            (4, [a]) => {
                self.get_pointer();
                self.read_element32(*a)?;
                keep(self, 0, &[]);
                self.op(I::V128Store(pointer.at(0)));
            }
            (4, _) => self.store_vectors(plan)?,
            _ => self.store_narrow(plan)?,
        }
        Ok(())
    }

    /// Stores the two or four words of each lane, lane by lane.
    fn store_vectors(&mut self, plan: &AccessPlan) -> Result<(), BailoutReason> {
        let pointer = self.pointer;
        match plan.elements.as_slice() {
            [a, b] => {
                for (part, zip) in [(0, ZIP_LOW), (1, ZIP_HIGH)] {
                    self.get_pointer();
                    self.read_element32(*a)?;
                    self.read_element32(*b)?;
                    self.ops([zip, I::V128Store(pointer.at(16 * part))]);
                }
            }
            [a, b, c, d] => {
                for (part, zip, half) in [
                    (0, ZIP_LOW, low_halves()),
                    (1, ZIP_LOW, high_halves()),
                    (2, ZIP_HIGH, low_halves()),
                    (3, ZIP_HIGH, high_halves()),
                ] {
                    self.get_pointer();
                    self.read_element32(*a)?;
                    self.read_element32(*b)?;
                    self.op(zip.clone());
                    self.read_element32(*c)?;
                    self.read_element32(*d)?;
                    self.ops([zip, half, I::V128Store(pointer.at(16 * part))]);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Stores the low 8 or 16 bits of each word in a row.
    fn store_narrow(&mut self, plan: &AccessPlan) -> Result<(), BailoutReason> {
        let memarg = self.pointer.at(0);
        self.get_pointer();
        self.read_element32(plan.elements[0])?;
        if plan.element_bytes == 2 {
            self.ops([
                splat32(0xffff),
                I::V128And,
                splat32(0),
                I::I16x8NarrowI32x4U,
            ]);
            self.op(I::V128Store64Lane { memarg, lane: 0 });
        } else {
            self.ops([splat32(0xff), I::V128And, splat32(0), I::I16x8NarrowI32x4U]);
            self.ops([splat32(0), I::I8x16NarrowI16x8U]);
            self.op(I::V128Store32Lane { memarg, lane: 0 });
        }
        Ok(())
    }

    /// Emits a load whose address is the same in all lanes.
    pub(crate) fn load_one_place(
        &mut self,
        access: &SubwarpAccess<'_>,
    ) -> Result<(), BailoutReason> {
        let plan = access.plan;
        self.op(I::Block(BlockType::Empty));
        self.check_addresses(access, 0);
        self.find_place(access, access.width(), CachedBound::Range);
        self.record_range_access(access, access.width());
        self.load_one(plan);
        self.ops([I::Br(1), I::End]);
        Ok(())
    }

    pub(crate) fn load_one(&mut self, plan: &AccessPlan) {
        let pointer = self.pointer;
        if plan.elements.len() == 4 && self.loads_rows_of_words(plan) {
            let kept = self.names.vectors[4];
            self.get_pointer();
            self.op(I::V128Load(pointer.at(0)));
            self.set(kept);
            return self.load_words(plan, kept, 0);
        }
        self.load_from(plan, |e, offset| {
            e.get_pointer();
            pointer.beyond + offset
        });
    }

    /// Checks whether an access loads one or more 32-bit words, each of which becomes a separate row.
    pub(crate) fn loads_rows_of_words(&self, plan: &AccessPlan) -> bool {
        let is_row = |element: &RegisterOperand| {
            element.bank == RegisterBank::B32 && self.scalar(element.bank, element.slot).is_none()
        };
        plan.element_bytes == 4 && plan.elements.iter().all(is_row)
    }

    /// Broadcasts words of the vector in a local to all lanes. `first` is the index of the word that is broadcast to
    /// the first element.
    pub(crate) fn load_words(&mut self, plan: &AccessPlan, words: u32, first: u32) {
        for (word, element) in (first as u8..).zip(&plan.elements) {
            // Both operands of the shuffle are the same vector.
            self.get_all([words, words]);
            let lanes = std::array::from_fn(|at| 4 * word + at as u8 % 4);
            self.op(I::I8x16Shuffle(lanes));
            self.write_loaded(plan, *element);
        }
    }
}
