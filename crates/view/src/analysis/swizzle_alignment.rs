//! Tiles with a swizzle whose start is not aligned to the swizzle pattern. A swizzle permutes address bits, so that a tile that does not start
//! at a multiple of the pattern has another layout than an aligned tile (PTX ISA, "Shared memory layout" of `wgmma` and `tcgen05`).

use crate::analysis::MAX_REPEATED_STEPS;
use crate::session::Session;
use std::collections::BTreeSet;
use warpgrid_emulator::{
    AsyncEffect, EventMask, Observer, SyncEvent, SyncKind, Tile, TileLocation,
};
use warpgrid_isa::tensor_layout::{MatrixDescriptor, SwizzleMode};
use warpgrid_program::FunctionId;

/// Number of rows of a swizzle pattern.
const ROWS_OF_PATTERN: u64 = 8;
/// Unit in bytes of the base offset of a matrix descriptor.
const BASE_OFFSET_BYTES: u64 = 128;

/// Tile in shared memory that is not aligned to the pattern of its swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MisalignedTile {
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
    start: u64,
    pattern_bytes: u64,
}

impl MisalignedTile {
    pub(crate) fn message(&self) -> String {
        let MisalignedTile {
            start,
            pattern_bytes,
            ..
        } = self;
        format!(
            "the tile with the {}-byte swizzle starts at byte {start} of shared memory, which is not a multiple of {pattern_bytes}: align the tile to {pattern_bytes} bytes, because its layout differs from that of an aligned tile",
            pattern_bytes / ROWS_OF_PATTERN
        )
    }
}

/// Returns the number of bytes after which the pattern of a swizzle repeats, or `None` without a swizzle.
fn pattern_bytes(swizzle: SwizzleMode) -> Option<u64> {
    swizzle.span_bytes().map(|span| span * ROWS_OF_PATTERN)
}

/// Observer that collects the misaligned tiles of tensor copies and matrix multiplications.
#[derive(Default)]
struct TileWatch(BTreeSet<MisalignedTile>);

impl TileWatch {
    fn add(&mut self, event: &SyncEvent<'_>, start: u64, pattern_bytes: u64) {
        self.0.insert(MisalignedTile {
            function: event.function,
            instruction: event.instruction,
            start,
            pattern_bytes,
        });
    }

    /// Adds an operand matrix whose descriptor states another start of the pattern than its address. The address may advance along k within
    /// a row of the pattern.
    fn add_operand(&mut self, event: &SyncEvent<'_>, tile: &Tile) {
        let TileLocation::Shared {
            descriptor, kind, ..
        } = tile.place
        else {
            return;
        };
        let Some(descriptor) = MatrixDescriptor::decode(descriptor, kind) else {
            return;
        };
        let Some(bytes) = pattern_bytes(descriptor.swizzle) else {
            return;
        };
        let n_units = bytes / BASE_OFFSET_BYTES;
        if (descriptor.start / BASE_OFFSET_BYTES) % n_units != descriptor.base_offset % n_units {
            self.add(event, descriptor.start, bytes);
        }
    }
}

impl Observer for TileWatch {
    fn interest(&self) -> EventMask {
        EventMask {
            syncs: true,
            ..EventMask::NONE
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        match event.what {
            SyncKind::Matrices { tiles, .. } => {
                tiles.iter().for_each(|tile| self.add_operand(event, tile));
            }
            SyncKind::Started(pending) => {
                let AsyncEffect::Tensor(copy) = &pending.operation.work else {
                    return;
                };
                let bytes = copy.map.swizzle().and_then(pattern_bytes);
                if let Some(bytes) = bytes.filter(|bytes| copy.shared % bytes != 0) {
                    self.add(event, copy.shared, bytes);
                }
            }
            _ => {}
        }
    }
}

impl Session {
    /// Returns the first misaligned tile of each instruction in the first steps of the launch.
    pub(crate) fn misaligned_tiles(&self) -> Vec<MisalignedTile> {
        let has_tiles = self.has_tile_instructions();
        let Some(Ok(mut again)) = has_tiles.then(|| self.restart_without_last_writers()) else {
            return Vec::new();
        };
        let mut watch = TileWatch::default();
        again.timeline.run_observed(MAX_REPEATED_STEPS, &mut watch);
        let mut tiles: Vec<MisalignedTile> = watch.0.into_iter().collect();
        tiles.dedup_by_key(|tile| (tile.function, tile.instruction));
        tiles
    }
}
