//! What the unit for approximate functions gives, bit for bit: `.approx` and `.full` of `f32`, halves and doubles, and `MUFU`. In: bits of an
//! argument; out: bits of the result.
//!
//! The first bits of an argument's fraction choose an interval, and the 17 bits after them, x, go into c0 + c1 x + c2 x^2. The square leaves
//! out each product of two bits whose weight is below 2^19. Results are cut, never rounded. That was found from an H100's results for every
//! argument of the reduced ranges, as were the coefficients (`approximate_tables.rs`); what assembler 13.5 makes of each instruction puts
//! scaling around it.

use crate::semantics::approximate_tables as tables;
use crate::semantics::mode::{FloatMode, Round};
use crate::semantics::registers::{LANES, Row32};
use crate::semantics::soft::NAN_32;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
/// Bits of a fraction of `f32`.
const FRACTION_BITS: u32 = 23;
const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
/// Exponent of 1.
const BIAS: i32 = 127;
/// 2^24, by which assemblers scale what is subnormal.
const SCALE: f32 = 16_777_216.0;
/// 1 / (2 pi), as the assembler writes it.
pub const TURNS: f32 = 0.159_154_94;

/// A row of what each lane has. A plain loop, of which the host makes vectors wherever it is called from.
#[inline(always)]
fn lanes<T: Copy + Default, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut row = [T::default(); N];
    for (lane, place) in row.iter_mut().enumerate() {
        *place = of(lane);
    }
    row
}

/// Coefficients of a function.
pub(crate) struct Table {
    /// Bits of a fraction of 23 bits that choose the row.
    pub(crate) index_bits: u32,
    /// c0 is its column times this and `start`, in 2^-17 of a last digit.
    pub(crate) step: f64,
    pub(crate) start: f64,
    pub(crate) rows: &'static [[i32; 3]],
}

impl Table {
    /// The function at fractions, in 2^-17 of a last digit.
    #[inline(always)]
    fn at<const N: usize>(&self, fractions: [u32; N]) -> [f64; N] {
        let above = FRACTION_BITS - self.index_bits;
        let rows = Coefficients::gather(self.rows, lanes(|lane| fractions[lane] >> above));
        let x = lanes(|lane| place(fractions[lane], self.index_bits));
        rows.sums([self.step, self.start], x)
    }

    /// The same, cut to whole digits.
    #[inline(always)]
    fn digits<const N: usize>(&self, fractions: [u32; N]) -> [u32; N] {
        let values = self.at(fractions);
        lanes(|lane| (whole(values[lane]) >> 17) as u32)
    }
}

/// The 17 bits of a fraction after those that choose a row.
#[inline(always)]
fn place(fraction: u32, index_bits: u32) -> u32 {
    (fraction << index_bits & FRACTION) >> 6
}

/// A row for each lane, column by column, so that the host computes several lanes at once.
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

    /// c0 + c1 x + c2 x^2, in 2^-17 of a last digit: whole numbers below 2^42, which `f64` has exactly.
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

/// x^2 in 2^19, without the products of bits that weigh less: of bits 10 to 16 with bits 2 to 8, those whose numbers have a sum of 19 or more.
/// They are taken together as products of several bits with several, and four of single bits.
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

/// 2^52: what is added to it keeps its whole part as low bits.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// The bits of a whole number below 2^52 that is not negative.
#[inline(always)]
fn whole(value: f64) -> u64 {
    (value + WHOLE).to_bits() & ((1 << 52) - 1)
}

/// A whole number below 2^52.
#[inline(always)]
fn from_whole(bits: u64) -> f64 {
    f64::from_bits(bits | WHOLE.to_bits()) - WHOLE
}

/// The exponent of a number.
#[inline(always)]
fn exponent_of(bits: u32) -> i32 {
    (bits >> FRACTION_BITS & 0xff) as i32
}

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// A number with this exponent, of 24 digits; infinite beyond the largest, zero below the normal ones.
#[inline(always)]
fn number(sign: u32, exponent: i32, digits: u32) -> u32 {
    let normal = (exponent as u32) << FRACTION_BITS | digits & FRACTION;
    let at_most = if exponent < 255 { normal } else { INFINITY };
    sign | if exponent > 0 { at_most } else { 0 }
}

/// A number that `f32` holds when it is cut to 24 digits.
#[inline(always)]
fn cut(value: f64) -> u32 {
    const KEPT: u64 = !0x1fff_ffff;
    (f64::from_bits(value.to_bits() & KEPT) as f32).to_bits()
}

/// `MUFU.RCP`.
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

/// Half of an exponent, and a fraction whose first bit is the other half: of a number from 1 to 4.
#[inline(always)]
fn half_exponent(a: u32) -> (i32, u32) {
    let exponent = exponent_of(a) - BIAS;
    (
        exponent >> 1,
        a & FRACTION | (exponent as u32 & 1) << FRACTION_BITS,
    )
}

/// `MUFU.RSQ`.
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

/// `MUFU.SQRT`.
#[inline(always)]
fn root<const N: usize>(a: [u32; N]) -> [u32; N] {
    let digits: [u32; N] = tables::ROOT.digits(lanes(|lane| half_exponent(a[lane]).1));
    lanes(|lane| {
        let normal = number(0, BIAS + half_exponent(a[lane]).0, digits[lane] >> 1);
        of_root(a[lane], a[lane] & SIGN, INFINITY, normal)
    })
}

/// What a root is of zero, of infinity, of what has none, and of other numbers.
#[inline(always)]
fn of_root(a: u32, of_zero: u32, of_infinity: u32, normal: u32) -> u32 {
    match exponent_of(a) {
        0 => of_zero,
        _ if is_nan(a) || a & SIGN != 0 => NAN_32,
        255 => of_infinity,
        _ => normal,
    }
}

/// `MUFU.EX2`.
#[inline(always)]
pub(crate) fn power<const N: usize>(a: [u32; N]) -> [u32; N] {
    // The magnitude in 2^-23, cut; beyond 2^8 it is as good as that.
    let magnitudes: [u32; N] = lanes(|lane| {
        let a = a[lane];
        let digits = u64::from(a & FRACTION | 1 << FRACTION_BITS) << 8;
        let below = (BIAS + 8 - exponent_of(a)).clamp(0, 63);
        (digits >> below) as u32
    });
    let parts: [u32; N] = lanes(|lane| {
        let part = magnitudes[lane] & FRACTION;
        // The complement is taken for the opposite, but for whole numbers.
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

/// `MUFU.LG2`.
#[inline(always)]
fn logarithm<const N: usize>(a: [u32; N]) -> [u32; N] {
    let parts: [f64; N] = tables::LOGARITHM.at(lanes(|lane| a[lane] & FRACTION));
    lanes(|lane| {
        let a = a[lane];
        // In 2^-36; the complement is taken for the opposite.
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

/// `MUFU.SIN` of turns.
#[inline(always)]
pub(crate) fn sine<const N: usize>(turns: [u32; N]) -> [u32; N] {
    let positions = lanes(|lane| quarters(turns[lane]));
    wave(turns, positions, lanes(|lane| turns[lane] & SIGN))
}

/// `MUFU.COS` of turns.
#[inline(always)]
pub(crate) fn cosine<const N: usize>(turns: [u32; N]) -> [u32; N] {
    let next = |turns| quarters(turns).wrapping_add(1 << FRACTION_BITS);
    wave(turns, lanes(|lane| next(turns[lane])), [0; N])
}

/// Quarters of a turn in 2^-23, cut, modulo some turns.
#[inline(always)]
fn quarters(turns: u32) -> u32 {
    let digits = u64::from(turns & FRACTION | 1 << FRACTION_BITS) << 32;
    let above = (exponent_of(turns) - BIAS + 2).clamp(-63, 31);
    match above < 0 {
        true => (digits >> -above >> 32) as u32,
        // What is left out are whole turns.
        false => ((digits >> 32) << above) as u32,
    }
}

/// The sines at positions in quarters, with signs.
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

/// 2^-41: the unit of sums whose last digit is 2^-24.
const UNIT: f64 = 1.0 / 2_199_023_255_552.0;

/// `MUFU.TANH`.
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

/// A function as an instruction has it, with what the assembler puts around the unit where subnormals are not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Logarithm,
    Power,
    Sine,
    Cosine,
    Tangent,
}

/// A function of `f32` in all lanes. Where subnormals are not flushed, arguments and results are scaled as the assembler scales them.
#[inline(always)]
pub(crate) fn apply(function: Function, mode: FloatMode, a: &Row32) -> Row32 {
    use Function as F;
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

/// Which arguments are scaled before the unit has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// Those below the least normal number, by 2^24.
    pub small: bool,
    /// Those above 2^126, by 1/4.
    pub large: bool,
    /// Those below -126, by 1/2.
    pub low: bool,
}

impl Function {
    /// What the assembler scales where subnormal numbers are not flushed.
    pub const fn scaling(self) -> Scaling {
        use Function as F;
        Scaling {
            small: matches!(
                self,
                F::Reciprocal | F::ReciprocalRoot | F::Root | F::Logarithm
            ),
            large: matches!(self, F::Reciprocal),
            low: matches!(self, F::Power),
        }
    }
}

/// What `div.approx` and `div.full` scale by the divisor.
pub const fn scaling_of_quotient(mode: FloatMode) -> Scaling {
    Scaling {
        small: !mode.ftz,
        large: matches!(mode.round, Round::Full),
        low: false,
    }
}

/// What an argument is scaled by.
#[inline(always)]
fn scale_of(scaling: Scaling, a: f32) -> f32 {
    match a {
        _ if scaling.small && a.abs() < f32::MIN_POSITIVE => SCALE,
        _ if scaling.large && a.abs() > LARGE => 0.25,
        _ if scaling.low && a < -126.0 => 0.5,
        _ => 1.0,
    }
}

/// 2^126: the reciprocal of what is larger is subnormal.
const LARGE: f32 = 8.507_059e37;

/// `div.approx` and `div.full`; the latter also scales divisors that are large.
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

/// An angle in turns, cut. What is too small for `f32` is too small for the unit, too.
#[inline(always)]
fn turns(angle: u32) -> u32 {
    cut(f64::from(f32::from_bits(angle)) * f64::from(TURNS))
}

/// `MUFU.RCP64H`: of a double whose lower half counts as zero, to 20 bits of fraction.
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

/// `MUFU.RSQ64H`, likewise.
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

/// Exponent of 1 as a double.
const BIAS_64: i64 = 1023;

/// The sign of a double, its exponent, and the first 20 bits of its fraction as 23.
fn parts_upper(a: f64) -> (u64, i64, u32) {
    let bits = a.to_bits();
    let fraction = (bits >> 32) as u32 & 0xf_ffff;
    (bits & 1 << 63, (bits >> 52 & 0x7ff) as i64, fraction << 3)
}

/// A double of 21 of 24 digits; zero below the normal ones.
fn upper(sign: u64, exponent: i64, digits: u32) -> f64 {
    let fraction = u64::from((digits & FRACTION) >> 3) << 32;
    match exponent {
        ..=0 => f64::from_bits(sign),
        _ => f64::from_bits(sign | (exponent as u64) << 52 | fraction),
    }
}
