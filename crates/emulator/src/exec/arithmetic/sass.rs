//! SASS operations without an equivalent PTX instruction. Each lane is computed without branches, so that the compiler
//! vectorizes the loops.

use crate::code::SassPlan;
use crate::exec::arithmetic::float::upper_half;
use crate::exec::arithmetic::integer::each_lane;
use crate::exec::operand_rows::mask_of;
use crate::semantics::registers::{FULL, LANES, LaneRegisters, OperandSlot, Row32};
use crate::semantics::special_function;
use warpgrid_isa::{BoolOp, CompareOp, Extension, FunnelShift, MulPart, SassOp, Signedness};

/// Source rows of a SASS operation, to which bitwise complements have already been applied.
struct SassSources<'a> {
    rows: [&'a Row32; 5],
    /// Mask of the bits of each source that are inverted.
    flips: [u32; 5],
    /// Number of arithmetically negated sources. The instruction computes a negation as a complement plus one.
    n_negated: u32,
}

impl SassSources<'_> {
    #[inline(always)]
    fn at(&self, index: usize, lane: usize) -> u32 {
        self.rows[index][lane] ^ self.flips[index]
    }

    /// Returns two consecutive sources as one 64-bit value.
    #[inline(always)]
    fn wide(&self, index: usize, lane: usize) -> u64 {
        u64::from(self.at(index, lane)) | u64::from(self.at(index + 1, lane)) << 32
    }
}

/// Result rows and result predicates of a SASS operation.
struct SassResults {
    registers: [Row32; 2],
    predicates: [u32; 7],
}

/// Executes one operation of a plan. The function is compiled separately for each supported vector width
/// (`exec::simd_dispatch`). The function is not inlined into the step loop, because the loop is already large.
#[cfg_attr(
    target_arch = "x86_64",
    multiversion::multiversion(targets(
        "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
        "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    ))
)]
pub(crate) fn machine(l: &mut LaneRegisters<'_>, plan: &SassPlan) {
    let flip = |index: usize| {
        let flips = (plan.negated | plan.inverted) >> index & 1 != 0;
        if flips { u32::MAX } else { 0 }
    };
    let conditions = plan.conditions.map(|condition| {
        let lanes = l.predicate(condition.slot);
        if condition.negated { !lanes } else { lanes }
    });
    let sources = SassSources {
        rows: plan.sources.map(|slot| l.r32(slot)),
        flips: [0, 1, 2, 3, 4].map(flip),
        n_negated: plan.negated.count_ones(),
    };
    let mut left = SassResults {
        registers: [[0; LANES]; 2],
        predicates: [0; 7],
    };
    compute(&sources, &conditions, plan, l.mask, &mut left);
    let active = l.mask;
    if plan.op == SassOp::BroadcastToWarp {
        l.mask = FULL;
    }
    for (slot, row) in plan.registers.iter().zip(&left.registers) {
        if slot.is_some() {
            l.set32(*slot, row);
        }
    }
    for (slot, lanes) in plan.predicates.iter().zip(left.predicates) {
        if slot.is_some() {
            l.set_predicate(*slot, lanes);
        }
    }
    l.mask = active;
}

#[cfg_attr(target_arch = "x86_64", inline(always))]
fn compute(
    s: &SassSources<'_>,
    conditions: &[u32; 7],
    plan: &SassPlan,
    active: u32,
    left: &mut SassResults,
) {
    let n = plan.number;
    match plan.op {
        SassOp::Add3 => add3(s, conditions, plan, left),
        SassOp::Multiply { part, signedness } => {
            multiply(s, conditions, plan, (part, signedness), left);
        }
        SassOp::ScaledAdd { part, extension } => {
            scaled_add(s, conditions, plan, (part, extension), left);
        }
        SassOp::Logic3 { combine } => {
            let row = &mut left.registers[0];
            for (lane, value) in row.iter_mut().enumerate() {
                *value = by_table(n, s.at(0, lane), s.at(1, lane), s.at(2, lane));
            }
            let holds = mask_of(row, row, |value, _| value != 0);
            left.predicates[0] = join(combine, holds, conditions[0]);
        }
        SassOp::PredicateLogic3 => {
            let [a, b, c, ..] = *conditions;
            left.predicates[0] = by_table(n, a, b, c);
            left.predicates[1] = by_table(n >> 8, a, b, c);
        }
        SassOp::FunnelShift(how) => {
            for lane in 0..LANES {
                let wide = u64::from(s.at(0, lane)) | u64::from(s.at(2, lane)) << 32;
                left.registers[0][lane] = funnel(how, wide, s.at(1, lane));
            }
        }
        SassOp::CompareExtended {
            op,
            signedness,
            combine,
        } => {
            let holds = compare_extended(s, conditions[1], op, signedness);
            left.predicates[0] = join(combine, holds, conditions[0]);
            left.predicates[1] = join(combine, !holds, conditions[0]);
        }
        SassOp::DivisionCheck => {
            let (a, b) = (s.rows[0], s.rows[1]);
            left.predicates[0] = mask_of(a, b, needs_slow_division);
        }
        SassOp::Reciprocal64 => {
            let function = special_function::reciprocal_upper;
            upper_halves(&mut left.registers[0], s.rows[0], function);
        }
        SassOp::ReciprocalRoot64 => {
            let function = special_function::reciprocal_root_upper;
            upper_halves(&mut left.registers[0], s.rows[0], function);
        }
        SassOp::SineOfTurns => left.registers[0] = special_function::sine(*s.rows[0]),
        SassOp::CosineOfTurns => left.registers[0] = special_function::cosine(*s.rows[0]),
        SassOp::ReadFirstLane => left.registers[0] = first_lane(s, active & conditions[0]),
        SassOp::BroadcastToWarp => broadcast(s, conditions, active, left),
        SassOp::PackPredicates { byte } => {
            pack_predicates(s, conditions, n, byte, &mut left.registers[0]);
        }
        SassOp::UnpackPredicates { byte } => unpack_predicates(s, byte, left),
    }
}

#[inline(always)]
fn bit(condition: u32, lane: usize) -> u32 {
    condition >> lane & 1
}

/// `IADD3`: adds three numbers and up to two carry flags.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn add3(s: &SassSources<'_>, conditions: &[u32; 7], plan: &SassPlan, left: &mut SassResults) {
    let carries = conditions[0] | conditions[1] != 0;
    if plan.predicates[0] == OperandSlot::NONE
        && plan.predicates[1] == OperandSlot::NONE
        && !carries
    {
        for (lane, low) in left.registers[0].iter_mut().enumerate() {
            let sum = s.at(0, lane).wrapping_add(s.at(1, lane));
            *low = sum.wrapping_add(s.at(2, lane)).wrapping_add(s.n_negated);
        }
        return;
    }
    for lane in 0..LANES {
        let carry = bit(conditions[0], lane) + bit(conditions[1], lane) + s.n_negated;
        let sum = (0..3).map(|i| u64::from(s.at(i, lane))).sum::<u64>() + u64::from(carry);
        left.registers[0][lane] = sum as u32;
        left.predicates[0] |= u32::from(sum >> 32 >= 1) << lane;
        left.predicates[1] |= u32::from(sum >> 32 >= 2) << lane;
    }
}

/// `IMAD`: multiplies two numbers, and adds a third number and a carry flag.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn multiply(
    s: &SassSources<'_>,
    conditions: &[u32; 7],
    plan: &SassPlan,
    (part, signedness): (MulPart, Signedness),
    left: &mut SassResults,
) {
    let product_of = |lane: usize| {
        let (a, b) = (s.rows[0][lane], s.rows[1][lane]);
        match signedness {
            Signedness::Signed => (i64::from(a as i32) * i64::from(b as i32)) as u64,
            Signedness::Unsigned => u64::from(a) * u64::from(b),
        }
    };
    let is_plain =
        plan.negated == 0 && conditions[0] == 0 && plan.predicates[0] == OperandSlot::NONE;
    if is_plain && matches!(part, MulPart::Lo) && plan.registers[1] == OperandSlot::NONE {
        for (lane, low) in left.registers[0].iter_mut().enumerate() {
            let product = s.rows[0][lane].wrapping_mul(s.rows[1][lane]);
            *low = product.wrapping_add(s.at(2, lane));
        }
        return;
    }
    if is_plain && matches!(part, MulPart::Wide) {
        let [low, high] = &mut left.registers;
        for lane in 0..LANES {
            let sum = product_of(lane).wrapping_add(s.wide(2, lane));
            (low[lane], high[lane]) = (sum as u32, (sum >> 32) as u32);
        }
        return;
    }
    // Negate the third source as a whole 64-bit value.
    let negates = plan.negated & 0b1100 != 0;
    for lane in 0..LANES {
        let product = product_of(lane);
        let product = if plan.negated & 3 == 1 || plan.negated & 3 == 2 {
            product.wrapping_neg()
        } else {
            product
        };
        let c = match part {
            MulPart::Lo => u64::from(s.at(2, lane)),
            MulPart::Hi | MulPart::Wide => s.wide(2, lane),
        };
        let carry = u64::from(bit(conditions[0], lane)) + u64::from(negates);
        let (sum, first) = product.overflowing_add(c);
        let (sum, second) = sum.overflowing_add(carry);
        left.registers[0][lane] = match part {
            MulPart::Lo | MulPart::Wide => sum as u32,
            MulPart::Hi => (sum >> 32) as u32,
        };
        left.registers[1][lane] = (sum >> 32) as u32;
        left.predicates[0] |= u32::from(first | second) << lane;
    }
}

/// `LEA`: shifts a number left, and adds another number and a carry flag.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn scaled_add(
    s: &SassSources<'_>,
    conditions: &[u32; 7],
    plan: &SassPlan,
    (part, extension): (MulPart, Extension),
    left: &mut SassResults,
) {
    let n = plan.number;
    let is_plain = conditions[0] == 0 && plan.predicates[0] == OperandSlot::NONE;
    if is_plain && matches!(part, MulPart::Lo) {
        for (lane, low) in left.registers[0].iter_mut().enumerate() {
            let scaled = (s.rows[0][lane] << (n & 31)) ^ s.flips[0];
            *low = scaled.wrapping_add(s.at(1, lane)).wrapping_add(s.n_negated);
        }
        return;
    }
    for lane in 0..LANES {
        let above = match extension {
            Extension::Sign => (s.rows[0][lane] as i32 >> 31) as u32,
            Extension::Source => s.rows[2][lane],
        };
        let wide = u64::from(s.rows[0][lane]) | u64::from(above) << 32;
        let shifted = wide << (n & 31);
        let a = match part {
            MulPart::Lo => shifted as u32,
            MulPart::Hi | MulPart::Wide => (shifted >> 32) as u32,
        };
        let carry = u64::from(bit(conditions[0], lane) + s.n_negated);
        let sum = u64::from(a ^ s.flips[0]) + u64::from(s.at(1, lane)) + carry;
        left.registers[0][lane] = sum as u32;
        left.predicates[0] |= u32::from(sum >> 32 != 0) << lane;
    }
}

/// Copies the sources of the first active lane to all lanes.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn broadcast(s: &SassSources<'_>, conditions: &[u32; 7], active: u32, left: &mut SassResults) {
    let first = (active.trailing_zeros() & 31) as usize;
    for (index, row) in left.registers.iter_mut().enumerate() {
        *row = [s.at(index, first); LANES];
    }
    for (lanes, condition) in left.predicates.iter_mut().zip(conditions) {
        *lanes = 0u32.wrapping_sub(bit(*condition, first));
    }
}

/// Compares the upper halves of 64-bit values, and combines each result with the comparison result of the lower halves.
/// Returns the mask of the lanes whose 64-bit comparison is true.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn compare_extended(s: &SassSources<'_>, lower: u32, op: CompareOp, signedness: Signedness) -> u32 {
    let mut holds = 0;
    for lane in 0..LANES {
        let order = match signedness {
            Signedness::Signed => (s.at(0, lane) as i32).cmp(&(s.at(1, lane) as i32)),
            Signedness::Unsigned => s.at(0, lane).cmp(&s.at(1, lane)),
        };
        let low = bit(lower, lane) != 0;
        holds |= u32::from(extended(op, order, low)) << lane;
    }
    holds
}

/// `P2R`: replaces selected bits of one byte of a register by predicates.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn pack_predicates(s: &SassSources<'_>, conditions: &[u32; 7], n: u32, byte: u8, row: &mut Row32) {
    let shift = u32::from(byte & 3) * 8;
    each_lane(row, |lane| {
        let bits = (0..7).fold(0, |bits, i| bits | bit(conditions[i], lane) << i);
        let preserved_bits = s.at(0, lane) & !(n << shift);
        preserved_bits | (bits & n) << shift
    });
}

/// Copies the first source of the lowest lane in `among` to all lanes. If `among` is empty, returns the second source.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn first_lane(s: &SassSources<'_>, among: u32) -> Row32 {
    match among {
        0 => *s.rows[1],
        _ => [s.at(0, (among.trailing_zeros() & 31) as usize); LANES],
    }
}

/// `R2P`: sets predicates to the bits of one byte of a register.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn unpack_predicates(s: &SassSources<'_>, byte: u8, left: &mut SassResults) {
    let shift = u32::from(byte & 3) * 8;
    let row = s.rows[0];
    for (index, lanes) in left.predicates.iter_mut().enumerate() {
        *lanes = mask_of(row, row, |value, _| value >> shift >> index & 1 != 0);
    }
}

/// Applies a function to 64-bit floats, of which only the upper halves are read and computed.
#[inline(always)]
fn upper_halves(to: &mut Row32, from: &Row32, function: impl Fn(f64) -> f64) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = upper_half(*from, &function);
    }
}

/// Computes a three-input logic function. Bit `4 * a + 2 * b + c` of the truth table is the result for the bits a, b
/// and c.
#[inline(always)]
fn by_table(table: u32, a: u32, b: u32, c: u32) -> u32 {
    let term = |index: u32, bits: u32| if table >> index & 1 != 0 { bits } else { 0 };
    term(0, !a & !b & !c)
        | term(1, !a & !b & c)
        | term(2, !a & b & !c)
        | term(3, !a & b & c)
        | term(4, a & !b & !c)
        | term(5, a & !b & c)
        | term(6, a & b & !c)
        | term(7, a & b & c)
}

fn join(op: BoolOp, a: u32, b: u32) -> u32 {
    match op {
        BoolOp::And => a & b,
        BoolOp::Or => a | b,
        BoolOp::Xor => a ^ b,
    }
}

#[inline(always)]
fn funnel(how: FunnelShift, wide: u64, amount: u32) -> u32 {
    let width = if how.wide { 64 } else { 32 };
    let amount = if how.wraps {
        amount & (width - 1)
    } else {
        amount.min(width)
    };
    let shifted = match (how.left, how.signed) {
        (true, _) => wide.checked_shl(amount).unwrap_or(0),
        (false, true) => ((wide as i64) >> amount.min(63)) as u64,
        (false, false) => wide.checked_shr(amount).unwrap_or(0),
    };
    if how.high {
        (shifted >> 32) as u32
    } else {
        shifted as u32
    }
}

/// Computes the result of a 64-bit comparison from the order of the upper halves and the comparison result of the lower
/// halves.
fn extended(op: CompareOp, order: std::cmp::Ordering, low: bool) -> bool {
    use CompareOp as C;
    match op {
        C::Eq | C::Equ => order.is_eq() && low,
        C::Ne | C::Neu => order.is_ne() || low,
        C::Lt | C::Lo | C::Ltu | C::Le | C::Ls | C::Leu => order.is_lt() || (order.is_eq() && low),
        C::Gt | C::Hi | C::Gtu | C::Ge | C::Hs | C::Geu => order.is_gt() || (order.is_eq() && low),
        C::Num => true,
        C::Nan => false,
    }
}

/// Checks whether a division requires the slow path, because its quotient or an intermediate result of the fast path
/// may be outside of the normal range.
fn needs_slow_division(a: u32, b: u32) -> bool {
    let exponent = |bits: u32| (bits >> 23 & 0xff) as i32;
    let (a, b) = (exponent(a), exponent(b));
    let difference = a - b;
    !(24..=254).contains(&a) || !(2..=252).contains(&b) || !(-125..=125).contains(&difference)
}
