//! Matrices that a pending operation reads and writes, and the byte ranges of these matrices. The ranges are computed
//! with the functions that also perform the accesses.

use crate::code::DecodedCode;
use crate::code::plan_table::PlanId;
use crate::code::tensor_memory::{
    AsyncTensorKind, AsyncTensorPlan, MatrixAOperand, TensorMemoryPlan,
};
use crate::code::warp_product::{MmaOperandLocation, WarpMmaPlan};
use crate::contract::inspect::MemoryRegion;
use crate::contract::pending::TensorMemoryOperation;
use crate::contract::pending::{AsyncEffect, InFlightOperation};
use crate::contract::tiles::{Tile, TileLocation, TileRole};
use crate::contract::wgmma_operation::WgmmaOperation;
use crate::exec::matrix::tcgen05_mma::{
    DecodedMma, SHIFTED_COLUMNS, descriptor, kept_bits, metadata_bits, storage_of,
};
use crate::exec::matrix::wgmma::{ROWS, WARPS, described};
use crate::state::tensor_memory::{TENSOR_LANES, TensorMemoryLocation};
use std::ops::Range;
use warpgrid_isa::tensor_layout::{
    AccumulatorLayout, DescriptorKind, Major, SharedMatrixOperand, copied_lanes, metadata_place,
    scale_factor_location,
};
use warpgrid_isa::{ScalarType, TensorMemoryCopyShape, WarpMulticast};

/// Returns the matrices that an operation accesses. The list is empty for operations without matrices, and for
/// operations that will fault on completion.
pub(crate) fn tiles(code: &DecodedCode, pending: &InFlightOperation) -> Vec<Tile> {
    let origin = &pending.operation.origin;
    match &pending.operation.work {
        AsyncEffect::Product(product) => code
            .warp_products
            .get(PlanId::new(product.plan))
            .and_then(|plan| of_warp(plan, product, origin.block, origin.warp))
            .unwrap_or_default(),
        AsyncEffect::TensorMemory(work) => match code.tensor_memory.get(PlanId::new(work.plan)) {
            Some(TensorMemoryPlan::Start(plan)) => of_blocks(plan, work).unwrap_or_default(),
            Some(
                TensorMemoryPlan::Allocate { .. }
                | TensorMemoryPlan::Free { .. }
                | TensorMemoryPlan::Relinquish
                | TensorMemoryPlan::Load(_)
                | TensorMemoryPlan::Store(_)
                | TensorMemoryPlan::Commit { .. },
            )
            | None => Vec::new(),
        },
        AsyncEffect::Pieces
        | AsyncEffect::Tensor(_)
        | AsyncEffect::TensorPieces(_)
        | AsyncEffect::Cancel { .. } => Vec::new(),
    }
}

/// Byte ranges in one memory, in which adjacent ranges are merged.
#[derive(Default)]
struct MergedRanges(Vec<Range<u64>>);

impl MergedRanges {
    /// Adds a byte range. The function merges the new range only with the previously added range, because most ranges
    /// continue the previous range.
    fn add(&mut self, start: u64, n_bytes: u64) {
        match self.0.last_mut() {
            Some(last) if (last.start..=last.end).contains(&start) => {
                last.end = last.end.max(start + n_bytes);
            }
            Some(_) | None => self.0.push(start..start + n_bytes),
        }
    }

    /// Returns the merged byte ranges in ascending order, each with the memory region.
    fn of(mut self, memory: MemoryRegion) -> impl Iterator<Item = (MemoryRegion, Range<u64>)> {
        self.0.sort_by_key(|range| range.start);
        let mut merged = MergedRanges::default();
        for range in self.0 {
            merged.add(range.start, range.end - range.start);
        }
        merged.0.into_iter().map(move |range| (memory, range))
    }
}

/// Returns the byte ranges of some rows of A or columns of B in shared memory.
fn of_factor(factor: &SharedMatrixOperand, lines: Range<usize>, depth: usize) -> MergedRanges {
    let mut ranges = MergedRanges::default();
    for line in lines {
        for k in 0..depth {
            let (address, bit, n_bits) = factor.element(line as u64, k as u64);
            ranges.add(address, (bit + n_bits).div_ceil(8).into());
        }
    }
    ranges
}

/// Returns the matrices that one warp accesses in a `wgmma`.
fn of_warp(
    plan: &WarpMmaPlan,
    product: &WgmmaOperation,
    block: u64,
    warp: u32,
) -> Option<Vec<Tile>> {
    let shared = MemoryRegion::Shared { block };
    let factor = |matrix, ty, rows: usize, columns: usize| Tile {
        matrix,
        ty,
        rows,
        columns,
        is_written: false,
        place: TileLocation::Registers,
        ranges: Vec::new(),
    };
    let types = plan.plan.product();
    // Count single-bit elements in 32-bit words, because registers and memory contain them in this form.
    let per_word = |ty| if ty == ScalarType::B1 { 32 } else { 1 };
    let a_columns = plan.stored() * per_word(types.a);
    let mut a = factor(TileRole::A, types.a, ROWS, a_columns);
    let b_rows = plan.depth * per_word(types.b);
    let mut b = factor(TileRole::B, types.b, b_rows, plan.n_columns);
    let first = ROWS * (warp % WARPS) as usize;
    let places = [(&plan.a, 0), (&plan.b, 1)];
    for (tile, (place, at)) in [&mut a, &mut b].into_iter().zip(places) {
        let MmaOperandLocation::Described { major, .. } = place else {
            continue;
        };
        let bits = product.descriptors[at];
        tile.place = TileLocation::Shared {
            descriptor: bits,
            kind: plan.kind,
            major: *major,
        };
        let ranges = match tile.matrix {
            TileRole::A => {
                let factor = described(plan, bits, *major, plan.a_bits()).ok()?;
                of_factor(&factor, first..first + ROWS, plan.stored())
            }
            _ => {
                let factor = described(plan, bits, *major, plan.b_bits()).ok()?;
                of_factor(&factor, 0..plan.n_columns, plan.depth)
            }
        };
        tile.ranges = ranges.of(shared).collect();
    }
    let d = Tile {
        is_written: true,
        ..factor(TileRole::D, plan.d_type, ROWS, plan.n_columns)
    };
    Some(vec![a, b, d])
}

/// Returns the matrices that an operation on tensor memory accesses.
fn of_blocks(plan: &AsyncTensorPlan, work: &TensorMemoryOperation) -> Option<Vec<Tile>> {
    match &plan.kind {
        AsyncTensorKind::Copy { shape, warps, .. } => of_copy(work, *shape, *warps),
        AsyncTensorKind::Shift => of_shift(work),
        AsyncTensorKind::Product(operands) => {
            let reading = DecodedMma::new(operands, work, work.blocks.len()).ok()?;
            let mut tiles = vec![reading.a()?, reading.b()?, reading.d()];
            let factors = [TileRole::ScaleA, TileRole::ScaleB];
            if operands.factors.is_some() {
                tiles.extend(
                    (0..)
                        .zip(factors)
                        .map(|(at, matrix)| reading.scale(matrix, at)),
                );
            }
            if operands.metadata.is_some() {
                tiles.push(reading.metadata());
            }
            Some(tiles)
        }
    }
}

fn of_copy(
    work: &TensorMemoryOperation,
    shape: TensorMemoryCopyShape,
    warps: Option<WarpMulticast>,
) -> Option<Vec<Tile>> {
    let source = descriptor(work.a).ok()?;
    let (rows, bytes) = shape.rows_and_bytes();
    let mut read = MergedRanges::default();
    let mut written = MergedRanges::default();
    let start = TensorMemoryLocation::of(work.d);
    for row in 0..rows {
        for word in 0..bytes / 4 {
            let column = 4 * word as u64;
            read.add(source.place(Major::K, row as u64, column), 4);
        }
        for lane in copied_lanes(shape, warps, row as u32) {
            written.add(start.plus(lane, 0).offset()? as u64, bytes as u64);
        }
    }
    let tile = |matrix, place, ranges: Vec<_>| Tile {
        matrix,
        ty: ScalarType::B8,
        rows,
        columns: bytes,
        is_written: matrix == TileRole::Destination,
        place,
        ranges,
    };
    let shared = |block: &u64| MemoryRegion::Shared { block: *block };
    let tensor = |block: &u64| MemoryRegion::Tensor { block: *block };
    let (read, written) = (PerBlockRanges(read), PerBlockRanges(written));
    Some(vec![
        tile(
            TileRole::Source,
            TileLocation::Shared {
                descriptor: work.a,
                kind: DescriptorKind::TensorMemory,
                major: Major::K,
            },
            read.of_each(work.blocks.iter().map(shared)),
        ),
        tile(
            TileRole::Destination,
            TileLocation::Tensor {
                address: work.d,
                product: None,
            },
            written.of_each(work.blocks.iter().map(tensor)),
        ),
    ])
}

/// Returns the tensor memory rows that `tcgen05.shift` moves.
fn of_shift(work: &TensorMemoryOperation) -> Option<Vec<Tile>> {
    let start = TensorMemoryLocation::of(work.d);
    let rows = TENSOR_LANES.checked_sub(start.lane + 1)?;
    let bytes = u64::from(4 * SHIFTED_COLUMNS);
    let tile = |matrix, first: u32| {
        let mut ranges = MergedRanges::default();
        for row in first..first + rows {
            ranges.add(start.plus(row, 0).offset()? as u64, bytes);
        }
        let blocks = work.blocks.iter();
        let memories = blocks.map(|block| MemoryRegion::Tensor { block: *block });
        Some(Tile {
            matrix,
            ty: ScalarType::B32,
            rows: rows as usize,
            columns: SHIFTED_COLUMNS as usize,
            is_written: matrix == TileRole::Destination,
            place: TileLocation::Tensor {
                address: work.d + (first << 16),
                product: None,
            },
            ranges: PerBlockRanges(ranges).of_each(memories),
        })
    };
    Some(vec![
        tile(TileRole::Source, 0)?,
        tile(TileRole::Destination, 1)?,
    ])
}

/// Byte ranges that an operation accesses in the memory of each participating block.
struct PerBlockRanges(MergedRanges);

impl PerBlockRanges {
    fn of_each(
        self,
        memories: impl Iterator<Item = MemoryRegion>,
    ) -> Vec<(MemoryRegion, Range<u64>)> {
        let own = |memory| MergedRanges(self.0.0.clone()).of(memory);
        memories.flat_map(own).collect()
    }
}

impl DecodedMma<'_> {
    fn tile(&self, matrix: TileRole, ty: ScalarType, rows: usize, columns: usize) -> Tile {
        Tile {
            matrix,
            ty,
            rows,
            columns,
            is_written: matrix == TileRole::D,
            place: TileLocation::Registers,
            ranges: Vec::new(),
        }
    }

    /// Returns the byte ranges of an operand matrix that a descriptor specifies.
    fn shared_ranges(
        &self,
        factor: &SharedMatrixOperand,
        lines: usize,
        depth: usize,
    ) -> Vec<(MemoryRegion, Range<u64>)> {
        let blocks = self.work.blocks.iter();
        let share = lines / self.sums.n_blocks.max(1);
        let shared = blocks.map(|block| MemoryRegion::Shared { block: *block });
        PerBlockRanges(of_factor(factor, 0..share, depth)).of_each(shared)
    }

    /// Returns the byte ranges of words in the tensor memory of each participating block. The result omits
    /// out-of-bounds words.
    fn words(
        &self,
        places: impl Iterator<Item = (usize, TensorMemoryLocation, u64)>,
    ) -> Vec<(MemoryRegion, Range<u64>)> {
        let mut of_block: Vec<MergedRanges> = Vec::new();
        of_block.resize_with(self.work.blocks.len(), MergedRanges::default);
        for (block, place, n_bytes) in places {
            if let (Some(ranges), Some(at)) = (of_block.get_mut(block), place.offset()) {
                ranges.add(at as u64, n_bytes);
            }
        }
        let blocks = self.work.blocks.iter().zip(of_block);
        blocks
            .flat_map(|(block, ranges)| ranges.of(MemoryRegion::Tensor { block: *block }))
            .collect()
    }

    fn a(&self) -> Option<Tile> {
        let AccumulatorLayout { m, .. } = self.sums;
        let stored = match self.sums.is_sparse {
            true => self.depth / 2,
            false => self.depth,
        };
        let tile = self.tile(TileRole::A, self.says.a, m, stored);
        Some(match &self.operands.a {
            MatrixAOperand::Described(_) => {
                let factor = self.factor(self.work.a, self.says.a, self.says.a_major)?;
                Tile {
                    place: self.described(self.work.a, self.says.a_major),
                    ranges: self.shared_ranges(&factor, m, stored),
                    ..tile
                }
            }
            MatrixAOperand::Kept(_) => {
                let address = self.work.a as u32;
                let bits = kept_bits(self.operands.kind, self.says.a) as usize;
                let n_bytes = (stored * bits).div_ceil(8) as u64;
                let row = |row| {
                    let (block, lane, _) = self.sums.place(row, 0)?;
                    Some((
                        block,
                        TensorMemoryLocation::of(address).plus(lane as u32, 0),
                        n_bytes,
                    ))
                };
                Tile {
                    place: self.kept(address),
                    ranges: self.words((0..m).filter_map(row)),
                    ..tile
                }
            }
        })
    }

    fn b(&self) -> Option<Tile> {
        let (n, ty, major) = (self.sums.n, self.says.b, self.says.b_major);
        let factor = self.factor(self.work.b, ty, major)?;
        Some(Tile {
            place: self.described(self.work.b, major),
            ranges: self.shared_ranges(&factor, n, self.depth),
            ..self.tile(TileRole::B, ty, self.depth, n)
        })
    }

    /// Returns the accumulator matrix D without the lanes whose output is disabled.
    fn d(&self) -> Tile {
        let AccumulatorLayout { m, n, .. } = self.sums;
        let places = (0..m * n).map(|at| self.place(at / n, at % n));
        let enabled_places = places.filter(|(block, place)| !self.is_left_out(*block, *place));
        Tile {
            place: self.kept(self.work.d),
            ranges: self.words(enabled_places.map(|(block, place)| (block, place, 4))),
            ..self.tile(TileRole::D, self.says.d, m, n)
        }
    }

    /// Returns the scale factors of A (0) or B (1). Each scale factor is one byte, and four scale factors share a word.
    fn scale(&self, matrix: TileRole, factor: usize) -> Tile {
        let AccumulatorLayout { m, n, n_blocks, .. } = self.sums;
        let lines = if factor == 0 { m / n_blocks.max(1) } else { n };
        let address = self.work.factors[factor];
        let per_line = self.operands.factors_per_line;
        let lines_of = (0..n_blocks).flat_map(|block| (0..lines).map(move |line| (block, line)));
        let places = lines_of.map(|(block, line)| {
            let (lane, column) = scale_factor_location(line);
            let place = TensorMemoryLocation::of(address).plus(lane as u32, column as u32);
            (block, place, 4)
        });
        Tile {
            place: TileLocation::Tensor {
                address,
                product: None,
            },
            ranges: self.words(places),
            ..self.tile(matrix, self.says.factor_type, lines, per_line)
        }
    }

    fn metadata(&self) -> Tile {
        let rows = self.sums.m / self.sums.n_blocks.max(1);
        let (bits, chunk) = metadata_bits(self.operands.kind, self.says.a);
        let address = self.work.metadata;
        let start = TensorMemoryLocation::of(address).plus(0, self.says.selector);
        let n_chunks = self.depth / chunk;
        let places = (0..self.sums.m * n_chunks).map(|at| {
            let (row, first) = (at / n_chunks, at % n_chunks * chunk);
            let (lane, column, _) = metadata_place(bits, self.depth, row % rows, first);
            (row / rows, start.plus(lane as u32, column as u32), 4)
        });
        Tile {
            place: TileLocation::Tensor {
                address,
                product: None,
            },
            ranges: self.words(places),
            ..self.tile(TileRole::Metadata, ScalarType::B32, self.sums.m, n_chunks)
        }
    }

    fn kept(&self, address: u32) -> TileLocation {
        TileLocation::Tensor {
            address,
            product: Some(self.sums),
        }
    }

    fn described(&self, descriptor: u64, major: Major) -> TileLocation {
        TileLocation::Shared {
            descriptor,
            kind: DescriptorKind::TensorMemory,
            major,
        }
    }

    fn factor(&self, bits: u64, ty: ScalarType, major: Major) -> Option<SharedMatrixOperand> {
        Some(SharedMatrixOperand {
            descriptor: descriptor(bits).ok()?,
            major,
            storage: storage_of(self.operands.kind, ty),
        })
    }
}
