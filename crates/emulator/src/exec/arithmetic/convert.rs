//! Conversions between numeric types (PTX ISA, "cvt"). Frequent conversions use host operations on rows. All other
//! conversions convert each value separately, with a single rounding.

use crate::code::RegisterOperand;
use crate::exec::operand_rows::{read64, read128, write64, write128};
use crate::semantics::integer;
use crate::semantics::narrow_float;
use crate::semantics::narrow_float::ConversionOperand;
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot, Row32, Row64};
use crate::semantics::rounding::{Conversion, FloatMode, RoundingMode};
use crate::semantics::softfloat;
use crate::semantics::softfloat::{NAN_32, NAN_64, format_of};
use warpgrid_isa::{ScalarType, TypeKind};

/// Executes `cvt`.
pub(crate) fn convert(
    l: &mut LaneRegisters<'_>,
    conversion: &Conversion,
    d: RegisterOperand,
    a: RegisterOperand,
) {
    if matches!(
        conversion.to.kind(),
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed
    ) && conversion.from.width_bits() == 128
    {
        let row = read128(l, a);
        return write128(l, d, &row);
    }
    let rows = read64(l, a);
    let Conversion { to, from, .. } = *conversion;
    if from.is_integer() && to.is_integer() {
        let row = rows.map(|value| integer::convert(value, conversion));
        return write64(l, d, &row);
    }
    let mut row = frequent(conversion, &rows).unwrap_or_else(|| {
        let mut row = [0; LANES];
        for (r, v) in row.iter_mut().zip(&rows) {
            *r = convert_one(conversion, *v);
        }
        row
    });
    // Sign-extend a signed result, because the destination register may be wider than the result.
    if conversion.to.is_signed() && conversion.to.width_bits() < 64 {
        let shift = 64 - conversion.to.width_bits();
        for r in &mut row {
            *r = ((*r << shift) as i64 >> shift) as u64;
        }
    }
    write64(l, d, &row);
}

/// Converts a row with a host operation whose result equals the result of the hardware. Returns `None` if no host
/// operation has the result of the hardware.
fn frequent(conversion: &Conversion, rows: &Row64) -> Option<Row64> {
    use ScalarType as T;
    use warpgrid_isa::Rounding as R;
    let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
    if mode.saturate || mode.ftz || mode.relu {
        return None;
    }
    let f = |v: u64| f32::from_bits(v as u32);
    let bits = |v: f32| u64::from(v.to_bits());
    Some(match (from, to, mode.rounding) {
        (T::S32, T::F32, None | Some(R::Rn)) => rows.map(|v| bits(v as u32 as i32 as f32)),
        (T::U32, T::F32, None | Some(R::Rn)) => rows.map(|v| bits(v as u32 as f32)),
        (T::S32, T::F64, _) => rows.map(|v| f64::from(v as u32 as i32).to_bits()),
        (T::U32, T::F64, _) => rows.map(|v| f64::from(v as u32).to_bits()),
        // Like the hardware, the Rust operator `as` saturates, and converts NaN to 0.
        (T::F32, T::S32, Some(R::Rzi)) => rows.map(|v| u64::from(f(v) as i32 as u32)),
        (T::F32, T::U32, Some(R::Rzi)) => rows.map(|v| u64::from(f(v) as u32)),
        _ => return None,
    })
}

/// Converts one value. Integer results are truncated to the width of their type. Floating-point results are exact or
/// rounded once.
fn convert_one(conversion: &Conversion, bits: u64) -> u64 {
    let (from, to) = (conversion.from, conversion.to);
    let mode = FloatMode::from(conversion.mode);
    if let Some(bits) = narrow_float::convert(conversion, bits) {
        return bits;
    }
    match (from.is_float(), to.is_float()) {
        (false, _) => integer_to_float(integer_value(from, bits), to, mode),
        (true, false) => float_to_integer(float(from, bits, mode), from, to, mode),
        (true, true) => float_to_float(conversion, bits, mode),
    }
}

/// Returns the numeric value of the bits of an integer type.
fn integer_value(ty: ScalarType, bits: u64) -> i128 {
    let shift = 128 - ty.width_bits().clamp(1, 64);
    if ty.is_signed() {
        (i128::from(bits) << shift) >> shift
    } else {
        ((u128::from(bits) << shift) >> shift) as i128
    }
}

fn range(ty: ScalarType) -> (i128, i128) {
    let bits = ty.width_bits().clamp(1, 64);
    if ty.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

fn integer_to_float(value: i128, to: ScalarType, mode: FloatMode) -> u64 {
    let magnitude = value.unsigned_abs() as u64;
    // Split a 64-bit integer into two parts, which are exact in `f64`, and round their sum to odd.
    let high = (magnitude >> 32) as f64 * 4_294_967_296.0;
    let low = (magnitude & 0xffff_ffff) as f64;
    let (high, low) = if value < 0 {
        (-high, -low)
    } else {
        (high, low)
    };
    let saturated = |value: f64| {
        if mode.saturate {
            value.clamp(0.0, 1.0) + 0.0
        } else {
            value
        }
    };
    if value == 0 {
        return 0;
    }
    match to {
        ScalarType::F64 => saturated(softfloat::add64(high, low, mode.round)).to_bits(),
        ScalarType::F32 => {
            let exact = saturated(softfloat::add_odd(high, low));
            u64::from(softfloat::narrow(exact, mode.round).to_bits())
        }
        _ => format_of(to).map_or(0, |format| {
            u64::from(softfloat::pack(
                format,
                saturated(softfloat::add_odd(high, low)),
                mode.round,
            ))
        }),
    }
}

/// Returns the numeric value of the bits of a floating-point type. Subnormals are flushed if `mode` specifies flushing.
fn float(ty: ScalarType, bits: u64, mode: FloatMode) -> f64 {
    match ty {
        ScalarType::F64 => f64::from_bits(bits),
        ScalarType::F32 => {
            let value = f32::from_bits(bits as u32);
            if mode.ftz && value.is_subnormal() {
                0.0f64.copysign(f64::from(value))
            } else {
                f64::from(value)
            }
        }
        _ => format_of(ty).map_or(0.0, |format| format.value(bits as u32)),
    }
}

fn float_to_integer(value: f64, from: ScalarType, to: ScalarType, mode: FloatMode) -> u64 {
    let keep = u64::MAX >> (64 - to.width_bits().clamp(1, 64));
    if value.is_nan() {
        // If the source or the destination has 64 bits, the hardware converts a NaN to an integer with only the most
        // significant bit set. Otherwise, it converts a NaN to 0.
        let top = to.width_bits() == 64 || from == ScalarType::F64;
        return if top {
            1 << (to.width_bits().clamp(1, 64) - 1)
        } else {
            0
        };
    }
    let integer = softfloat::to_integral(value, mode.round);
    let (low, high) = range(to);
    // The clamp is exact, because `as` saturates at the limits of `i128`, which exceed the range of the type.
    (integer as i128).clamp(low, high) as u64 & keep
}

fn float_to_float(conversion: &Conversion, bits: u64, mode: FloatMode) -> u64 {
    let (from, to) = (conversion.from, conversion.to);
    let mut value = float(from, bits, mode);
    let integral = matches!(
        conversion.mode.rounding,
        Some(
            warpgrid_isa::Rounding::Rni
                | warpgrid_isa::Rounding::Rzi
                | warpgrid_isa::Rounding::Rmi
                | warpgrid_isa::Rounding::Rpi
        )
    );
    if integral {
        value = softfloat::to_integral(value, mode.round);
    }
    if mode.saturate {
        value = if value.is_nan() {
            0.0
        } else {
            value.clamp(0.0, 1.0) + 0.0
        };
    }
    if mode.relu && value < 0.0 {
        value = 0.0;
    }
    let round = if integral {
        RoundingMode::Nearest
    } else {
        mode.round
    };
    match to {
        ScalarType::F64 if value.is_nan() => wide_nan(from, bits, mode),
        ScalarType::F64 => value.to_bits(),
        // The hardware implements this conversion as a shift, which preserves the bits of a NaN. With `.ftz`, the
        // hardware uses a floating-point instruction instead.
        ScalarType::F32
            if value.is_nan() && from == ScalarType::Bf16 && !mode.ftz && !mode.relu =>
        {
            (bits & 0xffff) << 16
        }
        ScalarType::F32 if value.is_nan() && from == ScalarType::F64 && !mode.relu => {
            bits >> 32 & 1 << 31 | 0x7fc0_0000 | bits >> 29 & 0x7f_ffff
        }
        ScalarType::F32 if value.is_nan() => u64::from(NAN_32),
        ScalarType::F32 => {
            let narrow = softfloat::narrow(value, round);
            match mode.ftz && is_tiny(value, round) {
                true => u64::from(0.0f32.copysign(value as f32).to_bits()),
                false => u64::from(narrow.to_bits()),
            }
        }
        ScalarType::F16 | ScalarType::Bf16 if conversion.mode.relu || conversion.mode.satfinite => {
            narrow_float::convert_one(conversion, value).map_or(0, u64::from)
        }
        ScalarType::F16 if value.is_nan() && from == ScalarType::F64 => {
            bits >> 48 & 1 << 15 | 0x7e00 | bits >> 42 & 0x3ff
        }
        _ => format_of(to).map_or(0, |format| u64::from(softfloat::pack(format, value, round))),
    }
}

/// Checks whether the result of a conversion to 32 bits is flushed. The hardware flushes a result if the value, rounded
/// to 24 bits with an unbounded exponent, is below the smallest normal number (IEEE 754, 7.5 b; code of assembler 13.5
/// for `sm_75` to `sm_100`, `.rn` measured on an H100).
fn is_tiny(value: f64, round: RoundingMode) -> bool {
    // Scale the value out of the subnormal range, in which the exponent limits the precision.
    const SCALE: f64 = (1u64 << 32) as f64;
    let smallest_normal = f64::from(f32::MIN_POSITIVE) * SCALE;
    value.abs() < f64::from(f32::MIN_POSITIVE)
        && f64::from(softfloat::narrow(value * SCALE, round)).abs() < smallest_normal
}

/// Converts a NaN to a quiet `f64` NaN with the same sign. The most significant fraction bits are the fraction bits of
/// the source. With `.ftz`, the result is derived from the canonical 32-bit NaN. Conversions of NaN were measured on an
/// H100.
fn wide_nan(from: ScalarType, bits: u64, mode: FloatMode) -> u64 {
    let wide = |bits: u64, width: u32, fraction_bits: u32| {
        let sign = bits >> (width - 1) & 1;
        let fraction = bits & ((1 << fraction_bits) - 1);
        sign << 63 | NAN_64 & !(1 << 63) | fraction << (52 - fraction_bits)
    };
    match from {
        ScalarType::F64 => bits | 1 << 51,
        ScalarType::F32 if mode.ftz => wide(u64::from(NAN_32), 32, 23),
        ScalarType::F32 => wide(bits & 0xffff_ffff, 32, 23),
        ScalarType::Bf16 => wide(bits & 0xffff, 16, 7),
        _ => wide(bits & 0xffff, 16, 10),
    }
}

/// Converts two `f32` numbers to a packed pair. The upper half of the pair contains the conversion of `a`.
pub(crate) fn convert_packed(
    l: &mut LaneRegisters<'_>,
    conversion: &Conversion,
    [d, a, b]: [OperandSlot; 3],
) {
    let (a, b) = (l.r32(a), l.r32(b));
    let mut row: Row32 = [0; LANES];
    for lane in 0..LANES {
        row[lane] = narrow_float::convert_two(conversion, a[lane], b[lane]).unwrap_or(0);
    }
    l.set32(d, &row);
}

/// Executes a conversion with random bits or scale factors: converts two or four `f32` numbers, or a packed pair, to a
/// packed register.
pub(crate) fn convert_by(
    l: &mut LaneRegisters<'_>,
    conversion: &Conversion,
    d: RegisterOperand,
    sources: &[RegisterOperand],
    beside: ConversionOperand,
    by: OperandSlot,
) {
    let by = *l.r32(by);
    let mut rows = [[0; LANES]; 4];
    for (row, source) in rows.iter_mut().zip(sources) {
        *row = read64(l, *source);
    }
    let n = sources.len().min(rows.len());
    let mut result = [0; LANES];
    for (lane, result) in result.iter_mut().enumerate() {
        let values = rows.map(|row| row[lane] as u32);
        let sources = values.get(..n).unwrap_or(&[]);
        let converted = narrow_float::convert_by(conversion, sources, beside, by[lane]);
        *result = converted.map_or(0, u64::from);
    }
    write64(l, d, &result);
}
