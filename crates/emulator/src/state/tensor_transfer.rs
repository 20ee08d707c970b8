//! One copy of a part of a tensor: by rule in flight, and as pieces when it reads or lands (PTX ISA, "Tensors", "cp.async.bulk.tensor").

use crate::contract::pending::{PendingPiece, PendingSource, PieceBytes, SourceForm};
use crate::contract::tensor_map::{Interleave, MAX_RANK, TensorMap, TensorMode, TensorType};
use crate::contract::tensor_transfer::{TensorDirection, TensorTransfer, TilePiece};
use crate::state::memory::{GlobalMemory, TriedAccess};
use std::ops::Range;
use warpgrid_isa::layout::Swizzle;
use warpgrid_isa::{AccessKind, LoadMode, StateSpace};

/// A row of the part: values that follow each other in both memories.
struct Row {
    /// Of the first value, along each dimension.
    places: [i64; MAX_RANK],
    n_values: u64,
    /// Of the row in global memory, without dimension 0; none outside of the tensor.
    start: Option<u64>,
}

/// Bytes of a tile that lie together in both memories.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileRun {
    pub(crate) shared: u64,
    /// None outside of the tensor.
    pub(crate) global: Option<u64>,
    pub(crate) n_bytes: usize,
}

impl TensorTransfer {
    /// Bytes of the part in the shared memory of one block, with those that are filled.
    pub fn shared_bytes(&self) -> u64 {
        let unit = self.map.unit();
        let rows = self.n_rows();
        rows * self.row_values().div_ceil(unit.n_values) * unit.shared_bytes
    }

    /// Elements of the part along each dimension, as far as it has the shape of a box; else values of a row, and rows.
    pub fn box_extents(&self) -> Vec<u64> {
        match self.mode {
            LoadMode::Tile => (0..self.map.rank)
                .map(|dimension| match dimension {
                    0 => self.row_values(),
                    dimension => self.n_along(dimension),
                })
                .collect(),
            LoadMode::Gather4
            | LoadMode::Scatter4
            | LoadMode::Im2col
            | LoadMode::Im2colNoOffsets
            | LoadMode::Im2colW
            | LoadMode::Im2colW128 => vec![self.row_values(), self.n_rows()],
        }
    }

    fn row_values(&self) -> u64 {
        match self.map.mode {
            TensorMode::Tiled => u64::from(self.map.box_extents[0]),
            TensorMode::Im2col | TensorMode::Im2colW | TensorMode::Im2colW128 => {
                u64::from(self.map.channels_per_pixel)
            }
        }
    }

    fn n_rows(&self) -> u64 {
        match self.mode {
            LoadMode::Gather4 | LoadMode::Scatter4 => 4,
            LoadMode::Tile => (1..self.map.rank).map(|d| self.n_along(d)).product(),
            LoadMode::Im2col | LoadMode::Im2colNoOffsets => self.map.pixels_per_column.into(),
            LoadMode::Im2colW => {
                u64::from(self.map.pixels_per_column) + self.offsets[0].max(0) as u64
            }
            LoadMode::Im2colW128 => 128 + 4 * self.offsets[0].max(0) as u64,
        }
    }

    /// Bytes from the start of a row to that of the next one in shared memory: a swizzle needs whole spans (measured on an H100).
    fn row_step(&self) -> u64 {
        let unit = self.map.unit();
        let bytes = self.row_values().div_ceil(unit.n_values) * unit.shared_bytes;
        let span = match self.map.interleave {
            Interleave::None => self.map.swizzle().unwrap_or_default().span_bytes(),
            Interleave::B16 | Interleave::B32 => None,
        };
        bytes.max(span.unwrap_or(0))
    }

    /// Bytes of shared memory from the first to the last one that the part takes.
    pub fn shared_extent(&self) -> u64 {
        let rows = self.n_rows();
        let in_row = self.shared_bytes().checked_div(rows).unwrap_or(0);
        rows.saturating_sub(1) * self.row_step() + in_row
    }

    /// Elements that a box touches along a dimension. One slice of channels is copied, whatever the box says (measured on an H100).
    fn n_along(&self, dimension: usize) -> u64 {
        if self.map.interleave != Interleave::None && dimension + 2 == self.map.rank {
            return 1;
        }
        let extent = self.map.box_extents.get(dimension).copied().unwrap_or(1);
        u64::from(extent).div_ceil(self.map.element_stride(dimension))
    }

    /// The first row of which global memory does not have all bytes that are read or written.
    pub(crate) fn outside(&self, global: &GlobalMemory) -> Option<TriedAccess> {
        let unit = self.map.unit();
        let kind = match self.direction {
            TensorDirection::Load => AccessKind::Load,
            TensorDirection::Store => AccessKind::Store,
        };
        let mut found = None;
        self.for_each_row(|row| {
            let Some((start, units)) = self.inside(&row) else {
                return;
            };
            let address = start.wrapping_add(units.start.wrapping_mul(unit.global_bytes));
            let n_bytes = (units.end - units.start) * unit.global_bytes;
            let is_there = global.find(address).is_some_and(|allocation| {
                let is_writable = kind == AccessKind::Load || !allocation.read_only();
                allocation.holds(address, n_bytes) && is_writable
            });
            if n_bytes > 0 && !is_there && found.is_none() {
                found = Some(TriedAccess {
                    kind,
                    space: StateSpace::Global,
                    address,
                    width_bytes: n_bytes as u32,
                });
            }
        });
        found
    }

    /// The units of a row that are inside of the tensor, and where unit 0 of the row is.
    fn inside(&self, row: &Row) -> Option<(u64, Range<u64>)> {
        let unit = self.map.unit();
        let n_units = row.n_values.div_ceil(unit.n_values) as i64;
        // Values that lie together are inside or outside together.
        let first = row.places[0].div_euclid(unit.n_values as i64);
        let last = (self.map.extents[0] / unit.n_values) as i64;
        let low = (-first).clamp(0, n_units);
        let high = last.saturating_sub(first).clamp(low, n_units);
        let start = row.start?;
        let start = start.wrapping_add((first as u64).wrapping_mul(unit.global_bytes));
        Some((start, low as u64..high as u64))
    }

    /// The least coordinate of a row along any dimension, and that dimension.
    pub(crate) fn least_place(&self) -> Option<(usize, i64)> {
        let mut least = None;
        self.for_each_row(|row| {
            let along = row.places.iter().copied().enumerate().take(self.map.rank);
            least = along.chain(least).min_by_key(|(_, place)| *place);
        });
        least
    }

    /// What is written, in the order of shared memory; where the copy reads is the source of each piece.
    pub fn pieces(&self) -> Vec<PendingPiece> {
        let mut pieces = Vec::new();
        let fill = self.filling();
        self.for_each_run(|run| {
            for block in &self.blocks {
                pieces.push(match run.global {
                    Some(global) => self.piece(global, run.shared, run.n_bytes, *block),
                    None => self.filled(run, fill, *block),
                });
            }
        });
        pieces
    }

    /// The runs of bytes that are moved or filled, in the order of shared memory.
    pub(crate) fn for_each_run(&self, mut visit: impl FnMut(TileRun)) {
        let mut at = 0;
        let swizzle = self.map.swizzle().unwrap_or_default();
        self.for_each_row(|row| {
            self.add_row(&row, at, swizzle, &mut visit);
            at += self.row_step();
        });
    }

    /// What an element outside of the tensor reads as.
    pub(crate) fn filling(&self) -> &'static [u8] {
        filling(&self.map)
    }

    /// Whether both memories hold the same bytes of an element, so that a copy is one of bytes.
    pub(crate) fn copies_bytes(&self) -> bool {
        let unit = self.map.unit();
        unit.global_bytes == unit.shared_bytes && self.reduces.is_none() && !self.rounds()
    }

    /// Whether a load rounds what it brings: `tf32`.
    fn rounds(&self) -> bool {
        self.direction == TensorDirection::Load && self.map.ty.is_tf32()
    }

    /// What is copied, in pieces of 16 bytes or the rest of a row, in the order of shared memory without a swizzle: where each comes from and
    /// lies. `at_most` of them.
    pub fn tile_pieces(&self, at_most: usize) -> Vec<TilePiece> {
        const BYTES: u64 = 16;
        let mut pieces = Vec::new();
        let unit = self.map.unit();
        let swizzle = self.map.swizzle().unwrap_or_default();
        let mut plain = self.shared;
        self.for_each_row(|row| {
            let n_units = row.n_values.div_ceil(unit.n_values);
            let per_piece = (BYTES / unit.shared_bytes).max(1);
            let inside = self.inside(&row);
            let mut from = 0;
            while from < n_units && pieces.len() < at_most {
                let n = per_piece.min(n_units - from);
                let within = inside.as_ref().and_then(|(start, units)| {
                    let (low, high) = (units.start.max(from), units.end.min(from + n));
                    let global = start.wrapping_add(low.wrapping_mul(unit.global_bytes));
                    (low < high).then(|| (global, high - low))
                });
                let mut coordinates = row.places;
                coordinates[0] = coordinates[0].wrapping_add((from * unit.n_values) as i64);
                let at = plain + from * unit.shared_bytes;
                pieces.push(TilePiece {
                    coordinates,
                    shared: swizzle.apply(at),
                    plain: at,
                    n_bytes: n * unit.shared_bytes,
                    n_inside: within.map_or(0, |(_, n)| n * unit.shared_bytes),
                    global: within.map(|(global, _)| global),
                });
                from += n;
            }
            plain += self.row_step();
        });
        pieces
    }

    fn for_each_row(&self, add: impl FnMut(Row)) {
        match self.mode {
            LoadMode::Tile => self.box_rows(add),
            LoadMode::Gather4 | LoadMode::Scatter4 => self.gathered_rows(add),
            LoadMode::Im2col | LoadMode::Im2colNoOffsets => self.image_rows(add),
            LoadMode::Im2colW | LoadMode::Im2colW128 => self.line_rows(add),
        }
    }

    fn row_at(&self, places: &[i64; MAX_RANK]) -> Row {
        let map = &self.map;
        let outer = (1..map.rank).map(|d| (places[d], map.extents[d], map.strides[d - 1]));
        let mut start = Some(map.address);
        for (place, extent, stride) in outer {
            let is_inside = place >= 0 && (place as u64) < extent;
            start = start
                .filter(|_| is_inside)
                .map(|at| at.wrapping_add((place as u64).wrapping_mul(stride)));
        }
        Row {
            places: *places,
            n_values: self.row_values(),
            start,
        }
    }

    fn box_rows(&self, mut add: impl FnMut(Row)) {
        let n: [u64; MAX_RANK] = std::array::from_fn(|d| match d {
            0 => 1,
            d if d < self.map.rank => self.n_along(d),
            _ => 1,
        });
        let mut index = [0; MAX_RANK];
        for _ in 0..n.iter().product() {
            let places = std::array::from_fn(|d| {
                let step = match d {
                    0 => 0,
                    d => index[d] * self.map.element_stride(d),
                };
                self.coordinates[d].wrapping_add(step as i64)
            });
            add(self.row_at(&places));
            for (index, n) in index.iter_mut().zip(n).skip(1) {
                *index += 1;
                if *index < n {
                    break;
                }
                *index = 0;
            }
        }
    }

    fn gathered_rows(&self, mut add: impl FnMut(Row)) {
        let [column, rows @ ..] = self.coordinates;
        for row in rows {
            add(self.row_at(&[column, row, 0, 0, 0]));
        }
    }

    /// The walk over an image: a corner goes from the lower to the upper one, and the offsets say what is read there.
    fn image_rows(&self, mut add: impl FnMut(Row)) {
        let map = &self.map;
        let n_spatial = map.rank.saturating_sub(2).min(3);
        let mut corner = self.coordinates;
        for _ in 0..map.pixels_per_column {
            let places = std::array::from_fn(|d| {
                let is_spatial = (1..=n_spatial).contains(&d);
                corner[d] + if is_spatial { self.offsets[d - 1] } else { 0 }
            });
            add(self.row_at(&places));
            let mut carries = true;
            let along = corner.iter_mut().zip(map.extents).enumerate().skip(1);
            for (d, (place, extent)) in along.take(n_spatial) {
                *place += map.element_stride(d) as i64;
                let last = extent as i64 - 1 + i64::from(map.upper_corner[d - 1]);
                carries = *place > last;
                if !carries {
                    break;
                }
                *place = map.lower_corner[d - 1].into();
            }
            if carries && let Some(image) = corner.get_mut(n_spatial + 1) {
                *image += 1;
            }
        }
    }

    /// A line along the width, with a halo. What follows at the end of a line is in figures only: ours is filled.
    fn line_rows(&self, mut add: impl FnMut(Row)) {
        let map = &self.map;
        let [halo, offset, _] = self.offsets;
        let halo = halo.max(0) as u64;
        let (run, n_runs) = match self.mode {
            LoadMode::Im2colW128 => (32, 4),
            _ => (u64::from(map.pixels_per_column), 1),
        };
        let step = map.element_stride(1);
        for part in 0..n_runs {
            for pixel in 0..run + halo {
                let mut places = self.coordinates;
                let along = (part * run + pixel) * step;
                places[1] = places[1].wrapping_add(along as i64).wrapping_add(offset);
                let last = map.extents[1] as i64 - 1 + i64::from(map.upper_corner[0]) + offset;
                let mut row = self.row_at(&places);
                if places[1] > last {
                    row.start = None;
                }
                add(row);
            }
        }
    }

    /// The pieces of a row that begins this many bytes after the first.
    fn add_row(&self, row: &Row, at: u64, swizzle: Swizzle, visit: &mut impl FnMut(TileRun)) {
        let unit = self.map.unit();
        let n_units = row.n_values.div_ceil(unit.n_values);
        let inside = self.inside(row);
        let (low, high) = match &inside {
            Some((_, units)) => (units.start, units.end),
            None => (0, 0),
        };
        let fills = self.direction == TensorDirection::Load;
        if fills {
            self.add_filled(at, 0..low, swizzle, visit);
        }
        if let Some((start, _)) = inside {
            // Where both memories hold the same bytes, a row is one run.
            let step = match unit.global_bytes == unit.shared_bytes {
                true => (high - low).max(1),
                false => 1,
            };
            let mut from = low;
            while from < high {
                let n = step.min(high - from);
                let global = start.wrapping_add(from.wrapping_mul(unit.global_bytes));
                let shared = self.shared + at + from * unit.shared_bytes;
                add_run(global, shared, n * unit.global_bytes, swizzle, visit);
                from += n;
            }
        }
        if fills {
            self.add_filled(at, high..n_units, swizzle, visit);
        }
    }

    fn piece(&self, global: u64, shared: u64, n_bytes: usize, block: u64) -> PendingPiece {
        let in_global = PendingSource {
            space: StateSpace::Global,
            block: 0,
            address: global,
            form: match self.rounds() {
                true => SourceForm::Tf32,
                false => SourceForm::Bytes,
            },
        };
        let in_shared = PendingSource {
            space: StateSpace::Shared,
            block,
            address: shared,
            form: match self.map.ty {
                TensorType::U6Align16 => SourceForm::Sixes,
                _ => SourceForm::Bytes,
            },
        };
        let (to, from) = match self.direction {
            TensorDirection::Load => (in_shared, in_global),
            TensorDirection::Store => (in_global, in_shared),
        };
        PendingPiece {
            lane: self.lane,
            space: to.space,
            block: to.block,
            address: to.address,
            bytes: PieceBytes::zeros(n_bytes),
            source: Some(from),
            reduces: self.reduces,
        }
    }

    /// A run that is filled.
    fn filled(&self, run: TileRun, fill: &[u8], block: u64) -> PendingPiece {
        // Elements are aligned in a row, and atoms hold whole ones.
        let bytes: Vec<u8> = fill.iter().cycle().take(run.n_bytes).copied().collect();
        PendingPiece {
            lane: self.lane,
            space: StateSpace::Shared,
            block,
            address: run.shared,
            bytes: PieceBytes::from_slice(&bytes),
            source: None,
            reduces: None,
        }
    }

    /// Units of a row that lie outside of the tensor.
    fn add_filled(
        &self,
        at: u64,
        units: Range<u64>,
        swizzle: Swizzle,
        visit: &mut impl FnMut(TileRun),
    ) {
        let unit = self.map.unit();
        let end = at + units.end * unit.shared_bytes;
        let mut from = at + units.start * unit.shared_bytes;
        while from < end {
            let shared = self.shared + from;
            let n = to_end_of_atom(swizzle, shared).min(end - from);
            visit(TileRun {
                shared: swizzle.apply(shared),
                global: None,
                n_bytes: n as usize,
            });
            from += n;
        }
    }
}

/// Bytes from a place in shared memory to where the swizzle takes others elsewhere.
fn to_end_of_atom(swizzle: Swizzle, shared: u64) -> u64 {
    match swizzle.atom_bytes() {
        u64::MAX => u64::MAX,
        atom => atom - shared % atom,
    }
}

/// Bytes that follow each other in both memories, but for the swizzle.
fn add_run(
    mut global: u64,
    mut shared: u64,
    mut n_bytes: u64,
    swizzle: Swizzle,
    visit: &mut impl FnMut(TileRun),
) {
    while n_bytes > 0 {
        let n = to_end_of_atom(swizzle, shared).min(n_bytes);
        visit(TileRun {
            shared: swizzle.apply(shared),
            global: Some(global),
            n_bytes: n as usize,
        });
        global += n;
        shared += n;
        n_bytes -= n;
    }
}

/// What lies outside of the tensor reads as.
fn filling(map: &TensorMap) -> &'static [u8] {
    match map.fills_nan {
        true => &[0xf7, 0x7f],
        false => &[0],
    }
}
