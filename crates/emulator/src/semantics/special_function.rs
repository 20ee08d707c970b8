//! Bit-exact model of the special function unit, which executes `.approx` and `.full` instructions of `f32`, 16-bit
//! floats and `f64`, and `MUFU`.
//!
//! The upper fraction bits of an argument select an interval. The next 17 bits are the argument x of the polynomial
//! `c0 + c1 x + c2 x^2`. The computation of x^2 omits the partial products of two bits whose weight is below 2^19. Results
//! are truncated, never rounded. This algorithm and the coefficients (`special_function_tables.rs`) were derived from
//! the results of an H100 for all arguments of the reduced ranges. The functions scale arguments and results as the
//! code does that assembler 13.5 generates for each instruction.

use crate::semantics::registers::{LANES, Row32};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use crate::semantics::softfloat::NAN_32;
use crate::semantics::special_function_tables as tables;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
/// Number of fraction bits of `f32`.
const FRACTION_BITS: u32 = 23;
const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
/// Exponent bias of `f32`.
const BIAS: i32 = 127;
/// 2^24, the factor by which the assembler scales subnormal arguments.
const SCALE: f32 = 16_777_216.0;
/// 1 / (2 pi), with the bits of the constant in the code that the assembler generates.
pub const TURNS: f32 = 0.159_154_94;

/// Computes a value for each lane in a plain loop, which the compiler vectorizes at each call site.
#[inline(always)]
fn lanes<T: Copy + Default, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut row = [T::default(); N];
    for (lane, place) in row.iter_mut().enumerate() {
        *place = of(lane);
    }
    row
}

/// Polynomial coefficients of a special function for all intervals.
pub(crate) struct CoefficientTable {
    /// Number of upper fraction bits that select the interval, which is a row of the table.
    pub(crate) index_bits: u32,
    /// Scale factor of the stored c0: c0 is the value in the row times `step`, plus `start`, in units of 2^-17 ulp.
    pub(crate) step: f64,
    pub(crate) start: f64,
    pub(crate) rows: &'static [[i32; 3]],
}

impl CoefficientTable {
    /// Evaluates the polynomial for each fraction. The unit of the results is 2^-17 ulp.
    #[inline(always)]
    fn at<const N: usize>(&self, fractions: [u32; N]) -> [f64; N] {
        let above = FRACTION_BITS - self.index_bits;
        let rows = Coefficients::gather(self.rows, lanes(|lane| fractions[lane] >> above));
        let x = lanes(|lane| place(fractions[lane], self.index_bits));
        rows.sums([self.step, self.start], x)
    }

    /// Evaluates the polynomial for each fraction, and truncates the results to whole ulps.
    #[inline(always)]
    fn digits<const N: usize>(&self, fractions: [u32; N]) -> [u32; N] {
        let values = self.at(fractions);
        lanes(|lane| (whole(values[lane]) >> 17) as u32)
    }
}

/// Returns the polynomial argument x: the 17 fraction bits below the bits that select the row.
#[inline(always)]
fn place(fraction: u32, index_bits: u32) -> u32 {
    (fraction << index_bits & FRACTION) >> 6
}

/// Polynomial coefficients of each lane, with one array per coefficient, so that the polynomials of several lanes are
/// evaluated with vector instructions.
struct Coefficients<const N: usize>([[i32; N]; 3]);

impl<const N: usize> Coefficients<N> {
    #[inline(always)]
    fn gather(rows: &[[i32; 3]], indices: [u32; N]) -> Coefficients<N> {
        let mut columns = [[0; N]; 3];
        for (lane, index) in indices.into_iter().enumerate() {
            if let Some(row) = rows.get(index as usize) {
                columns[0][lane] = row[0];
                columns[1][lane] = row[1];
                columns[2][lane] = row[2];
            }
        }
        Coefficients(columns)
    }

    /// Computes c0 + c1 x + c2 x^2 in units of 2^-17 ulp. The results are integers below 2^42, which are exact in
    /// `f64`.
    #[inline(always)]
    fn sums(self, [step, start]: [f64; 2], x: [u32; N]) -> [f64; N] {
        let Coefficients([c0, c1, c2]) = self;
        lanes(|lane| {
            let c0 = f64::from(c0[lane]) * step + start;
            let square = f64::from((square(x[lane]) << 2) as i32);
            c0 + f64::from(c1[lane]) * f64::from(x[lane] as i32) + f64::from(c2[lane]) * square
        })
    }
}

/// Computes x^2 in units of 2^19, without partial products of lower weight. Of the products of bits 10 to 16 with
/// bits 2 to 8, each of which occurs twice in x^2, the sum includes only products whose bit indices add up to 18 or
/// more. The sum consists of products of bit groups and four products of single bits.
#[inline(always)]
fn square(x: u32) -> u32 {
    let high = x >> 9;
    let single = |apart: u32, low: u32| (x & x >> apart) >> low & 1;
    ((high * high) >> 1)
        + (x >> 13) * (x >> 5 & 15)
        + (x >> 11 & 3) * (x >> 7 & 3)
        + (x >> 15) * (x >> 3 & 3)
        + single(2, 8)
        + single(6, 6)
        + single(10, 4)
        + single(14, 2)
}

/// 2^52. The sum of a nonnegative integer and this number contains the integer in its low significand bits.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// Converts a float that represents a nonnegative integer below 2^52 to this integer.
#[inline(always)]
fn whole(value: f64) -> u64 {
    (value + WHOLE).to_bits() & ((1 << 52) - 1)
}

/// Converts an integer below 2^52 to a float.
#[inline(always)]
fn from_whole(bits: u64) -> f64 {
    f64::from_bits(bits | WHOLE.to_bits()) - WHOLE
}

/// Returns the biased exponent of an `f32`.
#[inline(always)]
fn exponent_of(bits: u32) -> i32 {
    (bits >> FRACTION_BITS & 0xff) as i32
}

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// Composes an `f32` of its sign, biased exponent and 24 significant bits. An overflow results in infinity, and an
/// underflow below the normal range results in zero.
#[inline(always)]
fn number(sign: u32, exponent: i32, digits: u32) -> u32 {
    let normal = (exponent as u32) << FRACTION_BITS | digits & FRACTION;
    let at_most = if exponent < 255 { normal } else { INFINITY };
    sign | if exponent > 0 { at_most } else { 0 }
}

/// Truncates a number to 24 significant bits.
#[inline(always)]
fn cut(value: f64) -> u32 {
    const KEPT: u64 = !0x1fff_ffff;
    (f64::from_bits(value.to_bits() & KEPT) as f32).to_bits()
}

/// `MUFU.RCP`: computes the reciprocal.
#[inline(always)]
pub(crate) fn reciprocal<const N: usize>(a: [u32; N]) -> [u32; N] {
    let digits: [u32; N] = tables::RECIPROCAL.digits(lanes(|lane| a[lane] & FRACTION));
    lanes(|lane| {
        let a = a[lane];
        let is_power = a & FRACTION == 0;
        let digits = if is_power { 0 } else { digits[lane] };
        let exponent = 2 * BIAS - 1 + i32::from(is_power) - exponent_of(a);
        let normal = number(a & SIGN, exponent, digits);
        match exponent_of(a) {
            0 => a & SIGN | INFINITY,
            255 if is_nan(a) => NAN_32,
            255 => a & SIGN,
            _ => normal,
        }
    })
}

/// Returns half of the unbiased exponent, rounded down, and the fraction with the low bit of the exponent inserted as
/// its top bit. The resulting fraction represents a number from 1 to 4.
#[inline(always)]
fn half_exponent(a: u32) -> (i32, u32) {
    let exponent = exponent_of(a) - BIAS;
    (
        exponent >> 1,
        a & FRACTION | (exponent as u32 & 1) << FRACTION_BITS,
    )
}

/// `MUFU.RSQ`: computes the reciprocal square root.
#[inline(always)]
pub(crate) fn reciprocal_root<const N: usize>(a: [u32; N]) -> [u32; N] {
    let digits: [u32; N] = tables::RECIPROCAL_ROOT.digits(lanes(|lane| half_exponent(a[lane]).1));
    lanes(|lane| {
        let a = a[lane];
        let (half, fraction) = half_exponent(a);
        let is_power = fraction == 0;
        let digits = if is_power { 0 } else { digits[lane] };
        let normal = number(0, BIAS - 1 + i32::from(is_power) - half, digits);
        of_root(a, a & SIGN | INFINITY, 0, normal)
    })
}

/// `MUFU.SQRT`: computes the square root.
#[inline(always)]
fn root<const N: usize>(a: [u32; N]) -> [u32; N] {
    let digits: [u32; N] = tables::ROOT.digits(lanes(|lane| half_exponent(a[lane]).1));
    lanes(|lane| {
        let normal = number(0, BIAS + half_exponent(a[lane]).0, digits[lane] >> 1);
        of_root(a[lane], a[lane] & SIGN, INFINITY, normal)
    })
}

/// Selects the result of a root for the class of its argument: zero, infinity, NaN or negative number, or positive
/// finite number.
#[inline(always)]
fn of_root(a: u32, of_zero: u32, of_infinity: u32, normal: u32) -> u32 {
    match exponent_of(a) {
        0 => of_zero,
        _ if is_nan(a) || a & SIGN != 0 => NAN_32,
        255 => of_infinity,
        _ => normal,
    }
}

/// `MUFU.EX2`: computes 2 to the power of the argument.
#[inline(always)]
pub(crate) fn power<const N: usize>(a: [u32; N]) -> [u32; N] {
    // Convert the magnitude of the argument to units of 2^-23 by truncation. Clamp the exponent to 8, because the
    // results of larger arguments overflow or underflow in any case.
    let magnitudes: [u32; N] = lanes(|lane| {
        let a = a[lane];
        let digits = u64::from(a & FRACTION | 1 << FRACTION_BITS) << 8;
        let below = (BIAS + 8 - exponent_of(a)).clamp(0, 63);
        (digits >> below) as u32
    });
    let parts: [u32; N] = lanes(|lane| {
        let part = magnitudes[lane] & FRACTION;
        // The hardware negates a fraction with the one's complement, except for a fraction of zero.
        let is_turned = a[lane] & SIGN != 0 && part != 0;
        if is_turned { !part & FRACTION } else { part }
    });
    let digits: [u32; N] = tables::POWER.digits(parts);
    lanes(|lane| {
        let (a, magnitude) = (a[lane], magnitudes[lane]);
        let up = (magnitude >> FRACTION_BITS) as i32;
        let down = -up - i32::from(magnitude & FRACTION != 0);
        let up = if a & SIGN != 0 { down } else { up };
        let result = number(0, BIAS + up, digits[lane]);
        if is_nan(a) { NAN_32 } else { result }
    })
}

/// `MUFU.LG2`: computes the binary logarithm.
#[inline(always)]
fn logarithm<const N: usize>(a: [u32; N]) -> [u32; N] {
    let parts: [f64; N] = tables::LOGARITHM.at(lanes(|lane| a[lane] & FRACTION));
    lanes(|lane| {
        let a = a[lane];
        // Compute the logarithm of the fraction in units of 2^-36. The hardware negates a negative sum with the one's
        // complement.
        let part = (whole(parts[lane]) >> 5) as i64;
        let sum = (i64::from(exponent_of(a) - BIAS) << 36) + part;
        let magnitude = from_whole((sum ^ (sum >> 63)) as u64) * (1.0 / 68_719_476_736.0);
        let normal = cut(magnitude) | (sum >> 32) as u32 & SIGN;
        match exponent_of(a) {
            0 => SIGN | INFINITY,
            _ if is_nan(a) || a & SIGN != 0 => NAN_32,
            255 => INFINITY,
            _ if a == 1f32.to_bits() => 0,
            _ => normal,
        }
    })
}

/// `MUFU.SIN`: computes the sine of an angle in revolutions.
#[inline(always)]
pub(crate) fn sine<const N: usize>(turns: [u32; N]) -> [u32; N] {
    let positions = lanes(|lane| quarters(turns[lane]));
    wave(turns, positions, lanes(|lane| turns[lane] & SIGN))
}

/// `MUFU.COS`: computes the cosine of an angle in revolutions.
#[inline(always)]
pub(crate) fn cosine<const N: usize>(turns: [u32; N]) -> [u32; N] {
    let next = |turns| quarters(turns).wrapping_add(1 << FRACTION_BITS);
    wave(turns, lanes(|lane| next(turns[lane])), [0; N])
}

/// Converts an angle from revolutions to quarter revolutions in units of 2^-23, truncated, modulo whole revolutions.
#[inline(always)]
fn quarters(turns: u32) -> u32 {
    let digits = u64::from(turns & FRACTION | 1 << FRACTION_BITS) << 32;
    let above = (exponent_of(turns) - BIAS + 2).clamp(-63, 31);
    match above < 0 {
        true => (digits >> -above >> 32) as u32,
        // The bits that are shifted out represent whole revolutions.
        false => ((digits >> 32) << above) as u32,
    }
}

/// Computes the sine for each position in quarter revolutions. `signs` contains additional signs of the results.
#[inline(always)]
fn wave<const N: usize>(turns: [u32; N], positions: [u32; N], signs: [u32; N]) -> [u32; N] {
    let parts: [u32; N] = lanes(|lane| {
        let position = positions[lane];
        let turned = (position >> FRACTION_BITS & 1).wrapping_neg();
        (position ^ turned) & FRACTION
    });
    let values = tables::SINE.at(parts);
    lanes(|lane| {
        let sign = signs[lane] ^ (positions[lane] >> FRACTION_BITS & 2) << 30;
        let result = cut(values[lane] * UNIT) | sign;
        if exponent_of(turns[lane]) == 255 {
            NAN_32
        } else {
            result
        }
    })
}

/// Unit of the polynomials for functions with an ulp of 2^-24: 2^-17 ulp, which is 2^-41.
const UNIT: f64 = 1.0 / 2_199_023_255_552.0;

/// `MUFU.TANH`: computes the hyperbolic tangent.
#[inline(always)]
pub(crate) fn tangent<const N: usize>(a: [u32; N]) -> [u32; N] {
    let octaves: [(u32, u32); N] = lanes(|lane| {
        let octave = (exponent_of(a[lane]) - (BIAS - 8)).clamp(0, 10);
        tables::TANGENT_OCTAVES[octave as usize]
    });
    let rows: [u32; N] = lanes(|lane| {
        let (first, bits) = octaves[lane];
        first + ((a[lane] & FRACTION) >> (FRACTION_BITS - bits))
    });
    let x = lanes(|lane| place(a[lane] & FRACTION, octaves[lane].1));
    let rows = Coefficients::<N>::gather(&tables::TANGENT_ROWS, rows);
    let values = rows.sums([131_072.0, 0.0], x);
    lanes(|lane| {
        let a = a[lane];
        let sign = a & SIGN;
        match exponent_of(a) - BIAS {
            ..-8 => a,
            _ if is_nan(a) => NAN_32,
            3.. => sign | 1f32.to_bits(),
            _ => sign | cut(values[lane] * UNIT),
        }
    })
}

/// Approximate function that an instruction computes, including the scaling code that the assembler adds if subnormals
/// are not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFunction {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Logarithm,
    Power,
    Sine,
    Cosine,
    Tangent,
}

/// Applies a function to all lanes of an `f32` row. If subnormals are not flushed, the function scales arguments and
/// results as the code of the assembler does.
#[inline(always)]
pub(crate) fn apply(function: SpecialFunction, mode: FloatMode, a: &Row32) -> Row32 {
    use SpecialFunction as F;
    let scaling = function.scaling();
    let scales: [f32; LANES] = lanes(|lane| match mode.ftz {
        true => 1.0,
        false => scale_of(scaling, f32::from_bits(a[lane])),
    });
    let scaled: Row32 = lanes(|lane| product(a[lane], scales[lane]));
    let results = match function {
        F::Reciprocal => reciprocal(scaled),
        F::ReciprocalRoot => reciprocal_root(scaled),
        F::Root => root(scaled),
        F::Logarithm => logarithm(scaled),
        F::Power => power(scaled),
        F::Sine => sine(lanes(|lane| turns(scaled[lane]))),
        F::Cosine => cosine(lanes(|lane| turns(scaled[lane]))),
        F::Tangent => tangent(*a),
    };
    lanes(|lane| {
        let (result, scale) = (results[lane], scales[lane]);
        if scale == 1.0 {
            return result;
        }
        match function {
            F::Reciprocal => product(result, scale),
            F::ReciprocalRoot => product(result, 4096.0),
            F::Root => product(result, 1.0 / 4096.0),
            F::Logarithm => (f32::from_bits(result) - 24.0).to_bits(),
            F::Power => product(result, f32::from_bits(result)),
            F::Sine | F::Cosine | F::Tangent => result,
        }
    })
}

/// Flags for the argument ranges (subnormal, large, very negative) of a special function in which compiled code scales the
/// argument before it executes the instruction of the special function unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledRanges {
    /// Whether magnitudes below the smallest normal number are scaled by 2^24.
    pub small: bool,
    /// Whether magnitudes above 2^126 are scaled by 1/4.
    pub large: bool,
    /// Whether arguments below -126 are scaled by 1/2.
    pub low: bool,
}

impl SpecialFunction {
    /// Returns the argument ranges that the code of the assembler scales if subnormals are not flushed.
    pub const fn scaling(self) -> ScaledRanges {
        use SpecialFunction as F;
        ScaledRanges {
            small: matches!(
                self,
                F::Reciprocal | F::ReciprocalRoot | F::Root | F::Logarithm
            ),
            large: matches!(self, F::Reciprocal),
            low: matches!(self, F::Power),
        }
    }
}

/// Returns the divisor ranges that the code of the assembler scales for `div.approx` and `div.full`.
pub const fn scaling_of_quotient(mode: FloatMode) -> ScaledRanges {
    ScaledRanges {
        small: !mode.ftz,
        large: matches!(mode.round, RoundingMode::Full),
        low: false,
    }
}

/// Returns the factor by which an argument is scaled.
#[inline(always)]
fn scale_of(scaling: ScaledRanges, a: f32) -> f32 {
    match a {
        _ if scaling.small && a.abs() < f32::MIN_POSITIVE => SCALE,
        _ if scaling.large && a.abs() > MAX_NORMAL_RECIPROCAL => 0.25,
        _ if scaling.low && a < -126.0 => 0.5,
        _ => 1.0,
    }
}

/// 2^126. The reciprocal of a larger number is subnormal.
const MAX_NORMAL_RECIPROCAL: f32 = 8.507_059e37;

/// Computes `div.approx` and `div.full`. Only `div.full` scales large divisors.
#[inline(always)]
pub(crate) fn divide<const N: usize>(mode: FloatMode, a: [f32; N], b: [f32; N]) -> [f32; N] {
    let scaling = scaling_of_quotient(mode);
    let scales: [f32; N] = lanes(|lane| scale_of(scaling, b[lane]));
    let reciprocals: [u32; N] = reciprocal(lanes(|lane| (b[lane] * scales[lane]).to_bits()));
    lanes(|lane| f32::from_bits(reciprocals[lane]) * (a[lane] * scales[lane]))
}

#[inline(always)]
fn product(bits: u32, factor: f32) -> u32 {
    (f32::from_bits(bits) * factor).to_bits()
}

/// Converts an angle from radians to revolutions, truncated. An underflow of the product does not change the result,
/// because the special function unit flushes subnormal arguments.
#[inline(always)]
fn turns(angle: u32) -> u32 {
    cut(f64::from(f32::from_bits(angle)) * f64::from(TURNS))
}

/// `MUFU.RCP64H`: computes the reciprocal of a double whose lower half is treated as zero. The result has a 20-bit
/// fraction.
pub(crate) fn reciprocal_upper(a: f64) -> f64 {
    let (sign, exponent, fraction) = parts_upper(a);
    match (exponent, fraction) {
        (0 | 0x7ff, _) => 1.0 / a,
        (_, 0) => upper(sign, 2 * BIAS_64 - exponent, 0),
        _ => {
            let [digits] = tables::RECIPROCAL.digits([fraction]);
            upper(sign, 2 * BIAS_64 - 1 - exponent, digits)
        }
    }
}

/// `MUFU.RSQ64H`: computes the reciprocal square root, with the formats of argument and result of [`reciprocal_upper`].
pub(crate) fn reciprocal_root_upper(a: f64) -> f64 {
    let (sign, exponent, fraction) = parts_upper(a);
    if sign != 0 || matches!(exponent, 0 | 0x7ff) {
        return 1.0 / a.sqrt();
    }
    let half = (exponent - BIAS_64) >> 1;
    let fraction = fraction | ((exponent - BIAS_64) as u32 & 1) << FRACTION_BITS;
    match fraction {
        0 => upper(0, BIAS_64 - half, 0),
        _ => {
            let [digits] = tables::RECIPROCAL_ROOT.digits([fraction]);
            upper(0, BIAS_64 - 1 - half, digits)
        }
    }
}

/// Exponent bias of `f64`.
const BIAS_64: i64 = 1023;

/// Returns the sign, the biased exponent and the upper 20 fraction bits of a double, with the fraction shifted to 23
/// bits.
fn parts_upper(a: f64) -> (u64, i64, u32) {
    let bits = a.to_bits();
    let fraction = (bits >> 32) as u32 & 0xf_ffff;
    (bits & 1 << 63, (bits >> 52 & 0x7ff) as i64, fraction << 3)
}

/// Composes a double of its sign, its biased exponent and the upper 21 of 24 significant bits. An underflow below the
/// normal range results in zero.
fn upper(sign: u64, exponent: i64, digits: u32) -> f64 {
    let fraction = u64::from((digits & FRACTION) >> 3) << 32;
    match exponent {
        ..=0 => f64::from_bits(sign),
        _ => f64::from_bits(sign | (exponent as u64) << 52 | fraction),
    }
}
