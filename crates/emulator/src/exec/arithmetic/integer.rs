//! Integer arithmetic, logic, shifts and bit fields (PTX ISA, "Integer Arithmetic Instructions",
//! "Logic and Shift Instructions").

use crate::code::CarryMode;
use crate::semantics::ops::{
    CarryOp, CountOp, Int16Op, Int32Op, Int64Op, IntOp, Overflow, PackedOp, ShiftOp,
};
use crate::semantics::registers::{LANES, Lanes, Row32, Row64, Slot};
use warpgrid_isa::PermuteMode;

#[inline(always)]
fn one<A: Copy, R>(row: &mut [R; LANES], a: &[A; LANES], f: impl Fn(A) -> R) {
    for lane in 0..LANES {
        row[lane] = f(a[lane]);
    }
}

#[inline(always)]
fn two<A: Copy, B: Copy, R>(
    row: &mut [R; LANES],
    a: &[A; LANES],
    b: &[B; LANES],
    f: impl Fn(A, B) -> R,
) {
    for lane in 0..LANES {
        row[lane] = f(a[lane], b[lane]);
    }
}

#[inline(always)]
fn three<A: Copy, B: Copy, C: Copy, R>(
    row: &mut [R; LANES],
    a: &[A; LANES],
    b: &[B; LANES],
    c: &[C; LANES],
    f: impl Fn(A, B, C) -> R,
) {
    for lane in 0..LANES {
        row[lane] = f(a[lane], b[lane], c[lane]);
    }
}

macro_rules! plain {
    ($name:ident, $word:ident, $signed:ident, $mul_hi:ident) => {
        /// Operations that differ only in their width.
        #[inline(always)]
        fn $name(
            row: &mut [$word; LANES],
            f: IntOp,
            signed: bool,
            [a, b, c]: [&[$word; LANES]; 3],
        ) {
            use IntOp as A;
            match f {
                A::Add => two(row, a, b, $word::wrapping_add),
                A::Sub => two(row, a, b, $word::wrapping_sub),
                A::MulLo => two(row, a, b, $word::wrapping_mul),
                A::MulHi => two(row, a, b, |a, b| $mul_hi(a, b, signed)),
                A::MadHi => three(row, a, b, c, |a, b, c| {
                    $mul_hi(a, b, signed).wrapping_add(c)
                }),
                A::MadLo => three(row, a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
                A::Sad if signed => three(row, a, b, c, |a, b, c| {
                    c.wrapping_add((a as $signed).abs_diff(b as $signed))
                }),
                A::Sad => three(row, a, b, c, |a, b, c| c.wrapping_add(a.abs_diff(b))),
                A::Div if signed => two(row, a, b, |a, b| match b {
                    0 => $word::MAX,
                    _ => (a as $signed).wrapping_div(b as $signed) as $word,
                }),
                A::Div => two(row, a, b, |a, b| a.checked_div(b).unwrap_or($word::MAX)),
                A::Rem if signed => two(row, a, b, |a, b| match b {
                    0 => $word::MAX,
                    _ => (a as $signed).wrapping_rem(b as $signed) as $word,
                }),
                A::Rem => two(row, a, b, |a, b| a.checked_rem(b).unwrap_or($word::MAX)),
                A::Abs => one(row, a, |a| (a as $signed).wrapping_abs() as $word),
                A::Neg => one(row, a, $word::wrapping_neg),
                A::Min if signed => {
                    two(row, a, b, |a, b| (a as $signed).min(b as $signed) as $word)
                }
                A::Min => two(row, a, b, Ord::min),
                A::Max if signed => {
                    two(row, a, b, |a, b| (a as $signed).max(b as $signed) as $word)
                }
                A::Max => two(row, a, b, Ord::max),
                A::And => two(row, a, b, |a, b| a & b),
                A::Or => two(row, a, b, |a, b| a | b),
                A::Xor => two(row, a, b, |a, b| a ^ b),
                A::Not => one(row, a, |a| !a),
                A::Cnot => one(row, a, |a| $word::from(a == 0)),
            }
        }
    };
}

plain!(plain32, u32, i32, mul_hi_32);
plain!(plain64, u64, i64, mul_hi_64);

/// Operations on 32-bit registers.
#[inline(always)]
pub(crate) fn int32(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: Int32Op,
    signed: bool,
    [d, a, b, c]: [Slot; 4],
) {
    use Int32Op as A;
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    match f {
        A::Plain(f) => plain32(row, f, signed, [a, b, c]),
        A::AddSaturated if !signed => two(row, a, b, u32::saturating_add),
        A::SubSaturated if !signed => two(row, a, b, u32::saturating_sub),
        A::AddSaturated => two(row, a, b, |a, b| (a as i32).saturating_add(b as i32) as u32),
        A::SubSaturated => two(row, a, b, |a, b| (a as i32).saturating_sub(b as i32) as u32),
        A::MadHiSaturated => three(row, a, b, c, |a, b, c| {
            (mul_hi_32(a, b, true) as i32).saturating_add(c as i32) as u32
        }),
        A::Mul24Lo => two(row, a, b, |a, b| mul24(a, b, signed) as u32),
        A::Mul24Hi => two(row, a, b, |a, b| (mul24(a, b, signed) >> 16) as u32),
        A::Mad24Lo => three(row, a, b, c, |a, b, c| {
            (mul24(a, b, signed) as u32).wrapping_add(c)
        }),
        A::Mad24Hi => three(row, a, b, c, |a, b, c| {
            ((mul24(a, b, signed) >> 16) as u32).wrapping_add(c)
        }),
        A::Mad24HiSaturated => three(row, a, b, c, |a, b, c| {
            ((mul24(a, b, signed) >> 16) as i32).saturating_add(c as i32) as u32
        }),
        A::Lop3(table) => lop3(row, a, b, c, table),
        A::Shl => two(row, a, b, |a, b| if b > 31 { 0 } else { a << b }),
        A::Shr if signed => two(row, a, b, |a, b| ((a as i32) >> b.min(31)) as u32),
        A::Shr => two(row, a, b, |a, b| if b > 31 { 0 } else { a >> b }),
        A::ShfLeft(overflow) => three(row, a, b, c, |a, b, c| {
            let wide = (u64::from(b) << 32) | u64::from(a);
            ((wide << amount(c, overflow)) >> 32) as u32
        }),
        A::ShfRight(overflow) => three(row, a, b, c, |a, b, c| {
            let wide = (u64::from(b) << 32) | u64::from(a);
            (wide >> amount(c, overflow)) as u32
        }),
        A::Count(CountOp::Popc) => one(row, a, u32::count_ones),
        A::Count(CountOp::Clz) => one(row, a, u32::leading_zeros),
        A::Count(CountOp::Bfind) => one(row, a, |a| find_msb(magnitude32(a, signed))),
        A::Count(CountOp::BfindShiftAmount) => {
            one(row, a, |a| shift_to_top(magnitude32(a, signed), 31));
        }
        A::Brev => one(row, a, u32::reverse_bits),
        A::Bfe => three(row, a, b, c, |a, b, c| {
            extract(u64::from(a), b, c, 32, signed) as u32
        }),
        A::Fns => three(row, a, b, c, find_nth),
        A::Szext(overflow) => two(row, a, b, |a, b| {
            extract(u64::from(a), 0, amount(b, overflow), 32, signed) as u32
        }),
        A::Bmsk(overflow) => two(row, a, b, |a, b| {
            let ones = (1u64 << amount(b, overflow)) - 1;
            (ones << amount(a, overflow)) as u32
        }),
        A::Prmt => three(row, a, b, c, permute),
        A::PrmtMode(mode) => three(row, a, b, c, |a, b, c| permute(a, b, selector(mode, c))),
        A::Dp4a { a_signed, b_signed } => three(row, a, b, c, |a, b, c| {
            (0..4).fold(c, |sum, i| {
                let x = part(a, 8 * i, 8, a_signed);
                sum.wrapping_add(x.wrapping_mul(part(b, 8 * i, 8, b_signed)))
            })
        }),
        A::Dp2a {
            a_signed,
            b_signed,
            high,
        } => three(row, a, b, c, |a, b, c| {
            let start = if high { 16 } else { 0 };
            (0..2).fold(c, |sum, i| {
                let x = part(a, 16 * i, 16, a_signed);
                sum.wrapping_add(x.wrapping_mul(part(b, start + 8 * i, 8, b_signed)))
            })
        }),
    }
    l.set32(d, row);
}

/// A shift amount of up to 32.
#[inline(always)]
fn amount(n: u32, overflow: Overflow) -> u32 {
    match overflow {
        Overflow::Clamp => n.min(32),
        Overflow::Wrap => n & 31,
    }
}

/// Operations on 16-bit registers, which live in the low half of 32-bit rows.
pub(crate) fn int16(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: Int16Op,
    signed: bool,
    [d, a, b, c]: [Slot; 4],
) {
    use IntOp as A;
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    let widen = |v: u32| {
        if signed {
            v as u16 as i16 as i32 as u32
        } else {
            v & 0xffff
        }
    };
    match f {
        Int16Op::Shl => two(row, a, b, |a, b| if b > 15 { 0 } else { a << b }),
        Int16Op::Shr => two(row, a, b, |a, b| ((widen(a) as i32) >> b.min(31)) as u32),
        Int16Op::Plain(f) => match f {
            A::Add => two(row, a, b, u32::wrapping_add),
            A::Sub => two(row, a, b, u32::wrapping_sub),
            A::MulHi => two(row, a, b, |a, b| widen(a).wrapping_mul(widen(b)) >> 16),
            A::MulLo => two(row, a, b, u32::wrapping_mul),
            A::MadHi => three(row, a, b, c, |a, b, c| {
                (widen(a).wrapping_mul(widen(b)) >> 16).wrapping_add(c)
            }),
            A::MadLo => three(row, a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            A::Sad => three(row, a, b, c, |a, b, c| {
                c.wrapping_add((widen(a) as i32).abs_diff(widen(b) as i32))
            }),
            A::Div => two(row, a, b, |a, b| match widen(b) {
                0 => u32::MAX,
                b => (widen(a) as i32).wrapping_div(b as i32) as u32,
            }),
            A::Rem => two(row, a, b, |a, b| match widen(b) {
                0 => u32::MAX,
                b => (widen(a) as i32).wrapping_rem(b as i32) as u32,
            }),
            A::Abs => one(row, a, |a| (a as u16 as i16).wrapping_abs() as u32),
            A::Neg => one(row, a, u32::wrapping_neg),
            A::Min => two(row, a, b, |a, b| {
                (widen(a) as i32).min(widen(b) as i32) as u32
            }),
            A::Max => two(row, a, b, |a, b| {
                (widen(a) as i32).max(widen(b) as i32) as u32
            }),
            A::And => two(row, a, b, |a, b| a & b),
            A::Or => two(row, a, b, |a, b| a | b),
            A::Xor => two(row, a, b, |a, b| a ^ b),
            A::Not => one(row, a, |a| !a),
            A::Cnot => one(row, a, |a| u32::from(a & 0xffff == 0)),
        },
    }
    for r in row.iter_mut() {
        *r &= 0xffff;
    }
    l.set32(d, row);
}

/// `fns`: the bit that is the n-th one set in a mask, counted from a bit on, upwards or downwards; all ones where there is
/// none.
fn find_nth(mask: u32, base: u32, offset: u32) -> u32 {
    let is_set = |bit: u32| mask >> bit & 1 != 0;
    let offset = offset as i32;
    let n = (offset.unsigned_abs().max(1) - 1) as usize;
    let found = match offset {
        _ if base > 31 => None,
        0 => is_set(base).then_some(base),
        1.. => (base..32).filter(|bit| is_set(*bit)).nth(n),
        _ => (0..=base).rev().filter(|bit| is_set(*bit)).nth(n),
    };
    found.unwrap_or(u32::MAX)
}

/// Two 16-bit integers in each 32-bit register.
pub(crate) fn int16x2(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: PackedOp,
    signed: bool,
    [d, a, b]: [Slot; 3],
) {
    use PackedOp as A;
    let (a, b) = (l.r32(a), l.r32(b));
    let half = |a: u16, b: u16| match f {
        A::Add => a.wrapping_add(b),
        A::Sub => a.wrapping_sub(b),
        A::AddSaturated if signed => (a as i16).saturating_add(b as i16) as u16,
        A::AddSaturated => a.saturating_add(b),
        A::SubSaturated if signed => (a as i16).saturating_sub(b as i16) as u16,
        A::SubSaturated => a.saturating_sub(b),
        A::Mul => a.wrapping_mul(b),
        A::Neg => a.wrapping_neg(),
        A::Abs => (a as i16).wrapping_abs() as u16,
        A::Min if signed => (a as i16).min(b as i16) as u16,
        A::Min => a.min(b),
        A::Max if signed => (a as i16).max(b as i16) as u16,
        A::Max => a.max(b),
    };
    two(row, a, b, |a, b| {
        u32::from(half(a as u16, b as u16))
            | u32::from(half((a >> 16) as u16, (b >> 16) as u16)) << 16
    });
    l.set32(d, row);
}

/// Four 8-bit integers in each 32-bit register.
pub(crate) fn int8x4(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: PackedOp,
    signed: bool,
    [d, a, b]: [Slot; 3],
) {
    use PackedOp as A;
    let (a, b) = (l.r32(a), l.r32(b));
    let byte = |a: u8, b: u8| match f {
        A::Add => a.wrapping_add(b),
        A::Sub => a.wrapping_sub(b),
        A::AddSaturated if signed => (a as i8).saturating_add(b as i8) as u8,
        A::AddSaturated => a.saturating_add(b),
        A::SubSaturated if signed => (a as i8).saturating_sub(b as i8) as u8,
        A::SubSaturated => a.saturating_sub(b),
        A::Mul => a.wrapping_mul(b),
        A::Neg => a.wrapping_neg(),
        A::Abs => (a as i8).wrapping_abs() as u8,
        A::Min if signed => (a as i8).min(b as i8) as u8,
        A::Min => a.min(b),
        A::Max if signed => (a as i8).max(b as i8) as u8,
        A::Max => a.max(b),
    };
    two(row, a, b, |a, b| {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        u32::from_le_bytes(std::array::from_fn(|at| byte(a[at], b[at])))
    });
    l.set32(d, row);
}

/// Operations on 64-bit registers.
#[inline(always)]
pub(crate) fn int64(
    l: &mut Lanes<'_>,
    row: &mut Row64,
    f: Int64Op,
    signed: bool,
    [d, a, b, c]: [Slot; 4],
) {
    let (a, b, c) = (l.r64(a), l.r64(b), l.r64(c));
    match f {
        Int64Op::Plain(f) => plain64(row, f, signed, [a, b, c]),
        Int64Op::Brev => one(row, a, u64::reverse_bits),
    }
    l.set64(d, row);
}

/// Shifts of 64-bit registers; amounts beyond 63 shift everything out.
#[inline(always)]
pub(crate) fn shift64(
    l: &mut Lanes<'_>,
    row: &mut Row64,
    f: ShiftOp,
    signed: bool,
    [d, a, b]: [Slot; 3],
) {
    let (a, b) = (l.r64(a), l.r32(b));
    match f {
        ShiftOp::Left => two(row, a, b, |a, b| if b > 63 { 0 } else { a << b }),
        ShiftOp::Right if signed => two(row, a, b, |a, b| ((a as i64) >> b.min(63)) as u64),
        ShiftOp::Right => two(row, a, b, |a, b| if b > 63 { 0 } else { a >> b }),
    }
    l.set64(d, row);
}

/// Counts in 64-bit registers.
pub(crate) fn count64(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: CountOp,
    signed: bool,
    [d, a]: [Slot; 2],
) {
    let a = l.r64(a);
    // A sign is not looked for, so a negative number counts as its complement.
    let magnitude = |a: u64| if signed && (a as i64) < 0 { !a } else { a };
    match f {
        CountOp::Popc => one(row, a, u64::count_ones),
        CountOp::Clz => one(row, a, u64::leading_zeros),
        CountOp::Bfind => one(row, a, |a| find_msb(magnitude(a))),
        CountOp::BfindShiftAmount => one(row, a, |a| shift_to_top(magnitude(a), 63)),
    }
    l.set32(d, row);
}

/// `bfe` on 64 bits.
pub(crate) fn extract64(l: &mut Lanes<'_>, row: &mut Row64, signed: bool, [d, a, b, c]: [Slot; 4]) {
    three(row, l.r64(a), l.r32(b), l.r32(c), |a, b, c| {
        extract(a, b, c, 64, signed)
    });
    l.set64(d, row);
}

/// `bfi.b32`
pub(crate) fn insert32(l: &mut Lanes<'_>, row: &mut Row32, [d, a, b, c, e]: [Slot; 5]) {
    let (a, b, c, e) = (l.r32(a), l.r32(b), l.r32(c), l.r32(e));
    for lane in 0..LANES {
        let (a, b) = (u64::from(a[lane]), u64::from(b[lane]));
        row[lane] = insert(a, b, c[lane], e[lane], 32) as u32;
    }
    l.set32(d, row);
}

/// `bfi.b64`
pub(crate) fn insert64(l: &mut Lanes<'_>, row: &mut Row64, [d, a, b, c, e]: [Slot; 5]) {
    let (a, b, c, e) = (l.r64(a), l.r64(b), l.r32(c), l.r32(e));
    for lane in 0..LANES {
        row[lane] = insert(a[lane], b[lane], c[lane], e[lane], 64);
    }
    l.set64(d, row);
}

/// Products twice as wide as their factors.
#[inline(always)]
pub(crate) fn wide32(l: &mut Lanes<'_>, row: &mut Row64, signed: bool, [d, a, b, c]: [Slot; 4]) {
    let (a, b) = (l.r32(a), l.r32(b));
    if signed {
        two(row, a, b, |a, b| {
            (i64::from(a as i32) * i64::from(b as i32)) as u64
        });
    } else {
        two(row, a, b, |a, b| u64::from(a) * u64::from(b));
    }
    if c.is_some() {
        let c = l.r64(c);
        for lane in 0..LANES {
            row[lane] = row[lane].wrapping_add(c[lane]);
        }
    }
    l.set64(d, row);
}

/// As [`wide32`], from 16 to 32 bits.
pub(crate) fn wide16(l: &mut Lanes<'_>, row: &mut Row32, signed: bool, [d, a, b, c]: [Slot; 4]) {
    let (a, b) = (l.r32(a), l.r32(b));
    if signed {
        two(row, a, b, |a, b| {
            (i32::from(a as i16) * i32::from(b as i16)) as u32
        });
    } else {
        two(row, a, b, |a, b| (a & 0xffff) * (b & 0xffff));
    }
    if c.is_some() {
        let c = l.r32(c);
        for lane in 0..LANES {
            row[lane] = row[lane].wrapping_add(c[lane]);
        }
    }
    l.set32(d, row);
}

/// `add.cc`, `subc`, `madc.hi` and relatives. A subtraction adds the complement and 1, as the machine does, so its flag is
/// set where nothing was borrowed; one chain may go through both.
pub(crate) fn carry32(
    l: &mut Lanes<'_>,
    row: &mut Row32,
    f: CarryOp,
    mode: CarryMode,
    [d, a, b, c]: [Slot; 4],
) {
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    let mut out = 0u32;
    for lane in 0..LANES {
        let flag = u64::from(mode.reads && *l.carry >> lane & 1 != 0);
        let taken = if mode.reads { flag } else { 1 };
        let (a, b, c) = (u64::from(a[lane]), u64::from(b[lane]), u64::from(c[lane]));
        let wide = match f {
            CarryOp::Add => a + b + flag,
            CarryOp::Sub => a + u64::from(!(b as u32)) + taken,
            CarryOp::MadLo => ((a * b) & 0xffff_ffff) + c + flag,
            CarryOp::MadHi => u64::from(mul_hi_32(a as u32, b as u32, mode.signed)) + c + flag,
        };
        row[lane] = wide as u32;
        out |= u32::from(wide >> 32 != 0) << lane;
    }
    if mode.writes {
        *l.carry = *l.carry & !l.mask | out & l.mask;
    }
    l.set32(d, row);
}

/// As [`carry32`], 64 bits wide.
pub(crate) fn carry64(
    l: &mut Lanes<'_>,
    row: &mut Row64,
    f: CarryOp,
    mode: CarryMode,
    [d, a, b, c]: [Slot; 4],
) {
    let (a, b, c) = (l.r64(a), l.r64(b), l.r64(c));
    let mut out = 0u32;
    for lane in 0..LANES {
        let flag = u128::from(mode.reads && *l.carry >> lane & 1 != 0);
        let taken = if mode.reads { flag } else { 1 };
        let (a, b, c) = (
            u128::from(a[lane]),
            u128::from(b[lane]),
            u128::from(c[lane]),
        );
        let wide = match f {
            CarryOp::Add => a + b + flag,
            CarryOp::Sub => a + u128::from(!(b as u64)) + taken,
            CarryOp::MadLo => u128::from((a as u64).wrapping_mul(b as u64)) + c + flag,
            CarryOp::MadHi => u128::from(mul_hi_64(a as u64, b as u64, mode.signed)) + c + flag,
        };
        row[lane] = wide as u64;
        out |= u32::from(wide >> 64 != 0) << lane;
    }
    if mode.writes {
        *l.carry = *l.carry & !l.mask | out & l.mask;
    }
    l.set64(d, row);
}

#[inline(always)]
fn mul_hi_32(a: u32, b: u32, signed: bool) -> u32 {
    if signed {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    } else {
        ((u64::from(a) * u64::from(b)) >> 32) as u32
    }
}

#[inline(always)]
fn mul_hi_64(a: u64, b: u64, signed: bool) -> u64 {
    if signed {
        ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
    } else {
        ((u128::from(a) * u128::from(b)) >> 64) as u64
    }
}

/// The product of the low 24 bits, 48 bits wide.
fn mul24(a: u32, b: u32, signed: bool) -> i64 {
    let widen = |v: u32| {
        if signed {
            i64::from((v << 8) as i32 >> 8)
        } else {
            i64::from(v & 0xff_ffff)
        }
    };
    widen(a).wrapping_mul(widen(b))
}

fn lop3(row: &mut Row32, a: &Row32, b: &Row32, c: &Row32, table: u8) {
    row.fill(0);
    for bit in 0..8u8 {
        if table >> bit & 1 == 0 {
            continue;
        }
        // Bit i of the table is the result for a, b, c = bits 2, 1, 0 of i.
        let flip = |n: u8| if bit >> n & 1 == 0 { u32::MAX } else { 0 };
        let (fa, fb, fc) = (flip(2), flip(1), flip(0));
        for lane in 0..LANES {
            row[lane] |= (a[lane] ^ fa) & (b[lane] ^ fb) & (c[lane] ^ fc);
        }
    }
}

/// The bits that `bfind` looks at: a sign is not looked for, so a negative number counts as its complement.
fn magnitude32(a: u32, signed: bool) -> u64 {
    u64::from(if signed && (a as i32) < 0 { !a } else { a })
}

fn find_msb(bits: u64) -> u32 {
    if bits == 0 {
        u32::MAX
    } else {
        63 - bits.leading_zeros()
    }
}

/// `bfind.shiftamt`
fn shift_to_top(bits: u64, top: u32) -> u32 {
    match find_msb(bits) {
        u32::MAX => u32::MAX,
        position => top - position,
    }
}

/// `bfe`: position and length count to 255; bits beyond the top are the sign, or zero.
fn extract(a: u64, position: u32, length: u32, bits: u32, signed: bool) -> u64 {
    let (position, length) = field(position, length, bits);
    if length == 0 {
        return 0;
    }
    let shift = 64 - length.min(bits);
    if !signed {
        return a.checked_shr(position).unwrap_or(0) << shift >> shift;
    }
    let wide = if bits == 32 {
        i64::from(a as u32 as i32)
    } else {
        a as i64
    };
    // The sign is that of the last bit within the operand.
    (wide >> position.min(63) << shift >> shift) as u64
}

/// Where a field is and how long it is: the low eight bits of both numbers (PTX ISA, "bfe"). Of 64 bits the machine has no such
/// instruction, and what the assembler makes takes them whole (13.5, all architectures).
fn field(position: u32, length: u32, bits: u32) -> (u32, u32) {
    match bits {
        64 => (position, length),
        _ => (position & 0xff, length & 0xff),
    }
}

/// `bfi`: the low `length` bits of `a` into `b`.
fn insert(a: u64, b: u64, position: u32, length: u32, bits: u32) -> u64 {
    let (position, length) = field(position, length, bits);
    let low = !u64::MAX.checked_shl(length.min(bits)).unwrap_or(0);
    let mask = low.checked_shl(position.min(bits)).unwrap_or(0);
    b & !mask | a << position.min(63) & mask
}

fn part(value: u32, start: u32, bits: u32, signed: bool) -> u32 {
    let top = value << (32 - start - bits);
    if signed {
        ((top as i32) >> (32 - bits)) as u32
    } else {
        top >> (32 - bits)
    }
}

/// `prmt` in its default mode: each nibble picks a byte of b:a, or its sign eight times.
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |row, i| {
        let nibble = selector >> (4 * i) & 15;
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 != 0 {
            ((byte as i8) >> 7) as u8
        } else {
            byte
        };
        row | u32::from(byte) << (8 * i)
    })
}

/// The selector of the default mode that does what a mode does (PTX ISA, "prmt").
fn selector(mode: PermuteMode, c: u32) -> u32 {
    let n = (c & 3) as usize;
    match mode {
        PermuteMode::F4e => [0x3210, 0x4321, 0x5432, 0x6543][n],
        PermuteMode::B4e => [0x5670, 0x6701, 0x7012, 0x0123][n],
        PermuteMode::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333][n],
        PermuteMode::Ecl => [0x3210, 0x3211, 0x3222, 0x3333][n],
        PermuteMode::Ecr => [0x0000, 0x1110, 0x2210, 0x3210][n],
        PermuteMode::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232][n],
    }
}
