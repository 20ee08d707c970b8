//! Comparisons, selections, conversions, packing (PTX ISA, "Comparison and Selection Instructions",
//! "cvt", "mov").

use crate::decode::code::*;
use crate::exec::soft::{self, BF16, E4M3, E5M2, F16, Format, NAN_32, NAN_64, TF32};
use crate::state::registers::{FULL, LANES, Lanes, Row32, Row64, Row128, Slot};
use warpgrid_isa::{BoolOp, CompareOp, ScalarType, TypeKind};
use warpgrid_program::{Conversion, FloatTest, PredicateOp};

/// One bit a lane where the condition holds.
#[inline(always)]
fn mask_of<T: Copy>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> bool) -> u32 {
    let mut mask = 0;
    for lane in 0..LANES {
        mask |= u32::from(f(a[lane], b[lane])) << lane;
    }
    mask
}

/// Integers: all comparisons come from two, with the operands or the answer turned round.
#[inline(always)]
fn integers<T: Copy, V: Ord>(
    op: CompareOp,
    a: &[T; LANES],
    b: &[T; LANES],
    value: impl Fn(T) -> V,
) -> u32 {
    use CompareOp as C;
    let (a, b) = match op {
        C::Gt | C::Hi | C::Gtu | C::Le | C::Ls | C::Leu => (b, a),
        _ => (a, b),
    };
    let mask = match op {
        C::Eq | C::Equ | C::Ne | C::Neu => mask_of(a, b, |a, b| value(a) == value(b)),
        C::Num | C::Nan => FULL,
        _ => mask_of(a, b, |a, b| value(a) < value(b)),
    };
    match op {
        C::Ne | C::Neu | C::Le | C::Ls | C::Leu | C::Ge | C::Hs | C::Geu | C::Nan => !mask,
        _ => mask,
    }
}

/// Floats: as with integers; a comparison that a NaN makes true is the opposite of one that it makes false.
fn floats(op: CompareOp, a: &[f64; LANES], b: &[f64; LANES]) -> u32 {
    use CompareOp as C;
    let (a, b) = match op {
        C::Gt | C::Hi | C::Leu | C::Ge | C::Hs | C::Ltu => (b, a),
        _ => (a, b),
    };
    let mask = match op {
        C::Eq | C::Neu => mask_of(a, b, |a, b| a == b),
        C::Equ | C::Ne => mask_of(a, b, |a, b| a == b || a.is_nan() || b.is_nan()),
        C::Lt | C::Lo | C::Geu | C::Gt | C::Hi | C::Leu => mask_of(a, b, |a, b| a < b),
        C::Le | C::Ls | C::Gtu | C::Ge | C::Hs | C::Ltu => mask_of(a, b, |a, b| a <= b),
        C::Num | C::Nan => mask_of(a, b, |a, b| !a.is_nan() && !b.is_nan()),
    };
    match op {
        C::Neu | C::Ne | C::Geu | C::Gtu | C::Leu | C::Ltu | C::Nan => !mask,
        _ => mask,
    }
}

/// A row of floats of the compared kind.
fn float_values(l: &Lanes<'_>, c: &Comparison, slot: Slot) -> [f64; LANES] {
    let mut row = [0.0; LANES];
    if c.kind == CompareKind::F64 {
        let bits = l.r64(slot);
        for lane in 0..LANES {
            row[lane] = f64::from_bits(bits[lane]);
        }
        return row;
    }
    let bits = l.r32(slot);
    for lane in 0..LANES {
        row[lane] = match c.kind {
            CompareKind::F16 => F16.unpack(bits[lane] & 0xffff),
            CompareKind::Bf16 => BF16.unpack(bits[lane] & 0xffff),
            _ => match f32::from_bits(bits[lane]) {
                value if c.ftz && value.is_subnormal() => 0.0,
                value => f64::from(value),
            },
        };
    }
    row
}

/// All lanes that compare true, active or not.
#[inline(never)]
fn compare(l: &Lanes<'_>, c: &Comparison) -> u32 {
    use CompareKind as K;
    // Moved to the top, 16 bits compare like 32.
    let shift = match c.kind {
        K::U16 | K::S16 => 16,
        _ => 0,
    };
    match c.kind {
        K::U32 | K::U16 => integers(c.op, l.r32(c.a), l.r32(c.b), |v| v << shift),
        K::S32 | K::S16 => integers(c.op, l.r32(c.a), l.r32(c.b), |v| (v << shift) as i32),
        K::U64 => integers(c.op, l.r64(c.a), l.r64(c.b), |v| v),
        K::S64 => integers(c.op, l.r64(c.a), l.r64(c.b), |v| v as i64),
        _ => floats(c.op, &float_values(l, c, c.a), &float_values(l, c, c.b)),
    }
}

#[inline(always)]
fn combined(l: &Lanes<'_>, result: u32, combine: Option<Combine>) -> u32 {
    let Some(combine) = combine else {
        return result;
    };
    let other = l.predicate(combine.slot);
    let other = if combine.negated { !other } else { other };
    match combine.op {
        BoolOp::And => result & other,
        BoolOp::Or => result | other,
        BoolOp::Xor => result ^ other,
    }
}

/// `setp`
#[inline]
pub(crate) fn set_predicate(
    l: &mut Lanes<'_>,
    comparison: &Comparison,
    d: Slot,
    q: Slot,
    combine: Option<Combine>,
) {
    let result = compare(l, comparison);
    let (p, n) = (combined(l, result, combine), combined(l, !result, combine));
    if d.is_some() {
        l.set_predicate(d, p);
    }
    if q.is_some() {
        l.set_predicate(q, n);
    }
}

/// `set`
pub(crate) fn set(
    l: &mut Lanes<'_>,
    comparison: &Comparison,
    to: ScalarType,
    d: Slot,
    combine: Option<Combine>,
) {
    let result = combined(l, compare(l, comparison), combine);
    let yes = match to {
        ScalarType::F32 => 1.0f32.to_bits(),
        ScalarType::F16 => F16.pack(1.0, Round::Nearest),
        ScalarType::Bf16 => BF16.pack(1.0, Round::Nearest),
        _ if to.width_bits() == 16 => 0xffff,
        _ => u32::MAX,
    };
    let mut row = [0; LANES];
    for (lane, value) in row.iter_mut().enumerate() {
        *value = if result >> lane & 1 != 0 { yes } else { 0 };
    }
    l.set32(d, &row);
}

/// `testp`
pub(crate) fn test_float(l: &mut Lanes<'_>, test: FloatTest, wide: bool, d: Slot, a: Slot) {
    let classify = |class: std::num::FpCategory| {
        use std::num::FpCategory as C;
        match test {
            FloatTest::Finite => !matches!(class, C::Nan | C::Infinite),
            FloatTest::Infinite => class == C::Infinite,
            FloatTest::Number => class != C::Nan,
            FloatTest::NotANumber => class == C::Nan,
            // Zero counts as normal (PTX ISA, "testp").
            FloatTest::Normal => matches!(class, C::Normal | C::Zero),
            FloatTest::Subnormal => class == C::Subnormal,
        }
    };
    let result = if wide {
        let a = l.r64(a);
        mask_of(a, a, |v, _| classify(f64::from_bits(v).classify()))
    } else {
        let a = l.r32(a);
        mask_of(a, a, |v, _| classify(f32::from_bits(v).classify()))
    };
    l.set_predicate(d, result);
}

/// `selp` on up to 32 bits.
pub(crate) fn select32(l: &mut Lanes<'_>, [d, a, b, p]: [Slot; 4]) {
    let (a, b, p) = (l.r32(a), l.r32(b), l.predicate(p));
    let mut row = [0; LANES];
    for lane in 0..LANES {
        row[lane] = if p & (1 << lane) != 0 {
            a[lane]
        } else {
            b[lane]
        };
    }
    l.set32(d, &row);
}

/// `selp` on 64 bits.
pub(crate) fn select64(l: &mut Lanes<'_>, [d, a, b, p]: [Slot; 4]) {
    let (a, b, p) = (l.r64(a), l.r64(b), l.predicate(p));
    let mut row = [0; LANES];
    for lane in 0..LANES {
        row[lane] = if p & (1 << lane) != 0 {
            a[lane]
        } else {
            b[lane]
        };
    }
    l.set64(d, &row);
}

/// `slct`: a where c >= 0 (a NaN is not).
pub(crate) fn select_sign(l: &mut Lanes<'_>, d: Element, [a, b, c]: [Slot; 3], float: bool) {
    let c = l.r32(c);
    let p = mask_of(c, c, |c, _| {
        if float {
            f32::from_bits(c) >= 0.0
        } else {
            c as i32 >= 0
        }
    });
    let mask = l.mask;
    match d.bank {
        Bank::B64 => {
            let mut row = *l.r64(b);
            for lane in crate::state::registers::lanes_of(p) {
                row[lane] = l.r64(a)[lane];
            }
            l.set64(d.slot, &row);
        }
        _ => {
            let mut row = *l.r32(b);
            for lane in crate::state::registers::lanes_of(p) {
                row[lane] = l.r32(a)[lane];
            }
            l.set32(d.slot, &row);
        }
    }
    l.mask = mask;
}

/// `and.pred` and relatives.
pub(crate) fn predicate_logic(l: &mut Lanes<'_>, op: PredicateOp, [d, a, b]: [Slot; 3]) {
    let (a, b) = (l.predicate(a), l.predicate(b));
    let result = match op {
        PredicateOp::And => a & b,
        PredicateOp::Or => a | b,
        PredicateOp::Xor => a ^ b,
        PredicateOp::Not => !a,
    };
    l.set_predicate(d, result);
}

/// The low 64 bits of an element, whatever its bank.
pub(crate) fn read64(l: &Lanes<'_>, e: Element) -> Row64 {
    let mut row = [0; LANES];
    match e.bank {
        _ if !e.slot.is_some() => {}
        Bank::B64 => row = *l.r64(e.slot),
        Bank::B32 => {
            for (r, v) in row.iter_mut().zip(l.r32(e.slot)) {
                *r = u64::from(*v);
            }
        }
        Bank::B128 => {
            for (r, v) in row.iter_mut().zip(l.r128(e.slot)) {
                *r = *v as u64;
            }
        }
        Bank::Predicate => {
            let p = l.predicate(e.slot);
            for (lane, r) in row.iter_mut().enumerate() {
                *r = u64::from(p >> lane & 1);
            }
        }
    }
    row
}

/// All bits of an element.
pub(crate) fn read128(l: &Lanes<'_>, e: Element) -> Row128 {
    if e.bank == Bank::B128 && e.slot.is_some() {
        return *l.r128(e.slot);
    }
    read64(l, e).map(u128::from)
}

/// Writes an element; bits beyond the register's width are cut off.
pub(crate) fn write64(l: &mut Lanes<'_>, e: Element, row: &Row64) {
    if !e.slot.is_some() {
        return;
    }
    match e.bank {
        Bank::B64 => l.set64(e.slot, row),
        Bank::B32 => {
            let keep = u32::MAX >> (32 - e.bits.clamp(1, 32));
            l.set32(e.slot, &row.map(|v| v as u32 & keep));
        }
        Bank::B128 => l.set128(e.slot, &row.map(u128::from)),
        Bank::Predicate => {
            let mask = mask_of(row, row, |v, _| v & 1 != 0);
            l.set_predicate(e.slot, mask);
        }
    }
}

/// As [`write64`] with all bits.
pub(crate) fn write128(l: &mut Lanes<'_>, e: Element, row: &Row128) {
    if e.bank == Bank::B128 && e.slot.is_some() {
        l.set128(e.slot, row);
    } else {
        write64(l, e, &row.map(|v| v as u64));
    }
}

/// `mov.b64 d, {a, b}`
pub(crate) fn pack(l: &mut Lanes<'_>, d: Element, elements: &[Element], bits: u32) {
    let mut row: Row128 = [0; LANES];
    for (index, element) in elements.iter().enumerate() {
        let keep = u128::MAX >> (128 - bits.clamp(1, 128));
        let values = read128(l, *element);
        for (r, v) in row.iter_mut().zip(&values) {
            *r |= (v & keep) << (index as u32 * bits).min(127);
        }
    }
    write128(l, d, &row);
}

/// `mov.b64 {a, b}, d`
pub(crate) fn unpack(l: &mut Lanes<'_>, a: Element, elements: &[Element], bits: u32) {
    let row = read128(l, a);
    let keep = u128::MAX >> (128 - bits.clamp(1, 128));
    for (index, element) in elements.iter().enumerate() {
        let shift = (index as u32 * bits).min(127);
        write128(l, *element, &row.map(|v| v >> shift & keep));
    }
}

/// `cvta` between windows.
pub(crate) fn offset(l: &mut Lanes<'_>, d: Element, a: Element, addend: u64) {
    let row = read64(l, a).map(|v| v.wrapping_add(addend));
    write64(l, d, &row);
}

/// `cvt`
pub(crate) fn convert(l: &mut Lanes<'_>, conversion: &Conversion, d: Element, a: Element) {
    if matches!(
        conversion.to.kind(),
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed
    ) && conversion.from.width_bits() == 128
    {
        let row = read128(l, a);
        return write128(l, d, &row);
    }
    let rows = read64(l, a);
    let mut row = frequent(conversion, &rows).unwrap_or_else(|| {
        let mut row = [0; LANES];
        for (r, v) in row.iter_mut().zip(&rows) {
            *r = convert_one(conversion, *v);
        }
        row
    });
    // A signed result is extended to a register that is wider than it.
    if conversion.to.is_signed() && conversion.to.width_bits() < 64 {
        let shift = 64 - conversion.to.width_bits();
        for r in &mut row {
            *r = ((*r << shift) as i64 >> shift) as u64;
        }
    }
    write64(l, d, &row);
}

/// Conversions that the host does as the machine does them.
fn frequent(conversion: &Conversion, rows: &Row64) -> Option<Row64> {
    use ScalarType as T;
    use warpgrid_isa::Rounding as R;
    let (from, to, mode) = (conversion.from, conversion.to, conversion.mode);
    if mode.saturate || mode.ftz || mode.relu {
        return None;
    }
    if from.is_integer() && to.is_integer() {
        let shift = 64 - from.width_bits().clamp(1, 64);
        let keep = u64::MAX >> (64 - to.width_bits().clamp(1, 64));
        return Some(if from.is_signed() {
            rows.map(|v| ((v << shift) as i64 >> shift) as u64 & keep)
        } else {
            rows.map(|v| (v << shift >> shift) & keep)
        });
    }
    let f = |v: u64| f32::from_bits(v as u32);
    let bits = |v: f32| u64::from(v.to_bits());
    Some(match (from, to, mode.rounding) {
        (T::S32, T::F32, None | Some(R::Rn)) => rows.map(|v| bits(v as u32 as i32 as f32)),
        (T::U32, T::F32, None | Some(R::Rn)) => rows.map(|v| bits(v as u32 as f32)),
        (T::S32, T::F64, _) => rows.map(|v| f64::from(v as u32 as i32).to_bits()),
        (T::U32, T::F64, _) => rows.map(|v| f64::from(v as u32).to_bits()),
        // `as` clamps, and gives 0 for a NaN, like the machine.
        (T::F32, T::S32, Some(R::Rzi)) => rows.map(|v| u64::from(f(v) as i32 as u32)),
        (T::F32, T::U32, Some(R::Rzi)) => rows.map(|v| u64::from(f(v) as u32)),
        _ => return None,
    })
}

/// The format of a small float type.
pub(crate) fn format_of(ty: ScalarType) -> Option<Format> {
    Some(match ty {
        ScalarType::F16 | ScalarType::F16x2 => F16,
        ScalarType::Bf16 | ScalarType::Bf16x2 => BF16,
        ScalarType::Tf32 => TF32,
        ScalarType::E4m3 | ScalarType::E4m3x2 => E4M3,
        ScalarType::E5m2 | ScalarType::E5m2x2 => E5M2,
        _ => return None,
    })
}

/// One value of `cvt`: integers are cut to their width, floats are exact or rounded once.
fn convert_one(conversion: &Conversion, bits: u64) -> u64 {
    let (from, to) = (conversion.from, conversion.to);
    let mode = FloatMode::from(conversion.mode);
    match (from.is_float(), to.is_float()) {
        (false, false) => integer_to_integer(integer(from, bits), to, mode.saturate),
        (false, true) => integer_to_float(integer(from, bits), to, mode),
        (true, false) => float_to_integer(float(from, bits, mode), from, to, mode),
        (true, true) => float_to_float(conversion, bits, mode),
    }
}

/// The value of an integer of a type.
fn integer(ty: ScalarType, bits: u64) -> i128 {
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

fn integer_to_integer(value: i128, to: ScalarType, saturate: bool) -> u64 {
    let (low, high) = range(to);
    let value = if saturate {
        value.clamp(low, high)
    } else {
        value
    };
    (value as u64) & (u64::MAX >> (64 - to.width_bits().clamp(1, 64)))
}

fn integer_to_float(value: i128, to: ScalarType, mode: FloatMode) -> u64 {
    let magnitude = value.unsigned_abs() as u64;
    // 64-bit integers are split, so that f64 holds each part; the sum is rounded to odd.
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
        ScalarType::F64 => saturated(soft::add64(high, low, mode.round)).to_bits(),
        ScalarType::F32 => {
            let exact = saturated(soft::add_odd(high, low));
            u64::from(soft::narrow(exact, mode.round).to_bits())
        }
        _ => format_of(to).map_or(0, |format| {
            u64::from(format.pack(saturated(soft::add_odd(high, low)), mode.round))
        }),
    }
}

/// The value of a float of a type, flushed when the mode says so.
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
        _ => format_of(ty).map_or(0.0, |format| format.unpack(bits as u32)),
    }
}

fn float_to_integer(value: f64, from: ScalarType, to: ScalarType, mode: FloatMode) -> u64 {
    let keep = u64::MAX >> (64 - to.width_bits().clamp(1, 64));
    if value.is_nan() {
        // The machine gives 0 for 8, 16 and 32 bits, and the top bit for 64 bits from f64 and f32.
        let top = to.width_bits() == 64 && !matches!(from, ScalarType::F16 | ScalarType::Bf16);
        return if top { 1 << 63 } else { 0 };
    }
    let whole = soft::to_integral(value, mode.round);
    let (low, high) = range(to);
    // `as` clamps, so the clamp to the type is exact.
    (whole as i128).clamp(low, high) as u64 & keep
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
        value = soft::to_integral(value, mode.round);
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
    let round = if integral { Round::Nearest } else { mode.round };
    match to {
        ScalarType::F64 if value.is_nan() => match from {
            ScalarType::F64 => bits | 1 << 51,
            _ => NAN_64 & !(1 << 63),
        },
        ScalarType::F64 => value.to_bits(),
        ScalarType::F32 if value.is_nan() => u64::from(NAN_32),
        ScalarType::F32 => {
            let narrow = soft::narrow(value, round);
            if mode.ftz && narrow.is_subnormal() {
                u64::from(narrow.to_bits() & (1 << 31))
            } else {
                u64::from(narrow.to_bits())
            }
        }
        ScalarType::Tf32 => u64::from(TF32.pack(value, round)) << 13,
        _ => format_of(to).map_or(0, |format| u64::from(small(format, value, round))),
    }
}

/// Rounds to a small format; the 8-bit ones saturate to their largest (`.satfinite`).
fn small(format: Format, value: f64, round: Round) -> u32 {
    let packed = format.pack(value, round);
    let eight_bits = format.exponent_bits + format.fraction_bits < 8;
    if eight_bits && !value.is_nan() && packed & !format.sign() > format.largest() {
        packed & format.sign() | format.largest()
    } else {
        packed
    }
}

/// Two f32 to one register: a in the high half.
pub(crate) fn convert_packed(l: &mut Lanes<'_>, conversion: &Conversion, [d, a, b]: [Slot; 3]) {
    let mode = FloatMode::from(conversion.mode);
    let Some(format) = format_of(conversion.to) else {
        return;
    };
    let bits = conversion.to.width_bits() / 2;
    let one = |v: u32| {
        let mut value = float(ScalarType::F32, u64::from(v), mode);
        if mode.relu && value < 0.0 {
            value = 0.0;
        }
        small(format, value, mode.round)
    };
    let (a, b) = (l.r32(a), l.r32(b));
    let mut row: Row32 = [0; LANES];
    for lane in 0..LANES {
        row[lane] = one(a[lane]) << bits | one(b[lane]);
    }
    l.set32(d, &row);
}
