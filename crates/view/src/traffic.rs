//! What the memory system makes of an access: pieces go in, sectors and passes over banks come out.

use crate::stores::PieceRecord;
use warpgrid_emulator::MemoryId as Place;
use warpgrid_isa::MemoryShape;

/// Distinct bytes of all memories.
pub(crate) fn distinct_bytes<'a>(pieces: impl Iterator<Item = &'a PieceRecord>) -> u32 {
    let mut bytes: Vec<(Place, u64)> = pieces
        .flat_map(|piece| {
            piece
                .addresses()
                .map(|address| (piece.piece.memory, address))
        })
        .collect();
    count_distinct(&mut bytes)
}

/// Distinct sectors of global memory.
pub(crate) fn sectors<'a>(
    pieces: impl Iterator<Item = &'a PieceRecord>,
    shape: MemoryShape,
) -> u32 {
    let mut sectors: Vec<u64> = pieces
        .filter(|piece| piece.piece.memory == Place::Global)
        .flat_map(PieceRecord::addresses)
        .map(|address| address / u64::from(shape.sector_bytes))
        .collect();
    count_distinct(&mut sectors)
}

/// Groups of lanes that go to shared memory one after another: accesses of 8 bytes per lane go in two, of 16 in four.
pub(crate) fn groups(width_bytes: u32) -> usize {
    match width_bytes {
        0..=4 => 1,
        5..=8 => 2,
        _ => 4,
    }
}

/// Passes over shared memory: for each group of lanes the most distinct words that any one bank holds of them.
pub(crate) fn wavefronts<'a>(
    pieces: impl Iterator<Item = &'a PieceRecord> + Clone,
    width_bytes: u32,
    shape: MemoryShape,
) -> u32 {
    let lanes_per_group = 32 / groups(width_bytes);
    (0..groups(width_bytes))
        .map(|group| {
            let lanes = group * lanes_per_group..(group + 1) * lanes_per_group;
            let of_group = pieces.clone().filter(move |piece| {
                matches!(piece.piece.memory, Place::Shared { .. })
                    && lanes.contains(&usize::from(piece.piece.gave))
            });
            let mut words: Vec<(u64, u64)> = of_group
                .flat_map(PieceRecord::addresses)
                .map(|address| address / u64::from(shape.bank_bytes))
                .map(|word| (word % u64::from(shape.banks), word))
                .collect();
            words.sort_unstable();
            words.dedup();
            words
                .chunk_by(|a, b| a.0 == b.0)
                .map(|bank| bank.len() as u32)
                .max()
                .unwrap_or(0)
        })
        .sum()
}

fn count_distinct<T: Ord>(items: &mut Vec<T>) -> u32 {
    items.sort_unstable();
    items.dedup();
    items.len() as u32
}
