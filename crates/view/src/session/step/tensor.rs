//! Conversion of the tensor operation of a step. The module determines the tiles of an MMA or of a copy, the layouts of these tiles, and
//! the memory cells that contain them. The module takes an operation that the step started or completed, and returns plain data, and byte
//! ranges of memories.

use crate::layouts::fragment::request::FragmentRequest;
use crate::model::grid::MemoryGrid;
use crate::model::tensor::{TensorCopyView, TensorPieceView, TensorStep, TileCells, TileView};
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::memory_list::locate;
use std::collections::BTreeMap;
use std::ops::Range;
use warpgrid_emulator::{
    AsyncEffect, CompletionMechanism, InFlightOperation, Machine, MemoryId as Place, MemoryRegion,
    TensorCopy, TensorCopyDirection, Tile, TileLocation, TileRole, TileSegment,
};
use warpgrid_isa::tensor_layout::{DescriptorKind, Major, MatrixDescriptor};

/// Maximum number of chunks of a tensor copy that hosts display. The number corresponds to 64 KiB of shared memory.
const MAX_PIECES: usize = 4096;

/// Tensor operation of a step in the form that hosts display, and the byte ranges of its tiles, from which grids mark cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorRecord {
    view: Option<TensorStep>,
    /// Byte ranges of each tile in its memories.
    ranges: Vec<Vec<(MemoryRegion, Range<u64>)>>,
}

impl TensorRecord {
    /// Returns the tiles that an asynchronous operation reads and writes, or an empty record if the operation is not a tensor operation.
    pub(crate) fn of(
        machine: &Machine,
        pending: &InFlightOperation,
        memories: &[MemoryDescriptor],
    ) -> TensorRecord {
        if let AsyncEffect::Tensor(transfer) | AsyncEffect::TensorPieces(transfer) =
            &pending.operation.work
        {
            return of_copy(transfer, &pending.operation.completion, memories);
        }
        let tiles = machine.tiles(pending);
        let views = tiles.iter().map(|tile| view_tile(tile, memories));
        TensorRecord {
            view: (!tiles.is_empty()).then(|| TensorStep {
                has_landed: false,
                tiles: views.collect(),
                copy: None,
            }),
            ranges: tiles.into_iter().map(|tile| tile.ranges).collect(),
        }
    }

    /// Marks the tensor operation as complete.
    pub(crate) fn landed(mut self) -> TensorRecord {
        if let Some(view) = &mut self.view {
            view.has_landed = true;
        }
        self
    }

    /// Returns the tensor operation in the form that hosts display, or `None` if the step has no tensor operation.
    pub(crate) fn view(&self) -> Option<&TensorStep> {
        self.view.as_ref()
    }

    /// Marks the cells of a grid that belong to the tiles of the operation.
    pub(crate) fn mark(&self, grid: &mut MemoryGrid, memory: &MemoryDescriptor) {
        let width = grid.ty.width_bytes() as u64;
        let first = grid.first_row * u64::from(grid.columns);
        let window = first..first + grid.cells.len() as u64;
        for (tile, ranges) in self.ranges.iter().enumerate() {
            let own = ranges.iter().filter(|(region, _)| *region == memory.region);
            for (_, bytes) in own {
                let from = (bytes.start / width).max(window.start);
                let to = bytes.end.div_ceil(width).min(window.end);
                let tile = tile as u8;
                match grid.tiles.last_mut() {
                    _ if from >= to => {}
                    Some(last)
                        if last.tile == tile
                            && last.first + last.n >= from
                            && last.first <= from =>
                    {
                        last.n = last.n.max(to - last.first);
                    }
                    Some(_) | None => grid.tiles.push(TileCells {
                        tile,
                        first: from,
                        n: to - from,
                    }),
                }
            }
        }
    }
}

const fn name_of(matrix: TileRole) -> &'static str {
    match matrix {
        TileRole::A => "A",
        TileRole::B => "B",
        TileRole::D => "D",
        TileRole::ScaleA => "scale A",
        TileRole::ScaleB => "scale B",
        TileRole::Metadata => "metadata",
        TileRole::Source => "source",
        TileRole::Destination => "destination",
    }
}

fn view_tile(tile: &Tile, memories: &[MemoryDescriptor]) -> TileView {
    let (ids, starts) = places(&tile.ranges, memories);
    TileView {
        name: name_of(tile.matrix).to_owned(),
        ty: tile.ty.name().to_owned(),
        rows: tile.rows as u32,
        columns: tile.columns as u32,
        is_written: tile.is_written,
        place: match tile.place {
            TileLocation::Registers => "in registers".to_owned(),
            TileLocation::Shared {
                descriptor,
                kind,
                major,
            } => described(descriptor, kind, major),
            TileLocation::Tensor { address, .. } => {
                format!("from lane {}, column {}", address >> 16, address & 0xffff)
            }
        },
        memories: ids,
        starts,
        n_bytes: tile.ranges.iter().map(|(_, r)| r.end - r.start).sum(),
        layout: layout_of(tile),
    }
}

fn described(descriptor: u64, kind: DescriptorKind, major: Major) -> String {
    let Some(found) = MatrixDescriptor::decode(descriptor, kind) else {
        return format!("descriptor 0x{descriptor:016x}");
    };
    let major = match major {
        Major::K => "K-major",
        Major::Mn => "MN-major",
    };
    format!(
        "from byte {}, {major}, swizzle {}",
        found.start,
        found.swizzle.name()
    )
}

/// Returns the distinct memories of the byte ranges, and the first byte in each memory.
fn places(
    ranges: &[(MemoryRegion, Range<u64>)],
    memories: &[MemoryDescriptor],
) -> (Vec<MemoryKey>, Vec<u64>) {
    let mut found: Vec<MemoryKey> = Vec::new();
    let mut starts = Vec::new();
    let mut last = None;
    for (region, bytes) in ranges {
        if last.replace(*region) == Some(*region) {
            continue;
        }
        let memory = memories.iter().find(|memory| memory.region == *region);
        if let Some(memory) = memory
            && !found.contains(&memory.view.id)
        {
            found.push(memory.view.id.clone());
            starts.push(bytes.start);
        }
    }
    (found, starts)
}

/// Returns the Layout Explorer request that shows the layout of a tile, or `None` if no layout exists.
fn layout_of(tile: &Tile) -> Option<FragmentRequest> {
    let word = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut with = BTreeMap::new();
    let (op, m, n) = match (tile.place, tile.matrix) {
        (
            TileLocation::Shared {
                descriptor,
                kind,
                major,
            },
            TileRole::A | TileRole::B,
        ) => {
            with.extend([
                word("major", if major == Major::K { "k" } else { "mn" }),
                word("descriptor", &format!("0x{descriptor:016x}")),
            ]);
            let is_a = tile.matrix == TileRole::A;
            // Request the minimum extent of the other matrix, because the layout does not depend on it.
            match (kind, is_a) {
                (DescriptorKind::Warpgroup, true) => ("wgmma.shared.a", 64, 8),
                (DescriptorKind::Warpgroup, false) => ("wgmma.shared.b", 64, tile.columns),
                (DescriptorKind::TensorMemory, true) => ("tcgen05.shared.a", tile.rows, 16),
                (DescriptorKind::TensorMemory, false) => ("tcgen05.shared.b", 128, tile.columns),
            }
        }
        (TileLocation::Registers, TileRole::A) => ("wgmma.a", 64, 8),
        (TileLocation::Registers, TileRole::D) => ("wgmma.d", 64, tile.columns),
        (
            TileLocation::Tensor {
                product: Some(product),
                ..
            },
            TileRole::D,
        ) => {
            let group = if product.n_blocks == 2 { "2" } else { "1" };
            with.extend([word("cta_group", group)]);
            let flags = [("ws", product.is_stationary), ("sparse", product.is_sparse)];
            let flags = flags.iter().filter(|(_, is_set)| *is_set);
            with.extend(flags.map(|(name, _)| word(name, "yes")));
            ("tcgen05.d", tile.rows, tile.columns)
        }
        _ => return None,
    };
    Some(FragmentRequest {
        op: op.to_owned(),
        shape: format!("m{m}n{n}"),
        ty: tile.ty.name().to_owned(),
        with,
        ..FragmentRequest::default()
    })
}

/// Formats a list of coordinates: `24, 8`.
fn numbers(coordinates: &[i64]) -> String {
    let texts: Vec<String> = coordinates.iter().map(i64::to_string).collect();
    texts.join(", ")
}

/// Returns the record of a tensor copy: the box in global memory, and the tile in shared memory.
fn of_copy(
    transfer: &TensorCopy,
    completion: &CompletionMechanism,
    memories: &[MemoryDescriptor],
) -> TensorRecord {
    let map = &transfer.map;
    let pieces = transfer.tile_pieces(MAX_PIECES);
    let n_bytes = transfer.shared_bytes();
    let shared = transfer.blocks.iter();
    let shared = shared.map(|block| MemoryRegion::Shared { block: *block });
    let unit = map.unit();
    let in_tensor = |piece: &TileSegment| {
        let (memory, offset) = locate(memories, Place::Global, piece.global?)?;
        let n = piece.n_inside / unit.shared_bytes * unit.global_bytes;
        Some((memory.region, offset..offset + n))
    };
    let of_box: Vec<_> = pieces.iter().filter_map(in_tensor).collect();
    let of_tile: Vec<_> = shared
        .flat_map(|region| {
            let range = |piece: &TileSegment| piece.shared..piece.shared + piece.n_bytes;
            let mut ranges: Vec<_> = pieces.iter().map(range).collect();
            ranges.sort_by_key(|range| range.start);
            ranges.into_iter().map(move |range| (region, range))
        })
        .collect();
    let n_box = of_box
        .iter()
        .map(|(_, bytes)| bytes.end - bytes.start)
        .sum();
    let is_load = transfer.direction == TensorCopyDirection::Load;
    let spelled = |name: &str, is_written, ranges: &[_], (place, n_bytes)| {
        let (memories, starts) = places(ranges, memories);
        TileView {
            name: name.to_owned(),
            ty: map.ty.name().to_owned(),
            rows: pieces.len() as u32,
            columns: 16,
            is_written,
            place,
            memories,
            starts,
            n_bytes,
            layout: None,
        }
    };
    let (shared, _) = places(&of_tile, memories);
    let memory = locate(memories, Place::Global, map.address);
    let memory = memory.map(|(memory, _)| memory.view.id.clone());
    let tiles = vec![
        spelled(
            "box",
            !is_load,
            &of_box,
            (
                format!("at ({})", numbers(&transfer.coordinates[..map.rank])),
                n_box,
            ),
        ),
        spelled(
            "tile",
            is_load,
            &of_tile,
            (format!("from byte {}", transfer.shared), n_bytes),
        ),
    ];
    let copy = TensorCopyView {
        memory,
        shared,
        ..view_copy(transfer, completion, &pieces)
    };
    TensorRecord {
        view: Some(TensorStep {
            has_landed: false,
            tiles,
            copy: Some(copy),
        }),
        ranges: vec![of_box, of_tile],
    }
}

/// Returns the properties of a tensor copy, without the memories that contain its tiles.
fn view_copy(
    transfer: &TensorCopy,
    completion: &CompletionMechanism,
    pieces: &[TileSegment],
) -> TensorCopyView {
    let map = &transfer.map;
    let outside = pieces.iter().map(|piece| piece.n_bytes - piece.n_inside);
    let pieces = pieces.iter().map(|piece| TensorPieceView {
        coordinates: piece.coordinates[..map.rank].to_vec(),
        shared: piece.shared,
        unswizzled_offset: piece.plain,
        n_bytes: piece.n_bytes as u32,
        n_inside: piece.n_inside as u32,
    });
    TensorCopyView {
        is_load: transfer.direction == TensorCopyDirection::Load,
        mode: map.mode.name().to_owned(),
        ty: map.ty.name().to_owned(),
        extents: map.extents[..map.rank].to_vec(),
        box_extents: transfer.box_extents(),
        coordinates: transfer.coordinates[..map.rank].to_vec(),
        swizzle: map.swizzle().unwrap_or_default().name().to_owned(),
        memory: None,
        shared: Vec::new(),
        n_bytes: transfer.shared_bytes(),
        n_outside: outside.sum(),
        fill: if map.fills_nan { "NaN" } else { "0" }.to_owned(),
        mbarrier: match completion {
            CompletionMechanism::Mbarrier { address, .. } => Some(*address),
            CompletionMechanism::None
            | CompletionMechanism::Arrival { .. }
            | CompletionMechanism::AsyncGroup { .. } => None,
        },
        pieces: pieces.collect(),
    }
}
