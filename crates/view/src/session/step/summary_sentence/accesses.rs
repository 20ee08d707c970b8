//! Phrases about memory accesses: loads, stores and atomics with their sectors, wavefronts and address patterns.

use super::builder::Sentence;
use crate::model::MemorySpace;
use crate::model::store::{LaneStore, PieceView, StoreAction, StoreView};
use crate::session::memory_id::MemoryKey;
use std::collections::BTreeSet;
use warpgrid_program::counted;

/// Direction of a plain access, which determines the verb and the preposition of its phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
}

/// Appends a plain load or store to the sentence: `32 lanes stored 128 bytes to rows, 4 sectors, ideal 4; contiguous`.
pub(super) fn describe_plain(
    sentence: Sentence,
    access: &StoreView,
    direction: Direction,
) -> Sentence {
    let n_bytes = transferred_bytes(access);
    let (verb, preposition) = match direction {
        Direction::Load => (" loaded ", " from "),
        Direction::Store => (" stored ", " to "),
    };
    let sentence = sentence
        .strong(counted(access.lanes.len(), "lane"))
        .plain(verb)
        .strong(counted(n_bytes, "byte"));
    let sentence = costs(memories(sentence.plain(preposition), access), access);
    match address_pattern(access, direction) {
        Some(pattern) => sentence.plain(format!("; {pattern}")),
        None => sentence,
    }
}

/// Appends an atomic to the sentence: `32 atomics on 5 words of h, 1 sector, ideal 1`.
pub(super) fn describe_atomic(sentence: Sentence, access: &StoreView) -> Sentence {
    let elements: BTreeSet<(Option<&MemoryKey>, &str)> = pieces(access)
        .map(|piece| (piece.memory.as_ref(), piece.address.as_str()))
        .collect();
    let element = match pieces(access).next().map_or(4, |piece| piece.n_bytes) {
        4 => "word".to_owned(),
        n => format!("{n}-byte element"),
    };
    let noun = match access.action {
        StoreAction::Reduction => "reduction",
        StoreAction::Atomic | StoreAction::Store => "atomic",
    };
    let sentence = sentence
        .strong(counted(pieces(access).count(), noun))
        .plain(" on ")
        .strong(counted(elements.len(), &element))
        .plain(" of ");
    let sentence = costs(memories(sentence, access), access);
    let is_kept = |lane: &&LaneStore| lane.pieces.iter().all(|piece| !piece.written);
    match access.lanes.iter().filter(is_kept).count() {
        0 => sentence,
        n if n == access.lanes.len() => sentence.plain("; memory was not modified"),
        n => sentence.plain(format!("; {} did not modify memory", counted(n, "lane"))),
    }
}

/// Appends the numbers of sectors and wavefronts of an access to the sentence, with the ideal numbers.
fn costs(sentence: Sentence, access: &StoreView) -> Sentence {
    let (global, shared) = (access.traffic.global, access.traffic.shared);
    // Separate caches serve parameters and constants, for which neither sectors nor wavefronts are meaningful.
    let sectors = (global.sectors > 0).then_some((global.sectors, global.sectors_ideal, "sector"));
    let wavefronts = (shared.wavefronts > 0).then_some((
        shared.wavefronts,
        shared.wavefronts_ideal,
        "wavefront",
    ));
    let counts = sectors.into_iter().chain(wavefronts);
    counts.fold(sentence, |sentence, (n, ideal, unit)| {
        sentence
            .plain(", ")
            .strong(counted(n, unit))
            .plain(format!(", ideal {ideal}"))
    })
}

fn pieces(access: &StoreView) -> impl Iterator<Item = &PieceView> {
    access.lanes.iter().flat_map(|lane| &lane.pieces)
}

pub(super) fn transferred_bytes(access: &StoreView) -> usize {
    access.lanes.iter().map(|lane| lane.bytes.len()).sum()
}

/// Returns the relation between the addresses of different lanes, or `None` if the addresses have no pattern.
fn address_pattern(access: &StoreView, direction: Direction) -> Option<String> {
    if access.lost > 0 {
        let lanes = counted(access.lost, "lane");
        return Some(format!("other lanes overwrote the bytes of {lanes}"));
    }
    let width = access.lanes.first().map_or(0, |lane| lane.bytes.len());
    match (stride(access), direction) {
        (Some(stride), _) if stride.unsigned_abs() as usize == width => {
            Some("contiguous".to_owned())
        }
        (Some(0), Direction::Load) => Some("same address".to_owned()),
        (Some(0), Direction::Store) => Some("same address, equal values".to_owned()),
        (Some(stride), _) => Some(format!("stride {}", counted(stride.unsigned_abs(), "byte"))),
        (None, Direction::Store) if transferred_bytes(access) > access.n_bytes as usize => {
            Some("some lanes stored equal values to the same bytes".to_owned())
        }
        (None, _) => None,
    }
}

/// Returns the constant distance between the addresses of adjacent lanes, or `None` if the distance varies or the lanes access different
/// memories.
fn stride(access: &StoreView) -> Option<i64> {
    let offsets = access.lanes.iter().map(|lane| {
        // The data of a matrix instruction is at addresses of other lanes, which have no stride.
        let mut pieces = lane.pieces.iter();
        let is_own = pieces.all(|piece| piece.address_lane == lane.lane);
        lane.offset.filter(|_| is_own).map(|offset| offset as i64)
    });
    let offsets: Option<Vec<i64>> = offsets.collect();
    let offsets = offsets.filter(|offsets| offsets.len() > 1 && access.memories.len() == 1)?;
    let stride = offsets[1] - offsets[0];
    let is_constant = offsets.windows(2).all(|pair| pair[1] - pair[0] == stride);
    let are_adjacent = access
        .lanes
        .windows(2)
        .all(|pair| pair[1].lane == pair[0].lane + 1);
    (is_constant && are_adjacent).then_some(stride)
}

/// Appends the names of the accessed memories to the sentence. Local memory has no name, because each lane has its own local memory.
pub(super) fn memories(sentence: Sentence, access: &StoreView) -> Sentence {
    if access.memories.is_empty() {
        return sentence.plain(match access.space {
            MemorySpace::Param => "parameters".to_owned(),
            MemorySpace::Const => "constant memory".to_owned(),
            space => format!("{} memory", space.name()),
        });
    }
    let has_local = pieces(access).any(|piece| piece.memory.is_none());
    let sentence = sentence.memories(&access.memories);
    match has_local {
        true => sentence.plain(" and local memory"),
        false => sentence,
    }
}
