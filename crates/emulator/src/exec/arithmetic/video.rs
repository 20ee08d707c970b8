//! Video instructions: arithmetic on bytes, half words and words of registers (PTX ISA, "Scalar Video Instructions",
//! "SIMD Video Instructions").

use crate::code::VideoPlan;
use crate::semantics::registers::{LANES, LaneRegisters, Row32};
use warpgrid_isa::Signedness::{self, Signed, Unsigned};
use warpgrid_isa::video_selectors::SubwordSelector;
use warpgrid_isa::{CompareOp, ReduceOp, SimdWidth, VideoOp};

/// Executes a video instruction.
pub(crate) fn video(l: &mut LaneRegisters<'_>, row: &mut Row32, plan: &VideoPlan) {
    let [d, a, b, c] = plan.slots;
    let (a, b, c) = (l.r32(a), l.r32(b), l.r32(c));
    for lane in 0..LANES {
        let run = match plan.lanes {
            SimdWidth::One if plan.op == VideoOp::Mad => multiply_add,
            SimdWidth::One => scalar,
            SimdWidth::Two | SimdWidth::Four => simd,
        };
        row[lane] = run(plan, a[lane], b[lane], c[lane]);
    }
    l.set32(d, row);
}

/// Zero-extends or sign-extends the low `width_bits` bits of a value.
fn extend(value: u32, width_bits: u32, sign: Signedness) -> i64 {
    let unused = 64 - width_bits;
    let value = u64::from(value) << unused;
    match sign {
        Signed => value as i64 >> unused,
        Unsigned => (value >> unused) as i64,
    }
}

/// Returns the part of a register that a selector specifies, or the whole register without a selector.
fn part(value: u32, parts: Option<SubwordSelector>, sign: Signedness) -> i64 {
    match parts {
        None => extend(value, 32, sign),
        Some(parts) => {
            let width = parts.width_bits();
            extend(value >> (parts.first() * width).min(31), width, sign)
        }
    }
}

/// Clamps a value to the range of an integer type.
fn clamp(value: i128, width_bits: u32, sign: Signedness) -> i128 {
    let values = 1i128 << width_bits;
    match sign {
        Signed => value.clamp(-(values / 2), values / 2 - 1),
        Unsigned => value.clamp(0, values - 1),
    }
}

/// Computes the result of a video operation before saturation.
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

/// Returns the shift amount of a video shift instruction.
fn amount(plan: &VideoPlan, y: i128) -> u32 {
    match plan.wraps {
        true => (y & 31) as u32,
        false => y.clamp(0, 32) as u32,
    }
}

/// Evaluates an integer comparison.
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

/// Computes a scalar video instruction: selects the parts of the sources, executes the operation, saturates the result,
/// and combines the result with c.
fn scalar(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [d_sign, a_sign, b_sign] = plan.signs;
    let selection = plan.selection;
    let x = part(a, selection.a, a_sign);
    let y = part(b, selection.b, b_sign);
    let width = selection.d.map_or(32, |parts| parts.width_bits());
    let mut value = compute(plan, x, y);
    if plan.saturates {
        value = match width {
            32 => saturated(plan, value, d_sign),
            _ => clamp(value, width, d_sign),
        };
    }
    // For `vset`, determine the signedness of c from the type of the first source.
    let sign = match plan.compare {
        Some(_) => a_sign,
        None => d_sign,
    };
    let value = match plan.second {
        Some(ReduceOp::Add) => value + i128::from(c),
        Some(ReduceOp::Min) => less_first(whole(plan, value), c, sign)[0],
        Some(ReduceOp::Max) => less_first(whole(plan, value), c, sign)[1],
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

/// Saturates a 32-bit result like the code that assembler 13.5 generates for all architectures: an unsigned result is
/// clamped only to the upper limit, and an absolute difference is saturated only after it is combined with c. Left
/// shifts are exact, as defined by the PTX ISA.
fn saturated(plan: &VideoPlan, value: i128, sign: Signedness) -> i128 {
    let value = match plan.op {
        VideoOp::AbsDiff if sign == Unsigned => return value,
        VideoOp::Add
        | VideoOp::Sub
        | VideoOp::AbsDiff
        | VideoOp::Min
        | VideoOp::Max
        | VideoOp::Average
        | VideoOp::Shr
        | VideoOp::Mad
        | VideoOp::Set => match sign {
            Signed => value,
            Unsigned => value.max(0) & 0xffff_ffff,
        },
        VideoOp::Shl => value,
    };
    clamp(value, 32, sign)
}

/// Extends a result to 64 bits. For `vadd` and `vsub`, the low 32 bits are sign-extended regardless of the type.
fn whole(plan: &VideoPlan, value: i128) -> i64 {
    match plan.op {
        VideoOp::Add | VideoOp::Sub => extend(value as u32, 32, Signed),
        VideoOp::AbsDiff
        | VideoOp::Min
        | VideoOp::Max
        | VideoOp::Average
        | VideoOp::Shl
        | VideoOp::Shr
        | VideoOp::Mad
        | VideoOp::Set => value as i64,
    }
}

/// Returns a result and the operand c in ascending order. The comparison matches the code that the assembler generates.
fn less_first(value: i64, c: u32, sign: Signedness) -> [i128; 2] {
    let c = extend(c, 32, sign);
    let is_smaller = match sign {
        Signed => value < c,
        Unsigned => (value as u64) < c as u64,
    };
    let (smaller, larger) = if is_smaller { (value, c) } else { (c, value) };
    [smaller.into(), larger.into()]
}

/// `vmad`: computes a product of up to 64 bits, adds c, and scales the sum. The details match the code that assembler
/// 13.5 generates for all architectures: unselected registers and c are signed regardless of their types, the sum has
/// 64 bits, and overflow is detected in the bits above the scaled result.
fn multiply_add(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [_, a_sign, b_sign] = plan.signs;
    let selection = plan.selection;
    let factor = |register: u32, parts: Option<SubwordSelector>, sign: Signedness| match parts {
        Some(_) => part(register, parts, sign),
        None => part(register, parts, Signed),
    };
    let x = factor(a, selection.a, a_sign);
    let y = factor(b, selection.b, b_sign);
    let is_negated = selection.negate_product || selection.negate_addend;
    let sign = match is_negated || [a_sign, b_sign].contains(&Signed) {
        true => Signed,
        false => Unsigned,
    };
    let addend = if selection.negate_addend { !c } else { c };
    let product = x.wrapping_mul(y);
    let product = if selection.negate_product {
        !product
    } else {
        product
    };
    let one = plan.plus_one || is_negated;
    let sum = product
        .wrapping_add(extend(addend, 32, Signed))
        .wrapping_add(one.into());
    let scaled = match sign {
        Signed => sum >> plan.scale,
        Unsigned => (sum as u64 >> plan.scale) as i64,
    };
    match plan.saturates {
        true => clamp(scaled.into(), 32, sign) as u32,
        false => scaled as u32,
    }
}

/// Computes a SIMD video instruction on two half words or four bytes per register.
fn simd(plan: &VideoPlan, a: u32, b: u32, c: u32) -> u32 {
    let [d_sign, a_sign, b_sign] = plan.signs;
    let selection = plan.selection;
    let n = plan.lanes.count();
    let width = 32 / n as u32;
    let element = |number: usize, sign: Signedness| {
        let register = if number < n { a } else { b };
        let at = (number % n) as u32 * width;
        extend(register >> at, width, sign)
    };
    // Without a selector, the elements of source a are in the first register, and the elements of source b are in the
    // second register.
    let chosen = |parts: Option<SubwordSelector>, index: usize, first: usize| {
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
        let x = element(chosen(selection.a, index, 0).unwrap_or(index), a_sign);
        let y = element(chosen(selection.b, index, n).unwrap_or(index), b_sign);
        let mut value = compute(plan, x, y);
        if plan.saturates {
            value = clamp(value, width, d_sign);
        }
        let at = index as u32 * width;
        result = match sums {
            true => result.wrapping_add(value as u32),
            false => (value as u32 & mask) << at | result & !(mask << at),
        };
    }
    result
}
