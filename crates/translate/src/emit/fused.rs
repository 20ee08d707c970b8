//! `fma` where the engine has no fused product: with one rounding all the same. In: rows of numbers; out: the product of two plus
//! the third. Numbers of 32 bits are multiplied exactly in 64 bits; a sum that 64 bits cannot hold either, and that lies where two
//! roundings may differ from one, is rounded to odd before it is rounded to 32 bits. Numbers of 64 bits follow Boldo and Melquiond,
//! "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd" (2008).

use crate::emit::Emitter;
use crate::emit::float::upper_half;
use crate::instructions::low_halves;
use crate::instructions::{splat32, splat64};
use wasm_encoder::{BlockType, Instruction as I};

const SIGN_32: u32 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

/// The bits that 64 bits have and 32 bits have not, and what they are in the middle between two numbers of 32 bits.
const MORE: u64 = (1 << 29) - 1;
const MIDDLE: u64 = 1 << 28;

/// Half of the least number of 32 bits: 2^-150.
const HALF_OF_LEAST: u64 = (1023 - 150) << 52;

/// Of numbers of 64 bits: the magnitudes of factors whose product is exact as a sum of two numbers, and those of an addend with which no
/// sum overflows. Zeros are such factors, too.
const LEAST_FACTOR: u64 = (1023 - 400) << 52;
const MOST_FACTOR: u64 = (1023 + 400) << 52;
const MOST_ADDEND: u64 = (1023 + 900) << 52;

/// Splits a number of 64 bits into two of half as many digits: 2^27 + 1.
const SPLITTER: f64 = 134_217_729.0;

/// The result of a half of a row of 32 bits, and what it is made of.
#[derive(Clone, Copy)]
struct Half {
    index: u32,
    sum: u32,
}

impl Emitter<'_> {
    /// Pushes the products of the rows in three locals, of 32 bits: the first two multiplied, and the third added.
    pub(crate) fn fused32(&mut self, rows: [u32; 3], results: Results) {
        let [first, second, addend, ..] = self.names.fused;
        let halves = [(0, first), (1, second)].map(|(index, sum)| Half { index, sum });
        for half in halves {
            self.product_of(rows[0], rows[1], half);
            self.widen_half(rows[2], half.index);
            self.op(I::F64x2Add);
            self.set(half.sum);
        }
        self.push_inexact(halves, results);
        self.ops([I::V128AnyTrue, I::If(BlockType::Empty)]);
        for half in halves {
            self.product_of(rows[0], rows[1], half);
            self.set(half.sum);
            self.widen_half(rows[2], half.index);
            self.set(addend);
            self.sum_to_odd(half.sum, addend);
            self.set(half.sum);
        }
        self.op(I::End);
        self.narrow(halves);
    }

    /// Pushes the sums of which it matters on which side of the middle between two numbers of 32 bits they are.
    fn push_inexact(&mut self, halves: [Half; 2], results: Results) {
        for half in halves {
            self.get(half.sum);
            self.ops([splat64(MORE), I::V128And, splat64(MIDDLE), I::I64x2Eq]);
            if half.index == 1 {
                self.op(I::V128Or);
            }
        }
        if results == Results::Exact {
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
            // Below the least normal number the middle lies elsewhere.
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

    /// The exact product of two rows of 32 bits, of a half of their lanes.
    fn product_of(&mut self, a: u32, b: u32, half: Half) {
        self.widen_half(a, half.index);
        self.widen_half(b, half.index);
        self.op(I::F64x2Mul);
    }

    /// Half of a row of 32 bits as numbers of 64.
    fn widen_half(&mut self, row: u32, half: u32) {
        self.get(row);
        if half == 1 {
            self.get(row);
            self.op(upper_half());
        }
        self.op(I::F64x2PromoteLowF32x4);
    }

    fn narrow(&mut self, halves: [Half; 2]) {
        for half in halves {
            self.get(half.sum);
            self.op(I::F32x4DemoteF64x2Zero);
        }
        self.op(low_halves());
    }

    /// Pushes the sum of two rows of 64 bits; one that is not exact ends with an odd digit.
    fn sum_to_odd(&mut self, a: u32, b: u32) {
        let [.., sum, error] = self.names.fused;
        self.exact_sum([a, b], [sum, error]);
        // One unit further from zero, or nearer to it: where it is not exact, and even.
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

    /// A sum of two rows of 64 bits, and what it lacks.
    fn exact_sum(&mut self, [a, b]: [u32; 2], [sum, error]: [u32; 2]) {
        self.get_all([a, b]);
        self.op(I::F64x2Add);
        self.set(sum);
        // What of `b` is in the sum.
        self.get_all([sum, a]);
        self.op(I::F64x2Sub);
        self.set(error);
        self.get_all([a, sum, error]);
        self.ops([I::F64x2Sub, I::F64x2Sub]);
        self.get_all([b, error]);
        self.ops([I::F64x2Sub, I::F64x2Add]);
        self.set(error);
    }

    /// Multiplies two rows of 64 bits on the stack, of one half of the lanes, and adds the third; gives up where its parts have no exact sum.
    pub(crate) fn fused64(&mut self, half: u32) {
        let [a, b, c, high, low, x, y, sum, error] = self.names.fused;
        self.set(c);
        self.set(b);
        self.set(a);
        for factor in [a, b] {
            self.magnitude(factor);
            self.ops([splat64(0), I::I64x2Ne]);
            self.magnitude(factor);
            self.ops([splat64(LEAST_FACTOR), I::I64x2LtS]);
            self.magnitude(factor);
            self.ops([splat64(MOST_FACTOR), I::I64x2GtS, I::V128Or, I::V128And]);
        }
        self.magnitude(c);
        self.ops([splat64(MOST_ADDEND), I::I64x2GtS]);
        self.ops([I::V128Or, I::V128Or]);
        self.give_up_in_lanes(Some(half));
        // `sum` and `error` hold the higher digits of the factors, `x` and `y` the lower ones.
        for (factor, digits, rest) in [(a, sum, x), (b, error, y)] {
            self.get(factor);
            self.ops([splat64(SPLITTER.to_bits()), I::F64x2Mul]);
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
        // The addend and the lower part, then the higher part.
        self.exact_sum([c, low], [a, b]);
        self.exact_sum([high, a], [x, y]);
        self.get(x);
        self.sum_to_odd(b, y);
        self.op(I::F64x2Add);
    }

    fn magnitude(&mut self, row: u32) {
        self.get(row);
        self.ops([splat64(!SIGN_64), I::V128And]);
    }
}

/// Which results matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    Exact,
    /// Those below the least normal number become zeros.
    Flushed,
}
