//! Emulation of `fma` with a single rounding, for engines without a fused multiply-add. The generated code takes rows
//! of numbers, and produces the product of two rows plus the third row. 32-bit numbers are multiplied exactly in 64
//! bits. A sum that is inexact in 64 bits and close to a rounding boundary is rounded to odd before it is rounded to 32
//! bits. The emulation for 64-bit numbers follows Boldo and Melquiond, "Emulation of FMA and Correctly Rounded Sums:
//! Proved Algorithms Using Rounding to Odd" (2008).

use crate::emit::Emitter;
use crate::emit::float::upper_half;
use crate::instructions::low_halves;
use crate::instructions::{splat32, splat64};
use wasm_encoder::{BlockType, Instruction as I};

const SIGN_32: u32 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

/// Mask of the significand bits that `f64` has in addition to `f32` (`MORE`), and the value of these bits at the
/// midpoint between two `f32` numbers (`MIDDLE`).
const MORE: u64 = (1 << 29) - 1;
const MIDDLE: u64 = 1 << 28;

/// Half of the smallest positive `f32` number: 2^-150.
const HALF_OF_LEAST: u64 = (1023 - 150) << 52;

/// Limits of the 64-bit emulation: the range of factor magnitudes for which the product is exactly representable as a
/// sum of two numbers, and the maximum magnitude of an addend, which ensures that the sum cannot overflow. A factor of
/// zero is also allowed.
const MIN_EXACT_FACTOR: u64 = (1023 - 400) << 52;
const MAX_FACTOR: u64 = (1023 + 400) << 52;
const MAX_EXACT_ADDEND: u64 = (1023 + 900) << 52;

/// Veltkamp splitting constant 2^27 + 1: splits the significand of a 64-bit number into two halves.
const VELTKAMP_SPLITTER: f64 = 134_217_729.0;

/// Half of a row of 32-bit results, and the local that contains the 64-bit sums for this half.
#[derive(Clone, Copy)]
struct HalfResult {
    index: u32,
    sum: u32,
}

impl Emitter<'_> {
    /// Pushes the product of the first two rows plus the third row, with a single rounding in each 32-bit lane.
    pub(crate) fn fused32(&mut self, rows: [u32; 3], results: ResultPrecision) {
        let [first, second, addend, ..] = self.names.fused;
        let halves = [(0, first), (1, second)].map(|(index, sum)| HalfResult { index, sum });
        for half in halves {
            self.exact_product(rows[0], rows[1], half);
            self.widen_half(rows[2], half.index);
            self.op(I::F64x2Add);
            self.set(half.sum);
        }
        self.push_inexact(halves, results);
        self.ops([I::V128AnyTrue, I::If(BlockType::Empty)]);
        for half in halves {
            self.exact_product(rows[0], rows[1], half);
            self.set(half.sum);
            self.widen_half(rows[2], half.index);
            self.set(addend);
            self.add_round_to_odd(half.sum, addend);
            self.set(half.sum);
        }
        self.op(I::End);
        self.narrow(halves);
    }

    /// Pushes the mask of the sums for which rounding the 64-bit sum to 32 bits may differ from rounding the exact sum.
    /// The results may differ if the 64-bit sum is the midpoint between two 32-bit floats, or if the result is
    /// subnormal.
    fn push_inexact(&mut self, halves: [HalfResult; 2], results: ResultPrecision) {
        for half in halves {
            self.get(half.sum);
            self.ops([splat64(MORE), I::V128And, splat64(MIDDLE), I::I64x2Eq]);
            if half.index == 1 {
                self.op(I::V128Or);
            }
        }
        if results == ResultPrecision::Exact {
            for half in halves {
                self.get(half.sum);
                self.ops([
                    splat64(!SIGN_64),
                    I::V128And,
                    splat64(HALF_OF_LEAST),
                    I::I64x2Eq,
                    I::V128Or,
                ]);
            }
            // For subnormal results, the midpoint between two 32-bit floats is at a higher bit position.
            self.narrow(halves);
            self.ops([
                splat32(!SIGN_32),
                I::V128And,
                splat32(1),
                I::I32x4Sub,
                splat32(1 << 23),
                I::I32x4LtU,
                I::V128Or,
            ]);
        }
    }

    /// Pushes the exact products of two rows of 32-bit lanes for half of the lanes.
    fn exact_product(&mut self, a: u32, b: u32, half: HalfResult) {
        self.widen_half(a, half.index);
        self.widen_half(b, half.index);
        self.op(I::F64x2Mul);
    }

    /// Pushes half of a row of 32-bit floats, converted to 64-bit floats.
    fn widen_half(&mut self, row: u32, half: u32) {
        self.get(row);
        if half == 1 {
            self.get(row);
            self.op(upper_half());
        }
        self.op(I::F64x2PromoteLowF32x4);
    }

    fn narrow(&mut self, halves: [HalfResult; 2]) {
        for half in halves {
            self.get(half.sum);
            self.op(I::F32x4DemoteF64x2Zero);
        }
        self.op(low_halves());
    }

    /// Pushes the sums of two rows of 64-bit lanes, rounded to odd.
    fn add_round_to_odd(&mut self, a: u32, b: u32) {
        let [.., sum, error] = self.names.fused;
        self.two_sum([a, b], [sum, error]);
        // If a sum is inexact and its significand is even, rounding to odd changes its bit pattern by one unit, away
        // from zero or towards zero.
        self.get_all([sum, sum, error]);
        self.ops([
            I::V128Xor,
            I::I32Const(63),
            I::I64x2ShrS,
            splat64(1),
            I::V128Or,
        ]);
        self.get(error);
        self.ops([I::F64x2Abs, splat64(0), I::F64x2Gt, I::V128And]);
        self.get(sum);
        self.ops([
            splat64(1),
            I::V128And,
            splat64(0),
            I::I64x2Eq,
            I::V128And,
            I::I64x2Add,
        ]);
    }

    /// Computes the rounded sums of two rows of 64-bit lanes and their rounding errors (TwoSum).
    fn two_sum(&mut self, [a, b]: [u32; 2], [sum, error]: [u32; 2]) {
        self.get_all([a, b]);
        self.op(I::F64x2Add);
        self.set(sum);
        // This difference is the part of `b` that the rounded sum contains.
        self.get_all([sum, a]);
        self.op(I::F64x2Sub);
        self.set(error);
        self.get_all([a, sum, error]);
        self.ops([I::F64x2Sub, I::F64x2Sub]);
        self.get_all([b, error]);
        self.ops([I::F64x2Sub, I::F64x2Add]);
        self.set(error);
    }

    /// Multiplies the two rows of 64-bit lanes on the stack for half of the lanes, and adds the third row. Bails out if
    /// an intermediate result is not exact.
    pub(crate) fn fused64(&mut self, half: u32) {
        let [a, b, c, high, low, x, y, sum, error] = self.names.fused;
        self.set(c);
        self.set(b);
        self.set(a);
        for factor in [a, b] {
            self.magnitude(factor);
            self.ops([splat64(0), I::I64x2Ne]);
            self.magnitude(factor);
            self.ops([splat64(MIN_EXACT_FACTOR), I::I64x2LtS]);
            self.magnitude(factor);
            self.ops([splat64(MAX_FACTOR), I::I64x2GtS, I::V128Or, I::V128And]);
        }
        self.magnitude(c);
        self.ops([splat64(MAX_EXACT_ADDEND), I::I64x2GtS]);
        self.ops([I::V128Or, I::V128Or]);
        self.bail_out_if_any_lane(Some(half));
        // Store the upper halves of the factors' significands in `sum` and `error`, and the lower halves in `x` and
        // `y`.
        for (factor, digits, rest) in [(a, sum, x), (b, error, y)] {
            self.get(factor);
            self.ops([splat64(VELTKAMP_SPLITTER.to_bits()), I::F64x2Mul]);
            self.tee(digits);
            self.get_all([digits, factor]);
            self.ops([I::F64x2Sub, I::F64x2Sub]);
            self.set(digits);
            self.get_all([factor, digits]);
            self.op(I::F64x2Sub);
            self.set(rest);
        }
        self.get_all([a, b]);
        self.op(I::F64x2Mul);
        self.set(high);
        self.get_all([x, y]);
        self.op(I::F64x2Mul);
        self.get(high);
        for [one, other] in [[sum, error], [x, error], [sum, y]] {
            self.get_all([one, other]);
            self.ops([I::F64x2Mul, I::F64x2Sub]);
        }
        self.op(I::F64x2Sub);
        self.set(low);
        // Add the lower part of the product to the addend first, then add the higher part.
        self.two_sum([c, low], [a, b]);
        self.two_sum([high, a], [x, y]);
        self.get(x);
        self.add_round_to_odd(b, y);
        self.op(I::F64x2Add);
    }

    fn magnitude(&mut self, row: u32) {
        self.get(row);
        self.ops([splat64(!SIGN_64), I::V128And]);
    }
}

/// Required precision of subnormal results of an emulated `fma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultPrecision {
    Exact,
    /// Results below the smallest normal number are flushed to zero.
    Flushed,
}
