//! Completion of asynchronous operations on tensor memory: copies and matrix multiplications (PTX ISA, "tcgen05.cp",
//! "tcgen05.mma"; element layouts as defined by CuTe). The operations access shared memory and tensor memory of one
//! block or of a block pair.

use crate::code::tensor_memory::{
    AsyncTensorKind, AsyncTensorPlan, MatrixAOperand, TcgenMmaOperands,
};
use crate::contract::inspect::LastWriter;
use crate::contract::pending::TensorMemoryOperation;
use crate::exec::matrix::shared_operand::{read_bits, read_lines};
use crate::exec::matrix::tensor_memory::wrong;
use crate::exec::memory_context::{ExecResult, ExecutionFault};
use crate::semantics::sparse::chosen;
use crate::semantics::tensor::algorithm::{BitOp, IntegerOverflow, MmaDescription, MmaInstruction};
use crate::semantics::tensor::block_scaling::{ScaleType, ScaledOperandLine};
use crate::semantics::tensor::float_conversion::{MmaOperandValues, nearest_bits, value_of};
use crate::semantics::tensor::model::TensorCoreModel;
use crate::state::memory::PagedMemory;
use crate::state::tensor_memory::{
    TENSOR_LANES, TensorMemoryLocation, read, words, write, write_words,
};
use warpgrid_isa::fragment::{Shape, TensorCoreGeneration};
use warpgrid_isa::tensor_layout::{
    AccumulatorLayout, DescriptorKind, ElementPacking, InstructionDescriptor, Major,
    MatrixDescriptor, SharedMatrixOperand, ZeroColumnMask, copied_lanes, metadata_place,
    scale_factor_location,
};
use warpgrid_isa::{
    MmaKind, Rounding, ScalarType, TensorMemoryCopyShape, Unpacking, WarpMulticast,
};
use warpgrid_program::counted;

/// Number of rows and columns of D that the emulator computes together in order to reuse their operands.
const TILE: (usize, usize) = (16, 8);

/// Shared memory and tensor memory of the blocks that participate in an operation on tensor memory.
pub(crate) struct CtaPairMemory<'a> {
    pub(crate) shared: &'a [PagedMemory],
    pub(crate) tensor: &'a mut [PagedMemory],
    /// Indices of the participating blocks in the machine state, with the lower rank first.
    pub(crate) places: Vec<usize>,
}

/// Executes the effect of an issued operation at its completion.
pub(crate) fn land(
    plan: &AsyncTensorPlan,
    work: &TensorMemoryOperation,
    blocks: &mut CtaPairMemory<'_>,
    core: Option<TensorCoreGeneration>,
    step: u64,
) -> ExecResult {
    let writer = LastWriter {
        step,
        lane: work.lane,
    };
    match &plan.kind {
        AsyncTensorKind::Copy {
            shape,
            warps,
            unpacking,
            ..
        } => {
            let plan = CopyShape {
                shape: *shape,
                warps: *warps,
                unpacking: *unpacking,
            };
            copy(work, plan, blocks, writer)
        }
        AsyncTensorKind::Shift => shift(work, blocks, writer),
        AsyncTensorKind::Product(operands) => {
            let lanes = 1 << work.lane;
            let core = core
                .ok_or_else(|| ExecutionFault::internal("a target without Tensor Cores", lanes))?;
            match operands.is_described {
                true => product(&of_descriptor(operands, work), work, blocks, core, writer),
                false => product(operands, work, blocks, core, writer),
            }
        }
    }
}

/// Returns the operands of an MMA whose instruction descriptor contains the properties that PTX specifies with
/// modifiers: the sparsity of A and the element formats.
fn of_descriptor(operands: &TcgenMmaOperands, work: &TensorMemoryOperation) -> TcgenMmaOperands {
    let mut operands = operands.clone();
    if !InstructionDescriptor::is_sparse(work.descriptor) {
        operands.metadata = None;
    }
    if operands.kind == MmaKind::F16
        && InstructionDescriptor::decode(work.descriptor, MmaKind::Tf32).is_some()
    {
        operands.kind = MmaKind::Tf32;
    }
    operands
}

impl CtaPairMemory<'_> {
    fn shared(&self, block: usize) -> &[u8] {
        let place = self.places.get(block).copied().unwrap_or(0);
        self.shared
            .get(place)
            .map_or(&[], |memory| memory.contents())
    }

    fn read(&self, block: usize, place: TensorMemoryLocation) -> Result<u32, Box<ExecutionFault>> {
        let memory = self.places.get(block).and_then(|at| self.tensor.get(*at));
        let word = memory.and_then(|memory| read(memory, place));
        word.ok_or_else(|| outside(place))
    }

    /// Returns `n` consecutive words of a tensor memory lane, or `None` if a word is out of bounds.
    fn words(&self, block: usize, place: TensorMemoryLocation, n: usize) -> Option<&[[u8; 4]]> {
        let memory = self.tensor.get(*self.places.get(block)?)?;
        words(memory, place, n)
    }

    /// Writes consecutive words of a tensor memory lane. Returns `false` if a word is out of bounds.
    fn write_words(
        &mut self,
        block: usize,
        place: TensorMemoryLocation,
        bytes: &[u8],
        writer: LastWriter,
    ) -> bool {
        let at = self.places.get(block).copied().unwrap_or(usize::MAX);
        let memory = self.tensor.get_mut(at);
        memory.is_some_and(|memory| write_words(memory, place, bytes, writer))
    }

    fn write(
        &mut self,
        block: usize,
        place: TensorMemoryLocation,
        word: u32,
        writer: LastWriter,
    ) -> ExecResult {
        let at = self.places.get(block).copied().unwrap_or(usize::MAX);
        let memory = self.tensor.get_mut(at);
        match memory.is_some_and(|memory| write(memory, place, word, writer)) {
            true => Ok(()),
            false => Err(outside(place)),
        }
    }
}

fn outside(place: TensorMemoryLocation) -> Box<ExecutionFault> {
    let reason = format!(
        "lane {}, column {} is out of bounds of tensor memory",
        place.lane, place.column
    );
    wrong(reason, 1)
}

pub(crate) fn descriptor(bits: u64) -> Result<MatrixDescriptor, Box<ExecutionFault>> {
    MatrixDescriptor::decode(bits, DescriptorKind::TensorMemory).ok_or_else(|| {
        let reason = format!("the matrix descriptor 0x{bits:016x} encodes an unknown swizzle mode");
        wrong(reason, 1)
    })
}

/// Modifiers of a `tcgen05.cp` that determine the layout of its source and its destination.
struct CopyShape {
    shape: TensorMemoryCopyShape,
    warps: Option<WarpMulticast>,
    unpacking: Option<Unpacking>,
}

fn copy(
    work: &TensorMemoryOperation,
    plan: CopyShape,
    blocks: &mut CtaPairMemory<'_>,
    writer: LastWriter,
) -> ExecResult {
    let source = descriptor(work.a)?;
    let (rows, bytes) = plan.shape.rows_and_bytes();
    let start = TensorMemoryLocation::of(work.d);
    for block in 0..blocks.places.len() {
        for row in 0..rows {
            for word in 0..bytes / 4 {
                let value = match plan.unpacking {
                    None => {
                        let address = source.place(Major::K, row as u64, 4 * word as u64);
                        read_bits(blocks.shared(block), address, 0..32, 1 << work.lane)?
                    }
                    Some(unpacking) => {
                        let factor = SharedMatrixOperand {
                            descriptor: source,
                            major: Major::K,
                            storage: unpacked_storage(unpacking),
                        };
                        let elements = 4 * word..4 * word + 4;
                        unpacked_word(&factor, blocks.shared(block), row, elements, work)?
                    }
                };
                for lane in copied_lanes(plan.shape, plan.warps, row as u32) {
                    let place = start.plus(lane, word as u32);
                    blocks.write(block, place, value as u32, writer)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the storage format in shared memory of elements that `tcgen05.cp` expands to bytes.
const fn unpacked_storage(unpacking: Unpacking) -> ElementPacking {
    match unpacking {
        Unpacking::B6 => ElementPacking::Padded(6),
        Unpacking::B4 => ElementPacking::Padded(4),
    }
}

/// Returns four elements of a row, expanded to bytes. 4-bit elements are shifted left by two bits, because an MMA reads
/// 4-bit elements in this position. The shift is an assumption, because the PTX ISA shows the layout only in a figure.
fn unpacked_word(
    factor: &SharedMatrixOperand,
    shared: &[u8],
    row: usize,
    elements: std::ops::Range<usize>,
    work: &TensorMemoryOperation,
) -> Result<u64, Box<ExecutionFault>> {
    let mut word = 0;
    for (at, k) in elements.enumerate() {
        let (address, bit, n_bits) = factor.element(row as u64, k as u64);
        let value = read_bits(shared, address, bit..bit + n_bits, 1 << work.lane)?;
        let byte = if n_bits == 4 { value << 2 } else { value };
        word |= byte << (8 * at);
    }
    Ok(word)
}

/// Number of 32-bit columns that `tcgen05.shift` moves: 32 bytes.
pub(crate) const SHIFTED_COLUMNS: u32 = 8;

/// `tcgen05.shift.down`: copies each row except for the last row to the row below. The PTX ISA does not define the
/// direction. The emulator assumes that "down" is the next lane, and leaves the first row unchanged.
fn shift(
    work: &TensorMemoryOperation,
    blocks: &mut CtaPairMemory<'_>,
    writer: LastWriter,
) -> ExecResult {
    let start = TensorMemoryLocation::of(work.d);
    if !start.lane.is_multiple_of(32) || start.lane >= TENSOR_LANES {
        let reason = format!(
            "the address refers to tensor memory lane {}, expected a multiple of 32 below 128",
            start.lane
        );
        return Err(wrong(reason, 1 << work.lane));
    }
    for block in 0..blocks.places.len() {
        for row in (1..TENSOR_LANES - start.lane).rev() {
            for column in 0..SHIFTED_COLUMNS {
                let word = blocks.read(block, start.plus(row - 1, column))?;
                blocks.write(block, start.plus(row, column), word, writer)?;
            }
        }
    }
    Ok(())
}

/// Returns the storage format of an operand matrix in shared memory.
pub(crate) fn storage_of(kind: MmaKind, ty: ScalarType) -> ElementPacking {
    match (kind, ty) {
        (MmaKind::Mxf4 | MmaKind::Mxf4nvf4, _) => ElementPacking::Nibbles,
        (_, ScalarType::E2m1) => ElementPacking::Padded(4),
        (_, ScalarType::E2m3 | ScalarType::E3m2) => ElementPacking::Padded(6),
        (_, ScalarType::Tf32) => ElementPacking::Bytes(4),
        (_, ty) => ElementPacking::Bytes(ty.width_bits() / 8),
    }
}

/// Returns the width of an operand element in tensor memory in bits.
pub(crate) fn kept_bits(kind: MmaKind, ty: ScalarType) -> u32 {
    match storage_of(kind, ty) {
        ElementPacking::Bytes(size) => 8 * size,
        // Each padded element occupies one byte in tensor memory.
        ElementPacking::Padded(_) => 8,
        ElementPacking::Nibbles => 4,
    }
}

/// Returns the width in bits of an element of a sparse operand, and the number of consecutive elements in a chunk, of
/// which the metadata selects half.
pub(crate) fn metadata_bits(kind: MmaKind, ty: ScalarType) -> (u32, usize) {
    match (storage_of(kind, ty), ty) {
        (_, ScalarType::Tf32) => (32, 2),
        // For packed 4-bit elements, the metadata selects pairs of adjacent elements.
        (ElementPacking::Nibbles, _) => (4, 8),
        (ElementPacking::Bytes(_) | ElementPacking::Padded(_), ty) => (ty.width_bits().max(8), 4),
    }
}

/// Converts an element to the register format that the computation reads, in which 4-bit floats are shifted left by two
/// bits.
fn as_register(kind: MmaKind, ty: ScalarType, value: u64) -> u64 {
    match storage_of(kind, ty) {
        ElementPacking::Padded(4) => value << 2,
        ElementPacking::Padded(_) | ElementPacking::Bytes(_) | ElementPacking::Nibbles => value,
    }
}

/// Returns the sign bit of an operand element in the format of [`as_register`].
fn sign_bit(kind: MmaKind, ty: ScalarType) -> u64 {
    match storage_of(kind, ty) {
        ElementPacking::Bytes(size) => 1 << (8 * size - 1),
        ElementPacking::Padded(_) => 1 << 5,
        ElementPacking::Nibbles => 1 << 3,
    }
}

/// `tcgen05.mma` with its decoded instruction descriptor, from which the completion computes D.
pub(crate) struct DecodedMma<'p> {
    pub(crate) operands: &'p TcgenMmaOperands,
    pub(crate) work: &'p TensorMemoryOperation,
    pub(crate) says: InstructionDescriptor,
    pub(crate) sums: AccumulatorLayout,
    /// Number of products per element of D. For a sparse A, this number includes products with the omitted zeros.
    pub(crate) depth: usize,
}

/// Returns the number of products per element of D for a dense MMA of this kind.
const fn dense_terms(kind: MmaKind) -> usize {
    match kind {
        MmaKind::F16 => 16,
        MmaKind::Tf32 => 8,
        MmaKind::I8 | MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => 32,
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => 64,
    }
}

fn product(
    operands: &TcgenMmaOperands,
    work: &TensorMemoryOperation,
    blocks: &mut CtaPairMemory<'_>,
    core: TensorCoreGeneration,
    writer: LastWriter,
) -> ExecResult {
    let reading = DecodedMma::new(operands, work, blocks.places.len())?;
    let (says, sums) = (reading.says, reading.sums);
    if says.is_sparse != sums.is_sparse {
        let reason =
            "the sparsity bit of the instruction descriptor does not match the instruction";
        return Err(wrong(reason.to_owned(), reading.lanes()));
    }
    let dense = dense_terms(operands.kind);
    let a = reading.factor_a(blocks, dense)?;
    let b = reading.factor_b(blocks)?;
    let c = reading.sums_before(blocks)?;
    let plan = reading.plan(core, dense)?;
    let values = MmaOperandValues {
        a: &a,
        b: &b,
        c: &c,
    };
    let d = match operands.factors {
        Some(_) => reading.scaled(blocks, &plan, values)?,
        None if sums.is_sparse => reading.sparse(blocks, &plan, values)?,
        None => plan.whole(sums.n, &a, &b, &c),
    };
    reading.write(blocks, &d, writer)
}

impl<'p> DecodedMma<'p> {
    /// Decodes the instruction descriptor of an MMA that `n_blocks` blocks execute together.
    pub(crate) fn new(
        operands: &'p TcgenMmaOperands,
        work: &'p TensorMemoryOperation,
        n_blocks: usize,
    ) -> Result<DecodedMma<'p>, Box<ExecutionFault>> {
        let lanes = 1 << work.lane;
        let unknown = || {
            let reason = format!(
                "the instruction descriptor 0x{:08x} is not valid for this `.kind`",
                work.descriptor
            );
            wrong(reason, lanes)
        };
        let says =
            InstructionDescriptor::decode(work.descriptor, operands.kind).ok_or_else(unknown)?;
        let sums = AccumulatorLayout {
            m: says.m,
            n: says.n,
            n_blocks,
            is_stationary: operands.is_stationary,
            is_sparse: operands.metadata.is_some(),
        };
        if says.n == 0 || says.n > 256 || sums.place(0, 0).is_none() {
            let reason = format!(
                "the instruction descriptor specifies M = {} and N = {}, which is not supported for {}",
                says.m,
                says.n,
                counted(sums.n_blocks, "block")
            );
            return Err(wrong(reason, lanes));
        }
        let dense = dense_terms(operands.kind);
        Ok(DecodedMma {
            operands,
            work,
            says,
            sums,
            depth: if sums.is_sparse { 2 * dense } else { dense },
        })
    }

    /// Returns the lane mask of the lane that issued the MMA.
    fn lanes(&self) -> u32 {
        1 << self.work.lane
    }

    fn plan(
        &self,
        core: TensorCoreGeneration,
        terms: usize,
    ) -> Result<TensorCoreModel, Box<ExecutionFault>> {
        let says = &self.says;
        let product = MmaDescription {
            core,
            op: MmaInstruction::Tcgen05,
            shape: Shape::new(TILE.0 as u16, TILE.1 as u16, terms as u16),
            a: says.a,
            b: says.b,
            c: says.d,
            d: says.d,
            overflow: match says.saturates {
                true => IntegerOverflow::Saturate,
                false => IntegerOverflow::Wrap,
            },
            rounding: Rounding::Rn,
            bit_op: BitOp::And,
        };
        let plan = match self.operands.factors {
            Some(_) => TensorCoreModel::scaled(
                product,
                match says.factor_type {
                    ScalarType::Ue4m3 => ScaleType::Ue4m3,
                    _ => ScaleType::Ue8m0,
                },
            ),
            None => TensorCoreModel::new(product),
        };
        plan.map_err(|error| wrong(error.to_string(), 1))
    }

    /// Reads the rows of A in all participating blocks, in consecutive order.
    fn factor_a(
        &self,
        blocks: &CtaPairMemory<'_>,
        depth: usize,
    ) -> Result<Vec<u64>, Box<ExecutionFault>> {
        let AccumulatorLayout { m, n_blocks, .. } = self.sums;
        let (kind, ty) = (self.operands.kind, self.says.a);
        let rows = m / n_blocks;
        let mut values = Vec::with_capacity(m * depth);
        match &self.operands.a {
            MatrixAOperand::Described(_) => {
                let factor = SharedMatrixOperand {
                    descriptor: descriptor(self.work.a)?,
                    major: self.says.a_major,
                    storage: storage_of(kind, ty),
                };
                for block in 0..n_blocks {
                    let lines =
                        read_lines(&factor, blocks.shared(block), 0..rows, depth, self.lanes())?;
                    values.extend(lines.into_iter().map(|value| as_register(kind, ty, value)));
                }
            }
            MatrixAOperand::Kept(_) => {
                let start = TensorMemoryLocation::of(self.work.a as u32);
                let bits = kept_bits(kind, ty);
                for row in 0..m {
                    let (block, lane, _) = self.sums.place(row, 0).unwrap_or((0, 0, 0));
                    for k in 0..depth as u32 {
                        let place = start.plus(lane as u32, k * bits / 32);
                        let word = u64::from(blocks.read(block, place)?);
                        values.push(word >> (k * bits % 32) & (u64::MAX >> (64 - bits)));
                    }
                }
            }
        }
        if self.operands.is_shifted {
            // Move each row of a block down by one row, and leave the first row unchanged. This direction is an
            // assumption, as for `tcgen05.shift`.
            for of_block in values.chunks_mut((rows * depth).max(1)) {
                let moved = of_block.len().saturating_sub(depth);
                of_block.copy_within(..moved, depth.min(of_block.len()));
            }
        }
        if self.says.negate[0] && ty.is_float() {
            values
                .iter_mut()
                .for_each(|value| *value ^= sign_bit(kind, ty));
        }
        Ok(values)
    }

    /// Reads the columns of B in consecutive order.
    fn factor_b(&self, blocks: &CtaPairMemory<'_>) -> Result<Vec<u64>, Box<ExecutionFault>> {
        let AccumulatorLayout { n, n_blocks, .. } = self.sums;
        let (kind, ty) = (self.operands.kind, self.says.b);
        let factor = SharedMatrixOperand {
            descriptor: descriptor(self.work.b)?,
            major: self.says.b_major,
            storage: storage_of(kind, ty),
        };
        let mut values = Vec::with_capacity(n * self.depth);
        for block in 0..n_blocks {
            let columns = 0..n / n_blocks;
            let lines = read_lines(
                &factor,
                blocks.shared(block),
                columns,
                self.depth,
                self.lanes(),
            )?;
            values.extend(lines.into_iter().map(|value| as_register(kind, ty, value)));
        }
        if self.says.negate[1] && ty.is_float() {
            values
                .iter_mut()
                .for_each(|value| *value ^= sign_bit(kind, ty));
        }
        if self.operands.zeros.is_some() {
            let zeros = ZeroColumnMask::decode(self.work.zeros);
            for (column, values) in values.chunks_mut(self.depth.max(1)).enumerate() {
                if zeros.is_zero(self.sums, column) {
                    values.fill(0);
                }
            }
        }
        Ok(values)
    }

    pub(crate) fn place(&self, row: usize, column: usize) -> (usize, TensorMemoryLocation) {
        let (block, lane, column) = self.sums.place(row, column).unwrap_or((0, 0, 0));
        (
            block,
            TensorMemoryLocation::of(self.work.d).plus(lane as u32, column as u32),
        )
    }

    /// Reads the accumulators in row-major order. Returns zeros if the MMA does not add to D.
    fn sums_before(&self, blocks: &CtaPairMemory<'_>) -> Result<Vec<u64>, Box<ExecutionFault>> {
        let AccumulatorLayout { m, n, .. } = self.sums;
        if !self.work.adds {
            return Ok(vec![0; m * n]);
        }
        let ty = self.says.d;
        let mut values = Vec::with_capacity(m * n);
        let value = |word: u32| {
            let value = match ty {
                ScalarType::F16 => u64::from(word & 0xffff),
                _ => u64::from(word),
            };
            match self.operands.scale {
                0 => value,
                scale => divided(ty, value, scale),
            }
        };
        for row in 0..m {
            if let Some((block, place)) = self.row_place(row)
                && let Some(words) = blocks.words(block, place, n)
            {
                values.extend(words.iter().map(|word| value(u32::from_le_bytes(*word))));
                continue;
            }
            for column in 0..n {
                let (block, place) = self.place(row, column);
                values.push(value(blocks.read(block, place)?));
            }
        }
        Ok(values)
    }

    /// Returns the location of the first element of a row of D if the columns of D are contiguous in one tensor memory
    /// lane.
    fn row_place(&self, row: usize) -> Option<(usize, TensorMemoryLocation)> {
        let (block, first) = self.place(row, 0);
        let last = self.place(row, self.sums.n.saturating_sub(1));
        let end = first.plus(0, self.sums.n.saturating_sub(1) as u32);
        (last == (block, end)).then_some((block, first))
    }

    /// Computes each element of D with the elements of a column of B that the metadata selects for the row of A.
    fn sparse(
        &self,
        blocks: &CtaPairMemory<'_>,
        plan: &TensorCoreModel,
        values: MmaOperandValues<'_>,
    ) -> Result<Vec<u64>, Box<ExecutionFault>> {
        let MmaOperandValues { a, b, c } = values;
        let AccumulatorLayout { n, .. } = self.sums;
        let stored = self.depth / 2;
        let mut d = Vec::with_capacity(c.len());
        for (row, a) in a.chunks(stored).enumerate() {
            let columns = self.stored_columns(blocks, row)?;
            for (column, b) in b.chunks(self.depth).enumerate() {
                let of = |k: &usize| b.get(*k).copied().unwrap_or(0);
                let b: Vec<u64> = columns.iter().map(of).collect();
                let c = c.get(row * n + column).copied().unwrap_or(0);
                d.push(plan.element(a, &b, c));
            }
        }
        Ok(d)
    }

    /// Returns the column numbers of the stored elements of a sparse row (as defined by CuTe). For sparsity selectors
    /// other than 0, the emulator assumes consecutive columns of metadata.
    fn stored_columns(
        &self,
        blocks: &CtaPairMemory<'_>,
        row: usize,
    ) -> Result<Vec<usize>, Box<ExecutionFault>> {
        let rows = self.sums.m / self.sums.n_blocks;
        let (block, m) = (row / rows, row % rows);
        let (bits, chunk) = metadata_bits(self.operands.kind, self.says.a);
        let start = TensorMemoryLocation::of(self.work.metadata).plus(0, self.says.selector);
        let mut columns = Vec::with_capacity(self.depth / 2);
        for first in (0..self.depth).step_by(chunk) {
            let (lane, column, bit) = metadata_place(bits, self.depth, m, first);
            let place = start.plus(lane as u32, column as u32);
            let choice = blocks.read(block, place)? >> bit & 15;
            columns.extend(chosen(bits, choice).map(|column| first + column));
        }
        Ok(columns)
    }

    /// Computes each element of D of a block-scaled MMA, with the scale factors of its row of A and its column of B.
    fn scaled(
        &self,
        blocks: &CtaPairMemory<'_>,
        plan: &TensorCoreModel,
        values: MmaOperandValues<'_>,
    ) -> Result<Vec<u64>, Box<ExecutionFault>> {
        let MmaOperandValues { a, b, c } = values;
        let AccumulatorLayout { m, n, n_blocks, .. } = self.sums;
        let rows = m / n_blocks;
        let of_a = (0..m)
            .map(|row| self.factors(blocks, 0, row / rows, row % rows))
            .collect::<Result<Vec<_>, _>>()?;
        let mut d = Vec::with_capacity(m * n);
        let stored = match self.sums.is_sparse {
            true => self.depth / 2,
            false => self.depth,
        };
        let mut chosen = Vec::with_capacity(stored);
        for (row, a) in a.chunks(stored).enumerate() {
            let block = row / rows;
            let of_row = of_a.get(row).map_or(&[][..], Vec::as_slice);
            let columns = match self.sums.is_sparse {
                true => Some(self.stored_columns(blocks, row)?),
                false => None,
            };
            for (column, b) in b.chunks(self.depth).enumerate() {
                // Apply each scale factor to the same number of stored elements as in a dense MMA.
                let b = match &columns {
                    None => b,
                    Some(columns) => {
                        chosen.clear();
                        let of = |k: &usize| b.get(*k).copied().unwrap_or(0);
                        chosen.extend(columns.iter().map(of));
                        &chosen[..]
                    }
                };
                let of_column = self.factors(blocks, 1, block, column)?;
                let c = c.get(row * n + column).copied().unwrap_or(0);
                let a = ScaledOperandLine {
                    values: a,
                    factors: of_row,
                };
                let b = ScaledOperandLine {
                    values: b,
                    factors: &of_column,
                };
                d.push(plan.scaled_element(a, b, c));
            }
        }
        Ok(d)
    }

    /// Returns the scale factors of a row of A (0) or a column of B (1) in a block. The scale factors are the bytes of
    /// one word of tensor memory.
    fn factors(
        &self,
        blocks: &CtaPairMemory<'_>,
        factor: usize,
        block: usize,
        line: usize,
    ) -> Result<Vec<u8>, Box<ExecutionFault>> {
        let start = TensorMemoryLocation::of(self.work.factors[factor]);
        let (lane, column) = scale_factor_location(line);
        let place = start.plus(lane as u32, column as u32);
        let bytes = blocks.read(block, place)?.to_le_bytes();
        let first = self.says.factor_ids[factor] as usize;
        let factors = bytes
            .iter()
            .skip(first)
            .take(self.operands.factors_per_line);
        Ok(factors.copied().collect())
    }

    /// Checks whether the output of a lane of tensor memory is disabled.
    pub(crate) fn is_left_out(&self, block: usize, place: TensorMemoryLocation) -> bool {
        let word = 4 * block + place.lane as usize / 32;
        let left_out = self.work.left_out.get(word).copied().unwrap_or(0);
        left_out >> (place.lane % 32) & 1 == 1
    }

    fn write(&self, blocks: &mut CtaPairMemory<'_>, d: &[u64], writer: LastWriter) -> ExecResult {
        let AccumulatorLayout { n, .. } = self.sums;
        let mut bytes = Vec::with_capacity(4 * n);
        for (row, sums) in d.chunks(n).enumerate() {
            if let Some((block, place)) = self.row_place(row) {
                bytes.clear();
                bytes.extend(sums.iter().flat_map(|sum| (*sum as u32).to_le_bytes()));
                if self.is_left_out(block, place)
                    || blocks.write_words(block, place, &bytes, writer)
                {
                    continue;
                }
            }
            for (column, sum) in sums.iter().enumerate() {
                let (block, place) = self.place(row, column);
                if !self.is_left_out(block, place) {
                    blocks.write(block, place, *sum as u32, writer)?;
                }
            }
        }
        Ok(())
    }
}

/// Divides an accumulator by a power of two.
fn divided(ty: ScalarType, bits: u64, power: u32) -> u64 {
    match value_of(ty, bits) {
        Some(value) => nearest_bits(ty, value / f64::from(1u32 << power.min(15))).unwrap_or(bits),
        None => bits,
    }
}
