//! Code generation for MMA operations with 16-bit factors and `f32` accumulators, with the rounding of Tensor Cores.
//! The generated code takes operands in scratch memory, and produces accumulators in scratch memory, which are
//! bit-identical to the results of the interpreter.
//!
//! Neighboring accumulators of two rows are computed together, block by block. For each sum, the code determines the
//! largest exponent of all terms, truncates every term to a multiple of a unit, which is a power of two at a fixed
//! distance below this exponent, and adds the truncated terms exactly. Special cases (infinities, NaNs, and terms at
//! the ends of the exponent range) cause a bailout.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::shared_routine::SharedRoutine;
use crate::emit::warp::WarpContexts;
use crate::emit::warp::byte_gather::{ByteGather, push_bytes, put_bytes};
use crate::engine::MaddRounding;
use crate::instructions::{at, splat32};
use crate::layout::stop;
use crate::layout::{SUBWARP_LANES, SUBWARPS_PER_WARP};
use crate::runtime;
use warpgrid_emulator::translation_view::{
    Fp16SumRule, FragmentElement, FusedMma, MmaOperand, RegisterBank, RegisterOperand,
};
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Exponent that represents a zero factor.
const ZERO: i16 = -2000;
/// Exponent that represents a nonfinite factor. The sum of the factors' exponents indicates whether a product is zero,
/// finite or nonfinite.
const SPECIAL: i16 = 4000;
/// Minimum exponent of a term that causes a bailout because the term is too large.
const LARGEST: i32 = 118;
/// Minimum exponent of a nonzero term. A term with a lower exponent is zero.
const MIN_TERM_EXPONENT: i32 = -400;
/// Bias that is added to the exponents of terms, so that the exponents of all nonzero terms are nonnegative.
const EXCESS: i32 = 126;
/// Half of the bias, which is added to the exponent of each factor.
const HALF_EXCESS: i16 = (EXCESS / 2) as i16;

/// Scratch-memory offsets of the operands of an MMA.
#[derive(Clone, Copy, Debug)]
struct ScratchLayout {
    /// Rows of A, in the source format of the factors.
    a_bits: u32,
    /// Rows of B, one for each value of k, in the source format of the factors.
    b_bits: u32,
    /// Elements of A, converted to `f32`.
    a: u32,
    /// Elements of B, converted to `f32`.
    b: u32,
    /// Exponents of the elements of A.
    a_exponents: u32,
    /// Exponents of the elements of B.
    b_exponents: u32,
    /// Rows of C, which the function overwrites with the rows of D.
    sums: u32,
}

impl ScratchLayout {
    fn new(rule: Fp16SumRule, scratch: u32) -> ScratchLayout {
        let (m, n, k) = (
            u32::from(rule.rows),
            u32::from(rule.columns),
            u32::from(rule.depth),
        );
        let mut next = scratch;
        let mut place = |bytes: u32| {
            let start = next;
            next += bytes;
            start
        };
        ScratchLayout {
            a_bits: place(2 * m * k),
            b_bits: place(2 * n * k),
            a: place(4 * m * k),
            b: place(4 * n * k),
            a_exponents: place(2 * m * k),
            b_exponents: place(2 * n * k),
            sums: place(4 * m * n),
        }
    }
}

/// Offset in scratch memory of the register rows that an MMA reads and writes.
const ROWS: u32 = 16 << 10;

/// MMA operation, with the registers that contain the elements of A, B, C and D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MmaRoutine {
    rule: Fp16SumRule,
    /// Scratch addresses of the bytes of each operand, indexed by register and subwarp.
    operands: [Vec<RowByteOffsets>; 4],
}

/// Returns the scratch address of a register row of a subwarp. Register numbers count the registers of all operands in
/// order.
fn row_place(scratch: u32, register: usize, subwarp: u32) -> u32 {
    scratch + ROWS + 16 * (register as u32 * SUBWARPS_PER_WARP + subwarp)
}

impl Emitter<'_> {
    /// Emits an MMA: copies its register rows to scratch memory, calls the routine, and copies the results back to
    /// registers.
    pub(crate) fn product(
        &mut self,
        product: &FusedMma<'_>,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let is_even = u32::from(product.rule.rows).is_multiple_of(ROWS_AT_ONCE)
            && u32::from(product.rule.block).is_multiple_of(ROUND);
        if !is_even {
            return self.unsupported("an MMA with this shape");
        }
        let scratch = self.places.scratch;
        let routine = MmaRoutine::new(product, scratch);
        let operands = [&product.a, &product.b, &product.c, &product.d];
        let mut registers = 0;
        for (operand, places) in operands.into_iter().zip(&routine.operands) {
            registers += operand.registers.len();
            let is_narrow = |element: &RegisterOperand| element.bank == RegisterBank::B32;
            if !operand.registers.iter().all(is_narrow) || places.len() != operand.registers.len() {
                return self.unsupported("a fragment in these registers");
            }
        }
        let sums = routine.operands[3].iter().flatten().flatten();
        if sums.copied().any(|place| place.is_none()) || 128 * registers as u32 > ROWS {
            return self.unsupported("an incomplete fragment");
        }
        let sources = operands
            .iter()
            .take(3)
            .flat_map(|operand| operand.registers);
        let n_sources = sources.clone().count();
        for (index, element) in sources.enumerate() {
            for subwarp in 0..SUBWARPS_PER_WARP {
                self.op(I::I32Const(0));
                self.push_row(element.slot, subwarp, warp)?;
                self.op(I::V128Store(at(row_place(scratch, index, subwarp))));
            }
        }
        self.call(SharedRoutine::Product(routine));
        self.op(I::If(BlockType::Empty));
        self.ops([I::I32Const(stop::UNSUPPORTED as i32), I::Return, I::End]);
        for (index, element) in product.d.registers.iter().enumerate() {
            for subwarp in 0..SUBWARPS_PER_WARP {
                let place = row_place(scratch, n_sources + index, subwarp);
                self.write_row(element.slot, subwarp, warp, |e| {
                    e.ops([I::I32Const(0), I::V128Load(at(place))]);
                });
            }
        }
        Ok(())
    }
}

impl MmaRoutine {
    fn new(product: &FusedMma<'_>, scratch: u32) -> MmaRoutine {
        let rule = product.rule;
        let layout = ScratchLayout::new(rule, scratch);
        let (n, k) = (u32::from(rule.columns), u32::from(rule.depth));
        let factor = |at: u32| layout.a_bits + 2 * at;
        // The register fragments store the columns of B consecutively. In scratch memory, B has one row for each value
        // of k.
        let of_column = |at: u32| layout.b_bits + 2 * (at % k * n + at / k);
        let sum = |at: u32| layout.sums + 4 * at;
        let FusedMma { a, b, c, d, .. } = product;
        MmaRoutine {
            rule,
            operands: [
                places_of(a, &a.values, 2, factor),
                places_of(b, &b.values, 2, of_column),
                places_of(c, &c.values, 4, sum),
                places_of(d, &d.held, 4, sum),
            ],
        }
    }
}

/// Scratch address of each byte of a row, for each subwarp.
type RowByteOffsets = [ByteGather; SUBWARPS_PER_WARP as usize];

/// Returns the register bytes that contain the elements in `held`. Copies of an element have the number of the original
/// element.
fn places_of(
    operand: &MmaOperand<'_>,
    held: &[FragmentElement],
    value_bytes: u32,
    place: impl Fn(u32) -> u32,
) -> Vec<RowByteOffsets> {
    let mut elements = vec![[[None; 16]; SUBWARPS_PER_WARP as usize]; operand.registers.len()];
    let values = &operand.values;
    let copies = (held.len() / values.len().max(1)).max(1);
    // In `held`, each element is followed by its copies, and all elements have the same number of copies.
    let is_known = values
        .iter()
        .enumerate()
        .all(|(index, value)| held.get(index * copies) == Some(value));
    if !is_known || held.len() != copies * values.len() {
        return Vec::new();
    }
    for (index, value) in held.iter().enumerate() {
        let first = place((index / copies) as u32);
        let from = 4 * (u32::from(value.lane) % SUBWARP_LANES) + u32::from(value.shift) / 8;
        let row = elements
            .get_mut(usize::from(value.register))
            .and_then(|subwarps| {
                subwarps.get_mut(usize::from(value.lane) / SUBWARP_LANES as usize)
            });
        if let Some(row) = row {
            for byte in 0..value_bytes {
                if let Some(at) = row.get_mut((from + byte) as usize) {
                    *at = Some(first + byte);
                }
            }
        }
    }
    elements
}

/// Returns a power of two as the bits of an `f32`.
fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

/// Returns the WebAssembly function that computes an MMA operation. The function returns 1 for a special case,
/// otherwise 0.
pub(crate) fn product_function(of: &MmaRoutine, scratch: u32, products: MaddRounding) -> Function {
    let rule = of.rule;
    let mut code = MmaEmitter {
        rule,
        layout: ScratchLayout::new(rule, scratch),
        cut: match products {
            // The relaxed conversion has the same result in all engines, because all terms are within the range of
            // `i32`.
            MaddRounding::Fused => I::I32x4RelaxedTruncF32x4S,
            MaddRounding::Unfused => I::I32x4TruncSatF32x4S,
        },
        out: Vec::new(),
    };
    let (m, n, k) = (
        u32::from(rule.rows),
        u32::from(rule.columns),
        u32::from(rule.depth),
    );
    let ScratchLayout {
        a_bits,
        b_bits,
        a,
        b,
        a_exponents,
        b_exponents,
        ..
    } = code.layout;
    let (sources, results) = of.operands.split_at(3);
    for (row, places) in rows_of(scratch, sources, 0) {
        code.ops([I::I32Const(0), I::V128Load(at(row))]);
        put_bytes(&mut code.out, BITS, &places);
    }
    code.take_apart(m * k, a_bits, a, a_exponents);
    code.take_apart(n * k, b_bits, b, b_exponents);
    code.rows();
    let n_sources = sources.iter().map(Vec::len).sum();
    for (row, places) in rows_of(scratch, results, n_sources) {
        code.out.push(I::I32Const(0));
        push_bytes(&mut code.out, BITS, &places);
        code.out.push(I::V128Store(at(row)));
    }
    code.out.extend([
        I::LocalGet(BAD),
        I::LocalGet(MAX_SO_FAR),
        splat32((LARGEST + EXCESS) as u32),
        I::I32x4GtS,
        I::V128Or,
        // A nonzero sum is a special case if its unit would be below the exponent range.
        I::LocalGet(MIN_SO_FAR),
        splat32((i32::from(rule.kept_bits) - 125 + EXCESS) as u32),
        I::I32x4LtU,
        I::V128Or,
        I::V128AnyTrue,
    ]);
    let locals = [(N_NUMBERS, ValType::I32), (N_VECTORS, ValType::V128)];
    runtime::function(&locals, &code.out)
}

/// Returns the scratch address and the byte locations of each register row of the operands. The registers of the
/// operands are numbered from `first` on.
fn rows_of(scratch: u32, operands: &[Vec<RowByteOffsets>], first: usize) -> Vec<(u32, ByteGather)> {
    let registers = operands.iter().flatten().enumerate();
    let rows = registers.flat_map(|(register, subwarps)| {
        let row = move |subwarp| row_place(scratch, first + register, subwarp);
        (0..SUBWARPS_PER_WARP)
            .map(row)
            .zip(subwarps.iter().copied())
    });
    rows.collect()
}

// Numeric locals of the MMA function: addresses of the current elements of A, of their exponents, of the current
// elements of B, and of their exponents; addresses of the current row of A and of its exponents; current column;
// address of the accumulators; number of remaining rows and of remaining blocks; and end of the current block in A.
const A: u32 = 0;
const A_EXPONENTS: u32 = 1;
const B: u32 = 2;
const B_EXPONENTS: u32 = 3;
const ROW: u32 = 4;
const ROW_EXPONENTS: u32 = 5;
const COLUMNS: u32 = 6;
const SUMS: u32 = 7;
const LEFT: u32 = 8;
const BLOCKS: u32 = 9;
const END: u32 = 10;
const N_NUMBERS: u32 = 11;
// Vector locals of the MMA function.
const BAD: u32 = 11;
const BITS: u32 = 12;
const LARGEST_EXPONENT: u32 = 13;
const WORD: u32 = 15;
const MAX_SO_FAR: u32 = 17;
const SPREAD: u32 = 18;
const MIN_SO_FAR: u32 = 19;
/// First local for the accumulators of two rows with eight columns each, in two halves.
const SUM: u32 = 20;
const EXPONENT: u32 = 24;
const UNIT: u32 = 28;
const TOTAL: u32 = 32;
/// First local for the previous accumulators, as multiples of the unit of each sum.
const OLD: u32 = 36;
const N_VECTORS: u32 = 29;

/// Number of rows that are computed together. The operations on different rows are independent, so the processor can
/// overlap them to hide latencies.
const ROWS_AT_ONCE: u32 = 2;

/// Number of k values per loop iteration. The loop is not unrolled completely, because engines hoist all loads to the
/// start of straight-line code and then run out of registers.
const ROUND: u32 = 2;

/// Returns the shuffle that broadcasts one part of a row to all parts of the row. Each part consists of `bytes` bytes.
fn splat_part(part: u8, bytes: u8) -> I<'static> {
    I::I8x16Shuffle(std::array::from_fn(|at| part * bytes + at as u8 % bytes))
}

struct MmaEmitter {
    rule: Fp16SumRule,
    layout: ScratchLayout,
    /// Instruction that converts floats to integers by truncation.
    cut: I<'static>,
    out: Vec<I<'static>>,
}

fn splat16(value: i16) -> I<'static> {
    let value = u128::from(value as u16);
    let four = value | value << 16 | value << 32 | value << 48;
    I::V128Const((four | four << 64) as i128)
}

impl MmaEmitter {
    fn ops<const N: usize>(&mut self, instructions: [I<'static>; N]) {
        self.out.extend(instructions);
    }

    /// Returns the exponent field of nonfinite factors.
    fn exponent_mask(&self) -> i16 {
        (1i16 << self.rule.exponent_bits) - 1
    }

    /// Returns the exponent bias of the factor format.
    fn bias(&self) -> i32 {
        i32::from(self.exponent_mask() >> 1)
    }

    /// Emits the loop that converts the factors of an operand to `f32` values and exponents, eight factors per
    /// iteration.
    fn take_apart(&mut self, n: u32, from: u32, values: u32, exponents: u32) {
        self.ops([
            I::I32Const(0),
            I::LocalSet(A),
            I::I32Const(0),
            I::LocalSet(SUMS),
            I::Loop(BlockType::Empty),
            I::LocalGet(A),
            I::V128Load(at(from)),
            I::LocalSet(BITS),
        ]);
        for half in 0..2 {
            self.store_values(half, values);
        }
        self.out.push(I::LocalGet(A));
        self.push_exponents();
        self.ops([
            I::V128Store(at(exponents)),
            I::LocalGet(SUMS),
            I::I32Const(32),
            I::I32Add,
            I::LocalSet(SUMS),
            I::LocalGet(A),
            I::I32Const(16),
            I::I32Add,
            I::LocalTee(A),
            I::I32Const((2 * n) as i32),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
    }

    /// Stores half of eight factors as `f32`. The code shifts the fields to their `f32` positions, and multiplies the
    /// result by a power of two that corrects the exponent bias. The multiplication also normalizes subnormal numbers.
    fn store_values(&mut self, half: u32, values: u32) {
        let bias = self.bias();
        self.ops([
            I::LocalGet(SUMS),
            I::LocalGet(BITS),
            match half {
                0 => I::I32x4ExtendLowI16x8U,
                _ => I::I32x4ExtendHighI16x8U,
            },
            I::LocalTee(WORD),
            splat32(0x7fff),
            I::V128And,
            I::I32Const(i32::from(23 - self.rule.fraction_bits)),
            I::I32x4Shl,
        ]);
        if bias != 127 {
            self.ops([splat32(power(127 - bias)), I::F32x4Mul]);
        }
        self.ops([
            I::LocalGet(WORD),
            splat32(0x8000),
            I::V128And,
            I::I32Const(16),
            I::I32x4Shl,
            I::V128Or,
            I::V128Store(at(values + 16 * half)),
        ]);
    }

    /// Pushes the exponents of the factors. For zeros and nonfinite factors, the code pushes the exponents [`ZERO`] and
    /// [`SPECIAL`].
    fn push_exponents(&mut self) {
        let (top, bias) = (self.exponent_mask(), self.bias());
        self.ops([
            splat16(ZERO),
            splat16(SPECIAL),
            I::LocalGet(BITS),
            I::I32Const(i32::from(self.rule.fraction_bits)),
            I::I16x8ShrU,
            splat16(top),
            I::V128And,
            I::LocalTee(WORD),
            splat16(1),
            I::I16x8MaxS,
            splat16(bias as i16 - HALF_EXCESS),
            I::I16x8Sub,
            I::LocalGet(WORD),
            splat16(top),
            I::I16x8Eq,
            I::V128Bitselect,
            I::LocalGet(BITS),
            splat16(0x7fff),
            I::V128And,
            splat16(0),
            I::I16x8Eq,
            I::V128Bitselect,
        ]);
    }

    /// Emits the loop over the rows of accumulators.
    fn rows(&mut self) {
        let Fp16SumRule {
            rows,
            columns,
            depth,
            ..
        } = self.rule;
        let [rows, columns, depth] = [rows, columns, depth].map(i32::from);
        self.zero([ROW, ROW_EXPONENTS, SUMS]);
        self.ops([splat32(u32::MAX), I::LocalSet(MIN_SO_FAR)]);
        self.ops([
            I::I32Const(rows / ROWS_AT_ONCE as i32),
            I::LocalSet(LEFT),
            I::Loop(BlockType::Empty),
        ]);
        self.columns();
        let n = ROWS_AT_ONCE as i32;
        self.advance([
            (SUMS, (n - 1) * 4 * columns),
            (ROW, n * 4 * depth),
            (ROW_EXPONENTS, n * 2 * depth),
        ]);
        self.ops(runtime::loop_while_nonzero(LEFT));
    }

    /// Emits the loop over the columns of the [`ROWS_AT_ONCE`] current rows, eight columns per iteration.
    fn columns(&mut self) {
        let columns = i32::from(self.rule.columns);
        let blocks = i32::from(self.rule.depth) / i32::from(self.rule.block);
        self.zero([COLUMNS]);
        self.ops([
            I::Loop(BlockType::Empty),
            I::LocalGet(ROW),
            I::LocalSet(A),
            I::LocalGet(ROW_EXPONENTS),
            I::LocalSet(A_EXPONENTS),
            I::LocalGet(COLUMNS),
            I::LocalTee(B),
            I::I32Const(1),
            I::I32ShrU,
            I::LocalSet(B_EXPONENTS),
        ]);
        let sum_places: [(u32, u32); 2 * ROWS_AT_ONCE as usize] = std::array::from_fn(|unit| {
            let unit = unit as u32;
            let row = unit / 2 * 4 * columns as u32;
            (unit, self.layout.sums + row + 16 * (unit % 2))
        });
        for (unit, place) in sum_places {
            self.load_sum(unit, place);
        }
        self.ops([
            I::I32Const(blocks),
            I::LocalSet(BLOCKS),
            I::Loop(BlockType::Empty),
        ]);
        self.block();
        self.ops(runtime::loop_while_nonzero(BLOCKS));
        for (unit, place) in sum_places {
            self.ops([
                I::LocalGet(SUMS),
                I::LocalGet(SUM + unit),
                I::V128Store(at(place)),
            ]);
        }
        self.advance([(SUMS, 32), (COLUMNS, 32)]);
        self.ops([
            I::LocalGet(COLUMNS),
            I::I32Const(4 * columns),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
    }

    /// Loads eight accumulators of a row. A nonzero subnormal accumulator is a special case.
    fn load_sum(&mut self, unit: u32, place: u32) {
        self.ops([
            I::LocalGet(SUMS),
            I::V128Load(at(place)),
            I::LocalTee(SUM + unit),
            I::I32Const(1),
            I::I32x4Shl,
            splat32(1),
            I::I32x4Sub,
            splat32((1 << 24) - 1),
            I::I32x4LtU,
            I::LocalGet(BAD),
            I::V128Or,
            I::LocalSet(BAD),
        ]);
    }

    fn zero<const N: usize>(&mut self, locals: [u32; N]) {
        for local in locals {
            self.ops([I::I32Const(0), I::LocalSet(local)]);
        }
    }

    fn advance<const N: usize>(&mut self, places: [(u32, i32); N]) {
        for (place, bytes) in places {
            self.ops([
                I::LocalGet(place),
                I::I32Const(bytes),
                I::I32Add,
                I::LocalSet(place),
            ]);
        }
    }

    /// Adds one block of products to the accumulators of eight columns.
    fn block(&mut self) {
        self.find_largest_exponents();
        for place in 0..2 * ROWS_AT_ONCE {
            self.find_unit(place);
        }
        self.add_products();
        for place in 0..2 * ROWS_AT_ONCE {
            self.round(place);
        }
    }

    /// Computes the largest exponent of the products in each sum.
    fn find_largest_exponents(&mut self) {
        let columns = u32::from(self.rule.columns);
        let block = u32::from(self.rule.block);
        let depths = u32::from(self.rule.depth);
        for depth in 0..block {
            if depth % 8 == 0 {
                for row in 0..ROWS_AT_ONCE {
                    self.ops([
                        I::LocalGet(A_EXPONENTS),
                        I::V128Load(at(self.layout.a_exponents + 2 * (row * depths + depth))),
                        I::LocalSet(WORD + row),
                    ]);
                }
            }
            self.ops([
                I::LocalGet(B_EXPONENTS),
                I::V128Load(at(self.layout.b_exponents + 2 * depth * columns)),
                I::LocalSet(SPREAD),
            ]);
            for row in 0..ROWS_AT_ONCE {
                self.ops([
                    I::LocalGet(WORD + row),
                    I::LocalGet(WORD + row),
                    splat_part((depth % 8) as u8, 2),
                    I::LocalGet(SPREAD),
                    I::I16x8Add,
                ]);
                if depth > 0 {
                    self.ops([I::LocalGet(LARGEST_EXPONENT + row), I::I16x8MaxS]);
                }
                self.ops([I::LocalSet(LARGEST_EXPONENT + row)]);
            }
        }
        self.advance([
            (A_EXPONENTS, 2 * block as i32),
            (B_EXPONENTS, (2 * block * columns) as i32),
        ]);
    }

    /// Computes the largest exponent of the terms in a sum. The terms are the products and the previous accumulator.
    fn find_largest_term(&mut self, place: u32) {
        let (sum, exponent) = (SUM + place, EXPONENT + place);
        self.ops([
            I::LocalGet(LARGEST_EXPONENT + place / 2),
            match place % 2 {
                0 => I::I32x4ExtendLowI16x8S,
                _ => I::I32x4ExtendHighI16x8S,
            },
            I::LocalTee(SPREAD),
            I::LocalGet(sum),
            I::I32Const(1),
            I::I32x4Shl,
            I::I32Const(24),
            I::I32x4ShrU,
            splat32((127 - EXCESS) as u32),
            I::I32x4Sub,
            I::I32x4MaxS,
            I::LocalTee(exponent),
            I::LocalGet(MAX_SO_FAR),
            I::I32x4MaxS,
            I::LocalSet(MAX_SO_FAR),
            // The unsigned minimum ignores zero terms, because their negative exponents exceed all other exponents as
            // unsigned numbers.
            I::LocalGet(exponent),
            I::LocalGet(MIN_SO_FAR),
            I::I32x4MinU,
            I::LocalSet(MIN_SO_FAR),
        ]);
    }

    /// Computes the unit to which the terms of each sum are truncated, from the largest exponent of all terms. Also
    /// converts the previous accumulators to multiples of this unit.
    fn find_unit(&mut self, place: u32) {
        let kept = i32::from(self.rule.kept_bits);
        let least = kept - 125 + EXCESS;
        let (sum, exponent) = (SUM + place, EXPONENT + place);
        let (unit, total) = (UNIT + place, TOTAL + place);
        self.find_largest_term(place);
        if self.rule.exponent_bits > 5 {
            // Products of factors with a wide exponent range may be too small for the range of units. Such products are
            // a special case.
            self.ops([
                I::LocalGet(exponent),
                splat32(least as u32),
                I::I32x4LeS,
                I::LocalGet(SPREAD),
                splat32(MIN_TERM_EXPONENT as u32),
                I::I32x4GtS,
                I::V128And,
                I::LocalGet(BAD),
                I::V128Or,
                I::LocalSet(BAD),
            ]);
        }
        self.ops([
            splat32((127 + kept + EXCESS) as u32),
            I::LocalGet(exponent),
            splat32(least as u32),
            I::I32x4MaxS,
            I::I32x4Sub,
            I::I32Const(23),
            I::I32x4Shl,
            I::LocalTee(unit),
            I::LocalGet(sum),
            I::F32x4Mul,
            self.cut.clone(),
            I::LocalSet(OLD + place),
            splat32(0),
            I::LocalSet(total),
        ]);
    }

    /// Emits the loop that adds the products of a block to the sums, as multiples of the unit.
    fn add_products(&mut self) {
        let columns = u32::from(self.rule.columns);
        let depths = u32::from(self.rule.depth);
        self.ops([
            I::LocalGet(A),
            I::I32Const(4 * i32::from(self.rule.block)),
            I::I32Add,
            I::LocalSet(END),
            I::Loop(BlockType::Empty),
        ]);
        for row in 0..ROWS_AT_ONCE {
            self.ops([
                I::LocalGet(A),
                I::V128Load64Zero(at(self.layout.a + 4 * row * depths)),
                I::LocalSet(WORD + row),
            ]);
        }
        for depth in 0..ROUND {
            for half in 0..2 {
                self.ops([
                    I::LocalGet(B),
                    I::V128Load(at(self.layout.b + 4 * depth * columns + 16 * half)),
                    I::LocalSet(SPREAD),
                ]);
                for row in 0..ROWS_AT_ONCE {
                    let place = 2 * row + half;
                    self.ops([
                        I::LocalGet(WORD + row),
                        I::LocalGet(WORD + row),
                        splat_part(depth as u8, 4),
                        I::LocalGet(SPREAD),
                        I::F32x4Mul,
                        I::LocalGet(UNIT + place),
                        I::F32x4Mul,
                        self.cut.clone(),
                        I::LocalGet(TOTAL + place),
                        I::I32x4Add,
                        I::LocalSet(TOTAL + place),
                    ]);
                }
            }
        }
        self.advance([(B, (4 * ROUND * columns) as i32), (A, 4 * ROUND as i32)]);
        self.ops([
            I::LocalGet(A),
            I::LocalGet(END),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
    }

    /// Converts the sum of the block, a multiple of the unit, to `f32` with rounding towards zero. Sums of products
    /// always fit into 32 bits. If the previous accumulator exceeds this range, the MMA is a special case.
    fn round(&mut self, half: u32) {
        let (total, old) = (TOTAL + half, OLD + half);
        let is_wide = u32::from(self.rule.kept_bits) + 3 + u32::from(self.rule.block).ilog2() > 30;
        self.ops([
            I::LocalGet(total),
            I::LocalGet(old),
            I::I32x4Add,
            I::LocalTee(WORD),
        ]);
        if is_wide {
            self.ops([
                I::LocalGet(total),
                I::V128Xor,
                I::LocalGet(WORD),
                I::LocalGet(old),
                I::V128Xor,
                I::V128And,
                splat32(0),
                I::I32x4LtS,
                I::LocalGet(WORD),
                I::I32x4Abs,
                splat32(i32::MAX as u32),
                I::I32x4Eq,
                I::V128Or,
                I::LocalGet(BAD),
                I::V128Or,
                I::LocalSet(BAD),
                I::LocalGet(WORD),
            ]);
        }
        let back = match is_wide {
            true => I::I32x4TruncSatF32x4S,
            false => self.cut.clone(),
        };
        self.ops([I::LocalSet(total)]);
        self.ops([
            // Convert the sum with rounding to nearest, decrement the result if its magnitude exceeds the magnitude of
            // the sum, and multiply it by the unit.
            I::LocalGet(total),
            I::F32x4ConvertI32x4S,
            I::LocalTee(WORD),
            I::LocalGet(WORD),
            back,
            I::I32x4Abs,
            I::LocalGet(total),
            I::I32x4Abs,
            I::I32x4GtS,
            I::I32x4Add,
            splat32(254 << 23),
            I::LocalGet(UNIT + half),
            I::I32x4Sub,
            I::F32x4Mul,
            I::LocalSet(SUM + half),
        ]);
    }
}
