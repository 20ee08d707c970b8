//! Inline updates of shadow memory, which tracks the writer and the readers of each word in order to detect results
//! that depend on the schedule. The generated code takes the address of the accessed bytes, and produces updated shadow
//! memory, or a bailout.

use crate::emit::memory::AccessDirection;
use crate::emit::{Emitter, FixedLocals};
use crate::instructions::{at, splat32};
use crate::layout::ALL_BYTES;
use crate::runtime;
use crate::runtime::shadow_memory::EpochVectors;
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    /// Records an access to shared memory. The barrier at the start of a barrier interval orders all earlier accesses
    /// before the accesses of the interval. Therefore, an interval without stores requires no records, and an interval
    /// without loads requires only records of writers.
    pub(crate) fn record_shared_access(&mut self, way: AccessDirection, bytes: u32) {
        self.note_shared_of(way, bytes, None);
    }

    /// Records an access to shared memory by the lanes in the local `guard` only. Each lane accesses a separate word.
    pub(crate) fn note_shared_of(&mut self, way: AccessDirection, bytes: u32, guard: Option<u32>) {
        let me = self.names.current_epoch;
        let phase_has = self.flow.shared[self.block];
        if !phase_has.stores {
            return;
        }
        let [_, _, _, _, readers, ordered] = self.names.vectors;
        let [wrote, read] = self
            .places
            .shared_shadow
            .map(|notes| notes + self.pointer.beyond);
        let names = self.row_names();
        for chunk in chunks(bytes) {
            self.get_pointer();
            self.op(chunk.load(wrote));
            self.set(ordered);
            self.out.extend(names.ordered(ordered));
            if phase_has.loads {
                self.get_pointer();
                self.op(chunk.load(read));
                self.set(readers);
                self.out.extend(names.ordered(readers));
            }
            if way == AccessDirection::Store {
                if phase_has.loads {
                    self.op(I::V128And);
                }
                self.push_some_differ(guard);
                self.record_or_check(&chunk, 3, |e| {
                    e.get_pointer();
                    e.get(me);
                    e.blend_inactive(&chunk, wrote, guard);
                    e.op(chunk.store(wrote));
                });
                continue;
            }
            self.set(ordered);
            // An earlier read by this subwarp must also happen before the current access, because the new epoch
            // replaces the epoch of the earlier read.
            self.get_all([readers, me]);
            self.ops([
                I::V128Xor,
                splat32(1),
                I::I32x4Sub,
                splat32(OTHER_NAMES),
                I::I32x4GeU,
                I::V128And,
            ]);
            self.push_some_differ(guard);
            self.record_or_check(&chunk, 2, |e| {
                e.get_pointer();
                e.out.extend(names.reader(readers, ordered));
                e.blend_inactive(&chunk, read, guard);
                e.op(chunk.store(read));
            });
        }
    }

    /// Returns vectors of the subwarp's epochs, with which the generated code compares the epochs in shadow memory.
    fn row_names(&self) -> EpochVectors {
        let FixedLocals {
            current_epoch: me,
            phase,
            warp_start,
            since,
            ..
        } = self.names;
        let name = |local: u32| vec![I::LocalGet(local)];
        let meets = self.flow.has_warp_operations();
        EpochVectors {
            me: name(me),
            phase: name(phase),
            warp: meets.then(|| [name(warp_start), name(since)]),
        }
    }

    /// Pushes 1 if the row of conditions on the stack is false in any active lane, otherwise 0.
    fn push_some_differ(&mut self, guard: Option<u32>) {
        if let Some(guard) = guard {
            self.get(guard);
            self.ops([I::V128Not, I::V128Or]);
        }
        self.ops([I::I32x4AllTrue, I::I32Eqz]);
    }

    /// Replaces the new shadow words of inactive lanes, which are on the stack, by the old shadow words.
    fn blend_inactive(&mut self, chunk: &ShadowChunk, notes: u32, guard: Option<u32>) {
        if let Some(guard) = guard {
            self.get_pointer();
            self.op(chunk.load(notes));
            self.get(guard);
            self.op(I::V128Bitselect);
        }
    }

    /// Records an access to global memory in shadow memory. The inline code handles only words that no other subwarp
    /// has accessed.
    pub(crate) fn record_global_access(&mut self, way: AccessDirection, bytes: u32) {
        let FixedLocals {
            current_epoch: me,
            pointer,
            ..
        } = self.names;
        let shadow_words = self.names.vectors[5];
        let [wrote, read] = self.places.arena_shadow;
        for chunk in chunks(bytes) {
            for (index, place) in [wrote, read].into_iter().enumerate() {
                self.get(pointer);
                self.op(chunk.load(place));
                self.tee(shadow_words);
                self.get_all([shadow_words, me]);
                self.ops([I::I32x4Ne, I::V128And]);
                if index == 1 {
                    self.op(I::V128Or);
                }
            }
            self.op(I::V128AnyTrue);
            let place = match way {
                AccessDirection::Load => read,
                AccessDirection::Store => wrote,
            };
            self.record_or_check(&chunk, u32::from(way == AccessDirection::Store), |e| {
                e.get_all([pointer, me]);
                e.op(chunk.store(place));
            });
        }
    }

    /// Emits code that performs the inline update of shadow memory if the number on the stack is zero. Otherwise, the
    /// code checks the access word by word, and bails out if the access is not ordered with an earlier access. On a
    /// fast path, the code exits to the slow path of the block instead of checking each word.
    fn record_or_check(
        &mut self,
        chunk: &ShadowChunk,
        flags: u32,
        at_once: impl FnOnce(&mut Self),
    ) {
        if self.fallback_label.is_some() {
            self.leave_if();
            return at_once(self);
        }
        self.op(I::If(BlockType::Empty));
        self.get(self.names.pointer);
        self.ops([
            I::I32Const(chunk.start as i32),
            I::I32Add,
            I::I32Const(chunk.words as i32),
            I::I32Const(flags as i32),
            I::I32Const(ALL_BYTES as i32),
            I::Call(runtime::FN_RECORD_ACCESS),
        ]);
        self.return_if_nonzero(self.names.first);
        self.op(I::Else);
        at_once(self);
        self.op(I::End);
    }
}

/// Number of additional epochs of a subwarp, after its first epoch.
const OTHER_NAMES: u32 = 7;

/// Chunk of up to four words whose accesses are recorded by one vector operation.
struct ShadowChunk {
    start: u32,
    words: u32,
}

fn chunks(bytes: u32) -> Vec<ShadowChunk> {
    let words = bytes.div_ceil(4);
    let starts = (0..words).step_by(4);
    starts
        .map(|first| ShadowChunk {
            start: 4 * first,
            words: (words - first).min(4),
        })
        .collect()
}

impl ShadowChunk {
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
