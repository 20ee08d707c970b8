//! Conversions to `tf32`, and conversions of packed pairs and quadruples of numbers with 16, 8, 6 or 4 bits (PTX ISA,
//! "cvt"). The results agree with the constant folding of the reference assembler (13.5), except for conversions with
//! random bits or scale factors. Conversions with random bits or scale factors follow the PTX ISA, because no hardware
//! results were available.

use crate::semantics::rounding::{
    ArithmeticMode, Conversion, DiscardedBits, FloatMode, RoundingMode,
};
use warpgrid_isa::{FloatFormat, ScalarType, Truncated};

/// Floating-point format of at most 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NarrowFloat {
    format: FloatFormat,
    /// Number of register bits that a number of this format occupies.
    held_bits: u32,
}

/// Format of each number of a packed pair or quadruple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PackedElement {
    Float(NarrowFloat),
    /// `ue8m0`: a byte `b` that encodes 2^(`b` - 127). The byte 255 encodes a NaN.
    Exponent,
    /// `s2f6`: a signed byte that represents a fixed-point number in units of 1/64.
    FixedPoint,
}

/// Returns the format of each packed number of a type. Returns `None` for types that are not floats of at most 16 bits.
fn half_of(ty: ScalarType) -> Option<PackedElement> {
    match ty {
        ScalarType::Ue8m0x2 => return Some(PackedElement::Exponent),
        ScalarType::S2f6x2 => return Some(PackedElement::FixedPoint),
        _ => {}
    }
    let n = match ty {
        ScalarType::F16 | ScalarType::Bf16 => 1,
        _ if is_pair(ty) => 2,
        _ if is_four(ty) => 4,
        _ => return None,
    };
    Some(PackedElement::Float(NarrowFloat {
        format: FloatFormat::of(ty)?,
        held_bits: ty.width_bits() / n,
    }))
}

/// Checks whether a type packs four floats in a register.
pub(crate) const fn is_four(ty: ScalarType) -> bool {
    use ScalarType as T;
    matches!(
        ty,
        T::E4m3x4 | T::E5m2x4 | T::E2m3x4 | T::E3m2x4 | T::E2m1x4
    )
}

/// Checks whether a type packs two numbers in a register.
pub(crate) const fn is_pair(ty: ScalarType) -> bool {
    use ScalarType as T;
    matches!(
        ty,
        T::F16x2
            | T::Bf16x2
            | T::E4m3x2
            | T::E5m2x2
            | T::E2m3x2
            | T::E3m2x2
            | T::E2m1x2
            | T::Ue8m0x2
            | T::S2f6x2
    )
}

/// Converts one value, or both numbers of a packed pair. Returns `None` for conversions that this module does not
/// implement.
pub(crate) fn convert(conversion: &Conversion, bits: u64) -> Option<u64> {
    let (from, to) = (conversion.from, conversion.to);
    if to == ScalarType::Tf32 {
        return Some(to_tf32(conversion, bits as u32).into());
    }
    if !is_pair(from) || !is_pair(to) {
        return None;
    }
    let (from, to) = (half_of(from)?, half_of(to)?);
    let rounding = RoundingParams::of(conversion);
    let (wide, close) = (from.held_bits(), to.held_bits());
    let one = |bits: u64| u64::from(to.pack(from.unpack(bits as u32), &rounding));
    Some(one(bits >> wide) << close | one(bits & ((1 << wide) - 1)))
}

/// Converts two `f32` numbers to a packed pair. The upper half of the pair contains the conversion of `a`.
pub(crate) fn convert_two(conversion: &Conversion, a: u32, b: u32) -> Option<u32> {
    let to = half_of(conversion.to)?;
    let rounding = RoundingParams::of(conversion);
    let one = |bits: u32| to.pack(f64::from(f32::from_bits(bits)), &rounding);
    Some(one(a) << to.held_bits() | one(b))
}

/// Converts `f32` to `f16` or `bf16` with the modifiers `.relu` and `.satfinite`.
pub(crate) fn convert_one(conversion: &Conversion, value: f64) -> Option<u32> {
    Some(half_of(conversion.to)?.pack(value, &RoundingParams::of(conversion)))
}

/// Kind of the additional operand of a conversion, which contains random bits or scale factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionOperand {
    /// `.rs`: random bits for stochastic rounding.
    Random,
    /// `.scaled::n2::ue8m0`: two scale factors, one for each number of a packed pair.
    Factors,
}

/// Converts two or four `f32` numbers, or a packed pair, with the additional operand `by`. The most significant bits of
/// the result contain the first number.
pub(crate) fn convert_by(
    conversion: &Conversion,
    sources: &[u32],
    beside: ConversionOperand,
    by: u32,
) -> Option<u32> {
    let to = half_of(conversion.to)?;
    let mut values = [0.0; 4];
    let n = match *sources {
        [pair] => {
            let from = half_of(conversion.from)?;
            values[0] = from.unpack(pair >> from.held_bits());
            values[1] = from.unpack(pair & ((1 << from.held_bits()) - 1));
            2
        }
        _ => {
            for (value, bits) in values.iter_mut().zip(sources) {
                *value = f64::from(f32::from_bits(*bits));
            }
            sources.len().min(values.len())
        }
    };
    let mut rounding = RoundingParams::of(conversion);
    let mut packed = 0;
    for (place, value) in values.iter().take(n).enumerate() {
        let value = match beside {
            ConversionOperand::Random => {
                rounding.random = Some(random_of(conversion.to, place, by));
                *value
            }
            ConversionOperand::Factors => {
                let factor = PackedElement::Exponent.unpack(if place == 0 { by >> 8 } else { by });
                match to {
                    PackedElement::FixedPoint => value / factor,
                    PackedElement::Float(_) | PackedElement::Exponent => value * factor,
                }
            }
        };
        packed = packed << to.held_bits() | to.pack(value, &rounding);
    }
    Some(packed)
}

/// Returns the random bits for the number with index `place` as a fraction of an ulp (PTX ISA, "cvt", the layouts of
/// `rbits`).
fn random_of(to: ScalarType, place: usize, by: u32) -> f64 {
    let (high, low) = (by >> 16, by & 0xffff);
    let (bits, n_bits) = match to {
        // Ignore the upper three bits of each half of `rbits` for `f16x2`.
        ScalarType::F16x2 if place == 0 => (high & 0x1fff, 13),
        ScalarType::F16x2 => (low & 0x1fff, 13),
        ScalarType::Bf16x2 if place == 0 => (high, 16),
        ScalarType::Bf16x2 => (low, 16),
        // The first two numbers use the upper bytes of both halves of `rbits`, and the last two numbers use the lower
        // bytes.
        ScalarType::E2m1x4 | ScalarType::E2m1x2 if place < 2 => (high & 0xff00 | low >> 8, 16),
        ScalarType::E2m1x4 => ((high & 0xff) << 8 | low & 0xff, 16),
        _ if place < 2 => (high, 16),
        _ => (low, 16),
    };
    f64::from(bits) / f64::from(1u32 << n_bits)
}

/// Rounding mode, modifiers and random bits of a conversion to a narrow format.
#[derive(Clone, Copy)]
struct RoundingParams {
    round: RoundingMode,
    mode: ArithmeticMode,
    /// `.rs`: fraction of an ulp that stochastic rounding adds to the discarded part of a number. If the sum is at
    /// least one ulp, the number is rounded up.
    random: Option<f64>,
}

impl RoundingParams {
    fn of(conversion: &Conversion) -> RoundingParams {
        RoundingParams {
            round: FloatMode::from(conversion.mode).round,
            mode: conversion.mode,
            random: None,
        }
    }
}

impl PackedElement {
    const fn held_bits(self) -> u32 {
        match self {
            PackedElement::Float(narrow) => narrow.held_bits,
            PackedElement::Exponent | PackedElement::FixedPoint => 8,
        }
    }

    fn unpack(self, bits: u32) -> f64 {
        match self {
            PackedElement::Float(narrow) => narrow.format.value(bits),
            PackedElement::Exponent if bits & 0xff == 0xff => f64::NAN,
            PackedElement::Exponent => power_of_two((bits & 0xff) as i32 - 127),
            PackedElement::FixedPoint => f64::from(bits as u8 as i8) / FIXED_UNITS,
        }
    }

    fn pack(self, value: f64, rounding: &RoundingParams) -> u32 {
        match self {
            PackedElement::Float(narrow) => pack(narrow.format, value, rounding),
            PackedElement::Exponent => pack_exponent(value.abs(), rounding.round),
            PackedElement::FixedPoint => pack_fixed_point(value, rounding),
        }
    }
}

/// Number of units of 1/64 that represent 1.0 in an `s2f6` number.
const FIXED_UNITS: f64 = 64.0;
/// Largest `s2f6` number in units of 1/64.
const LARGEST_FIXED: f64 = 127.0;

/// Converts a value to `s2f6`, a signed number in units of 1/64. An overflow is clamped to the largest magnitude with
/// the sign of the value. A NaN is converted to the largest positive number.
fn pack_fixed_point(value: f64, rounding: &RoundingParams) -> u32 {
    if value.is_nan() {
        return LARGEST_FIXED as u32;
    }
    let value = match rounding.mode.relu {
        true => value.max(0.0),
        false => value,
    };
    let units = value * FIXED_UNITS;
    let units = match rounding.round {
        RoundingMode::Zero => units.trunc(),
        _ => units.round_ties_even(),
    };
    let units = units.clamp(-LARGEST_FIXED, LARGEST_FIXED) as i8;
    u32::from(units as u8)
}

/// Returns 2 to the power of `exponent`, which must be within the normal range of `f64`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

/// Returns the unbiased exponent of a nonzero magnitude, or -1023 for subnormal `f64` numbers.
fn exponent_of(magnitude: f64) -> i32 {
    ((magnitude.to_bits() >> 52) as i32 & 0x7ff) - 1023
}

/// Converts a positive magnitude to `ue8m0` by rounding it down or up to a power of two. The exponent is clamped to the
/// range of `ue8m0`.
fn pack_exponent(magnitude: f64, round: RoundingMode) -> u32 {
    if magnitude.is_nan() {
        return 0xff;
    }
    if magnitude == 0.0 {
        return 0;
    }
    let exponent = exponent_of(magnitude);
    let is_up = round == RoundingMode::Up && magnitude != power_of_two(exponent);
    (exponent + 127 + i32::from(is_up)).clamp(0, 0xfe) as u32
}

fn pack(format: FloatFormat, value: f64, rounding: &RoundingParams) -> u32 {
    let RoundingParams {
        round,
        mode,
        random,
    } = *rounding;
    if value.is_nan() {
        return format.nan();
    }
    let is_negative = value.is_sign_negative();
    if mode.relu && is_negative {
        return 0;
    }
    let sign = if is_negative { format.sign() } else { 0 };
    // With rounding towards zero, an overflow results in the largest finite number.
    let is_cut = round == RoundingMode::Zero && random.is_none();
    let is_clamped = mode.satfinite || is_cut && value.is_finite();
    let beyond = match is_clamped {
        true => format.largest(),
        false => format.infinity(),
    };
    if value.is_infinite() {
        return sign | beyond;
    }
    let Truncated { bits, rest, unit } = format.cut(value.abs());
    let is_up = match random {
        Some(random) => rest as f64 / unit as f64 + random >= 1.0,
        None => round.is_up(
            DiscardedBits::of(rest, unit / 2),
            is_negative,
            bits & 1 != 0,
        ),
    };
    let bits = bits + u64::from(is_up);
    match bits > u64::from(format.largest()) {
        true => sign | beyond,
        false => sign | bits as u32,
    }
}

/// Mask of the low bits of a 32-bit register that `tf32` ignores.
const IGNORED: u32 = 0x1fff;

/// Converts `f32` to `tf32`. With `.rna`, the low bits of infinities and NaNs are truncated.
fn to_tf32(conversion: &Conversion, bits: u32) -> u32 {
    const EXPONENT: u32 = 0x7f80_0000;
    let mode = conversion.mode;
    let is_top = |bits: u32| bits & EXPONENT == EXPONENT;
    let round = FloatMode::from(mode).round;
    if round != RoundingMode::NearestAway && f32::from_bits(bits).is_nan() {
        return crate::semantics::softfloat::NAN_32;
    }
    if mode.relu && bits >> 31 != 0 {
        return 0;
    }
    let rest = DiscardedBits::of(bits & IGNORED, 1 << 12);
    let is_up = round.is_up(rest, bits >> 31 != 0, bits & (IGNORED + 1) != 0);
    let added = match is_up && !is_top(bits) {
        true => IGNORED + 1,
        false => 0,
    };
    let rounded = (bits & !IGNORED) + added;
    match mode.satfinite && is_top(rounded) {
        true => rounded - (IGNORED + 1),
        false => rounded,
    }
}

#[cfg(test)]
mod tests {
    use crate::semantics::narrow_float::{ConversionOperand, convert, convert_by, convert_two};
    use crate::semantics::rounding::{ArithmeticMode, Conversion};
    use warpgrid_isa::{Rounding, ScalarType};

    fn conversion(to: ScalarType, from: ScalarType, mode: ArithmeticMode) -> Conversion {
        Conversion { to, from, mode }
    }

    fn rounded(rounding: Rounding) -> ArithmeticMode {
        ArithmeticMode {
            rounding: Some(rounding),
            ..ArithmeticMode::default()
        }
    }

    fn clamped(rounding: Rounding) -> ArithmeticMode {
        ArithmeticMode {
            satfinite: true,
            ..rounded(rounding)
        }
    }

    #[test]
    fn packed_pair_conversion_rounds_and_saturates_each_element() {
        use ScalarType::{E2m1x2, E4m3x2, E5m2x2, F16x2, F32, Ue8m0x2};
        let two = |to, mode, a: f32, b: f32| {
            convert_two(&conversion(to, F32, mode), a.to_bits(), b.to_bits())
        };
        let nearest = clamped(Rounding::Rn);
        assert_eq!(two(E4m3x2, nearest, 1.0, 500.0), Some(0x387e));
        assert_eq!(two(E5m2x2, nearest, f32::NAN, -0.0), Some(0x7f80));
        // The conversion replaces infinity and NaN by the largest finite number.
        assert_eq!(
            two(E2m1x2, nearest, f32::NAN, f32::NEG_INFINITY),
            Some(0x7f)
        );
        assert_eq!(two(Ue8m0x2, clamped(Rounding::Rz), 3.0, 1.0), Some(0x807f));
        assert_eq!(two(Ue8m0x2, clamped(Rounding::Rp), 3.0, 1.0), Some(0x817f));
        // Rounding towards zero yields the largest finite number on overflow.
        assert_eq!(
            two(F16x2, rounded(Rounding::Rz), 1e9, 0.5),
            Some(0x7bff_3800)
        );
        let from = conversion(F16x2, E4m3x2, rounded(Rounding::Rn));
        assert_eq!(convert(&from, 0x7f08), Some(0x7fff_2400));
    }

    #[test]
    fn rs_conversion_rounds_up_according_to_random_bits() {
        use ScalarType::{Bf16x2, E2m1x4, E4m3x4, F16x2, F32};
        let by = |to, sources: &[f32], random| {
            let bits: Vec<u32> = sources.iter().map(|value| value.to_bits()).collect();
            let conversion = conversion(to, F32, clamped(Rounding::Rs));
            convert_by(&conversion, &bits, ConversionOperand::Random, random)
        };
        // The conversion rounds 1 plus a quarter of an ulp up if the random fraction is at least three quarters.
        let near = 1.0 + 1.0 / 4096.0;
        assert_eq!(by(F16x2, &[near, near], 0x17ff_1800), Some(0x3c00_3c01));
        // The conversion ignores bits above the 13 random bits.
        assert_eq!(by(F16x2, &[near, -near], 0xf7ff_f800), Some(0x3c00_bc01));
        // Exact numbers are independent of the random bits.
        assert_eq!(by(Bf16x2, &[1.0, -2.5], u32::MAX), Some(0x3f80_c020));
        let near = 1.0 + 1.0 / 256.0;
        assert_eq!(by(Bf16x2, &[near, near], 0x8000_7fff), Some(0x3f81_3f80));
        // The first two numbers use the upper half of the random bits, and the other numbers use the lower half.
        let near = 1.0625;
        let four = [near, -near, near, 1000.0];
        assert_eq!(by(E4m3x4, &four, 0x8000_7fff), Some(0x39b9_387e));
        assert_eq!(by(E4m3x4, &four, 0x7fff_8000), Some(0x38b8_397e));
        // The conversion uses the upper bytes of both halves for the first two numbers.
        let quarter = [1.125, 1.125, 1.125, f32::NAN];
        assert_eq!(by(E2m1x4, &quarter, 0xbfc0_ff00), Some(0x2237));
        assert_eq!(by(E2m1x4, &quarter, 0xc0bf_00ff), Some(0x3327));
    }

    #[test]
    fn s2f6_conversion_scales_rounds_and_saturates() {
        use ScalarType::{Bf16x2, F32, S2f6x2};
        let nearest = clamped(Rounding::Rn);
        let to = conversion(S2f6x2, F32, nearest);
        let two = |a: f32, b: f32| convert_two(&to, a.to_bits(), b.to_bits());
        assert_eq!(two(0.5, -0.5), Some(0x20e0));
        assert_eq!(two(5.0, -5.0), Some(0x7f81));
        // Ties to even.
        assert_eq!(two(2.5 / 64.0, f32::NAN), Some(0x027f));
        let scaled = |sources: &[f32], factors| {
            let bits: Vec<u32> = sources.iter().map(|value| value.to_bits()).collect();
            convert_by(&to, &bits, ConversionOperand::Factors, factors)
        };
        // The scale factor is 2^1 for the first number, and 2^-1 for the second number.
        assert_eq!(scaled(&[1.0, 0.25], 0x807e), Some(0x2020));
        assert_eq!(scaled(&[1.0, 1.0], 0xff7f), Some(0x7f40));
        let from = conversion(Bf16x2, S2f6x2, nearest);
        assert_eq!(convert(&from, 0x20e0), Some(0x3f00_bf00));
        let up = convert_by(&from, &[0x20e0], ConversionOperand::Factors, 0x807e);
        assert_eq!(up, Some(0x3f80_be80));
    }

    #[test]
    fn narrow_floats_are_scaled_before_conversion_to_bf16() {
        use ScalarType::{Bf16x2, E2m1x2, E4m3x2};
        let scaled = |from, pair, factors| {
            let conversion = conversion(Bf16x2, from, rounded(Rounding::Rn));
            convert_by(&conversion, &[pair], ConversionOperand::Factors, factors)
        };
        // Both numbers are 1. The scale factors are 2^1 for the upper number and 2^-1 for the lower number.
        assert_eq!(scaled(E4m3x2, 0x3838, 0x807e), Some(0x4000_3f00));
        assert_eq!(scaled(E2m1x2, 0x22, 0x807e), Some(0x4000_3f00));
    }

    #[test]
    fn tf32_conversion_applies_rounding_satfinite_and_relu() {
        use ScalarType::{F32, Tf32};
        let away = conversion(Tf32, F32, rounded(Rounding::Rna));
        assert_eq!(convert(&away, 0x3f80_1000), Some(0x3f80_2000));
        assert_eq!(convert(&away, 0x7fbf_ffff), Some(0x7fbf_e000));
        let finite = conversion(Tf32, F32, clamped(Rounding::Rna));
        assert_eq!(convert(&finite, 0x7f7f_ffff), Some(0x7f7f_e000));
        let relu = ArithmeticMode {
            relu: true,
            ..rounded(Rounding::Rz)
        };
        assert_eq!(convert(&conversion(Tf32, F32, relu), 0xbf80_0000), Some(0));
    }
}
