//! Arithmetic and conversions of 16-bit floats, one or two per register. The generated code takes rows of numbers, and
//! produces rows of results with a single rounding. Sums and products are computed in `f32`, whose significand has more
//! than twice as many digits, so that the second rounding to 16 bits does not change the result. `fma` rounds the
//! intermediate sum to odd (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using
//! Rounding to Odd", 2008).

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::float::sources_of;
use crate::instructions::splat32;
use warpgrid_emulator::translation_view::{
    FloatMode, FloatOp, HalfOp, OperandSlot, RegisterOperand,
};
use warpgrid_isa::ScalarType;
use wasm_encoder::Instruction as I;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const NAN_16: u32 = 0x7fff;
/// 2^112, the ratio of an `f16` number to the `f32` number with the same exponent field (exponent biases 15 and 127).
const BETWEEN_EXPONENTS: u32 = 0x7780_0000;
/// Smallest normal number of `f16`, as `f32`. `HALF_OF_ONE` is 0.5, an `f32` number whose ulp equals the ulp of
/// subnormal `f16` numbers.
const MIN_NORMAL_F16: u32 = 0x3880_0000;
const HALF_OF_ONE: u32 = 0x3f00_0000;
const SMALLEST_NORMAL: u32 = 1 << 23;

/// 16-bit float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HalfFormat {
    F16,
    Bf16,
}

impl HalfFormat {
    pub(crate) fn of(ty: ScalarType) -> Option<HalfFormat> {
        match ty {
            ScalarType::F16 | ScalarType::F16x2 => Some(HalfFormat::F16),
            ScalarType::Bf16 | ScalarType::Bf16x2 => Some(HalfFormat::Bf16),
            _ => None,
        }
    }
}

impl Emitter<'_> {
    pub(crate) fn half(
        &mut self,
        f: HalfOp,
        ty: ScalarType,
        mode: FloatMode,
        [d, a, b, c]: [OperandSlot; 4],
    ) -> Result<(), BailoutReason> {
        let (Some(format), HalfOp::Plain(f)) = (HalfFormat::of(ty), f) else {
            return self.unsupported(format!("{f:?} of {ty:?}"));
        };
        if !mode.is_plain() || mode.nan || mode.xorsign_abs {
            return self.unsupported(format!("{f:?} for {ty:?} with these modifiers"));
        }
        let upper = self.names.upper_half;
        let is_pair = ty.width_bits() == 32;
        for shift in [16, 0] {
            if shift == 16 && !is_pair {
                continue;
            }
            self.half_at(f, format, [a, b, c], shift)?;
            if shift == 16 {
                self.ops([I::I32Const(16), I::I32x4Shl]);
                self.set(upper);
            }
        }
        if is_pair {
            self.get(upper);
            self.op(I::V128Or);
        }
        self.write32(d);
        Ok(())
    }

    /// Computes an operation on the 16-bit floats that start at the given bit of each lane, and pushes the 16-bit
    /// results as a row.
    fn half_at(
        &mut self,
        f: FloatOp,
        format: HalfFormat,
        sources: [OperandSlot; 3],
        shift: i32,
    ) -> Result<(), BailoutReason> {
        let [_, x, y, z, ..] = self.names.vectors;
        for (source, row) in sources_of(f, sources).zip([x, y, z]) {
            self.read32(source)?;
            self.widen_half_float(format, shift);
            self.set(row);
        }
        self.emit_op(f, [x, y]);
        if matches!(f, FloatOp::Mul | FloatOp::Fma) && format == HalfFormat::Bf16 {
            self.bail_out_if_inexact(f, [x, y]);
        }
        if f == FloatOp::Fma {
            self.add_half_round_to_odd(z);
        }
        self.narrow_half_float(format);
        Ok(())
    }

    /// Widens the 16-bit floats that start at bit `shift` of each lane to `f32`. The row of 16-bit floats is on the
    /// stack. A NaN remains a NaN, but its payload may change.
    pub(crate) fn widen_half_float(&mut self, format: HalfFormat, shift: i32) {
        let [.., bits, magnitude] = self.names.vectors;
        if format == HalfFormat::Bf16 {
            return match shift {
                0 => self.ops([I::I32Const(16), I::I32x4Shl]),
                _ => self.ops([splat32(0xffff_0000), I::V128And]),
            };
        }
        if shift != 0 {
            self.ops([I::I32Const(shift), I::I32x4ShrU]);
        }
        self.tee(bits);
        self.ops([splat32(0x7fff), I::V128And]);
        self.tee(magnitude);
        // Adjust the exponent by a multiplication, because the multiplication also normalizes subnormal numbers.
        self.ops([I::I32Const(13), I::I32x4Shl]);
        self.ops([splat32(BETWEEN_EXPONENTS), I::F32x4Mul]);
        self.get(magnitude);
        self.ops([splat32(0x7bff), I::I32x4GtS]);
        self.ops([splat32(INFINITY), I::V128And, I::V128Or]);
        self.get(bits);
        self.ops([I::I32Const(16), I::I32x4Shl]);
        self.ops([splat32(SIGN), I::V128And, I::V128Or]);
    }

    /// Rounds `f32` numbers to the nearest 16-bit float, ties to even. The conversion of a NaN results in the canonical
    /// NaN.
    pub(crate) fn narrow_half_float(&mut self, format: HalfFormat) {
        let [.., bits, magnitude] = self.names.vectors;
        self.tee(bits);
        self.ops([splat32(!SIGN), I::V128And]);
        self.set(magnitude);
        match format {
            HalfFormat::F16 => {
                // An addition of 0.5 rounds subnormal results, because the ulp of the sum equals the ulp of subnormal
                // 16-bit floats.
                self.get(magnitude);
                self.ops([splat32(HALF_OF_ONE), I::F32x4Add]);
                self.ops([splat32(HALF_OF_ONE), I::I32x4Sub]);
                self.round_off(magnitude, 13);
                self.ops([splat32(112 << 23), I::I32x4Sub]);
                self.ops([I::I32Const(13), I::I32x4ShrU]);
                self.ops([splat32(0x7c00), I::I32x4MinU]);
                self.get(magnitude);
                self.ops([splat32(MIN_NORMAL_F16), I::I32x4LtS, I::V128Bitselect]);
            }
            HalfFormat::Bf16 => {
                self.round_off(magnitude, 16);
                self.ops([I::I32Const(16), I::I32x4ShrU]);
            }
        }
        self.get(bits);
        self.ops([I::I32Const(16), I::I32x4ShrU]);
        self.ops([splat32(0x8000), I::V128And, I::V128Or]);
        self.op(splat32(NAN_16));
        self.get(magnitude);
        self.ops([splat32(INFINITY), I::I32x4LeS, I::V128Bitselect]);
    }

    /// Pushes the bits of a magnitude plus a rounding increment, so that truncating the low `digits` bits rounds to
    /// nearest, ties to even.
    fn round_off(&mut self, magnitude: u32, digits: i32) {
        self.get_all([magnitude, magnitude]);
        self.ops([I::I32Const(digits), I::I32x4ShrU]);
        self.ops([splat32(1), I::V128And, I::I32x4Add]);
        self.ops([splat32((1 << (digits - 1)) - 1), I::I32x4Add]);
    }

    /// Bails out if the product on the stack is inexact in `f32`. The factors are `bf16` numbers in locals. The bailout
    /// does not apply to a product that overflows, unless the operation adds a number to the product.
    fn bail_out_if_inexact(&mut self, f: FloatOp, factors: [u32; 2]) {
        let products = self.names.vectors[0];
        let magnitude = [splat32(!SIGN), I::V128And];
        self.tee(products);
        self.get(products);
        self.ops(magnitude.clone());
        self.ops([splat32(SMALLEST_NORMAL), I::I32x4LtU]);
        for factor in factors {
            self.get(factor);
            self.ops([splat32(0), I::F32x4Ne, I::V128And]);
        }
        if f == FloatOp::Fma {
            self.get(products);
            self.ops(magnitude.clone());
            self.ops([splat32(INFINITY), I::I32x4Eq]);
            for factor in factors {
                self.get(factor);
                self.ops(magnitude.clone());
                self.ops([splat32(INFINITY), I::I32x4Ne, I::V128And]);
            }
            self.op(I::V128Or);
        }
        self.bail_out_if_any_lane(None);
    }

    /// Adds the number in a local to the number on the stack, and rounds the sum to odd.
    fn add_half_round_to_odd(&mut self, addend: u32) {
        let [product, sum, other, ..] = self.names.vectors;
        self.tee(product);
        self.get(addend);
        self.op(I::F32x4Add);
        self.tee(sum);
        // Compute the rounding error of the sum, which is exact.
        self.get(product);
        self.op(I::F32x4Sub);
        self.set(other);
        self.get_all([product, sum, other]);
        self.ops([I::F32x4Sub, I::F32x4Sub]);
        self.get_all([addend, other]);
        self.ops([I::F32x4Sub, I::F32x4Add]);
        self.set(other);
        self.get(sum);
        // Compute the direction of rounding to odd: away from zero or towards zero.
        self.get_all([other, sum]);
        self.ops([I::V128Xor, I::I32Const(31), I::I32x4ShrS]);
        self.ops([splat32(1), I::V128Or]);
        self.get(other);
        self.ops([splat32(0), I::F32x4Ne, I::V128And]);
        self.get(sum);
        self.ops([splat32(1), I::V128And, splat32(0), I::I32x4Eq, I::V128And]);
        self.get(sum);
        self.ops([splat32(!SIGN), I::V128And]);
        self.ops([splat32(INFINITY), I::I32x4LtS, I::V128And]);
        self.op(I::I32x4Add);
    }

    /// Emits `cvt` from a 16-bit float to `f32`. A `bf16` NaN keeps its bits.
    pub(crate) fn convert_half_to_float(
        &mut self,
        format: HalfFormat,
        d: OperandSlot,
        a: RegisterOperand,
    ) -> Result<(), BailoutReason> {
        self.read_element32(a)?;
        self.widen_half_float(format, 0);
        if format == HalfFormat::F16 {
            self.canonical();
        }
        self.write32(d);
        Ok(())
    }

    /// Emits `cvt` from two `f32` numbers to a packed pair of 16-bit floats. The upper half contains the converted
    /// first source operand `a`.
    pub(crate) fn convert_to_pair(
        &mut self,
        format: HalfFormat,
        [d, a, b]: [OperandSlot; 3],
    ) -> Result<(), BailoutReason> {
        self.read_any_nan(a)?;
        self.narrow_half_float(format);
        self.ops([I::I32Const(16), I::I32x4Shl]);
        self.read_any_nan(b)?;
        self.narrow_half_float(format);
        self.op(I::V128Or);
        self.write32(d);
        Ok(())
    }
}
