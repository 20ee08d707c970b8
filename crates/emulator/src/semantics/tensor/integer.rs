//! Integer matrix products, which are exact sums whose final result is wrapped or clamped to 32 bits.

use crate::semantics::tensor::algorithm::{BitOp, IntegerOverflow};

/// Width and signedness of an integer operand element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerFormat {
    pub(crate) bits: u8,
    pub(crate) is_signed: bool,
}

impl IntegerFormat {
    fn value(self, bits: u64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        if self.is_signed {
            ((bits << unused) as i64) >> unused
        } else {
            ((bits << unused) >> unused) as i64
        }
    }
}

/// Computes the sum of the products and `c` as `s32`. `.satfinite` clamps only the final result of the exact sum.
pub(crate) fn sum(
    a: &[u64],
    a_format: IntegerFormat,
    b: &[u64],
    b_format: IntegerFormat,
    c: u64,
    overflow: IntegerOverflow,
) -> u64 {
    let products = a
        .iter()
        .zip(b)
        .map(|(x, y)| a_format.value(*x) * b_format.value(*y));
    finish(products.sum::<i64>() + i64::from(c as u32 as i32), overflow)
}

/// Computes the sum of the population counts of the combined words and `c`. Each word contains 32 `b1` elements.
pub(crate) fn count(op: BitOp, a: &[u64], b: &[u64], c: u64) -> u64 {
    let counts = a.iter().zip(b).map(|(a, b)| {
        let word = match op {
            BitOp::Xor => a ^ b,
            BitOp::And => a & b,
        };
        i64::from((word as u32).count_ones())
    });
    finish(
        counts.sum::<i64>() + i64::from(c as u32 as i32),
        IntegerOverflow::Wrap,
    )
}

fn finish(sum: i64, overflow: IntegerOverflow) -> u64 {
    let sum = match overflow {
        IntegerOverflow::Wrap => sum,
        IntegerOverflow::Saturate => sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)),
    };
    u64::from(sum as u32)
}
