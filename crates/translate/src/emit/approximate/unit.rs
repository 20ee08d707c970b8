//! The unit itself: functions of arguments that need no scaling. In: four lanes in a local; out: their results on the stack.

use crate::emit::approximate::{
    A, BIAS, CUT, Code, EXPONENT, FRACTION, FRACTION_BITS, INFINITY, KEPT, ONE, OTHER, PAIR, PART,
    ROW, ROW_PLACES, SIGN, SQUARE, SUM, WHOLE, X, power32, power64,
};
use crate::emit::float::upper_half;
use crate::instructions::{
    at, halves, high_halves, high_words, low_halves, low_words, splat32, splat64,
};
use crate::place::ROW_BYTES;
use warpgrid_emulator::plain::{TURNS, UnitFunction, tangent_bits};
use wasm_encoder::Instruction as I;

impl Code {
    /// The function at the argument.
    pub(crate) fn unit(&mut self, function: UnitFunction) {
        use UnitFunction as F;
        match function {
            F::Reciprocal => self.reciprocal(),
            F::ReciprocalRoot => self.reciprocal_root(),
            F::Root => self.root(),
            F::Logarithm => self.logarithm(),
            F::Power => self.power(),
            F::Sine | F::Cosine => self.wave(function),
            F::Tangent => self.tangent(),
        }
    }

    /// The sums of the lanes whose fractions are in a local.
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

    /// c0 + c1 x + c2 x^2 with the rows at places, in 2^-17 of a last digit: whole numbers below 2^42.
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

    /// x^2 in 2^17, without the products of bits that weigh less than 2^18: those of single bits that are left are taken together as products of
    /// several bits, as the interpreter takes them.
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
            // They are below 2^16, as the products are.
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

    /// Pushes the 23 last digits of the sums, cut.
    fn digits(&mut self, below: i32) {
        for half in 0..2 {
            self.ops([I::LocalGet(SUM + half), I::I32Const(below), I::I64x2ShrU]);
        }
        self.ops([low_words(), splat32(FRACTION), I::V128And]);
    }

    /// Pushes the sums as numbers of 32 bits, cut; a sum of 2^41 is one.
    fn cut_sums(&mut self) {
        for half in 0..2 {
            self.ops([
                I::LocalGet(SUM + half),
                splat64(WHOLE),
                I::V128Or,
                splat64(WHOLE),
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

    /// Pushes the exponent of the argument, with its bias.
    fn exponent(&mut self) {
        self.ops([
            I::LocalGet(A),
            I::I32Const(FRACTION_BITS as i32),
            I::I32x4ShrU,
            splat32(0xff),
            I::V128And,
        ]);
    }

    /// Pushes which arguments are NaNs.
    fn is_nan(&mut self) {
        self.ops([I::LocalGet(A), I::LocalGet(A), I::F32x4Ne]);
    }

    /// Pushes which arguments have no root and no logarithm: NaNs, and those below zero.
    fn has_no_result(&mut self) {
        self.ops([I::LocalGet(A), I::I32Const(31), I::I32x4ShrS]);
        self.has_exponent(0);
        self.ops([I::V128AndNot]);
        self.is_nan();
        self.ops([I::V128Or]);
    }

    /// Of a result for zero, and one for all else, on the stack: that of each lane, and NaN where the argument has none.
    fn choose_ends(&mut self) {
        self.has_exponent(0);
        self.ops([I::V128Bitselect]);
        self.has_no_result();
        self.ops([I::V128Or]);
    }

    /// Pushes which arguments have this exponent.
    fn has_exponent(&mut self, exponent: u32) {
        self.exponent();
        self.ops([splat32(exponent), I::I32x4Eq]);
    }

    /// Pushes which lanes have no fraction.
    fn has_no_part(&mut self) {
        self.ops([I::LocalGet(PART), splat32(0), I::I32x4Eq]);
    }

    /// Pushes the fraction of the argument.
    fn fraction(&mut self) {
        self.ops([I::LocalGet(A), splat32(FRACTION), I::V128And]);
    }

    fn push_sign(&mut self) {
        self.ops([I::LocalGet(A), splat32(SIGN), I::V128And]);
    }

    /// Digits on the stack and an exponent in a local to a number, which may be infinite or zero.
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
        // One more where the fraction is zero: of a power of two.
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

    /// Half of the exponent, and as the fraction that of a number from 1 to 4.
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
        self.choose_ends();
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
        self.choose_ends();
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

    /// Splits the argument of a power into the exponent of the result and a fraction.
    fn split_argument(&mut self) {
        // The magnitude in 2^-23, cut; beyond 2^8 it is as good as that.
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
            // The complement is taken for the opposite, but for whole numbers.
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
            // Down where the argument is negative: by one more where it has a fraction.
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
        // In 2^-36; the complement is taken for the opposite.
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
                splat64(WHOLE),
                I::V128Or,
                splat64(WHOLE),
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
        self.choose_ends();
    }

    /// The argument in turns, cut.
    fn take_turns(&mut self) {
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

    fn wave(&mut self, function: UnitFunction) {
        self.take_turns();
        // Quarters of a turn in 2^-23, cut, without whole turns.
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
        if function == UnitFunction::Cosine {
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
        self.cut_sums();
        self.ops([
            I::LocalGet(EXPONENT),
            I::I32Const(30 - FRACTION_BITS as i32),
            I::I32x4Shl,
        ]);
        if function == UnitFunction::Sine {
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
            // What is left of the fraction after the bits that choose the interval.
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
        self.cut_sums();
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
