//! Video instructions: arithmetic on bytes, half words and words of registers (PTX ISA, "Scalar Video Instructions",
//! "SIMD Video Instructions").

use crate::decode::code::VideoPlan;
use crate::state::registers::{LANES, Lanes, Row32};
use warpgrid_isa::video::Parts;
use warpgrid_isa::{CompareOp, ReduceOp, VideoLanes, VideoOp};

/// Runs a video instruction.
pub(crate) fn video(l: &mut Lanes<'_>, row: &mut Row32, plan: &VideoPlan) {
    let [d, a, b, c] = plan.slots;
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    for lane in 0..LANES {
        let run = match plan.lanes {
            VideoLanes::One if plan.op == VideoOp::Mad => multiply_add,
            VideoLanes::One => scalar,
            VideoLanes::Two | VideoLanes::Four => simd,
        };
        row[lane] = run(plan, a[lane], b[lane], c[lane]);
    }
    l.set32(d, row);
}

/// The low bits of a value, zero- or sign-extended.
fn extend(value: u32, width_bits: u32, signed: bool) -> i64 {
    let unused = 64 - width_bits;
    let value = u64::from(value) << unused;
    match signed {
        true => value as i64 >> unused,
        false => (value >> unused) as i64,
    }
}

/// The part of a register that is selected, or all of it.
fn part(value: u32, parts: Option<Parts>, signed: bool) -> i64 {
    match parts {
        None => extend(value, 32, signed),
        Some(parts) => {
            let width = parts.width_bits();
            extend(value >> (parts.first() * width).min(31), width, signed)
        }
    }
}

/// The nearest value of a type.
fn clamp(value: i128, width_bits: u32, signed: bool) -> i128 {
    let values = 1i128 << width_bits;
    match signed {
        true => value.clamp(-(values / 2), values / 2 - 1),
        false => value.clamp(0, values - 1),
    }
}

/// What the operation itself gives, before it is brought into the range of a type.
fn compute(plan: &VideoPlan, x: i64, y: i64) -> i128 {
    let (x, y) = (i128::from(x), i128::from(y));
    match plan.op {
        VideoOp::Add => x + y,
        VideoOp::Sub => x - y,
        VideoOp::AbsDiff => (x - y).abs(),
        VideoOp::Min => x.min(y),
        VideoOp::Max => x.max(y),
        VideoOp::Average => (x + y + i128::from(x + y >= 0)) >> 1,
        VideoOp::Shl => x << amount(plan, y),
        VideoOp::Shr => x >> amount(plan, y),
        VideoOp::Mad => x * y,
        VideoOp::Set => i128::from(plan.compare.is_some_and(|op| holds(op, x, y))),
    }
}

/// How far a shift goes.
fn amount(plan: &VideoPlan, y: i128) -> u32 {
    match plan.wraps {
        true => (y & 31) as u32,
        false => y.clamp(0, 32) as u32,
    }
}

/// Whether a comparison of integers holds.
fn holds(op: CompareOp, x: i128, y: i128) -> bool {
    use CompareOp as C;
    match op {
        C::Eq | C::Equ => x == y,
        C::Ne | C::Neu => x != y,
        C::Lt | C::Ltu | C::Lo => x < y,
        C::Le | C::Leu | C::Ls => x <= y,
        C::Gt | C::Gtu | C::Hi => x > y,
        C::Ge | C::Geu | C::Hs => x >= y,
        C::Num => true,
        C::Nan => false,
    }
}

/// One value: selected, computed, saturated, combined with c.
fn scalar(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [d_signed, a_signed, b_signed] = plan.signed;
    let selection = plan.selection;
    let x = part(a, selection.a, a_signed);
    let y = part(b, selection.b, b_signed);
    let width = selection.d.map_or(32, |parts| parts.width_bits());
    let mut value = compute(plan, x, y);
    if plan.saturates {
        value = clamp(value, width, d_signed);
    }
    let addend = i128::from(extend(c, 32, d_signed));
    let value = match plan.second {
        Some(ReduceOp::Add) => value + addend,
        Some(ReduceOp::Min) => value.min(addend),
        Some(ReduceOp::Max) => value.max(addend),
        Some(ReduceOp::And | ReduceOp::Or | ReduceOp::Xor) | None => value,
    };
    match selection.d {
        None => value as u32,
        Some(parts) => {
            let at = (parts.first() * width).min(31);
            let mask = ((1u64 << width) - 1) as u32;
            (value as u32 & mask) << at | c & !(mask << at)
        }
    }
}

/// `vmad`: a product of up to 64 bits, plus c, scaled.
fn multiply_add(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [_, a_signed, b_signed] = plan.signed;
    let selection = plan.selection;
    let x = part(a, selection.a, a_signed);
    let y = part(b, selection.b, b_signed);
    let signed = a_signed || b_signed || selection.negate_product || selection.negate_addend;
    let product = compute(plan, x, y);
    let mut addend = c;
    let mut sum = product;
    let mut one = 0;
    if plan.plus_one {
        one = 1;
    } else if selection.negate_product {
        (sum, one) = (!product, 1);
    } else if selection.negate_addend {
        (addend, one) = (!c, 1);
    }
    sum += i128::from(extend(addend, 32, signed)) + one;
    sum >>= plan.scale;
    match plan.saturates {
        true => clamp(sum, 32, signed) as u32,
        false => sum as u32,
    }
}

/// Two half words or four bytes at once.
fn simd(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [d_signed, a_signed, b_signed] = plan.signed;
    let selection = plan.selection;
    let n = plan.lanes.count();
    let width = 32 / n as u32;
    let element = |number: usize, signed: bool| {
        let register = if number < n { a } else { b };
        let at = (number % n) as u32 * width;
        extend(register >> at, width, signed)
    };
    // Without a selector, a gives the parts of the first register and b those of the second.
    let chosen = |parts: Option<Parts>, index: usize, first: usize| {
        parts.map_or(Some(first + index), |parts| parts.element(index))
    };
    let is_written = |index: usize| {
        selection.d.is_none_or(|parts| {
            let digits = parts.digits().iter();
            digits.copied().any(|digit| usize::from(digit) == index)
        })
    };
    let mask = ((1u64 << width) - 1) as u32;
    let sums = plan.second.is_some();
    let mut result = c;
    for index in 0..n {
        if !is_written(index) {
            continue;
        }
        let x = element(chosen(selection.a, index, 0).unwrap_or(index), a_signed);
        let y = element(chosen(selection.b, index, n).unwrap_or(index), b_signed);
        let mut value = compute(plan, x, y);
        if plan.saturates {
            value = clamp(value, width, d_signed);
        }
        let at = index as u32 * width;
        result = match sums {
            true => result.wrapping_add(value as u32),
            false => (value as u32 & mask) << at | result & !(mask << at),
        };
    }
    result
}
