//! Parameter passing at inlined calls. Input: locations in the caller and in the function. Output: moves between their
//! registers, and copies between their stack bytes.

use crate::code::Moves;
use crate::emit::{Emitter, RECORD};
use crate::helpers;
use crate::instructions::{at, zero_extended_words};
use crate::place::{GANG, record};
use crate::refusal::Refusal;
use warpgrid_emulator::plain::{Bank, Element, Place};
use warpgrid_isa::Signedness;
use wasm_encoder::{BlockType, Instruction as I};

/// Copy between two ranges of a thread's stack.
struct Copied {
    from: u64,
    to: u64,
    bytes: u64,
}

impl Emitter<'_> {
    /// Moves all values that cross a call.
    pub(crate) fn cross(&mut self, moves: Moves<'_>) -> Result<(), Refusal> {
        let mut copied = Vec::new();
        for (from, to) in moves.values {
            match (*from, *to) {
                (Place::Register(from), Place::Register(to)) => {
                    self.cross_register((from, moves.from), (to, moves.to))?;
                }
                (Place::Stack { offset, size }, Place::Stack { offset: o, size: s }) => {
                    copied.push(Copied {
                        from: self.code.stack(moves.from) + u64::from(offset),
                        to: self.code.stack(moves.to) + u64::from(o),
                        bytes: size.min(s).into(),
                    });
                }
                _ => return self.refuse("a call that spills registers"),
            }
        }
        if !copied.is_empty() {
            self.cross_stack(&copied);
        }
        Ok(())
    }

    fn cross_register(
        &mut self,
        (from, from_frame): (Element, usize),
        (to, to_frame): (Element, usize),
    ) -> Result<(), Refusal> {
        if !to.slot.is_some() {
            return Ok(());
        }
        let frame = std::mem::replace(&mut self.frame, from_frame);
        match (from.bank, to.bank) {
            (Bank::B32 | Bank::B64, Bank::B32) => {
                self.read_element32(from)?;
                self.frame = to_frame;
                self.fit(to.bits, Signedness::Unsigned);
                self.write32(to.slot);
            }
            (Bank::B32 | Bank::B64, Bank::B64) => {
                for half in 0..2 {
                    self.frame = from_frame;
                    if from.bank == Bank::B64 {
                        self.read64(from.slot, half)?;
                    } else {
                        self.read32(from.slot)?;
                        self.op(zero_extended_words(half));
                    }
                    self.frame = to_frame;
                    self.write64(to.slot, half);
                }
            }
            (Bank::Predicate, Bank::Predicate) => {
                self.read_predicate(from.slot)?;
                self.frame = to_frame;
                self.write_predicate(to.slot);
            }
            _ => return self.refuse("a call that passes registers of this type"),
        }
        self.frame = frame;
        Ok(())
    }

    /// Copies stack bytes of each active lane.
    fn cross_stack(&mut self, all: &[Copied]) {
        let (mask, pointer) = (self.names.mask, self.names.pointer);
        let lane_bytes = self.places.local_bytes;
        self.get(RECORD);
        self.ops([
            I::I32Load(at(record::GANG)),
            I::I32Const((GANG * lane_bytes) as i32),
            I::I32Mul,
        ]);
        self.set(pointer);
        for lane in 0..GANG {
            self.get(mask);
            self.ops([I::I32Const(1 << lane), I::I32And, I::If(BlockType::Empty)]);
            let first = u64::from(self.places.local + lane * lane_bytes);
            for Copied { from, to, bytes } in all {
                for pair in helpers::copies(*bytes, first + from, first + to) {
                    self.get_all([pointer, pointer]);
                    self.ops(pair);
                }
            }
            self.op(I::End);
        }
    }
}
