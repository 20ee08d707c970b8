//! Gather and scatter of the bytes of a row. The module takes an address for each byte, and generates code with the
//! smallest number of loads or stores that transfers the bytes at these addresses.

use crate::emit::Emitter;
use crate::instructions::at;
use wasm_encoder::Instruction as I;

/// Linear-memory address of each byte of a row, or `None` for bytes that are not transferred.
pub(crate) type ByteGather = [Option<u32>; 16];

/// Run of bytes in a row whose addresses are contiguous: the length of the run in bytes, the index of the run within
/// the row, and the address of its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteRun {
    n_bytes: usize,
    index: u8,
    place: u32,
}

/// Divides a row into runs of equal length with contiguous addresses. The length is the largest possible.
fn runs(places: &ByteGather) -> Vec<ByteRun> {
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
            Some(ByteRun {
                n_bytes,
                index,
                place: bytes.first().copied().flatten()?,
            })
        })
        .collect()
}

/// Pushes a row whose bytes are loaded from the given linear-memory addresses. The code uses the local `row` for
/// intermediate results.
pub(crate) fn push_bytes(code: &mut Vec<I<'static>>, row: u32, places: &ByteGather) {
    for (nth, run) in runs(places).into_iter().enumerate() {
        let (memarg, lane) = (at(run.place), run.index);
        code.push(I::I32Const(0));
        if run.n_bytes == 16 {
            return code.push(I::V128Load(memarg));
        }
        let load = match (run.n_bytes, nth) {
            (8, 0) => I::V128Load64Splat(memarg),
            (4, 0) => I::V128Load32Splat(memarg),
            (2, 0) => I::V128Load16Splat(memarg),
            (_, 0) => I::V128Load8Splat(memarg),
            (8, _) => I::V128Load64Lane { memarg, lane },
            (4, _) => I::V128Load32Lane { memarg, lane },
            (2, _) => I::V128Load16Lane { memarg, lane },
            (_, _) => I::V128Load8Lane { memarg, lane },
        };
        if nth > 0 {
            code.push(I::LocalGet(row));
        }
        code.extend([load, I::LocalSet(row)]);
    }
    code.push(I::LocalGet(row));
}

/// Stores the bytes of the row on the stack at the given linear-memory addresses. The code saves the row in the local
/// `row`.
pub(crate) fn put_bytes(code: &mut Vec<I<'static>>, row: u32, places: &ByteGather) {
    code.push(I::LocalSet(row));
    for run in runs(places) {
        let (memarg, lane) = (at(run.place), run.index);
        let store = match run.n_bytes {
            16 => I::V128Store(memarg),
            8 => I::V128Store64Lane { memarg, lane },
            4 => I::V128Store32Lane { memarg, lane },
            2 => I::V128Store16Lane { memarg, lane },
            _ => I::V128Store8Lane { memarg, lane },
        };
        code.extend([I::I32Const(0), I::LocalGet(row), store]);
    }
}

impl Emitter<'_> {
    /// Emits code that pushes a row whose bytes are loaded from the given linear-memory addresses, using a temporary
    /// local.
    pub(crate) fn push_bytes(&mut self, places: &ByteGather) {
        push_bytes(&mut self.out, self.names.vectors[0], places);
    }

    /// Emits code that stores the bytes of the row on the stack at the given linear-memory addresses, using a temporary
    /// local.
    pub(crate) fn put_bytes(&mut self, places: &ByteGather) {
        put_bytes(&mut self.out, self.names.vectors[0], places);
    }
}
