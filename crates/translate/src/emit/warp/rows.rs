//! Bytes of rows that lie elsewhere one by one. In: a place for each byte of a row; out: as few loads or stores as they allow.

use crate::emit::{Emitter, at};
use wasm_encoder::Instruction as I;

/// Where each byte of a row lies; none for bytes that do not matter.
pub(super) type BytePlaces = [Option<u32>; 16];

/// Bytes of a row that lie side by side: which of its parts of that size they are, and where the first is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    n_bytes: usize,
    index: u8,
    place: u32,
}

/// The runs of a row, the longest that are possible.
fn runs(places: &BytePlaces) -> Vec<Run> {
    let follow = |bytes: &[Option<u32>]| match bytes.first().copied().flatten() {
        Some(first) => (first..)
            .zip(bytes)
            .all(|(expected, place)| *place == Some(expected)),
        None => bytes.iter().all(Option::is_none),
    };
    let n_bytes = [16, 8, 4, 2, 1]
        .into_iter()
        .find(|n| places.chunks(*n).all(follow))
        .unwrap_or(1);
    (0u8..)
        .zip(places.chunks(n_bytes))
        .filter_map(|(index, bytes)| {
            Some(Run {
                n_bytes,
                index,
                place: bytes.first().copied().flatten()?,
            })
        })
        .collect()
}

impl Emitter<'_> {
    /// Pushes a row whose bytes lie at these places of the module's memory.
    pub(super) fn push_bytes(&mut self, places: &BytePlaces) {
        let row = self.names.vectors[0];
        for (nth, run) in runs(places).into_iter().enumerate() {
            let (memarg, lane) = (at(run.place), run.index);
            self.op(I::I32Const(0));
            if run.n_bytes == 16 {
                self.op(I::V128Load(memarg));
                return;
            }
            if nth == 0 {
                self.op(match run.n_bytes {
                    8 => I::V128Load64Splat(memarg),
                    4 => I::V128Load32Splat(memarg),
                    2 => I::V128Load16Splat(memarg),
                    _ => I::V128Load8Splat(memarg),
                });
                self.set(row);
                continue;
            }
            self.get(row);
            self.op(match run.n_bytes {
                8 => I::V128Load64Lane { memarg, lane },
                4 => I::V128Load32Lane { memarg, lane },
                2 => I::V128Load16Lane { memarg, lane },
                _ => I::V128Load8Lane { memarg, lane },
            });
            self.set(row);
        }
        self.get(row);
    }

    /// Puts the bytes of the row on the stack to these places of the module's memory.
    pub(super) fn put_bytes(&mut self, places: &BytePlaces) {
        let row = self.names.vectors[0];
        self.set(row);
        for Run {
            n_bytes,
            index: lane,
            place,
        } in runs(places)
        {
            let memarg = at(place);
            self.op(I::I32Const(0));
            self.get(row);
            self.op(match n_bytes {
                16 => I::V128Store(memarg),
                8 => I::V128Store64Lane { memarg, lane },
                4 => I::V128Store32Lane { memarg, lane },
                2 => I::V128Store16Lane { memarg, lane },
                _ => I::V128Store8Lane { memarg, lane },
            });
        }
    }
}
