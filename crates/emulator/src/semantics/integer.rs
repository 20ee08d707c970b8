//! Integer arithmetic, logic, shifts and bit fields (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision
//! Integer Arithmetic Instructions", "Logic and Shift Instructions"), over the primitives of [`word`](super::word).
//!
//! Each function matches on the operation before it calls [`Apply::apply`], so that the interpreter evaluates the match
//! outside of its loop over lanes.

use crate::semantics::alu_ops::{
    BitCountOp, CarryMode, CarryOp, Int16Op, Int32Op, Int64Op, IntOp, PackedIntOp, ShiftOp,
    ShiftOverflow,
};
use crate::semantics::rounding::Conversion;
use crate::semantics::word::{Word, WordExt};
use warpgrid_isa::Signedness::{self, Signed, Unsigned};
use warpgrid_isa::{PermuteMode, ScalarType};

/// Rows to which an operation with sources `S` and destination `R` can be applied. The interpreter applies it to all
/// lanes, and the translator applies it to symbolic values.
pub trait Apply<S, R> {
    /// Computes the destination of each lane from the sources of the lane.
    fn apply(self, f: impl Fn(S) -> R);
}

/// Integer of 32 bits.
pub trait Word32: Word<Narrow = Self> {}

impl<W: Word<Narrow = W>> Word32 for W {}

/// Executes an arithmetic or logic operation that is common to 32-bit and 64-bit registers.
#[inline(always)]
pub fn arithmetic<W: Word>(f: IntOp, sign: Signedness, rows: impl Apply<[W; 3], W>) {
    use IntOp as A;
    match (f, sign) {
        (A::Add, _) => rows.apply(|[a, b, _]| a.add(b)),
        (A::Sub, _) => rows.apply(|[a, b, _]| a.sub(b)),
        (A::MulLo, _) => rows.apply(|[a, b, _]| a.mul(b)),
        (A::MadLo, _) => rows.apply(|[a, b, c]| a.mul(b).add(c)),
        (A::MulHi, Signed) => rows.apply(|[a, b, _]| a.mul_high_signed(b)),
        (A::MulHi, Unsigned) => rows.apply(|[a, b, _]| a.mul_high_unsigned(b)),
        (A::MadHi, Signed) => rows.apply(|[a, b, c]| a.mul_high_signed(b).add(c)),
        (A::MadHi, Unsigned) => rows.apply(|[a, b, c]| a.mul_high_unsigned(b).add(c)),
        (A::Sad, Signed) => {
            rows.apply(|[a, b, c]| c.add(a.max_signed(b).sub(a.min_signed(b))));
        }
        (A::Sad, Unsigned) => {
            rows.apply(|[a, b, c]| c.add(a.max_unsigned(b).sub(a.min_unsigned(b))));
        }
        (A::Div, Signed) => rows.apply(|[a, b, _]| a.div_signed(b)),
        (A::Div, Unsigned) => rows.apply(|[a, b, _]| a.div_unsigned(b)),
        (A::Rem, Signed) => rows.apply(|[a, b, _]| a.rem_signed(b)),
        (A::Rem, Unsigned) => rows.apply(|[a, b, _]| a.rem_unsigned(b)),
        (A::Abs, _) => rows.apply(|[a, ..]| a.abs()),
        (A::Neg, _) => rows.apply(|[a, ..]| a.neg()),
        (A::Min, Signed) => rows.apply(|[a, b, _]| a.min_signed(b)),
        (A::Min, Unsigned) => rows.apply(|[a, b, _]| a.min_unsigned(b)),
        (A::Max, Signed) => rows.apply(|[a, b, _]| a.max_signed(b)),
        (A::Max, Unsigned) => rows.apply(|[a, b, _]| a.max_unsigned(b)),
        (A::And, _) => rows.apply(|[a, b, _]| a.and(b)),
        (A::Or, _) => rows.apply(|[a, b, _]| a.or(b)),
        (A::Xor, _) => rows.apply(|[a, b, _]| a.xor(b)),
        (A::Not, _) => rows.apply(|[a, ..]| a.not()),
        (A::Cnot, _) => rows.apply(|[a, ..]| a.constant(0).add_truth(a.is_zero())),
    }
}

/// Executes an operation on 32-bit registers. Each implementation of the word traits defines [`Int32Op::Fns`]
/// separately, because `fns` searches the bits in a loop.
#[inline(always)]
pub fn int32<W: Word32>(f: Int32Op, sign: Signedness, rows: impl Apply<[W; 3], W>) {
    use Int32Op as A;
    match f {
        A::Plain(f) => arithmetic(f, sign, rows),
        A::AddSaturated if sign == Signed => rows.apply(|[a, b, _]| add_saturated_signed(a, b)),
        A::AddSaturated => rows.apply(|[a, b, _]| add_saturated_unsigned(a, b)),
        A::SubSaturated if sign == Signed => rows.apply(|[a, b, _]| {
            let difference = a.sub(b);
            let overflow = a.xor(b).and(a.xor(difference));
            saturated(difference, overflow)
        }),
        A::SubSaturated => rows.apply(|[a, b, _]| a.max_unsigned(b).sub(b)),
        A::MadHiSaturated => {
            rows.apply(|[a, b, c]| add_saturated_signed(a.mul_high_signed(b), c));
        }
        A::Mul24Lo => rows.apply(|[a, b, _]| low24(a, sign).mul(low24(b, sign))),
        A::Mad24Lo => rows.apply(|[a, b, c]| low24(a, sign).mul(low24(b, sign)).add(c)),
        A::Mul24Hi => rows.apply(|[a, b, _]| mul24_high(a, b, sign)),
        A::Mad24Hi => rows.apply(|[a, b, c]| mul24_high(a, b, sign).add(c)),
        A::Mad24HiSaturated => {
            rows.apply(|[a, b, c]| add_saturated_signed(mul24_high(a, b, sign), c));
        }
        A::Lop3(table) => rows.apply(|[a, b, c]| logic3(table, a, b, c)),
        A::Shl => rows.apply(|[a, b, _]| a.shift_left_clamped(b)),
        A::Shr if sign == Signed => rows.apply(|[a, b, _]| a.shift_right_signed_clamped(b)),
        A::Shr => rows.apply(|[a, b, _]| a.shift_right_clamped(b)),
        A::ShfLeft(overflow) => rows.apply(|[a, b, c]| {
            let amount = shift_amount(c, overflow);
            let from_low = a.shift_right_clamped(a.constant(32).sub(amount));
            b.shift_left_clamped(amount).or(from_low)
        }),
        A::ShfRight(overflow) => rows.apply(|[a, b, c]| {
            let amount = shift_amount(c, overflow);
            let from_high = b.shift_left_clamped(a.constant(32).sub(amount));
            a.shift_right_clamped(amount).or(from_high)
        }),
        A::Count(f) => count(f, sign, First(rows)),
        A::Brev => rows.apply(|[a, ..]| a.reverse_bits()),
        A::Bfe => rows.apply(|[a, b, c]| extract(a, b, c, sign)),
        A::Fns => {}
        A::Szext(overflow) => {
            rows.apply(|[a, b, _]| extract(a, a.constant(0), shift_amount(b, overflow), sign))
        }
        A::Bmsk(overflow) => rows.apply(|[a, b, _]| {
            let [start, length] = [a, b].map(|n| shift_amount(n, overflow));
            ones(length).shift_left_clamped(start)
        }),
        A::Prmt => rows.apply(|[a, b, c]| a.permute_bytes(b, c)),
        A::PrmtMode(mode) => rows.apply(|[a, b, c]| a.permute_bytes(b, selector(mode, c))),
        A::Dp4a { signs } => rows.apply(|[a, b, c]| a.dot_bytes(b, signs).add(c)),
        A::Dp2a { signs, high } => rows.apply(|[a, b, c]| {
            let start = if high { 16 } else { 0 };
            (0..2).fold(c, |sum, index| {
                let factor = part(a, 16 * index, 16, signs[0]);
                sum.add(factor.mul(part(b, start + 8 * index, 8, signs[1])))
            })
        }),
    }
}

/// Executes an operation on 16-bit registers, which occupy the low half of 32-bit registers. The operation ignores the
/// upper half of a source, and the upper half of the result is zero.
#[inline(always)]
pub fn int16<W: Word32>(f: Int16Op, sign: Signedness, rows: impl Apply<[W; 3], W>) {
    use IntOp as A;
    match f {
        // Compute these operations with 32 bits, because the low 16 bits of their results depend only on the low 16
        // bits of the sources.
        Int16Op::Plain(
            f @ (A::Add | A::Sub | A::MulLo | A::MadLo | A::And | A::Or | A::Xor | A::Not | A::Neg),
        ) => arithmetic(f, sign, Low16(rows)),
        Int16Op::Plain(f @ (A::MulHi | A::MadHi)) => {
            Low16(rows).apply(|[a, b, c]: [W; 3]| {
                let product = low16(a, sign).mul(low16(b, sign));
                let high = product.shift_right_unsigned(a.constant(16));
                if f == A::MadHi { high.add(c) } else { high }
            });
        }
        Int16Op::Plain(f @ (A::Sad | A::Div | A::Rem | A::Abs | A::Min | A::Max | A::Cnot)) => {
            // Signed 32-bit operations are correct for both signednesses, because zero-extended and sign-extended
            // 16-bit values are representable as signed 32-bit numbers.
            let extended = Extended16 {
                rows: Low16(rows),
                sign,
            };
            arithmetic(f, Signed, extended);
        }
        Int16Op::Shl => Low16(rows).apply(|[a, b, _]: [W; 3]| a.shift_left_clamped(b)),
        Int16Op::Shr => {
            Low16(rows).apply(|[a, b, _]: [W; 3]| low16(a, sign).shift_right_signed_clamped(b))
        }
    }
}

/// Executes an operation on 64-bit registers.
#[inline(always)]
pub fn int64<W: Word>(f: Int64Op, sign: Signedness, rows: impl Apply<[W; 3], W>) {
    match f {
        Int64Op::Plain(f) => arithmetic(f, sign, rows),
        Int64Op::Brev => rows.apply(|[a, ..]| a.reverse_bits()),
    }
}

/// Executes a shift of 64-bit registers.
#[inline(always)]
pub fn shift<W: Word>(f: ShiftOp, sign: Signedness, rows: impl Apply<(W, W::Narrow), W>) {
    match f {
        ShiftOp::Left => rows.apply(|(a, b)| a.shift_left_clamped(b)),
        ShiftOp::Right if sign == Signed => rows.apply(|(a, b)| a.shift_right_signed_clamped(b)),
        ShiftOp::Right => rows.apply(|(a, b)| a.shift_right_clamped(b)),
    }
}

/// Executes a bit count or bit search.
#[inline(always)]
pub fn count<W: Word>(f: BitCountOp, sign: Signedness, rows: impl Apply<W, W::Narrow>) {
    // Search the complement of a negative number, because `bfind` ignores copies of the sign bit.
    let magnitude = |a: W| match sign {
        Signed => a.xor(a.sign_mask()),
        Unsigned => a,
    };
    match f {
        BitCountOp::Popc => rows.apply(|a| a.count_ones()),
        BitCountOp::Clz => rows.apply(|a| a.leading_zeros()),
        // For a source without a set bit, the number of leading zeros equals the width, and the subtraction results in
        // all ones.
        BitCountOp::Bfind => {
            rows.apply(|a| a.narrow(W::BITS - 1).sub(magnitude(a).leading_zeros()));
        }
        BitCountOp::BfindShiftAmount => rows.apply(|a| {
            let bits = magnitude(a);
            W::Narrow::select(bits.is_zero(), a.narrow(u32::MAX), bits.leading_zeros())
        }),
    }
}

/// `bfe`: extracts `length` bits of `a` from bit `position` on. Result bits that do not correspond to bits of `a` are
/// copies of the sign bit of the field for signed fields, otherwise zeros.
#[inline(always)]
pub fn extract<W: Word>(a: W, position: W::Narrow, length: W::Narrow, sign: Signedness) -> W {
    let (position, length) = field::<W>(position, length);
    let width = a.narrow(W::BITS);
    let unused = width.sub(length.min_unsigned(width));
    let bits = match sign {
        Signed => a
            .shift_right_signed_clamped(position)
            .shift_left(unused)
            .shift_right_signed(unused),
        Unsigned => a
            .shift_right_clamped(position)
            .shift_left(unused)
            .shift_right_unsigned(unused),
    };
    W::select(length.is_zero(), a.constant(0), bits)
}

/// `bfi`: inserts the low `length` bits of `a` into `b` from bit `position` on.
#[inline(always)]
pub fn insert<W: Word>(a: W, b: W, position: W::Narrow, length: W::Narrow) -> W {
    let (position, length) = field::<W>(position, length);
    let one = a.constant(1);
    let low = one.shift_left_clamped(length).sub(one);
    let mask = low.shift_left_clamped(position);
    a.shift_left(position).blend(b, mask)
}

/// Returns the position and the length of a bit field. The low eight bits of two source operands specify them (PTX ISA,
/// "bfe"). For 64-bit fields, which no hardware instruction supports, the instruction sequence of the assembler uses
/// all bits of both operands (13.5, all architectures).
#[inline(always)]
fn field<W: Word>(position: W::Narrow, length: W::Narrow) -> (W::Narrow, W::Narrow) {
    match W::BITS {
        64 => (position, length),
        _ => (
            position.extend_low_unsigned(8),
            length.extend_low_unsigned(8),
        ),
    }
}

/// `add.cc`, `subc`, `madc.hi` and related instructions: returns the sum of two numbers and the carry flag, and the new
/// carry flag. As in the hardware, a subtraction adds the complement and 1. Therefore, a subtraction sets the carry
/// flag if no borrow occurs, and a chain may mix additions and subtractions.
#[inline(always)]
pub fn carry<W: Word>(
    f: CarryOp,
    mode: CarryMode,
    rows: impl Apply<([W; 3], W::Truth), (W, W::Truth)>,
) {
    let sum = |a: W, b: W, flag: W::Truth| {
        let sum = match (mode.reads, f) {
            (true, _) => a.add(b).add_truth(flag),
            (false, CarryOp::Sub) => a.add(b).add(a.constant(1)),
            (false, CarryOp::Add | CarryOp::MadLo | CarryOp::MadHi) => a.add(b),
        };
        // The sum produces a carry if both top bits are set, or if one top bit is set and the top bit of the sum is
        // zero.
        let carries = a.and(b).or(a.or(b).and(sum.not()));
        (sum, carries.less_signed(a.constant(0)))
    };
    match f {
        CarryOp::Add => rows.apply(|([a, b, _], flag)| sum(a, b, flag)),
        CarryOp::Sub => rows.apply(|([a, b, _], flag)| sum(a, b.not(), flag)),
        CarryOp::MadLo => rows.apply(|([a, b, c], flag)| sum(a.mul(b), c, flag)),
        CarryOp::MadHi if mode.sign == Signed => {
            rows.apply(|([a, b, c], flag)| sum(a.mul_high_signed(b), c, flag));
        }
        CarryOp::MadHi => rows.apply(|([a, b, c], flag)| sum(a.mul_high_unsigned(b), c, flag)),
    }
}

/// `mul.wide` and `mad.wide` of 32-bit factors: computes the 64-bit product, plus c.
#[inline(always)]
pub fn wide32<W: Word32>(sign: Signedness, rows: impl Apply<(W, W, W::Wide), W::Wide>) {
    match sign {
        Signed => rows.apply(|(a, b, c)| a.to_wide_signed().mul(b.to_wide_signed()).add(c)),
        Unsigned => rows.apply(|(a, b, c)| a.to_wide_unsigned().mul(b.to_wide_unsigned()).add(c)),
    }
}

/// `mul.wide` and `mad.wide` of 16-bit factors: computes the 32-bit product, plus c.
#[inline(always)]
pub fn wide16<W: Word32>(sign: Signedness, rows: impl Apply<[W; 3], W>) {
    rows.apply(|[a, b, c]| low16(a, sign).mul(low16(b, sign)).add(c));
}

/// `cvt` between integer types of at most `W::BITS` bits. The result is sign-extended or zero-extended from the width
/// of the result type to the width of the word.
#[inline(always)]
pub fn convert<W: Word>(value: W, conversion: &Conversion) -> W {
    let Conversion { from, to, mode } = *conversion;
    let value = extend(value, from);
    if !mode.saturate {
        return extend(value, to);
    }
    let bits = to.width_bits().clamp(1, W::BITS);
    let most = match to.is_signed() {
        true => u64::MAX >> (65 - bits),
        false => u64::MAX >> (64 - bits),
    };
    let most = value.constant(most);
    match (from.is_signed(), to.is_signed()) {
        (true, true) => value.max_signed(most.not()).min_signed(most),
        (true, false) => value.max_signed(value.constant(0)).min_unsigned(most),
        (false, _) => value.min_unsigned(most),
    }
}

/// Sign-extends or zero-extends a value of type `ty` to the width of the word.
#[inline(always)]
fn extend<W: Word>(value: W, ty: ScalarType) -> W {
    match ty.width_bits() {
        bits if bits >= W::BITS => value,
        bits => extend_low(value, bits, ty.signedness()),
    }
}

/// Executes an operation on the two 16-bit integers in each 32-bit register.
#[inline(always)]
pub fn int16x2<W: Word32>(f: PackedIntOp, sign: Signedness, rows: impl Apply<[W; 2], W>) {
    rows.apply(|[a, b]| packed::<W, 16>(f, sign, a, b));
}

/// Executes an operation on the four 8-bit integers in each 32-bit register.
#[inline(always)]
pub fn int8x4<W: Word32>(f: PackedIntOp, sign: Signedness, rows: impl Apply<[W; 2], W>) {
    rows.apply(|[a, b]| packed::<W, 8>(f, sign, a, b));
}

/// Applies an operation to each `BITS`-bit element of two 32-bit registers.
#[inline(always)]
fn packed<W: Word32, const BITS: u32>(f: PackedIntOp, sign: Signedness, a: W, b: W) -> W {
    use PackedIntOp as A;
    let (least, most) = match sign {
        Signed => (u64::MAX << (BITS - 1), (1 << (BITS - 1)) - 1),
        Unsigned => (0, (1 << BITS) - 1),
    };
    let clamp = |v: W| v.max_signed(v.constant(least)).min_signed(v.constant(most));
    (0..32 / BITS).fold(a.constant(0), |row, index| {
        let start = BITS * index;
        let (x, y) = (part(a, start, BITS, sign), part(b, start, BITS, sign));
        let element = match f {
            A::Add => x.add(y),
            A::Sub => x.sub(y),
            A::AddSaturated => clamp(x.add(y)),
            A::SubSaturated => clamp(x.sub(y)),
            A::Mul => x.mul(y),
            A::Neg => x.neg(),
            A::Abs => part(a, start, BITS, Signed).abs(),
            A::Min => x.min_signed(y),
            A::Max => x.max_signed(y),
        };
        let bits = element.extend_low_unsigned(BITS);
        row.or(bits.shift_left(a.constant(start.into())))
    })
}

/// Extracts the element of `bits` bits that starts at bit `start` of a value, and sign-extends or zero-extends the
/// element to 32 bits.
#[inline(always)]
fn part<W: Word32>(value: W, start: u32, bits: u32, sign: Signedness) -> W {
    let top = value.shift_left(value.constant((32 - start - bits).into()));
    let unused = value.constant((32 - bits).into());
    match sign {
        Signed => top.shift_right_signed(unused),
        Unsigned => top.shift_right_unsigned(unused),
    }
}

/// Sign-extends or zero-extends the low `bits` bits of a value to the full width.
#[inline(always)]
pub(crate) fn extend_low<W: Word>(value: W, bits: u32, sign: Signedness) -> W {
    match sign {
        Signed => value.extend_low_signed(bits),
        Unsigned => value.extend_low_unsigned(bits),
    }
}

/// Sign-extends or zero-extends the low 16 bits of a value.
#[inline(always)]
pub(crate) fn low16<W: Word32>(value: W, sign: Signedness) -> W {
    extend_low(value, 16, sign)
}

/// Sign-extends or zero-extends the low 24 bits of a value.
#[inline(always)]
fn low24<W: Word32>(value: W, sign: Signedness) -> W {
    extend_low(value, 24, sign)
}

/// Returns bits 16 to 47 of the product of the low 24 bits of both factors.
#[inline(always)]
fn mul24_high<W: Word32>(a: W, b: W, sign: Signedness) -> W {
    let [a, b] = [a, b].map(|v| {
        let low = low24(v, sign);
        match sign {
            Signed => low.to_wide_signed(),
            Unsigned => low.to_wide_unsigned(),
        }
    });
    let product = a.mul(b);
    let high = product.shift_right_unsigned(product.narrow(16));
    high.to_narrow()
}

#[inline(always)]
fn add_saturated_unsigned<W: Word32>(a: W, b: W) -> W {
    let sum = a.add(b);
    W::select(sum.less_unsigned(a), a.constant(u64::MAX), sum)
}

#[inline(always)]
fn add_saturated_signed<W: Word32>(a: W, b: W) -> W {
    let sum = a.add(b);
    saturated(sum, a.xor(sum).and(b.xor(sum)))
}

/// Saturates a wrapped signed result: if `overflow` is negative, returns the largest or smallest signed number,
/// otherwise `result`.
#[inline(always)]
fn saturated<W: Word32>(result: W, overflow: W) -> W {
    let limit = result.sign_mask().xor(result.constant(1 << 31));
    W::select(overflow.less_signed(result.constant(0)), limit, result)
}

/// Combines three sources bitwise by a truth table. Bit `i` of the table is the result for source bits a, b and c that
/// are equal to bits 2, 1 and 0 of `i`.
#[inline(always)]
fn logic3<W: Word>(table: u8, a: W, b: W, c: W) -> W {
    let all = |bit: u32| a.constant(if table >> bit & 1 != 0 { u64::MAX } else { 0 });
    let [by_c0, by_c1, by_c2, by_c3] = [0, 2, 4, 6].map(|bit| all(bit + 1).blend(all(bit), c));
    let [by_b0, by_b1] = [by_c1.blend(by_c0, b), by_c3.blend(by_c2, b)];
    by_b1.blend(by_b0, a)
}

/// Returns the shift amount of a 32-bit funnel shift: at most 32 if amounts are clamped, and at most 31 if amounts
/// wrap.
#[inline(always)]
fn shift_amount<W: Word32>(n: W, overflow: ShiftOverflow) -> W {
    match overflow {
        ShiftOverflow::Clamp => n.min_unsigned(n.constant(32)),
        ShiftOverflow::Wrap => n.and(n.constant(31)),
    }
}

/// Returns a mask of `length` low ones. A `length` of 32 or more results in 32 ones.
#[inline(always)]
fn ones<W: Word32>(length: W) -> W {
    let one = length.constant(1);
    one.shift_left_clamped(length).sub(one)
}

/// Converts the selector of a `prmt` mode to the equivalent selector of the default mode (PTX ISA, "prmt").
#[inline(always)]
fn selector<W: Word32>(mode: PermuteMode, c: W) -> W {
    let selectors = match mode {
        PermuteMode::F4e => [0x3210, 0x4321, 0x5432, 0x6543],
        PermuteMode::B4e => [0x5670, 0x6701, 0x7012, 0x0123],
        PermuteMode::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333],
        PermuteMode::Ecl => [0x3210, 0x3211, 0x3222, 0x3333],
        PermuteMode::Ecr => [0x0000, 0x1110, 0x2210, 0x3210],
        PermuteMode::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232],
    };
    let [s0, s1, s2, s3] = selectors.map(|selector| c.constant(selector));
    let is_even = c.and(c.constant(1)).is_zero();
    let is_low = c.and(c.constant(2)).is_zero();
    W::select(
        is_low,
        W::select(is_even, s0, s1),
        W::select(is_even, s2, s3),
    )
}

/// Adapter that passes only the first of three sources to an operation with one source.
struct First<R>(R);

impl<W, T, R: Apply<[W; 3], T>> Apply<W, T> for First<R> {
    #[inline(always)]
    fn apply(self, f: impl Fn(W) -> T) {
        self.0.apply(|[a, ..]| f(a));
    }
}

/// Adapter that truncates the result of an operation to 16 bits.
struct Low16<R>(R);

impl<W: Word, R: Apply<[W; 3], W>> Apply<[W; 3], W> for Low16<R> {
    #[inline(always)]
    fn apply(self, f: impl Fn([W; 3]) -> W) {
        self.0.apply(|sources| f(sources).extend_low_unsigned(16));
    }
}

/// Adapter that sign-extends or zero-extends the 16-bit sources of an operation to 32 bits.
struct Extended16<R> {
    rows: R,
    sign: Signedness,
}

impl<W: Word32, R: Apply<[W; 3], W>> Apply<[W; 3], W> for Extended16<R> {
    #[inline(always)]
    fn apply(self, f: impl Fn([W; 3]) -> W) {
        let sign = self.sign;
        self.rows
            .apply(|sources| f(sources.map(|v| low16(v, sign))));
    }
}
