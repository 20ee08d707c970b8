//! What the memory system makes of an access: pieces go in, sectors and passes over banks come out.

use crate::stores::PieceRecord;
use warpgrid_emulator::MemoryId as Place;
use warpgrid_isa::MemoryShape;

/// Distinct bytes of all memories.
pub(crate) fn distinct_bytes<'a>(pieces: impl Iterator<Item = &'a PieceRecord>) -> u32 {
    let mut bytes = Distinct::default();
    for piece in pieces {
        for address in piece.addresses() {
            bytes.add((memory_key(piece.piece.memory), address));
        }
    }
    bytes.0.len() as u32
}

/// Distinct sectors of global memory.
pub(crate) fn sectors<'a>(
    pieces: impl Iterator<Item = &'a PieceRecord>,
    shape: MemoryShape,
) -> u32 {
    let mut sectors = Distinct::default();
    for piece in pieces.filter(|piece| piece.piece.memory == Place::Global) {
        for address in piece.addresses() {
            sectors.add((0, address / u64::from(shape.sector_bytes)));
        }
    }
    sectors.0.len() as u32
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
            passes(of_group.flat_map(PieceRecord::addresses), shape)
        })
        .sum()
}

/// Passes over shared memory of one access, `width_bytes` from each of 32 addresses on, in the order of the lanes.
pub(crate) fn wavefronts_of(starts: &[u64], width_bytes: u32, shape: MemoryShape) -> u32 {
    let lanes_per_group = 32 / groups(width_bytes);
    let bytes_of = |start: &u64| *start..*start + u64::from(width_bytes);
    starts
        .chunks(lanes_per_group)
        .map(|group| passes(group.iter().flat_map(bytes_of), shape))
        .sum()
}

/// The most distinct words that any one bank holds of these bytes.
fn passes(addresses: impl Iterator<Item = u64>, shape: MemoryShape) -> u32 {
    let mut words = Distinct::default();
    for address in addresses {
        let word = address / u64::from(shape.bank_bytes);
        words.add((word % u64::from(shape.banks), word));
    }
    let banks = words.0.chunk_by(|a, b| a.0 == b.0);
    banks.map(|bank| bank.len() as u32).max().unwrap_or(0)
}

/// Distinct pairs, ascending. Those of one store are few, so that each finds its place by search; a sort of the standard
/// library would be ten times the code.
#[derive(Default)]
struct Distinct(Vec<(u64, u64)>);

impl Distinct {
    fn add(&mut self, item: (u64, u64)) {
        if let Err(place) = self.0.binary_search(&item) {
            self.0.insert(place, item);
        }
    }
}

/// A number of its own for each memory that one store can write.
fn memory_key(place: Place) -> u64 {
    match place {
        Place::Global => 0,
        Place::Constant => 1,
        Place::Parameters => 2,
        Place::Shared { block } => 64 + block,
        Place::Local { lane, .. } => 3 + u64::from(lane),
    }
}
