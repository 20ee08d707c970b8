//! Table lookup and quadratic interpolation of the special function unit, for arguments that require no scaling. The
//! generated code takes a local that contains the arguments of four lanes, and produces the results of these lanes on
//! the stack.

use crate::emit::float::upper_half;
use crate::emit::special_function::{
    A, BIAS, CUT, EXPONENT, FRACTION, FRACTION_BITS, INFINITY, KEPT, ONE, OTHER, PAIR, PART, ROW,
    ROW_PLACES, SIGN, SQUARE, SUM, SpecialFunctionEmitter, TWO_POW_52, X, power32, power64,
};
use crate::instructions::{
    at, halves, high_halves, high_words, low_halves, low_words, splat32, splat64,
};
use crate::layout::ROW_BYTES;
use warpgrid_emulator::translation_view::{SpecialFunction, TURNS, tangent_bits};
use wasm_encoder::Instruction as I;

impl SpecialFunctionEmitter {
    /// Evaluates a special function for the arguments in the argument local.
    pub(crate) fn unit(&mut self, function: SpecialFunction) {
        use SpecialFunction as F;
        match function {
            F::Reciprocal => self.reciprocal(),
            F::ReciprocalRoot => self.reciprocal_root(),
            F::Root => self.root(),
            F::Logarithm => self.logarithm(),
            F::Power => self.power(),
            F::Sine | F::Cosine => self.sine_cosine(function),
            F::Tangent => self.tangent(),
        }
    }

    /// Computes the polynomial values of all lanes, whose fractions are in a local.
    fn sums(&mut self) {
        let bits = self.index_bits.unwrap_or(0);
        self.ops([
            I::LocalGet(PART),
            I::I32Const(bits as i32),
            I::I32x4Shl,
            splat32(FRACTION),
            I::V128And,
            I::I32Const(6),
            I::I32x4ShrU,
            I::LocalSet(X),
            I::LocalGet(PART),
            I::I32Const((FRACTION_BITS - bits) as i32 - 4),
            I::I32x4ShrU,
            splat32(!(ROW_BYTES - 1)),
            I::V128And,
            I::LocalSet(ROW_PLACES),
        ]);
        self.sums_of_rows();
    }

    /// Computes c0 + c1 x + c2 x^2 with the coefficients from the table rows. The results are integers below 2^42, in
    /// units of 2^-17 ulp.
    fn sums_of_rows(&mut self) {
        for lane in 0..4 {
            self.ops([
                I::LocalGet(ROW_PLACES),
                I::I32x4ExtractLane(lane),
                I::V128Load(at(self.table)),
                I::LocalSet(ROW + u32::from(lane)),
            ]);
        }
        for half in 0..2 {
            self.ops([
                I::LocalGet(ROW + 2 * half),
                I::LocalGet(ROW + 2 * half + 1),
                I::I8x16Shuffle([8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
                I::LocalSet(PAIR + half),
            ]);
        }
        self.square();
        for (halves, local) in [(low_halves(), KEPT), (high_halves(), OTHER)] {
            self.ops([I::LocalGet(PAIR), I::LocalGet(PAIR + 1), halves]);
            self.set(local);
        }
        for half in 0..2 {
            let multiply = match half {
                0 => I::I64x2ExtMulLowI32x4S,
                _ => I::I64x2ExtMulHighI32x4S,
            };
            self.ops([
                I::LocalGet(ROW + 2 * half),
                I::LocalGet(ROW + 2 * half + 1),
                low_halves(),
                I::LocalGet(KEPT),
                I::LocalGet(X),
                multiply.clone(),
                I::I64x2Add,
                I::LocalGet(OTHER),
                I::LocalGet(SQUARE),
                multiply,
                I::I64x2Add,
                I::LocalSet(SUM + half),
            ]);
        }
    }

    /// Computes x^2 in units of 2^17, without the partial products whose weight is below 2^19. Like the interpreter,
    /// the code computes several partial products of single bits with one multiplication.
    fn square(&mut self) {
        self.ops([
            I::LocalGet(X),
            I::I32Const(9),
            I::I32x4ShrU,
            I::LocalTee(OTHER),
            I::LocalGet(OTHER),
            I::I32x4DotI16x8S,
            I::I32Const(1),
            I::I32x4ShrU,
        ]);
        for ((high, high_bits), (low, low_bits)) in
            [((13, 4), (5, 4)), ((11, 2), (7, 2)), ((15, 2), (3, 2))]
        {
            for (from, bits) in [(high, high_bits), (low, low_bits)] {
                self.ops([I::LocalGet(X), I::I32Const(from), I::I32x4ShrU]);
                if from + bits < 17 {
                    self.ops([splat32((1 << bits) - 1), I::V128And]);
                }
            }
            // 16-bit multiplications suffice, because all factors and products are below 2^16.
            self.ops([I::I16x8Mul, I::I32x4Add]);
        }
        for (apart, low) in [(2, 8), (6, 6), (10, 4), (14, 2)] {
            self.ops([
                I::LocalGet(X),
                I::LocalGet(X),
                I::I32Const(apart),
                I::I32x4ShrU,
                I::V128And,
                I::I32Const(low),
                I::I32x4ShrU,
                splat32(1),
                I::V128And,
                I::I32x4Add,
            ]);
        }
        self.ops([I::I32Const(2), I::I32x4Shl, I::LocalSet(SQUARE)]);
    }

    /// Pushes the low 23 bits of the truncated polynomial values.
    fn digits(&mut self, below: i32) {
        for half in 0..2 {
            self.ops([I::LocalGet(SUM + half), I::I32Const(below), I::I64x2ShrU]);
        }
        self.ops([low_words(), splat32(FRACTION), I::V128And]);
    }

    /// Pushes the polynomial values as truncated 32-bit floats. A value of 2^41 represents 1.0.
    fn truncate_sums(&mut self) {
        for half in 0..2 {
            self.ops([
                I::LocalGet(SUM + half),
                splat64(TWO_POW_52),
                I::V128Or,
                splat64(TWO_POW_52),
                I::F64x2Sub,
                splat64(power64(-41)),
                I::F64x2Mul,
                splat64(CUT),
                I::V128And,
                I::F32x4DemoteF64x2Zero,
            ]);
        }
        self.ops([low_halves()]);
    }

    /// Pushes the biased exponent of each argument.
    fn exponent(&mut self) {
        self.ops([
            I::LocalGet(A),
            I::I32Const(FRACTION_BITS as i32),
            I::I32x4ShrU,
            splat32(0xff),
            I::V128And,
        ]);
    }

    /// Pushes the mask of NaN arguments.
    fn is_nan(&mut self) {
        self.ops([I::LocalGet(A), I::LocalGet(A), I::F32x4Ne]);
    }

    /// Pushes the mask of the lanes whose argument has no root and no logarithm: NaNs and negative numbers.
    fn has_no_result(&mut self) {
        self.ops([I::LocalGet(A), I::I32Const(31), I::I32x4ShrS]);
        self.has_exponent(0);
        self.ops([I::V128AndNot]);
        self.is_nan();
        self.ops([I::V128Or]);
    }

    /// Selects a result in each lane. The result is NaN if the function is undefined for the argument, otherwise one of
    /// the two values on the stack: the result for zero or the result for other arguments.
    fn select_special_results(&mut self) {
        self.has_exponent(0);
        self.ops([I::V128Bitselect]);
        self.has_no_result();
        self.ops([I::V128Or]);
    }

    /// Pushes the mask of the lanes whose argument has the given biased exponent.
    fn has_exponent(&mut self, exponent: u32) {
        self.exponent();
        self.ops([splat32(exponent), I::I32x4Eq]);
    }

    /// Pushes the mask of the lanes whose argument has a zero fraction.
    fn has_no_part(&mut self) {
        self.ops([I::LocalGet(PART), splat32(0), I::I32x4Eq]);
    }

    /// Pushes the fraction bits of each argument.
    fn fraction(&mut self) {
        self.ops([I::LocalGet(A), splat32(FRACTION), I::V128And]);
    }

    fn push_sign(&mut self) {
        self.ops([I::LocalGet(A), splat32(SIGN), I::V128And]);
    }

    /// Combines the fraction digits on the stack with the exponent in a local. The result may be infinite or zero.
    fn put_exponent(&mut self) {
        self.ops([
            I::LocalGet(EXPONENT),
            I::I32Const(FRACTION_BITS as i32),
            I::I32x4Shl,
            I::V128Or,
        ]);
    }

    fn reciprocal(&mut self) {
        self.fraction();
        self.set(PART);
        self.sums();
        // The exponent is one higher if the fraction is zero, because the result is then the exact reciprocal of a
        // power of two.
        self.ops([splat32(2 * BIAS - 1)]);
        self.has_no_part();
        self.ops([I::I32x4Sub]);
        self.exponent();
        self.ops([I::I32x4Sub, I::LocalSet(EXPONENT)]);
        self.ops([splat32(INFINITY)]);
        self.digits(17);
        self.has_no_part();
        self.ops([I::V128AndNot]);
        self.put_exponent();
        self.ops([I::LocalGet(EXPONENT), splat32(0), I::I32x4GtS, I::V128And]);
        self.has_exponent(0);
        self.ops([I::V128Bitselect]);
        self.push_sign();
        self.ops([I::V128Or]);
        self.is_nan();
        self.ops([I::V128Or]);
    }

    /// Halves the exponent, and adds the low exponent bit to the fraction, which then represents a number from 1 to 4.
    fn half_exponent(&mut self) {
        self.exponent();
        self.ops([
            splat32(BIAS),
            I::I32x4Sub,
            I::LocalTee(EXPONENT),
            splat32(1),
            I::V128And,
            I::I32Const(FRACTION_BITS as i32),
            I::I32x4Shl,
        ]);
        self.fraction();
        self.ops([I::V128Or, I::LocalSet(PART)]);
        self.ops([
            I::LocalGet(EXPONENT),
            I::I32Const(1),
            I::I32x4ShrS,
            I::LocalSet(EXPONENT),
        ]);
    }

    fn reciprocal_root(&mut self) {
        self.half_exponent();
        self.sums();
        self.ops([splat32(BIAS - 1)]);
        self.has_no_part();
        self.ops([
            I::I32x4Sub,
            I::LocalGet(EXPONENT),
            I::I32x4Sub,
            I::LocalSet(EXPONENT),
        ]);
        self.push_sign();
        self.ops([splat32(INFINITY), I::V128Or]);
        self.digits(17);
        self.has_no_part();
        self.ops([I::V128AndNot]);
        self.put_exponent();
        self.has_exponent(255);
        self.ops([I::V128AndNot]);
        self.select_special_results();
    }

    fn root(&mut self) {
        self.half_exponent();
        self.sums();
        self.ops([
            splat32(BIAS),
            I::LocalGet(EXPONENT),
            I::I32x4Add,
            I::LocalSet(EXPONENT),
        ]);
        self.push_sign();
        self.ops([splat32(INFINITY)]);
        self.digits(18);
        self.put_exponent();
        self.has_exponent(255);
        self.ops([I::V128Bitselect]);
        self.select_special_results();
    }

    fn power(&mut self) {
        self.split_argument();
        self.sums();
        self.ops([splat32(INFINITY)]);
        self.digits(17);
        self.put_exponent();
        self.ops([
            I::LocalGet(EXPONENT),
            splat32(254),
            I::I32x4GtS,
            I::V128Bitselect,
            I::LocalGet(EXPONENT),
            splat32(0),
            I::I32x4GtS,
            I::V128And,
        ]);
        self.is_nan();
        self.ops([I::V128Or]);
    }

    /// Splits the argument of the exponential function into the exponent of the result and a fraction.
    fn split_argument(&mut self) {
        // Convert the magnitude of the argument to units of 2^-23 by truncation. Saturation is sufficient, because all
        // magnitudes beyond 2^8 have the same result as 2^8.
        self.ops([
            I::LocalGet(A),
            I::F32x4Abs,
            splat32(power32(FRACTION_BITS as i32)),
            I::F32x4Mul,
            I::I32x4TruncSatF32x4S,
            I::LocalTee(EXPONENT),
            splat32(FRACTION),
            I::V128And,
            I::LocalTee(PART),
            // The hardware negates a fraction with the one's complement, except for a fraction of zero.
            I::LocalGet(A),
            I::I32Const(31),
            I::I32x4ShrS,
        ]);
        self.has_no_part();
        self.ops([
            I::V128AndNot,
            splat32(FRACTION),
            I::V128And,
            I::V128Xor,
            // Round the exponent of a negative argument down: decrement the exponent if the argument has a fraction.
            I::LocalGet(EXPONENT),
            I::I32Const(FRACTION_BITS as i32),
            I::I32x4ShrU,
            I::LocalSet(EXPONENT),
            I::LocalGet(EXPONENT),
            I::I32x4Neg,
            splat32(u32::MAX),
        ]);
        self.has_no_part();
        self.ops([
            I::V128AndNot,
            I::I32x4Add,
            I::LocalGet(EXPONENT),
            I::LocalGet(A),
            I::I32Const(31),
            I::I32x4ShrS,
            I::V128Bitselect,
            splat32(BIAS),
            I::I32x4Add,
            I::LocalSet(EXPONENT),
            I::LocalSet(PART),
        ]);
    }

    fn logarithm(&mut self) {
        self.fraction();
        self.set(PART);
        self.sums();
        self.exponent();
        self.ops([splat32(BIAS), I::I32x4Sub, I::LocalSet(EXPONENT)]);
        // Convert the value to units of 2^-36. The hardware negates the value with the one's complement.
        for half in 0..2 {
            self.ops([
                I::LocalGet(EXPONENT),
                halves(half),
                I::I32Const(36),
                I::I64x2Shl,
                I::LocalGet(SUM + half),
                I::I32Const(5),
                I::I64x2ShrU,
                I::I64x2Add,
                I::LocalSet(SUM + half),
            ]);
        }
        self.ops([splat32(SIGN | INFINITY), splat32(INFINITY)]);
        for half in 0..2 {
            self.ops([
                I::LocalGet(SUM + half),
                I::LocalGet(SUM + half),
                I::I32Const(63),
                I::I64x2ShrS,
                I::V128Xor,
                splat64(TWO_POW_52),
                I::V128Or,
                splat64(TWO_POW_52),
                I::F64x2Sub,
                splat64(power64(-36)),
                I::F64x2Mul,
                splat64(CUT),
                I::V128And,
                I::F32x4DemoteF64x2Zero,
            ]);
        }
        self.ops([low_halves()]);
        self.ops([I::LocalGet(SUM), I::LocalGet(SUM + 1), high_words()]);
        self.ops([splat32(SIGN), I::V128And, I::V128Or]);
        self.ops([I::LocalGet(A), splat32(ONE), I::I32x4Eq, I::V128AndNot]);
        self.has_exponent(255);
        self.ops([I::V128Bitselect]);
        self.select_special_results();
    }

    /// Converts the argument from radians to revolutions, and truncates the result.
    fn reduce_to_revolutions(&mut self) {
        for half in 0..2 {
            self.get(A);
            if half == 1 {
                self.ops([I::LocalGet(A), upper_half()]);
            }
            self.ops([
                I::F64x2PromoteLowF32x4,
                splat64(f64::from(TURNS).to_bits()),
                I::F64x2Mul,
                splat64(CUT),
                I::V128And,
                I::F32x4DemoteF64x2Zero,
            ]);
        }
        self.ops([low_halves(), I::LocalSet(A)]);
    }

    fn sine_cosine(&mut self, function: SpecialFunction) {
        self.reduce_to_revolutions();
        // Convert the angle to units of 2^-23 quarter revolutions by truncation, modulo whole revolutions.
        self.ops([
            I::LocalGet(A),
            I::F32x4Abs,
            I::LocalTee(KEPT),
            I::LocalGet(KEPT),
            I::F32x4Floor,
            I::F32x4Sub,
            splat32(power32(FRACTION_BITS as i32 + 2)),
            I::F32x4Mul,
            I::I32x4TruncSatF32x4S,
        ]);
        if function == SpecialFunction::Cosine {
            self.ops([splat32(1 << FRACTION_BITS), I::I32x4Add]);
        }
        self.ops([
            I::LocalTee(EXPONENT),
            I::LocalGet(EXPONENT),
            I::I32Const(31 - FRACTION_BITS as i32),
            I::I32x4Shl,
            I::I32Const(31),
            I::I32x4ShrS,
            I::V128Xor,
            splat32(FRACTION),
            I::V128And,
            I::LocalSet(PART),
        ]);
        self.sums();
        self.truncate_sums();
        self.ops([
            I::LocalGet(EXPONENT),
            I::I32Const(30 - FRACTION_BITS as i32),
            I::I32x4Shl,
        ]);
        if function == SpecialFunction::Sine {
            self.ops([I::LocalGet(A), I::V128Xor]);
        }
        self.ops([splat32(SIGN), I::V128And, I::V128Or]);
        self.has_exponent(255);
        self.ops([I::V128Or]);
    }

    fn tangent(&mut self) {
        let mut factors = [0; 16];
        for (factor, bits) in factors.iter_mut().zip(tangent_bits()) {
            *factor = 1u8 << bits;
        }
        self.exponent();
        self.ops([
            splat32(BIAS - 8),
            I::I32x4Sub,
            splat32(0),
            I::I32x4MaxS,
            splat32(10),
            I::I32x4MinS,
            I::LocalSet(EXPONENT),
        ]);
        self.fraction();
        self.ops([
            I::LocalTee(PART),
            I::I32Const(FRACTION_BITS as i32 - 8),
            I::I32x4ShrU,
            splat32(0xf0),
            I::V128And,
            I::LocalGet(EXPONENT),
            I::I32Const(8),
            I::I32x4Shl,
            I::V128Or,
            I::LocalSet(ROW_PLACES),
            // Keep the bits of the fraction below the bits that select the interval.
            I::LocalGet(PART),
            I::V128Const(i128::from_le_bytes(factors)),
            I::LocalGet(EXPONENT),
            I::I8x16Swizzle,
            splat32(0xff),
            I::V128And,
            I::I32x4Mul,
            splat32(FRACTION),
            I::V128And,
            I::I32Const(6),
            I::I32x4ShrU,
            I::LocalSet(X),
        ]);
        self.sums_of_rows();
        self.get(A);
        self.ops([splat32(ONE)]);
        self.truncate_sums();
        self.exponent();
        self.ops([splat32(BIAS + 2), I::I32x4GtS, I::V128Bitselect]);
        self.push_sign();
        self.ops([I::V128Or]);
        self.exponent();
        self.ops([splat32(BIAS - 8), I::I32x4LtS, I::V128Bitselect]);
        self.is_nan();
        self.ops([I::V128Or]);
    }
}
