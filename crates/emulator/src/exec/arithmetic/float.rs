//! Floating-point arithmetic (PTX ISA, "Floating-Point Instructions", "Half Precision ...").
//!
//! Rounding to nearest uses IEEE operations of the host on whole rows. All other rounding modes use exact helper
//! functions for each lane. NaN results equal the NaN results of the hardware, and do not depend on the host.

use crate::semantics::alu_ops::{Float32Op, Float64Op, FloatOp, HalfOp};
use crate::semantics::fma_emulation::fma_rows64;
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot, Row32, Row64};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use crate::semantics::softfloat;
use crate::semantics::softfloat::OUTSIDE_16;
use crate::semantics::softfloat::{NAN_32, NAN_64};
use crate::semantics::special_function;
use crate::semantics::special_function::SpecialFunction;
use warpgrid_isa::{FloatFormat, ScalarType};

#[inline(always)]
fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        NAN_32
    } else {
        value.to_bits()
    }
}

/// Executes an `f32` operation on the rows of a warp.
#[inline(always)]
pub(crate) fn float32<const FMA: bool>(
    l: &mut LaneRegisters<'_>,
    row: &mut Row32,
    f: Float32Op,
    mode: FloatMode,
    [d, a, b, c]: [OperandSlot; 4],
) {
    float_row::<FMA>(row, f, mode, l.r32(a), l.r32(b), l.r32(c));
    l.set32(d, row);
}

#[inline(always)]
pub(crate) fn float_row<const FMA: bool>(
    row: &mut Row32,
    f: Float32Op,
    mode: FloatMode,
    a: &Row32,
    b: &Row32,
    c: &Row32,
) {
    use Float32Op::Plain;
    // Dispatch the most frequent operations first, so that the compiler specializes them to host operations.
    match f {
        Plain(FloatOp::Add) if mode.is_plain() => rows(row, a, b, |a, b| a + b),
        Plain(FloatOp::Mul) if mode.is_plain() => rows(row, a, b, |a, b| a * b),
        Plain(FloatOp::Fma) if mode.is_plain() => fma_rows::<FMA>(row, a, b, c),
        _ => {
            if !modified(row, f, mode, a, b, c) {
                lane_by_lane(row, f, mode, a, b, c);
            }
        }
    }
}

/// Computes a row with host operations whose results equal the results of the hardware. Returns `false` for all other
/// operations.
#[inline(always)]
fn nearest(row: &mut Row32, f: Float32Op, mode: FloatMode, [a, b, c]: [&Row32; 3]) -> bool {
    use Float32Op as F;
    match f {
        F::Plain(FloatOp::Add) => rows(row, a, b, |a, b| a + b),
        F::Plain(FloatOp::Sub) => rows(row, a, b, |a, b| a - b),
        F::Plain(FloatOp::Mul) => rows(row, a, b, |a, b| a * b),
        F::Plain(FloatOp::Fma) => fma_rows::<false>(row, a, b, c),
        F::Div => rows(row, a, b, |a, b| a / b),
        F::Rcp => rows(row, a, a, |a, _| 1.0 / a),
        F::Sqrt => rows(row, a, a, |a, _| a.sqrt()),
        // The hardware implements `neg` and `abs` as additions of zero, which convert a NaN to the canonical NaN (code
        // of assembler 13.5).
        F::Plain(FloatOp::Neg) => rows(row, a, a, |a, _| -a),
        F::Plain(FloatOp::Abs) => rows(row, a, a, |a, _| a.abs()),
        F::Plain(FloatOp::Min) if !mode.nan && !mode.xorsign_abs => {
            minmax_rows(row, MinMax::Min, a, b);
        }
        F::Plain(FloatOp::Max) if !mode.nan && !mode.xorsign_abs => {
            minmax_rows(row, MinMax::Max, a, b);
        }
        F::Plain(FloatOp::Min | FloatOp::Max)
        | F::Rsqrt
        | F::Sin
        | F::Cos
        | F::Lg2
        | F::Ex2
        | F::Tanh
        | F::Copysign => return false,
    }
    true
}

/// Whether an operation computes the minimum or the maximum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MinMax {
    Min,
    Max,
}

const SIGN: u32 = 1 << 31;

/// Returns the function of the special function unit that implements an operation, or `None` if the operation does not
/// use the unit.
#[inline(always)]
pub(crate) fn function_of(f: Float32Op, round: RoundingMode) -> Option<SpecialFunction> {
    use Float32Op as F;
    Some(match f {
        F::Rcp if round.is_approximate() => SpecialFunction::Reciprocal,
        F::Sqrt if round.is_approximate() => SpecialFunction::Root,
        F::Rsqrt => SpecialFunction::ReciprocalRoot,
        F::Sin => SpecialFunction::Sine,
        F::Cos => SpecialFunction::Cosine,
        F::Lg2 => SpecialFunction::Logarithm,
        F::Ex2 => SpecialFunction::Power,
        F::Tanh => SpecialFunction::Tangent,
        F::Plain(_) | F::Div | F::Rcp | F::Sqrt | F::Copysign => return None,
    })
}

/// Computes a row of `f32` results with the special function unit. The function is not inlined into the step loop,
/// because its code is large.
#[cfg_attr(
    target_arch = "x86_64",
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
        "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    ))
)]
fn approximate_rows(row: &mut Row32, function: SpecialFunction, mode: FloatMode, a: &Row32) {
    *row = special_function::apply(function, mode, a);
    for bits in row {
        *bits = canonical(f32::from_bits(*bits));
    }
}

/// Computes a row of `div.approx` or `div.full`.
#[cfg_attr(
    target_arch = "x86_64",
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
        "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    ))
)]
fn quotient_rows(row: &mut Row32, mode: FloatMode, a: &Row32, b: &Row32) {
    let (mut dividends, mut divisors) = ([0.0; LANES], [0.0; LANES]);
    for (numbers, operand) in [(&mut dividends, a), (&mut divisors, b)] {
        for (number, bits) in numbers.iter_mut().zip(operand) {
            let bits = if mode.ftz { flush_bits(*bits) } else { *bits };
            *number = f32::from_bits(bits);
        }
    }
    let quotients = special_function::divide(mode, dividends, divisors);
    for (bits, quotient) in row.iter_mut().zip(quotients) {
        let quotient = canonical(quotient);
        *bits = if mode.ftz {
            flush_bits(quotient)
        } else {
            quotient
        };
    }
}

/// Computes a row with the host operations of [`nearest`], and applies flushing and clamping. Returns `false` if the
/// row requires the slow path.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
fn modified(
    row: &mut Row32,
    f: Float32Op,
    mode: FloatMode,
    a: &Row32,
    b: &Row32,
    c: &Row32,
) -> bool {
    if let Some(function) = function_of(f, mode.round) {
        approximate_rows(row, function, mode, a);
        return true;
    }
    if f == Float32Op::Div && mode.round.is_approximate() && !mode.relu && !mode.saturate {
        quotient_rows(row, mode, a, b);
        return true;
    }
    if mode.relu || mode.round != RoundingMode::Nearest {
        return false;
    }
    let flushed;
    let operands = if mode.ftz {
        flushed = [a, b, c].map(|operand| {
            let mut row = [0; LANES];
            bits(&mut row, operand, flush_bits);
            row
        });
        let [a, b, c] = &flushed;
        [a, b, c]
    } else {
        [a, b, c]
    };
    if !nearest(row, f, mode, operands) {
        return false;
    }
    if mode.ftz {
        let mut edges = false;
        for bits in row.iter_mut() {
            edges |= *bits & !SIGN == SMALLEST_NORMAL_32;
            *bits = flush_bits(*bits);
        }
        if edges {
            return false;
        }
    }
    if mode.saturate {
        for bits in row {
            let value = f32::from_bits(*bits);
            // A comparison with a NaN is false, so that this clamp converts a NaN to 0. It also converts -0 to +0.
            let low = if value > 0.0 { value } else { 0.0 };
            *bits = (if low < 1.0 { low } else { 1.0 }).to_bits();
        }
    }
    true
}

/// Flushes the bits of a subnormal number to a zero of the same sign.
#[inline(always)]
fn flush_bits(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 {
        bits & SIGN
    } else {
        bits
    }
}

/// Computes `min` or `max`. If exactly one operand is a NaN, the result is the other operand. -0 is less than +0.
#[inline(always)]
fn minmax_rows(row: &mut Row32, extreme: MinMax, a: &Row32, b: &Row32) {
    // Invert the magnitude bits of negative numbers, so that the integer order of the bit patterns equals the numeric
    // order.
    let key = |bits: u32| (bits ^ (((bits as i32) >> 31) as u32 >> 1)) as i32;
    let is_nan = |bits: u32| bits & !SIGN > 0x7f80_0000;
    let smaller = extreme == MinMax::Min;
    for lane in 0..LANES {
        let (a, b) = (a[lane], b[lane]);
        let chosen = if (key(a) < key(b)) == smaller { a } else { b };
        let chosen = if is_nan(a) { b } else { chosen };
        let chosen = if is_nan(b) { a } else { chosen };
        row[lane] = if is_nan(chosen) { NAN_32 } else { chosen };
    }
}

#[inline(always)]
fn bits(row: &mut Row32, a: &Row32, f: impl Fn(u32) -> u32) {
    for lane in 0..LANES {
        row[lane] = f(a[lane]);
    }
}

#[inline(always)]
fn rows(row: &mut Row32, a: &Row32, b: &Row32, f: impl Fn(f32, f32) -> f32) {
    for lane in 0..LANES {
        row[lane] = canonical(f(f32::from_bits(a[lane]), f32::from_bits(b[lane])));
    }
}

/// Smallest normal `f32`.
const SMALLEST_NORMAL_32: u32 = 1 << 23;

/// Smallest normal `f32`, as the bits of the equal `f64`.
const SMALLEST_NORMAL: u64 = 897 << 52;

/// Computes a*b+c with a single rounding. If the host has an FMA instruction (`FMA`), the function uses this
/// instruction. Otherwise, the function computes the product exactly in `f64`, and rounds the sum to `f64`. Narrowing
/// the sum to `f32` is then correct unless the sum is exactly between two `f32` values or below the normal range. If a
/// lane has such a sum, the whole row is computed exactly.
#[inline(always)]
fn fma_rows<const FMA: bool>(row: &mut Row32, a: &Row32, b: &Row32, c: &Row32) {
    if FMA {
        for lane in 0..LANES {
            let [a, b, c] = [a[lane], b[lane], c[lane]].map(f32::from_bits);
            row[lane] = canonical(a.mul_add(b, c));
        }
        return;
    }
    let wide = |bits: u32| f64::from(f32::from_bits(bits));
    let mut doubtful = 0u64;
    for lane in 0..LANES {
        let sum = wide(a[lane]) * wide(b[lane]) + wide(c[lane]);
        let bits = sum.to_bits();
        let magnitude = bits & (u64::MAX >> 1);
        let tie = ((bits ^ 0x1000_0000) & 0x1fff_ffff).wrapping_sub(1);
        let tiny = magnitude.wrapping_sub(SMALLEST_NORMAL) & magnitude.wrapping_neg();
        doubtful |= tie | tiny;
        row[lane] = canonical(sum as f32);
    }
    if doubtful >> 63 != 0 {
        fma_exact(row, a, b, c);
    }
}

#[cold]
#[inline(never)]
fn fma_exact(row: &mut Row32, a: &Row32, b: &Row32, c: &Row32) {
    for lane in 0..LANES {
        let [a, b, c] = [a[lane], b[lane], c[lane]].map(f32::from_bits);
        row[lane] = canonical(fma32(a, b, c, RoundingMode::Nearest));
    }
}

fn fma32(a: f32, b: f32, c: f32, round: RoundingMode) -> f32 {
    let product = f64::from(a) * f64::from(b);
    directed_zero(
        softfloat::add_odd(product, f64::from(c)),
        product,
        f64::from(c),
        round,
    )
}

/// Narrows a sum to `f32`. If the terms have different signs and their exact sum is zero, rounding down results in -0.
fn directed_zero(sum: f64, a: f64, b: f64, round: RoundingMode) -> f32 {
    if sum == 0.0 && round == RoundingMode::Down && (a.is_sign_negative() || b.is_sign_negative()) {
        return -0.0;
    }
    softfloat::narrow(sum, round)
}

#[inline(never)]
fn lane_by_lane(row: &mut Row32, f: Float32Op, mode: FloatMode, a: &Row32, b: &Row32, c: &Row32) {
    for lane in 0..LANES {
        let [a, b, c] = [a[lane], b[lane], c[lane]].map(f32::from_bits);
        row[lane] = op32(f, mode, a, b, c);
    }
}

fn flush(value: f32, mode: FloatMode) -> f32 {
    if mode.ftz && value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}

/// Computes one `f32` operation with any rounding mode.
pub(crate) fn op32(f: Float32Op, mode: FloatMode, a: f32, b: f32, c: f32) -> u32 {
    use Float32Op as F;
    if let Some(function) = function_of(f, mode.round) {
        let mut row = [0; LANES];
        approximate_rows(&mut row, function, mode, &[a.to_bits(); LANES]);
        return row[0];
    }
    let (a, b, c) = (flush(a, mode), flush(b, mode), flush(c, mode));
    let round = mode.round;
    let wide = f64::from;
    // `.ftz` also flushes results that are below the normal range before rounding, but not after rounding.
    let narrow = |value: f64| match mode.ftz && value.abs() < f64::from_bits(SMALLEST_NORMAL) {
        true => 0.0f32.copysign(value as f32),
        false => softfloat::narrow(value, round),
    };
    let value = match f {
        F::Plain(FloatOp::Neg) => return canonical(-a),
        F::Plain(FloatOp::Abs) => return canonical(a.abs()),
        F::Copysign => return b.copysign(a).to_bits(),
        F::Plain(FloatOp::Min) => return minmax32(MinMax::Min, mode, a, b),
        F::Plain(FloatOp::Max) => return minmax32(MinMax::Max, mode, a, b),
        F::Plain(FloatOp::Add) => directed_zero(
            softfloat::add_odd(wide(a), wide(b)),
            wide(a),
            wide(b),
            round,
        ),
        F::Plain(FloatOp::Sub) => directed_zero(
            softfloat::add_odd(wide(a), -wide(b)),
            wide(a),
            -wide(b),
            round,
        ),
        F::Plain(FloatOp::Mul) => narrow(wide(a) * wide(b)),
        F::Plain(FloatOp::Fma) => match softfloat::add_odd(wide(a) * wide(b), wide(c)) {
            0.0 => fma32(a, b, c, round),
            sum => narrow(sum),
        },
        F::Div if round.is_approximate() => {
            let [quotient] = special_function::divide(mode, [a], [b]);
            quotient
        }
        F::Div => narrow(softfloat::div_odd(a, b)),
        F::Rcp => narrow(softfloat::div_odd(1.0, a)),
        F::Sqrt => softfloat::narrow(softfloat::sqrt_odd(a), round),
        F::Rsqrt | F::Sin | F::Cos | F::Lg2 | F::Ex2 | F::Tanh => return NAN_32,
    };
    let mut value = flush(value, mode);
    if mode.saturate {
        value = if value.is_nan() {
            0.0
        } else {
            // Add zero to convert -0 to +0.
            value.clamp(0.0, 1.0) + 0.0
        };
    }
    if mode.relu && value < 0.0 {
        value = 0.0;
    }
    canonical(value)
}

fn minmax32(extreme: MinMax, mode: FloatMode, a: f32, b: f32) -> u32 {
    let sign = if mode.xorsign_abs {
        (a.to_bits() ^ b.to_bits()) & (1 << 31)
    } else {
        0
    };
    let (a, b) = if mode.xorsign_abs {
        (a.abs(), b.abs())
    } else {
        (a, b)
    };
    let value = match (a.is_nan(), b.is_nan()) {
        (true, true) => return NAN_32,
        (true, false) | (false, true) if mode.nan => return NAN_32,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            // Treat -0 as less than +0.
            let a_smaller = a < b || a == b && a.is_sign_negative();
            if a_smaller == (extreme == MinMax::Min) {
                a
            } else {
                b
            }
        }
    };
    value.to_bits() | sign
}

/// Executes an operation on `f64`. NaN operands are quieted and propagated (PTX ISA: payloads are preserved).
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
pub(crate) fn float64<const FMA: bool>(
    l: &mut LaneRegisters<'_>,
    row: &mut Row64,
    f: Float64Op,
    mode: FloatMode,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let (a, b, c) = (l.r64(a), l.r64(b), l.r64(c));
    if !(mode.is_plain() && nearest64::<FMA>(row, f, [a, b, c])) {
        for lane in 0..LANES {
            row[lane] = op64(f, mode, [a[lane], b[lane], c[lane]]);
        }
    }
    l.set64(d, row);
}

/// Computes a row with host operations whose results equal the results of the hardware. Returns `false` for all other
/// operations.
#[inline(always)]
fn nearest64<const FMA: bool>(row: &mut Row64, f: Float64Op, [a, b, c]: [&Row64; 3]) -> bool {
    use Float64Op as F;
    match f {
        F::Plain(FloatOp::Add) => rows64(row, [a, b], |a, b| a + b),
        F::Plain(FloatOp::Sub) => rows64(row, [a, b], |a, b| a - b),
        F::Plain(FloatOp::Mul) => rows64(row, [a, b], |a, b| a * b),
        F::Div => rows64_with(row, [a, b], |a, b| a / b, first_nan),
        F::Rcp => rows64(row, [a, a], |a, _| 1.0 / a),
        F::Sqrt => rows64(row, [a, a], |a, _| a.sqrt()),
        F::Plain(FloatOp::Fma) if FMA => {
            for lane in 0..LANES {
                let operands = [a[lane], b[lane], c[lane]];
                let [a, b, c] = operands.map(f64::from_bits);
                row[lane] = passed_on(a.mul_add(b, c), operands);
            }
        }
        F::Plain(FloatOp::Fma) => return fma_rows64(row, [a, b, c]),
        F::Plain(FloatOp::Neg | FloatOp::Abs | FloatOp::Min | FloatOp::Max)
        | F::Rsqrt
        | F::Copysign => return false,
    }
    true
}

#[inline(always)]
fn rows64(row: &mut Row64, operands: [&Row64; 2], f: impl Fn(f64, f64) -> f64) {
    rows64_with(row, operands, f, passed_nan);
}

/// Computes a row of results. For a NaN result, `nan` selects the NaN operand that determines the bits of the result.
#[inline(always)]
fn rows64_with(
    row: &mut Row64,
    [a, b]: [&Row64; 2],
    f: impl Fn(f64, f64) -> f64,
    nan: impl Fn([u64; 3]) -> u64,
) {
    let mut has_nan = false;
    for lane in 0..LANES {
        let value = f(f64::from_bits(a[lane]), f64::from_bits(b[lane]));
        has_nan |= value.is_nan();
        row[lane] = value.to_bits();
    }
    if has_nan {
        for lane in 0..LANES {
            if f64::from_bits(row[lane]).is_nan() {
                row[lane] = nan([a[lane], b[lane], 0]);
            }
        }
    }
}

#[inline(always)]
fn passed_on(value: f64, operands: [u64; 3]) -> u64 {
    if value.is_nan() {
        passed_nan(operands)
    } else {
        value.to_bits()
    }
}

/// Returns the NaN operand that determines the result, quieted. If several operands are NaNs, b takes precedence over
/// c, and c over a. Negating an operand does not modify a NaN (both measured on an H100).
#[cold]
fn passed_nan([a, b, c]: [u64; 3]) -> u64 {
    first_nan([b, c, a])
}

/// Returns the first NaN operand, quieted. The code of a division tests its operands in this order (assembler 13.5).
#[cold]
fn first_nan(operands: [u64; 3]) -> u64 {
    let mut nans = operands.into_iter();
    let nan = nans.find(|bits| f64::from_bits(*bits).is_nan());
    nan.map_or(NAN_64, |bits| bits | 1 << 51)
}

pub(crate) fn op64(f: Float64Op, mode: FloatMode, operands: [u64; 3]) -> u64 {
    use Float64Op as F;
    let [a, b, c] = operands.map(f64::from_bits);
    let round = mode.round;
    let (value, n_operands) = match f {
        F::Plain(FloatOp::Neg) => return passed_on(-a, [operands[0], 0, 0]),
        F::Plain(FloatOp::Abs) => return passed_on(a.abs(), [operands[0], 0, 0]),
        F::Copysign => return b.copysign(a).to_bits(),
        F::Rcp if mode.ftz => {
            return of_upper_half(operands[0], special_function::reciprocal_upper);
        }
        F::Rsqrt if mode.ftz => {
            return of_upper_half(operands[0], special_function::reciprocal_root_upper);
        }
        F::Plain(FloatOp::Sub) => (softfloat::add64(a, -b, round), 2),
        F::Plain(FloatOp::Min) => return minmax64(MinMax::Min, operands),
        F::Plain(FloatOp::Max) => return minmax64(MinMax::Max, operands),
        F::Plain(FloatOp::Add) => (softfloat::add64(a, b, round), 2),
        F::Plain(FloatOp::Mul) => (softfloat::mul64(a, b, round), 2),
        F::Plain(FloatOp::Fma) => (softfloat::fma64(a, b, c, round), 3),
        F::Div if a.is_nan() || b.is_nan() => return first_nan([operands[0], operands[1], 0]),
        F::Div => (softfloat::div64(a, b, round), 2),
        F::Rcp => (softfloat::div64(1.0, a, round), 1),
        F::Sqrt => (softfloat::sqrt64(a, round), 1),
        F::Rsqrt => (1.0 / a.sqrt(), 1),
    };
    if mode.saturate {
        return if value.is_nan() {
            0
        } else {
            (value.clamp(0.0, 1.0) + 0.0).to_bits()
        };
    }
    let mut seen = [0; 3];
    seen[..n_operands].copy_from_slice(&operands[..n_operands]);
    passed_on(value, seen)
}

/// Applies an approximate `f64` function, such as `rcp.approx.ftz.f64` or `rsqrt.approx.ftz.f64`. Only the upper half
/// of `a` is read, and only the upper half of the result is computed (PTX ISA, "rcp.approx.ftz.f64").
fn of_upper_half(a: u64, function: impl Fn(f64) -> f64) -> u64 {
    u64::from(upper_half((a >> 32) as u32, function)) << 32
}

/// Applies a function to the 64-bit float whose upper half is `of`, and returns the upper half of the result.
/// Subnormals are flushed to zero.
#[inline(always)]
pub(crate) fn upper_half(of: u32, function: impl Fn(f64) -> f64) -> u32 {
    let flushed = |upper: u32| match upper & 0x7ff0_0000 {
        0 => upper & SIGN,
        _ => upper,
    };
    let value = function(f64::from_bits(u64::from(flushed(of)) << 32));
    match value.is_nan() {
        true => NAN_32,
        false => flushed((value.to_bits() >> 32) as u32),
    }
}

fn minmax64(extreme: MinMax, operands: [u64; 3]) -> u64 {
    let [a, b, _] = operands.map(f64::from_bits);
    match (a.is_nan(), b.is_nan()) {
        // If both operands are NaNs, select b, as the comparison in the code of assembler 13.5 does.
        (true, true) => operands[1] | 1 << 51,
        (true, false) => operands[1],
        (false, true) => operands[0],
        (false, false) => {
            // Treat -0 as less than +0.
            let a_smaller = a < b || a == b && a.is_sign_negative();
            operands[usize::from(a_smaller != (extreme == MinMax::Min))]
        }
    }
}

/// Executes an operation on the two `f32` numbers in each 64-bit register.
pub(crate) fn float32x2(
    l: &mut LaneRegisters<'_>,
    row: &mut Row64,
    f: FloatOp,
    mode: FloatMode,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let (a, b, c) = (l.r64(a), l.r64(b), l.r64(c));
    for lane in 0..LANES {
        let half = |shift: u32| {
            let part = |v: u64| f32::from_bits((v >> shift) as u32);
            u64::from(op32(
                Float32Op::Plain(f),
                mode,
                part(a[lane]),
                part(b[lane]),
                part(c[lane]),
            )) << shift
        };
        row[lane] = half(0) | half(32);
    }
    l.set64(d, row);
}

/// Executes an operation on the 16-bit float, or the two 16-bit floats, in each 32-bit register.
pub(crate) fn half(
    l: &mut LaneRegisters<'_>,
    row: &mut Row32,
    f: HalfOp,
    ty: ScalarType,
    mode: FloatMode,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let format = match ty {
        ScalarType::F16 | ScalarType::F16x2 => FloatFormat::F16,
        _ => FloatFormat::BF16,
    };
    let packed = ty.width_bits() == 32;
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    for lane in 0..LANES {
        let one = |shift: u32| {
            let part = |v: u32| v >> shift & 0xffff;
            op_half(
                f,
                mode,
                format,
                [part(a[lane]), part(b[lane]), part(c[lane])],
            ) << shift
        };
        row[lane] = if packed { one(0) | one(16) } else { one(0) };
    }
    l.set32(d, row);
}

/// Computes one operation on 16-bit floats in `f64`. Intermediate results are rounded to odd, so that the final
/// rounding is correct.
pub(crate) fn op_half(f: HalfOp, mode: FloatMode, format: FloatFormat, operands: [u32; 3]) -> u32 {
    use HalfOp as H;
    let sign = format.sign();
    let flushed = |bits: u32| {
        let subnormal = bits & format.infinity() == 0;
        if mode.ftz && subnormal {
            bits & sign
        } else {
            bits
        }
    };
    let bits = operands.map(flushed);
    let [a, b, c] = bits.map(|v| format.value(v));
    let round = mode.round;
    let value = match f {
        // Replace any NaN by the canonical NaN, as the hardware does.
        H::Plain(FloatOp::Neg | FloatOp::Abs) if a.is_nan() => return format.nan(),
        H::Plain(FloatOp::Neg) => return bits[0] ^ sign,
        H::Plain(FloatOp::Abs) => return bits[0] & !sign,
        H::Plain(FloatOp::Min) => return minmax_half(MinMax::Min, mode, format, bits),
        H::Plain(FloatOp::Max) => return minmax_half(MinMax::Max, mode, format, bits),
        H::Plain(FloatOp::Add) => a + b,
        H::Plain(FloatOp::Sub) => a - b,
        H::Plain(FloatOp::Mul) => a * b,
        H::FmaInside if bits[..2].iter().any(|v| v & !sign == OUTSIDE_16) => return 0,
        H::Plain(FloatOp::Fma) | H::FmaInside => softfloat::add_odd(a * b, c),
        // The hardware truncates the `f32` result of the special function unit to the 16-bit format.
        H::Ex2 | H::Tanh => {
            let function = match f {
                H::Ex2 => special_function::power,
                _ => special_function::tangent,
            };
            let [value] = function([(a as f32).to_bits()]);
            let value = f64::from(f32::from_bits(value));
            // Convert results beyond the exponent range of the 16-bit format to infinity instead of truncating them.
            let beyond = f64::from_bits((1024 + format.bias() as u64) << 52);
            let value = if value >= beyond {
                f64::INFINITY
            } else {
                value
            };
            return flushed(softfloat::pack(format, value, RoundingMode::Zero));
        }
    };
    let packed = flushed(softfloat::pack(format, value, round));
    let is_nan = value.is_nan();
    if mode.saturate {
        return if is_nan || packed & sign != 0 {
            0
        } else {
            packed.min(softfloat::pack(format, 1.0, RoundingMode::Nearest))
        };
    }
    if mode.relu && !is_nan && packed & sign != 0 {
        return 0;
    }
    packed
}

fn minmax_half(extreme: MinMax, mode: FloatMode, format: FloatFormat, bits: [u32; 3]) -> u32 {
    let sign = format.sign();
    let result_sign = if mode.xorsign_abs {
        (bits[0] ^ bits[1]) & sign
    } else {
        0
    };
    let clean = |v: u32| if mode.xorsign_abs { v & !sign } else { v };
    let (a, b) = (clean(bits[0]), clean(bits[1]));
    let (x, y) = (format.value(a), format.value(b));
    let chosen = match (x.is_nan(), y.is_nan()) {
        (true, true) => return format.nan(),
        (true, false) | (false, true) if mode.nan => return format.nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let a_smaller = x < y || x == y && x.is_sign_negative();
            if a_smaller == (extreme == MinMax::Min) {
                a
            } else {
                b
            }
        }
    };
    chosen | result_sign
}
