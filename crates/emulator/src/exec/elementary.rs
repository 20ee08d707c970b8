//! Elementary functions from basic operations only, so that every host computes the same bits: exponential, logarithm,
//! sine, cosine, hyperbolic tangent. They have no branches (but for the reduction of huge angles), so that a loop over
//! lanes becomes vectors. In: f64; out: f64 to 45 bits or more, to be narrowed.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E};

/// Added to a number below 2^51 in magnitude it leaves no bits for a fraction: the low bits are the nearest integer.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// `(2^t - 1) / t` for |t| up to 1/2, off by less than 2^-50: interpolated at the nodes of Chebyshev's polynomial, as are
/// the tables below.
const POWER: [f64; 10] = [
    0.693_147_180_559_946_2,
    0.240_226_506_959_100_75,
    0.055_504_108_664_654_15,
    0.009_618_129_107_618_658,
    0.001_333_355_820_082_724,
    0.000_154_035_304_247_953_8,
    1.525_267_290_047_53e-5,
    1.321_545_161_914_660_7e-6,
    1.020_591_098_488_986_2e-7,
    7.070_981_083_365_768e-9,
];

/// `(sin t / t - 1) / t^2` over t^2, for angles up to an eighth of a turn, off by less than 2^-55.
const SINE: [f64; 6] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_330_946,
    -0.000_198_412_698_367_549_7,
    2.755_731_610_068_303e-6,
    -2.505_113_145_542_795e-8,
    1.591_810_123_027_412e-10,
];

/// `(cos t - 1 + t^2 / 2) / t^4` over t^2, for the same angles, off by less than 2^-50.
const COSINE: [f64; 5] = [
    0.041_666_666_666_664_68,
    -0.001_388_888_888_727_605_6,
    2.480_158_520_973_839_7e-5,
    -2.755_636_931_675_049e-7,
    2.070_056_539_736_993e-9,
];

/// `(artanh z / z - 1) / z^2` over z^2, for |z| up to 0.172, off by less than 2^-50.
const ARTANH: [f64; 6] = [
    0.333_333_333_333_310_2,
    0.200_000_000_056_455_7,
    0.142_857_120_557_336_51,
    0.111_114_326_004_363_01,
    0.090_700_331_060_335_27,
    0.083_118_717_534_919_99,
];

/// The bits of the square root of 1/2.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// A polynomial with an even number of coefficients, in pairs: half as long a chain of operations as one after the other. Written out and
/// not a loop, because builds for size leave small loops as they are, and of a loop around another one the compiler makes no vectors.
macro_rules! in_pairs {
    ($x:ident, $x2:ident; $low:ident $high:ident) => {
        $low + $high * $x
    };
    ($x:ident, $x2:ident; $low:ident $high:ident $($rest:ident)+) => {
        in_pairs!($x, $x2; $($rest)+) * $x2 + ($low + $high * $x)
    };
}

/// 2^x to about 50 bits; below 2^-1000 zero, beyond 2^1000 infinity.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let limited = if x > 1001.0 { 1001.0 } else { x };
    let limited = if limited < -1001.0 { -1001.0 } else { limited };
    let result = exp2_near(limited);
    let result = if x > 1000.0 { f64::INFINITY } else { result };
    if x < -1000.0 { 0.0 } else { result }
}

/// The same for powers from -1001 to 1001.
#[inline(always)]
pub(crate) fn exp2_near(x: f64) -> f64 {
    let (fraction, power) = power_of_two(x);
    (1.0 + fraction) * power
}

/// 2^x as `(1 + fraction) * power`, where the power is that of an integer.
#[inline(always)]
fn power_of_two(x: f64) -> (f64, f64) {
    let shifted = x + TO_INTEGER;
    let t = x - (shifted - TO_INTEGER);
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let [a, b, c, d, e, f, g, h, i, j] = POWER;
    let t2 = t * t;
    (in_pairs!(t, t2; a b c d e f g h i j) * t, power)
}

/// The logarithm to base 2, to about 50 bits; a subnormal f64 counts as zero.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    if x < 0.0 || x.is_nan() {
        f64::NAN
    } else if x < f64::MIN_POSITIVE {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        x
    } else {
        log2_near(x)
    }
}

/// The same of a positive normal number.
#[inline(always)]
pub(crate) fn log2_near(x: f64) -> f64 {
    // Moved up so far that the exponent's bits change at the square root of 2.
    let moved = x.to_bits().wrapping_add((1023 << 52) - ROOT_HALF);
    let fraction = f64::from_bits((moved & ((1 << 52) - 1)) + ROOT_HALF);
    // The exponent's bits below those of 2^52 are 2^52 plus the exponent.
    let exponent = f64::from_bits((0x433 << 52) | (moved >> 52)) - 4_503_599_627_371_519.0;
    // ln m = 2 artanh((m-1)/(m+1)); the argument is below 0.172.
    let z = (fraction - 1.0) / (fraction + 1.0);
    let z2 = z * z;
    let z4 = z2 * z2;
    let [a, b, c, d, e, f] = ARTANH;
    exponent + (z + z * z2 * in_pairs!(z2, z4; a b c d e f)) * (2.0 * LOG2_E)
}

/// Beyond it the reduction of [`sin_cos`] loses bits.
pub(crate) const LARGEST_ANGLE: f64 = 524_288.0;

/// Sine and cosine, off by less than 2^-45 for angles up to [`LARGEST_ANGLE`].
#[inline(always)]
pub(crate) fn sin_cos_near(x: f64) -> (f64, f64) {
    // A quarter turn in two parts, the first short enough that its multiples are exact.
    const HIGH: f64 = 1.570_796_326_734_125_6;
    const LOW: f64 = 6.077_100_506_506_192e-11;
    let shifted = x * FRAC_2_PI + TO_INTEGER;
    let quarter = shifted - TO_INTEGER;
    let t = (x - quarter * HIGH) - quarter * LOW;
    turned(t, shifted.to_bits())
}

/// Sine and cosine of `t` and a number of quarter turns, of which the two low bits count.
#[inline(always)]
fn turned(t: f64, quarters: u64) -> (f64, f64) {
    let t2 = t * t;
    let t4 = t2 * t2;
    let [a, b, c, d, e, f] = SINE;
    let sine = t * (1.0 + t2 * in_pairs!(t2, t4; a b c d e f));
    let [first, a, b, c, d] = COSINE;
    let cosine = 1.0 - t2 * 0.5 + t4 * (first + t2 * in_pairs!(t2, t4; a b c d));
    let odd = quarters & 1 != 0;
    let (s, c) = if odd { (cosine, sine) } else { (sine, cosine) };
    let signed = |value: f64, negative: u64| f64::from_bits(value.to_bits() ^ (negative & 1) << 63);
    (signed(s, quarters >> 1), signed(c, (quarters + 1) >> 1))
}

/// Sine and cosine of any angle that an f32 can be.
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        (f64::NAN, f64::NAN)
    } else if x.abs() <= LARGEST_ANGLE {
        sin_cos_near(x)
    } else {
        sin_cos_far(x)
    }
}

/// Two zero words, then the binary fraction of 2/pi.
const TWO_OVER_PI: [u32; 10] = [
    0,
    0,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
];

/// By the method of Payne and Hanek: of x * 2/pi only the bits around the point are made, 128 of them. What lies
/// left of the window would be whole turns.
#[inline(never)]
fn sin_cos_far(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let start = (exponent - 2 + 64).max(0) as usize;
    let word = |i: usize| u128::from(TWO_OVER_PI.get(start / 32 + i).copied().unwrap_or(0));
    let high = word(0) << 96 | word(1) << 64 | word(2) << 32 | word(3);
    let shift = start as u32 % 32;
    let window = high << shift | (word(4) << shift >> 32);
    // In quarter turns, 126 bits of it after the point.
    let turns = mantissa.wrapping_mul(window);
    let quarters = (turns >> 126) + (turns >> 125 & 1);
    let rest = turns.wrapping_sub(quarters << 126) as i128;
    let t = rest as f64 * (FRAC_PI_2 / 85_070_591_730_234_615_865_843_651_857_942_052_864.0);
    let (sine, cosine) = turned(t, quarters as u64);
    (if x < 0.0 { -sine } else { sine }, cosine)
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let size = x.abs();
    let size = if LARGEST_TANH < size {
        LARGEST_TANH
    } else {
        size
    };
    tanh_near(size).copysign(x)
}

/// From here on the hyperbolic tangent is 1.
pub(crate) const LARGEST_TANH: f64 = 20.0;

/// The hyperbolic tangent of a number from 0 to [`LARGEST_TANH`].
#[inline(always)]
pub(crate) fn tanh_near(x: f64) -> f64 {
    let (fraction, power) = power_of_two(x * (2.0 * LOG2_E));
    // e^2x - 1, without a loss for small numbers.
    let less_one = fraction * power + (power - 1.0);
    less_one / (less_one + 2.0)
}
