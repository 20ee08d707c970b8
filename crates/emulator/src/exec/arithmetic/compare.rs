//! Comparisons of register rows (PTX ISA, "set", "setp", "testp"). The result of a comparison is a lane mask in a
//! predicate register, or a row of truth values.

use crate::code::{CompareType, Comparison, PredicateCombine, RegisterBank};
use crate::exec::operand_rows::mask_of;
use crate::semantics::compare::{Upper16, compare as integers, true_bits};
use crate::semantics::integer::Apply;
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot};
use warpgrid_isa::{BoolOp, CompareOp, FloatFormat, FloatTest, ScalarType};

/// Source rows of a comparison, and the result mask of the lanes whose comparison is true.
struct MaskRows<'a, T> {
    sources: [&'a [T; LANES]; 2],
    mask: &'a mut u32,
}

impl<T: Copy> Apply<[T; 2], bool> for MaskRows<'_, T> {
    #[inline(always)]
    fn apply(self, f: impl Fn([T; 2]) -> bool) {
        let [a, b] = self.sources;
        *self.mask = mask_of(a, b, |a, b| f([a, b]));
    }
}

/// Compares floats. A comparison that is true for NaN operands is computed as the complement of the opposite
/// comparison, which is false for NaN operands.
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

/// Converts a source row to `f64` values. The type of the comparison determines the format of the row.
fn float_values(l: &LaneRegisters<'_>, c: &Comparison, slot: OperandSlot) -> [f64; LANES] {
    let mut row = [0.0; LANES];
    if c.kind == CompareType::F64 {
        let bits = l.r64(slot);
        for lane in 0..LANES {
            row[lane] = f64::from_bits(bits[lane]);
        }
        return row;
    }
    let bits = l.r32(slot);
    for lane in 0..LANES {
        row[lane] = match c.kind {
            // With `.ftz`, replace a 16-bit float with a zero exponent field by zero, because it is subnormal or zero.
            CompareType::F16 if c.ftz && bits[lane] & FloatFormat::F16.infinity() == 0 => 0.0,
            CompareType::F16 => FloatFormat::F16.value(bits[lane] & 0xffff),
            CompareType::Bf16 => FloatFormat::BF16.value(bits[lane] & 0xffff),
            _ => match f32::from_bits(bits[lane]) {
                value if c.ftz && value.is_subnormal() => 0.0,
                value => f64::from(value),
            },
        };
    }
    row
}

/// Returns the mask of the lanes whose comparison is true, including inactive lanes.
#[inline(always)]
fn compare(l: &LaneRegisters<'_>, c: &Comparison) -> u32 {
    use CompareType as K;
    let sign = c.kind.signedness();
    let mut found = 0;
    let mask = &mut found;
    match c.kind {
        K::U32 | K::S32 => {
            let sources = [l.r32(c.a), l.r32(c.b)];
            integers(c.op, sign, MaskRows { sources, mask });
        }
        K::U16 | K::S16 => {
            let sources = [l.r32(c.a), l.r32(c.b)];
            integers(c.op, sign, Upper16(MaskRows { sources, mask }));
        }
        K::U64 | K::S64 => {
            let sources = [l.r64(c.a), l.r64(c.b)];
            integers(c.op, sign, MaskRows { sources, mask });
        }
        K::F16 | K::Bf16 | K::F32 | K::F64 => {
            return floats(c.op, &float_values(l, c, c.a), &float_values(l, c, c.b));
        }
    }
    found
}

#[inline(always)]
fn combined(l: &LaneRegisters<'_>, result: u32, combine: Option<PredicateCombine>) -> u32 {
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

/// Executes `setp`.
#[inline(always)]
pub(crate) fn set_predicate(
    l: &mut LaneRegisters<'_>,
    comparison: &Comparison,
    d: OperandSlot,
    q: OperandSlot,
    combine: Option<PredicateCombine>,
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

/// Executes `set`.
#[inline(never)]
pub(crate) fn set(
    l: &mut LaneRegisters<'_>,
    comparison: &Comparison,
    to: ScalarType,
    d: OperandSlot,
    combine: Option<PredicateCombine>,
) {
    let result = combined(l, compare(l, comparison), combine);
    let yes = true_bits(to);
    let mut row = [0; LANES];
    for (lane, value) in row.iter_mut().enumerate() {
        *value = if result >> lane & 1 != 0 { yes } else { 0 };
    }
    l.set32(d, &row);
}

/// Executes `testp`.
pub(crate) fn test_float(
    l: &mut LaneRegisters<'_>,
    test: FloatTest,
    bank: RegisterBank,
    d: OperandSlot,
    a: OperandSlot,
) {
    let classify = |class: std::num::FpCategory| {
        use std::num::FpCategory as C;
        match test {
            FloatTest::Finite => !matches!(class, C::Nan | C::Infinite),
            FloatTest::Infinite => class == C::Infinite,
            FloatTest::Number => class != C::Nan,
            FloatTest::NotANumber => class == C::Nan,
            // `testp.normal` is also true for zero (PTX ISA, "testp").
            FloatTest::Normal => matches!(class, C::Normal | C::Zero),
            FloatTest::Subnormal => class == C::Subnormal,
        }
    };
    let result = if bank == RegisterBank::B64 {
        let a = l.r64(a);
        mask_of(a, a, |v, _| classify(f64::from_bits(v).classify()))
    } else {
        let a = l.r32(a);
        mask_of(a, a, |v, _| classify(f32::from_bits(v).classify()))
    };
    l.set_predicate(d, result);
}
