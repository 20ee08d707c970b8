//! Integer comparisons (PTX ISA, "set", "setp"), over the primitives of [`word`](super::word).

use crate::semantics::integer::Apply;
use crate::semantics::rounding::RoundingMode;
use crate::semantics::softfloat;
use crate::semantics::word::{Truth, Word, WordExt};
use warpgrid_isa::Signedness::{self, Signed, Unsigned};
use warpgrid_isa::{CompareOp, FloatFormat, ScalarType};

/// Compares two integers in each lane with the operator `op`.
#[inline(always)]
pub fn compare<W: Word>(op: CompareOp, sign: Signedness, rows: impl Apply<[W; 2], W::Truth>) {
    use CompareOp as C;
    match (op, sign) {
        (C::Eq | C::Equ, _) => rows.apply(|[a, b]| a.equal(b)),
        (C::Ne | C::Neu, _) => rows.apply(|[a, b]| a.equal(b).not()),
        (C::Lt | C::Lo | C::Ltu, Signed) => rows.apply(|[a, b]| a.less_signed(b)),
        (C::Lt | C::Lo | C::Ltu, Unsigned) => rows.apply(|[a, b]| a.less_unsigned(b)),
        (C::Ge | C::Hs | C::Geu, Signed) => rows.apply(|[a, b]| a.less_signed(b).not()),
        (C::Ge | C::Hs | C::Geu, Unsigned) => rows.apply(|[a, b]| a.less_unsigned(b).not()),
        (C::Gt | C::Hi | C::Gtu, Signed) => rows.apply(|[a, b]| b.less_signed(a)),
        (C::Gt | C::Hi | C::Gtu, Unsigned) => rows.apply(|[a, b]| b.less_unsigned(a)),
        (C::Le | C::Ls | C::Leu, Signed) => rows.apply(|[a, b]| b.less_signed(a).not()),
        (C::Le | C::Ls | C::Leu, Unsigned) => rows.apply(|[a, b]| b.less_unsigned(a).not()),
        // An integer is never a NaN, so `num` compares each integer with itself, which is always true.
        (C::Num, _) => rows.apply(|[a, _]| a.equal(a)),
        (C::Nan, _) => rows.apply(|[a, _]| a.equal(a).not()),
    }
}

/// Adapter for comparisons of 16-bit sources: shifts both sources to the upper half of a 32-bit word, so that the
/// 32-bit comparison returns the result of the 16-bit comparison.
pub struct Upper16<R>(pub R);

impl<W: Word, R: Apply<[W; 2], W::Truth>> Apply<[W; 2], W::Truth> for Upper16<R> {
    #[inline(always)]
    fn apply(self, f: impl Fn([W; 2]) -> W::Truth) {
        self.0
            .apply(|sources| f(sources.map(|v| v.shift_left(v.narrow(16)))));
    }
}

/// Returns the bits that `set` writes for a true comparison: 1.0 for a floating-point destination type, otherwise all
/// ones.
pub fn true_bits(to: ScalarType) -> u32 {
    match to {
        ScalarType::F32 => 1.0f32.to_bits(),
        ScalarType::F16 => softfloat::pack(FloatFormat::F16, 1.0, RoundingMode::Nearest),
        ScalarType::Bf16 => softfloat::pack(FloatFormat::BF16, 1.0, RoundingMode::Nearest),
        _ if to.width_bits() == 16 => 0xffff,
        _ => u32::MAX,
    }
}
