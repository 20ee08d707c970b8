//! Decoding of the floating-point operands of matrix products into values and exponents.

use warpgrid_isa::{FloatFormat, SpecialEncoding};

/// Floating-point format of an operand: number of exponent and fraction bits, and special encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) exponent_bits: u8,
    /// Number of significant fraction bits.
    pub(crate) fraction_bits: u8,
    /// Number of low bits that the hardware ignores (`tf32` in 32 bits).
    pub(crate) ignored_bits: u8,
    /// Meaning of the encodings whose exponent field has the largest value.
    pub(crate) top: SpecialEncoding,
}

const fn format(of: FloatFormat, ignored_bits: u8) -> Format {
    Format {
        exponent_bits: of.exponent_bits,
        fraction_bits: of.fraction_bits,
        ignored_bits,
        top: of.top,
    }
}

pub(crate) const F16: Format = format(FloatFormat::F16, 0);
pub(crate) const BF16: Format = format(FloatFormat::BF16, 0);
pub(crate) const TF32: Format = format(FloatFormat::TF32, 13);
pub(crate) const E5M2: Format = format(FloatFormat::E5M2, 0);
pub(crate) const E4M3: Format = format(FloatFormat::E4M3, 0);
pub(crate) const E3M2: Format = format(FloatFormat::E3M2, 0);
pub(crate) const E2M3: Format = format(FloatFormat::E2M3, 0);
/// `e2m1` number in the middle bits of a byte, as in the registers of `.kind::f8f6f4`.
pub(crate) const E2M1_OF_BYTE: Format = format(FloatFormat::E2M1, 2);
/// Format of the `f32` accumulator, whose significand is too wide for an [`UnpackedOperand`].
pub(crate) const F32: Format = format(FloatFormat::F32, 0);

/// Decoded element of A or B: its value (1 with a sign for an infinity, 0 for a NaN), and the exponent of its fraction.
/// Subnormal numbers have the smallest exponent, because the hardware does not normalize operands before the
/// multiplication. The `f32` value is exact for all operand formats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnpackedOperand {
    pub(crate) value: f32,
    pub(crate) exponent: i16,
}

/// Decoded elements as a structure of arrays, so that loops over them are vectorized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpackedOperands<const N: usize> {
    values: [f32; N],
    /// Exponents of the elements, including `power`.
    exponents: [i16; N],
    /// Exponent of the power of two by which all values are implicitly multiplied.
    power: i32,
}

impl<const N: usize> UnpackedOperands<N> {
    /// Decodes at most `N` elements.
    pub(crate) fn read(format: Format, bits: &[u64]) -> UnpackedOperands<N> {
        let mut operands = UnpackedOperands {
            values: [0.0; N],
            exponents: [ZERO; N],
            power: 0,
        };
        let places = operands.values.iter_mut().zip(&mut operands.exponents);
        for ((value, exponent), bits) in places.zip(bits) {
            let operand = format.operand(*bits as u32);
            (*value, *exponent) = (operand.value, operand.exponent);
        }
        operands
    }

    /// Multiplies all elements by 2^`exponent`. An `exponent` of `None` turns every element into a NaN.
    pub(crate) fn scale(&mut self, exponent: Option<i32>) {
        let Some(exponent) = exponent else {
            (self.values, self.exponents) = ([0.0; N], [SPECIAL; N]);
            return;
        };
        self.power += exponent;
        for own in &mut self.exponents {
            if !matches!(*own, SPECIAL | ZERO) {
                *own += exponent as i16;
            }
        }
    }

    /// Returns the first `n` elements.
    pub(crate) fn first(&self, n: usize) -> OperandSlice<'_> {
        let n = n.min(N);
        OperandSlice {
            values: &self.values[..n],
            exponents: &self.exponents[..n],
            power: self.power,
        }
    }
}

/// Decoded elements of A or B. Unlike [`UnpackedOperands`], the number of elements is determined at run time.
#[derive(Clone, Debug)]
pub(crate) struct UnpackedOperandVec {
    values: Vec<f32>,
    exponents: Vec<i16>,
}

impl UnpackedOperandVec {
    /// Decodes all `bits`.
    pub(crate) fn read(format: Format, bits: &[u64]) -> UnpackedOperandVec {
        let operands = bits.iter().map(|bits| format.operand(*bits as u32));
        let (values, exponents) = operands.map(|each| (each.value, each.exponent)).unzip();
        UnpackedOperandVec { values, exponents }
    }

    /// Returns all elements.
    pub(crate) fn all(&self) -> OperandSlice<'_> {
        OperandSlice {
            values: &self.values,
            exponents: &self.exponents,
            power: 0,
        }
    }
}

/// Slice of [`UnpackedOperands`] or [`UnpackedOperandVec`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandSlice<'a> {
    values: &'a [f32],
    exponents: &'a [i16],
    power: i32,
}

impl<'a> OperandSlice<'a> {
    /// Returns the number of elements.
    pub(crate) fn len(self) -> usize {
        self.values.len()
    }

    /// Returns consecutive chunks of `n` elements.
    pub(crate) fn chunks(self, n: usize) -> impl Iterator<Item = OperandSlice<'a>> {
        let values = self.values.chunks_exact(n);
        values
            .zip(self.exponents.chunks_exact(n))
            .map(move |(values, exponents)| OperandSlice {
                values,
                exponents,
                power: self.power,
            })
    }

    /// Returns the elements as consecutive blocks of `N` elements.
    pub(crate) fn blocks<const N: usize>(self) -> OperandBlocks<'a, N> {
        let (values, _) = self.values.as_chunks();
        let (exponents, _) = self.exponents.as_chunks();
        OperandBlocks {
            values,
            exponents,
            power: self.power,
        }
    }
}

/// Decoded elements of a row of A or a column of B, divided into blocks of `N` elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandBlocks<'a, const N: usize> {
    values: &'a [[f32; N]],
    exponents: &'a [[i16; N]],
    power: i32,
}

impl<'a, const N: usize> OperandBlocks<'a, N> {
    /// Returns every `step`-th block, starting with the block at index `first`.
    pub(crate) fn every(
        self,
        first: usize,
        step: usize,
    ) -> impl Iterator<Item = OperandBlock<'a, N>> {
        let values = self.values.get(first..).unwrap_or(&[]).iter().step_by(step);
        let exponents = self.exponents.get(first..).unwrap_or(&[]);
        values
            .zip(exponents.iter().step_by(step))
            .map(move |(values, exponents)| OperandBlock {
                values,
                exponents,
                power: self.power,
            })
    }
}

/// The `N` decoded elements of A or B that contribute to one fused sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandBlock<'a, const N: usize> {
    pub(crate) values: &'a [f32; N],
    pub(crate) exponents: &'a [i16; N],
    /// Exponent of the power of two by which all values are implicitly multiplied. The exponents already include this
    /// power.
    pub(crate) power: i32,
}

impl<const N: usize> OperandBlock<'_, N> {
    /// Returns the decoded elements of the block.
    pub(crate) fn operands(&self) -> impl Iterator<Item = UnpackedOperand> {
        let places = self.values.iter().zip(self.exponents);
        places.map(|(value, exponent)| UnpackedOperand {
            value: *value,
            exponent: *exponent,
        })
    }
}

/// Exponents that mark zeros, infinities and NaNs, outside of the exponent range of every format. The exponent of a
/// product then classifies the product without a test of each factor: an exponent of at least [`SPECIAL_PRODUCT`]
/// denotes an infinity or a NaN, and the exponent of a zero product is below the lower exponent bound of every rule.
const ZERO: i16 = -500;
const SPECIAL: i16 = 4000;
pub(crate) const SPECIAL_PRODUCT: i32 = 2000;

/// Returns 2^`exponent` as `f32`. The exponent must be within the normal range of `f32`.
#[inline(always)]
pub(crate) fn short_power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent).clamp(0, 254) as u32) << 23)
}

/// Returns 2^`exponent` as `f64`. The exponent must be within the normal range of `f64`.
#[cfg_attr(target_arch = "x86_64", inline(always))]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent).clamp(0, 2046) as u64) << 52)
}

/// Class of an [`UnpackedFloat`]: zero, finite, infinite or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatClass {
    Finite,
    Zero,
    Infinity,
    NotANumber,
}

/// Decoded number of any format with the value (-1)^`is_negative` * `significand` * 2^(`exponent` - fraction bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnpackedFloat {
    pub(crate) class: FloatClass,
    pub(crate) is_negative: bool,
    pub(crate) significand: u32,
    pub(crate) exponent: i32,
}

impl Format {
    /// Returns the format without the low bits that the hardware ignores.
    pub(crate) const fn plain(self) -> FloatFormat {
        FloatFormat {
            exponent_bits: self.exponent_bits,
            fraction_bits: self.fraction_bits,
            top: self.top,
        }
    }

    /// Decodes the bits of a number in this format.
    #[cfg_attr(target_arch = "x86_64", inline(always))]
    pub(crate) fn number(self, bits: u32) -> UnpackedFloat {
        let bits = bits >> self.ignored_bits;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let exponent_mask = (1u32 << self.exponent_bits) - 1;
        let exponent = (bits >> self.fraction_bits) & exponent_mask;
        let is_negative = (bits >> (self.fraction_bits + self.exponent_bits)) & 1 != 0;
        let is_top = exponent == exponent_mask;
        let is_all_ones = fraction == (1 << self.fraction_bits) - 1;
        let class = match (exponent, fraction, self.top) {
            (0, 0, _) => FloatClass::Zero,
            (_, 0, SpecialEncoding::Infinity) if is_top => FloatClass::Infinity,
            (_, _, SpecialEncoding::Infinity) if is_top => FloatClass::NotANumber,
            (_, _, SpecialEncoding::NotANumber) if is_top && is_all_ones => FloatClass::NotANumber,
            (
                _,
                _,
                SpecialEncoding::Infinity | SpecialEncoding::NotANumber | SpecialEncoding::Finite,
            ) => FloatClass::Finite,
        };
        let hidden = u32::from(exponent != 0) << self.fraction_bits;
        UnpackedFloat {
            class,
            is_negative,
            significand: fraction | hidden,
            exponent: exponent.max(1) as i32 - (exponent_mask >> 1) as i32,
        }
    }

    /// Decodes an element of A or B. Normal numbers are the most frequent case. For these numbers, a fast path shifts
    /// the fields to their positions in `f32`.
    #[inline(always)]
    pub(crate) fn operand(self, bits: u32) -> UnpackedOperand {
        let encoding = bits >> self.ignored_bits;
        let mask = (1u32 << self.exponent_bits) - 1;
        let exponent = (encoding >> self.fraction_bits) & mask;
        if !(1..mask).contains(&exponent) {
            return self.odd_operand(bits);
        }
        let sign = (encoding >> (self.fraction_bits + self.exponent_bits)) & 1;
        let fraction = encoding & ((1 << self.fraction_bits) - 1);
        let exponent = exponent as i32 - (mask >> 1) as i32;
        let word =
            sign << 31 | ((exponent + 127) as u32) << 23 | fraction << (23 - self.fraction_bits);
        UnpackedOperand {
            value: f32::from_bits(word),
            exponent: exponent as i16,
        }
    }

    /// Decodes a zero, a subnormal number, or an encoding with the largest exponent field.
    #[inline(never)]
    fn odd_operand(self, bits: u32) -> UnpackedOperand {
        let number = self.number(bits);
        let sign: f32 = if number.is_negative { -1.0 } else { 1.0 };
        match number.class {
            FloatClass::Finite => UnpackedOperand {
                // The product is exact, because an element has at most 11 significant bits and `f32` has the exponent
                // range of `bf16`.
                value: (f64::from(sign)
                    * f64::from(number.significand)
                    * power_of_two(number.exponent - i32::from(self.fraction_bits)))
                    as f32,
                exponent: number.exponent as i16,
            },
            FloatClass::Zero => UnpackedOperand {
                value: 0.0,
                exponent: ZERO,
            },
            FloatClass::Infinity => UnpackedOperand {
                value: sign,
                exponent: SPECIAL,
            },
            FloatClass::NotANumber => UnpackedOperand {
                value: 0.0,
                exponent: SPECIAL,
            },
        }
    }
}

impl UnpackedOperand {
    /// Returns the class of the number.
    pub(crate) fn class(self) -> FloatClass {
        match (self.exponent, self.value == 0.0) {
            (SPECIAL, true) => FloatClass::NotANumber,
            (SPECIAL, false) => FloatClass::Infinity,
            (_, true) => FloatClass::Zero,
            (_, false) => FloatClass::Finite,
        }
    }
}
