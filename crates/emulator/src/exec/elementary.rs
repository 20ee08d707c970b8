//! Elementary functions from basic operations only, so that every host computes the same bits: exponential, logarithm,
//! sine, cosine, hyperbolic tangent. They have no branches (but for the reduction of huge angles), so that a loop over
//! lanes becomes vectors. In: f64; out: f64 to 45 bits or more, to be narrowed.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, SQRT_2};

/// Added to a number below 2^51 in magnitude it leaves no bits for a fraction: the low bits are the nearest integer.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// 1/1! to 1/13!
const EXPONENTIAL: [f64; 13] = [
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// `1 / (n * (n + 1))` for every other `n` from `first` on: what turns a term of the series of sine and cosine into the
/// next. In tables, since a loop would divide each time.
const fn reciprocals(first: u32) -> [f64; 9] {
    let mut values = [0.0; 9];
    let mut i = 0;
    while i < 9 {
        let n = (first + 2 * i as u32) as f64;
        values[i] = 1.0 / (n * (n + 1.0));
        i += 1;
    }
    values
}

const SINE: [f64; 9] = reciprocals(2);
const COSINE: [f64; 9] = reciprocals(1);

/// 1 to 1/21, of odd numbers: the series of the hyperbolic arc tangent.
const ODD: [f64; 11] = {
    let mut values = [0.0; 11];
    let mut i = 0;
    while i < 11 {
        values[i] = 1.0 / (2 * i + 1) as f64;
        i += 1;
    }
    values
};

/// 2^x to about 50 bits; below 2^-1000 zero, beyond 2^1000 infinity.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    let limited = if x > 1001.0 { 1001.0 } else { x };
    let limited = if limited < -1001.0 { -1001.0 } else { limited };
    let shifted = limited + TO_INTEGER;
    // The exponential series; |t| < 0.35, so 13 terms reach 2^-53.
    let t = (limited - (shifted - TO_INTEGER)) * LN_2;
    let mut sum = 0.0;
    for term in EXPONENTIAL.iter().rev() {
        sum = (sum + term) * t;
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let result = (1.0 + sum) * power;
    let result = if x > 1000.0 { f64::INFINITY } else { result };
    if x < -1000.0 { 0.0 } else { result }
}

/// The logarithm to base 2, to about 50 bits; a subnormal f64 counts as zero.
#[inline(always)]
pub(crate) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let fraction = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    // The exponent's bits below those of 2^52 are 2^52 plus the exponent.
    let exponent = f64::from_bits((0x433 << 52) | (bits >> 52)) - 4_503_599_627_371_519.0;
    let halve = fraction > SQRT_2;
    let fraction = if halve { fraction * 0.5 } else { fraction };
    let exponent = if halve { exponent + 1.0 } else { exponent };
    // ln m = 2 artanh((m-1)/(m+1)); the argument is below 0.172.
    let z = (fraction - 1.0) / (fraction + 1.0);
    let z2 = z * z;
    let mut sum = 0.0;
    for term in ODD.iter().rev() {
        sum = sum * z2 + term;
    }
    let result = exponent + 2.0 * z * sum * LOG2_E;
    let result = if x < f64::MIN_POSITIVE {
        f64::NEG_INFINITY
    } else {
        result
    };
    let result = if x == f64::INFINITY { x } else { result };
    if x < 0.0 || x.is_nan() {
        f64::NAN
    } else {
        result
    }
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
    let mut sine = 1.0;
    let mut cosine = 1.0;
    for (s, c) in SINE.iter().zip(&COSINE).rev() {
        sine = 1.0 - sine * t2 * s;
        cosine = 1.0 - cosine * t2 * c;
    }
    let sine = sine * t;
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
    let size = if size > 20.0 { 20.0 } else { size };
    let e = exp2(2.0 * size * LOG2_E);
    let large = (e - 1.0) / (e + 1.0);
    let small = size - size * size * size * (1.0 / 3.0);
    (if size < 1e-3 { small } else { large }).copysign(x)
}
