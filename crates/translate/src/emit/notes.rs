//! Who read and who wrote each word, so that what depends on the order of threads is found. In: the place of bytes; out: a run that
//! goes on, or is given up.

use super::{Emitter, Names, at};
use crate::emit::memory::Way;
use crate::helpers;
use crate::place::ALL_BYTES;
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    /// Shared memory: all that was noted before the phase is ordered by the barrier. A phase that does not store there needs no
    /// notes, and one that does not load needs only those of who wrote.
    pub(super) fn note_shared(&mut self, way: Way, bytes: u32) {
        let Names {
            me,
            phase,
            warp_start,
            since,
            pointer,
            ..
        } = self.names;
        let phase_has = self.flow.shared[self.block];
        if !phase_has.stores {
            return;
        }
        let [_, _, _, _, readers, ordered] = self.names.vectors;
        let [wrote, read] = self.places.shared_notes;
        let is_ordered = |e: &mut Self, local: u32| {
            e.get(local);
            e.get(phase);
            e.op(I::I32x4LtU);
            e.get(local);
            e.get(me);
            e.ops([I::I32x4Eq, I::V128Or]);
            if e.flow.has_warp_operations() {
                // Of the warp before its lanes last met.
                e.get(local);
                e.get(warp_start);
                e.op(I::I32x4GeU);
                e.get(local);
                e.get(since);
                e.ops([I::I32x4LtU, I::V128And, I::V128Or]);
            }
        };
        for chunk in chunks(bytes) {
            self.get(pointer);
            self.op(chunk.load(wrote));
            self.set(ordered);
            is_ordered(self, ordered);
            if phase_has.loads {
                self.get(pointer);
                self.op(chunk.load(read));
                self.set(readers);
                is_ordered(self, readers);
            }
            if way == Way::Store {
                if phase_has.loads {
                    self.op(I::V128And);
                }
                self.ops([I::I32x4AllTrue, I::I32Eqz]);
                self.note_slowly(&chunk, 3);
                self.op(I::Else);
                self.get(pointer);
                self.get(me);
                self.ops([chunk.store(wrote), I::End]);
                continue;
            }
            // The only reader of the phase, or one of several.
            self.set(ordered);
            self.ops([I::I32x4AllTrue, I::I32Eqz]);
            self.note_slowly(&chunk, 2);
            self.op(I::Else);
            self.get(pointer);
            self.get(me);
            match self.flow.has_warp_operations() {
                // Several of this warp since its lanes met, or of any.
                true => {
                    self.get(since);
                    self.get(phase);
                    self.get(readers);
                    self.get(since);
                    self.ops([I::I32x4GeU, I::V128Bitselect]);
                }
                false => self.get(phase),
            }
            self.get(ordered);
            self.ops([I::V128Bitselect, chunk.store(read), I::End]);
        }
    }

    /// Global memory: a word that no gang or the gang itself has touched is done here.
    pub(super) fn note_global(&mut self, way: Way, bytes: u32) {
        let Names { me, pointer, .. } = self.names;
        let kept = self.names.vectors[5];
        let [wrote, read] = self.places.arena_notes;
        for chunk in chunks(bytes) {
            for (index, place) in [wrote, read].into_iter().enumerate() {
                self.get(pointer);
                self.op(chunk.load(place));
                self.tee(kept);
                self.get(kept);
                self.get(me);
                self.ops([I::I32x4Ne, I::V128And]);
                if index == 1 {
                    self.op(I::V128Or);
                }
            }
            self.op(I::V128AnyTrue);
            self.note_slowly(&chunk, u32::from(way == Way::Store));
            self.op(I::Else);
            self.get(pointer);
            self.get(me);
            let place = match way {
                Way::Load => read,
                Way::Store => wrote,
            };
            self.ops([chunk.store(place), I::End]);
        }
    }

    /// Where the number on the stack is not zero, looks word by word, and gives the run up if that finds no order.
    fn note_slowly(&mut self, chunk: &Chunk, flags: u32) {
        self.op(I::If(BlockType::Empty));
        self.get(self.names.pointer);
        self.ops([
            I::I32Const(chunk.start as i32),
            I::I32Add,
            I::I32Const(chunk.words as i32),
            I::I32Const(flags as i32),
            I::I32Const(ALL_BYTES as i32),
            I::Call(helpers::NOTE),
        ]);
        self.return_if(self.names.first);
    }
}

/// Up to four words that are noted at once.
struct Chunk {
    start: u32,
    words: u32,
}

fn chunks(bytes: u32) -> Vec<Chunk> {
    let words = bytes.div_ceil(4);
    let starts = (0..words).step_by(4);
    starts
        .map(|first| Chunk {
            start: 4 * first,
            words: (words - first).min(4),
        })
        .collect()
}

impl Chunk {
    fn load(&self, place: u32) -> I<'static> {
        let at = at(place + self.start);
        match self.words {
            1 => I::V128Load32Zero(at),
            2 => I::V128Load64Zero(at),
            _ => I::V128Load(at),
        }
    }

    fn store(&self, place: u32) -> I<'static> {
        let memarg = at(place + self.start);
        match self.words {
            1 => I::V128Store32Lane { memarg, lane: 0 },
            2 => I::V128Store64Lane { memarg, lane: 0 },
            _ => I::V128Store(memarg),
        }
    }
}
