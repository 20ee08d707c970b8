//! Expansion of tensor copies. A copy in flight is stored as a description, which is split into pieces when the copy
//! reads its source or completes (PTX ISA, "Tensors", "cp.async.bulk.tensor").

use crate::contract::pending::{AsyncSource, AsyncWrite, PieceBytes, SourceConversion};
use crate::contract::tensor_map::{Interleave, MAX_RANK, TensorMap, TensorMode, TensorType};
use crate::contract::tensor_transfer::{TensorCopy, TensorCopyDirection, TileSegment};
use crate::state::memory::{AttemptedAccess, GlobalMemory};
use std::ops::Range;
use warpgrid_isa::tensor_layout::SwizzleMode;
use warpgrid_isa::{AccessKind, LoadMode, StateSpace};

/// Row of the box of a tensor copy. The values of a row are consecutive in both global and shared memory.
struct BoxRow {
    /// Coordinates of the first value of the row.
    places: [i64; MAX_RANK],
    n_values: u64,
    /// Address of the row in global memory, with coordinate 0 in dimension 0. The address is `None` if the row is out
    /// of bounds.
    start: Option<u64>,
}

/// Byte range of a tensor copy that is contiguous in both global and shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileCopyRun {
    pub(crate) shared: u64,
    /// Address in global memory, or `None` if the bytes are outside of the bounds of the tensor.
    pub(crate) global: Option<u64>,
    pub(crate) n_bytes: usize,
}

impl TensorCopy {
    /// Returns the number of bytes that the copy transfers in the shared memory of one block, including filled bytes.
    pub fn shared_bytes(&self) -> u64 {
        let unit = self.map.unit();
        let rows = self.n_rows();
        rows * self.row_values().div_ceil(unit.n_values) * unit.shared_bytes
    }

    /// Returns the extents of the box. For copies without a box, returns the number of values per row and the number of
    /// rows.
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

    /// Returns the distance between consecutive rows in shared memory in bytes. Swizzle modes pad each row to a whole
    /// swizzle span (measured on an H100).
    fn row_step(&self) -> u64 {
        let unit = self.map.unit();
        let bytes = self.row_values().div_ceil(unit.n_values) * unit.shared_bytes;
        let span = match self.map.interleave {
            Interleave::None => self.map.swizzle().unwrap_or_default().span_bytes(),
            Interleave::B16 | Interleave::B32 => None,
        };
        bytes.max(span.unwrap_or(0))
    }

    /// Returns the number of bytes from the first to the last byte of the copy in shared memory.
    pub fn shared_extent(&self) -> u64 {
        let rows = self.n_rows();
        let in_row = self.shared_bytes().checked_div(rows).unwrap_or(0);
        rows.saturating_sub(1) * self.row_step() + in_row
    }

    /// Returns the number of elements of the box along a dimension. Copies with an interleaved layout transfer one
    /// slice of channels, regardless of the box (measured on an H100).
    fn n_along(&self, dimension: usize) -> u64 {
        if self.map.interleave != Interleave::None && dimension + 2 == self.map.rank {
            return 1;
        }
        let extent = self.map.box_extents.get(dimension).copied().unwrap_or(1);
        u64::from(extent).div_ceil(self.map.element_stride(dimension))
    }

    /// Returns the access to the first row that is not completely accessible in global memory, if such a row exists.
    pub(crate) fn outside(&self, global: &GlobalMemory) -> Option<AttemptedAccess> {
        let unit = self.map.unit();
        let kind = match self.direction {
            TensorCopyDirection::Load => AccessKind::Load,
            TensorCopyDirection::Store => AccessKind::Store,
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
                found = Some(AttemptedAccess {
                    kind,
                    space: StateSpace::Global,
                    address,
                    width_bytes: n_bytes as u32,
                });
            }
        });
        found
    }

    /// Returns the global address of unit 0 of a row, and the range of the row's units that are within the bounds of
    /// the tensor.
    fn inside(&self, row: &BoxRow) -> Option<(u64, Range<u64>)> {
        let unit = self.map.unit();
        let n_units = row.n_values.div_ceil(unit.n_values) as i64;
        // Round to whole units, because the values of a unit are either all within the bounds or all out of bounds.
        let first = row.places[0].div_euclid(unit.n_values as i64);
        let last = (self.map.extents[0] / unit.n_values) as i64;
        let low = (-first).clamp(0, n_units);
        let high = last.saturating_sub(first).clamp(low, n_units);
        let start = row.start?;
        let start = start.wrapping_add((first as u64).wrapping_mul(unit.global_bytes));
        Some((start, low as u64..high as u64))
    }

    /// Returns the smallest start coordinate of all rows, and its dimension.
    pub(crate) fn least_place(&self) -> Option<(usize, i64)> {
        let mut least = None;
        self.for_each_row(|row| {
            let along = row.places.iter().copied().enumerate().take(self.map.rank);
            least = along.chain(least).min_by_key(|(_, place)| *place);
        });
        least
    }

    /// Returns the pieces of the copy in the order of their shared memory addresses. Each piece contains its source.
    pub fn pieces(&self) -> Vec<AsyncWrite> {
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

    /// Visits the contiguous ranges that the copy transfers or fills, in the order of their shared memory addresses.
    pub(crate) fn for_each_run(&self, mut visit: impl FnMut(TileCopyRun)) {
        let mut at = 0;
        let swizzle = self.map.swizzle().unwrap_or_default();
        self.for_each_row(|row| {
            self.add_row(&row, at, swizzle, &mut visit);
            at += self.row_step();
        });
    }

    /// Returns the fill value of out-of-bounds elements.
    pub(crate) fn filling(&self) -> &'static [u8] {
        filling(&self.map)
    }

    /// Checks whether elements have the same representation in both memories, so that the copy does not convert them.
    pub(crate) fn copies_bytes(&self) -> bool {
        let unit = self.map.unit();
        unit.global_bytes == unit.shared_bytes && self.reduces.is_none() && !self.rounds()
    }

    /// Checks whether a load rounds its elements to `tf32`.
    fn rounds(&self) -> bool {
        self.direction == TensorCopyDirection::Load && self.map.ty.is_tf32()
    }

    /// Returns at most `at_most` pieces of 16 bytes, or of the remainder of a row, with their locations in both
    /// memories. The pieces are ordered by their shared memory addresses before the swizzle.
    pub fn tile_pieces(&self, at_most: usize) -> Vec<TileSegment> {
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
                pieces.push(TileSegment {
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

    fn for_each_row(&self, add: impl FnMut(BoxRow)) {
        match self.mode {
            LoadMode::Tile => self.box_rows(add),
            LoadMode::Gather4 | LoadMode::Scatter4 => self.gathered_rows(add),
            LoadMode::Im2col | LoadMode::Im2colNoOffsets => self.image_rows(add),
            LoadMode::Im2colW | LoadMode::Im2colW128 => self.line_rows(add),
        }
    }

    fn row_at(&self, places: &[i64; MAX_RANK]) -> BoxRow {
        let map = &self.map;
        let outer = (1..map.rank).map(|d| (places[d], map.extents[d], map.strides[d - 1]));
        let mut start = Some(map.address);
        for (place, extent, stride) in outer {
            let is_inside = place >= 0 && (place as u64) < extent;
            start = start
                .filter(|_| is_inside)
                .map(|at| at.wrapping_add((place as u64).wrapping_mul(stride)));
        }
        BoxRow {
            places: *places,
            n_values: self.row_values(),
            start,
        }
    }

    fn box_rows(&self, mut add: impl FnMut(BoxRow)) {
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

    fn gathered_rows(&self, mut add: impl FnMut(BoxRow)) {
        let [column, rows @ ..] = self.coordinates;
        for row in rows {
            add(self.row_at(&[column, row, 0, 0, 0]));
        }
    }

    /// Visits the rows of an `im2col` copy. The base position advances from the lower to the upper corner of the
    /// bounding box. The `im2col` offsets of the copy are added to each base position.
    fn image_rows(&self, mut add: impl FnMut(BoxRow)) {
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

    /// Visits the rows of an `im2col::w` copy, which are positions along the width with a halo. The PTX ISA defines the
    /// behavior at the end of a line only in figures. The emulator treats rows beyond the end of a line as out of
    /// bounds, and fills them.
    fn line_rows(&self, mut add: impl FnMut(BoxRow)) {
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

    /// Visits the contiguous ranges of a row. `at` is the offset of the row from the start of the copy in shared
    /// memory.
    fn add_row(
        &self,
        row: &BoxRow,
        at: u64,
        swizzle: SwizzleMode,
        visit: &mut impl FnMut(TileCopyRun),
    ) {
        let unit = self.map.unit();
        let n_units = row.n_values.div_ceil(unit.n_values);
        let inside = self.inside(row);
        let (low, high) = match &inside {
            Some((_, units)) => (units.start, units.end),
            None => (0, 0),
        };
        let fills = self.direction == TensorCopyDirection::Load;
        if fills {
            self.add_filled(at, 0..low, swizzle, visit);
        }
        if let Some((start, _)) = inside {
            // If elements have the same representation in both memories, visit the row as one contiguous range.
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

    fn piece(&self, global: u64, shared: u64, n_bytes: usize, block: u64) -> AsyncWrite {
        let in_global = AsyncSource {
            space: StateSpace::Global,
            block: 0,
            address: global,
            form: match self.rounds() {
                true => SourceConversion::Tf32,
                false => SourceConversion::Bytes,
            },
        };
        let in_shared = AsyncSource {
            space: StateSpace::Shared,
            block,
            address: shared,
            form: match self.map.ty {
                TensorType::U6Align16 => SourceConversion::Sixes,
                _ => SourceConversion::Bytes,
            },
        };
        let (to, from) = match self.direction {
            TensorCopyDirection::Load => (in_shared, in_global),
            TensorCopyDirection::Store => (in_global, in_shared),
        };
        AsyncWrite {
            lane: self.lane,
            space: to.space,
            block: to.block,
            address: to.address,
            bytes: PieceBytes::zeros(n_bytes),
            source: Some(from),
            reduces: self.reduces,
        }
    }

    /// Creates a piece that writes the fill value to shared memory.
    fn filled(&self, run: TileCopyRun, fill: &[u8], block: u64) -> AsyncWrite {
        // The end of the byte range never splits an element of the fill pattern, because elements are aligned within a
        // row, and swizzle atoms contain only whole elements.
        let bytes: Vec<u8> = fill.iter().cycle().take(run.n_bytes).copied().collect();
        AsyncWrite {
            lane: self.lane,
            space: StateSpace::Shared,
            block,
            address: run.shared,
            bytes: PieceBytes::from_slice(&bytes),
            source: None,
            reduces: None,
        }
    }

    /// Visits the units of a row that are outside of the bounds of the tensor.
    fn add_filled(
        &self,
        at: u64,
        units: Range<u64>,
        swizzle: SwizzleMode,
        visit: &mut impl FnMut(TileCopyRun),
    ) {
        let unit = self.map.unit();
        let end = at + units.end * unit.shared_bytes;
        let mut from = at + units.start * unit.shared_bytes;
        while from < end {
            let shared = self.shared + from;
            let n = to_end_of_atom(swizzle, shared).min(end - from);
            visit(TileCopyRun {
                shared: swizzle.apply(shared),
                global: None,
                n_bytes: n as usize,
            });
            from += n;
        }
    }
}

/// Returns the number of bytes from an offset in shared memory to the end of the swizzle atom.
fn to_end_of_atom(swizzle: SwizzleMode, shared: u64) -> u64 {
    match swizzle.atom_bytes() {
        u64::MAX => u64::MAX,
        atom => atom - shared % atom,
    }
}

/// Visits a byte range that is contiguous in both memories. The range is split at the boundaries of swizzle atoms.
fn add_run(
    mut global: u64,
    mut shared: u64,
    mut n_bytes: u64,
    swizzle: SwizzleMode,
    visit: &mut impl FnMut(TileCopyRun),
) {
    while n_bytes > 0 {
        let n = to_end_of_atom(swizzle, shared).min(n_bytes);
        visit(TileCopyRun {
            shared: swizzle.apply(shared),
            global: Some(global),
            n_bytes: n as usize,
        });
        global += n;
        shared += n;
        n_bytes -= n;
    }
}

/// Returns the fill value of out-of-bounds elements.
fn filling(map: &TensorMap) -> &'static [u8] {
    match map.fills_nan {
        true => &[0xf7, 0x7f],
        false => &[0],
    }
}
