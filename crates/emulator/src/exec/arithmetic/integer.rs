//! Integer operations on the rows of a warp. [`semantics::integer`](crate::semantics::integer) defines the operations.

use crate::semantics::alu_ops::{
    BitCountOp, CarryMode, CarryOp, Int16Op, Int32Op, Int64Op, PackedIntOp, ShiftOp,
};
use crate::semantics::integer::{self, Apply};
use crate::semantics::registers::{BankWord, LANES, LaneRegisters, OperandSlot, Row32, Row64};
use crate::semantics::word::Word;
use warpgrid_isa::Signedness;

/// Source rows and destination row of an integer operation.
pub(crate) struct OperandRows<'a, S, R> {
    pub(crate) sources: S,
    pub(crate) result: &'a mut [R; LANES],
}

/// Computes the result of each lane. `result` is a separate parameter, so that the compiler can assume that it does not
/// alias the sources, and vectorizes the loop.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "the loop over an iterator is not vectorized"
)]
pub(crate) fn each_lane<R>(result: &mut [R; LANES], f: impl Fn(usize) -> R) {
    for lane in 0..LANES {
        result[lane] = f(lane);
    }
}

impl<T: Copy, R, const N: usize> Apply<[T; N], R> for OperandRows<'_, [&[T; LANES]; N], R> {
    #[inline(always)]
    fn apply(self, f: impl Fn([T; N]) -> R) {
        let sources = self.sources;
        each_lane(self.result, |lane| f(sources.map(|row| row[lane])));
    }
}

impl<T: Copy, R> Apply<T, R> for OperandRows<'_, &[T; LANES], R> {
    #[inline(always)]
    fn apply(self, f: impl Fn(T) -> R) {
        each_lane(self.result, |lane| f(self.sources[lane]));
    }
}

impl<A: Copy, B: Copy, R> Apply<(A, B), R> for OperandRows<'_, (&[A; LANES], &[B; LANES]), R> {
    #[inline(always)]
    fn apply(self, f: impl Fn((A, B)) -> R) {
        let (a, b) = self.sources;
        each_lane(self.result, |lane| f((a[lane], b[lane])));
    }
}

impl<A: Copy, C: Copy, R> Apply<(A, A, C), R>
    for OperandRows<'_, (&[A; LANES], &[A; LANES], &[C; LANES]), R>
{
    #[inline(always)]
    fn apply(self, f: impl Fn((A, A, C)) -> R) {
        let (a, b, c) = self.sources;
        each_lane(self.result, |lane| f((a[lane], b[lane], c[lane])));
    }
}

/// Rows and carry flags of an operation in a carry chain. The flags have one bit per lane.
struct CarryRows<'a, T> {
    sources: [&'a [T; LANES]; 3],
    flags: u32,
    result: &'a mut [T; LANES],
    new_flags: &'a mut u32,
}

impl<T: Copy> Apply<([T; 3], bool), (T, bool)> for CarryRows<'_, T> {
    #[inline(always)]
    fn apply(self, f: impl Fn(([T; 3], bool)) -> (T, bool)) {
        for lane in 0..LANES {
            let flag = self.flags >> lane & 1 != 0;
            let (sum, carry) = f((self.sources.map(|row| row[lane]), flag));
            self.result[lane] = sum;
            *self.new_flags |= u32::from(carry) << lane;
        }
    }
}

/// Executes an integer operation on 32-bit registers.
#[inline(always)]
pub(crate) fn int32(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    f: Int32Op,
    sign: Signedness,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let rows = OperandRows {
        sources: [l.r32(a), l.r32(b), l.r32(c)],
        result,
    };
    match f {
        Int32Op::Fns => rows.apply(|[a, b, c]| find_nth(a, b, c)),
        _ => integer::int32(f, sign, rows),
    }
    l.set32(d, result);
}

/// Executes an integer operation on 16-bit registers.
pub(crate) fn int16(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    f: Int16Op,
    sign: Signedness,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let sources = [l.r32(a), l.r32(b), l.r32(c)];
    integer::int16(f, sign, OperandRows { sources, result });
    l.set32(d, result);
}

/// `fns`: returns the position of the n-th set bit in a mask, counted upwards or downwards from bit `base`. Returns all
/// ones if there is no such bit.
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

/// Executes an operation on the two 16-bit integers in each 32-bit register.
pub(crate) fn int16x2(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    f: PackedIntOp,
    sign: Signedness,
    [d, a, b]: [OperandSlot; 3],
) {
    let sources = [l.r32(a), l.r32(b)];
    integer::int16x2(f, sign, OperandRows { sources, result });
    l.set32(d, result);
}

/// Executes an operation on the four 8-bit integers in each 32-bit register.
pub(crate) fn int8x4(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    f: PackedIntOp,
    sign: Signedness,
    [d, a, b]: [OperandSlot; 3],
) {
    let sources = [l.r32(a), l.r32(b)];
    integer::int8x4(f, sign, OperandRows { sources, result });
    l.set32(d, result);
}

/// Executes an integer operation on 64-bit registers.
#[inline(always)]
pub(crate) fn int64(
    l: &mut LaneRegisters<'_>,
    result: &mut Row64,
    f: Int64Op,
    sign: Signedness,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let sources = [l.r64(a), l.r64(b), l.r64(c)];
    integer::int64(f, sign, OperandRows { sources, result });
    l.set64(d, result);
}

/// Executes shifts of 64-bit registers.
#[inline(always)]
pub(crate) fn shift64(
    l: &mut LaneRegisters<'_>,
    result: &mut Row64,
    f: ShiftOp,
    sign: Signedness,
    [d, a, b]: [OperandSlot; 3],
) {
    let sources = (l.r64(a), l.r32(b));
    integer::shift(f, sign, OperandRows { sources, result });
    l.set64(d, result);
}

/// Executes bit counts and bit searches of 64-bit registers.
pub(crate) fn count64(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    f: BitCountOp,
    sign: Signedness,
    [d, a]: [OperandSlot; 2],
) {
    let sources = l.r64(a);
    integer::count(f, sign, OperandRows { sources, result });
    l.set32(d, result);
}

/// Executes `bfe` on 64-bit registers.
pub(crate) fn extract64(
    l: &mut LaneRegisters<'_>,
    result: &mut Row64,
    sign: Signedness,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let (a, b, c) = (l.r64(a), l.r32(b), l.r32(c));
    each_lane(result, |lane| {
        integer::extract(a[lane], b[lane], c[lane], sign)
    });
    l.set64(d, result);
}

/// Executes `bfi`.
pub(crate) fn insert<W: Word<Narrow = u32> + BankWord>(
    l: &mut LaneRegisters<'_>,
    result: &mut [W; LANES],
    [d, a, b, c, e]: [OperandSlot; 5],
) {
    let (a, b, c, e) = (W::row(l, a), W::row(l, b), l.r32(c), l.r32(e));
    each_lane(result, |lane| {
        integer::insert(a[lane], b[lane], c[lane], e[lane])
    });
    W::set_row(l, d, result);
}

/// Executes `mul.wide` and `mad.wide` of 32-bit factors.
#[inline(always)]
pub(crate) fn wide32(
    l: &mut LaneRegisters<'_>,
    result: &mut Row64,
    sign: Signedness,
    slots: [OperandSlot; 4],
) {
    let [d, a, b, c] = slots;
    let sources = (l.r32(a), l.r32(b), l.r64(c));
    integer::wide32(sign, OperandRows { sources, result });
    l.set64(d, result);
}

/// Executes `mul.wide` and `mad.wide` of 16-bit factors.
pub(crate) fn wide16(
    l: &mut LaneRegisters<'_>,
    result: &mut Row32,
    sign: Signedness,
    slots: [OperandSlot; 4],
) {
    let [d, a, b, c] = slots;
    let sources = [l.r32(a), l.r32(b), l.r32(c)];
    integer::wide16(sign, OperandRows { sources, result });
    l.set32(d, result);
}

/// Executes additions and subtractions that read or write carry flags.
pub(crate) fn carry<W: Word<Truth = bool> + BankWord>(
    l: &mut LaneRegisters<'_>,
    result: &mut [W; LANES],
    f: CarryOp,
    mode: CarryMode,
    [d, a, b, c]: [OperandSlot; 4],
) {
    let mut new_flags = 0;
    let rows = CarryRows {
        sources: [W::row(l, a), W::row(l, b), W::row(l, c)],
        flags: *l.carry,
        result,
        new_flags: &mut new_flags,
    };
    integer::carry(f, mode, rows);
    if mode.writes {
        *l.carry = *l.carry & !l.mask | new_flags & l.mask;
    }
    W::set_row(l, d, result);
}
