//! Conversions of `tf32` and of floats that come in pairs, of 16, 8, 6 and 4 bits (PTX ISA, "cvt"). In: bits and the
//! conversion; out: bits. All agree with results of the reference assembler's own folding of constants (13.5).

use crate::exec::mode::{Conversion, FloatMode, Round};
use warpgrid_isa::{FloatFormat, FloatTop, ScalarType};

/// A float of at most 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Narrow {
    exponent_bits: u32,
    fraction_bits: u32,
    top: FloatTop,
    /// Bits that it takes in a register.
    held_bits: u32,
}

/// One half of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Float(Narrow),
    /// `ue8m0`: 2 to the power of the byte minus 127; 255 is NaN.
    Exponent,
}

/// The format of each half; none for types that are no pairs of floats.
fn half_of(ty: ScalarType) -> Option<Half> {
    if ty == ScalarType::Ue8m0x2 {
        return Some(Half::Exponent);
    }
    let is_one = matches!(ty, ScalarType::F16 | ScalarType::Bf16);
    if !is_one && !is_pair(ty) {
        return None;
    }
    let format = FloatFormat::of(ty)?;
    Some(Half::Float(Narrow {
        exponent_bits: format.exponent_bits.into(),
        fraction_bits: format.fraction_bits.into(),
        top: format.top,
        held_bits: if is_one {
            ty.width_bits()
        } else {
            ty.width_bits() / 2
        },
    }))
}

/// Whether a type is two floats in a register.
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
    )
}

/// Converts a value, or both halves of a pair; none for other conversions.
pub(crate) fn convert(conversion: &Conversion, bits: u64) -> Option<u64> {
    let (from, to) = (conversion.from, conversion.to);
    if to == ScalarType::Tf32 {
        return Some(to_tf32(conversion, bits as u32).into());
    }
    if !is_pair(from) || !is_pair(to) {
        return None;
    }
    let (from, to) = (half_of(from)?, half_of(to)?);
    let (wide, close) = (from.held_bits(), to.held_bits());
    let one = |bits: u64| u64::from(to.pack(from.unpack(bits as u32), conversion));
    Some(one(bits >> wide) << close | one(bits & ((1 << wide) - 1)))
}

/// Two `f32` to a pair, a in the high half.
pub(crate) fn convert_two(conversion: &Conversion, a: u32, b: u32) -> Option<u32> {
    let to = half_of(conversion.to)?;
    let one = |bits: u32| to.pack(f64::from(f32::from_bits(bits)), conversion);
    Some(one(a) << to.held_bits() | one(b))
}

/// `f32` to `f16` or `bf16` with modifiers that only they have: `.relu`, `.satfinite`.
pub(crate) fn convert_one(conversion: &Conversion, value: f64) -> Option<u32> {
    Some(half_of(conversion.to)?.pack(value, conversion))
}

impl Half {
    const fn held_bits(self) -> u32 {
        match self {
            Half::Float(format) => format.held_bits,
            Half::Exponent => 8,
        }
    }

    fn unpack(self, bits: u32) -> f64 {
        match self {
            Half::Float(format) => format.unpack(bits),
            Half::Exponent if bits & 0xff == 0xff => f64::NAN,
            Half::Exponent => power_of_two((bits & 0xff) as i32 - 127),
        }
    }

    fn pack(self, value: f64, conversion: &Conversion) -> u32 {
        let round = FloatMode::from(conversion.mode).round;
        match self {
            Half::Float(format) => format.pack(value, round, conversion),
            Half::Exponent => pack_exponent(value.abs(), round),
        }
    }
}

/// 2 to a power in the normal range of `f64`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

/// The exponent of a magnitude that is not zero; below the normal range of `f64`, that of its smallest normal number.
fn exponent_of(magnitude: f64) -> i32 {
    ((magnitude.to_bits() >> 52) as i32 & 0x7ff) - 1023
}

/// The exponent alone, down or up; what is beyond the range becomes the nearest end of it.
fn pack_exponent(magnitude: f64, round: Round) -> u32 {
    if magnitude.is_nan() {
        return 0xff;
    }
    if magnitude == 0.0 {
        return 0;
    }
    let exponent = exponent_of(magnitude);
    let is_up = round == Round::Up && magnitude != power_of_two(exponent);
    (exponent + 127 + i32::from(is_up)).clamp(0, 0xfe) as u32
}

impl Narrow {
    const fn sign(self) -> u32 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Where infinity is, or would be.
    const fn infinity(self) -> u32 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    const fn largest(self) -> u32 {
        match self.top {
            FloatTop::Infinity => self.infinity() - 1,
            FloatTop::NotANumber => self.sign() - 2,
            FloatTop::Finite => self.sign() - 1,
        }
    }

    fn unpack(self, bits: u32) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let exponent = (magnitude >> self.fraction_bits) as i32;
        let fraction = f64::from(magnitude & ((1 << self.fraction_bits) - 1));
        let whole = f64::from(1u32 << self.fraction_bits);
        let value = match self.top {
            FloatTop::Infinity if magnitude == self.infinity() => f64::INFINITY,
            FloatTop::Infinity if magnitude > self.infinity() => f64::NAN,
            FloatTop::NotANumber if magnitude == self.sign() - 1 => f64::NAN,
            _ if exponent == 0 => fraction / whole * power_of_two(1 - self.bias()),
            _ => (1.0 + fraction / whole) * power_of_two(exponent - self.bias()),
        };
        match bits & self.sign() {
            0 => value,
            _ => -value,
        }
    }

    fn pack(self, value: f64, round: Round, conversion: &Conversion) -> u32 {
        let mode = conversion.mode;
        if value.is_nan() {
            return match self.top {
                FloatTop::Infinity | FloatTop::NotANumber => self.sign() - 1,
                FloatTop::Finite => self.largest(),
            };
        }
        if mode.relu && value.is_sign_negative() {
            return 0;
        }
        let sign = if value.is_sign_negative() {
            self.sign()
        } else {
            0
        };
        // Where the format ends, rounding towards zero stops as well.
        let is_clamped = mode.satfinite || round == Round::Zero && value.is_finite();
        let beyond = if is_clamped {
            self.largest()
        } else {
            self.infinity()
        };
        if value.is_infinite() {
            return sign | beyond;
        }
        let magnitude = value.abs();
        let exponent = exponent_of(magnitude).max(1 - self.bias());
        let scaled = magnitude * power_of_two(self.fraction_bits as i32 - exponent);
        let (whole, rest) = (scaled.floor(), scaled.fract());
        let is_odd = whole as u32 & 1 != 0;
        let is_up = match round {
            Round::Nearest | Round::Approximate => rest > 0.5 || rest == 0.5 && is_odd,
            Round::NearestAway => rest >= 0.5,
            Round::Zero => false,
            Round::Down => rest > 0.0 && sign != 0,
            Round::Up => rest > 0.0 && sign == 0,
        };
        let base = ((exponent + self.bias() - 1) as u32) << self.fraction_bits;
        let bits = base + whole as u32 + u32::from(is_up);
        sign | if bits > self.largest() { beyond } else { bits }
    }
}

/// The low bits of a `tf32` in its 32.
const IGNORED: u32 = 0x1fff;

/// `f32` to `tf32`. Rounding to nearest with ties away adds half a unit to the bits, which leaves infinities and NaN cut.
fn to_tf32(conversion: &Conversion, bits: u32) -> u32 {
    const EXPONENT: u32 = 0x7f80_0000;
    let mode = conversion.mode;
    let is_top = |bits: u32| bits & EXPONENT == EXPONENT;
    let round = FloatMode::from(mode).round;
    if round != Round::NearestAway && f32::from_bits(bits).is_nan() {
        return crate::exec::soft::NAN_32;
    }
    if mode.relu && bits >> 31 != 0 {
        return 0;
    }
    let added = match round {
        _ if is_top(bits) => 0,
        Round::NearestAway => 0x1000,
        Round::Nearest | Round::Approximate => 0xfff + (bits >> 13 & 1),
        Round::Zero | Round::Down | Round::Up => 0,
    };
    let rounded = (bits + added) & !IGNORED;
    match mode.satfinite && is_top(rounded) {
        true => rounded - (IGNORED + 1),
        false => rounded,
    }
}

#[cfg(test)]
mod tests {
    use super::{convert, convert_two};
    use crate::exec::mode::{ArithmeticMode, Conversion};
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
    fn pairs_are_rounded_and_clamped_half_by_half() {
        use ScalarType::{E2m1x2, E4m3x2, E5m2x2, F16x2, F32, Ue8m0x2};
        let two = |to, mode, a: f32, b: f32| {
            convert_two(&conversion(to, F32, mode), a.to_bits(), b.to_bits())
        };
        let nearest = clamped(Rounding::Rn);
        assert_eq!(two(E4m3x2, nearest, 1.0, 500.0), Some(0x387e));
        assert_eq!(two(E5m2x2, nearest, f32::NAN, -0.0), Some(0x7f80));
        // Neither infinity nor NaN: the largest number takes the place of both.
        assert_eq!(
            two(E2m1x2, nearest, f32::NAN, f32::NEG_INFINITY),
            Some(0x7f)
        );
        assert_eq!(two(Ue8m0x2, clamped(Rounding::Rz), 3.0, 1.0), Some(0x807f));
        assert_eq!(two(Ue8m0x2, clamped(Rounding::Rp), 3.0, 1.0), Some(0x817f));
        // Rounding towards zero stops at the largest number.
        assert_eq!(
            two(F16x2, rounded(Rounding::Rz), 1e9, 0.5),
            Some(0x7bff_3800)
        );
        let from = conversion(F16x2, E4m3x2, rounded(Rounding::Rn));
        assert_eq!(convert(&from, 0x7f08), Some(0x7fff_2400));
    }

    #[test]
    fn tf32_rounds_its_bits() {
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
