//! Tiles in shared memory whose layout an instruction determines: operand matrices that `wgmma` and `tcgen05` read through a descriptor, and
//! boxes that tensor copies transfer. A change of the addresses in the source cannot change the layout of such a tile.

use crate::layouts::inspector::named_regions::NamedRegion;
use crate::session::Session;
use std::collections::BTreeSet;
use std::ops::Range;
use warpgrid_emulator::{
    AsyncEffect, EventMask, MemoryRegion, Observer, SyncEvent, SyncKind, TensorCopyDirection, Tile,
    TileLocation,
};
use warpgrid_isa::DeviceUnitOp;
use warpgrid_isa::tensor_layout::{MatrixDescriptor, SwizzleMode};
use warpgrid_program::FunctionId;

/// Tile in shared memory with the instruction that determines its layout.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FixedTile {
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
    /// Start and end of the tile in the shared memory of the block.
    bytes: (u64, u64),
    layout: TileLayout,
}

/// Source of the layout of a [`FixedTile`], with the number of bytes within which the swizzle permutes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TileLayout {
    Descriptor {
        swizzle_bytes: Option<u64>,
    },
    TensorMap {
        swizzle_bytes: Option<u64>,
        is_load: bool,
    },
}

/// Sizes in bytes of the swizzle modes that descriptors and tensor maps offer.
const SWIZZLE_BYTES: [u64; 3] = [32, 64, 128];

impl FixedTile {
    pub(crate) fn overlaps(&self, named: &NamedRegion) -> bool {
        let (start, end) = self.bytes;
        named.is_shared && start < named.start.saturating_add(named.size) && named.start < end
    }

    /// Returns the reason why the layout of the buffer `name` cannot be changed, with the swizzle modes that the instruction at `line` offers
    /// instead.
    pub(crate) fn reason(&self, name: &str, line: u32) -> String {
        let (access, owner, swizzle_bytes) = match self.layout {
            TileLayout::Descriptor { swizzle_bytes } => ("reads", "descriptor", swizzle_bytes),
            TileLayout::TensorMap {
                swizzle_bytes,
                is_load,
            } => {
                let access = if is_load { "writes" } else { "reads" };
                (access, "tensor map", swizzle_bytes)
            }
        };
        let layout = match swizzle_bytes {
            Some(bytes) => format!("with the {bytes}-byte swizzle mode"),
            None => "without a swizzle".to_owned(),
        };
        let offered = SWIZZLE_BYTES
            .iter()
            .filter(|bytes| Some(**bytes) != swizzle_bytes);
        let offered: Vec<String> = offered.map(|bytes| format!("{bytes}-")).collect();
        let offered = match &offered[..] {
            [others @ .., last] => format!("{} or {last}byte", others.join(", ")),
            [] => String::new(),
        };
        format!(
            "line {line} {access} `{name}` through a {owner} {layout}, which determines the layout of the tile: use this layout in all other accesses, or select the {offered} swizzle mode in the {owner}"
        )
    }
}

/// Observer that collects the tiles of matrix multiplications and tensor copies.
#[derive(Default)]
struct FixedTileRecorder(BTreeSet<FixedTile>);

impl FixedTileRecorder {
    fn add(&mut self, event: &SyncEvent<'_>, bytes: Range<u64>, layout: TileLayout) {
        self.0.insert(FixedTile {
            function: event.function,
            instruction: event.instruction,
            bytes: (bytes.start, bytes.end),
            layout,
        });
    }

    fn add_operand(&mut self, event: &SyncEvent<'_>, tile: &Tile) {
        let TileLocation::Shared {
            descriptor, kind, ..
        } = tile.place
        else {
            return;
        };
        let descriptor = MatrixDescriptor::decode(descriptor, kind);
        let swizzle_bytes = descriptor.and_then(|found| found.swizzle.span_bytes());
        for (region, bytes) in &tile.ranges {
            if matches!(region, MemoryRegion::Shared { .. }) {
                let layout = TileLayout::Descriptor { swizzle_bytes };
                self.add(event, bytes.clone(), layout);
            }
        }
    }
}

impl Observer for FixedTileRecorder {
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
                let layout = TileLayout::TensorMap {
                    swizzle_bytes: copy.map.swizzle().and_then(SwizzleMode::span_bytes),
                    is_load: copy.direction == TensorCopyDirection::Load,
                };
                let end = copy.shared.saturating_add(copy.shared_extent());
                self.add(event, copy.shared..end, layout);
            }
            _ => {}
        }
    }
}

impl Session {
    /// Checks whether the program contains instructions that access tiles in shared memory through a descriptor or a tensor map.
    pub(crate) fn has_tile_instructions(&self) -> bool {
        self.program.opcodes.iter().any(|opcode| {
            let unit = opcode.operation.unit();
            opcode.operation.is_asynchronous_product()
                || unit.and_then(DeviceUnitOp::tensor_copy).is_some()
                || unit.and_then(DeviceUnitOp::tensor_memory).is_some()
        })
    }

    /// Replays the executed steps, and returns the tiles whose layout an instruction determines.
    pub(crate) fn fixed_tiles(&mut self) -> Vec<FixedTile> {
        if !self.has_tile_instructions() {
            return Vec::new();
        }
        let mut recorder = FixedTileRecorder::default();
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut recorder);
        recorder.0.into_iter().collect()
    }
}
