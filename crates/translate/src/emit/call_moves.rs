//! Parameter passing at inlined calls. The module takes locations of the parameters in the caller and in the called
//! function, and generates moves between registers of both functions, and copies between their stack frames.

use crate::bailout::BailoutReason;
use crate::emit::{Emitter, RECORD};
use crate::inlined_code::CallMoves;
use crate::instructions::{at, zero_extended_words};
use crate::layout::{SUBWARP_LANES, record};
use crate::runtime;
use warpgrid_emulator::translation_view::{CallValueLocation, RegisterBank, RegisterOperand};
use warpgrid_isa::Signedness;
use wasm_encoder::{BlockType, Instruction as I};

/// Copy between two byte ranges of the stack of a thread.
struct StackCopy {
    from: u64,
    to: u64,
    bytes: u64,
}

impl Emitter<'_> {
    /// Emits the moves of all arguments or results of an inlined call.
    pub(crate) fn emit_call_moves(&mut self, moves: CallMoves<'_>) -> Result<(), BailoutReason> {
        let mut copied = Vec::new();
        for (from, to) in moves.values {
            match (*from, *to) {
                (CallValueLocation::Register(from), CallValueLocation::Register(to)) => {
                    self.cross_register((from, moves.from), (to, moves.to))?;
                }
                (
                    CallValueLocation::Stack { offset, size },
                    CallValueLocation::Stack { offset: o, size: s },
                ) => {
                    copied.push(StackCopy {
                        from: self.code.stack(moves.from) + u64::from(offset),
                        to: self.code.stack(moves.to) + u64::from(o),
                        bytes: size.min(s).into(),
                    });
                }
                _ => return self.unsupported("a call that spills registers"),
            }
        }
        if !copied.is_empty() {
            self.cross_stack(&copied);
        }
        Ok(())
    }

    fn cross_register(
        &mut self,
        (from, from_frame): (RegisterOperand, usize),
        (to, to_frame): (RegisterOperand, usize),
    ) -> Result<(), BailoutReason> {
        if !to.slot.is_some() {
            return Ok(());
        }
        let frame = std::mem::replace(&mut self.frame, from_frame);
        match (from.bank, to.bank) {
            (RegisterBank::B32 | RegisterBank::B64, RegisterBank::B32) => {
                self.read_element32(from)?;
                self.frame = to_frame;
                self.fit(to.bits, Signedness::Unsigned);
                self.write32(to.slot);
            }
            (RegisterBank::B32 | RegisterBank::B64, RegisterBank::B64) => {
                for half in 0..2 {
                    self.frame = from_frame;
                    if from.bank == RegisterBank::B64 {
                        self.read64(from.slot, half)?;
                    } else {
                        self.read32(from.slot)?;
                        self.op(zero_extended_words(half));
                    }
                    self.frame = to_frame;
                    self.write64(to.slot, half);
                }
            }
            (RegisterBank::Predicate, RegisterBank::Predicate) => {
                self.read_predicate(from.slot)?;
                self.frame = to_frame;
                self.write_predicate(to.slot);
            }
            _ => return self.unsupported("a call that passes registers of this type"),
        }
        self.frame = frame;
        Ok(())
    }

    /// Copies the given byte ranges of the stack in each active lane.
    fn cross_stack(&mut self, all: &[StackCopy]) {
        let (mask, pointer) = (self.names.mask, self.names.pointer);
        let lane_bytes = self.places.local_bytes;
        self.get(RECORD);
        self.ops([
            I::I32Load(at(record::SUBWARP)),
            I::I32Const((SUBWARP_LANES * lane_bytes) as i32),
            I::I32Mul,
        ]);
        self.set(pointer);
        for lane in 0..SUBWARP_LANES {
            self.get(mask);
            self.ops([I::I32Const(1 << lane), I::I32And, I::If(BlockType::Empty)]);
            let first = u64::from(self.places.local + lane * lane_bytes);
            for StackCopy { from, to, bytes } in all {
                for pair in runtime::copies(*bytes, first + from, first + to) {
                    self.get_all([pointer, pointer]);
                    self.ops(pair);
                }
            }
            self.op(I::End);
        }
    }
}
